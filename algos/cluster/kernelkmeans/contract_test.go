package kernelkmeans

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
)

func TestContract(t *testing.T) {
	at := func(n int, run gram.Run) Config {
		c := Config{Kernel: kernel.Gaussian{Gamma: 0.2}, K: 4, Sample: 60, Run: run}
		switch {
		case n > 2500: // memory is measured
			c.Sample, c.MaxIter = 800, 2
		case n > 1000: // and looks at the context
			c.Sample = 2000
		}
		return c
	}
	algotest.Check(t, algotest.Subject{
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			n, _ := d.X.Dims()
			return algotest.Fitted(at(n, run).FitWeighted(ctx, d.X, d.Weights))
		},
		Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) },
		Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
		Weighted: true,
		Unequal:  "the seeding draws rows, and clusters come in another order",
		Golden:   "kernelkmeans.v1.gram",
		Random:   []string{"seed"},
		Long:     gram.Shape{N: 2000, D: 8},
		Share:    0.35,
		Memory:   gram.Shape{N: 3000, D: 8},
	})
}
