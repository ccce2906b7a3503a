package completion

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/algos/lowrank/rff"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// values is an r×c matrix of standard normal numbers.
func values(seed uint64, r, c int) *mat.Dense {
	g, m := rng.New(seed, 0), mat.NewDense(r, c, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return g.NormFloat64() }, m)
	return m
}

// some returns about half of the entries of an n×l matrix, ones and zeros for classes.
func some(n, l int, classes bool) *sparse.CSR {
	g, v := rng.New(9, 0), values(8, n, l)
	a := &sparse.CSR{N: n, D: l, Ptr: []int{0}}
	for i := range n {
		for j := range l {
			if g.IntN(2) == 0 {
				continue
			}
			e := v.At(i, j)
			if classes {
				e = float64(g.IntN(2))
			}
			a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, e)
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	return a
}

// What a fit says of its last round is the value of the objective at the model, and the gradient
// by every variable is that of the value.
func TestObjectiveValue(t *testing.T) {
	x, y := values(1, 14, 3), values(2, 11, 4)
	for name, c := range map[string]Config{
		"MC":        {},
		"IMC":       {Rows: Side{}, Columns: Side{}},
		"GIMC-LFF":  {Rows: Side{Map: Fourier, M: 4, Gamma: .3, Learn: true}, Columns: Side{Map: Fourier, M: 3, Gamma: .2, Learn: true}},
		"GIMC-LNYS": {Rows: Side{Map: Nystrom, M: 4, Gamma: .3, Learn: true}, Columns: Side{Map: Nystrom, M: 3, Gamma: .2}},
	} {
		for _, loss := range []Loss{Squared, Logistic} {
			c.Rank, c.Loss, c.Lambda, c.Rounds, c.Steps = 3, loss, gram.Set(.3), 5, 2
			a := some(14, 11, loss == Logistic)
			var sx, sy mat.Matrix
			if name != "MC" {
				sx, sy = x, y
			}
			o := must.Have(c.Objective(a, sx, sy))(t)
			m := must.Have(c.Fit(t.Context(), a, sx, sy))(t)
			trace := m.Stats().Objective
			if got, want := o.Value(m.Variables()), trace[len(trace)-1]; !(math.Abs(got-want) <= 1e-12*want) {
				t.Errorf("%s, %s: value %v, the fit says %v", name, loss, got, want)
			}
			at := o.Start()
			g := o.Gradient(at)
			for part, v := range map[string][2]*mat.Dense{"U": {at.U, g.U}, "V": {at.V, g.V}, "W": {at.W, g.W}, "H": {at.H, g.H}} {
				if (v[0] == nil) != (v[1] == nil) {
					t.Fatalf("%s: a gradient by %s, or none", name, part)
				}
				if v[0] == nil {
					continue
				}
				fixture.Gradient(t, name+" "+loss.String()+" "+part, v[0], v[1], func() float64 { return o.Value(at) })
			}
		}
	}
}

// Given points and factors are where a fit starts: those of a fit's own start change nothing.
func TestGiven(t *testing.T) {
	x, y, a := values(1, 14, 3), values(2, 11, 4), some(14, 11, false)
	c := Config{Rank: 3, Rows: Side{Map: Fourier, M: 4, Gamma: .3, Learn: true}, Columns: Side{Map: Nystrom, M: 3, Gamma: .2}, Rounds: 4, Steps: 2}
	fit := func(c Config) *Model {
		t.Helper()
		m := must.Have(c.Fit(t.Context(), a, x, y))(t)
		return m
	}
	o := must.Have(c.Objective(a, x, y))(t)
	start, whole := o.Start(), fit(c)
	c.Rows.Given, c.Columns.Given = Given{Points: start.U, Factor: start.W}, Given{Points: start.V}
	again := fit(c)
	if !mat.Equal(again.Predict(nil, x, y), whole.Predict(nil, x, y)) || again.Config().Rows.Given.Points != nil {
		t.Error("another model from the same start")
	}
	// A fit that starts where another ended does not fall behind, with a single product.
	trace, end := whole.Stats().Objective, whole.Variables()
	on := c
	on.Rows.Given, on.Columns.Given = Given{Points: end.U, Factor: end.W}, Given{Points: end.V, Factor: end.H}
	on.Products, on.Steps = 1, 1
	if got, want := fit(on).Stats().Objective[0], trace[len(trace)-1]; !(got <= want*(1+1e-12)) {
		t.Errorf("the objective goes on at %v, it was %v", got, want)
	}
	linear := Config{Rank: 3, Rounds: 4}
	trace, end = fit(linear).Stats().Objective, fit(linear).Variables()
	linear.Rows.Given, linear.Columns.Given = Given{Factor: end.W}, Given{Factor: end.H}
	if got, want := fit(linear).Stats().Objective[0], trace[len(trace)-1]; !(got <= want*(1+1e-12)) {
		t.Errorf("the objective of linear maps goes on at %v, it was %v", got, want)
	}
	fast := must.Have(rff.Config{Kernel: kernel.Gaussian{Gamma: .3}, M: 4, Frequencies: rff.Fastfood}.Fit(t.Context(), x))(t)
	c.Rows.Learn, c.Rows.Given, c.Columns.Given = false, Given{Frequencies: fast}, Given{}
	if !mat.EqualApprox(fit(c).RowFeatures().Map(nil, x), fast.Map(nil, x), 1e-12) {
		t.Error("the features are not those of the given frequencies")
	}
	for _, g := range []Given{{Points: values(1, 4, 2)}, {Factor: values(1, 7, 3)}, {Points: values(1, 4, 3), Frequencies: fast}} {
		c.Rows.Given = g
		if _, err := c.Fit(t.Context(), a, x, y); err == nil {
			t.Errorf("%+v is accepted", g)
		}
	}
	c.Rows = Side{Given: Given{Points: start.U}}
	if _, err := c.Fit(t.Context(), a, x, y); err == nil {
		t.Error("points for a linear map are accepted")
	}
}
