package leml

import (
	"context"

	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Objective is the function that a fit makes small,
//
//	F(W,H) = ‖Y−[X 1]WHᵀ‖² + λ(‖W‖²+‖H‖²),
//
// at W, columns×k with a last row for the constant unless NoConstant, and H, L×k. It does
// not form what is n×L. It is not for concurrent use.
type Objective struct{ f *factors }

// Objective returns the function that Fit makes small for these rows and label sets. It
// keeps both.
func (c Config) Objective(x mat.Matrix, y *sparse.CSR) (*Objective, error) {
	f, err := c.begin(x, y)
	if err != nil {
		return nil, err
	}
	f.start(context.Background())
	return &Objective{f}, nil
}

// Value returns F(W,H). It panics if the shapes are wrong.
func (o *Objective) Value(w, h *mat.Dense) float64 {
	z, yz := o.at(w, h)
	return float64(o.f.y.NNZ()) - 2*inner(yz, h) + inner(squares(z), squares(h)) +
		o.f.c.Lambda.Value()*(rows.Squares(w)+rows.Squares(h))
}

// Gradient returns ∂F/∂W, columns×k, and ∂F/∂H, L×k.
func (o *Objective) Gradient(w, h *mat.Dense) (dw, dh *mat.Dense) {
	z, yz := o.at(w, h)
	lambda := o.f.c.Lambda.Value()
	dh, dw = mat.NewDense(o.f.y.D, o.f.c.Rank, nil), mat.NewDense(o.f.g.p, o.f.c.Rank, nil)
	dh.Mul(h, squares(z))
	dh.Sub(dh, yz)
	var e mat.Dense // ZHᵀH − YH
	e.Mul(z, squares(h))
	yh := mat.NewDense(o.f.g.n, o.f.c.Rank, nil)
	_ = o.f.y.Mul(o.f.ctx, o.f.c.Workers, yh, h)
	e.Sub(&e, yh)
	_ = o.f.g.mulTrans(o.f.ctx, dw, &e)
	for _, t := range [2][2]*mat.Dense{{dw, w}, {dh, h}} {
		t[0].Apply(func(i, j int, v float64) float64 { return 2 * (v + lambda*t[1].At(i, j)) }, t[0])
	}
	return dw, dh
}

// at checks the shapes of W and H and returns Z = XW and YᵀZ, on which value and gradient depend.
func (o *Objective) at(w, h *mat.Dense) (z, yz *mat.Dense) {
	f := o.f
	p, k := w.Dims()
	l, kh := h.Dims()
	if p != f.g.p || l != f.y.D || k != f.c.Rank || kh != k {
		panic("leml: W or H has the wrong shape")
	}
	z, yz = mat.NewDense(f.g.n, k, nil), mat.NewDense(l, k, nil)
	_ = f.g.mul(f.ctx, z, w)
	_ = f.yt.Mul(f.ctx, f.c.Workers, yz, z)
	return z, yz
}

// inner is Σ a_ij·b_ij.
func inner(a, b mat.Matrix) (s float64) {
	n, k := a.Dims()
	for i := range n {
		for j := range k {
			s += float64(a.At(i, j) * b.At(i, j))
		}
	}
	return s
}
