package goal

import (
	"context"

	"github.com/gramworks/gram"
	"gonum.org/v1/gonum/mat"
)

// Objective is the function F(U,W) of the package's doc that a fit makes small, for some
// rows. U are the points, M×D, W and b the coefficients, features×k and k, as Points and
// Weights of a model return them; with NoBias b is nil. It is not for concurrent use.
type Objective struct{ t *problem }

// Objective returns the function that Fit makes small. It keeps x and w. What chooses points
// and ends a fit is not looked at.
func (c Config) Objective(x mat.Matrix, y gram.Labels, w []float64) (*Objective, error) {
	c, s, targets, w, err := c.classes(x, y, w)
	if err != nil {
		return nil, err
	}
	return c.objective(s, targets, w), nil
}

// ObjectiveValues returns the function that FitValues makes small. It keeps x and w. What chooses points and ends a fit is not
// looked at.
func (c Config) ObjectiveValues(x mat.Matrix, y, w []float64) (*Objective, error) {
	c, s, targets, w, err := c.values(x, y, w)
	if err != nil {
		return nil, err
	}
	return c.objective(s, targets, w), nil
}

// objective is the problem of a fit, with points that are still to come.
func (c Config) objective(x gram.Samples[float64], y *mat.Dense, w []float64) *Objective {
	t := c.problem(x, y, w, c.Loss)
	t.basis = c.basis(mat.NewDense(t.d, t.m, nil))
	return &Objective{t}
}

// Value returns F(U,W). It panics if the shapes are wrong.
func (o *Objective) Value(u, w *mat.Dense, b []float64) float64 {
	t := o.t
	value, _ := t.evaluate(context.Background(), o.points(u), o.stacked(w, b), mat.NewDense(t.n, t.k, nil), nil, nil)
	return value
}

// Gradient returns ∂F/∂U, M×D, ∂F/∂W, features×k, and ∂F/∂b. For the squared hinge these are the derivatives in the thesis.
func (o *Objective) Gradient(u, w *mat.Dense, b []float64) (du, dw *mat.Dense, db []float64) {
	t := o.t
	g, gw := mat.NewDense(t.d, t.m, nil), mat.NewDense(t.q, t.k, nil)
	_, _ = t.evaluate(context.Background(), o.points(u), o.stacked(w, b), mat.NewDense(t.n, t.k, nil), g, gw)
	if t.q > t.p {
		db = mat.Row(nil, t.p, gw)
	}
	return mat.DenseCopyOf(g.T()), mat.DenseCopyOf(top(gw, t.p, t.k)), db
}

// points returns the d×m matrix of the rows of u.
func (o *Objective) points(u *mat.Dense) *mat.Dense {
	if m, d := u.Dims(); m != o.t.m || d != o.t.d {
		panic("goal: U has the wrong shape")
	}
	return mat.DenseCopyOf(u.T())
}

// stacked returns w with b as the last row.
func (o *Objective) stacked(w *mat.Dense, b []float64) *mat.Dense {
	t := o.t
	if p, k := w.Dims(); p != t.p || k != t.k || len(b) != (t.q-t.p)*t.k {
		panic("goal: W or b has the wrong shape")
	}
	all := mat.NewDense(t.q, t.k, nil)
	all.Copy(w)
	if t.q > t.p {
		all.SetRow(t.p, b)
	}
	return all
}
