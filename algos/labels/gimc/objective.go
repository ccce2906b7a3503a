package gimc

import (
	"context"

	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Objective is the function that a fit makes small,
//
//	F(U,W) = ½‖Y−φ_U(X)W‖² + ½λ‖W‖²,
//
// at points U, M×D, and Wᵀ, L×features with a last column for the constant unless NoConstant, as
// Weights of a model returns it. Nothing n×L is formed. It is not for concurrent use.
type Objective struct{ l *learner }

// Objective returns the function that Fit makes small. It keeps the data.
func (c Config) Objective(x mat.Matrix, y *sparse.CSR) (*Objective, error) {
	c, s, y, err := c.begin(x, y)
	if err != nil {
		return nil, err
	}
	l := &learner{c: c, k: c.M}
	if c.Map == completion.Fourier {
		l.k *= 2
	}
	l.prepare(context.Background(), s, y)
	p := c.features()
	l.phi, l.g, l.e = l.features(s.N()), mat.NewDense(p, p, nil), mat.NewDense(s.N(), p, nil)
	l.trade(c.few(y.D))
	return &Objective{l}, nil
}

// Value returns F(U,W). It panics if the shapes are wrong.
func (o *Objective) Value(u, wt *mat.Dense) float64 {
	o.place(u, wt)
	_ = o.l.slopes()
	v, _ := o.l.value(o.l.phi, o.l.g)
	return v
}

// Gradient returns ∂F/∂U, M×D, and ∂F/∂Wᵀ, L×features.
func (o *Objective) Gradient(u, wt *mat.Dense) (du, dwt *mat.Dense) {
	l := o.l
	o.place(u, wt)
	g, _ := l.gradient()
	dwt, yphi := mat.NewDense(l.y.D, l.c.features(), nil), mat.NewDense(l.y.D, l.c.features(), nil)
	_ = l.yt.Mul(l.ctx, l.c.Workers, yphi, l.phi)
	p := l.c.features()
	blas64.Symm(blas.Right, 1, blas64.Symmetric{N: p, Stride: p, Data: l.g.RawMatrix().Data, Uplo: blas.Upper}, l.w.RawMatrix(), 0, dwt.RawMatrix())
	dwt.Sub(dwt, yphi)
	dwt.Apply(func(i, j int, v float64) float64 { return v + l.c.Lambda.Value()*l.w.At(i, j) }, dwt)
	return mat.DenseCopyOf(g.T()), dwt
}

// Best returns the Wᵀ for which F(U,·) is least, L×features, and the value there ([S16] below
// eq. 5.23).
func (o *Objective) Best(u *mat.Dense) (wt *mat.Dense, value float64) {
	o.features(u)
	value, err := o.l.solve()
	if err != nil {
		panic(err) // ΦᵀΦ + λI is positive definite unless U is not finite
	}
	return o.l.w, value
}

// place makes U and W the point at which the objective is evaluated.
func (o *Objective) place(u, wt *mat.Dense) {
	if r, c := wt.Dims(); r != o.l.y.D || c != o.l.c.features() {
		panic("gimc: W has the wrong shape")
	}
	o.features(u)
	o.l.w = mat.DenseCopyOf(wt)
}

// features makes U the parameters of the features, and computes those of all rows.
func (o *Objective) features(u *mat.Dense) {
	l := o.l
	_, d := l.x.X.Dims()
	if r, c := u.Dims(); r != l.c.M || c != d {
		panic("gimc: U has the wrong shape")
	}
	l.f = l.c.side().Features(u, l.x.X.IsSparse(), l.c.Workers)
	_ = l.fill(l.phi, l.f)
	_ = product(l.ctx, l.g, l.phi)
}

// Points returns U, M×D: the frequencies or landmarks of the features. It is a copy.
func (m *Model) Points() *mat.Dense { return mat.DenseCopyOf(m.f.Points().T()) }
