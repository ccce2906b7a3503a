package catalog_test

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// Ridge regressions with ard=true have a kernel whose columns of noise have wide widths, for values and classes, and a λ that
// does not depend on the convention; one that is given stays.
func TestLearnedWidths(t *testing.T) {
	const n = 120
	r := rng.New(3, 0)
	x, value, class := mat.NewDense(n, 3, nil), make([]float64, n), make([]int, n)
	for i := range n {
		x.SetRow(i, []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()})
		value[i] = math.Sin(2*x.At(i, 0)) + .1*r.NormFloat64()
		if x.At(i, 0)*x.At(i, 0) > .5 {
			class[i] = 1
		}
	}
	sets := map[string]*dataset.Set{
		"values": {X: x, Value: value}, "classes": {X: x, Labels: gram.Labels{Class: class, Names: []string{"a", "b"}}},
	}
	for _, method := range []string{"krr", "falkon"} {
		for name, d := range sets {
			train := func(set ...string) (kernel.Kernel, float64) {
				t.Helper()
				m := catalog.Must(method)
				f := m.New()
				if err := f.Settings().Set(append(set, "ard=true")...); err != nil {
					t.Fatal(err)
				}
				p, err := training.Train(t.Context(), m, f, d, training.NoScale, gram.Run{Seed: 1})
				if err != nil {
					t.Fatalf("%s for %s with %v: %v", method, name, set, err)
				}
				lambda, _ := catalog.Lambda(p.Model)
				return p.Model.(interface{ Model() krr.Functions }).Model().(interface{ Kernel() kernel.Kernel }).Kernel(), lambda
			}
			k, lambda := train()
			s := k.(*kernel.Scaled).Scale()
			if !(s[1] < .2*s[0] && s[2] < .2*s[0]) {
				t.Errorf("%s for %s: factors %v", method, name, s)
			}
			if _, each := train("per-row=true"); !(math.Abs(each*n/lambda-1) <= 1e-9) {
				t.Errorf("%s for %s: lambda is %v, per row %v", method, name, lambda, each)
			}
			if _, given := train("lambda=0.5"); given != .5 {
				t.Errorf("%s for %s: lambda is %v, given as 0.5", method, name, given)
			}
		}
	}
}
