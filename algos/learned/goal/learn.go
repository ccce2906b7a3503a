package goal

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"gonum.org/v1/gonum/mat"
)

// Newton's method for the coefficients stops when the next step promises a
// relative decrease of newtonTol; where the coefficients follow the points turnTol, or
// turnSteps steps, are enough.
const (
	newtonTol   = 1e-10
	newtonSteps = 100
	turnTol     = 1e-6
	turnSteps   = 3
)

// learn makes the turns on all rows. Where some are held out, turns without them
// tell before how many to make. If ctx ends it the state so far is returned with
// the error, nil if there is none.
func (c Config) learn(ctx context.Context, all *problem, u *mat.Dense) (at *state, st Stats, err error) {
	turns := c.MaxIter.Value()
	if held := c.heldOut(all.n); held > 0 {
		order := crossval.Order(all.n, c.Seed)
		curves := make([][]float64, c.Folds)
		for f := range curves {
			split := crossval.Cut(order, f*held, (f+1)*held)
			t, test := part(all, split.Train), part(all, split.Held)
			curve := crossval.Curve{Patience: c.Patience}
			at, _, err = c.turns(ctx, t, mat.DenseCopyOf(u), turns, func(_ int, at *state) (bool, error) {
				loss, err := test.meanLoss(ctx, at)
				return err == nil && curve.Add(loss), err
			})
			if err != nil {
				return at, st, err
			}
			curves[f] = curve.Scores
		}
		st.Validation = crossval.Mean(curves)
		turns = crossval.Rounds(curves, false)
	}
	at, st.Objective, err = c.turns(ctx, all, u, turns, func(turn int, _ *state) (bool, error) {
		st.Iter = turn
		return true, nil
	})
	return at, st, err
}

// turns makes that many turns on the rows of t, from points u, which it
// overwrites. It calls after with the state at the start and after every turn, and
// ends when that returns false. It returns the last state and the objective after
// all of them.
func (c Config) turns(ctx context.Context, t *problem, u *mat.Dense, turns int, after func(turn int, at *state) (bool, error)) (*state, []float64, error) {
	at := &state{u: u, w: mat.NewDense(t.q, t.k, nil), s: mat.NewDense(t.n, t.k, nil)}
	_, value, _, err := t.solve(ctx, at, newtonTol, newtonSteps)
	if err != nil {
		return nil, nil, err
	}
	meter := c.Meter()
	objective := []float64{value}
	for turn := 0; ; turn++ {
		if more, err := after(turn, at); err != nil || !more || turn == turns {
			return at, objective, err
		}
		before, made := value, 0
		if value, made, err = t.descend(ctx, at, c.Steps); err != nil {
			return at, objective, err
		}
		if made == 0 {
			return at, objective, nil
		}
		objective = append(objective, value)
		meter.Report(gram.Event{Phase: c.Features.String(), Done: int64(turn + 1), Total: int64(turns), Objective: value})
		if before-value <= c.Tol.Value()*math.Abs(before) {
			_, err := after(turn+1, at)
			return at, objective, err
		}
	}
}

// meanLoss is the mean loss of a state on the rows of t.
func (t *problem) meanLoss(ctx context.Context, at *state) (float64, error) {
	value, err := t.evaluate(ctx, at.u, at.w, mat.NewDense(t.n, t.k, nil), nil, nil)
	if err != nil {
		return 0, err
	}
	for k := range t.k {
		value -= t.norm(at.w, k)
	}
	var cost float64
	for i := range t.n {
		cost += t.cost(i)
	}
	return value / max(cost, math.SmallestNonzeroFloat64), nil
}
