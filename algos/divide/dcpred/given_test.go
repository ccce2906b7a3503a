package dcpred

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/cluster/kernelkmeans"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

// A fit with the leaves of another fit makes the same functions, with rows without a weight as well; a single leaf is no partition.
func TestGiven(t *testing.T) {
	d := algotest.Problem(1, 200, 3, 3)
	for i := range d.Weights {
		d.Weights[i] = float64(i % 3)
	}
	z := algotest.Problem(2, 50, 3, 3).X
	c := Config{Kernel: rbf, Branch: 3, Leaf: 50, M: 5, Lambda: gram.Set(.01)}
	m := must.Have(c.Fit(t.Context(), d.X, d.Labels, d.Weights))(t)
	given := m.Machine().Given()
	again := c
	again.Given = given
	same := must.Have(again.Fit(t.Context(), d.X, d.Labels, d.Weights))(t)
	check := func(what string, by *Machine, stats, of Stats, equal bool) {
		t.Helper()
		if got := by.Given(); !slices.Equal(got.Labels, given.Labels) || got.Router != given.Router || by.Leaves() != given.Parts() {
			t.Errorf("%s: another partition than was given", what)
		}
		if !slices.Equal(stats.Sizes, of.Sizes) || !slices.Equal(stats.Support, of.Support) || !slices.Equal(stats.Landmarks, of.Landmarks) {
			t.Errorf("%s: %+v, want %+v", what, stats, of)
		}
		if !equal {
			t.Errorf("%s: other outputs by the same partition", what)
		}
	}
	check("classes", same.Machine(), same.Stats(), m.Stats(), mat.Equal(same.Scores(nil, z), m.Scores(nil, z)))
	if !slices.Equal(same.Classes(), d.Labels.Names) || same.Dim() != 3 || !same.Config().Given.IsZero() || same.Config().M != 5 {
		t.Errorf("classes %v of %d columns, settings %+v", same.Classes(), same.Dim(), same.Config())
	}
	v := must.Have(c.FitValues(t.Context(), d.X, d.Value, d.Weights))(t)
	given = v.Machine().Given()
	again.Given = given
	w := must.Have(again.FitValues(t.Context(), d.X, d.Value, d.Weights))(t)
	check("values", w.Machine(), w.Stats(), v.Stats(), slices.Equal(w.Predict(nil, z), v.Predict(nil, z)))
	if w.Dim() != 3 || !w.Config().Given.IsZero() || w.Config().Lambda.Value() != .01 {
		t.Errorf("%d columns, settings %+v", w.Dim(), w.Config())
	}
	c.Leaf = 200
	if one := must.Have(c.FitValues(t.Context(), d.X, d.Value, nil))(t); !one.Machine().Given().IsZero() || one.Machine().Leaves() != 1 {
		t.Errorf("%d leaves, a partition: %t", one.Machine().Leaves(), !one.Machine().Given().IsZero())
	}
}

func TestGivenErrors(t *testing.T) {
	d := algotest.Problem(1, 60, 3, 2)
	byKernel := must.Have(kernelkmeans.Config{Kernel: rbf, K: 2}.Fit(t.Context(), d.X))(t)
	nowhere := kmeans.NewModel(mat.NewDense(2, 3, slices.Repeat([]float64{math.NaN()}, 6)))
	for name, p := range map[string]kmeans.Partition{"Router": {Router: byKernel}, "Labels": {Labels: make([]int, 59)}} {
		c := Config{Kernel: rbf, M: 4, Given: p}
		_, err := c.Fit(t.Context(), d.X, d.Labels, nil)
		algotest.Names(t, name, nil, err)
		_, err = c.FitValues(t.Context(), d.X, d.Value, nil)
		algotest.Names(t, name, nil, err)
		_, err = c.Plan(gram.Shape{N: 60, D: 3, Outputs: 2})
		algotest.Names(t, name, nil, err)
	}
	c := Config{Kernel: rbf, M: 4, Given: kmeans.Partition{Router: nowhere}}
	_, err := c.Fit(t.Context(), d.X, d.Labels, nil)
	algotest.Names(t, "Router", nil, err)
	_, err = c.FitValues(t.Context(), d.X, d.Value, nil)
	algotest.Names(t, "Router", nil, err)
}

// A plan for leaves that are given is that of as many leaves of a tree, but for the tree.
func TestPlanGiven(t *testing.T) {
	s := gram.Shape{N: 4000, D: 6, Outputs: 3}
	c := Config{Kernel: rbf, Branch: 4, Leaf: 1000, M: 8, Run: gram.Run{Workers: 2}}
	tree := must.Have(kmeans.Tree{Branch: 4, Depth: 20, Leaf: 1000, Run: c.Run}.Plan(s))(t)
	grown := must.Have(c.Plan(s))(t)
	c.Given = kmeans.Partition{Router: kmeans.NewModel(mat.NewDense(4, 6, nil))}
	given := must.Have(c.Plan(s))(t)
	if !(math.Abs(grown.Flops-tree.Flops-given.Flops) <= 1e-9*grown.Flops) || grown.ModelBytes != tree.ModelBytes+given.ModelBytes {
		t.Errorf("given leaves cost %+v, a tree %+v, both %+v", given, tree, grown)
	}
	c.MemoryLimit = given.PeakBytes - 1
	d := algotest.Problem(1, 4000, 6, 3)
	var large *gram.MemoryError
	if _, err := c.Fit(t.Context(), d.X, d.Labels, nil); !errors.As(err, &large) {
		t.Errorf("a byte less than the plan: %v", err)
	}
}

// Weights and targets of a leaf that are too small for numbers beside those of another leaf are as if they were equal, or 0.
func TestLeafThatVanishes(t *testing.T) {
	d := algotest.Problem(1, 80, 3, 2)
	x, label, w, y := mat.DenseCopyOf(d.X), make([]int, 80), make([]float64, 80), slices.Clone(d.Value)
	for i := range 80 {
		if w[i] = 1; i%2 == 1 {
			x.Set(i, 0, x.At(i, 0)+100)
			label[i], w[i], y[i] = 1, 1e-200, 1e-200
		}
	}
	c := Config{Kernel: rbf, M: 5, Lambda: gram.Set(.01), Given: kmeans.Partition{Labels: label}}
	want := must.Have(c.FitValues(t.Context(), x, d.Value, nil))(t).Predict(nil, x)
	for i, v := range must.Have(c.FitValues(t.Context(), x, d.Value, w))(t).Predict(nil, x) {
		if !(math.Abs(v-want[i]) <= 1e-9*(1+math.Abs(want[i]))) {
			t.Fatalf("row %d with small weights in its leaf is %v, want %v", i, v, want[i])
		}
	}
	for i, v := range must.Have(c.FitValues(t.Context(), x, y, nil))(t).Predict(nil, x) {
		if label[i] == 1 && v != 0 {
			t.Fatalf("row %d of a leaf of small targets is %v", i, v)
		}
	}
}
