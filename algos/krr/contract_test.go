package krr

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/algotest"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

func TestContract(t *testing.T) {
	for _, s := range []struct {
		name   string
		c      Config
		memory int
	}{
		{"cholesky", Config{Kernel: kernel.Gaussian{Gamma: 0.3}}, 1500},
		{"eigen", Config{Kernel: kernel.Laplacian{Gamma: 0.3}, Solver: Eigen, Bias: true}, 700},
		{"cg", Config{Kernel: kernel.Gaussian{Gamma: 0.2}, Lambda: gram.Set(0.5), Solver: CG, Bias: true}, 2500},
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
			algotest.Check(t, subject)
		})
	}
}

func TestDividedContract(t *testing.T) {
	for _, s := range []struct {
		name string
		c    Divided
	}{
		{"k-means", Divided{Local: Config{Kernel: kernel.Gaussian{Gamma: 0.3}}, Parts: 3, Soft: 2}},
		{"kernel k-means", Divided{Local: Config{Kernel: kernel.Gaussian{Gamma: 0.3}, Bias: true}, Partition: KernelKMeans, Parts: 3}},
		{"Voronoi", Divided{Local: Config{Kernel: kernel.Gaussian{Gamma: 0.3}, Solver: CG}, Partition: Voronoi, Radius: 0.3}},
	} {
		t.Run(s.name, func(t *testing.T) {
			at := func(n int, run gram.Run) Divided {
				c := s.c
				c.Run = run
				if c.Partition != Voronoi {
					c.Parts = min(c.Parts, n)
				}
				return c
			}
			subject := algotest.Subject{
				RowBytes: 16, // centres are packed for each 4096 rows
				Kind:     algotest.Regression,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					n, _ := d.X.Dims()
					return algotest.Fitted(at(n, run).Fit(ctx, d.X, d.Value, d.Weights))
				},
				Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(DecodeDivided(f)) },
				Weighted: true,
				Memory:   gram.Shape{N: 2400, D: 8, Outputs: 1},
			}
			subject.Long, subject.Share = subject.Memory, 0.4
			if s.c.Partition != Voronoi {
				subject.Plan = func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) }
			}
			if s.c.Partition == Voronoi {
				subject.Zero = algotest.Shaping
			}
			subject.Exact = func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
				c := at(90, run)
				c.Local.Lambda, c.Local.Tol, c.Soft, c.Starts = gram.Set(0.1), 1e-12, 1, 5
				c.Local.Kernel = kernel.Gaussian{Gamma: 0.02} // wide enough for the clusters
				return algotest.Fitted(c.Fit(ctx, d.X, d.Value, d.Weights))
			}
			subject.WeightTol = 1e-6
			switch s.c.Partition {
			case KMeans:
				subject.Golden = "divided.v1.gram"
			case KernelKMeans:
				subject.Golden = "divided-kernel.v1.gram"
			}
			subject.Random = []string{"partition"}
			if s.c.Partition == Voronoi { // its centers are not drawn, but CG's landmarks are
				subject.Random = []string{"part #/preconditioner"}
			}
			algotest.Check(t, subject)
		})
	}
}

func TestAverageContract(t *testing.T) {
	at := func(n int, run gram.Run) Average {
		return Average{Local: Config{Kernel: kernel.Gaussian{Gamma: 0.3}, Bias: true}, Parts: min(3, n), Run: run}
	}
	algotest.Check(t, algotest.Subject{
		Kind: algotest.Regression,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			n, _ := d.X.Dims()
			return algotest.Fitted(at(n, run).Fit(ctx, d.X, d.Value, d.Weights))
		},
		Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) },
		Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
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

// classified wraps a classifier.
func classified(m *Classifier, err error) (*algotest.Model, error) {
	if m == nil {
		return nil, err
	}
	return &algotest.Model{Public: m, Output: func(x mat.Matrix) *mat.Dense { return m.Scores(nil, x) }, Encode: m.Encode}, err
}

// classes is what the three settings share.
type classes interface {
	FitClasses(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*Classifier, error)
	PlanClasses(s gram.Shape) (gram.Plan, error)
}

func TestClassifierContract(t *testing.T) {
	local := Config{Kernel: kernel.Gaussian{Gamma: 0.3}, Bias: true}
	for _, s := range []struct {
		name   string
		at     func(n int, run gram.Run) classes
		random []string
		share  float64
	}{
		{"krr", func(_ int, run gram.Run) classes { c := local; c.Run = run; return c }, nil, .5},
		{"dc-krr", func(n int, run gram.Run) classes {
			return Divided{Local: local, Parts: min(3, n), Soft: 2, Run: run}
		}, []string{"partition"}, .4},
		{"average", func(n int, run gram.Run) classes { return Average{Local: local, Parts: min(3, n), Run: run} }, []string{"partition"}, .4},
	} {
		t.Run(s.name, func(t *testing.T) {
			subject := algotest.Subject{
				RowBytes: 16,
				Kind:     algotest.Classification,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					n, _ := d.X.Dims()
					return classified(s.at(n, run).FitClasses(ctx, d.X, d.Labels, d.Weights))
				},
				Plan: func(shape gram.Shape, run gram.Run) (gram.Plan, error) { return s.at(shape.N, run).PlanClasses(shape) },
				Decode: func(f *modelfile.File) (*algotest.Model, error) {
					m, err := DecodeAny(f)
					if err != nil {
						return nil, err
					}
					c, ok := m.(*Classifier)
					if !ok {
						return nil, f.Errorf("classes", "a model of values")
					}
					return classified(c, nil)
				},
				Weighted: true,
				Random:   s.random,
				Share:    s.share,
				Memory:   gram.Shape{N: 1500, D: 8, Outputs: 3},
			}
			if s.name != "average" {
				subject.Golden = "classifier-" + s.name + ".v1.gram"
			}
			algotest.Check(t, subject)
		})
	}
}
