package bregman

import (
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	. "github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// The certificate is that of the rows as the model maps them, 24 orders of bounds: features and the rows of
// kernel matrices whose smallest eigenvalues are rounding. Violations beyond the tolerance are errors.
func TestCertificateOfMappedRows(t *testing.T) {
	x := gen.Normal(40, 5, 1)
	matrix := func(gamma float64) *mat.SymDense {
		k := mat.NewSymDense(40, nil)
		for i := range 40 {
			for j := i; j < 40; j++ {
				k.SetSym(i, j, kernel.Gaussian{Gamma: gamma}.Eval(x.RawRowView(i), x.RawRowView(j)))
			}
		}
		return k
	}
	distance := func(g mat.Matrix, i, j int) float64 {
		var d float64
		_, r := g.Dims()
		for k := range r {
			d += (g.At(i, k) - g.At(j, k)) * (g.At(i, k) - g.At(j, k))
		}
		return d
	}
	good, large := matrix(.1), matrix(1e-4)
	for name, d := range both {
		for what, start := range map[string]mat.Matrix{"features": x, "matrix": good, "singular matrix": large} {
			first := func(i, j int) float64 { return distance(x, i, j) }
			if k, is := start.(*mat.SymDense); is {
				first = func(i, j int) float64 { return k.At(i, i) + k.At(j, j) - 2*k.At(i, j) }
			}
			for e := -12; e <= 12; e += 2 {
				c, relation := Config{Divergence: d, MaxIter: 200}, AtMost
				if e > 0 {
					relation = AtLeast
				}
				cs := []Linear{
					Distance(0, 1, relation, math.Pow10(e)*first(0, 1)),
					Distance(2, 3, AtMost, .7*first(2, 3)),
					Distance(4, 5, AtLeast, 1.7*first(4, 5)),
				}
				fit := func() (*Model, error) { return c.Fit(t.Context(), start, cs) }
				if k, is := start.(*mat.SymDense); is {
					fit = func() (*Model, error) { return c.FitMatrix(t.Context(), k, cs) }
				}
				m, err := fit()
				var short *gram.ConvergenceError
				if m == nil || err != nil && !errors.As(err, &short) {
					t.Fatal(err)
				}
				g, worst := m.Map(nil, start), 0.
				for i, c := range cs {
					worst = max(worst, c.Relation.Excess(distance(g, 2*i, 2*i+1), c.Bound)/c.Bound)
				}
				s := m.Stats()
				if !(math.Abs(worst-s.Violation) <= 1e-12+1e-6*worst) {
					t.Errorf("%s, %s, 1e%d: a violation of %g, the certificate has %g", name, what, e, worst, s.Violation)
				}
				if left := max(s.Violation, s.Gap); err == nil && !(left <= 1e-3) || err != nil && left != short.Residual {
					t.Errorf("%s, %s, 1e%d: violation %g, gap %g, error %v", name, what, e, s.Violation, s.Gap, err)
				}
			}
		}
	}
}
