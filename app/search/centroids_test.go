package search

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// topical returns rows of sets of four labels, each a direction of its own with noise; label 4 has no row.
func topical(n int, seed uint64) *dataset.Set {
	r := rng.New(seed, 0)
	x, y := mat.NewDense(n, 6, nil), &sparse.CSR{N: n, D: 5, Ptr: []int{0}}
	for i := range n {
		for j := range 6 {
			x.Set(i, j, .3*r.NormFloat64())
		}
		first, second := r.IntN(4), r.IntN(4)
		labels := []int{min(first, second), max(first, second)}
		for _, l := range slices.Compact(labels) {
			x.Set(i, l, x.At(i, l)+1)
			y.Col = append(y.Col, int32(l))
		}
		y.Ptr = append(y.Ptr, len(y.Col))
	}
	return &dataset.Set{X: x, Tags: y}
}

// The nearest centroid, from its definition: of dense and of sparse rows, and with labels that cancel columns.
func TestCentroidLosses(t *testing.T) {
	train, held := topical(60, 1), topical(40, 2)
	x, rows := train.X.(*mat.Dense), held.X.(*mat.Dense)
	x.SetRow(0, []float64{1, 0, 0, 0, 0, 0}) // a column whose sum is 0 for a while
	x.SetRow(1, []float64{-1, 0, 0, 0, 0, 0})
	want := make([]float64, 40)
	for i := range want {
		best, most := -1, math.Inf(-1)
		for l := range 4 {
			sum := mat.NewVecDense(6, nil)
			for row := range 60 {
				if train.Tags.At(row, l) != 0 {
					sum.AddVec(sum, x.RowView(row))
				}
			}
			if v := mat.Dot(sum, rows.RowView(i)) / mat.Norm(sum, 2); v > most {
				best, most = l, v
			}
		}
		if want[i] = 1; held.Tags.At(i, best) != 0 {
			want[i] = 0
		}
	}
	got := centroidLosses(x, train.Tags, rows, held.Tags)
	thin := centroidLosses(sparse.FromDense(x), train.Tags, sparse.FromDense(rows), held.Tags)
	if !slices.Equal(got, want) || !slices.Equal(thin, want) || slices.Max(want) != 1 || slices.Min(want) != 0 {
		t.Errorf("losses\n%v\n%v of sparse rows, want\n%v", got, thin, want)
	}
}

// judged holds rows of d out of a fit of the method with a setting.
func judged(t *testing.T, d *dataset.Set, method, setting string) *HeldOut {
	t.Helper()
	h, err := HoldOut(t.Context(), training.Prepare{Scale: training.AutoScale}, catalog.Must(method), []string{setting}, d, gram.Run{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Rows are held out of fits of sets of labels too: the figures are those of the models on these rows, and a method that ranks the wrong label
// first is said to be worse than a linear model.
func TestRankedLabels(t *testing.T) {
	d := topical(300, 3)
	h := judged(t, d, "plt", "near=0")
	r := h.Ranked()
	if r == nil || r.Trained != 240 || r.Rows != 60 || !(r.Model > .8) || !(*r.Linear > .8) || !(r.Centroids > .8) || h.WorseThanLinear() != "" {
		t.Errorf("%v, %q", r, h.WorseThanLinear())
	}
	right := 0
	x, err := h.Model.Scaled(h.Held.X)
	if err != nil {
		t.Fatal(err)
	}
	for i, top := range h.Model.Model.(gram.Ranker).Top(nil, x, 1) {
		if h.Held.Tags.At(i, top[0].Label) != 0 {
			right++
		}
	}
	if share := float64(right) / 60; math.Abs(share-r.Model) > 1e-12 {
		t.Errorf("p@1 %g, want %g", r.Model, share)
	}
	poor := judged(t, d, "leml", "rank=1")
	if p := poor.Ranked(); !(p.Model < .6) || !(*p.Linear > .8) || poor.WorseThanLinear() == "" {
		t.Errorf("%v, %q", p, poor.WorseThanLinear())
	}
}

// With very many labels and columns the centroids alone stand beside the model.
func TestRankedManyLabels(t *testing.T) {
	d := topical(100, 4)
	x := sparse.FromDense(d.X)
	x.D, d.Tags.D = 1<<14, 1<<11
	d.X = x
	h := judged(t, d, "plt", "near=0")
	r := h.Ranked()
	if r == nil || r.Linear != nil || !(r.Model > .7) || !(r.Centroids > .7) || h.WorseThanLinear() != "" || strings.Contains(r.String(), "linear") {
		t.Errorf("%v, %q", r, h.WorseThanLinear())
	}
}
