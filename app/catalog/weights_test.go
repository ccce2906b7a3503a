package catalog_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/dataset"
)

// weighed returns rows of noisy classes and values with weights 1, 2 and 3.
func weighed(seed uint64, n, columns int) *dataset.Set {
	d := algotest.Problem(seed, n, columns, 2)
	s := &dataset.Set{X: d.X, Labels: d.Labels, Weight: make([]float64, n)}
	for i := range n {
		s.Weight[i] = float64(1 + i*7/3%3)
		if i%3 == 0 {
			s.Labels.Class[i] = 1 - s.Labels.Class[i]
		}
	}
	return s
}

// repeated returns the rows of d as often as their weights say, k splits of these copies, of which those of
// a row stay together, and the same splits of the rows.
func repeated(d *dataset.Set, k int, seed uint64) (copies *dataset.Set, together, splits []crossval.Split) {
	var index []int
	for i, w := range d.Weight {
		for range int(w) {
			index = append(index, i)
		}
	}
	once := func(places []int) (rows []int) {
		for _, p := range places {
			rows = append(rows, index[p])
		}
		return slices.Compact(rows)
	}
	together = crossval.Groups(index, k, seed)
	for _, s := range together {
		splits = append(splits, crossval.Split{Train: once(s.Train), Held: once(s.Held)})
	}
	copies = d.Select(index)
	copies.Weight = nil
	return copies, together, splits
}

// The mean loss by which settings are compared is the same with weights and with copies of the rows that
// stay in one fold, for the methods of which a fit with weights is one with copies. How much less a loss must be, and
// which rows are in a fold, depends on the number of rows; so a choice as a whole is not the same.
func TestLossesOfWeightsAreThoseOfCopies(t *testing.T) {
	for method, set := range map[string][]string{
		"svm":     {"gamma=0.5", "c=3", "tol=1e-9"},
		"svr":     {"gamma=0.5", "c=3", "tol=1e-9", "epsilon=0.1"},
		"dc-svm":  {"gamma=0.5", "c=3", "tol=1e-9", "levels=0"},
		"bka-svm": {"gamma=0.5", "c=3", "tol=1e-9", "clusters=1"},
		"gbdt":    {"exact=true", "rounds=8", "leaves=4", "min-rows=1", "column-sample=1"},
	} {
		m := catalog.Must(method)
		for _, task := range m.Tasks {
			d := weighed(7, 90, 3)
			if task == dataset.Regression {
				d.Labels, d.Value = gram.Labels{}, algotest.Problem(7, 90, 3, 2).Value
			} else if task != dataset.Classes {
				continue
			}
			copies, together, splits := repeated(d, 3, 1)
			without := *d
			without.Weight = nil
			loss := func(d *dataset.Set, splits []crossval.Split) float64 {
				v, err := catalog.MeanLoss(t.Context(), catalogtest.Trainable(t, m, set...), d, splits, gram.Run{Seed: 1})
				if err != nil || math.IsInf(v, 1) {
					t.Fatalf("%s: %v", method, err)
				}
				return v
			}
			got, want, ones := loss(d, splits), loss(copies, together), loss(&without, splits)
			if !(math.Abs(got-want) <= 1e-6*want) {
				t.Errorf("%s for %v: the loss is %.9g with weights and %.9g with copies", method, task, got, want)
			}
			if math.Abs(ones-want) <= 1e-3*want {
				t.Errorf("%s for %v: weights do not matter here", method, task)
			}
		}
	}
}
