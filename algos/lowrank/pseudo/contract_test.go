package pseudo

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
		{"products", Config{Kernel: kernel.Gaussian{Gamma: 0.3}, M: 6}},
		{"all products", Config{Kernel: kernel.Polynomial{Degree: 2, Offset: 1}, M: 5, All: true, Landmarks: landmark.Uniform{}, Sample: 60, Certificate: 20}},
		{"triangle", Config{Kernel: kernel.Matern{Nu: 1.5, Length: 2}, M: 6, Kind: Mid}},
	} {
		t.Run(s.name, func(t *testing.T) {
			at := func(n int, run gram.Run) Config {
				c := s.c
				c.Run = run
				if n > 1000 {
					c.M, c.P, c.All, c.Sample = 60, 60, false, 1000
				}
				c.M = min(c.M, n)
				c.Sample = min(c.Sample, n)
				return c
			}
			subject := algotest.Subject{
				Kind: algotest.Unsupervised,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					n, _ := d.X.Dims()
					return algotest.Fitted(at(n, run).FitWeighted(ctx, d.X, d.Weights))
				},
				Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) },
				Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
				Weighted: true,
				Unequal:  "weights are for the landmarks alone",
				Share:    0.6, // the factorization of the landmarks' matrix
				Random:   []string{"landmarks", "pseudo-landmarks"},
				Memory:   gram.Shape{N: 3000, D: 8},
			}
			switch s.name {
			case "all products":
				subject.Kept = 3
				subject.Random = append(subject.Random, "certificate/held out", "sample")
			case "products":
				subject.Golden = "pseudo.v1.gram"
			case "triangle":
				subject.Golden = "pseudo-triangle.v1.gram"
			}
			algotest.Check(t, subject)
		})
	}
}
