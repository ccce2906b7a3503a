package itml

import (
	"context"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Function is a kernel that is made of another one and p points:
//
//	κ'(x,y) = α·κ(x,y) + Σ_j s_j·f_j(x)·f_j(y),   f(x) = Vᵀk_x,   k_x = (κ(x,x_1), …, κ(x,x_p)),
//
// with V p×r and s_j = ±1. Learned kernels have this form, the deformed ones of Manifold, and those of
// package kpca. A Function is a
// kernel.Packer, so it can be the base of another fit and is evaluated in blocks
// wherever kernels are. It is immutable and safe for concurrent use.
type Function struct {
	base   kernel.Kernel
	alpha  float64
	points *mat.Dense // p×d
	coef   *mat.Dense // p×r: V, columns by descending norm ‖Φv‖
	sign   []float64
	index  []int                  // see Index
	block  *kernel.Block[float64] // base against points
	ctx    context.Context        // while f is packed for the classifier of a fit, that of the fit; else nil
}

// NewFunction returns the kernel for p points, a row each, the p×r matrix V, and s, whose r numbers must be 1 or −1.
// It keeps all of them. Its values are computed by that many workers, 0 meaning as many as there are processors. It
// panics if the shapes do not fit.
func NewFunction(base kernel.Kernel, alpha float64, points, v *mat.Dense, s []float64, workers int) *Function {
	p, _ := points.Dims()
	if n, r := v.Dims(); n != p || r != len(s) {
		panic("itml: as many rows of V as points, and as many columns as signs, are needed")
	}
	return &Function{base: base, alpha: alpha, points: points, coef: v, sign: s, block: kernel.Against[float64](base, points).Limit(workers)}
}

// Alpha returns the factor α of the base kernel in κ' = ακ + k_xᵀSk_y.
func (f *Function) Alpha() float64 { return f.alpha }

// Points returns the p×d matrix of points. It is f's own and must not be
// changed.
func (f *Function) Points() *mat.Dense { return f.points }

// Index returns the rows of the fit that the points of a learned kernel are, ascending. It is nil
// for points that are no rows, such as k-means landmarks, for a Manifold, whose points are all rows,
// and for a kernel that was not learned or that was read from a file. It must not be changed.
func (f *Function) Index() []int { return f.index }

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

// Flops returns the cost of the values of f between a row of d numbers and n rows whose features are known.
func (f *Function) Flops(n, d int) float64 {
	p, r := f.coef.Dims()
	sum := flops(f.base, p, d) + 2*float64(p*r) + 2*float64(r*n)
	if f.alpha != 0 {
		sum += flops(f.base, n, d) + 2*float64(n)
	}
	return sum
}

// flops is the cost of the values of a kernel between a row of d numbers and n rows.
func flops(k kernel.Kernel, n, d int) float64 {
	if f, made := k.(*Function); made {
		return f.Flops(n, d)
	}
	return float64(n) * kernel.Flops(k, d)
}

// Eval returns κ'(x,y), in 2p values of κ.
func (f *Function) Eval(x, y []float64) float64 {
	z := mat.NewDense(2, len(x), nil)
	z.SetRow(0, x)
	z.SetRow(1, y)
	g := mat.NewDense(2, len(f.sign), nil)
	f.features(g, gram.Of(z))
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
		panic("itml: rows of the wrong length")
	}
	if dst == nil {
		dst = mat.NewDense(n, m, nil)
	}
	if dn, dm := dst.Dims(); dn != n || dm != m {
		panic("itml: the destination has the wrong shape")
	}
	kernel.Against[float64](f, z).Fill(gram.View(dst), gram.Of(x))
	return dst
}

// Diagonal sets dst[i] = κ'(x_i,x_i) and returns dst; nil is allocated.
func (f *Function) Diagonal(dst []float64, x mat.Matrix) []float64 {
	n, _ := x.Dims()
	if dst == nil {
		dst = make([]float64, n)
	}
	all := gram.Of(x)
	fx := mat.NewDense(n, len(f.sign), nil)
	f.features(fx, all)
	if f.alpha != 0 {
		kernel.Diagonal(dst, f.base, all)
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
	return dst
}

// Features sets dst to the n×r matrix of f(x_i) and returns it; a nil dst is
// allocated.
func (f *Function) Features(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	want, r := f.Dims()
	dst = rows.Destination("inductive", dst, x, want, r)
	if n > 0 {
		f.features(dst, gram.Of(x))
	}
	return dst
}

func (f *Function) features(dst *mat.Dense, x gram.Samples[float64]) {
	rows.MulFilled(dst, x, f.coef, func(k *mat.Dense, x mat.Matrix) { f.block.Fill(gram.View(k), gram.Of(x)) })
}

// Truncate returns the kernel of the first r features, the ones of the largest
// eigenvalues of W: the best approximation of rank r of W in every unitarily
// invariant norm. It panics unless α = 0 and r ≥ 1.
func (f *Function) Truncate(r int) *Function {
	if f.alpha != 0 || r < 1 {
		panic("itml: only a kernel with α = 0 can be truncated, to a rank ≥ 1")
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

// embedding is a Function with α = 0 seen as a feature map: κ'(x,y) is the inner
// product of the features of x and y. It is safe for concurrent use.
type embedding struct{ f *Function }

var (
	_ gram.FeatureMap = (*embedding)(nil)
	_ kernel.Packer   = (*Function)(nil)
)

// Embedding returns the map x ↦ f(x), whose inner products are κ'. The error is
// a *gram.ConfigError if α ≠ 0: then the features of κ would have to be mapped,
// too (for the linear kernel, Mahalanobis does).
func (f *Function) Embedding() (gram.FeatureMap, error) {
	if f.alpha != 0 {
		return nil, settings.Refuse("Regularizer", "one that leaves the identity where nothing is known", "Frobenius or Trace for an embedding of finite dimension")
	}
	return &embedding{f}, nil
}

// Dims returns the number of columns of the data and the number of features.
func (e *embedding) Dims() (d, m int) { return e.f.Dims() }

// Map sets dst to the features of the rows of x and returns it; a nil dst is
// allocated.
func (e *embedding) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense { return e.f.Features(dst, x) }

// Pack64 packs the rows of z for kernel values in float64.
func (f *Function) Pack64(z gram.Samples[float64]) kernel.Tile[float64] { return pack[float64](f, z) }

// Pack32 packs the rows of z for kernel values in float32.
func (f *Function) Pack32(z gram.Samples[float64]) kernel.Tile[float32] { return pack[float32](f, z) }

// tile computes κ'(X,Z) as inner products of the features of X with those of Z, and
// κ(X,Z).
type tile[F gram.Float] struct {
	points *kernel.Block[F] // κ against the points
	coef   *kernel.Block[F] // inner products with the columns of V
	z      *kernel.Block[F] // inner products with diag(s)·f(z)
	base   *kernel.Block[F] // κ against Z; nil if α = 0
	alpha  F
	work   sync.Pool // *[]F
}

// tileRows is the most rows that a tile gets at a time.
const tileRows = 240

func pack[F gram.Float](f *Function, z gram.Samples[float64]) *tile[F] {
	t := &tile[F]{coef: kernel.Against[F](kernel.Linear{}, f.coef.T()), alpha: F(f.alpha)}
	t.work.New = func() any { return new([]F) }
	var packed bool
	if t.points, packed = any(f.block).(*kernel.Block[F]); !packed {
		t.points = kernel.Against[F](f.base, f.points)
	}
	_, r := f.Dims()
	fz := mat.NewDense(z.N(), r, nil)
	var buffer, work []F
	for lo := 0; lo < z.N() && (f.ctx == nil || f.ctx.Err() == nil); lo += tileRows {
		hi := min(lo+tileRows, z.N())
		part, _ := t.features(&work, gram.As(z.Slice(lo, hi), &buffer))
		for i := range part.N {
			to := fz.RawRowView(lo + i)
			for j, v := range part.Row(i) {
				to[j] = f.sign[j] * float64(v)
			}
		}
	}
	t.z = kernel.Against[F](kernel.Linear{}, fz)
	if f.alpha != 0 {
		t.base = kernel.Against[F](f.base, z)
	}
	return t
}

// features returns the features of the rows of x and what is left of the work space.
func (t *tile[F]) features(work *[]F, x gram.Samples[F]) (fx gram.Rows[F], rest []F) {
	n := x.N()
	p, _ := t.points.Dims()
	r, _ := t.coef.Dims()
	m := 0
	if t.base != nil {
		m, _ = t.base.Dims()
	}
	if need := n * (r + max(p, m)); len(*work) < need {
		*work = make([]F, need)
	}
	fx = gram.Rows[F]{Data: (*work)[:n*r], N: n, D: r, Stride: r}
	rest = (*work)[n*r:]
	k := gram.Rows[F]{Data: rest[:n*p], N: n, D: p, Stride: p}
	t.points.FillSerial(k, x)
	t.coef.FillSerial(fx, gram.Dense(k))
	return fx, rest
}

// Fill sets dst = κ'(X,Z) for the rows x of X and the rows of Z that were packed.
func (t *tile[F]) Fill(dst gram.Rows[F], x gram.Samples[F]) {
	work := t.work.Get().(*[]F)
	fx, rest := t.features(work, x)
	t.z.FillSerial(dst, gram.Dense(fx))
	if t.base != nil {
		g := gram.Rows[F]{Data: rest[:dst.N*dst.D], N: dst.N, D: dst.D, Stride: dst.D}
		t.base.FillSerial(g, x)
		for i := range dst.N {
			to := dst.Row(i)
			for j, v := range g.Row(i) {
				to[j] += t.alpha * v
			}
		}
	}
	t.work.Put(work)
}

// Bytes is the memory that the tile holds, without workspaces.
func (t *tile[F]) Bytes() int64 {
	n := t.points.Bytes() + t.coef.Bytes() + t.z.Bytes()
	if t.base != nil {
		n += t.base.Bytes()
	}
	return n
}
