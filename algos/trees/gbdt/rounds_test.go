package gbdt

import (
	"context"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
)

// Without a number of rounds, rows that are held out choose it, and all rows are fitted with as many: the
// model is that of a fit with the number that was chosen. Few rows, given rounds and more trees for a model keep what they had.
func TestRoundsAreChosen(t *testing.T) {
	ctx := t.Context()
	x, y, labels := problem(5, 1500)
	w := make([]float64, 1500)
	for i := range w {
		w[i] = float64(i % 3)
	}
	var phases []string
	run := gram.Run{Seed: 3, Progress: func(e gram.Event) {
		if !slices.Contains(phases, e.Phase) {
			phases = append(phases, e.Phase)
		}
	}}
	c := Config{Shrinkage: .3, MaxLeaves: 8, Run: run}
	for _, w := range [][]float64{nil, w} {
		phases = nil
		m := must.Have(c.FitValues(ctx, x, y, w))(t)
		s, held := m.Stats(), 300
		if w != nil {
			held = 200 // of the rows that have a weight
		}
		if s.Held != held || s.Rounds < 5 || s.Rounds > 300 || len(s.Holdout) != s.Rounds+20+1 || slices.Index(s.Holdout, slices.Min(s.Holdout)) != s.Rounds {
			t.Errorf("%d rounds by %d rows, %d losses", s.Rounds, s.Held, len(s.Holdout))
		}
		if !slices.Equal(phases, []string{"rounds by held-out rows", "boosting"}) {
			t.Errorf("the phases are %q", phases)
		}
		given := c
		given.Rounds = s.Rounds
		same := must.Have(given.FitValues(ctx, x, y, w))(t)
		if !slices.Equal(m.Predict(nil, x), same.Predict(nil, x)) || same.Stats().Held != 0 || m.Config().Rounds != s.Rounds {
			t.Errorf("the model is not that of %d rounds", s.Rounds)
		}
	}
	classes, err := c.Fit(ctx, x, labels, nil)
	if err != nil || classes.Stats().Held != 300 {
		t.Errorf("%v, %d rows held out", err, classes.Stats().Held)
	}
	more, err := c.More(ctx, classes, x, labels, nil)
	if err != nil || more.Stats().Rounds != classes.Stats().Rounds+fewRounds {
		t.Errorf("%v, %d rounds after %d", err, more.Stats().Rounds, classes.Stats().Rounds)
	}
	few, err := c.FitValues(ctx, x.Slice(0, minRowsForRounds-1, 0, 4), y[:minRowsForRounds-1], nil)
	if err != nil || few.Stats().Rounds != fewRounds || few.Stats().Held != 0 {
		t.Errorf("%v, %d rounds of few rows by %d", err, few.Stats().Rounds, few.Stats().Held)
	}
}

// A class of a single row keeps it to be fitted to, although a fifth of five such rows is held out, and another class
// loses a fifth.
func TestHoldOutKeepsClasses(t *testing.T) {
	class := make([]int, 50)
	for i := range 5 {
		class[10*i] = 1 + i
	}
	for seed := range uint64(20) {
		parts := holdOut(50, class, seed)
		count := make([]int, 6)
		for _, i := range parts[0] {
			count[class[i]]++
		}
		if !slices.Equal(count, []int{36, 1, 1, 1, 1, 1}) || len(parts[1]) != 9 || !slices.IsSorted(parts[0]) {
			t.Fatalf("seed %d: the rows that are fitted are %v", seed, parts[0])
		}
	}
}

// A context that ends while the rounds are chosen, or later, ends the fit.
func TestRoundsEndWithContext(t *testing.T) {
	x, y, _ := problem(5, minRowsForRounds)
	c := Config{Shrinkage: 1, MaxLeaves: 3, Patience: 1}
	looktest.Every(t, func(ctx context.Context) (any, error) {
		m, err := c.FitValues(ctx, x, y, nil)
		return looktest.Unless(err, func() any { return m.Predict(nil, x) })
	})
}

// The plan counts both fits.
func TestPlanOfChosenRounds(t *testing.T) {
	s := gram.Shape{N: 5000, D: 10, Outputs: 1}
	chosen := must.Have(Config{}.Plan(s))(t)
	given, err := Config{Rounds: usualRounds}.Plan(s)
	if err != nil || !(chosen.Flops > 1.7*given.Flops) || chosen.ModelBytes != maxRounds*31*64 {
		t.Errorf("%v: %+v, of given rounds %+v", err, chosen, given)
	}
}
