package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
)

// A model that is no better than a constant on its own rows is said to be so, another is not.
func TestPoor(t *testing.T) {
	values, _ := dataset.Sine.Draw(200, 1)
	classes := dataset.Rings(200, 2, .05, 1)
	for _, c := range []struct {
		m    Method
		set  string
		d    *dataset.Set
		want string
	}{
		{svrMethod, "c=1e-9", values, "error is"},
		{krrMethod, "lambda=0.01", values, ""},
		{svmMethod, "c=1e-9", classes, `alone`},
		{svmMethod, "c=10", classes, ""},
	} {
		d := *c.d
		if c.m.Name == "svm" { // more rows of the first class
			d = *d.Select(slices.DeleteFunc(dataset.Permutation(200, 1), func(i int) bool { return d.Labels.Class[i] == 1 && i%4 > 1 }))
		}
		m, err := Train(t.Context(), c.m, trainable(t, c.m, c.set), &d, NoScale, gram.Run{})
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

// The weight of the loss of a machine on features is the one of most held-out rows right; of
// few rows it is 1, and one that is given stays.
func TestChosenC(t *testing.T) {
	for _, c := range []struct {
		rows int
		set  []string
		want func(c float64) bool
	}{
		{400, []string{"gamma=0.01"}, func(c float64) bool { return c > 1 }}, // nearly flat features need large coefficients
		{90, []string{"gamma=0.01"}, func(c float64) bool { return c == 1 }},
		{400, []string{"gamma=0.01", "c=0.3"}, func(c float64) bool { return c == .3 }},
	} {
		d := dataset.Rings(c.rows, 3, .1, 1)
		m, err := Train(t.Context(), nystromMethod, trainable(t, nystromMethod, c.set...), d, NoScale, gram.Run{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got, is := ChosenC(m.Model); !is || !c.want(got) {
			t.Errorf("%d rows, %v: c is %g", c.rows, c.set, got)
		}
	}
}
