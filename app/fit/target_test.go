package fit

import (
	"math"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/mat"
)

// A target of whole numbers that may be classes or values, and one that nobody has named, are said.
func TestTaken(t *testing.T) {
	classes := func(names ...string) *dataset.Set {
		return &dataset.Set{Labels: gram.Labels{Names: names, Class: []int{0}}}
	}
	values := func(v ...float64) *dataset.Set { return &dataset.Set{Value: v} }
	named := func(s *dataset.Set) *dataset.Set {
		s.Schema = &dataset.Schema{Target: "y"}
		return s
	}
	for _, c := range []struct {
		set     *dataset.Set
		taken   string
		unnamed string
	}{
		{classes("1", "2", "-3.0", "+4"), "the target holds 4 different whole numbers, taken as classes; --task regression", ""},
		{classes("1", "2", "3"), "", ""},
		{classes("1", "2", "3", "x"), "", ""},
		{named(classes("1", "2", "3", "4", "5")), `the target "y" holds 5 different`, `the target is "y", the last column`},
		{values(3, 1, 3), "the target holds 2 different whole numbers, taken as values; --task classes", ""},
		{named(values(3, 1.5)), "", `the target is "y", the last column`},
		{&dataset.Set{}, "", ""},
	} {
		f := &fitting{}
		if got, unnamed := f.taken(c.set), f.unnamedTarget(c.set); !begins(got, c.taken) || !begins(unnamed, c.unnamed) {
			t.Errorf("got %q and %q, want %q and %q", got, unnamed, c.taken, c.unnamed)
		}
		f.Read.Task, f.Read.Target = c.set.Task(), "y"
		if got := f.taken(c.set) + f.unnamedTarget(c.set); got != "" {
			t.Errorf("the target is given: %q", got)
		}
	}
}

// The methods that learn what another one does not begin with those that learn it in the same way.
func TestLearners(t *testing.T) {
	for task, want := range map[dataset.Task]string{dataset.Classes: "nu-svm (as nu-svr), svm (as svr), linear", dataset.Regression: "nu-svr (as nu-svm), svr (as svm), linear"} {
		if got := learners(task); !strings.HasPrefix(got, "methods that do are "+want) {
			t.Errorf("of %s: %q", task, got)
		}
	}
}

// begins reports whether a text begins with words, and is empty if there are none.
func begins(text, words string) bool {
	return strings.HasPrefix(text, words) && (text == "") == (words == "")
}

// The column that only counts the rows of a table with names is named, and that of the names of the rows.
func TestRowNumbers(t *testing.T) {
	table := func(n int, column func(i int) float64, k dataset.Kind) *dataset.Set {
		x := mat.NewDense(n, 2, nil)
		for i := range n {
			x.Set(i, 0, math.Sqrt(float64(i)))
			x.Set(i, 1, column(i))
		}
		return &dataset.Set{X: x, Schema: &dataset.Schema{Columns: []dataset.Column{{Name: "x"}, {Name: "id", Kind: k}}}}
	}
	from := func(first float64) func(i int) float64 { return func(i int) float64 { return first + float64(i) } }
	unnamed, names := table(20, from(1), dataset.Number), table(20, from(1), dataset.Number)
	unnamed.Schema.Columns[0].Name = ""
	names.Schema.RowNames = "the first column"
	const id = `the column "id" only numbers the rows; --ignore leaves it out`
	for what, c := range map[string]struct {
		set  *dataset.Set
		want string
	}{
		"numbers":     {table(20, from(7), dataset.Number), id},
		"few rows":    {table(19, from(7), dataset.Number), ""},
		"categories":  {table(20, from(0), dataset.Category), ""},
		"every other": {table(20, func(i int) float64 { return 2 * float64(i) }, dataset.Number), ""},
		"a gap":       {table(20, func(i int) float64 { return float64(i + i/19) }, dataset.Number), ""},
		"no names":    {unnamed, ""},
		"row names":   {names, "the first column is left out: it has the numbers or names of the rows"},
	} {
		if got := rowNumbers(c.set); got != c.want {
			t.Errorf("%s: got %q, want %q", what, got, c.want)
		}
	}
}
