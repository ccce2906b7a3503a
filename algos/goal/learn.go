package goal

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"gonum.org/v1/gonum/mat"
)

// Newton's method for the coefficients stops when the next step promises a
// relative decrease of newtonTol; within a turn of the learning turnTol, or
// turnSteps steps, are enough.
const (
	newtonTol   = 1e-10
	newtonSteps = 100
	turnTol     = 1e-6
	turnSteps   = 3
)

// learn makes the turns on the rows of t and returns the points and coefficients
// that are best on the rows of test, if there are any, else the last.
func (c Config) learn(ctx context.Context, t, test *problem, u *mat.Dense) (*state, Stats, error) {
	var st Stats
	at := &state{u: u, w: mat.NewDense(t.q, t.k, nil), s: mat.NewDense(t.n, t.k, nil)}
	_, value, _, err := t.solve(ctx, at, newtonTol, newtonSteps)
	if err != nil {
		return nil, st, err
	}
	meter := c.Meter()
	var best *state
	// compare takes down the state after a turn.
	compare := func() error {
		st.Objective = append(st.Objective, value)
		if test != nil {
			loss, err := test.meanLoss(ctx, at)
			if err != nil {
				return err
			}
			st.Validation = append(st.Validation, loss)
			if best != nil && !(loss < st.Validation[st.Best]) {
				return nil
			}
		}
		st.Best = st.Iter
		best = &state{u: mat.DenseCopyOf(at.u), w: mat.DenseCopyOf(at.w)}
		return nil
	}
	if err := compare(); err != nil {
		return nil, st, err
	}
	for st.Iter < c.MaxIter && st.Iter < st.Best+c.Patience {
		_, made, err := t.descend(ctx, at, c.Steps)
		if err != nil {
			return best, st, err
		}
		if made == 0 {
			break
		}
		before := value
		if _, value, _, err = t.solve(ctx, at, turnTol, turnSteps); err != nil {
			return best, st, err
		}
		st.Iter++
		if err := compare(); err != nil {
			return best, st, err
		}
		meter.Report(gram.Event{Phase: c.Features.String(), Done: int64(st.Iter), Total: int64(c.MaxIter), Objective: value})
		if before-value <= c.Tol*math.Abs(before) {
			break
		}
	}
	return best, st, nil
}

// meanLoss is the mean loss of a state on the rows of t.
func (t *problem) meanLoss(ctx context.Context, at *state) (float64, error) {
	value, err := t.evaluate(ctx, at.u, at.w, mat.NewDense(t.n, t.k, nil), nil)
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
