package svm

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

func TestContract(t *testing.T) {
	for _, s := range []struct {
		name   string
		c      Config
		golden string
		older  []string
	}{
		{"one against one", Config{Kernel: kernel.Gaussian{Gamma: 0.3}}, "svm.v2.gram", []string{"svm.v1.gram"}},
		{"one against the rest", Config{Kernel: kernel.Laplacian{Gamma: 0.3}, Multi: OneVsRest, C: 3, ClassWeights: []float64{1, 2, 0.5}}, "", nil},
		{"no bias", Config{Kernel: kernel.Polynomial{Degree: 2, Offset: 1}, NoBias: true, C: 0.1, CacheBytes: 1}, "", nil},
	} {
		t.Run(s.name, func(t *testing.T) {
			with := func(run gram.Run, classes int) Config {
				c := s.c
				c.Run = run
				if classes != 3 {
					c.ClassWeights = nil
				}
				return c
			}
			subject := algotest.Subject{
				Kind: algotest.Classification,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c := with(run, len(d.Labels.Names))
					if n, cols := d.X.Dims(); n == 90 && cols == 4 && mat.Max(d.X) > 1e6 {
						c.MaxIter = 100_000 // polynomials of such cells never reach the tolerance
					}
					return algotest.Fitted(c.Fit(ctx, d.X, d.Labels, d.Weights))
				},
				Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return with(run, s.Outputs).Plan(s) },
				Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
				Share:    0.5, // the cache is cleared memory
				Weighted: true,
				Exact: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c := with(run, 3)
					c.Tol = 1e-9
					return algotest.Fitted(c.Fit(ctx, d.X, d.Labels, d.Weights))
				},
				WeightTol: 1e-6,
				Kept:      7, // the support vectors are not known before
				Golden:    s.golden,
				Older:     s.older,
				Memory:    gram.Shape{N: 4000, D: 8, Outputs: 3},
			}
			algotest.Check(t, subject)
		})
	}
}

func TestRegressionContract(t *testing.T) {
	with := func(run gram.Run) Regression {
		return Regression{Kernel: kernel.Gaussian{Gamma: 0.3}, C: 10, Epsilon: gram.Set(0.2), Run: run}
	}
	algotest.Check(t, algotest.Subject{
		Kind: algotest.Regression,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			return algotest.Fitted(with(run).Fit(ctx, d.X, d.Value, d.Weights))
		},
		Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return with(run).Plan(s) },
		Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(DecodeRegressor(f)) },
		Share:    0.5, // the cache is cleared memory
		Weighted: true,
		Exact: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			c := with(run)
			c.Tol = 1e-9
			return algotest.Fitted(c.Fit(ctx, d.X, d.Value, d.Weights))
		},
		WeightTol: 1e-6,
		Units:     true,
		Golden:    "svr.v1.gram",
		Memory:    gram.Shape{N: 4000, D: 8, Outputs: 1},
	})
}
