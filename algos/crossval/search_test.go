package crossval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
)

// quality scores candidate c on row i of a problem in which lower candidates are better
// and n training rows blur that by spread/n.
func quality(c, n, i int, spread float64) float64 {
	return float64(c) + spread/float64(n)*math.Sin(float64(7*c+i))
}

// known judges by quality.
func known(spread float64) Judge {
	return func(_ context.Context, t Task) ([]float64, error) {
		var scores []float64
		for _, c := range t.Candidates {
			var sum float64
			for _, i := range t.Held {
				sum += quality(c, len(t.Train), i, spread)
			}
			scores = append(scores, sum/float64(len(t.Held)))
		}
		return scores, nil
	}
}

// Mean and deviation are those of the scores, and the result is the same for any number
// of workers, limit and path.
func TestSearch(t *testing.T) {
	s := Search{Splits: Folds(60, 5, nil, 1), Run: gram.Run{Workers: 1}}
	want := must.Have(s.Do(t.Context(), Each(12), known(30)))(t)
	if want.Best != 0 {
		t.Errorf("the best is %d", want.Best)
	}
	for c, trial := range want.Trials {
		var mean, square float64
		for _, v := range trial.Scores {
			mean += v / 5
		}
		for _, v := range trial.Scores {
			square += (v - mean) * (v - mean) / 4
		}
		if !(math.Abs(trial.Mean-mean) <= 1e-12 && math.Abs(trial.Std-math.Sqrt(square)) <= 1e-12) || trial.Share != 1 || !trial.Converged || trial.Err != nil {
			t.Errorf("candidate %d: %+v", c, trial)
		}
	}
	for _, run := range []gram.Run{{Workers: 7}, {Workers: 4, MemoryLimit: 100}} {
		for _, paths := range [][][]int{Each(12), Grid{3, 4}.Paths(0), Grid{3, 4}.Paths(1)} {
			s.Run, s.Bytes = run, 30
			got := must.Have(s.Do(t.Context(), paths, known(30)))(t)
			for c := range got.Trials {
				if !slices.Equal(got.Trials[c].Scores, want.Trials[c].Scores) || got.Best != want.Best {
					t.Errorf("%+v, %v: candidate %d has %v", run, paths, c, got.Trials[c].Scores)
				}
			}
		}
	}
	s = Search{Splits: s.Splits[:1], Larger: true}
	if r, err := s.Do(t.Context(), Each(12), known(0)); err != nil || r.Best != 11 || r.Trials[3].Std != 0 {
		t.Errorf("the largest of one split: %+v, %v", r, err)
	}
}

// The time of a path is shared among its candidates, and the context of the trainings
// ends with the search.
func TestSearchSeconds(t *testing.T) {
	s := Search{Splits: Folds(12, 3, nil, 1), Run: gram.Run{Workers: 1}}
	var inner context.Context
	begin := time.Now()
	r := must.Have(s.Do(t.Context(), Grid{2, 8}.Paths(1), func(ctx context.Context, t Task) ([]float64, error) {
		inner = ctx
		time.Sleep(time.Millisecond)
		return make([]float64, 8), nil
	}))(t)
	var sum float64
	for _, trial := range r.Trials {
		sum += trial.Seconds
	}
	if total := time.Since(begin).Seconds(); !(sum >= 6e-3 && sum <= total) {
		t.Errorf("%g s of %g", sum, total)
	}
	if inner.Err() == nil {
		t.Error("the context outlives the search")
	}
}

// Of equals the first is best, one that fails or has no number for a score is not, and
// one that has not converged may be.
func TestTrials(t *testing.T) {
	trouble := errors.New("trouble")
	judge := func(_ context.Context, t Task) ([]float64, error) {
		switch t.Candidates[0] {
		case 0:
			if t.Fold == 1 {
				return nil, trouble
			}
		case 1:
			return []float64{math.NaN()}, nil
		case 2:
			return []float64{math.Inf(-1)}, nil
		case 3:
			return nil, &gram.ConvergenceError{}
		case 4:
			return []float64{9}, &gram.ConvergenceError{}
		case 5:
			return []float64{9}, trouble
		}
		return []float64{9}, nil
	}
	s := Search{Splits: Folds(10, 2, nil, 1)}
	r, err := s.Do(t.Context(), Each(7), judge)
	if err != nil {
		t.Fatal(err)
	}
	if r.Best != 4 || r.Trials[4].Converged || !r.Trials[6].Converged {
		t.Errorf("the best is %d: %+v", r.Best, r.Trials[r.Best])
	}
	for c, trial := range r.Trials {
		if failed := c < 4 || c == 5; failed != (trial.Err != nil) || failed != (trial.Scores == nil) || failed && trial.Converged {
			t.Errorf("candidate %d: %+v", c, trial)
		}
	}
	if r, err = s.Do(t.Context(), [][]int{{0}}, judge); !errors.Is(err, trouble) || r != nil {
		t.Errorf("all fail: %v", err)
	}
	if r, err = s.Do(t.Context(), [][]int{{0, 1}, {2}}, func(_ context.Context, t Task) ([]float64, error) {
		if t.Candidates[0] == 0 {
			return nil, trouble
		}
		return nil, errors.New("another")
	}); !errors.Is(err, trouble) || r != nil {
		t.Errorf("all of several fail: %v", err)
	}
	// The order of the numbers decides, whatever that of the paths.
	for _, larger := range []bool{false, true} {
		s := Search{Splits: s.Splits, Larger: larger}
		r := must.Have(s.Do(t.Context(), [][]int{{2}, {1, 0}}, func(_ context.Context, t Task) ([]float64, error) {
			return make([]float64, len(t.Candidates)), nil
		}))(t)
		if r.Best != 0 {
			t.Errorf("of equals %d is best", r.Best)
		}
	}
	for what, scores := range map[string][]float64{"too few scores": {1}, "too many scores": {1, 2, 3}, "nothing": nil} {
		s := Search{Splits: s.Splits, Run: gram.Run{Workers: 1}}
		if p := must.Recovered(func() {
			_, _ = s.Do(t.Context(), [][]int{{0, 1}}, func(context.Context, Task) ([]float64, error) { return scores, nil })
		}); !strings.Contains(fmt.Sprint(p), "crossval: ") {
			t.Errorf("%s for two candidates: the panic is %v", what, p)
		}
	}
}

// Trainings share the workers and the memory: as many as both allow run at a time, and each has its part.
func TestSearchRuns(t *testing.T) {
	for _, c := range []struct {
		s       Search
		workers int
		limit   int64
	}{
		{Search{Run: gram.Run{Workers: 8, MemoryLimit: 100}, Bytes: 30}, 2, 33},
		{Search{Run: gram.Run{Workers: 2, MemoryLimit: 100}, Bytes: 30}, 1, 50},
		{Search{Run: gram.Run{Workers: 8, MemoryLimit: 100}}, 1, 16}, // six trainings
		{Search{Run: gram.Run{Workers: 13}}, 2, 0},
		{Search{Run: gram.Run{Workers: 5}}, 1, 0},
	} {
		var log recorded
		c.s.Splits, c.s.Seed, c.s.Progress = Folds(10, 2, nil, 1), 9, func(gram.Event) {}
		must.Have(c.s.Do(t.Context(), Each(3), log.judge(known(0))))(t)
		folds := [2]int{}
		for _, task := range log.tasks {
			folds[task.Fold]++
			if !slices.Equal(task.Held, c.s.Splits[task.Fold].Held) || task.Workers != c.workers || task.MemoryLimit != c.limit ||
				task.Seed != 9 || task.Progress != nil || task.Rung != 0 {
				t.Errorf("%+v: a training has %+v", c.s.Run, task.Run)
			}
		}
		if folds != [2]int{3, 3} {
			t.Errorf("%v trainings on the folds", folds)
		}
	}
}

// The seconds of a trial are those of all rungs, its share of those of a path. Keep has the time of the process in these shares.
func TestSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var rungs []int
		s := Search{Splits: Folds(800, 2, nil, 1), Run: gram.Run{Workers: 1}, clock: func() time.Duration { return 2 * time.Since(begin) }}
		judge := func(_ context.Context, t Task) ([]float64, error) {
			time.Sleep(time.Duration(1+t.Candidates[0]) * time.Second)
			rungs = append(rungs, t.Rung)
			return []float64{2, 1}[:len(t.Candidates)], nil
		}
		s.Halving = &Halving{Keep: func(left []int, trials []Trial, share float64, spent map[int]time.Duration) []int {
			for c, want := range map[int]time.Duration{0: 2 * time.Second, 1: 2 * time.Second, 2: 12 * time.Second} {
				if len(spent) == 3 && spent[c].Round(time.Millisecond) != want {
					t.Errorf("candidate %d has spent %v, want %v", c, spent[c], want)
				}
			}
			return left[:2]
		}}
		r := must.Have(s.Do(t.Context(), [][]int{{0, 1}, {2}}, judge))(t)
		// Candidate 1 goes on with 0 or 2, of which 0 has the lower number.
		for c, want := range []float64{1 + 1 + 1, 1 + 1 + 1, 6} {
			if got := r.Trials[c].Seconds; math.Abs(got-want) > 1e-9 {
				t.Errorf("candidate %d took %g s, want %g", c, got, want)
			}
		}
		if !slices.Equal(rungs, []int{0, 0, 0, 0, 1, 1, 2, 2}) || r.Best != 1 {
			t.Errorf("the best is %d, after the rungs %v", r.Best, rungs)
		}
	})
}

func TestSearchErrors(t *testing.T) {
	s := Search{Splits: Folds(10, 2, nil, 1)}
	good := known(0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Do(ctx, Each(3), good); err != context.Canceled {
		t.Errorf("canceled: %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	_, err := s.Do(ctx, Each(3), func(ctx context.Context, task Task) ([]float64, error) {
		cancel()
		return nil, ctx.Err()
	})
	if err != context.Canceled {
		t.Errorf("canceled on the way: %v", err)
	}
	var memory *gram.MemoryError
	limited := s
	limited.Bytes, limited.MemoryLimit = 11, 10
	if _, err := limited.Do(t.Context(), Each(3), good); !errors.As(err, &memory) || memory.Need != 11 || memory.Limit != 10 {
		t.Errorf("memory: %v", err)
	}
	for _, limit := range []int64{1, 11, 12} {
		limited.MemoryLimit = limit
		if _, err := limited.Do(t.Context(), Each(3), good); (err != nil) != (limit < 11) {
			t.Errorf("11 bytes of %d: %v", limit, err)
		}
	}
	var config *gram.ConfigError
	wrong := &gram.ConfigError{Field: "Lambda"}
	calls := 0
	s.Workers = 1
	if _, err = s.Do(t.Context(), Each(30), func(context.Context, Task) ([]float64, error) {
		calls++
		return nil, wrong
	}); err != error(wrong) || calls != 1 {
		t.Errorf("a setting: %v after %d calls", err, calls)
	}
	for field, s := range map[string]Search{
		"Splits": {},
		"Factor": {Splits: s.Splits, Halving: &Halving{Factor: -1}},
		"Least":  {Splits: s.Splits, Halving: &Halving{Least: -1}},
		"Rounds": {Splits: s.Splits, Halving: &Halving{Rounds: -1}},
	} {
		want := -1
		if field == "Splits" {
			want = 0
		}
		if _, err := s.Do(t.Context(), Each(3), good); !errors.As(err, &config) || config.Field != field || config.Value != want {
			t.Errorf("%s: %v", field, err)
		}
	}
	s.Halving = &Halving{Factor: 1}
	if _, err := s.Do(t.Context(), Each(3), good); !errors.As(err, &config) {
		t.Errorf("a factor of 1: %v", err)
	}
	if _, err := s.Do(t.Context(), nil, good); !errors.As(err, &config) || config.Field != "candidates" {
		t.Errorf("no candidates: %v", err)
	}
	for what, paths := range map[string][][]int{"twice": {{0, 1}, {1}}, "missing": {{0}, {2}}} {
		if must.Recovered(func() { _, _ = s.Do(t.Context(), paths, good) }) == nil {
			t.Errorf("candidates %s: no panic", what)
		}
	}
}

// The progress of a search goes up to the number of candidates on splits.
func TestSearchProgress(t *testing.T) {
	for _, h := range []*Halving{nil, {Least: 4}} {
		var last gram.Event
		s := Search{Splits: Folds(60, 3, nil, 1), Halving: h, Run: gram.Run{Progress: func(e gram.Event) {
			if e.Phase != "search" || e.Done <= last.Done || e.Done > e.Total {
				t.Errorf("%+v after %+v", e, last)
			}
			last = e
		}}}
		judge := known(0)
		if h != nil { // all but three fail
			judge = func(ctx context.Context, t Task) ([]float64, error) {
				if t.Candidates[0] > 2 {
					return nil, errors.New("trouble")
				}
				return known(0)(ctx, t)
			}
		}
		must.Have(s.Do(t.Context(), Each(8), judge))(t)
		if want := map[bool]int64{true: 24, false: 3 * (8 + 4 + 2)}[h == nil]; last.Done != want || last.Total != want {
			t.Errorf("the last event is %+v, want %d", last, want)
		}
	}
}

// recorded keeps the tasks.
type recorded struct {
	sync.Mutex
	tasks []Task
}

func (r *recorded) judge(judge Judge) Judge {
	return func(ctx context.Context, t Task) ([]float64, error) {
		r.Lock()
		r.tasks = append(r.tasks, t)
		r.Unlock()
		return judge(ctx, t)
	}
}

// On a problem where the order of the candidates is known, halving finds the best one
// with the budgets of [JT16], and rows that contain those of the rung before.
func TestHalving(t *testing.T) {
	const n, candidates = 1600, 16
	class := classes(n)
	for _, factor := range []int{2, 3, 4} {
		var log recorded
		s := Search{Splits: Folds(n, 2, class, 1), Halving: &Halving{Factor: factor, Least: 50, Class: class}, Run: gram.Run{Seed: 3}}
		r := must.Have(s.Do(t.Context(), Grid{8, 2}.Paths(1), log.judge(known(40))))(t)
		if r.Best != 0 || r.Trials[0].Share != 1 {
			t.Errorf("factor %d: the best is %d", factor, r.Best)
		}
		rows := map[int]int{} // candidates by the number of training rows
		for _, task := range log.tasks {
			rows[len(task.Train)] += len(task.Candidates)
			if !slices.IsSorted(task.Train) {
				t.Fatal("training rows are not in order")
			}
			for _, other := range log.tasks {
				if other.Fold == task.Fold && len(other.Train) < len(task.Train) && !within(other.Train, task.Train) {
					t.Fatal("a rung does not have the rows of the one before")
				}
			}
		}
		want := map[int]map[int]int{
			2: {100: 32, 200: 16, 400: 8, 800: 4},
			3: {89: 32, 267: 12, 800: 4},
			4: {200: 32, 800: 8},
		}[factor]
		if len(rows) != len(want) {
			t.Errorf("factor %d: %v candidates by rows, want %v", factor, rows, want)
		}
		for size, k := range want {
			if rows[size] != k {
				t.Errorf("factor %d: %v candidates by rows, want %v", factor, rows, want)
			}
		}
		// Those that go on are the best of their rung, and of equal budgets the order is known.
		for c, trial := range r.Trials {
			for d, other := range r.Trials {
				if c < d && trial.Share < other.Share {
					t.Errorf("factor %d: candidate %d went on and %d did not", factor, d, c)
				}
			}
		}
		// The same for any number of workers.
		s.Workers = 1
		again := must.Have(s.Do(t.Context(), Each(candidates), known(40)))(t)
		for c := range again.Trials {
			if !slices.Equal(again.Trials[c].Scores, r.Trials[c].Scores) || again.Trials[c].Share != r.Trials[c].Share {
				t.Errorf("factor %d: candidate %d is otherwise alone", factor, c)
			}
		}
	}
}

// within reports whether all of the ascending a are in the ascending b.
func within(a, b []int) bool {
	for _, v := range a {
		if _, found := slices.BinarySearch(b, v); !found {
			return false
		}
	}
	return true
}

// Where few rows mislead, halving loses what a full search finds: the documented limit.
func TestHalvingMisled(t *testing.T) {
	judge := func(_ context.Context, t Task) ([]float64, error) {
		c := float64(t.Candidates[0])
		if len(t.Train) < 200 {
			c = -c
		}
		return []float64{c}, nil
	}
	s := Search{Splits: Folds(400, 2, nil, 1)}
	if r, err := s.Do(t.Context(), Each(4), judge); err != nil || r.Best != 0 {
		t.Errorf("all rows: %+v, %v", r, err)
	}
	s.Halving = &Halving{}
	if r, err := s.Do(t.Context(), Each(4), judge); err != nil || r.Best != 2 {
		t.Errorf("halving: %+v, %v", r, err)
	}
	// Too few rows for a rung of 100 leave the full search.
	s.Splits = Folds(390, 2, nil, 1)
	if r, err := s.Do(t.Context(), Each(4), judge); err != nil || r.Trials[3].Share != 1 {
		t.Errorf("few rows: %+v, %v", r, err)
	}
}

// With rounds as the budget all rows are there, and the rounds grow.
func TestHalvingRounds(t *testing.T) {
	var log recorded
	s := Search{Splits: Folds(20, 2, nil, 1), Larger: true, Halving: &Halving{Rounds: 10}}
	r, err := s.Do(t.Context(), Each(8), log.judge(func(_ context.Context, t Task) ([]float64, error) {
		return []float64{float64(t.Candidates[0]) * float64(t.Rounds)}, nil
	}))
	if err != nil || r.Best != 7 {
		t.Fatalf("%+v, %v", r, err)
	}
	count := map[int]int{}
	for _, task := range log.tasks {
		count[task.Rounds]++
		if len(task.Train) != 10 {
			t.Errorf("%d rows", len(task.Train))
		}
	}
	if count[3] != 16 || count[5] != 8 || count[10] != 4 || len(count) != 3 {
		t.Errorf("trainings by rounds: %v", count)
	}
}

// With no time left only the first candidate is trained. With halving a rung that the budget ends does not
// count: the best is that of the rung before, also if others have been trained on more rows.
func TestBudget(t *testing.T) {
	var order []int
	s := Search{Splits: Folds(800, 2, nil, 1), Larger: true, Budget: 1, Run: gram.Run{Workers: 1}, Done: func(c int, _ Trial) { order = append(order, c) }}
	var now atomic.Int64
	s.clock = func() time.Duration { return time.Duration(now.Load()) }
	judge := func(_ context.Context, t Task) ([]float64, error) {
		now.Add(1)
		return []float64{float64(t.Candidates[0])}, nil
	}
	r, err := s.Do(t.Context(), Each(3), judge)
	if err != nil || r.Best != 0 || len(r.Trials[0].Scores) != 2 || r.Trials[1].Err != ErrBudget || !slices.Equal(order, []int{0}) {
		t.Errorf("%+v, %v, done %v", r, err, order)
	}
	// The time is up while candidate 3, the best on half of the rows, is trained on all.
	synctest.Test(t, func(t *testing.T) {
		order = nil
		begin := time.Now()
		s.clock = func() time.Duration { return time.Since(begin) }
		s.Budget, s.Halving = time.Minute, &Halving{}
		r, err := s.Do(t.Context(), Each(4), func(ctx context.Context, t Task) ([]float64, error) {
			if len(t.Train) == 400 && t.Candidates[0] == 3 {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return judge(ctx, t)
		})
		if err != nil || r.Best != 3 || r.Trials[3].Share != .5 || r.Trials[2].Share != .5 || !slices.Equal(order, []int{0, 1, 2, 3, 2}) {
			t.Errorf("%+v, %v, done %v", r, err, order)
		}
	})
}

// Keep decides who goes on, and sees the trials, the share of the rows and the time of each candidate.
func TestKeep(t *testing.T) {
	var now time.Duration
	var lines []string
	s := Search{Splits: Folds(1600, 2, nil, 1), Run: gram.Run{Workers: 1}, clock: func() time.Duration { return now }}
	s.Halving = &Halving{Keep: func(left []int, trials []Trial, share float64, spent map[int]time.Duration) []int {
		lines = append(lines, fmt.Sprint(left, trials[left[0]].Mean, share, len(spent)))
		var all time.Duration
		for _, d := range spent {
			all += d
		}
		if want := time.Duration(2*len(left)) * time.Minute; all.Round(time.Second) != want {
			t.Errorf("%v for %d candidates, want %v", all, len(left), want)
		}
		return left[:len(left)-1]
	}}
	r, err := s.Do(t.Context(), Each(3), func(_ context.Context, t Task) ([]float64, error) {
		now += time.Minute
		return []float64{float64(t.Candidates[0]) - float64(len(t.Train))}, nil
	})
	if want := []string{"[0 1 2] -100 0.125 3", "[0 1] -200 0.25 2"}; err != nil || r.Best != 0 || !slices.Equal(lines, want) {
		t.Errorf("%q, best %d, %v, want %q", lines, r.Best, err, want)
	}
}
