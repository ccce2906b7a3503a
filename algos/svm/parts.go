package svm

import (
	"cmp"
	"context"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// Part is what Train returns for one part of the rows.
type Part struct {
	Coef  *mat.Dense // of its rows × functions; nil if the part has not been trained
	Bias  []float64
	Stats []SolveStats
}

// TrainParts is Train for parts of the rows, on several parts side by side if there are
// many, the largest first. Row j of part k is row index[k][j] of x. coef, of all rows,
// is what the problems start from, nil meaning zeros. Events have the given phase and
// count parts. Parts without rows, and those that ctx kept from being begun, are not
// trained; the others are returned with any error.
func (c Config) TrainParts(ctx context.Context, phase string, x gram.Samples[float64], y gram.Labels, w []float64, index [][]int, coef *mat.Dense) ([]Part, error) {
	out := make([]Part, len(index))
	errs := make([]error, len(index))
	var order []int
	for k, list := range index {
		if len(list) > 0 {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(index[b]), len(index[a])) })
	one := c
	one.Progress = nil
	side := 1
	if workers := c.NumWorkers(); len(order) >= workers {
		side, one.Workers, one.CacheBytes = workers, 1, max(1, c.CacheBytes/int64(workers))
	}
	meter := c.Meter()
	err := par.Each(ctx, side, len(order), func(at int) {
		k := order[at]
		list := index[k]
		var from *mat.Dense
		if coef != nil {
			from = rows.Dense(gram.Of(coef), list)
		}
		labels := gram.Labels{Class: pick(y.Class, list), Names: y.Names}
		var weights []float64
		if w != nil {
			weights = pick(w, list)
		}
		p := &out[k]
		p.Coef, p.Bias, p.Stats, errs[k] = one.Train(ctx, x.Select(list), labels, weights, from)
	}, func(calls int) {
		meter.Report(gram.Event{Phase: phase, Done: int64(calls), Total: int64(len(order))})
	})
	if err != nil {
		return out, err
	}
	for _, e := range errs {
		if e != nil {
			return out, e
		}
	}
	return out, nil
}
