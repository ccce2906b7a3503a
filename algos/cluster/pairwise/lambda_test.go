package pairwise

import (
	"context"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// The order of the values of λ does not matter: the one with the fewest
// contradictions is kept, of equal ones the largest.
func TestLambdas(t *testing.T) {
	d := algotest.Problem(8, 60, 3, 3)
	pairs := constraint.Sample(d.Labels.Class, 60, 1)
	fit := func(lambda ...float64) *Model {
		m := must.Have(Config{K: 3, Lambda: lambda, Rounds: 3, Starts: 2}.Fit(t.Context(), d.X, pairs))(t)
		return m
	}
	given := []float64{1, 300, .1, 10}
	m := fit(given...)
	if !slices.Equal(given, []float64{1, 300, .1, 10}) {
		t.Errorf("the settings have become %v", given)
	}
	if none := fit(0, 1).Config().Lambda; !slices.Equal(none, []float64{0, 1}) {
		t.Errorf("without a penalty and with one: %v", none)
	}
	s := m.Stats()
	sorted := m.Config().Lambda
	if !slices.Equal(sorted, []float64{.1, 1, 10, 300}) || len(s.Contradictions) != 4 {
		t.Fatalf("λ %v with %v", sorted, s.Contradictions)
	}
	best := 0
	for i, l := range sorted {
		one := fit(l)
		if got := one.Stats().Contradictions; !slices.Equal(got, s.Contradictions[i:i+1]) || got[0] != Contradictions(one.Labels(), pairs) {
			t.Errorf("λ = %g alone contradicts %v, among others %v", l, got, s.Contradictions)
		}
		if s.Contradictions[i] <= s.Contradictions[best] {
			best = i
		}
	}
	if s.Lambda != sorted[best] || s.Contradictions[best] != Contradictions(m.Labels(), pairs) {
		t.Errorf("kept λ = %g of %v with %v", s.Lambda, sorted, s.Contradictions)
	}
	if s.Seconds <= 0 || len(s.Objective) == 0 {
		t.Errorf("%+v", s)
	}
	// Canceled after the largest λ: its model is what there is.
	ctx, cancel := context.WithCancel(t.Context())
	c := Config{K: 3, Lambda: given, Rounds: 3, Starts: 2}
	c.Progress = func(e gram.Event) {
		if e.Phase == "semi-supervised clustering" {
			cancel()
		}
	}
	first, err := c.Fit(ctx, d.X, pairs)
	if err != context.Canceled || first == nil {
		t.Fatalf("cancelled: %v", err)
	}
	if got := first.Stats(); !slices.Equal(got.Contradictions, s.Contradictions[3:]) || got.Lambda != 300 || !slices.Equal(first.Config().Lambda, sorted) {
		t.Errorf("cancelled after the first: %+v", got)
	}
}

// No rows have no clusters.
func TestNoRows(t *testing.T) {
	d := algotest.Problem(8, 40, 3, 3)
	m := must.Have(Config{K: 3, Lambda: []float64{1}, Rounds: 2, Starts: 1}.Fit(t.Context(), d.X, constraint.Sample(d.Labels.Class, 40, 1)))(t)
	if got := m.Assign(nil, &sparse.CSR{D: 3, Ptr: []int{0}}); len(got) != 0 {
		t.Errorf("clusters %v of no rows", got)
	}
	if got := m.Assign(nil, d.X); !slices.Equal(got, m.Labels()) {
		t.Error("the rows of the fit are assigned elsewhere")
	}
	if must.Recovered(func() { m.Assign(make([]int, 3), mat.NewDense(2, 3, nil)) }) == nil {
		t.Error("no panic for a destination of another length")
	}
}
