package itml

import (
	"context"
	"errors"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// The learned kernel itself: its output are the features of new rows.
func TestContract(t *testing.T) {
	for _, s := range []struct {
		name, golden string
		c            Config
		random       []string
	}{
		{"LogDet", "", Config{Slack: 1, Tol: 1e-4}, []string{"order"}},
		{"Trace, subset", "kernel.v1.gram", Config{Regularizer: Trace, Slack: 10, Reduction: Subset, M: 20}, []string{"reduction"}},
		{"NearIdentity, random", "", Config{Regularizer: NearIdentity, Slack: 10, Reduction: Random, M: 10}, []string{"reduction"}},
		{"Frobenius, clusters", "", Config{Regularizer: Frobenius, Slack: 10, Reduction: Clusters, M: 10, Rank: 3}, []string{"reduction"}},
	} {
		t.Run(s.name, func(t *testing.T) {
			at := func(n int, run gram.Run) Config {
				c := s.c
				c.Kernel, c.Run = kernel.Gaussian{Gamma: 0.1}, run
				c.M = min(c.M, n)
				return c
			}
			wrap := func(m *Model, err error) (*algotest.Model, error) {
				if m == nil {
					return nil, err
				}
				return &algotest.Model{Public: m.Kernel(), Output: func(x mat.Matrix) *mat.Dense { return m.Kernel().Features(nil, x) }, Encode: m.Encode}, err
			}
			algotest.Check(t, algotest.Subject{
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					n, _ := d.X.Dims()
					var cons []constraint.Linear
					for i := range min(n, 40) {
						for _, j := range []int{(i + 1) % n, (i + 3) % n} {
							switch {
							case i == j:
							case (j-i)%3 == 0:
								cons = append(cons, constraint.Distance(i, j, constraint.AtMost, 0.3))
							default:
								cons = append(cons, constraint.Distance(i, j, constraint.AtLeast, 1))
							}
						}
					}
					return wrap(at(n, run).Fit(ctx, d.X, cons))
				},
				Decode: func(f *modelfile.File) (*algotest.Model, error) { return wrap(Decode(f)) },
				Golden: s.golden,
				Random: s.random,
				Long:   gram.Shape{N: 6000, D: 8},
				Share:  0.35, // kernel values between two blocks of rows
			})
		})
	}
}

func TestContractKNN(t *testing.T) {
	for _, s := range []struct {
		name, golden string
		c            KNN
		random       []string
	}{
		{"LogDet", "knn.v1.gram", KNN{Config: Config{Solver: Projections, Tol: 1e-3}, Pairs: constraint.Pairs{Count: 60}}, []string{"order", "pairs"}},
		{"Trace", "", KNN{Config: Config{Regularizer: Trace}, K: 3, Pairs: constraint.Pairs{Count: 60}}, []string{"pairs"}},
	} {
		t.Run(s.name, func(t *testing.T) {
			at := func(n int, run gram.Run) KNN {
				c := s.c
				c.Kernel, c.Run = kernel.Gaussian{Gamma: 0.1}, run
				c.K = min(c.K, n)
				return c
			}
			algotest.Check(t, algotest.Subject{
				Kind:       algotest.Classification,
				TwoClasses: "the constraints are pairs of one class and of two",
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					n, _ := d.X.Dims()
					m, err := at(n, run).Fit(ctx, d.X, d.Labels, d.Weights)
					var inf *constraint.InfeasibleError
					if errors.As(err, &inf) {
						t.Error(err)
					}
					return algotest.Fitted(m, err)
				},
				Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) },
				Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(DecodeClassifier(f)) },
				Weighted: true,
				Unequal:  "the K nearest rows vote, each with its weight",
				Golden:   s.golden,
				Kept:     8, // the rows in constraints are not known before
				Random:   s.random,
				Share:    0.4,
				Memory:   gram.Shape{N: 3000, D: 8, Outputs: 3},
			})
		})
	}
}
