package dckrr

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

func TestContract(t *testing.T) {
	for _, s := range []struct {
		name string
		c    Config
	}{
		{"k-means", Config{Local: krr.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, NoBias: true}, Parts: 3, Soft: 2}},
		{"kernel k-means", Config{Local: krr.Config{Kernel: kernel.Gaussian{Gamma: 0.3}}, Partition: KernelKMeans, Parts: 3}},
		{"Voronoi", Config{Local: krr.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, Solver: krr.CG, NoBias: true}, Partition: Voronoi, Radius: 0.3}},
	} {
		t.Run(s.name, func(t *testing.T) {
			at := func(n int, run gram.Run) Config {
				c := s.c
				c.Run = run
				if c.Partition != Voronoi {
					c.Parts = min(c.Parts, n)
				}
				return c
			}
			subject := algotest.Subject{
				RowBytes: 16, // centers are packed for each 4096 rows
				Kind:     algotest.Regression,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					n, _ := d.X.Dims()
					return algotest.Fitted(at(n, run).Fit(ctx, d.X, d.Value, d.Weights))
				},
				Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
				Weighted: true,
				Memory:   gram.Shape{N: 2400, D: 8, Outputs: 1},
			}
			subject.Long, subject.Share = subject.Memory, 0.4
			if s.c.Partition != Voronoi {
				subject.Plan = func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) }
			}
			subject.Exact = func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
				c := at(90, run)
				c.Local.Lambda, c.Local.Tol, c.Soft, c.Starts = gram.Set(0.1), 1e-12, 1, 5
				c.Local.Kernel = kernel.Gaussian{Gamma: 0.02} // wide enough for the clusters
				return algotest.Fitted(c.Fit(ctx, d.X, d.Value, d.Weights))
			}
			subject.WeightTol = 1e-6
			if s.c.Partition == Voronoi {
				subject.Exact, subject.Unequal = nil, "the first center is the row farthest from the mean of the rows, without weights"
			}
			switch s.c.Partition {
			case KMeans:
				subject.Golden = "dckrr.v1.gram"
			case KernelKMeans:
				subject.Golden = "kernel-kmeans.v1.gram"
			}
			subject.Random = []string{"partition"}
			if s.c.Partition == Voronoi { // its centers are not drawn, but CG's landmarks are
				subject.Random = []string{"part #/preconditioner"}
			}
			algotest.Check(t, subject)
		})
	}
}

func TestRandomContract(t *testing.T) {
	at := func(n int, run gram.Run) Random {
		return Random{Local: krr.Config{Kernel: kernel.Gaussian{Gamma: 0.3}}, Parts: min(3, n), Run: run}
	}
	algotest.Check(t, algotest.Subject{
		Kind: algotest.Regression,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			n, _ := d.X.Dims()
			return algotest.Fitted(at(n, run).Fit(ctx, d.X, d.Value, d.Weights))
		},
		Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) },
		Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(krr.Decode(f)) },
		Weighted: true,
		Exact: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			c := at(1, run)
			c.Local.Lambda = gram.Set(0.1)
			return algotest.Fitted(c.Fit(ctx, d.X, d.Value, d.Weights))
		},
		Random: []string{"partition"},
		Share:  0.4,
		Memory: gram.Shape{N: 2400, D: 8, Outputs: 1},
	})
}

// classes is what the two settings share.
type classes interface {
	FitClasses(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*krr.Classifier, error)
	PlanClasses(s gram.Shape) (gram.Plan, error)
}

func TestClassifierContract(t *testing.T) {
	local := krr.Config{Kernel: kernel.Gaussian{Gamma: 0.3}}
	for name, at := range map[string]func(n int, run gram.Run) classes{
		"clusters": func(n int, run gram.Run) classes { return Config{Local: local, Parts: min(3, n), Soft: 2, Run: run} },
		"random":   func(n int, run gram.Run) classes { return Random{Local: local, Parts: min(3, n), Run: run} },
	} {
		t.Run(name, func(t *testing.T) {
			subject := algotest.Subject{
				RowBytes: 16,
				Kind:     algotest.Classification,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					n, _ := d.X.Dims()
					return algotest.Fitted(at(n, run).FitClasses(ctx, d.X, d.Labels, d.Weights))
				},
				Plan: func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).PlanClasses(s) },
				Decode: func(f *modelfile.File) (*algotest.Model, error) {
					m, err := DecodeAny(f)
					c, ok := m.(*krr.Classifier)
					if err == nil && !ok {
						err = f.Errorf("classes", "a model of values")
					}
					return algotest.Fitted(c, err)
				},
				Weighted: true,
				Unequal:  "the default of λ counts rows; as for values otherwise",
				Random:   []string{"partition"},
				Share:    0.4,
				Memory:   gram.Shape{N: 1500, D: 8, Outputs: 3},
			}
			if name == "clusters" {
				subject.Golden = "classifier.v1.gram"
			}
			algotest.Check(t, subject)
		})
	}
}
