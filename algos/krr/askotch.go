package krr

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/mat"
)

// sketched is the state of accelerated sketch-and-project ([RFG24]). Its sequences w, v
// and z of coefficients have their products with A = S·G·S beside them, so that the
// residual of w is known after every step. A step with block B is
//
//	z = αv + (1−α)w
//	d = P⁻¹·((Az)_B + λz_B − rhs_B)/L
//	w = z − I_B·d
//	v = βv + (1−β)z − γ·I_B·d,
//
// where P approximates A_BB + λI and L is the largest eigenvalue of P⁻¹(A_BB + λI). All
// products follow from A·I_B·d.
type sketched struct {
	p        *problem
	w, v, z  sequence
	change   sequence // I_B·d
	block    []int    // the coordinates B, ascending
	order    []int    // all coordinates; a step draws its block to the front
	random   *rand.Rand
	core     *mat.Dense  // A_BB
	factor   *mat.Dense  // of A_BB + λI if there is no Rank
	silent   *gram.Meter // of the factors of blocks
	mu       float64     // estimate of the least eigenvalue of the expected projection, which sets the momentum
	products columnProduct
}

// sequence is an iterate x together with the product Ax, which combinations of iterates keep without a multiplication.
type sequence struct{ x, ax *mat.Dense }

// set copies the iterate o and its product to s.
func (s sequence) set(o sequence) {
	s.x.Copy(o.x)
	s.ax.Copy(o.ax)
}

// follow replaces s by the combination a·s + b·o of two iterates, and so its product.
func (s sequence) follow(a, b float64, o sequence) {
	for _, m := range [][2]*mat.Dense{{s.x, o.x}, {s.ax, o.ax}} {
		to, from := m[0].RawMatrix().Data, m[1].RawMatrix().Data
		for i, u := range from {
			to[i] = float64(a*to[i]) + float64(b*u)
		}
	}
}

// askotch solves the system by accelerated sketch-and-project. Products are in float32 as
// long as they gain accuracy. The residual that ends the iteration is computed from its
// definition in float64.
func (p *problem) askotch(ctx context.Context, st *Stats) (*mat.Dense, error) {
	begin := time.Now()
	n, _ := p.x.Dims()
	s := p.sketched()
	rough := p.block.Halves()
	if s.products = columnProducts[float64](p); rough {
		s.products = columnProducts[float32](p)
	}
	most := p.c.MaxIter
	if most == 0 {
		most = min(max(1000, 2*n), 10_000)
	}
	pass := (n + len(s.block) - 1) / len(s.block)
	steps, last := 0, math.Inf(1) // the residual when the products were replaced
	now := slices.Max(s.residual())
	finish := func(err error) (*mat.Dense, error) {
		st.Residual, st.SolveSeconds = now, time.Since(begin).Seconds()
		return s.w.x, err
	}
	for !(now <= p.c.Tol) {
		before, least := now, now
		for !(now <= p.c.Tol) && steps/pass < most && (!rough || now <= 10*least) {
			if err := s.step(ctx); err != nil {
				if steps == 0 {
					return nil, err
				}
				return finish(err)
			}
			steps++
			now = slices.Max(s.residual())
			least = min(least, now)
			st.Iterations = (steps + pass - 1) / pass
			p.meter.Report(gram.Event{Phase: "sketch and project", Done: int64(st.Iterations), Gap: now})
			if !rough && (math.IsNaN(now) || math.IsInf(now, 0)) {
				return nil, &gram.ConvergenceError{Iter: st.Iterations, Residual: now, Tol: p.c.Tol}
			}
			if steps%pass == 0 {
				s.adapt(before, now)
				before = now
			}
		}
		if err := s.replace(ctx); err != nil {
			return finish(err)
		}
		if now = slices.Max(s.residual()); now <= p.c.Tol {
			break
		}
		if !(now <= 1) { // the products were not accurate enough: 0 is better
			s.clear()
			now = 1
		}
		stuck := !(now < last/2)
		if stuck && !rough || steps/pass >= most {
			st.Bound = p.bound(s.w.x, s.residual())
			return finish(&gram.ConvergenceError{Iter: st.Iterations, Residual: now, Tol: p.c.Tol})
		}
		if last = now; rough && (stuck || now > 10*p.c.Tol) {
			rough, s.products = false, columnProducts[float64](p)
		}
	}
	st.Bound = p.bound(s.w.x, s.residual())
	p.meter.Report(gram.Event{Phase: "sketch and project", Done: int64(st.Iterations), Total: int64(st.Iterations), Gap: now})
	return finish(nil)
}

// sketched returns the state at the solution 0.
func (p *problem) sketched() *sketched {
	n, columns := p.rhs.Dims()
	b := p.c.Block
	zero := func() sequence { return sequence{mat.NewDense(n, columns, nil), mat.NewDense(n, columns, nil)} }
	s := &sketched{p: p, w: zero(), v: zero(), z: zero(), change: zero(), block: make([]int, b), order: all(n),
		core: mat.NewDense(b, b, nil), silent: gram.Run{}.Meter(), mu: float64(b) / float64(n)}
	if p.c.Rank == 0 {
		s.factor = mat.NewDense(b, b, nil)
	}
	s.random = rng.New(rng.Derive(p.c.Seed, "blocks"), 0)
	return s
}

// clear sets the iterates w and v, and their products with the matrix, to 0.
func (s *sketched) clear() {
	for _, q := range []sequence{s.w, s.v} {
		q.x.Zero()
		q.ax.Zero()
	}
}

// adapt sets mu after a pass that took the residual from before to now. If mu is too large,
// a step lowers the square of the residual by the factor 1 − m/√(mu·n/b) for the value m that
// is right, from m = mu, the full momentum, to mu = b/n, none. A residual that grew drops
// the momentum. [RFG24] set mu to λ, which may be many orders of magnitude too small.
func (s *sketched) adapt(before, now float64) {
	n, b := float64(len(s.order)), float64(len(s.block))
	if !(now < before) {
		s.v.set(s.w)
		s.mu = min(4*s.mu, b/n)
		return
	}
	lost := 1 - math.Pow(now/before, 2/math.Ceil(n/b))
	s.mu = min(b/n, max(s.mu/2, lost*math.Sqrt(s.mu*n/b)))
}

// residual returns the relative residual of each column of w.
func (s *sketched) residual() []float64 {
	n, columns := s.w.x.Dims()
	out, norm := make([]float64, columns), make([]float64, columns)
	for i := range n {
		x, ax, b := s.w.x.RawRowView(i), s.w.ax.RawRowView(i), s.p.rhs.RawRowView(i)
		for j := range out {
			r := ax[j] + float64(s.p.shift*x[j]) - b[j]
			out[j] += float64(r * r)
			norm[j] += float64(b[j] * b[j])
		}
	}
	for j, v := range out {
		if v != 0 {
			out[j] = math.Sqrt(v / norm[j])
		}
	}
	return out
}

// replace computes the products from their definition in float64.
func (s *sketched) replace(ctx context.Context) error {
	n, columns := s.w.x.Dims()
	in, out := mat.NewDense(n, 2*columns, nil), mat.NewDense(n, 2*columns, nil)
	for i, q := range []sequence{s.w, s.v} {
		in.Slice(0, n, i*columns, (i+1)*columns).(*mat.Dense).Copy(q.x)
	}
	scaleRows(in, s.p.root)
	if err := s.p.block.MulSelf(ctx, gram.View(out), gram.View(in)); err != nil {
		return err
	}
	scaleRows(out, s.p.root)
	for i, q := range []sequence{s.w, s.v} {
		q.ax.Copy(out.Slice(0, n, i*columns, (i+1)*columns))
	}
	return nil
}

// step changes the coefficients of a random block. If it fails, w stays as it is.
func (s *sketched) step(ctx context.Context) error {
	p := s.p
	for i := range s.block {
		j := i + s.random.IntN(len(s.order)-i)
		s.order[i], s.order[j] = s.order[j], s.order[i]
	}
	copy(s.block, s.order)
	slices.Sort(s.block)
	nu := float64(len(s.order)) / float64(len(s.block))
	beta, gamma := 1-math.Sqrt(s.mu/nu), 1/math.Sqrt(s.mu*nu)
	alpha := 1 / (1 + gamma*nu)
	s.z.set(s.v)
	s.z.follow(alpha, 1-alpha, s.w)
	_, columns := p.rhs.Dims()
	d := mat.NewDense(len(s.block), columns, nil)
	for k, i := range s.block {
		to, x, ax, b := d.RawRowView(k), s.z.x.RawRowView(i), s.z.ax.RawRowView(i), p.rhs.RawRowView(i)
		for j := range to {
			to[j] = ax[j] + float64(p.shift*x[j]) - b[j]
		}
	}
	if err := s.project(ctx, d); err != nil {
		return err
	}
	s.change.x.Zero()
	for k, i := range s.block {
		copy(s.change.x.RawRowView(i), d.RawRowView(k))
		if p.root != nil {
			blas64.Scal(p.root[i], row(d, k))
		}
	}
	if err := s.products(ctx, s.change.ax, s.block, d); err != nil {
		return err
	}
	scaleRows(s.change.ax, p.root)
	s.w.set(s.z)
	s.w.follow(1, -1, s.change)
	s.v.follow(beta, 1-beta, s.z)
	s.v.follow(1, -gamma, s.change)
	return nil
}

// project sets d = P⁻¹·d/L. Without a Rank P is A_BB + λI itself, and L = 1.
func (s *sketched) project(ctx context.Context, d *mat.Dense) error {
	p, b := s.p, len(s.block)
	points := rows.Dense(gram.Of(p.x), s.block)
	kernel.Against[float64](p.c.Kernel, points).Limit(p.c.Workers).Fill(gram.View(s.core), gram.Of(points))
	if p.root != nil {
		for k, i := range s.block {
			to := s.core.RawRowView(k)
			for l, j := range s.block {
				to[l] *= p.root[i] * p.root[j]
			}
		}
	}
	if p.c.Rank > 0 {
		return s.projectNystrom(ctx, d)
	}
	// Round-off may hide λ, as for rows that are equal; a larger number makes smaller steps.
	for damping := p.shift; ; damping = max(4*damping, 0x1p-50*mat.Trace(s.core)) {
		s.factor.Copy(s.core)
		for k := range b {
			s.factor.Set(k, k, s.factor.At(k, k)+damping)
		}
		err := solve.Cholesky(ctx, s.factor, s.silent)
		if err == nil {
			return solve.CholeskySolve(ctx, s.factor, d)
		}
		if ctx.Err() != nil || math.IsInf(damping, 0) || math.IsNaN(damping) {
			return err
		}
	}
}

// projectNystrom is project for P = K̂ + ρI with the Nyström approximation K̂ = FFᵀ of A_BB
// and ρ = λ + λ_r(K̂). L is estimated by the power method.
func (s *sketched) projectNystrom(ctx context.Context, d *mat.Dense) error {
	b, r := len(s.block), s.p.c.Rank
	factor, rho, err := s.nystrom(ctx, r)
	if err != nil {
		return err
	}
	inner := mat.NewDense(r, r, nil)
	blas64.Syrk(blas.Trans, 1, factor.RawMatrix(), 0, symmetric(inner))
	for k := range r {
		inner.Set(k, k, inner.At(k, k)+rho)
	}
	if err := solve.Cholesky(ctx, inner, s.silent); err != nil {
		return err
	}
	inverse := func(x *mat.Dense) { // (FFᵀ+ρI)⁻¹x = (x − F(FᵀF+ρI)⁻¹Fᵀx)/ρ
		_, columns := x.Dims()
		t := mat.NewDense(r, columns, nil)
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, factor.RawMatrix(), x.RawMatrix(), 0, t.RawMatrix())
		_ = solve.CholeskySolve(context.Background(), inner, t)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, -1/rho, factor.RawMatrix(), t.RawMatrix(), 1/rho, x.RawMatrix())
	}
	inverse(d)
	u, x := mat.NewVecDense(b, nil), mat.NewVecDense(b, nil)
	for k := range b {
		u.SetVec(k, s.random.NormFloat64())
	}
	largest := 0.0
	for range powerSteps {
		x.CopyVec(u)
		inverse(mat.NewDense(b, 1, x.RawVector().Data))
		scale := mat.Dot(x, u) // xᵀPx
		blas64.Gemv(blas.NoTrans, 1, s.core.RawMatrix(), x.RawVector(), 0, u.RawVector())
		blas64.Axpy(s.p.shift, x.RawVector(), u.RawVector())
		largest = max(largest, mat.Dot(x, u)/scale)
	}
	d.Scale(1/largest, d)
	return nil
}

// powerSteps is the number of steps of the power method, as in [RFG24].
const powerSteps = 10

// nystrom returns a b×r factor F of the Nyström approximation FFᵀ of the matrix of the
// block by a random sketch, and the damping ρ.
func (s *sketched) nystrom(ctx context.Context, r int) (*mat.Dense, float64, error) {
	b := len(s.block)
	test := mat.NewDense(b, r, nil)
	raw := test.RawMatrix()
	for i := range raw.Data {
		raw.Data[i] = s.random.NormFloat64()
	}
	eig.Orthonormal(test)
	factor := mat.NewDense(b, r, nil)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, s.core.RawMatrix(), raw, 0, factor.RawMatrix())
	shift := max(0x1p-400, 0x1p-50*math.Sqrt(float64(b))*mat.Norm(factor, 2))
	inner := mat.NewDense(r, r, nil)
	for {
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, raw, factor.RawMatrix(), 0, inner.RawMatrix())
		for k := range r {
			inner.Set(k, k, inner.At(k, k)+shift)
		}
		err := solve.Cholesky(ctx, inner, s.silent)
		if err == nil {
			break
		}
		if ctx.Err() != nil || !(shift < math.MaxFloat64) {
			return nil, 0, err
		}
		shift *= 16
	}
	for i, u := range raw.Data {
		factor.RawMatrix().Data[i] += float64(shift * u)
	}
	blas64.Trsm(blas.Right, blas.NoTrans, 1, blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: r, Stride: r, Data: inner.RawMatrix().Data}, factor.RawMatrix())
	// The shift of the sketch, some round-off, is left in F.
	values := make([]float64, r)
	blas64.Syrk(blas.Trans, 1, factor.RawMatrix(), 0, symmetric(inner))
	if !symmetricEigen(lapack.EVNone, inner.RawMatrix(), values) {
		return nil, 0, &gram.ConvergenceError{Residual: math.NaN()}
	}
	// Digits below 2⁻⁴⁰ of the largest eigenvalue would cancel in the inverse.
	return factor, s.p.shift + max(0, values[0]) + 0x1p-40*values[r-1], nil
}

// columnProduct sets dst to the product of the columns of the kernel matrix with the given
// indices and d.
type columnProduct func(ctx context.Context, dst *mat.Dense, index []int, d *mat.Dense) error

// columnProducts returns a columnProduct with kernel values in F. It holds a copy of all rows in F.
func columnProducts[F gram.Float](p *problem) columnProduct {
	n, dim := p.x.Dims()
	x := gram.MakeRows[F](n, dim)
	for i := range n {
		for k, u := range p.x.RawRowView(i) {
			x.Row(i)[k] = F(u)
		}
	}
	return func(ctx context.Context, dst *mat.Dense, index []int, d *mat.Dense) error {
		b, columns := d.Dims()
		block := kernel.Against[F](p.c.Kernel, rows.Dense(gram.Of(p.x), index)).Limit(p.c.Workers)
		v := gram.MakeRows[F](b, columns)
		for k := range b {
			for j, u := range d.RawRowView(k) {
				v.Row(k)[j] = F(u)
			}
		}
		piece := max(64, int(4e8/(float64(b)*float64(dim+16))))
		part := gram.MakeRows[F](min(piece, n), columns)
		for lo := 0; lo < n; lo += piece {
			if err := ctx.Err(); err != nil {
				return err
			}
			hi := min(lo+piece, n)
			block.Mul(part.Slice(0, hi-lo), gram.Dense(x.Slice(lo, hi)), v)
			for i := lo; i < hi; i++ {
				for j, u := range part.Row(i - lo) {
					dst.Set(i, j, float64(u))
				}
			}
		}
		return nil
	}
}
