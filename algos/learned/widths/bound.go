package widths

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// jitter times the number of inducing points is added to the diagonal of K(u,u).
const jitter = 1e-9

// inducing is the bound of the likelihood at some parameters. With K(u,u) = UᵀU, V = K(x,u)·U⁻¹ and g = w/λ, the
// covariance is S = VVᵀ + diag(1/g), and S⁻¹ = diag(g) − diag(g)·V·B⁻¹·Vᵀ·diag(g) for B = I + Vᵀ·diag(g)·V.
type inducing struct {
	p       *problem
	a, b    *mat.Dense // scaled rows and points
	lambda  float64
	block   *kernel.Block[float64]
	root    *mat.Dense // U
	inner   *mat.Dense // B, then B⁻¹
	h       *mat.Dense // m×columns: B⁻¹·Vᵀ·diag(g)·R for R = [y 1]
	trace   float64    // Σ g_i·(K_ii − Q_ii)
	square  []float64  // yᵀPy
	bias    []float64  // 1ᵀS⁻¹y/1ᵀS⁻¹1
	sum     float64    // 1ᵀS⁻¹1
	free    float64
	value   float64
	columns int
}

// bound returns Titsias' bound of the criterion Likelihood, and its derivatives by the parameters.
func (p *problem) bound(ctx context.Context, at []float64, derive bool) (float64, []float64, error) {
	u := *p
	u.x = p.u
	q := &inducing{p: p, a: p.scaled(at[1:]), b: u.scaled(at[1:]), lambda: leastLambda + math.Exp(at[0])}
	if err := q.solve(ctx); err != nil || !derive {
		return q.value, nil, err
	}
	grad, err := q.derive(ctx)
	if err != nil {
		return 0, nil, err
	}
	grad[0] *= q.lambda - leastLambda
	return q.value, grad, nil
}

// right returns row i of R times g_i.
func (q *inducing) right(dst []float64, i int) (g float64) {
	g = 1 / (q.lambda * q.p.noise(i))
	copy(dst, q.p.y.RawRowView(i))
	if q.p.bias {
		dst[q.columns-1] = 1
	}
	return g
}

// each calls use with V for blocks of rows.
func (q *inducing) each(ctx context.Context, use func(lo, hi int, v *mat.Dense)) error {
	n, _ := q.a.Dims()
	m, _ := q.b.Dims()
	v := mat.NewDense(min(n, 2*blockRows), m, nil)
	for lo := 0; lo < n; lo += 2 * blockRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+2*blockRows, n)
		part := v.Slice(0, hi-lo, 0, m).(*mat.Dense)
		q.block.Fill(gram.View(part), gram.Of(q.a).Slice(lo, hi))
		blas64.Trsm(blas.Right, blas.NoTrans, 1, upper(q.root), part.RawMatrix())
		use(lo, hi, part)
	}
	return ctx.Err()
}

// solve computes the value and what the derivatives need.
func (q *inducing) solve(ctx context.Context) error {
	n, t := q.p.y.Dims()
	m, _ := q.b.Dims()
	if q.columns = t; q.p.bias {
		q.columns++
	}
	q.block = kernel.Against[float64](q.p.kernel.Kernel, q.b).Limit(q.p.workers)
	q.root, q.inner = mat.NewDense(m, m, nil), mat.NewDense(m, m, nil)
	q.block.Fill(gram.View(q.root), gram.Of(q.b))
	for i := range m {
		q.root.Set(i, i, q.root.At(i, i)+jitter*float64(m)*q.p.kernel.top)
		q.inner.Set(i, i, 1)
	}
	if err := solve.Cholesky(ctx, q.root, gram.Run{}.Meter()); err != nil {
		return err
	}
	s, products := mat.NewDense(m, q.columns, nil), mat.NewDense(q.columns, q.columns, nil)
	scaled, r := mat.NewDense(2*blockRows, m, nil), mat.NewDense(2*blockRows, q.columns, nil)
	var determinant float64
	if err := q.each(ctx, func(lo, hi int, v *mat.Dense) {
		gv, gr := scaled.Slice(0, hi-lo, 0, m).(*mat.Dense), mat.NewDense(hi-lo, q.columns, nil)
		rb := r.Slice(0, hi-lo, 0, q.columns).(*mat.Dense)
		for i := lo; i < hi; i++ {
			g := q.right(rb.RawRowView(i-lo), i)
			determinant -= math.Log(g)
			row := v.RawRowView(i - lo)
			q.trace += g * max(0, q.p.kernel.top-linalg.Dot(row, row))
			for j, u := range row {
				gv.Set(i-lo, j, g*u)
			}
			for j, u := range rb.RawRowView(i - lo) {
				gr.Set(i-lo, j, g*u)
			}
		}
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, v.RawMatrix(), gv.RawMatrix(), 1, q.inner.RawMatrix())
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, v.RawMatrix(), gr.RawMatrix(), 1, s.RawMatrix())
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, rb.RawMatrix(), gr.RawMatrix(), 1, products.RawMatrix())
	}); err != nil {
		return err
	}
	factor := mat.DenseCopyOf(q.inner)
	if err := solve.Cholesky(ctx, factor, gram.Run{}.Meter()); err != nil {
		return err
	}
	for i := range m {
		determinant += 2 * math.Log(factor.At(i, i))
	}
	q.h = mat.DenseCopyOf(s)
	if err := solve.CholeskySolve(ctx, factor, q.h); err != nil {
		return err
	}
	blas64.Gemm(blas.Trans, blas.NoTrans, -1, s.RawMatrix(), q.h.RawMatrix(), 1, products.RawMatrix())
	q.finish(n, t, products, determinant)
	if err := invert(ctx, factor); err != nil {
		return err
	}
	mirror(factor, 0, m)
	q.inner = factor
	return ctx.Err()
}

// finish sets the value, from RᵀS⁻¹R and ln|S|.
func (q *inducing) finish(n, t int, products *mat.Dense, determinant float64) {
	q.free, q.square, q.bias = float64(n), make([]float64, t), make([]float64, t)
	if q.p.bias {
		q.sum = products.At(t, t)
		q.free--
		determinant += math.Log(q.sum)
	}
	free := max(1, q.free)
	for k := range t {
		v := products.At(k, k)
		if q.p.bias {
			q.bias[k] = products.At(k, t) / q.sum
			v -= q.bias[k] * products.At(k, t)
		}
		q.square[k] = max(v, leastSquare)
		q.value -= .5 * (free*(1+math.Log(2*math.Pi*q.square[k]/free)) + determinant + q.trace)
	}
}

// directions returns the factors f and the vectors h = Vᵀz of the terms f·zzᵀ of W, where z are the P·y and S⁻¹1.
func (q *inducing) directions() (f []float64, h *mat.Dense) {
	h = mat.DenseCopyOf(q.h)
	m, _ := h.Dims()
	for k, v := range q.square {
		f = append(f, max(1, q.free)/(2*v))
		for j := 0; q.p.bias && j < m; j++ {
			h.Set(j, k, h.At(j, k)-q.bias[k]*h.At(j, q.columns-1))
		}
	}
	if q.p.bias {
		f = append(f, float64(len(q.square))/(2*q.sum))
	}
	return f, h
}

// derive returns the derivatives by λ and ln s. The matrix W of dS has the terms f·zzᵀ, −t/2·S⁻¹, and t/2·diag(g) for the trace.
func (q *inducing) derive(ctx context.Context) ([]float64, error) {
	n, d := q.a.Dims()
	m, _ := q.b.Dims()
	half := float64(len(q.square)) / 2
	f, h := q.directions()
	grad := make([]float64, 1+d)
	var left float64 // trace of B⁻¹
	for j := range m {
		left += q.inner.At(j, j)
	}
	grad[0] = (half*q.trace - half*(float64(n-m)+left)) / q.lambda
	w := mat.NewDense(2*blockRows, m, nil)
	row, z := make([]float64, q.columns), make([]float64, q.columns)
	inner := mat.NewDense(m, m, nil) // VᵀWV = t/2·(B − 2I + B⁻¹) + Σ f·hhᵀ, summed up by rows as Vᵀ·(WV)
	if err := q.each(ctx, func(lo, hi int, v *mat.Dense) {
		wv := w.Slice(0, hi-lo, 0, m).(*mat.Dense)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, v.RawMatrix(), q.inner.RawMatrix(), 0, wv.RawMatrix())
		for i := lo; i < hi; i++ {
			g := q.right(row, i)
			from, to := v.RawRowView(i-lo), wv.RawRowView(i-lo)
			for c := range z {
				z[c] = g * (row[c] - blas64.Dot(linalg.Vector(from), blas64.Vector{N: m, Data: q.h.RawMatrix().Data[c:], Inc: q.columns}))
			}
			for k, b := range q.bias {
				if q.p.bias {
					z[k] -= b * z[q.columns-1]
				}
			}
			for j, u := range from {
				to[j] = half * g * (u - to[j])
			}
			for c, u := range z {
				blas64.Axpy(f[c]*u, blas64.Vector{N: m, Data: h.RawMatrix().Data[c:], Inc: q.columns}, linalg.Vector(to))
				grad[0] += f[c] * u * u * q.p.noise(i)
			}
		}
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, v.RawMatrix(), wv.RawMatrix(), 1, inner.RawMatrix())
		blas64.Trsm(blas.Right, blas.Trans, 2, upper(q.root), wv.RawMatrix())
		q.chain(grad[1:], wv, q.a.Slice(lo, hi, 0, d).(*mat.Dense))
	}); err != nil {
		return nil, err
	}
	blas64.Trsm(blas.Right, blas.Trans, -1, upper(q.root), inner.RawMatrix())
	blas64.Trsm(blas.Left, blas.NoTrans, 1, upper(q.root), inner.RawMatrix())
	q.chain(grad[1:], inner, q.b)
	return grad, ctx.Err()
}

// chain adds Σ W_ij·dK_ij by ln s, for the kernel values of the rows a with the points. It overwrites w.
func (q *inducing) chain(grad []float64, w, a *mat.Dense) {
	n, d := a.Dims()
	m, _ := q.b.Dims()
	slope, z := mat.NewDense(n, m, nil), mat.NewDense(n, d, nil)
	kernel.Against[float64](squares{}, q.b).Limit(q.p.workers).Fill(gram.View(slope), gram.Of(a))
	sums := make([]float64, m)
	for i := range n {
		row, own := slope.RawRowView(i), w.RawRowView(i)
		q.p.kernel.slope(row)
		var total float64
		for j, v := range row {
			own[j] *= 2 * v
			sums[j] += own[j]
			total += own[j]
		}
		for k, v := range a.RawRowView(i) {
			grad[k] += total * v * v
		}
	}
	z.Mul(w, q.b)
	for j, v := range sums {
		for k, u := range q.b.RawRowView(j) {
			grad[k] += v * u * u
		}
	}
	for i := range n {
		for k, v := range z.RawRowView(i) {
			grad[k] -= 2 * a.At(i, k) * v
		}
	}
}
