package fastnys

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/structured"
)

func TestContract(t *testing.T) {
	for _, s := range []struct {
		name   string
		c      Config
		random []string
	}{
		{"learned", Config{Kernel: kernel.Gaussian{Gamma: 0.3}, M: 12, Rows: 2}, []string{"sample", "seeds"}},
		{"k-means, Hadamard", Config{Kernel: kernel.Polynomial{Degree: 3, Offset: 1}, Matrix: structured.Hadamard, M: 16, Rows: 4, NoLearning: true, Seeds: landmark.KMeans{}}, []string{"seeds"}},
		{"randomised", Config{Kernel: kernel.Matern{Nu: 1.5, Length: 2}, M: 32, Rows: 2, Rank: 8, Core: Randomized, Certificate: 20, Sample: 60}, []string{"certificate", "projection/eig", "sample", "seeds"}},
	} {
		t.Run(s.name, func(t *testing.T) {
			at := func(n, d int, run gram.Run) Config {
				c := s.c
				c.Run = run
				if n > 1000 {
					c.M, c.Rank = 400, 300
				}
				c.Rows = min(c.Rows, padded(d))
				if n < c.M/c.Rows {
					c.M = n * c.Rows
				}
				c.Rank = min(c.Rank, c.M)
				return c
			}
			subject := algotest.Subject{
				Kind: algotest.Unsupervised,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					n, cols := d.X.Dims()
					c := at(n, cols, run)
					if n > 1000 {
						c.Sample = 2000
					}
					return algotest.Fitted(c.FitWeighted(ctx, d.X, d.Weights))
				},
				Plan: func(s gram.Shape, run gram.Run) (gram.Plan, error) {
					c := at(s.N, s.D, run)
					if s.N > 1000 {
						c.Sample = 2000
					}
					return c.Plan(s)
				},
				Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
				Weighted: true,
				Unequal:  "seeds are drawn, and learned from a sample of rows",
				Random:   s.random,
				Share:    0.6, // the eigendecomposition of W
				Memory:   gram.Shape{N: 3000, D: 8},
			}
			if s.name == "learned" {
				subject.Golden = "fastnys.v1.gram"
			}
			algotest.Check(t, subject)
		})
	}
}
