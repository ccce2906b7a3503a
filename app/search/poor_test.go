package search

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A model that is no better than a constant on its own rows is said to be so, another is not.
func TestPoor(t *testing.T) {
	values, _ := dataset.Sine.Draw(200, 1)
	classes := dataset.Rings(200, 2, .05, 1)
	for _, c := range []struct {
		m    catalog.Method
		set  string
		d    *dataset.Set
		want string
	}{
		{catalog.Must("svr"), "c=1e-9", values, "error is"},
		{catalog.Must("krr"), "lambda=0.01", values, ""},
		{catalog.Must("svm"), "c=1e-9", classes, `alone`},
		{catalog.Must("svm"), "c=10", classes, ""},
	} {
		d := *c.d
		if c.m.Name == "svm" { // more rows of the first class
			d = *d.Select(slices.DeleteFunc(dataset.Permutation(200, 1), func(i int) bool { return d.Labels.Class[i] == 1 && i%4 > 1 }))
		}
		m, err := training.Train(t.Context(), c.m, catalogtest.Trainable(t, c.m, c.set), &d, training.NoScale, gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		if got := Poor(m, &d, 1); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s with %s: %q, want %q", c.m.Name, c.set, got, c.want)
		}
		d.Weight = slices.Repeat([]float64{1}, len(d.Value)+len(d.Labels.Class))
		if got := Poor(m, &d, 1); got != "" {
			t.Errorf("with weights: %q", got)
		}
	}
}

// A fit that a linear model beats on held-out rows is said to be so, also where it is right on its
// own rows; others are not, and neither are fits whose settings speak of rows by their numbers.
func TestWorseThanLinear(t *testing.T) {
	values, _ := dataset.Sine.Draw(300, 1)
	classes := dataset.Rings(300, 2, .05, 1)
	// Targets and classes that are linear in ten columns.
	x := mat.NewDense(300, 10, nil)
	straight := &dataset.Set{X: x, Value: make([]float64, 300)}
	halves := &dataset.Set{X: x, Labels: gram.Labels{Class: make([]int, 300), Names: []string{"a", "b"}}}
	r := rng.New(1, 0)
	for i := range 300 {
		for j := range 10 {
			x.Set(i, j, r.NormFloat64())
			straight.Value[i] += float64(j) * x.At(i, j)
		}
		if straight.Value[i] > 0 {
			halves.Labels.Class[i] = 1
		}
	}
	for _, c := range []struct {
		m    catalog.Method
		set  []string
		d    *dataset.Set
		want string
	}{
		{catalog.Must("krr"), []string{"gamma=2", "lambda=1e-6"}, straight, "its error on 60 others is"},
		{catalog.Must("svm"), []string{"gamma=5", "c=10"}, halves, "of 60 others right, a linear model"},
		{catalog.Must("krr"), nil, values, ""},
		{catalog.Must("svm"), []string{"c=10"}, classes, ""},
		{catalog.Must("linear"), []string{"c=1e-9"}, halves, ""},
		{catalog.Must("bregman"), []string{"pairs-file=none.csv"}, halves, ""},
	} {
		h, err := HoldOut(t.Context(), training.Prepare{Scale: training.AutoScale}, c.m, c.set, c.d, gram.Run{Seed: 1})
		got := ""
		if err == nil {
			got = h.WorseThanLinear()
			if n, _ := h.Held.Dims(); n != 60 || h.Trained != 240 || len(h.Loss) != 60 || len(h.Linear) != 60 {
				t.Errorf("%s: %d of %d rows are held out", c.m.Name, n, n+h.Trained)
			}
		} else if c.m.Name != "bregman" {
			t.Error(err)
		}
		if d := c.d.Task(); err == nil && got != "" && d == dataset.Regression {
			rmse := fmt.Sprintf("is %.4g, that of a linear model %.4g", math.Sqrt(stat.Mean(h.Loss, nil)), math.Sqrt(stat.Mean(h.Linear, nil)))
			if !strings.HasSuffix(got, rmse) {
				t.Errorf("%s: %q, want %q at its end", c.m.Name, got, rmse)
			}
		}
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s with %v: %q, want %q", c.m.Name, c.set, got, c.want)
		}
	}
	straight.Weight = make([]float64, 300)
	for _, d := range []*dataset.Set{straight, {X: mat.NewDense(9, 1, nil), Value: make([]float64, 9)}} {
		if h, err := HoldOut(t.Context(), training.Prepare{}, catalog.Must("krr"), nil, d, gram.Run{}); h != nil || err == nil {
			t.Errorf("rows are held out of %v", d.Shape())
		}
		if l, err := LinearLosses(t.Context(), d, gram.Run{}); l != nil || err == nil {
			t.Errorf("linear models of %v", d.Shape())
		}
	}
}

// Linear models are judged by the rows that they were not fitted to: they know the half-spaces, and of classes drawn
// at random they know nothing.
func TestLinearLosses(t *testing.T) {
	const n = 400
	x := mat.NewDense(n, 3, nil)
	halves := &dataset.Set{X: x, Labels: gram.Labels{Class: make([]int, n), Names: []string{"a", "b"}}}
	random := &dataset.Set{X: x, Labels: gram.Labels{Class: make([]int, n), Names: []string{"a", "b"}}}
	plane := &dataset.Set{X: x, Value: make([]float64, n)}
	r := rng.New(1, 0)
	for i := range n {
		for j := range 3 {
			x.Set(i, j, r.NormFloat64())
		}
		plane.Value[i] = 3*x.At(i, 0) - x.At(i, 2)
		if plane.Value[i] > 0 {
			halves.Labels.Class[i] = 1
		}
		random.Labels.Class[i] = r.IntN(2)
	}
	for _, c := range []struct {
		d         *dataset.Set
		low, high float64
	}{{halves, 0, .05}, {random, .4, .6}, {plane, 0, 1e-2}} {
		losses, err := LinearLosses(t.Context(), c.d, gram.Run{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if mean := stat.Mean(losses, nil); len(losses) != n || !(mean >= c.low && mean <= c.high) {
			t.Errorf("the mean of %d losses is %g, want %g to %g", len(losses), mean, c.low, c.high)
		}
	}
}

// The comparison with a linear model takes at most a quarter of the operations of a fit, but not fewer
// than 625 rows, and chooses no default.
func TestCheapRows(t *testing.T) {
	for n, holds := range map[int]func(part int) bool{
		300: func(part int) bool { return part == 300 }, 1000: func(part int) bool { return part >= 625 && part < 700 },
		3000: func(part int) bool { return part > 700 && part < 2500 }, 20_000: func(part int) bool { return part == 2500 },
	} {
		f := catalog.Plain(catalogtest.Trainable(t, catalog.Must("gbdt"), "rounds=100"))
		if _, tries := catalog.Chosen(f); tries {
			t.Fatal("the plain Fitter chooses")
		}
		if part := cheapRows(f, dataset.Regression, gram.Shape{N: n, D: 10, Outputs: 1}); !holds(part) {
			t.Errorf("%d rows: %d are taken", n, part)
		}
	}
}

// The weight of the loss of a machine on features is the one of most held-out rows right; of
// few rows it is 1, and one that is given stays.
func TestHeldOut(t *testing.T) {
	for _, c := range []struct {
		rows int
		set  []string
		want func(name string, c float64) bool
	}{
		{400, []string{"gamma=0.01"}, func(name string, c float64) bool { return name == "c" && c > 1 }}, // nearly flat features need large coefficients
		{90, []string{"gamma=0.01"}, func(name string, _ float64) bool { return name == "" }},
		{400, []string{"gamma=0.01", "c=0.3"}, func(name string, c float64) bool { return name == "c" && c == .3 }},
	} {
		d := dataset.Rings(c.rows, 3, .1, 1)
		m, err := training.Train(t.Context(), catalog.Must("nystrom"), catalogtest.Trainable(t, catalog.Must("nystrom"), c.set...), d, training.NoScale, gram.Run{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if name, got := catalog.HeldOut(m.Model); !c.want(name, got) {
			t.Errorf("%d rows, %v: %q is %g", c.rows, c.set, name, got)
		}
	}
}
