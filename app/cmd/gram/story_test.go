package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/mat"
)

// The story recommends the model that compares with the fewest rows among those that are as
// good as the best one up to chance, and says nothing that the figures do not show.
func TestStory(t *testing.T) {
	classes := gram.Labels{Class: make([]int, 1000), Names: []string{"a", "b"}}
	for i := range 400 {
		classes.Class[i] = 1
	}
	p := &problem{kernel: []string{"gamma=16"}, train: &dataset.Set{X: mat.NewDense(1000, 3, nil), Labels: classes}, test: &dataset.Set{X: mat.NewDense(1000, 3, nil), Labels: classes}}
	row := func(name string, m int, v float64) comparison {
		e := p.entries([]int{m}, 1000)[slices.IndexFunc(p.entries([]int{m}, 1000), func(e entry) bool { return e.name == name })]
		return comparison{Model: name, M: m, Metric: "accuracy", Value: v, Rows: 1000, Error: &v, FitSeconds: .5, Bytes: 2048, entry: e}
	}
	linear, exact := row("linear", 0, .62), row(exactName, 0, .99)
	few, more, most := row("nystrom kmeans", 16, .9), row("nystrom kmeans", 64, .99), row("nystrom kmeans", 256, .995)
	random := row("nystrom uniform", 16, .7)
	for _, c := range []struct {
		rows          []comparison
		says, not     []string
		last, command string
	}{
		{[]comparison{linear, exact, few, more, most}, []string{"60 % right", "no better than that", "3 columns", "1000 rows", "7.6 MiB", "0.9 with m = 16 and 0.995 with m = 256"}, []string{"random rows"}, "Buy nystrom kmeans, m = 64: 99 % right", "--data FILE --set=m=64 --set=landmarks=kmeans"},
		{[]comparison{linear, few, random}, []string{"random rows have 70 % right", "clusters 90 % right"}, []string{"1000 rows it was trained on"}, "Buy nystrom kmeans, m = 16", "--method nystrom"},
		{[]comparison{linear, exact}, nil, []string{"nystrom", "kernel error"}, "Buy kernel ridge, exact", "--method krr"},
		{[]comparison{row("linear", 0, .99), exact, most}, []string{"on its own"}, nil, "Buy linear", "--method linear"},
	} {
		s := p.story(c.rows, nil)
		text := strings.Join(s.says, "\n")
		for _, want := range c.says {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
		for _, not := range c.not {
			if strings.Contains(text, not) {
				t.Errorf("%q is in\n%s", not, text)
			}
		}
		if last := s.says[len(s.says)-1]; !strings.HasPrefix(last, c.last) {
			t.Errorf("the last line is %q, want %q", last, c.last)
		}
		if len(s.commands) != 3 || !strings.Contains(s.commands[1], c.command) {
			t.Errorf("commands %q, want %q", s.commands, c.command)
		}
	}
	// Root mean squares: less is better, and the mean of the training rows is no learning.
	values := &dataset.Set{X: mat.NewDense(4, 1, nil), Value: []float64{1, 3, 5, 7}}
	q := &problem{train: values, test: values}
	s := q.story([]comparison{{Model: "linear", Metric: "rmse", Value: .001, entry: q.entries(nil, 0)[0]}, {Model: exactName, Metric: "rmse", Value: 2, Rows: 4}}, []string{"--data", "it's.csv"})
	if text := strings.Join(s.says, "\n"); !strings.Contains(text, "rmse 2.23607") || !strings.Contains(text, "1 column,") || !strings.Contains(text, "Buy linear") {
		t.Errorf("%s", text)
	}
	if len(s.commands) != 2 || s.commands[0] != `gram fit --method linear --data 'it'\''s.csv' -o model.gram` {
		t.Errorf("%q", s.commands)
	}
}

// The commands of the story give, on the same rows, the figures of the comparison: for every model there is.
func TestStoryCommands(t *testing.T) {
	dir := small(t)
	for _, c := range []struct {
		data string
		args []string
	}{
		{"rings.libsvm", []string{"--set", "gamma=2", "--seed", "3"}},
		{"friedman.csv", []string{"--task", "regression", "--scale", "unit", "--no-header=false"}},
	} {
		data, model := filepath.Join(dir, c.data), filepath.Join(dir, "m.gram")
		var o compareFlags
		flags := parsed(t, o.define, append([]string{"--data", data, "--test", data, "--m", "20", "--exact-rows", "70"}, c.args...)...)
		p, err := o.problem(t.Context(), &bar{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range p.entries(o.ms, 1000) {
			r, err := p.fit(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			s := p.story([]comparison{r}, o.again(flags))
			line := strings.Fields(s.commands[0])
			if line[0] != "gram" || !slices.Contains(line, e.method) {
				t.Fatalf("%q", line)
			}
			line[slices.Index(line, "model.gram")] = model
			ok(t, line[1:]...)
			var first struct {
				Metric string
				Value  float64
			}
			eval, _, _ := strings.Cut(ok(t, append([]string{"eval", "--model", model, "--data", data, "--json"}, "--metric", r.Metric)...), "\n")
			if err := json.Unmarshal([]byte(eval), &first); err != nil || first.Metric != r.Metric || math.Abs(first.Value-r.Value) > 1e-12 {
				t.Errorf("%s: %q gives %+v, the comparison %s %v, %v", e.name, line, first, r.Metric, r.Value, err)
			}
		}
	}
}
