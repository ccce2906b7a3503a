package inductive

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Function is a kernel that is made of another one and p points:
//
//	κ'(x,y) = α·κ(x,y) + Σ_j s_j·f_j(x)·f_j(y),   f(x) = Vᵀk_x,   k_x = (κ(x,x_1), …, κ(x,x_p)),
//
// with V p×r and s_j = ±1. All kernels of this package have this form: learned
// ones, those of PCA and the deformed ones of Manifold. A Function is a
// kernel.Kernel, so it can be the base of another fit; beyond this package it
// works where kernels are evaluated pair by pair, at the price of p values of κ
// for each argument. It is immutable and safe for concurrent use.
type Function struct {
	base   kernel.Kernel
	alpha  float64
	points *mat.Dense // p×d
	coef   *mat.Dense // p×r: V, columns by descending norm ‖Φv‖
	sign   []float64
	block  block // base against points
}

func newFunction(base kernel.Kernel, alpha float64, points, coef *mat.Dense, sign []float64, workers int) *Function {
	return &Function{base, alpha, points, coef, sign, against(base, points, workers)}
}

// Base returns κ.
func (f *Function) Base() kernel.Kernel { return f.base }

// Alpha returns α.
func (f *Function) Alpha() float64 { return f.alpha }

// Points returns the p×d matrix of points. It is f's own and must not be
// changed.
func (f *Function) Points() *mat.Dense { return f.points }

// Coefficients returns V and s: κ' = ακ + k_xᵀSk_y with S = V·diag(s)·Vᵀ. They
// are f's own and must not be changed.
func (f *Function) Coefficients() (v *mat.Dense, s []float64) { return f.coef, f.sign }

// Dims returns the number of columns of the data and the rank r of S.
func (f *Function) Dims() (d, r int) {
	_, d = f.points.Dims()
	return d, len(f.sign)
}

// Spec has the name inductive; kernel.New cannot make the kernel from it.
func (f *Function) Spec() kernel.Spec {
	return kernel.Spec{Name: "inductive", Params: map[string]float64{"alpha": f.alpha, "rank": float64(len(f.sign))}}
}

// Eval returns κ'(x,y), in 2p values of κ.
func (f *Function) Eval(x, y []float64) float64 {
	z := mat.NewDense(2, len(x), nil)
	z.SetRow(0, x)
	z.SetRow(1, y)
	g := mat.NewDense(2, len(f.sign), nil)
	f.features(g, z)
	var v float64
	for j, s := range f.sign {
		v += s * g.At(0, j) * g.At(1, j)
	}
	if f.alpha != 0 {
		v += f.alpha * f.base.Eval(x, y)
	}
	return v
}

// Gram sets dst = κ'(X,Z), n×m, and returns it; a nil dst is allocated.
func (f *Function) Gram(dst *mat.Dense, x, z mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	m, dz := z.Dims()
	if want, _ := f.Dims(); d != want || dz != want {
		panic("inductive: rows of the wrong length")
	}
	if dst == nil {
		dst = mat.NewDense(n, m, nil)
	}
	if dn, dm := dst.Dims(); dn != n || dm != m {
		panic("inductive: the destination has the wrong shape")
	}
	against(f, rows.Of(z), 0).fill(dst, rows.Of(x))
	return dst
}

// Diagonal sets dst[i] = κ'(x_i,x_i) and returns dst; nil is allocated.
func (f *Function) Diagonal(dst []float64, x mat.Matrix) []float64 {
	n, _ := x.Dims()
	if dst == nil {
		dst = make([]float64, n)
	}
	diagonal(dst, f, rows.Of(x))
	return dst
}

// Features sets dst to the n×r matrix of f(x_i) and returns it; a nil dst is
// allocated.
func (f *Function) Features(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	want, r := f.Dims()
	dst = rows.Destination("inductive", dst, x, want, r)
	if n > 0 {
		f.features(dst, rows.Of(x))
	}
	return dst
}

func (f *Function) features(dst *mat.Dense, x mat.Matrix) {
	if err := mul(context.Background(), dst, f.block, x, f.coef); err != nil {
		panic(err) // the background context is never done
	}
}

// Truncate returns the kernel of the first r features, the ones of the largest
// eigenvalues of W: the best approximation of rank r of W in every unitarily
// invariant norm. It panics unless α = 0 and r ≥ 1.
func (f *Function) Truncate(r int) *Function {
	if f.alpha != 0 || r < 1 {
		panic("inductive: only a kernel with α = 0 can be truncated, to a rank ≥ 1")
	}
	if r >= len(f.sign) {
		return f
	}
	g := *f
	p, _ := f.coef.Dims()
	g.coef = mat.DenseCopyOf(f.coef.Slice(0, p, 0, r))
	g.sign = f.sign[:r:r]
	return &g
}

// Embedding is a Function with α = 0 seen as a feature map: κ'(x,y) is the inner
// product of the features of x and y. It is safe for concurrent use.
type Embedding struct{ f *Function }

var _ gram.FeatureMap = (*Embedding)(nil)

// Embedding returns the map x ↦ f(x), whose inner products are κ'. The error is
// a *gram.ConfigError if α ≠ 0: then the features of κ would have to be mapped,
// too (for the linear kernel, Mahalanobis does).
func (f *Function) Embedding() (*Embedding, error) {
	if f.alpha != 0 {
		return nil, &gram.ConfigError{Field: "Regularizer", Value: "one that leaves the identity where nothing is known", Want: "Frobenius or Trace for an embedding of finite dimension"}
	}
	return &Embedding{f}, nil
}

// Dims returns the number of columns of the data and the number of features.
func (e *Embedding) Dims() (d, m int) { return e.f.Dims() }

// Map sets dst to the features of the rows of x and returns it; a nil dst is
// allocated.
func (e *Embedding) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense { return e.f.Features(dst, x) }

// block computes κ(X,Z) for a fixed Z.
type block interface {
	fill(dst *mat.Dense, x mat.Matrix)
	size() int
}

// against returns the block of kernel k and the rows of z, a result of rows.Of.
func against(k kernel.Kernel, z mat.Matrix, workers int) block {
	f, ok := k.(*Function)
	if !ok {
		return plain{kernel.Against[float64](k, z).Limit(workers)}
	}
	m, _ := z.Dims()
	fz := mat.NewDense(m, len(f.sign), nil)
	f.features(fz, z)
	t := mat.NewDense(len(f.sign), m, nil)
	for j, s := range f.sign {
		for i := range m {
			t.Set(j, i, s*fz.At(i, j))
		}
	}
	b := made{f: f, fz: t}
	if f.alpha != 0 {
		b.base = against(f.base, z, workers)
	}
	return b
}

type plain struct{ *kernel.Block[float64] }

func (b plain) fill(dst *mat.Dense, x mat.Matrix) { solve.Fill(b.Block, dst, x) }

func (b plain) size() int { m, _ := b.Dims(); return m }

// made is the block of a Function: base is that of κ, nil if α = 0, and fz is
// diag(s)·F(Z)ᵀ.
type made struct {
	f    *Function
	base block
	fz   *mat.Dense
}

func (b made) size() int { _, m := b.fz.Dims(); return m }

func (b made) fill(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	fx := mat.NewDense(n, len(b.f.sign), nil)
	b.f.features(fx, x)
	rows.Mul(dst, fx, b.fz)
	if b.base == nil {
		return
	}
	_, m := b.fz.Dims()
	g := mat.NewDense(n, m, nil)
	b.base.fill(g, x)
	for i := range n {
		to := dst.RawRowView(i)
		for j, v := range g.RawRowView(i) {
			to[j] += b.f.alpha * v
		}
	}
}

// mul sets dst = κ(X,Z)·v, in blocks of rows of 8 MiB, between which it looks at
// ctx.
func mul(ctx context.Context, dst *mat.Dense, b block, x mat.Matrix, v *mat.Dense) error {
	n, _ := x.Dims()
	m := b.size()
	_, r := v.Dims()
	step := max(1, min(n, (8<<20)/(8*m)))
	k := mat.NewDense(step, m, nil)
	for lo := 0; lo < n; lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+step, n)
		part := k.Slice(0, hi-lo, 0, m).(*mat.Dense)
		b.fill(part, rows.Slice(x, lo, hi))
		rows.Mul(dst.Slice(lo, hi, 0, r).(*mat.Dense), part, v)
	}
	return nil
}

// diagonal sets dst[i] = κ(x_i,x_i) for a result x of rows.Of.
func diagonal(dst []float64, k kernel.Kernel, x mat.Matrix) {
	n, d := x.Dims()
	f, ok := k.(*Function)
	if !ok {
		row := make([]float64, d)
		for i := range n {
			rows.Copy(row, x, i)
			dst[i] = k.Eval(row, row)
		}
		return
	}
	fx := mat.NewDense(n, len(f.sign), nil)
	f.features(fx, x)
	if f.alpha != 0 {
		diagonal(dst, f.base, x)
	}
	for i := range n {
		v := 0.
		for j, t := range fx.RawRowView(i) {
			v += f.sign[j] * t * t
		}
		if f.alpha != 0 {
			v += f.alpha * dst[i]
		}
		dst[i] = v
	}
}
