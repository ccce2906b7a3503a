package machine

import (
	"slices"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
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

// The weight of the loss of a linear machine that held-out rows choose, here three fourths of them, is the same for weights and for
// copies of the rows, in 20 problems, in some of which rows without weights choose another one.
func TestBestCOfWeightsIsThatOfCopies(t *testing.T) {
	fits, judges := 0, 0 // problems in which other weights choose otherwise
	for seed := range uint64(20) {
		d := weighed(seed, 120, 12)
		copies, together, splits := repeated(d, 4, seed)
		without := *d
		without.Weight = nil
		choose := func(d *dataset.Set, s crossval.Split) float64 {
			c := linear.Config{SVM: linear.SVM{Tol: 1e-10, MaxIter: 100000}}
			of := func(rows []int) part { return part{d.Select(rows).X.(*mat.Dense), d.Labels, d.Weight, rows} }
			best := crossval.Best[float64]{Larger: true}
			for _, v := range weights {
				sum := must.Have(right(t.Context(), c, v, 1, of(s.Held), of(s.Train)))(t)
				best.Offer(v, sum)
			}
			return best.Value
		}
		got, want := choose(d, splits[0]), choose(copies, together[0])
		if got != want {
			t.Errorf("problem %d: c is %g with weights and %g with copies", seed, got, want)
		}
		if choose(&without, splits[0]) != want {
			fits++
		}
		held := *d
		held.Weight = slices.Clone(d.Weight)
		for _, i := range splits[0].Train {
			held.Weight[i] = 1
		}
		if choose(&held, splits[0]) != want {
			judges++
		}
	}
	if fits == 0 || judges == 0 {
		t.Errorf("in %d problems the weights of all rows matter, in %d those of the rows that are held out", fits, judges)
	}
}
