package catalog

import (
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/encode"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/sparse"
)

// AutoScale scales dense numbers beyond [−1, 1] for methods with a kernel, and nothing else.
func TestAutoScale(t *testing.T) {
	wide := dataset.TwoSpirals(60, .02, 1)
	large := *wide
	unit, err := dataset.Standardize(wide.X)
	if err != nil {
		t.Fatal(err)
	}
	large.X = unit.Apply(wide.X)
	small := large
	shrink, err := dataset.MinMax(large.X, -1, 1)
	if err != nil {
		t.Fatal(err)
	}
	small.X = shrink.Apply(large.X)
	thin := large
	thin.X = sparse.FromDense(large.X)
	for _, c := range []struct {
		method string
		d      *dataset.Set
		scaled bool
	}{{"svm", &large, true}, {"svm", &small, false}, {"svm", &thin, false}, {"gbdt", &large, false}, {"linear", &large, false}, {"krr", &large, true}} {
		m, err := Find(c.method)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Prepare{Scale: AutoScale}.Train(t.Context(), m, m.New(), c.d, gram.Run{Seed: 1})
		if err != nil || (p.Scaling != nil) != c.scaled {
			t.Errorf("%s: scaled %t, %v, want %t", c.method, p.Scaling != nil, err, c.scaled)
		}
	}
}

// The defaults of svr and of ridge regressions follow the unit of the target.
func TestUnitOfTarget(t *testing.T) {
	d := dataset.Friedman1(120, 5, 1, 1)
	far := *d
	far.Value = make([]float64, len(d.Value))
	for i, v := range d.Value {
		far.Value[i] = 1e6 * v
	}
	for _, method := range []string{"svr", "krr", "nystrom", "dcpred"} {
		m, err := Find(method)
		if err != nil {
			t.Fatal(err)
		}
		var rmse [2]float64
		for i, set := range []*dataset.Set{d, &far} {
			p, err := Prepare{Scale: AutoScale}.Train(t.Context(), m, m.New(), set, gram.Run{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			x, err := p.Scaled(set.X)
			if err != nil {
				t.Fatal(err)
			}
			rmse[i] = metric.RMSE(p.Model.(gram.Regressor).Predict(nil, x), set.Value)
		}
		if ratio := rmse[1] / rmse[0] / 1e6; !(ratio > .99 && ratio < 1.01) {
			t.Errorf("%s: the error grows by %v, the target by 1e6", method, rmse[1]/rmse[0])
		}
	}
}

// Trees get ordinals unless something else is asked for.
func TestCategoriesOfTrees(t *testing.T) {
	d, err := dataset.Read(strings.NewReader("c,y\na,1\nb,2\nc,3.5\na,1\n"), dataset.Options{Table: true, Name: "a.csv"})
	if err != nil {
		t.Fatal(err)
	}
	for method, want := range map[string]int{"gbdt": 1, "linear": 3} {
		m, err := Find(method)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Prepare{Encode: encode.Config{}}.Train(t.Context(), m, m.New(), d, gram.Run{Seed: 1})
		if err != nil || p.Width() != want || p.Dim != 1 {
			t.Errorf("%s: %d of %d columns, %v, want %d of 1", method, p.Width(), p.Dim, err, want)
		}
	}
}
