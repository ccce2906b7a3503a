package search

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// compare compares the methods of the portfolio on d.
func compare(t *testing.T, c Compare, d *dataset.Set) *Compared {
	t.Helper()
	var err error
	if c.Methods, err = Portfolio(d); err != nil {
		t.Fatal(err)
	}
	r, err := c.Do(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The methods are those of the task and the number of rows, and the best score wins: the
// largest accuracy and precision, the smallest error. Equal ones go to the first.
func TestCompare(t *testing.T) {
	constant := dataset.Friedman1(60, 5, 0, 1)
	for i := range constant.Value {
		constant.Value[i] = 3
	}
	for _, c := range []struct {
		d               *dataset.Set
		methods, metric string
	}{
		{dataset.Rings(150, 3, .1, 1), "linear gbdt nystrom svm", "accuracy"},
		{dataset.Friedman1(150, 5, .1, 1), "linear gbdt nystrom krr", "rmse"},
		{constant, "linear gbdt nystrom krr", "rmse"},
		{dataset.SparseMultiLabel(60, 40, 5, 1), "leml fastxml", "p@1"},
	} {
		r := compare(t, Compare{Scale: training.AutoScale}, c.d)
		var names []string
		best := 0
		for i, m := range r.Methods {
			names = append(names, m.Method)
			if m.Failed != "" || !(m.Std >= 0) {
				t.Errorf("%s: %+v", c.metric, m)
			}
			if c.metric == "rmse" && m.Score < r.Methods[best].Score || c.metric != "rmse" && m.Score > r.Methods[best].Score {
				best = i
			}
		}
		if strings.Join(names, " ") != c.methods || r.Metric != c.metric || r.Folds != 3 || r.Best != best {
			t.Errorf("%s: %+v, the best is %d", c.metric, r, best)
		}
	}
	if r := compare(t, Compare{}, constant); !(r.Methods[r.Best].Score < 1e-6) {
		t.Errorf("a constant target has the error %v", r.Methods[r.Best].Score)
	}
	for n, want := range map[int]int{mostForKRR: 4, mostForKRR + 1: 3} {
		d := &dataset.Set{X: mat.NewDense(n, 1, nil), Value: make([]float64, n)}
		if m, err := Portfolio(d); err != nil || len(m) != want {
			t.Errorf("%d rows of values: %d methods, %v", n, len(m), err)
		}
	}
	for n, want := range map[int]int{mostForSVM: 4, mostForSVM + 1: 3} {
		if m, err := Portfolio(dataset.Rings(n, 2, 0, 1)); err != nil || len(m) != want {
			t.Errorf("%d rows of classes: %d methods, %v", n, len(m), err)
		}
	}
}

// A method has the score that a search gives to its default settings with the same folds,
// and progress bears its name.
func TestCompareScores(t *testing.T) {
	d := dataset.Rings(150, 3, .2, 1)
	phases := map[string]bool{}
	run := gram.Run{Seed: 4, Workers: 1, Progress: func(e gram.Event) { phases[e.Phase] = true }}
	r := compare(t, Compare{Scale: training.MinMax, Metric: "balanced_accuracy", Run: run}, d)
	run.Progress = nil
	for _, tried := range r.Methods {
		m, err := catalog.Find(tried.Method)
		if err != nil {
			t.Fatal(err)
		}
		all := m.New().Settings().Settings
		one := all[slices.IndexFunc(all, func(s *settings.Setting) bool { return s.String() != "" })]
		grid := []Choice{{one.Name, []string{one.String()}}}
		want := search(t, Config{Methods: []catalog.Method{m}, Grid: grid, Folds: 3, Scale: training.MinMax, Metric: "balanced_accuracy", Run: run}, d).Trials[0]
		if tried.Score != want.Score || tried.Std != want.Std || tried.Converged != want.Converged {
			t.Errorf("%+v, the search has %+v", tried, want)
		}
		if !phases[m.Name] {
			t.Errorf("no progress of %s in %v", m.Name, phases)
		}
	}
}

// paced is a Fitter of linear that first does something.
type paced struct {
	catalog.Fitter
	before func(ctx context.Context, d *dataset.Set) error
}

func (p paced) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	if err := p.before(ctx, d); err != nil {
		return nil, err
	}
	return p.Fitter.Fit(ctx, d, run)
}

func pacedMethod(name string, before func(ctx context.Context, d *dataset.Set) error) catalog.Method {
	m := catalog.Must("linear")
	m.Name = name
	m.New = func() catalog.Fitter { return paced{catalog.Must("linear").New(), before} }
	return m
}

// The budget leaves out methods that are likely not to end in time, and stops one that does
// not, but never the first that can be trained.
func TestCompareBudget(t *testing.T) {
	d := dataset.Friedman1(30, 5, .1, 1)
	// takes is a method whose fit takes so many seconds for each of the three folds.
	takes := func(name string, seconds int) catalog.Method {
		return pacedMethod(name, func(ctx context.Context, _ *dataset.Set) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Duration(seconds) * time.Second):
				return nil
			}
		})
	}
	broken := pacedMethod("broken", func(context.Context, *dataset.Set) error { return errors.New("broken") })
	const out, stopped = "left out: the budget is ", "stopped: the budget is "
	for _, c := range []struct {
		budget  time.Duration
		methods []catalog.Method
		want    []string // Failed
	}{
		{0, []catalog.Method{takes("a", 1), takes("b", 1000)}, []string{"", ""}},
		{1, []catalog.Method{takes("a", 1), takes("b", 1)}, []string{"", out + "1ns"}},
		{20 * time.Second, []catalog.Method{takes("a", 1), takes("b", 2), takes("c", 3)}, []string{"", "", ""}},
		{14 * time.Second, []catalog.Method{takes("a", 1), takes("b", 2), takes("c", 3)}, []string{"", "", out + "14s"}},
		{10 * time.Second, []catalog.Method{takes("a", 1), takes("b", 50), takes("c", 1)}, []string{"", stopped + "10s", out + "10s"}},
		{time.Second, []catalog.Method{broken, takes("a", 50), takes("b", 1)}, []string{"broken", "", out + "1s"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			r, err := Compare{Methods: c.methods, Budget: c.budget, Run: gram.Run{Workers: 1}}.Do(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			var failed []string
			for _, m := range r.Methods {
				failed = append(failed, m.Failed)
			}
			if !slices.Equal(failed, c.want) || r.Best != slices.Index(c.want, "") {
				t.Errorf("budget %v: best %d, %q, want %q", c.budget, r.Best, failed, c.want)
			}
			if m := r.Methods[0]; m.Failed == "" && m.Seconds != 3 {
				t.Errorf("budget %v: %v s, want 3", c.budget, m.Seconds)
			}
		})
	}
}

// Of many rows a fifth is held out once.
func TestCompareManyRows(t *testing.T) {
	const n = mostForFolds + 1
	d := &dataset.Set{X: mat.NewDense(n, 1, nil), Value: make([]float64, n)}
	for i := range n {
		d.X.(*mat.Dense).Set(i, 0, float64(i%7))
		d.Value[i] = float64(i % 7)
	}
	var rows []int
	m := pacedMethod("counted", func(_ context.Context, d *dataset.Set) error {
		n, _ := d.Dims()
		rows = append(rows, n)
		return nil
	})
	r, err := Compare{Methods: []catalog.Method{m}, Run: gram.Run{Workers: 1}}.Do(t.Context(), d)
	if err != nil || r.Folds != 1 || r.Methods[0].Std != 0 || !reflect.DeepEqual(rows, []int{n - n/5 - 1}) {
		t.Errorf("%+v, %v, trained on %v rows", r, err, rows)
	}
}

func TestCompareRefuses(t *testing.T) {
	classes, values, labels := dataset.Rings(40, 2, .1, 1), dataset.Friedman1(40, 5, .1, 1), dataset.SparseMultiLabel(40, 30, 4, 1)
	weighed := *labels
	weighed.Weight = make([]float64, 40)
	probabilities := training.Trust{Proba: new(calibration.Platt)}
	linear := []catalog.Method{catalog.Must("linear")}
	lone := dataset.Rings(30, 2, .1, 1)
	for i := range lone.Labels.Class {
		lone.Labels.Class[i] = map[bool]int{i == 20: 1}[true]
	}
	if _, err := (Compare{Methods: linear}).Do(t.Context(), lone); err == nil || !strings.Contains(err.Error(), "target of row 21: no other row is of class") {
		t.Errorf("a class of one row: %v", err)
	}
	for what, c := range map[string]struct {
		Compare
		d *dataset.Set
	}{
		"no methods":           {Compare{}, values},
		"one row":              {Compare{Methods: linear}, values.Select([]int{0})},
		"a measure of classes": {Compare{Methods: linear, Metric: "accuracy"}, values},
		"another task":         {Compare{Methods: []catalog.Method{catalog.Must("leml")}}, values},
		"weights of labels":    {Compare{Methods: []catalog.Method{catalog.Must("leml")}}, &weighed},
		"chances of values":    {Compare{Methods: linear, Trust: probabilities}, values},
		"intervals of labels":  {Compare{Methods: []catalog.Method{catalog.Must("leml")}, Trust: training.Trust{Conformal: .2}}, labels},
	} {
		var config *gram.ConfigError
		if _, err := c.Do(t.Context(), c.d); !errors.As(err, &config) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := Portfolio(&dataset.Set{X: classes.X}); err == nil {
		t.Error("methods for no target")
	}

	// What a method alone needs is its own failure; what all need is that of the first.
	r := compare(t, Compare{Run: gram.Run{MemoryLimit: 1 << 20}}, dataset.Rings(2000, 2, .1, 1))
	if r.Methods[0].Failed != "" || !strings.Contains(r.Methods[2].Failed, "needs") {
		t.Errorf("little memory: %+v", r.Methods)
	}
	var memory *gram.MemoryError
	if _, err := (Compare{Methods: linear, Run: gram.Run{MemoryLimit: 1}}).Do(t.Context(), values); !errors.As(err, &memory) || !strings.Contains(err.Error(), "linear") {
		t.Errorf("no memory: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stops := pacedMethod("stops", func(ctx context.Context, _ *dataset.Set) error { cancel(); return ctx.Err() })
	if _, err := (Compare{Methods: []catalog.Method{catalog.Must("linear"), stops, catalog.Must("linear")}, Budget: time.Hour}).Do(ctx, values); err != context.Canceled {
		t.Errorf("after a cancel: %v", err)
	}
}
