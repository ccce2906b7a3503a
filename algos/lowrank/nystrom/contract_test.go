package nystrom

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
)

func TestContract(t *testing.T) {
	for _, s := range []struct {
		name string
		c    Config
	}{
		{"uniform", Config{Kernel: kernel.Gaussian{Gamma: 0.3}, M: 12, Landmarks: landmark.Uniform{}}},
		{"k-means", Config{Kernel: kernel.Laplacian{Gamma: 0.3}, M: 12}},
		{"randomised", Config{Kernel: kernel.Polynomial{Degree: 3, Offset: 1}, M: 30, Rank: 8, Core: Randomized, Certificate: 20, Landmarks: landmark.Uniform{}}},
	} {
		t.Run(s.name, func(t *testing.T) {
			at := func(n int, run gram.Run) Config {
				c := s.c
				c.Run = run
				if n > 1000 {
					c.M, c.Rank = 400, 300
				}
				if n < c.M {
					c.M, c.Rank = n, min(c.Rank, n)
				}
				return c
			}
			subject := algotest.Subject{
				Kind: algotest.Unsupervised,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					n, _ := d.X.Dims()
					return algotest.Fitted(at(n, run).FitWeighted(ctx, d.X, d.Weights))
				},
				Plan: func(s gram.Shape, run gram.Run) (gram.Plan, error) {
					return at(s.N, run).Plan(s)
				},
				Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
				Weighted: true,
				Random:   []string{"landmarks"},
				Share:    0.9, // the eigendecomposition of W
				Memory:   gram.Shape{N: 3000, D: 8},
			}
			if s.c.Core == Randomized {
				subject.Random = []string{"certificate", "landmarks", "projection"}
			}
			if s.name == "k-means" {
				subject.Exact = func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					return algotest.Fitted(Config{Kernel: s.c.Kernel, M: 3, Run: run}.FitWeighted(ctx, d.X, d.Weights))
				}
			}
			if subject.Exact == nil {
				subject.Unequal = "landmarks are drawn"
			}
			if s.name == "uniform" {
				subject.Share = 1
				subject.Golden = "nystrom.v1.gram"
			}
			algotest.Check(t, subject)
		})
	}
}
