package falkon

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/solve"
	_ "github.com/gramworks/gram/blas" // makes products run on the module's own backend
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// problem is the linear system of a fit, (ΦᵀSΦ + shift·I)·z = rhs.
type problem struct {
	c       Config
	x       gram.Samples[float64]
	y       *mat.Dense
	w       []float64 // nil: ones
	total   float64   // sum of the weights
	u       *mat.Dense
	block   *kernel.Block[float64]
	block32 func() *kernel.Block[float32]
	kept    [][]float32 // kernel values of the first blocks of grainRows rows; nil: not computed yet
	factors *Factors    // holds t and h
	t       *mat.Dense  // m×m, the upper factor of W + δI; below the diagonal is h
	mean    []float64   // means of the targets if there is a bias, else zeros
	rhs     *mat.Dense  // m×t, Φᵀ·S·(y−mean); with a bias one more column Φᵀ·S·1
	h       *mat.Dense  // m×m, lower triangle of an estimate of ΦᵀSΦ; above the diagonal is t
	once    bool        // there is one λ, whose preconditioner may take the place of h
	z       *mat.Dense  // solution of the last fit
	pool    sync.Pool   // *piece
	pool32  sync.Pool   // *piece32
	sums    sync.Pool   // *mat.Dense, columns×m
	meter   *gram.Meter
	stats   Stats
}

// pack packs the landmarks; in float32 when they are first needed.
func (p *problem) pack() {
	p.block = kernel.Against[float64](p.c.Kernel, p.u)
	p.block32 = sync.OnceValue(func() *kernel.Block[float32] { return kernel.Against[float32](p.c.Kernel, p.u) })
}

// piece is the work memory of a goroutine: kernel values and products of the rows that it has in hand.
type piece struct{ values, products []float64 }

// partRows is the number of rows whose kernel values are held at a time for m landmarks
// and t columns: some 1 MB, and a multiple of the 12 rows that kernels take together.
func partRows(m, t int) float64 { return float64(12 * max(1, min(1024/12, (1<<17)/(12*(m+t))))) }

// grainRows is the number of rows whose contributions to a product are added up before
// they are added to those of others.
const grainRows = 1024

// upper returns a as an upper triangular matrix.
func upper(a *mat.Dense) blas64.Triangular {
	r := a.RawMatrix()
	return blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: r.Rows, Stride: r.Stride, Data: r.Data}
}

// factor computes the factor T of the landmarks' kernel matrix, and the jitter that makes the matrix positive definite.
func (p *problem) factor(ctx context.Context) error {
	m := p.c.M
	p.factors = &Factors{mat.NewDense(m, m+1, nil)}
	p.t, p.h = p.factors.triangles()
	unit := 0.0
	for {
		if err := p.core(ctx); err != nil {
			return err
		}
		if unit == 0 {
			unit = 0x1p-50 * mat.Trace(p.t) // 2⁻⁵⁰·m times the mean
		}
		for i := range m {
			p.t.Set(i, i, p.t.At(i, i)+p.stats.Jitter)
		}
		err := solve.Cholesky(ctx, p.t, p.meter)
		var pd *gram.NotPDError
		if !errors.As(err, &pd) || !(unit > 0) {
			return err
		}
		p.stats.Jitter = max(unit, 10*p.stats.Jitter)
	}
}

// core writes the kernel matrix W of the landmarks to t, and over h, some rows at a time so that ctx can end it.
func (p *problem) core(ctx context.Context) error {
	m := p.c.M
	step := max(1, min(m, 1<<24/m))
	for lo := 0; lo < m; lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+step, m)
		p.block.Limit(p.c.Workers).Fill(gram.View(p.t.Slice(lo, hi, 0, m).(*mat.Dense)), gram.Of(p.u).Slice(lo, hi))
	}
	return nil
}

// targets sets mean and rhs, in one pass over the rows.
func (p *problem) targets(ctx context.Context) error {
	n, outputs := p.y.Dims()
	columns := outputs
	p.mean = make([]float64, outputs)
	if !p.c.NoBias {
		columns++
		// Subtracting the means of the targets does not change the problem, and large
		// means then cost no digits.
		for i := range n {
			for j, v := range p.y.RawRowView(i) {
				p.mean[j] += p.weight(i) / p.total * v
			}
		}
	}
	p.rhs = mat.NewDense(p.c.M, columns, nil)
	err := p.pass(ctx, p.rhs, "targets", func(lo, hi int, _, s *mat.Dense) {
		for i := lo; i < hi; i++ {
			for j, v := range p.y.RawRowView(i) {
				s.Set(j, i-lo, v-p.mean[j])
			}
			if !p.c.NoBias {
				s.Set(outputs, i-lo, 1)
			}
		}
	})
	if err != nil {
		return err
	}
	blas64.Trsm(blas.Left, blas.Trans, 1, upper(p.t), p.rhs.RawMatrix())
	return nil
}

func (p *problem) weight(i int) float64 {
	if p.w == nil {
		return 1
	}
	return p.w[i]
}

// pass sets dst = Cᵀ·S·V. fill computes rows lo … hi−1 of V, with the kernel values c of
// these rows, into the columns of v.
func (p *problem) pass(ctx context.Context, dst *mat.Dense, phase string, fill func(lo, hi int, c, v *mat.Dense)) error {
	m, columns := dst.Dims()
	step := int(partRows(m, columns))
	return p.sum(ctx, dst, phase, func(part *mat.Dense, lo, hi int) {
		w, _ := p.pool.Get().(*piece)
		if w == nil || len(w.products) < step*columns {
			w = &piece{make([]float64, step*m), make([]float64, step*columns)}
		}
		for at := lo; at < hi && ctx.Err() == nil; at += step {
			end := min(at+step, hi)
			c := mat.NewDense(end-at, m, w.values[:(end-at)*m])
			v := mat.NewDense(columns, end-at, w.products[:(end-at)*columns])
			p.block.Limit(1).Fill(gram.View(c), p.x.Slice(at, end))
			fill(at, end, c, v)
			p.weigh(v, at)
			if columns <= fewColumns {
				for j := range columns {
					blas64.Gemv(blas.Trans, 1, c.RawMatrix(), linalg.Vector(v.RawRowView(j)), 1, linalg.Vector(part.RawRowView(j)))
				}
			} else {
				blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, v.RawMatrix(), c.RawMatrix(), 1, part.RawMatrix())
			}
		}
		p.pool.Put(w)
	})
}

// weigh multiplies the columns of v by the weights of the rows from at on.
func (p *problem) weigh(v *mat.Dense, at int) {
	if p.w == nil {
		return
	}
	columns, _ := v.Dims()
	for j := range columns {
		row := v.RawRowView(j)
		for i := range row {
			row[i] *= p.w[at+i]
		}
	}
}

// sum sets dst to the transpose of the sum over the rows of what add adds to part for rows lo … hi−1.
// The rows are added up in an order that depends on their number alone.
func (p *problem) sum(ctx context.Context, dst *mat.Dense, phase string, add func(part *mat.Dense, lo, hi int)) error {
	m, columns := dst.Dims()
	n := p.x.N()
	sum, err := par.Sum(ctx, p.c.Workers, n, grainRows, func(lo, hi int) *mat.Dense {
		part, _ := p.sums.Get().(*mat.Dense)
		if part == nil {
			part = mat.NewDense(columns, m, nil)
		}
		part.Zero()
		add(part, lo, hi)
		return part
	}, func(a, b *mat.Dense) *mat.Dense {
		a.Add(a, b)
		p.sums.Put(b)
		return a
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	dst.Copy(sum.T())
	p.sums.Put(sum)
	p.meter.Report(gram.Event{Phase: phase, Done: int64(n), Total: int64(n)})
	return nil
}

// fewColumns is the largest number of columns for which products with pieces of C are
// those with vectors.
const fewColumns = 4

// values sets v = (C·z)ᵀ for a piece c of C and the rows of zt = zᵀ.
func values(v, c, zt *mat.Dense) {
	columns, _ := v.Dims()
	if columns > fewColumns {
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, zt.RawMatrix(), c.RawMatrix(), 0, v.RawMatrix())
		return
	}
	for j := range columns {
		blas64.Gemv(blas.NoTrans, 1, c.RawMatrix(), linalg.Vector(zt.RawRowView(j)), 0, linalg.Vector(v.RawRowView(j)))
	}
}

// system is the matrix ΦᵀSΦ. If a product is not made, it is set to 0, and so are those after it; if the reason is
// the context, solve.CG does not use it.
type system struct {
	t       *mat.Dense
	product func(dst, v *mat.Dense, single bool) error // dst = Cᵀ·S·C·v, with kernel values in float32 if single is set
	v       *mat.Dense                                 // T⁻¹z
	err     error
}

// system returns the matrix whose products are passes over the rows in memory.
func (p *problem) system(ctx context.Context) *system {
	return &system{t: p.t, product: func(dst, v *mat.Dense, single bool) error {
		vt := mat.DenseCopyOf(v.T())
		if single {
			return p.singlePass(ctx, dst, newScaled(vt))
		}
		return p.pass(ctx, dst, "rows", func(_, _ int, c, v *mat.Dense) { values(v, c, vt) })
	}}
}

// Dim returns m, the number of landmarks.
func (s *system) Dim() int { m, _ := s.t.Dims(); return m }

// Apply sets dst = ΦᵀSΦ·z.
func (s *system) Apply(dst, z *mat.Dense) { s.multiply(dst, z, false) }

// multiply sets dst = ΦᵀSΦ·z, by kernel values in float32 if single is set.
func (s *system) multiply(dst, z *mat.Dense, single bool) {
	if s.v == nil {
		s.v = mat.DenseCopyOf(z)
	}
	s.v.Copy(z)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, upper(s.t), s.v.RawMatrix())
	if s.err == nil {
		s.err = s.product(dst, s.v, single)
	}
	if s.err != nil {
		dst.Zero()
		return
	}
	blas64.Trsm(blas.Left, blas.Trans, 1, upper(s.t), dst.RawMatrix())
}

// inverse is the preconditioner, (RRᵀ)⁻¹, for a lower triangular R.
type inverse struct{ r *mat.Dense }

// Dim returns m, the number of landmarks.
func (a inverse) Dim() int { m, _ := a.r.Dims(); return m }

// Apply sets dst = (RRᵀ)⁻¹·x.
func (a inverse) Apply(dst, x *mat.Dense) {
	dst.Copy(x)
	_ = solve.CholeskyLowerSolve(context.Background(), a.r, dst) // solve.CG looks at the context
}

// rowsPerLandmark is the number of rows for each landmark whose features make the
// preconditioner. For random features the eigenvalues of the preconditioned matrix are
// from (1+1/√4)⁻² to (1−1/√4)⁻², and each pass then halves the error.
const rowsPerLandmark = 4

// sampledRows is the number of rows whose features are held at a time for m landmarks: so many that adding their products to an
// m×m matrix takes longer than reading it.
func sampledRows(m int) int { return max(128, m/16) }

// sample sets h to the lower triangle of an estimate of ΦᵀSΦ from some rows.
func (p *problem) sample(ctx context.Context) error {
	m, n := p.c.M, p.x.N()
	q := min(n, rowsPerLandmark*m)
	index := rng.New(rng.Derive(p.c.Seed, "preconditioner"), 0).Perm(n)[:q]
	slices.Sort(index)
	part := p.x.Select(index)
	raw := p.h.RawMatrix()
	sym := blas64.Symmetric{Uplo: blas.Lower, N: m, Stride: raw.Stride, Data: raw.Data}
	step := min(q, sampledRows(m))
	features := mat.NewDense(step, m, nil)
	var weight float64
	for lo := 0; lo < q; lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+step, q)
		f := features.Slice(0, hi-lo, 0, m).(*mat.Dense)
		p.block.Limit(p.c.Workers).Fill(gram.View(f), part.Slice(lo, hi))
		for i := lo; i < hi; i++ {
			w := p.weight(index[i])
			weight += w
			blas64.Scal(math.Sqrt(w), linalg.Vector(f.RawRowView(i-lo)))
		}
		blas64.Trsm(blas.Right, blas.NoTrans, 1, upper(p.t), f.RawMatrix())
		before := 1.0
		if lo == 0 {
			before = 0
		}
		blas64.Syrk(blas.Trans, 1, f.RawMatrix(), before, sym)
		p.meter.Report(gram.Event{Phase: "preconditioner", Done: int64(hi), Total: int64(q)})
	}
	if weight > 0 {
		for i := range m {
			blas64.Scal(p.total/weight, linalg.Vector(p.h.RawRowView(i)[:i+1]))
		}
	}
	return nil
}

// preconditioner returns the inverse of h + shift·I by its Cholesky factor R, which takes the place of h if that is needed once.
func (p *problem) preconditioner(ctx context.Context, shift float64) (inverse, error) {
	r := p.h
	if !p.once {
		r = mat.DenseCopyOf(p.h)
	}
	for i := range p.c.M {
		r.Set(i, i, r.At(i, i)+shift)
	}
	return inverse{r}, solve.CholeskyLower(ctx, r, p.meter)
}

// fit solves the problem for the λ in p.c. It starts from the solution of the last fit.
func (p *problem) fit(ctx context.Context) (*Model, error) {
	st := p.stats
	st.Shift = p.c.Penalty.Scale(p.c.Lambda.Value(), p.total)
	begin := time.Now()
	pre, err := p.preconditioner(ctx, st.Shift)
	if err != nil {
		return nil, err
	}
	st.FactorSeconds += time.Since(begin).Seconds()
	begin = time.Now()
	m, columns := p.rhs.Dims()
	warm := p.z != nil
	if !warm {
		p.z = mat.NewDense(m, columns, nil)
	}
	z := p.z
	s := p.system(ctx)
	o := solve.Options{Tol: p.c.Tol, MaxIter: p.c.MaxIter, Precondition: pre, Warm: warm, Progress: p.meter.Report}
	res, err := s.solve(ctx, z, st.Shift, p.rhs, o, p.c.Single)
	if s.err != nil {
		err = s.err
	}
	if err != nil && (res.Iter == 0 || mat.Norm(z, 1) == 0) {
		return nil, err
	}
	st.SolveSeconds = time.Since(begin).Seconds()
	return p.model(z, res, st), err
}

// model returns the model of the solution z, with statistics that are measured on it.
func (p *problem) model(z *mat.Dense, res solution, st Stats) *Model {
	st.Iterations, st.Single = res.Iter, res.single
	for _, v := range res.Residual {
		st.Residual = max(st.Residual, v)
	}
	if !res.made && len(res.Trace) > 0 {
		st.Residual = res.Trace[len(res.Trace)-1]
	}
	alpha, bias, norm := p.constants(z, res.Residual)
	if res.made { // else the residuals are only those of the recurrence
		st.RMSBound = norm / (2 * math.Sqrt(st.Shift*p.total))
	}
	blas64.Trsm(blas.Left, blas.NoTrans, 1, upper(p.t), alpha.RawMatrix())
	return newModel(p.c, p.u, alpha, bias, st)
}

// constants returns z_y − b·z_1, the constants b for which the weighted residuals of
// each output sum to 0, and the largest norm of the residual of an output, for the
// relative residuals of z.
//
// That norm ‖r‖ bounds the error of the function. With a constant, the errors e of z and δ
// of b keep Ae + δc = −r and cᵀe + δΣw = 0 for A = ΦᵀSΦ + λI and c = ΦᵀS1, so that
// (M + λI)·e = −r, where M = ΦᵀSΦ − ccᵀ/Σw ⪰ 0 is that of centered features. The values of
// the error at the rows are Φe + δ1, whose squares have the weighted sum
//
//	eᵀMe ≤ max_μ μ/(μ+λ)²·‖r‖² = ‖r‖²/(4λ).
//
// Without a constant the same holds for M = ΦᵀSΦ. Round-off is left out.
func (p *problem) constants(z *mat.Dense, residual []float64) (out *mat.Dense, bias []float64, norm float64) {
	outputs := len(p.mean)
	bias = make([]float64, outputs)
	rest := func(j int) float64 { return residual[j] * mat.Norm(p.rhs.ColView(j), 2) }
	if p.c.NoBias {
		for j := range bias {
			norm = max(norm, rest(j))
		}
		return mat.DenseCopyOf(z), bias, norm
	}
	m, _ := z.Dims()
	// With centered targets 1ᵀS(y − Φz_y − b(1 − Φz_1)) = 0 is −cᵀz_y = b(Σw − cᵀz_1), c = ΦᵀS1.
	dots := make([]float64, outputs+1)
	for i := range m {
		c := p.rhs.At(i, outputs)
		for j, v := range z.RawRowView(i) {
			dots[j] += c * v
		}
	}
	left := p.total - dots[outputs]
	out = mat.NewDense(m, outputs, nil)
	for j := range bias {
		if left > 0 {
			bias[j] = -dots[j] / left
		}
		norm = max(norm, rest(j)+math.Abs(bias[j])*rest(outputs))
	}
	for i := range m {
		row, to := z.RawRowView(i), out.RawRowView(i)
		for j := range to {
			to[j] = row[j] - bias[j]*row[outputs]
		}
	}
	for j, v := range p.mean {
		bias[j] += v
	}
	return out, bias, norm
}

// newModel returns the function Σ_j α_j·K(u_j,·) + b.
func newModel(c Config, u, alpha *mat.Dense, bias []float64, st Stats) *Model {
	return &Model{expansion: krr.NewModel(krr.Config{Kernel: c.Kernel, Run: c.Run}, u, alpha, bias, krr.Stats{}), cfg: c, stats: st}
}
