package svm

import (
	"cmp"
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/internal/parts"
	"github.com/gramworks/gram/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// Part is the result of Train for one part of the rows.
type Part struct {
	Coef  *mat.Dense // of its rows × functions; nil if the part was not trained
	Bias  []float64
	Stats []SolveStats
}

// TrainParts calls Train for parts of the rows, beginning with the largest part. If
// there are at least as many parts as workers, several parts are trained at a time, each
// with its share of CacheBytes, or of MemoryLimit if that leaves less for kernel rows.
// Row j of part k is row index[k][j] of x. coef has coefficients of all rows, from
// which the problems start; nil means zeros. Progress events have the given phase and
// count rows. Parts without rows are not trained, nor are parts that have not begun
// when ctx ends; the other parts are returned together with the error.
func (c Config) TrainParts(ctx context.Context, phase string, x gram.Samples[float64], y gram.Labels, w []float64, index [][]int, coef *mat.Dense) ([]Part, error) {
	count := 0
	for _, list := range index {
		count += min(1, len(list))
	}
	one := c
	one.Progress = nil
	side := 1
	if workers := c.NumWorkers(); count >= workers {
		side, one.Workers, one.CacheBytes = workers, 1, max(1, c.CacheBytes/int64(workers))
	}
	one.MemoryLimit /= int64(side)
	out, short, err := parts.Fit(ctx, c.Run, phase, side, index, func(_ int, list []int) (p Part, err error) {
		if len(list) == 0 {
			return p, nil
		}
		var from *mat.Dense
		if coef != nil {
			from = rows.Dense(gram.Of(coef), list)
		}
		labels := gram.Labels{Class: rows.Pick(y.Class, list), Names: y.Names}
		part, within := x.Select(list), one
		if one.MemoryLimit > 0 {
			_, within.CacheBytes = one.plan(gram.ShapeOf(part, len(y.Names)))
		}
		p.Coef, p.Bias, p.Stats, err = within.Train(ctx, part, labels, rows.Pick(w, list), from)
		return p, err
	})
	return out, cmp.Or(err, short)
}
