package sideinfo

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// fixed is the model of a method that knows the rows of its fit alone.
func fixed(out *mat.Dense, err error) (*algotest.Model, error) {
	if err != nil {
		return nil, err
	}
	return &algotest.Model{Output: func(mat.Matrix) *mat.Dense { return out }}, nil
}

func TestFingerprints(t *testing.T) {
	const m = 8
	partly := func(d algotest.Data) gram.Labels {
		y := gram.Labels{Names: d.Labels.Names}
		for i, c := range d.Labels.Class {
			if i%2 == 0 {
				c = -1
			}
			y.Class = append(y.Class, c)
		}
		return y
	}
	pairs := func(d algotest.Data) (p []constraint.Pair) {
		for i := range 60 {
			j := (i*5 + 3) % len(d.Value)
			if i != j {
				p = append(p, constraint.Pair{I: i, J: j, Same: d.Labels.Class[i] == d.Labels.Class[j]})
			}
		}
		return p
	}
	grid := []float64{1e-3, 1e-1, 10}
	base := Config{Kernel: gauss, M: m, Grid: grid}
	change := func(f func(*Config)) Config { c := base; f(&c); return c }
	for name, fit := range map[string]func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error){
		"folds": func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			c := change(func(c *Config) { c.Folds, c.Run = 3, run })
			return algotest.Fitted(c.Fit(ctx, d.X, partly(d)))
		},
		"alignment": func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			c := change(func(c *Config) { c.ByAlignment, c.Solver, c.Run = true, Accelerated, run })
			return algotest.Fitted(c.Fit(ctx, d.X, partly(d)))
		},
		"start": func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			c := change(func(c *Config) { c.StartOnly, c.Lambda, c.Run = true, .1, run })
			return algotest.Fitted(c.Fit(ctx, d.X, partly(d)))
		},
		"pairs": func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			c := change(func(c *Config) { c.Landmarks, c.Run = landmark.Uniform{}, run })
			return algotest.Fitted(c.FitPairs(ctx, d.X, pairs(d)))
		},
		"CSI, look ahead": func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			return algotest.Fitted(CSI{Kernel: kernel.Polynomial{Degree: 2, Offset: 1}, M: m, Look: 5, Kappa: gram.Set(.5), Run: run}.Fit(ctx, d.X, partly(d)))
		},
		"cluster kernel, linear step": func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			return fixed(ClusterKernel{Kernel: gauss, Rank: 5, Run: run}.Features(ctx, d.X))
		},
		"cluster kernel, step": func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			return fixed(ClusterKernel{Kernel: gauss, Rank: 5, Transfer: Step, Run: run}.Features(ctx, d.X))
		},
		"cluster kernel, power": func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			return fixed(ClusterKernel{Kernel: gauss, Rank: 5, Transfer: Power, Exponent: 3, Run: run}.Features(ctx, d.X))
		},
		"spectral, neighbours": func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			g, err := Spectral{Neighbors: 6, Rank: 5, Run: run}.Graph(ctx, d.X)
			if err != nil {
				return nil, err
			}
			return fixed(g.Features(partly(d)))
		},
		"spectral, kernel": func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			g, err := Spectral{Kernel: gauss, Rank: 5, Run: run}.Graph(ctx, d.X)
			if err != nil {
				return nil, err
			}
			return fixed(g.Features(partly(d)))
		},
		"two stage": func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			m, err := TwoStage{Run: run}.Fit(ctx, d.X, partly(d))
			return fixed(mat.NewDense(2, len(m.Gammas), append(m.Gammas, m.Weights...)), err)
		},
		"two stage, independent": func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			m, err := TwoStage{Gammas: []float64{.01, .1, 1}, Independent: true, Run: run}.Fit(ctx, d.X, partly(d))
			return fixed(mat.NewDense(2, len(m.Gammas), append(m.Gammas, m.Weights...)), err)
		},
	} {
		t.Run(name, func(t *testing.T) { algotest.Subject{Fit: fit}.Fingerprint(t) })
	}
}
