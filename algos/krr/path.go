package krr

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// Path holds the solution of a problem for every λ. With S·G·S = QMQᵀ it is
//
//	β(λ) = Q·(M+λI)⁻¹·Qᵀ·S·(y − b·1).
//
// λ has the convention that the Penalty of Config selects. A path holds n² numbers. It
// is safe for concurrent use.
type Path struct {
	p      *problem
	q      *mat.Dense // n×n, eigenvectors in columns
	mu     []float64  // eigenvalues, ascending; those that are round-off are 0
	z      *mat.Dense // Qᵀ·rhs
	y      *mat.Dense // the targets
	active float64    // number of rows whose weight is not 0

	kernelSeconds, eigenSeconds float64
}

// Scores holds figures of merit of one λ that need no further data. They combine the
// residuals of all outputs, weighted by w: a mean over rows is divided by the sum of
// the weights, and a mean over outputs by their number.
type Scores struct {
	Lambda  float64 // as in Config
	Degrees float64 // tr H, the effective degrees of freedom, where ŷ = H·y; includes one for the constant

	// Training is the root mean square of the residuals y − ŷ.
	Training float64

	// LeaveOneOut is the root mean square of y_i − f_{−i}(x_i), where f_{−i} is trained without row i. The number that is added
	// to the diagonal stays the same as with all rows, also for solve.PerRow ([CT07]).
	LeaveOneOut float64

	// GCV is the root of the generalized cross-validation score of [GHW79],
	// Training/(1 − tr H/n), where n counts the rows with a weight. It is LeaveOneOut
	// with every 1 − H_ii replaced by their mean.
	GCV float64
}

// Path decomposes the kernel matrix of the rows of x for the n×t targets y and weights
// w; nil means ones. It ignores the Solver and Lambda of c. The eigendecomposition
// takes about 9n³ flops and cannot be interrupted.
func (c Config) Path(ctx context.Context, x mat.Matrix, y *mat.Dense, w []float64) (*Path, error) {
	c.Solver = Eigen
	c, points, err := c.begin(x, y, w)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	path, err := c.problem(points, y, w, c.Meter()).path(ctx)
	if err != nil {
		return nil, err
	}
	path.y = mat.DenseCopyOf(y)
	return path, nil
}

func (p *problem) path(ctx context.Context) (*Path, error) {
	begin := time.Now()
	n, columns := p.rhs.Dims()
	out := &Path{p: p, q: mat.NewDense(n, n, nil), mu: make([]float64, n), active: float64(n)}
	for _, s := range p.root {
		if s == 0 {
			out.active--
		}
	}
	if err := p.fill(ctx, out.q); err != nil {
		return nil, err
	}
	out.kernelSeconds = time.Since(begin).Seconds()
	begin = time.Now()
	raw := out.q.RawMatrix()
	if !symmetricEigen(lapack.EVCompute, raw, out.mu) {
		return nil, &gram.ConvergenceError{Residual: math.NaN()}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	cut := float64(n) * 0x1p-53 * out.mu[n-1]
	for j, v := range out.mu {
		if v <= cut {
			out.mu[j] = 0
		}
	}
	out.z = mat.NewDense(n, columns, nil)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, raw, p.rhs.RawMatrix(), 0, out.z.RawMatrix())
	out.eigenSeconds = time.Since(begin).Seconds()
	p.meter.Report(gram.Event{Phase: "eigendecomposition", Done: 1, Total: 1})
	return out, nil
}

// symmetricEigen writes the eigenvalues of the symmetric matrix a into w in ascending
// order. With lapack.EVCompute it overwrites a by the eigenvectors.
func symmetricEigen(job lapack.EVJob, a blas64.General, w []float64) bool {
	s := blas64.Symmetric{Uplo: blas.Upper, N: a.Rows, Stride: a.Stride, Data: a.Data}
	size := make([]float64, 1)
	lapack64.Syev(job, s, w, size, -1)
	work := make([]float64, int(size[0]))
	return lapack64.Syev(job, s, w, work, len(work))
}

// Eigenvalues returns the eigenvalues of S·G·S, ascending. Those that are round-off are
// 0. The slice must not be changed.
func (p *Path) Eigenvalues() []float64 { return p.mu }

// Scores returns the figures of merit for every λ ≥ 0. It takes 2n² flops for each λ
// and output, and as many for the diagonal of the inverse. If the kernel matrix is
// singular up to round-off, a λ below 10⁻¹⁰ times the largest eigenvalue is replaced by
// that number.
func (p *Path) Scores(lambda []float64) []Scores {
	shift := make([]float64, len(lambda))
	for i, l := range lambda {
		shift[i] = p.shift(l)
	}
	out := p.scores(shift)
	for i, l := range lambda {
		out[i].Lambda = l
	}
	return out
}

func (p *Path) shift(lambda float64) float64 {
	if !(lambda >= 0) || math.IsInf(lambda, 0) {
		panic("krr: lambda is not a finite number ≥ 0")
	}
	return p.p.c.Penalty.Scale(lambda, p.p.total)
}

// leastShift is the smallest λ, relative to the largest eigenvalue, at which scores are
// computed if some eigenvalues are round-off. For a row outside the span of the
// eigenvectors, y − ŷ and 1 − H_ii decrease with λ and would drown in round-off.
const leastShift = 1e-10

// inverse writes ρ/(μ_j+λ) into kappa, with ρ = λ + min μ, and returns λ/ρ. These are
// the eigenvalues of the inverse up to a factor that does not affect the scores. It
// divides by no number near 0, and λ = 0 gives the limit.
func (p *Path) inverse(kappa []float64, shift float64) float64 {
	if p.mu[0] == 0 {
		shift = max(shift, leastShift*p.mu[len(p.mu)-1])
	}
	rho := p.mu[0] + shift
	if rho == 0 { // a zero matrix
		for j := range kappa {
			kappa[j] = 1
		}
		return 1
	}
	for j, m := range p.mu {
		kappa[j] = rho / (m + shift)
	}
	return shift / rho
}

// inverses holds what is needed of the inverse A⁻¹ of the matrix for some λ, all divided
// by the factor ρ of inverse. With s = S·1 the residuals times √w are λA⁻¹·rhs, and the
// leave-one-out residuals are their quotient by λ·diag(A⁻¹). With a bias, A⁻¹ is replaced
// by A⁻¹ − A⁻¹ssᵀA⁻¹/(sᵀA⁻¹s).
type inverses struct {
	kappa *mat.Dense // n×l: the eigenvalues of A⁻¹
	right *mat.Dense // n×l·columns: kappa times z
	lost  []float64  // λ/ρ
	trace []float64  // trace of A⁻¹
	norm  []float64  // sᵀA⁻¹s
	ratio []float64  // sᵀA⁻¹y/sᵀA⁻¹s for every output
}

// inverses prepares the computation for the given shifts of the diagonal.
func (p *Path) inverses(shift []float64) *inverses {
	n, columns := p.z.Dims()
	t, l := len(p.p.mean), len(shift)
	v := &inverses{kappa: mat.NewDense(n, l, nil), right: mat.NewDense(n, l*columns, nil), lost: make([]float64, l),
		trace: make([]float64, l), norm: make([]float64, l), ratio: make([]float64, l*t)}
	k := make([]float64, n)
	for i, s := range shift {
		v.lost[i] = p.inverse(k, s)
		var square float64
		for j, m := range k {
			v.kappa.Set(j, i, m)
			v.trace[i] += m
			z, to := p.z.RawRowView(j), v.right.RawRowView(j)[i*columns:]
			for c := range z {
				to[c] = m * z[c]
			}
			if columns > t {
				v.norm[i] += m * z[t] * z[t]
				square += m * m * z[t] * z[t]
				for c := range t {
					v.ratio[i*t+c] += m * z[t] * z[c]
				}
			}
		}
		if v.norm[i] > 0 {
			v.trace[i] -= square / v.norm[i]
			for c := range t {
				v.ratio[i*t+c] /= v.norm[i]
			}
		}
		// A row without a weight is an eigenvector with eigenvalue 0 and is not counted.
		v.trace[i] -= float64(n) - p.active
	}
	return v
}

// each calls use for every row with a weight, every λ with index i and every output c. r
// is the entry of A⁻¹·rhs and d the diagonal entry of A⁻¹, which is 0 if the row alone
// determines the constant.
func (p *Path) each(v *inverses, use func(row, i, c int, r, d float64)) {
	n, columns := p.z.Dims()
	t, l := len(p.p.mean), len(v.lost)
	piece := min(n, pieceRows)
	squares, diagonal, solved := mat.NewDense(piece, n, nil), mat.NewDense(piece, l, nil), mat.NewDense(piece, l*columns, nil)
	for lo := 0; lo < n; lo += piece {
		hi := min(lo+piece, n)
		qb := p.q.Slice(lo, hi, 0, n).(*mat.Dense)
		sb, db, ab := squares.Slice(0, hi-lo, 0, n).(*mat.Dense), diagonal.Slice(0, hi-lo, 0, l).(*mat.Dense), solved.Slice(0, hi-lo, 0, l*columns).(*mat.Dense)
		sb.MulElem(qb, qb)
		rows.Mul(db, gram.Of(sb), v.kappa)
		rows.Mul(ab, gram.Of(qb), v.right)
		for r := range hi - lo {
			if p.p.root != nil && p.p.root[lo+r] == 0 {
				continue
			}
			for i := range l {
				a := ab.RawRowView(r)[i*columns : (i+1)*columns]
				d, one := db.At(r, i), 0.0
				if v.norm[i] > 0 {
					one = a[t]
					d -= one * one / v.norm[i]
				}
				if !(d > 1e-13*db.At(r, i)) {
					d = 0
				}
				for c := range t {
					use(lo+r, i, c, a[c]-v.ratio[i*t+c]*one, d)
				}
			}
		}
	}
}

// scores is Scores for given shifts of the diagonal.
func (p *Path) scores(shift []float64) []Scores {
	t := len(p.p.mean)
	out := make([]Scores, len(shift))
	v := p.inverses(shift)
	p.each(v, func(_, i, _ int, r, d float64) {
		out[i].Training += r * r
		if d > 0 {
			out[i].LeaveOneOut += r / d * (r / d)
		}
	})
	for i, s := range shift {
		total := p.p.total * float64(t)
		square := math.Sqrt(out[i].Training / total)
		out[i].Training = v.lost[i] * square
		out[i].LeaveOneOut = math.Sqrt(out[i].LeaveOneOut / total)
		if v.trace[i] > 0 {
			out[i].GCV = square * p.active / v.trace[i]
		}
		out[i].Degrees = p.active - v.lost[i]*v.trace[i]
		out[i].Lambda = s / p.p.c.Penalty.Scale(1, p.p.total)
	}
	return out
}

// LogLikelihoods returns, for every λ ≥ 0, the logarithm of the marginal likelihood of the
// targets under the Gaussian process of package gp, at the amplitude where it is largest,
// summed over the outputs. The λ of the largest one is an alternative to that of the smallest
// leave-one-out error. It is NaN for a λ that Scores replaces, and for 0. It takes O(n)
// operations for each λ and output.
func (p *Path) LogLikelihoods(lambda []float64) []float64 {
	out := make([]float64, len(lambda))
	for i, l := range lambda {
		out[i] = p.likelihood(p.shift(l))
	}
	return out
}

// likelihood returns the log likelihood for a shift of the diagonal. With the eigenvalues μ,
// ln|G + S⁻²·shift| = Σ ln(μ_j+shift) − Σ ln w_i. A row without a weight is an eigenvector with
// eigenvalue 0 and is not counted.
func (p *Path) likelihood(shift float64) float64 {
	if shift <= 0 || p.mu[0] == 0 && shift < leastShift*p.mu[len(p.mu)-1] {
		return math.NaN()
	}
	_, columns := p.z.Dims()
	t, free := len(p.p.mean), p.active
	determinant, norm := -(float64(len(p.mu))-p.active)*math.Log(shift), 0.0
	for _, s := range p.p.root {
		if s > 0 {
			determinant -= 2 * math.Log(s)
		}
	}
	for j, m := range p.mu {
		determinant += math.Log(m + shift)
		if columns > t {
			v := p.z.At(j, t)
			norm += v * v / (m + shift)
		}
	}
	if columns > t {
		determinant += math.Log(norm)
		free--
	}
	var sum float64
	for c := range t {
		var square, cross float64
		for j, m := range p.mu {
			v := p.z.At(j, c)
			square += v * v / (m + shift)
			if columns > t {
				cross += v * p.z.At(j, t) / (m + shift)
			}
		}
		if columns > t {
			square -= cross * cross / norm
		}
		sum -= .5 * (free*math.Log(2*math.Pi*square/free) + determinant + free)
	}
	return sum
}

// Rows holds the values of each row for one λ, of which Scores has the means. The
// matrices are n×t; Leverage has n numbers.
type Rows struct {
	Lambda   float64    // as in Config
	Fitted   *mat.Dense // ŷ_i = f(x_i)
	Residual *mat.Dense // y_i − ŷ_i
	LeftOut  *mat.Dense // f_{−i}(x_i), where f_{−i} is trained without row i, as for Scores.LeaveOneOut
	LeaveOut *mat.Dense // y_i − f_{−i}(x_i)
	Leverage []float64  // H_ii for ŷ = H·y
}

// Rows returns the residuals and predictions of all rows for a λ ≥ 0, both with the row
// and without it, in closed form. It takes 4n² flops for each output. Small λ are
// replaced as in Scores. A row without a weight does not influence the function: its
// prediction is the same without it, and its leverage is 0. A row that alone determines
// the constant has NaN in LeftOut and LeaveOut.
func (p *Path) Rows(lambda float64) Rows {
	n, t := p.y.Dims()
	out := Rows{Lambda: lambda, Leverage: make([]float64, n)}
	for _, m := range []**mat.Dense{&out.Fitted, &out.Residual, &out.LeftOut, &out.LeaveOut} {
		*m = mat.NewDense(n, t, nil)
	}
	set := func(i, c int, residual, left float64) {
		y := p.y.At(i, c)
		out.Residual.Set(i, c, residual)
		out.Fitted.Set(i, c, y-residual)
		out.LeaveOut.Set(i, c, left)
		out.LeftOut.Set(i, c, y-left)
	}
	v := p.inverses([]float64{p.shift(lambda)})
	p.each(v, func(row, _, c int, r, d float64) {
		if p.p.root != nil {
			r /= p.p.root[row]
		}
		left := math.NaN()
		if d > 0 {
			left = r / d
		}
		set(row, c, v.lost[0]*r, left)
		out.Leverage[row] = 1 - v.lost[0]*d
	})
	if p.active < float64(n) {
		values := p.Model(lambda).PredictAll(nil, p.p.x)
		for i, s := range p.p.root {
			for c := range t {
				if s == 0 {
					r := p.y.At(i, c) - values.At(i, c)
					set(i, c, r, r)
				}
			}
		}
	}
	return out
}

// beta returns the solution of the system. If λ is small, it leaves out directions
// whose eigenvalue is 0. They do not change the function, but their coefficients, of
// the order 1/λ, would drown it in round-off.
func (p *Path) beta(shift float64) *mat.Dense {
	n, columns := p.z.Dims()
	cut := 0.0
	if shift < 1e-8*p.mu[n-1] {
		cut = shift
	}
	scaled := mat.NewDense(n, columns, nil)
	for j, m := range p.mu {
		if m+shift > cut {
			row := scaled.RawRowView(j)
			copy(row, p.z.RawRowView(j))
			blas64.Scal(1/(m+shift), blas64.Vector{N: columns, Data: row, Inc: 1})
		}
	}
	beta := mat.NewDense(n, columns, nil)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, p.q.RawMatrix(), scaled.RawMatrix(), 0, beta.RawMatrix())
	return beta
}

// Model returns the function for λ in 2n² flops for each output. Models of the same
// path share the rows.
func (p *Path) Model(lambda float64) *Model {
	begin := time.Now()
	shift := p.shift(lambda)
	n, _ := p.z.Dims()
	st := Stats{Rows: n, Solver: Eigen, Shift: shift, KernelSeconds: p.kernelSeconds}
	beta := p.beta(shift)
	st.SolveSeconds = p.eigenSeconds + time.Since(begin).Seconds()
	m := p.p.model(beta, st)
	m.cfg.Lambda = gram.Set(lambda)
	return m
}

// manyLambdas is the number of values of λ from which one eigendecomposition costs less
// than a Cholesky factor for each value.
const manyLambdas = 16

// FitEach returns the models for several λ on the same rows, which the models share.
// For 16 or more values, and if c.Solver is Eigen, one eigendecomposition serves all of
// them; with Cholesky they share the kernel matrix, and with CG the landmarks and CᵀS²C of
// the preconditioner, but not the iterates: to start from the solution for another λ saved
// no products. With a *gram.ConvergenceError the models are returned too.
func (c Config) FitEach(ctx context.Context, x mat.Matrix, y *mat.Dense, w []float64, lambda []float64) ([]*Model, error) {
	if _, is := c.Kernel.(kernel.Matrix); is {
		c, numbers, err := c.onMatrix(x)
		if err != nil {
			return nil, err
		}
		n, _ := numbers.Dims()
		models, err := c.FitEach(ctx, numbers, y, w, lambda)
		for i, m := range models {
			models[i] = m.ofValues(n)
		}
		return models, err
	}
	x, y, w, _, err := rows.Weighted(c, c.Run, x, y, w)
	if err != nil {
		return nil, err
	}
	n, _ := check.Dims(x)
	c.Lambda = gram.Set(1.0) // replaced below by the values in lambda
	for _, l := range lambda {
		if !(l >= 0) || math.IsInf(l, 0) {
			return nil, settings.Refuse("Lambda", l, "a finite number ≥ 0")
		}
		if l == 0 {
			c.Solver = Eigen
		}
	}
	if c.method(n) == Cholesky && len(lambda) >= manyLambdas {
		c.Solver = Eigen
	}
	c, points, err := c.begin(x, y, w)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := c.problem(points, y, w, c.Meter())
	models := make([]*Model, len(lambda))
	var path *Path
	if c.method(n) == Eigen {
		if path, err = p.path(ctx); err != nil {
			return nil, err
		}
	}
	var g *mat.Dense
	var short error
	for i, l := range lambda {
		c.Lambda = gram.Set(l)
		switch {
		case path != nil:
			models[i] = path.Model(l)
			err = ctx.Err()
		case c.method(n) == Cholesky:
			q := *p
			q.c, q.shift = c, c.Penalty.Scale(l, p.total)
			models[i], err = q.refit(ctx, &g)
		default:
			p.c, p.shift = c, c.Penalty.Scale(l, p.total)
			models[i], err = p.fit(ctx)
		}
		var ce *gram.ConvergenceError
		if errors.As(err, &ce) && models[i] != nil {
			short = err
		} else if err != nil {
			return nil, err
		}
	}
	return models, short
}

const tile = 256 // order of the squares of restore

// restore puts the diagonal back and copies the lower triangle to the upper one, by
// tiles, since the columns of a large matrix do not stay in cache.
func restore(ctx context.Context, g *mat.Dense, diagonal []float64) error {
	n := len(diagonal)
	for i, v := range diagonal {
		g.Set(i, i, v)
	}
	a := g.RawMatrix()
	for top := 0; top < n; top += tile {
		if err := ctx.Err(); err != nil {
			return err
		}
		for left := top; left < n; left += tile {
			for i := top; i < min(n, top+tile); i++ {
				row := a.Data[i*a.Stride:]
				for j := max(left, i+1); j < min(n, left+tile); j++ {
					row[j] = a.Data[j*a.Stride+i]
				}
			}
		}
	}
	return nil
}

// refit solves the problem by Cholesky's method with the kernel matrix in g. It fills g
// if it is nil, and does not change its lower triangle.
func (p *problem) refit(ctx context.Context, g **mat.Dense) (*Model, error) {
	n, _ := p.x.Dims()
	st := Stats{Rows: n, Solver: Cholesky, Shift: p.shift}
	begin := time.Now()
	if *g == nil {
		full := mat.NewDense(n, n, nil)
		if err := p.fill(ctx, full); err != nil {
			return nil, err
		}
		*g = full
	}
	diagonal := make([]float64, n)
	for i := range n {
		diagonal[i] = (*g).At(i, i)
		(*g).Set(i, i, diagonal[i]+p.shift)
	}
	st.KernelSeconds = time.Since(begin).Seconds()
	begin = time.Now()
	beta := mat.DenseCopyOf(p.rhs)
	err := solve.Cholesky(ctx, *g, p.meter)
	if err == nil {
		err = solve.CholeskySolve(ctx, *g, beta)
	}
	if failed := restore(ctx, *g, diagonal); failed != nil { // for the next λ
		return nil, failed
	}
	var pd *gram.NotPDError
	if errors.As(err, &pd) && p.c.Solver == Auto && p.c.eigenFits(p.x, len(p.mean)) {
		st.Solver = Eigen
		beta, err = p.eigen(ctx, &st)
	}
	if err != nil {
		return nil, err
	}
	st.SolveSeconds = time.Since(begin).Seconds()
	return p.model(beta, st), nil
}
