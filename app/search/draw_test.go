package search

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
)

// without returns the trials without their times.
func without(f *Found) []Trial {
	all := slices.Clone(f.Trials)
	for i := range all {
		all[i].Seconds = 0
	}
	return all
}

// The candidates that are drawn depend on the seed and not on the number of workers or of
// trials; the first of each method is its default, and each is judged as it is by itself.
func TestDraw(t *testing.T) {
	d := catalogtest.Set(algotest.Problem(3, 90, 3, 2), algotest.Classification)
	s := Config{Methods: []catalog.Method{catalog.Must("linear"), catalog.Must("svm")}, Trials: 6, Folds: 3, Scales: Scales(d), Run: gram.Run{Seed: 4, Workers: 1}}
	want := search(t, s, d)
	if len(want.Trials) != 6 || want.Trials[0].Settings != nil || want.Trials[1].Settings != nil || want.Trials[0].Scale != "auto" {
		t.Fatalf("%+v", want.Trials)
	}
	for i, trial := range want.Trials {
		if trial.Method != []string{"linear", "svm"}[i%2] || trial.Number != i {
			t.Errorf("trial %d is %+v", i, trial)
		}
		if i < 2 {
			continue
		}
		var names, grid []string
		for _, set := range trial.Settings {
			name, value, _ := strings.Cut(set, "=")
			names, grid = append(names, name), append(grid, name+"="+value)
		}
		if got := strings.Join(names, " "); got != []string{"c", "gamma c"}[i%2] {
			t.Errorf("%s varies %s", trial.Method, got)
		}
		choices, err := ParseGrid(strings.Join(grid, ";"))
		if err != nil {
			t.Fatal(err)
		}
		scale, err := training.ParseScale(trial.Scale)
		if err != nil {
			t.Fatal(err)
		}
		alone := search(t, Config{Methods: []catalog.Method{s.Methods[i%2]}, Grid: choices, Folds: 3, Scale: scale, Run: s.Run}, d)
		if !slices.Equal(alone.Trials[0].Folds, trial.Folds) {
			t.Errorf("%s %v: %v, alone %v", trial.Method, trial.Settings, trial.Folds, alone.Trials[0].Folds)
		}
	}
	s.Workers, s.Trials = 5, 8
	if more := search(t, s, d); !reflect.DeepEqual(without(more)[:6], without(want)) {
		t.Error("more trials or workers change those before")
	}
	s.Seed = 5
	if other := search(t, s, d); reflect.DeepEqual(other.Trials[3].Settings, want.Trials[3].Settings) {
		t.Error("another seed draws the same")
	}
}

// A range that a plan refuses on these targets is left out; one that is given, too. That of
// support vector regression is in units of the target.
func TestRanges(t *testing.T) {
	values := catalogtest.Set(algotest.Problem(3, 90, 3, 2), algotest.Regression)
	for _, c := range []struct {
		s    Config
		want string
	}{
		{Config{Methods: []catalog.Method{catalog.Must("linear")}}, "lambda"},
		{Config{Methods: []catalog.Method{catalog.Must("nystrom")}}, "gamma"},
		{Config{Methods: []catalog.Method{catalog.Must("svr")}}, "gamma c epsilon"},
		{Config{Methods: []catalog.Method{catalog.Must("svr")}, Settings: []string{"c=1"}}, "gamma epsilon"},
	} {
		c.s.Folds = 3
		var names []string
		for _, r := range c.s.ranges(c.s.Methods[0], values) {
			names = append(names, r.name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.s.Methods[0].Name, got, c.want)
		}
	}
	large := *values
	large.Value = slices.Clone(values.Value)
	for i := range large.Value {
		large.Value[i] *= 1000
	}
	s := Config{Methods: []catalog.Method{catalog.Must("svr")}, Folds: 3}
	a, b := s.ranges(catalog.Must("svr"), values), s.ranges(catalog.Must("svr"), &large)
	if ratio := b[1].in.High / a[1].in.High; !(ratio > 999 && ratio < 1001) || b[0].in.High != a[0].in.High {
		t.Errorf("c up to %g and %g", a[1].in.High, b[1].in.High)
	}
	for _, m := range catalog.Methods() { // every value of every range can be set
		for _, set := range m.New().Settings().Settings {
			if set.Search == nil {
				continue
			}
			for _, u := range []float64{0, .3, .999999} {
				if err := m.New().Settings().Set(set.Name + "=" + set.Search.At(u)); err != nil {
					t.Errorf("%s: %v", m.Name, err)
				}
			}
		}
	}
}

// A search makes a fit for each candidate, fold and repeat.
func TestFits(t *testing.T) {
	grid := []Choice{{"a", []string{"1", "2", "3"}}, {"b", []string{"1", "2"}}}
	for want, c := range map[int]Config{30: {Grid: grid, Folds: 5}, 60: {Grid: grid, Folds: 5, Repeats: 2}, 12: {Trials: 4, Folds: 3}} {
		if got := c.Fits(1); got != want {
			t.Errorf("%d fits, want %d", got, want)
		}
	}
}

// Rows of a group are never on both sides, and repetitions divide anew.
func TestSearchSplits(t *testing.T) {
	d := catalogtest.Set(algotest.Problem(3, 60, 3, 2), algotest.Regression)
	group := make([]int, 60)
	for i := range group {
		group[i] = i / 5
	}
	s := Config{Folds: 3, Repeats: 2, Group: group, Run: gram.Run{Seed: 1}}
	splits, err := s.splits(d)
	if err != nil || len(splits) != 6 || slices.Equal(splits[0].Held, splits[3].Held) {
		t.Fatalf("%d splits, %v", len(splits), err)
	}
	for _, split := range splits {
		in := map[int]bool{}
		for _, i := range split.Train {
			in[group[i]] = true
		}
		for _, i := range split.Held {
			if in[group[i]] {
				t.Fatalf("group %d is on both sides", group[i])
			}
		}
	}
	s.Folds = 13
	if _, err := s.splits(d); err == nil || !strings.Contains(err.Error(), "groups, 12") {
		t.Errorf("13 folds of 12 groups: %v", err)
	}
}

// A search that was interrupted goes on where it was: trainings whose scores are in the
// journal are not made again, however its last line ends.
func TestJournal(t *testing.T) {
	d := catalogtest.Set(algotest.Problem(3, 60, 3, 2), algotest.Classification)
	path := filepath.Join(t.TempDir(), "journal")
	grid := []Choice{{"x", []string{"0", "1"}}}
	calls, limit := 0, 100
	ctx, cancel := context.WithCancel(t.Context())
	r := &recorder{fit: func(float64, *dataset.Set) error {
		if calls++; calls == limit {
			cancel()
		}
		return nil
	}}
	s := Config{Methods: []catalog.Method{r.method()}, Grid: grid, Folds: 3, Run: gram.Run{Workers: 1}}
	want := search(t, s, d)
	s.Journal, calls, limit = path, 0, 4
	if _, err := s.Do(ctx, d); err != context.Canceled {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil || strings.Count(string(whole), "\n") != 4 {
		t.Fatalf("%q, %v", whole, err)
	}
	if err := os.WriteFile(path, append(whole, `{"Candidate":"recor`...), 0o666); err != nil {
		t.Fatal(err)
	}
	calls, limit = 0, 100
	if got := search(t, s, d); calls != 3 || !reflect.DeepEqual(without(got), without(want)) || got.Best != want.Best {
		t.Errorf("%d trainings more: %+v", calls, got)
	}
	if calls = 0; len(search(t, s, d).Trials) != 2 || calls != 0 {
		t.Errorf("%d trainings of a search that is over", calls)
	}
	for what, other := range map[string]func(*Config){
		"seed": func(s *Config) { s.Seed = 7 }, "folds": func(s *Config) { s.Folds = 4 }, "metric": func(s *Config) { s.Metric = "balanced_accuracy" },
		"data": func(s *Config) { s.Group = make([]int, 60) },
	} {
		u := s
		if other(&u); what == "data" {
			for i := range u.Group {
				u.Group[i] = i
			}
		}
		if _, err := u.Do(t.Context(), d); err == nil || !strings.Contains(err.Error(), "another "+what) {
			t.Errorf("another %s: %v", what, err)
		}
	}
	if err := os.WriteFile(path, []byte("a line\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Do(t.Context(), d); err == nil || !strings.Contains(err.Error(), "not the journal") {
		t.Errorf("another file: %v", err)
	}
}

// The journal keeps that a training failed or did not converge.
func TestJournalFailures(t *testing.T) {
	d := catalogtest.Set(algotest.Problem(3, 60, 3, 2), algotest.Regression)
	s := Config{Methods: []catalog.Method{catalog.Must("krr")}, Settings: []string{"kernel=linear", "no-bias=true", "lambda=1e-30"},
		Grid: []Choice{{"solver", []string{"cholesky", "eigen", "cg"}}}, Folds: 3, Journal: filepath.Join(t.TempDir(), "journal")}
	want := search(t, s, d)
	if got := search(t, s, d); !reflect.DeepEqual(without(got), without(want)) || got.Trials[0].Failed == "" {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// The budget leaves the first candidate, whose scores are those of a search without one.
func TestSearchBudget(t *testing.T) {
	d := catalogtest.Set(algotest.Problem(3, 60, 3, 2), algotest.Classification)
	s := Config{Methods: []catalog.Method{catalog.Must("linear")}, Folds: 3, Run: gram.Run{Seed: 1}}
	all := s
	all.Trials = 3
	want := search(t, all, d)
	s.Budget = 1 // ns
	if got := search(t, s, d); len(got.Trials) != 1 || !reflect.DeepEqual(without(got)[0], without(want)[0]) {
		t.Errorf("%+v", got)
	}
	s.Budget, s.Trials = time.Hour, 3
	if got := search(t, s, d); !reflect.DeepEqual(without(got), without(want)) {
		t.Errorf("%+v", got)
	}
	var reported []int
	all.Report = func(t Trial) { reported = append(reported, t.Number) }
	search(t, all, d)
	if slices.Sort(reported); !slices.Equal(reported, []int{0, 1, 2}) {
		t.Errorf("reported %v", reported)
	}
	if b, err := json.Marshal(want); err != nil || !strings.Contains(string(b), `"method":"linear"`) {
		t.Errorf("%s, %v", b, err)
	}
}
