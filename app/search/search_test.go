package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/num/rng"
)

func search(t *testing.T, s Config, d *dataset.Set) *Found {
	t.Helper()
	f, err := s.Do(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestParseGrid(t *testing.T) {
	got, err := ParseGrid("c=1, 10;gamma=scale,0.5")
	if err != nil || len(got) != 2 || got[0].Name != "c" || !slices.Equal(got[0].Values, []string{"1", "10"}) || !slices.Equal(got[1].Values, []string{"scale", "0.5"}) {
		t.Errorf("%v, %v", got, err)
	}
	got, err = ParseGrid("kernel=linear,polynomial(degree=2,offset=0)*linear, (gaussian(gamma=2)+linear)*matern(nu=0.5,length=2)")
	if want := []string{"linear", "polynomial(degree=2,offset=0)*linear", "(gaussian(gamma=2)+linear)*matern(nu=0.5,length=2)"}; err != nil || !slices.Equal(got[0].Values, want) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "c", "=1", "c=1,,2", "c=1;", "c=", "c=1,1"} {
		if _, err := ParseGrid(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// Every score is what training and judging by hand gives, swept or not, and the
// best is the best.
func TestSearchScores(t *testing.T) {
	p := algotest.Problem(3, 90, 3, 3)
	for _, c := range []struct {
		m    catalog.Method
		d    *dataset.Set
		grid string
	}{
		{catalog.Must("krr"), catalogtest.Set(p, algotest.Regression), "gamma=0.05,0.5;lambda=0.01,0.1,1"},
		{catalog.Must("krr"), catalogtest.Set(p, algotest.Classification), "lambda=0.01,1;gamma=0.05,scale"},
		{catalog.Must("falkon"), catalogtest.Set(p, algotest.Regression), "lambda=0.01,0.1,1;gamma=0.05,0.5"},
		{catalog.Must("dc-krr"), catalogtest.Set(p, algotest.Regression), "parts=1,3"},
		{catalog.Must("linear"), catalogtest.Set(p, algotest.Classification), "c=0.01,10"},
	} {
		grid, err := ParseGrid(c.grid)
		if err != nil {
			t.Fatal(err)
		}
		s := Config{Methods: []catalog.Method{c.m}, Grid: grid, Folds: 3, Scale: training.Standard, Run: gram.Run{Seed: 5}}
		if c.m.New().Settings().Lookup("solver") != nil && c.m.Name != "linear" {
			s.Settings = []string{"solver=cholesky"}
		}
		got := search(t, s, c.d)
		folds := c.d.Folds(3, rng.Derive(5, "folds"))
		for i, trial := range got.Trials {
			var mean float64
			for f := range folds {
				a, b := dataset.Fold(folds, f)
				fitter := catalogtest.Trainable(t, c.m, append(slices.Clone(s.Settings), trial.Settings...)...)
				m, err := training.Train(context.Background(), c.m, fitter, c.d.Select(a), training.Standard, gram.Run{Seed: 5})
				if err != nil {
					t.Fatal(err)
				}
				test := c.d.Select(b)
				x, _ := m.Scaled(test.X)
				var v float64
				if got.Metric == "rmse" {
					v = metric.RMSE(m.Model.(gram.Regressor).Predict(nil, x), test.Value)
				} else {
					v = metric.Accuracy(m.Model.(gram.Classifier).Predict(nil, x), test.Labels.Class)
				}
				if !(math.Abs(v-trial.Folds[f]) < 1e-9) {
					t.Errorf("%s %v, fold %d: %g, want %g", c.m.Name, trial.Settings, f, trial.Folds[f], v)
				}
				mean += v / 3
			}
			if !(math.Abs(mean-trial.Score) < 1e-9) || !trial.Converged || trial.Failed != "" {
				t.Errorf("%s %v: %+v, want the score %g", c.m.Name, trial.Settings, trial, mean)
			}
			better := func(a, b float64) bool { return (a > b) == (got.Metric != "rmse") && a != b }
			if best := got.Trials[got.Best]; better(trial.Score, best.Score) || i < got.Best && trial.Score == best.Score {
				t.Errorf("%s: %v is not the best", c.m.Name, best.Settings)
			}
		}
	}
}

// The number of workers and the limit change nothing but the time.
func TestSearchIsDeterministic(t *testing.T) {
	d := catalogtest.Set(algotest.Problem(3, 120, 3, 3), algotest.Classification)
	grid := []Choice{{"gamma", []string{"0.1", "1"}}, {"m", []string{"5", "20"}}}
	s := Config{Methods: []catalog.Method{catalog.Must("nystrom")}, Grid: grid, Run: gram.Run{Seed: 2}}
	want := search(t, s, d)
	var me *gram.MemoryError
	s.MemoryLimit = 1
	if _, err := s.Do(context.Background(), d); !errors.As(err, &me) {
		t.Fatalf("with a limit of one byte: %v", err)
	}
	for _, run := range []gram.Run{{Seed: 2, Workers: 1}, {Seed: 2, Workers: 7}, {Seed: 2, MemoryLimit: me.Need}} {
		s.Run = run
		got := search(t, s, d)
		for i := range got.Trials {
			if !slices.Equal(got.Trials[i].Folds, want.Trials[i].Folds) || got.Best != want.Best {
				t.Errorf("%+v: trial %v", run, got.Trials[i])
			}
		}
	}
}

// Halving leaves no combination with fewer rows than its settings ask for.
func TestSearchHalvingLeast(t *testing.T) {
	algotest.Serial(t)
	d := catalogtest.Set(algotest.Problem(3, 900, 3, 3), algotest.Classification)
	for m, share := range map[string]float64{"10,20": .25, "10,160": .5, "10,350": 1} {
		grid, err := ParseGrid("gamma=0.1,0.2,0.4,0.8;m=" + m)
		if err != nil {
			t.Fatal(err)
		}
		f := search(t, Config{Methods: []catalog.Method{catalog.Must("nystrom")}, Grid: grid, Folds: 3, Halving: 2, Run: gram.Run{Seed: 2}}, d)
		low := 1.
		for _, trial := range f.Trials {
			low = min(low, trial.Share)
		}
		if best := f.Trials[f.Best]; low != share || best.Share != 1 || best.Failed != "" {
			t.Errorf("m=%s: shares from %g, want %g; the best is %+v", m, low, share, best)
		}
	}
}

func TestSearchErrors(t *testing.T) {
	d := catalogtest.Set(algotest.Problem(3, 60, 3, 3), algotest.Regression)
	for what, s := range map[string]Config{
		"no such":    {Methods: []catalog.Method{catalog.Must("krr")}, Grid: []Choice{{"nope", []string{"1"}}}},
		"not a":      {Methods: []catalog.Method{catalog.Must("krr")}, Grid: []Choice{{"lambda", []string{"1", "x"}}}},
		"twice":      {Methods: []catalog.Method{catalog.Must("krr")}, Settings: []string{"lambda=1"}, Grid: []Choice{{"lambda", []string{"1"}}}},
		"folds":      {Methods: []catalog.Method{catalog.Must("krr")}, Grid: []Choice{{"lambda", []string{"1"}}}, Folds: 61},
		"gamma=-1":   {Methods: []catalog.Method{catalog.Must("krr")}, Grid: []Choice{{"gamma", []string{"1", "-1"}}}},
		"Kernel":     {Methods: []catalog.Method{catalog.Must("krr")}, Grid: []Choice{{"gamma", []string{"-1"}}}},
		"no values":  {Methods: []catalog.Method{catalog.Must("krr")}, Grid: []Choice{{"gamma", nil}}},
		"at most":    {Methods: []catalog.Method{catalog.Must("krr")}, Grid: []Choice{{"gamma", thousands()}, {"lambda", thousands()}}},
		"setting \"": {Methods: []catalog.Method{catalog.Must("krr")}, Settings: []string{"foo=1"}, Grid: []Choice{{"gamma", []string{"1"}}}},
	} {
		_, err := s.Do(context.Background(), d)
		if err == nil || !(strings.Contains(err.Error(), what) || what == "no such" && strings.Contains(err.Error(), "no setting") || what == "not a") {
			t.Errorf("%s: error %v", what, err)
		}
	}
	// A setting that no kernel uses is refused, and one that some do is set for these alone.
	var c *gram.ConfigError
	unused := Config{Methods: []catalog.Method{catalog.Must("krr")}, Settings: []string{"kernel=linear"}, Grid: []Choice{{"offset", []string{"1", "2"}}}}
	if _, err := unused.Do(context.Background(), d); !errors.As(err, &c) || c.Field != "offset" {
		t.Errorf("a setting that the kernel does not use: %v", err)
	}
	some := search(t, Config{Methods: []catalog.Method{catalog.Must("krr")}, Grid: []Choice{{"gamma", []string{"0.1", "1"}}, {"kernel", []string{"gaussian", "matern"}}, {"lambda", []string{"0.1", "1"}}}}, d)
	for _, trial := range some.Trials {
		text := strings.Join(trial.Settings, " ")
		if trial.Failed != "" || strings.Contains(text, "gamma") != strings.Contains(text, "gaussian") || !strings.Contains(text, "lambda") {
			t.Errorf("%s: %s", text, trial.Failed)
		}
	}
	// A combination that cannot be trained is no reason to stop.
	s := Config{Methods: []catalog.Method{catalog.Must("krr")}, Settings: []string{"kernel=linear", "solver=cholesky", "no-bias=true"}, Grid: []Choice{{"lambda", []string{"1e-30"}}, {"per-row", []string{"false", "true"}}}}
	if _, err := s.Do(context.Background(), d); err == nil || !strings.Contains(err.Error(), "no combination") {
		t.Errorf("nothing can be trained: %v", err)
	}
	s.Settings, s.Grid = []string{"kernel=linear", "no-bias=true", "lambda=1e-30"}, []Choice{{"solver", []string{"cholesky", "eigen"}}}
	f := search(t, s, d)
	if f.Best != 1 || f.Trials[0].Failed == "" || f.Trials[0].Converged {
		t.Errorf("found %+v", f)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Do(ctx, d); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func thousands() []string {
	var v []string
	for i := range 1000 {
		v = append(v, fmt.Sprint(i+1))
	}
	return v
}

func ExampleConfig_Do() {
	data, _ := dataset.Sine.Draw(200, 1)
	grid, err := ParseGrid("gamma=0.01,1;lambda=0.01,1,100")
	if err != nil {
		panic(err)
	}
	m, _ := catalog.Find("krr")
	found, err := Config{Methods: []catalog.Method{m}, Grid: grid}.Do(context.Background(), data)
	if err != nil {
		panic(err)
	}
	best := found.Trials[found.Best]
	fmt.Printf("%s, %s %.2f\n", strings.Join(best.Settings, " "), found.Metric, best.Score)
	// Output: gamma=1 lambda=0.01, rmse 0.05
}

// A search says which of the chosen numbers have nothing beyond them.
func TestAtEdge(t *testing.T) {
	s := Config{Grid: []Choice{
		{Name: "c", Values: []string{"10", "9", "100"}}, {Name: "gamma", Values: []string{"1"}}, {Name: "model", Values: []string{"svm", "logistic"}},
	}}
	for c, want := range map[string]string{"9": "9 is the smallest c tried", "10": "", "100": "100 is the largest c tried"} {
		hints := s.AtEdge(Trial{Settings: []string{"c=" + c, "gamma=1", "model=svm"}})
		if got := strings.Join(hints, "; "); got != want {
			t.Errorf("c=%s: %q, want %q", c, got, want)
		}
	}
}

// A search takes any measure of its targets, and refuses those it cannot compute.
func TestSearchMetric(t *testing.T) {
	p := algotest.Problem(1, 60, 3, 2)
	grid, err := ParseGrid("c=.01,1")
	if err != nil {
		t.Fatal(err)
	}
	s := Config{Methods: []catalog.Method{catalog.Must("svm")}, Grid: grid, Folds: 3}
	d := catalogtest.Set(p, algotest.Classification)
	for _, name := range []string{"auc", "macro_f1", "balanced_accuracy", "average_precision"} {
		s.Metric = name
		found := search(t, s, d)
		if found.Metric != name || !(found.Trials[found.Best].Score > .5) || !(found.Trials[found.Best].Score >= found.Trials[1-found.Best].Score) {
			t.Errorf("%s: %+v", name, found)
		}
	}
	for _, name := range []string{"rmse", "log_loss", "acuracy"} {
		s.Metric = name
		var config *gram.ConfigError
		if _, err := s.Do(t.Context(), d); !errors.As(err, &config) {
			t.Errorf("%s: %v", name, err)
		}
	}
	trees := Config{Methods: []catalog.Method{catalog.Must("gbdt")}, Metric: "log_loss", Folds: 3, Grid: []Choice{{"rounds", []string{"1", "20"}}}, Settings: []string{"min-rows=4"}}
	if found := search(t, trees, d); found.Best != 1 || !(found.Trials[1].Score < found.Trials[0].Score) {
		t.Errorf("log loss: %+v", found)
	}
	values := Config{Methods: []catalog.Method{catalog.Must("krr")}, Metric: "r2", Folds: 3, Grid: []Choice{{"lambda", []string{"1e-2", "1e6"}}}}
	if found := search(t, values, catalogtest.Set(p, algotest.Regression)); found.Best != 0 {
		t.Errorf("r2: %+v", found)
	}
}

// Combinations that differ in settings alone which the kernel does not use are trained once, swept or not, and the best one has hints.
func TestSearchTrainsEqualCombinationsOnce(t *testing.T) {
	d := catalogtest.Set(algotest.Problem(3, 60, 3, 3), algotest.Regression)
	for _, c := range []struct {
		method, grid string
		trials, same int
	}{
		{"krr", "kernel=linear,gaussian;gamma=0.1,0.2,0.4", 4, 2},
		{"krr", "lambda=0.1,1;kernel=linear,gaussian;gamma=0.1,0.2,0.4", 8, 4},
		{"krr", "gamma=0.1,0.2;lambda=0.1,1;kernel=linear,gaussian", 6, 2},
		{"svr", "kernel=linear,gaussian;gamma=0.1,0.2;c=1,2", 6, 2},
	} {
		grid, err := ParseGrid(c.grid)
		if err != nil {
			t.Fatal(err)
		}
		s := Config{Methods: []catalog.Method{catalog.Must(c.method)}, Grid: grid, Folds: 3, Run: gram.Run{Seed: 5}}
		found := search(t, s, d)
		names := map[string]bool{}
		for i, trial := range found.Trials {
			if names[fmt.Sprint(trial.Settings)] = true; trial.Number != i || trial.Failed != "" || len(trial.Folds) != 3 {
				t.Errorf("%s: trial %+v", c.grid, trial)
			}
			s.AtEdge(trial)
		}
		if len(found.Trials) != c.trials || found.Same != c.same || len(names) != c.trials {
			t.Errorf("%s: %d trials, %d different, %d the same", c.grid, len(found.Trials), len(names), found.Same)
		}
	}
}

// Trainings that are made apart, in any order, give what Do gives: with a grid that is swept, drawn candidates, repeats, halving, and
// candidates that fail.
func TestTrainingsAreTheSearch(t *testing.T) {
	values := catalogtest.Set(algotest.Problem(3, 400, 3, 3), algotest.Regression)
	classes := catalogtest.Set(algotest.Problem(3, 90, 3, 3), algotest.Classification)
	grid := func(text string) []Choice {
		g, err := ParseGrid(text)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	bad := &recorder{fit: func(x float64, _ *dataset.Set) error {
		if x == 1 {
			return errors.New("not one")
		}
		return nil
	}}
	for name, c := range map[string]struct {
		s Config
		d *dataset.Set
	}{
		"swept":   {Config{Methods: []catalog.Method{catalog.Must("krr")}, Grid: grid("gamma=0.05,0.5;lambda=0.01,0.1,1"), Folds: 3}, classes},
		"halving": {Config{Methods: []catalog.Method{catalog.Must("krr")}, Grid: grid("gamma=0.01,0.1,1,10;lambda=0.01,1"), Folds: 3, Halving: 2}, values},
		"drawn":   {Config{Methods: []catalog.Method{catalog.Must("linear"), catalog.Must("svm")}, Trials: 5, Folds: 2, Repeats: 2, Scales: Scales(classes)}, classes},
		"seeded":  {Config{Methods: []catalog.Method{catalog.Must("rff")}, Settings: []string{"m=10"}, Grid: grid("gamma=0.1,1"), Folds: 3}, values},
		"failing": {Config{Methods: []catalog.Method{bad.method()}, Grid: grid("x=0,1,2,3"), Folds: 3}, values},
	} {
		c.s.Run = gram.Run{Seed: 4, Workers: 2}
		want := search(t, c.s, c.d)
		made := map[string][]Score{}
		var drawn []Candidate
		rungs, trained := 0, 0
		for {
			s := c.s
			s.Drawn = drawn
			all, err := s.Trainings(c.d) // of another process
			if err != nil {
				t.Fatal(err)
			}
			drawn = all.Drawn()
			var mu sync.Mutex
			list, found, err := all.Rung(t.Context(), func(of Training) ([]Score, error) {
				mu.Lock()
				defer mu.Unlock()
				return made[of.Name], nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if found != nil {
				for _, f := range []*Found{found, want} {
					for i := range f.Trials {
						f.Trials[i].Seconds = 0
					}
				}
				if fmt.Sprintf("%+v", found) != fmt.Sprintf("%+v", want) {
					t.Errorf("%s:\n%+v, want\n%+v", name, found, want)
				}
				break
			}
			if list[0].Rung != rungs {
				t.Fatalf("%s: rung %d, want %d", name, list[0].Rung, rungs)
			}
			for k := len(list) - 1; k >= 0; k-- {
				if trained++; made[list[k].Name] != nil {
					t.Errorf("%s: %s is there", name, list[k].Name)
				}
				scores, err := all.Train(t.Context(), list[k], gram.Run{Workers: 1})
				if err != nil {
					t.Fatal(err)
				}
				made[list[k].Name] = scores
			}
			rungs++
		}
		if want := map[string]int{"halving": 2}[name]; rungs < max(1, want) || trained != len(made) {
			t.Errorf("%s: %d rungs, %d trainings, %d different", name, rungs, trained, len(made))
		}
	}
	for what, s := range map[string]Config{
		"Budget": {Methods: []catalog.Method{catalog.Must("krr")}, Trials: 2, Budget: 1},
		"Drawn":  {Methods: []catalog.Method{catalog.Must("krr")}, Drawn: []Candidate{{Method: "svm"}}},
	} {
		var config *gram.ConfigError
		if _, err := s.Trainings(classes); !errors.As(err, &config) || config.Field != what {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A score that is no number, and a residual that is none, come back from a text in JSON.
func TestScoresAreStored(t *testing.T) {
	list := candidates{all: []trialSettings{{method: catalog.Must("krr")}, {method: catalog.Must("svr")}}}
	task := crossval.Task{Candidates: []int{0, 1}}
	slow := &gram.ConvergenceError{Iter: 3, Residual: math.NaN(), Tol: 1}
	text, err := json.Marshal(Config{}.scored(t.Context(), list, task, []float64{math.Inf(1), 2}, 1, slow))
	if err != nil {
		t.Fatal(err)
	}
	var back []Score
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	scores, seconds, err := judgedBy(back)
	if len(scores) != 2 || scores[0] == scores[0] || scores[1] != 2 || seconds != 1 || !crossval.Unfinished(err) {
		t.Errorf("%v, %v, %v", scores, seconds, err)
	}
}
