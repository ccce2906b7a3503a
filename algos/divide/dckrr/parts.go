package dckrr

import (
	"context"
	"fmt"
	"github.com/gramworks/gram/algos/internal/parts"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// describe describes the settings of the problem of a part and of the number of parts.
func describe(s *settings.Fields, local *krr.Config, run gram.Run, count *int, cells bool) {
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
func planParts(c krr.Config, p gram.Plan, s gram.Shape, number, largest, workers int) (gram.Plan, error) {
	one := s
	one.N = largest
	local, err := planOf(forPart(c, 0), one)
	if err != nil {
		return gram.Plan{}, err
	}
	t := int64(max(1, s.Outputs))
	models := 8 * int64(s.N) * (2*int64(s.D) + t)
	own := 8 * int64(largest) * (2*int64(s.D) + t)
	p.Flops += float64(number) * local.Flops
	p.PeakBytes = max(p.PeakBytes, p.ModelBytes+models+int64(min(number, workers))*(local.PeakBytes-own)+16*int64(s.N))
	p.ModelBytes = 8 * int64(s.N) * (int64(s.D) + t)
	p.FullKernel = local.FullKernel && number == 1
	p.Description = fmt.Sprintf("%d parts; %s", number, local.Description)
	return p, nil
}

// planOf returns the plan of c for a part of shape s, with at most as many landmarks as the part has rows.
func planOf(c krr.Config, s gram.Shape) (gram.Plan, error) {
	c.M = min(c.M, s.N)
	return c.Plan(s)
}

// forPart returns the settings c for part i, with a seed of its own and without reports of progress.
func forPart(c krr.Config, i int) krr.Config {
	c.Seed = rng.Derive(c.Seed, fmt.Sprint("part ", i))
	c.Progress = nil
	return c
}

// fitParts solves the problem of every group of rows of x, as many at a time as workers and
// memory allow. With a *gram.ConvergenceError the models are returned too.
func fitParts(ctx context.Context, c krr.Config, x gram.Samples[float64], y *mat.Dense, w []float64, groups [][]int, run gram.Run) ([]*krr.Model, error) {
	n, d := x.Dims()
	_, t := y.Dims()
	side, err := parts.Side(run, 8*int64(n)*int64(2*d+t), groups, func(size int) (gram.Plan, error) {
		return planOf(c, gram.Shape{N: size, D: d, Outputs: t})
	})
	if err != nil {
		return nil, err
	}
	models, short, err := parts.Fit(ctx, run, "parts", side, groups, func(i int, index []int) (*krr.Model, error) {
		return fitPart(ctx, c, i, x, y, w, index)
	})
	if err == nil && slices.Contains(models, nil) {
		err = short
	}
	if err != nil {
		return nil, err
	}
	return models, short
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
