package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// recorder is a method that records how it is trained. Its models predict the class
// or the value of their setting x for every row.
type recorder struct {
	mu     sync.Mutex
	ctx    context.Context // of the last fit
	runs   []gram.Run
	rows   []int
	plan   gram.Plan
	deny   error // of every plan
	shapes []gram.Shape
	fit    func(x float64, d *dataset.Set) error
}

func (r *recorder) method() catalog.Method {
	return catalog.Method{
		Name: "recorder", Tasks: []dataset.Task{dataset.Classes, dataset.Regression, dataset.MultiLabel},
		New: func() catalog.Fitter { return &recording{recorder: r} },
	}
}

type recording struct {
	*recorder
	x, other float64
	bound    *settings.Bound
}

type said struct{ x, other *float64 }

func (c *said) Settings(s *settings.Fields) {
	s.Float(c.x, "x", "what the models say")
	s.Float(c.other, "other", "nothing")
}

func (f *recording) Settings() *settings.Bound {
	if f.bound == nil {
		f.bound = settings.Bind(&said{&f.x, &f.other})
	}
	return f.bound
}

func (f *recording) Plan(task dataset.Task, s gram.Shape, run gram.Run) (gram.Plan, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shapes = append(f.shapes, s)
	return f.plan, f.deny
}

func (f *recording) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, _ := d.Dims()
	f.ctx = ctx
	f.runs, f.rows = append(f.runs, run), append(f.rows, n)
	if f.recorder.fit != nil {
		if err := f.recorder.fit(f.x, d); err != nil {
			return nil, err
		}
	}
	if d.Task() == dataset.Regression {
		return constantValue(f.x), nil
	}
	if d.Task() == dataset.MultiLabel {
		return constantLabel(f.x), nil
	}
	return constantClass(f.x), nil
}

type (
	constantValue float64
	constantClass int
	constantLabel int
)

func (constantValue) Encode(*modelfile.Writer) error { return nil }
func (constantClass) Encode(*modelfile.Writer) error { return nil }
func (constantLabel) Encode(*modelfile.Writer) error { return nil }

func (c constantValue) Predict(_ []float64, x mat.Matrix) []float64 {
	n, _ := x.Dims()
	return slices.Repeat([]float64{float64(c)}, n)
}

func (c constantClass) Classes() []string                            { return []string{"zero", "one", "two"} }
func (c constantClass) Scores(_ *mat.Dense, _ mat.Matrix) *mat.Dense { panic("not called") }
func (c constantClass) Predict(_ []int, x mat.Matrix) []int {
	n, _ := x.Dims()
	return slices.Repeat([]int{int(c)}, n)
}

func (c constantLabel) NumLabels() int { return 5 }
func (c constantLabel) Top(_ [][]gram.Scored, x mat.Matrix, k int) [][]gram.Scored {
	n, _ := x.Dims()
	return slices.Repeat([][]gram.Scored{{{Label: int(c)}}}, n)
}

// Of combinations that do equally well the first counts, for each metric; the scores
// are those of the rows held back.
func TestSearchTies(t *testing.T) {
	p := algotest.Problem(1, 60, 3, 3)
	for i := range p.Value {
		p.Value[i] = 1
	}
	p.Tags = algotest.Kinds(60, 5, func(_, j int) float64 { return []float64{0, 1, 1, 0, 0}[j] })["*sparse.CSR"].(*sparse.CSR)
	for _, c := range []struct {
		kind   algotest.Kind
		x      string
		metric string
		best   int
		scores []float64
	}{
		{algotest.Regression, "3,0,2,1,1.0", "rmse", 3, []float64{2, 1, 1, 0, 0}},
		{algotest.Regression, "3,0,2", "rmse", 1, []float64{2, 1, 1}},
		{algotest.Classification, "7,1,2,0", "accuracy", 1, []float64{0, 1. / 3, 1. / 3, 1. / 3}},
		{algotest.MultiLabel, "3,1,2,0", "p@1", 1, []float64{0, 1, 1, 0}},
	} {
		grid, err := ParseGrid("x=" + c.x)
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 3} {
			got := search(t, Config{Methods: []catalog.Method{new(recorder).method()}, Grid: grid, Folds: 4, Run: gram.Run{Workers: workers}}, catalogtest.Set(p, c.kind))
			if got.Best != c.best || got.Metric != c.metric || got.Folds != 4 {
				t.Errorf("x=%s: best is %d by %s in %d folds, want %d by %s", c.x, got.Best, got.Metric, got.Folds, c.best, c.metric)
			}
			for i, trial := range got.Trials {
				if !(math.Abs(trial.Score-c.scores[i]) < 0.1) || len(trial.Folds) != 4 {
					t.Errorf("%v: score %g of %d folds, want about %g", trial.Settings, trial.Score, len(trial.Folds), c.scores[i])
				}
			}
		}
	}
}

// The run of a search is divided among the fits that run together: the seed is
// theirs, workers and memory are shared out, and each reports its end once.
func TestSearchRun(t *testing.T) {
	d := catalogtest.Set(algotest.Problem(1, 60, 3, 3), algotest.Classification)
	copies := int64(16 * 60 * 3) // of the rows of a fold, and scaled
	for _, c := range []struct {
		run   gram.Run
		each  int
		limit int64
	}{
		{gram.Run{Seed: 4, Workers: 6}, 1, 0},
		{gram.Run{Seed: 4, Workers: 100}, 8, 0}, // no more than 12 fits at a time
		{gram.Run{Seed: 4, Workers: 6, MemoryLimit: 2*(1000+copies) + 1}, 3, 1000 + copies},
		{gram.Run{Seed: 4, Workers: 6, MemoryLimit: 1000 + copies}, 6, 1000 + copies},
	} {
		r := &recorder{plan: gram.Plan{PeakBytes: 1000, ModelBytes: 10}}
		var events []gram.Event
		c.run.Progress = func(e gram.Event) { events = append(events, e) }
		grid := []Choice{{"x", []string{"0", "1"}}, {"other", []string{"0", "1"}}}
		search(t, Config{Methods: []catalog.Method{r.method()}, Grid: grid, Folds: 3, Run: c.run}, d)
		if r.ctx.Err() == nil {
			t.Error("the context of the fits outlives the search")
		}
		for _, shape := range r.shapes {
			if want := (gram.Shape{N: 40, D: 3, Outputs: 3}); shape != want {
				t.Errorf("planned for %+v, want %+v", shape, want)
			}
		}
		if len(r.runs) != 12 {
			t.Fatalf("%d fits", len(r.runs))
		}
		for i, run := range r.runs {
			if run.Seed != 4 || run.Workers != c.each || run.MemoryLimit != c.limit || run.Progress != nil {
				t.Errorf("the run of a fit is %+v, want seed 4, %d workers, limit %d", run, c.each, c.limit)
			}
			if r.rows[i] != 40 {
				t.Errorf("a fit on %d rows, want 40", r.rows[i])
			}
		}
		last := gram.Event{}
		for _, e := range events {
			if e.Phase != "search" || e.Total != 12 || e.Done <= last.Done || e.Done > 12 {
				t.Errorf("event %+v after %+v", e, last)
			}
			last = e
		}
		if last.Done != 12 {
			t.Errorf("the last event is %+v", last)
		}
	}
	s := Config{Methods: []catalog.Method{(&recorder{plan: gram.Plan{PeakBytes: 1000, ModelBytes: 10}}).method()}, Grid: []Choice{{"x", []string{"0"}}}, Folds: 3, Run: gram.Run{MemoryLimit: 1000 + copies - 1}}
	var me *gram.MemoryError
	if _, err := s.Do(t.Context(), d); !errors.As(err, &me) || me.Need != 1000+copies {
		t.Errorf("a byte too little: %v", err)
	}
	indexed := *d
	indexed.X = algotest.Kinds(60, 3, func(i, j int) float64 { return float64(i % 2 * (j + 1)) })["*sparse.CSR"]
	r := &recorder{plan: gram.Plan{PeakBytes: 1000}}
	s.Methods, s.MemoryLimit = []catalog.Method{r.method()}, 1000+24*90-1
	if _, err := s.Do(t.Context(), &indexed); !errors.As(err, &me) || me.Need != 1000+24*90 {
		t.Errorf("a byte too little for sparse rows: %v", err)
	}
	if want := (gram.Shape{N: 40, D: 3, Outputs: 3, NNZ: 60}); r.shapes[0] != want {
		t.Errorf("planned for %+v, want %+v", r.shapes[0], want)
	}
}

// The number of folds is 5, or that of the rows; others are refused with both ends.
func TestSearchFolds(t *testing.T) {
	grid := []Choice{{"x", []string{"0"}}}
	for _, c := range []struct{ rows, folds, want int }{{60, 0, 5}, {3, 0, 3}, {60, 2, 2}, {3, 3, 3}, {60, 1, 0}, {60, -1, 0}, {3, 4, 0}} {
		d := catalogtest.Set(algotest.Problem(1, c.rows, 3, 3), algotest.Regression)
		got, err := Config{Methods: []catalog.Method{new(recorder).method()}, Grid: grid, Folds: c.folds}.Do(t.Context(), d)
		var ce *gram.ConfigError
		if c.want == 0 && (!errors.As(err, &ce) || ce.Field != "folds" || !strings.Contains(ce.Want, fmt.Sprint("2 to the number of rows, ", c.rows))) {
			t.Errorf("%d folds of %d rows: %v", c.folds, c.rows, err)
		}
		if c.want > 0 && (err != nil || got.Folds != c.want || len(got.Trials[0].Folds) != c.want) {
			t.Errorf("%d folds of %d rows: %+v, %v", c.folds, c.rows, got, err)
		}
	}
}

// A combination that fails on any fold has its reason; a mistake in a setting ends the
// search and names the combination.
func TestSearchFailures(t *testing.T) {
	d := catalogtest.Set(algotest.Problem(1, 60, 3, 3), algotest.Classification)
	calls := 0
	r := &recorder{fit: func(x float64, _ *dataset.Set) error {
		if calls++; x == 1 && calls == 2 {
			return errors.New("boom")
		}
		return nil
	}}
	grid := []Choice{{"x", []string{"1", "0"}}}
	got := search(t, Config{Methods: []catalog.Method{r.method()}, Grid: grid, Folds: 3, Run: gram.Run{Workers: 1}}, d)
	if got.Best != 1 || got.Trials[0].Failed != "boom" || got.Trials[1].Failed != "" || got.Trials[0].Folds != nil {
		t.Errorf("%+v", got)
	}
	bad := &recorder{fit: func(x float64, _ *dataset.Set) error {
		if x == 1 {
			return &gram.ConfigError{Field: "x", Value: x, Want: "another"}
		}
		return nil
	}}
	_, err := Config{Methods: []catalog.Method{bad.method()}, Grid: []Choice{{"x", []string{"0", "1"}}}, Folds: 3, Run: gram.Run{Workers: 1}}.Do(t.Context(), d)
	var ce *gram.ConfigError
	if !errors.As(err, &ce) || !strings.HasPrefix(err.Error(), "x=1: ") || len(bad.runs) != 4 {
		t.Errorf("%v after %d fits", err, len(bad.runs))
	}
	denied := &recorder{deny: errors.New("no plan")}
	if _, err := (Config{Methods: []catalog.Method{denied.method()}, Grid: grid, Folds: 3}).Do(t.Context(), d); !errors.Is(err, denied.deny) || !strings.HasPrefix(err.Error(), "x=1: ") || len(denied.runs) != 0 {
		t.Errorf("%v after %d fits without a plan", err, len(denied.runs))
	}
	slow := &recorder{fit: func(float64, *dataset.Set) error { return &gram.ConvergenceError{Iter: 1} }}
	if _, err := (Config{Methods: []catalog.Method{slow.method()}, Grid: grid, Folds: 3}).Do(t.Context(), d); err == nil || !strings.Contains(err.Error(), "not converged") {
		t.Errorf("no model comes with the error: %v", err)
	}
	m := new(recorder).method()
	m.Tasks = m.Tasks[1:]
	if _, err := (Config{Methods: []catalog.Method{m}, Grid: grid}).Do(t.Context(), d); !errors.As(err, &ce) || ce.Field != "task" || !strings.Contains(ce.Want, "regression or multilabel") {
		t.Errorf("another task: %v", err)
	}
}

// A canceled search ends with the context's error.
func TestSearchCanceled(t *testing.T) {
	d := catalogtest.Set(algotest.Problem(1, 60, 3, 3), algotest.Classification)
	ctx, cancel := context.WithCancel(context.Background())
	r := &recorder{fit: func(float64, *dataset.Set) error { cancel(); return nil }}
	if _, err := (Config{Methods: []catalog.Method{r.method()}, Grid: []Choice{{"x", []string{"0", "1"}}}, Run: gram.Run{Workers: 1}}).Do(ctx, d); err != context.Canceled || len(r.runs) != 1 {
		t.Errorf("%v after %d fits", err, len(r.runs))
	}
}
