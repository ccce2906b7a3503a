package itml

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Mahalanobis is what a kernel learned on the linear kernel is: κ_W(x,y) = xᵀAy
// with A d×d, so that the learned distance is
//
//	(x−y)ᵀA(x−y) = ‖Lx − Ly‖²,   A = LᵀL.
//
// As a feature map it takes x to Lx. It is safe for concurrent use.
type Mahalanobis struct {
	a *mat.SymDense
	t *mat.Dense // Lᵀ, d×q
}

var _ gram.FeatureMap = (*Mahalanobis)(nil)

// Mahalanobis returns A and L of a function of the linear kernel; the error is a
// *gram.ConfigError for one of another kernel. L has one row for each
// eigenvalue of A that is positive (above d·2⁻⁵³ of the largest), largest first.
// O(p·d·r + d³).
func (f *Function) Mahalanobis(ctx context.Context) (*Mahalanobis, error) {
	a, err := f.matrix()
	if err != nil {
		return nil, err
	}
	all, vectors, err := eig.SymAll(ctx, a)
	if err != nil {
		return nil, err
	}
	d := len(all)
	q := 0
	for q < d && all[d-1-q] > 0 && all[d-1-q] > float64(d)*0x1p-53*all[d-1] {
		q++
	}
	t := mat.NewDense(d, max(1, q), nil)
	for j := range q {
		for i := range d {
			t.Set(i, j, math.Sqrt(all[d-1-j])*vectors.At(i, d-1-j))
		}
	}
	return &Mahalanobis{a, t}, nil
}

// matrix returns A: with P = A_κXᵀV for the matrix A_κ of the base,
// A = α·A_κ + P·diag(s)·Pᵀ.
func (f *Function) matrix() (*mat.SymDense, error) {
	_, d := f.points.Dims()
	base := mat.NewSymDense(d, nil)
	switch k := f.base.(type) {
	case kernel.Linear:
		for i := range d {
			base.SetSym(i, i, 1)
		}
	case *Function:
		var err error
		if base, err = k.matrix(); err != nil {
			return nil, err
		}
	default:
		return nil, settings.Refuse("Kernel", f.base.Spec().Name, "linear: only then is the learned distance one of a d×d matrix")
	}
	var xv, p, s, a mat.Dense
	xv.Mul(f.points.T(), f.coef)
	p.Mul(base, &xv)
	s.Apply(func(_, j int, v float64) float64 { return f.sign[j] * v }, &p)
	a.Mul(&s, p.T())
	out := linalg.Symmetric(&a)
	for i := range d {
		for j := i; j < d; j++ {
			out.SetSym(i, j, out.At(i, j)+f.alpha*base.At(i, j))
		}
	}
	return out, nil
}

// A returns the d×d matrix of the distance. It is m's own and must not be
// changed.
func (m *Mahalanobis) A() *mat.SymDense { return m.a }

// L returns the q×d factor, A = LᵀL, as a new matrix.
func (m *Mahalanobis) L() *mat.Dense { return mat.DenseCopyOf(m.t.T()) }

// Dims returns the number d of columns of the data and the number q of features.
func (m *Mahalanobis) Dims() (d, features int) { return m.t.Dims() }

// Map sets dst to the rows Lx_i and returns it; a nil dst is allocated.
func (m *Mahalanobis) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	want, q := m.Dims()
	dst = rows.Destination("inductive", dst, x, want, q)
	if n > 0 {
		rows.Mul(dst, gram.Of(x), m.t)
	}
	return dst
}
