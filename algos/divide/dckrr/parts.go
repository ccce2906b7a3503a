package dckrr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// parts describes the settings of the problem of a part and of the number of parts.
func parts(s *settings.Fields, local *krr.Config, run gram.Run, count *int, cells bool) {
	landmarks := local.M
	if s.Embedded(local); s.Resolving() {
		local.M = landmarks // the default depends on the number of rows of a part
		local.Run = gram.Run{Workers: run.Workers, MemoryLimit: run.MemoryLimit}
	}
	most := (s.Shape.N + 999) / 1000
	if cells {
		most = 1000
	}
	s.Int(count, "parts", "parts").DefaultRule(most, "one for 1000 rows; voronoi: at most 1000").AtLeast(1)
	s.Require(cells || *count <= s.Shape.N, count, "at most the number of rows, %d", s.Shape.N)
}

// partitionSeed is the seed of the partition of a fit with seed s.
func partitionSeed(s uint64) uint64 { return rng.Derive(s, "partition") }

// planParts adds the plan of the problems of the given number of parts to the plan p.
func planParts(c krr.Config, p gram.Plan, s gram.Shape, parts, largest, workers int) (gram.Plan, error) {
	one := s
	one.N = largest
	local, err := planOf(forPart(c, 0), one)
	if err != nil {
		return gram.Plan{}, err
	}
	t := int64(max(1, s.Outputs))
	models := 8 * int64(s.N) * (2*int64(s.D) + t)
	own := 8 * int64(largest) * (2*int64(s.D) + t)
	p.Flops += float64(parts) * local.Flops
	p.PeakBytes = max(p.PeakBytes, p.ModelBytes+models+int64(min(parts, workers))*(local.PeakBytes-own)+16*int64(s.N))
	p.ModelBytes = 8 * int64(s.N) * (int64(s.D) + t)
	p.FullKernel = local.FullKernel && parts == 1
	p.Description = fmt.Sprintf("%d parts; %s", parts, local.Description)
	return p, nil
}

// planOf returns the plan of a part.
func planOf(c krr.Config, s gram.Shape) (gram.Plan, error) {
	c.M = min(c.M, s.N)
	return c.Plan(s)
}

// forPart returns the settings for part i.
func forPart(c krr.Config, i int) krr.Config {
	c.Seed = rng.Derive(c.Seed, fmt.Sprint("part ", i))
	c.Progress = nil
	return c
}

// plain returns ctx.Err() if ctx has ended, else err.
func plain(ctx context.Context, err error) error {
	if e := ctx.Err(); e != nil {
		return e
	}
	return err
}

// fitParts solves the problem of every group of rows of x, as many at a time as workers and
// memory allow. With a *gram.ConvergenceError the models are returned too.
func fitParts(ctx context.Context, c krr.Config, x gram.Samples[float64], y *mat.Dense, w []float64, groups [][]int, run gram.Run) ([]*krr.Model, error) {
	n, d := x.Dims()
	_, t := y.Dims()
	// Large parts come first, so that none of them runs alone at the end.
	order := make([]int, len(groups))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(groups[b]), len(groups[a])) })
	together, err := concurrent(c, groups, order, gram.Shape{N: n, D: d, Outputs: t}, run)
	if err != nil {
		return nil, err
	}
	parts, errs := make([]*krr.Model, len(groups)), make([]error, len(groups))
	done := make(chan int, len(groups))
	var stopped error
	go func() {
		defer close(done)
		stopped = par.For(ctx, together, len(order), 1, func(lo, _ int) {
			i := order[lo]
			parts[i], errs[i] = fitPart(ctx, c, i, x, y, w, groups[i])
			done <- len(groups[i])
		})
	}()
	meter := run.Meter()
	var ready, all int64
	for _, g := range groups {
		all += int64(len(g))
	}
	for rows := range done {
		ready += int64(rows)
		meter.Report(gram.Event{Phase: "parts", Done: ready, Total: all})
	}
	if stopped != nil {
		return nil, stopped
	}
	var short error
	for i, err := range errs {
		var ce *gram.ConvergenceError
		switch {
		case err == nil:
		case parts[i] != nil && errors.As(err, &ce):
			if short == nil {
				short = err
			}
		default:
			return nil, plain(ctx, fmt.Errorf("part %d: %w", i+1, err))
		}
	}
	return parts, short
}

// fitPart solves the problem of part i, the rows of x with the given indices.
func fitPart(ctx context.Context, c krr.Config, i int, x gram.Samples[float64], y *mat.Dense, w []float64, index []int) (*krr.Model, error) {
	c = forPart(c, i)
	c.M = min(c.M, len(index))
	part := rows.Pick(w, index)
	if check.Weights(part, len(index)) != nil {
		part = nil // they vanish beside those of other parts
	}
	targets := rows.Dense(gram.Of(y), index)
	if check.Targets(targets, len(index)) != nil {
		targets.Zero() // so do they
	}
	return c.FitAll(ctx, x.Select(index), targets, part)
}

// concurrent returns how many parts, in the given order, can be solved at a time
// within the memory limit.
func concurrent(c krr.Config, groups [][]int, order []int, s gram.Shape, run gram.Run) (int, error) {
	need := 8 * int64(s.N) * int64(2*s.D+s.Outputs)
	workers := min(run.NumWorkers(), len(order))
	for q, i := range order[:workers] {
		p, err := planOf(c, gram.Shape{N: len(groups[i]), D: s.D, Outputs: s.Outputs})
		if err != nil {
			return 0, err
		}
		need += p.PeakBytes
		if run.MemoryLimit > 0 && need > run.MemoryLimit {
			if q == 0 {
				return 0, fmt.Errorf("the part of %d rows: %w", len(groups[i]), &gram.MemoryError{Need: need, Limit: run.MemoryLimit})
			}
			return q, nil
		}
	}
	return workers, nil
}
