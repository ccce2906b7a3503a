package completion

import (
	"context"

	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Variables are what a fit finds, or derivatives by them.
type Variables struct {
	U, V *mat.Dense // M×D: points of the maps of the rows and of the columns; nil for maps without
	W, H *mat.Dense // features×k; without side information nx×k and ny×k
}

// Objective is the function that a fit makes small,
//
//	F(U,V,W,H) = Σ_Ω ℓ(⟨p_i, q_j⟩, A_ij) + ½λ(‖W‖²+‖H‖²),  P = φ_U(X)W,  Q = φ_V(Y)H.
//
// It does not form the matrix of all entries. It is not for concurrent use.
type Objective struct {
	c    *Config
	p, q *factorSide
}

// Objective returns the function that Fit makes small, with the maps and widths of a fit. It keeps
// the data.
func (c Config) Objective(a *sparse.CSR, x, y mat.Matrix) (*Objective, error) {
	f, err := c.begin(a, x, y)
	if err != nil {
		return nil, err
	}
	if err := f.sides(context.Background(), a); err != nil {
		return nil, err
	}
	return &Objective{f.c, f.p, f.q}, nil
}

// Start returns the variables that a fit starts from. The first step of a fit, on H, is as if H
// were 0 unless it is given.
func (o *Objective) Start() Variables {
	return Variables{points(o.p.f), points(o.q.f), mat.DenseCopyOf(o.p.w), mat.DenseCopyOf(o.q.w)}
}

// Value returns F. It panics if the shapes are wrong.
func (o *Objective) Value(at Variables) float64 {
	o.place(at)
	v, _ := o.c.objective(context.Background(), o.p, o.q)
	return v
}

// Gradient returns the derivatives of F by each of the variables; U and V nil where there are no
// such points.
func (o *Objective) Gradient(at Variables) Variables {
	o.place(at)
	var g Variables
	g.U, g.W = o.p.slopes(o.q.p)
	g.V, g.H = o.q.slopes(o.p.p)
	return g
}

// place sets the variables of both sides. It panics if one is missing or has the wrong shape.
func (o *Objective) place(at Variables) {
	o.p.place(at.U, at.W)
	o.q.place(at.V, at.H)
}

// place moves a side to the points in the rows of u and the factor w.
func (s *factorSide) place(u, w *mat.Dense) {
	if (u != nil) != (s.f != nil) {
		panic("completion: U or V is missing, or there is no such map")
	}
	if n, k := s.w.Dims(); w == nil || w.RawMatrix().Rows != n || w.RawMatrix().Cols != k {
		panic("completion: W or H has the wrong shape")
	}
	if s.f != nil {
		d, m := s.f.Points().Dims()
		if r, c := u.Dims(); r != m || c != d {
			panic("completion: U or V has the wrong shape")
		}
		s.f = s.f.With(mat.DenseCopyOf(u.T()))
		_ = s.f.Fill(context.Background(), s.c.Workers, s.features, s.x.X)
	}
	s.w = mat.DenseCopyOf(w)
	_ = s.product(context.Background())
}

// slopes returns the derivatives of the objective by the points, M×D, and by W, for the other
// side's q.
func (s *factorSide) slopes(q *mat.Dense) (du, dw *mat.Dense) {
	ctx := context.Background()
	n, k := s.p.Dims()
	g := mat.NewDense(n, k, nil)
	_, _ = s.slope(ctx, g, q)
	dw = g
	if s.phi != nil {
		dw = mat.NewDense(s.w.RawMatrix().Rows, k, nil)
		_ = s.phi.MulTrans(ctx, dw, g)
	}
	dw = moved(dw, s.c.Lambda.Value(), s.w)
	if s.f != nil {
		g, _ := s.gradient(ctx, q)
		du = mat.DenseCopyOf(g.T())
	}
	return du, dw
}

// points returns the points of f as rows, or nil.
func points(f basis.Learnable) *mat.Dense {
	if f == nil {
		return nil
	}
	return mat.DenseCopyOf(f.Points().T())
}

// objective returns F at the present variables of the sides p, of the rows, and q, of the columns.
func (c *Config) objective(ctx context.Context, p, q *factorSide) (float64, error) {
	loss, err := p.loss(ctx, p.p, q.p)
	return loss + c.Lambda.Value()/2*(rows.Squares(p.w)+rows.Squares(q.w)), err
}
