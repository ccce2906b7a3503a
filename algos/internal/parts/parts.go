// Package parts fits a model to each part of the rows, for methods that divide them.
package parts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
)

// order returns the numbers of the groups, the largest group first.
func order(groups [][]int) []int {
	index := make([]int, len(groups))
	for k := range index {
		index[k] = k
	}
	slices.SortStableFunc(index, func(a, b int) int { return cmp.Compare(len(groups[b]), len(groups[a])) })
	return index
}

// Fit calls fit with the number of every group and its rows, on up to side goroutines (≤ 0:
// GOMAXPROCS). Large groups come first, so that none of them runs alone at the end. Progress events
// of run have the given phase and count rows; fit must not report any.
//
// Fit returns the models in the order of the groups, also with an error. err is ctx.Err() if ctx has
// ended a fit; the groups that had not begun have no model then. Otherwise it is the first error, in
// the order of the groups, that is not a *gram.ConvergenceError; short is the first that is one.
func Fit[M any](ctx context.Context, run gram.Run, phase string, side int, groups [][]int, fit func(k int, rows []int) (M, error)) (models []M, short, err error) {
	var all int64
	for _, g := range groups {
		all += int64(len(g))
	}
	models, errs := make([]M, len(groups)), make([]error, len(groups))
	first, meter := order(groups), run.Meter()
	var ready atomic.Int64
	err = par.Each(ctx, side, len(groups), func(at int) {
		k := first[at]
		models[k], errs[k] = fit(k, groups[k])
		ready.Add(int64(len(groups[k])))
	}, func(int) { meter.Report(gram.Event{Phase: phase, Done: ready.Load(), Total: all}) })
	if err != nil {
		return models, nil, err
	}
	for k, e := range errs {
		switch {
		case e == nil:
		case errors.As(e, new(*gram.ConvergenceError)):
			short = cmp.Or(short, e)
		case ctx.Err() != nil:
			return models, nil, ctx.Err()
		default:
			return models, nil, fmt.Errorf("part %d: %w", k+1, e)
		}
	}
	return models, short, nil
}

// Side returns how many groups, the largest first, can be fitted at a time: as many as run has workers, or fewer if the peaks of
// their plans and rest bytes beside them exceed the limit of memory. It returns the error of a plan, or a *gram.MemoryError that
// names the largest group.
func Side(run gram.Run, rest int64, groups [][]int, plan func(rows int) (gram.Plan, error)) (int, error) {
	workers := min(run.NumWorkers(), len(groups))
	for q, k := range order(groups)[:workers] {
		p, err := plan(len(groups[k]))
		if err != nil {
			return 0, err
		}
		if rest += p.PeakBytes; run.MemoryLimit > 0 && rest > run.MemoryLimit {
			if q == 0 {
				return 0, fmt.Errorf("the part of %d rows: %w", len(groups[k]), &gram.MemoryError{Need: rest, Limit: run.MemoryLimit})
			}
			return q, nil
		}
	}
	return workers, nil
}
