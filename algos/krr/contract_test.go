package krr

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
)

func TestContract(t *testing.T) {
	for _, s := range []struct {
		name   string
		c      Config
		memory int
	}{
		{"cholesky", Config{Kernel: kernel.Gaussian{Gamma: 0.3}, NoBias: true}, 1500},
		{"eigen", Config{Kernel: kernel.Laplacian{Gamma: 0.3}, Solver: Eigen}, 700},
		{"cg", Config{Kernel: kernel.Gaussian{Gamma: 0.2}, Lambda: gram.Set(0.5), Solver: CG}, 2500},
		{"askotch", Config{Kernel: kernel.Gaussian{Gamma: 0.2}, Lambda: gram.Set(0.5), Solver: ASkotch}, 2500},
	} {
		t.Run(s.name, func(t *testing.T) {
			at := func(run gram.Run) Config { c := s.c; c.Run = run; return c }
			subject := algotest.Subject{
				Kind: algotest.Regression,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					return algotest.Fitted(at(run).Fit(ctx, d.X, d.Value, d.Weights))
				},
				Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(run).Plan(s) },
				Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
				Weighted: true,
				Memory:   gram.Shape{N: s.memory, D: 8, Outputs: 1},
			}
			subject.Exact = func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
				c := at(run)
				c.Lambda, c.Tol = gram.Set(0.1), 1e-12
				return algotest.Fitted(c.Fit(ctx, d.X, d.Value, d.Weights))
			}
			subject.WeightTol = 1e-5
			if s.name == "cholesky" {
				subject.Golden = "krr.v1.gram"
			}
			subject.Share = 0.5
			if s.c.Solver == Eigen {
				subject.Share = 1 // the eigendecomposition
			}
			if s.c.Solver == CG {
				subject.Random = []string{"preconditioner"}
			}
			if s.c.Solver == ASkotch {
				subject.Random = []string{"blocks"}
			}
			algotest.Check(t, subject)
		})
	}
}

func TestClassifierContract(t *testing.T) {
	at := func(run gram.Run) Config {
		return Config{Kernel: kernel.Gaussian{Gamma: 0.3}, Run: run}
	}
	algotest.Check(t, algotest.Subject{
		RowBytes: 16,
		Kind:     algotest.Classification,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			return algotest.Fitted(at(run).FitClasses(ctx, d.X, d.Labels, d.Weights))
		},
		Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(run).PlanClasses(s) },
		Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(classifier(f)) },
		Weighted: true,
		Exact: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			c := at(run)
			c.Lambda = gram.Set(0.1)
			return algotest.Fitted(c.FitClasses(ctx, d.X, d.Labels, d.Weights))
		},
		Golden: "classifier.v1.gram",
		Share:  0.5,
		Memory: gram.Shape{N: 1500, D: 8, Outputs: 3},
	})
}

// classifier reads a classifier.
func classifier(f *modelfile.File) (*Classifier, error) {
	m, err := DecodeAny(f)
	c, ok := m.(*Classifier)
	if err == nil && !ok {
		err = f.Errorf("classes", "a model of values")
	}
	return c, err
}
