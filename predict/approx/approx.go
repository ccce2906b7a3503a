// Package approx provides the approximations of kernel machines from which package predict chooses:
// Nyström features, random Fourier features, structured landmarks, pseudo-landmarks and reduced sets.
//
// Each replaces the kernel machine f by a linear function of features φ with φ(x)ᵀφ(y) ≈ K(x,y). The
// first coefficients are w₀ = Σ_j φ(u_j)·coef_j. For Nyström features with landmarks v, φᵀw₀ is the
// projection of f on the span of the K(·,v) in the space of the kernel. The landmarks are the centers of
// k-means on the u_j with weights ‖coef_j‖², which bounds the error of the projection ([S16] theorem 11).
// Then ridge regression fits the remainder f − φᵀw₀ on rows that the caller gives, or on the points of
// the machine. No labels are used, because f is approximated rather than trained again. Held-out rows
// select the penalty, or show that no correction is best.
//
// # References
//
//   - [S16] S. Si. Large-scale non-linear prediction with applications. PhD
//     thesis, The University of Texas at Austin, 2016: chapter 5.
//   - [SKSB98] B. Schölkopf, P. Knirsch, A. Smola and C. Burges. Fast approximation of
//     support vector kernel expansions, and an interpretation of clustering as
//     approximation in feature spaces. DAGM 1998.
//   - [RR07] A. Rahimi, B. Recht. Random features for large-scale kernel
//     machines. NIPS 2007.
package approx

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/fastnys"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/algos/lowrank/pseudo"
	"github.com/gramworks/gram/algos/lowrank/rff"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/predict"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// The names by which settings and reports call the approximations.
const (
	Nystrom predict.Method = "nystrom" // kernel values with landmarks instead of all points
	RFF     predict.Method = "rff"     // random frequencies, for the Gaussian and the Laplacian
	FastNys predict.Method = "fastnys" // landmarks that Haar's transform makes of a few seeds, 8 of each where there are as many columns
	Reduced predict.Method = "reduced" // as Nystrom, with the points of a reduced set, which are nobody's rows; for the Gaussian
	DCPred  predict.Method = "dcpred"  // landmarks and products of two of their values, all M(M+1)/2 or the 1 200 that are drawn: DC-Pred++ with one leaf
)

// Candidates returns the approximations in the order in which they are tried.
func Candidates() []predict.Candidate {
	return []predict.Candidate{
		{Method: Nystrom, Usual: 256, Plan: planNystrom, Fit: on(fitNystrom)},
		{Method: RFF, Usual: 256, Plan: planRFF, Fit: on(fitRFF)},
		{Method: FastNys, Usual: 256, Unit: perSeed, Plan: planFastNys, Fit: on(fitFastNys)},
		{Method: DCPred, Usual: 32, Plan: planDCPred, Fit: on(fitDCPred)},
		{Method: Reduced, Usual: 64, Plan: planReduced, Fit: on(fitReduced)},
	}
}

// cost is a plan of so many flops.
func cost(flops float64) gram.Plan { return gram.Plan{Flops: flops} }

func planNystrom(m predict.Machine, size int) (gram.Plan, bool) {
	d, k := m.Dims()
	return cost(basis.ValuesFlops(m.Kernel, size, d, k)), size <= m.Size()
}

func planRFF(m predict.Machine, size int) (gram.Plan, bool) {
	d, k := m.Dims()
	switch m.Kernel.(type) {
	case kernel.Gaussian, kernel.Laplacian:
		return cost(basis.FourierFlops(size, d, k)), true
	}
	return gram.Plan{}, false
}

// perSeed is the number of landmarks for each seed of FastNys.
func perSeed(d int) int { return min(8, 1<<bits.Len(uint(max(d, 1)-1))) }

// seedSample is the most rows that seeds are learned from.
const seedSample = 2000

func planFastNys(m predict.Machine, size int) (gram.Plan, bool) {
	d, k := m.Dims()
	_, radial := m.Kernel.(kernel.Radial)
	_, inner := m.Kernel.(kernel.Inner)
	b := perSeed(d)
	return cost(basis.StructuredFlops(m.Kernel, size, b, d, k)), (radial || inner) && size <= b*min(m.Size(), seedSample)
}

// products is the number of products of M landmarks that DCPred takes: fitting
// them takes the decomposition of a matrix with as many columns.
func products(m int) int { return min(m*(m+1)/2, 1200) }

func planDCPred(m predict.Machine, size int) (gram.Plan, bool) {
	d, k := m.Dims()
	return cost(basis.PseudoFlops(m.Kernel, size, products(size), d, k)), size <= m.Size()
}

// features fits the features of an approximation of that size.
type features func(ctx context.Context, p predict.Problem, size int) (basis.Basis, error)

// fitNystrom fits Nyström features on size landmarks: centers of k-means of the machine's points with the weights mass, or the
// points themselves if there are just as many.
func fitNystrom(ctx context.Context, p predict.Problem, size int) (basis.Basis, error) {
	c := nystrom.Config{Kernel: p.Kernel, Landmarks: landmark.KMeans{}, M: size, Cut: cut(p), Run: p.Run}
	if size == p.Size() {
		c.Landmarks = landmark.Fixed{U: p.Points}
	}
	return c.FitWeighted(ctx, p.Points, mass(p.Machine))
}

func fitRFF(ctx context.Context, p predict.Problem, size int) (basis.Basis, error) {
	return rff.Config{Kernel: p.Kernel, M: size, Run: p.Run}.Fit(ctx, p.Points)
}

func fitFastNys(ctx context.Context, p predict.Problem, size int) (basis.Basis, error) {
	d, _ := p.Dims()
	c := fastnys.Config{Kernel: p.Kernel, M: size, Rows: perSeed(d), Sample: seedSample, Cut: cut(p), Run: p.Run}
	return c.FitWeighted(ctx, p.Points, mass(p.Machine))
}

func fitDCPred(ctx context.Context, p predict.Problem, size int) (basis.Basis, error) {
	c := pseudo.Config{Kernel: p.Kernel, M: size, P: products(size), Run: p.Run}
	if p.Precision == predict.Float32 {
		c.Cut = 1e-4
	}
	return c.FitWeighted(ctx, p.Points, mass(p.Machine))
}

// mass returns ‖coef_j‖² for every point of the machine.
func mass(m predict.Machine) []float64 {
	w := make([]float64, m.Size())
	for j := range w {
		w[j] = squares(m.Coef.RawRowView(j))
	}
	return w
}

// cut is where the eigenvalues of W end, relative to the largest: smaller ones
// would make coefficients that cancel, and cost what digits there are.
func cut(p predict.Problem) float64 {
	if p.Precision == predict.Float32 {
		return 1e-6
	}
	return 1e-10
}

// on returns the Fit of a candidate with these features.
func on(fit features) func(context.Context, predict.Problem, int) (basis.Function, float64, error) {
	return func(ctx context.Context, p predict.Problem, size int) (basis.Function, float64, error) {
		phi, err := fit(ctx, p, size)
		if err != nil {
			return basis.Function{}, 0, err
		}
		return correct(ctx, p, phi)
	}
}

// penalties are tried for the correction, per row and in units of the mean
// squared length of the features.
var penalties = []float64{1e-2, 1e-4, 1e-6, 1e-8}

// correct returns the linear function of the features that stands for the
// machine: its expansion in the features and the correction that does best on
// the rows kept out.
func correct(ctx context.Context, p predict.Problem, phi basis.Basis) (basis.Function, float64, error) {
	var none basis.Function
	_, features := phi.Dims()
	_, k := p.Dims()
	fitted, held := p.X.N(), p.Held.N()
	fewer := int64(min(features, fitted))
	need := 8 * (int64(features)*int64(2*fitted+held+2*k) + 3*fewer*fewer + 4*int64(k)*int64(fitted+held))
	if err := p.Check(gram.Plan{PeakBytes: need}); err != nil {
		return none, 0, err
	}
	w := mat.NewDense(features, k, nil)
	const block = 1024
	points := gram.Of(p.Points)
	for lo := 0; lo < p.Size(); lo += block {
		if err := ctx.Err(); err != nil {
			return none, 0, err
		}
		hi := min(lo+block, p.Size())
		rows.AddMulTrans(w, gram.Of(phi.Map(nil, points.Slice(lo, hi))), p.Coef.Slice(lo, hi, 0, k).(*mat.Dense))
	}
	onFit, err := solve.Features(ctx, phi, p.X)
	if err != nil {
		return none, 0, err
	}
	onHeld, err := solve.Features(ctx, phi, p.Held)
	if err != nil {
		return none, 0, err
	}
	rest, left := residual(p.Y, onFit, w, p.Bias), residual(p.HeldY, onHeld, w, p.Bias)
	var size float64
	for i := range fitted {
		size += rows.SumSquares(gram.Of(onFit), i)
	}
	size /= float64(fitted)
	bias := slices.Clone(p.Bias)
	type choice struct {
		correction
		penalty float64
	}
	best := crossval.Best[choice]{Value: choice{penalty: math.Inf(1)}, Score: mat.Norm(left, 2), Found: true}
	solution := onRows
	if features <= fitted {
		solution = onFeatures
	}
	at, err := solution(ctx, p.Run, onFit, rest)
	if err != nil {
		return none, 0, err
	}
	for _, lambda := range penalties {
		if !(size*lambda > 0) {
			continue
		}
		c, err := at(size * lambda)
		var singular *gram.NotPDError
		if errors.As(err, &singular) {
			break // and so are smaller penalties
		}
		if err != nil {
			return none, 0, err
		}
		best.Offer(choice{c, size * lambda}, mat.Norm(residual(left, onHeld, c.w, c.bias), 2))
	}
	if c := best.Value; c.w != nil {
		w.Add(w, c.w)
		blas64.Axpy(1, linalg.Vector(c.bias), linalg.Vector(bias))
	}
	return basis.Function{Basis: phi, Coef: w, Bias: bias}, best.Value.penalty, nil
}

// correction is a linear function of the features that is added to the expansion of the machine;
// without w there is none.
type correction struct {
	w    *mat.Dense
	bias []float64
}

// onFeatures returns the ridge regression of y on the features phi for a penalty per row. It sums
// up the normal equations once, in n·p² flops, and a penalty takes p³/3.
func onFeatures(ctx context.Context, run gram.Run, phi, y *mat.Dense) (func(penalty float64) (correction, error), error) {
	n, features := phi.Dims()
	_, k := y.Dims()
	sums := linear.NewNormal(features, k, false)
	for lo := 0; lo < n; lo += linear.BlockRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+linear.BlockRows, n)
		sums.Add(phi.Slice(lo, hi, 0, features), y.Slice(lo, hi, 0, k).(*mat.Dense), nil)
	}
	return func(penalty float64) (correction, error) {
		own := linear.NewNormal(features, k, false)
		if err := own.Merge(sums); err != nil {
			return correction{}, err
		}
		r, err := linear.Ridge{Lambda: gram.Set(penalty), Penalty: solve.PerRow, Run: run}.Solve(ctx, nil, own)
		if err != nil {
			return correction{}, err
		}
		w, bias := r.Weights()
		return correction{w, bias}, nil
	}, nil
}

// onRows is onFeatures for fewer rows than features. With centered features Φ and targets Y it is
// W = Φᵀ(ΦΦᵀ + λnI)⁻¹Y, in n²·p flops once and n³/3 for a penalty.
func onRows(ctx context.Context, run gram.Run, phi, y *mat.Dense) (func(penalty float64) (correction, error), error) {
	n, _ := phi.Dims()
	_, k := y.Dims()
	phi, mean := centered(phi)
	y, target := centered(y)
	_, p := phi.Dims()
	var products mat.SymDense
	products.SymOuterK(1, phi)
	return func(penalty float64) (correction, error) {
		a := mat.DenseCopyOf(&products)
		for i := range n {
			a.Set(i, i, a.At(i, i)+solve.PerRow.Scale(penalty, float64(n)))
		}
		if err := solve.Cholesky(ctx, a, run.Meter()); err != nil {
			return correction{}, err
		}
		alpha, w := mat.DenseCopyOf(y), mat.NewDense(p, k, nil)
		if err := solve.CholeskySolve(ctx, a, alpha); err != nil {
			return correction{}, err
		}
		w.Mul(phi.T(), alpha)
		bias := slices.Clone(target)
		blas64.Gemv(blas.Trans, -1, w.RawMatrix(), linalg.Vector(mean), 1, linalg.Vector(bias))
		return correction{w, bias}, nil
	}, nil
}

// centered returns the rows of a less their mean, and the mean.
func centered(a *mat.Dense) (*mat.Dense, []float64) {
	n, p := a.Dims()
	out, mean := mat.DenseCopyOf(a), make([]float64, p)
	for i := range n {
		blas64.Axpy(1/float64(n), linalg.Vector(a.RawRowView(i)), linalg.Vector(mean))
	}
	for i := range n {
		blas64.Axpy(-1, linalg.Vector(mean), linalg.Vector(out.RawRowView(i)))
	}
	return out, mean
}

// residual returns y − Φw − b, what the linear function leaves of the targets.
func residual(y, phi, w *mat.Dense, bias []float64) *mat.Dense {
	var r mat.Dense
	r.Mul(phi, w)
	r.Sub(y, &r)
	n, _ := r.Dims()
	for i := range n {
		row := r.RawRowView(i)
		for t, b := range bias {
			row[t] -= b
		}
	}
	return &r
}
