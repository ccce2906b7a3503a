package tables

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/inductive"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Figures 1c and 1d of [Jain 2010]: 2 000 unseen digits in the plane, by
// Trace-SSIKDR learned from 100 digits with labels and by kernel PCA. The figures
// are drawings; what is measured here is how well the five nearest of the 100
// tell the class in the plane, and in the base kernel itself.
var jainFig1c = Table{
	ID:    "jain-fig1c",
	Title: "Handwritten digits in the plane",
	Run:   runJainFig1c,
	X:     "first coordinate", Y: "second coordinate",
}

func runJainFig1c(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	labelled := f.Int("labelled", 100, "digits with labels")
	points := f.Int("graph", 1500, "digits of the training part that the graph joins, those with labels among them")
	neighbours := f.Int("neighbours", 6, "neighbours in the graph")
	ratio := f.Float64("ratio", 0.1, "weight of the graph's Laplacian")
	gamma := f.Float64("gamma", 2, "γ times the mean squared distance")
	tau := f.Float64("tau", 0.1, "τ")
	pairs := f.Int("pairs", 1000, "constraints")
	if err := env.parse(f); err != nil {
		return err
	}
	row := Row{Table: "jain-fig1c", Dataset: "usps", Metric: "accuracy"}
	train, test, ok, err := env.load("tabular/usps", dataset.Options{Task: dataset.Classes, Storage: dataset.Dense})
	if err != nil {
		return err
	}
	if !ok || test == nil {
		row.Method, row.Note = "all", noData
		emit(row)
		return nil
	}
	n, _ := train.Dims()
	if *labelled < 10 || *labelled > *points || *points > n {
		return &gram.ConfigError{Field: "--set labelled, graph", Value: fmt.Sprintf("%d, %d", *labelled, *points), Want: fmt.Sprintf("10 ≤ labelled ≤ graph ≤ %d", n)}
	}
	rows, _ := test.Dims()
	shown := test.Select(dataset.Sample(rows, min(rows, 2000), rng.Derive(env.Seed, "shown")))
	type result struct {
		name     string
		accuracy sample
		cloud    *Cloud
	}
	results := []*result{{name: "Gaussian kernel"}, {name: "deformed kernel"}, {name: "kernel PCA"}, {name: "Trace-SSIKDR"}}
	repeats := env.repeats(5, 2)
	for r := range repeats {
		run := env.repeat(r)
		graph := train.Select(dataset.Permutation(n, run.Seed)[:*points])
		first := make([]int, *labelled)
		for i := range first {
			first[i] = i
		}
		known := graph.Select(first)
		gauss := kernel.Gaussian{Gamma: *gamma * kernel.MeanGamma(graph.X)}
		measure := func(m *result, kern kernel.Kernel, began time.Time) error {
			seconds := time.Since(began).Seconds()
			v, err := accuracy(kern, known, shown, 5)
			if err != nil {
				return err
			}
			m.accuracy.add(v, seconds, 0)
			if p, is := kern.(*inductive.Function); is && p.Alpha() == 0 && m.cloud == nil {
				m.cloud = cloudOf(p.Features(nil, shown.X), shown.Labels)
			}
			return nil
		}
		if err := measure(results[0], gauss, time.Now()); err != nil {
			return err
		}
		began := time.Now()
		deformed, err := inductive.Manifold{Kernel: gauss, Neighbors: *neighbours, Ratio: *ratio, Normalized: true, Run: run}.Fit(ctx, graph.X)
		if err != nil {
			return err
		}
		if err := measure(results[1], deformed, began); err != nil {
			return err
		}
		began = time.Now()
		pca, err := inductive.PCA{Kernel: deformed, Rank: 2, Center: true, Run: run}.Fit(ctx, known.X)
		if err != nil {
			return err
		}
		if err := measure(results[2], pca, began); err != nil {
			return err
		}
		began = time.Now()
		cons, err := inductive.Pairs{Count: *pairs}.FromLabels(ctx, deformed, known.X, known.Labels, run.Seed)
		if err != nil {
			return err
		}
		m, err := inductive.Config{Kernel: deformed, Regularizer: inductive.Trace, Tau: *tau, Slack: 1000, Tol: 1e-4, Rank: 2, Run: run}.Fit(ctx, known.X, cons)
		var ce *gram.ConvergenceError
		if err != nil && !(errors.As(err, &ce) && m != nil) {
			return err
		}
		if err := measure(results[3], m.Kernel(), began); err != nil {
			return err
		}
	}
	for _, m := range results {
		row := row
		row.Method, row.Cloud = m.name, m.cloud
		row = m.accuracy.into(row)
		dims := "in the plane"
		if m.cloud == nil {
			dims = "in all dimensions"
		}
		row.Note = notes("5 neighbours "+dims, fmt.Sprintf("%d labelled, graph of %d, %d constraints", *labelled, *points, *pairs), fmt.Sprintf("%d repeats", repeats))
		emit(row)
	}
	return nil
}

// cloudOf takes the first two columns of x.
func cloudOf(x *mat.Dense, y gram.Labels) *Cloud {
	n, d := x.Dims()
	c := &Cloud{Class: y.Class, Names: y.Names}
	for i := range n {
		c.X = append(c.X, x.At(i, 0))
		v := 0.
		if d > 1 {
			v = x.At(i, 1)
		}
		c.Y = append(c.Y, v)
	}
	return c
}
