package kmeans

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

func TestTreeContract(t *testing.T) {
	at := func(n int, run gram.Run) Tree {
		c := Tree{Branch: 3, Leaf: 20, Run: run}
		if n > 1000 {
			c.Branch, c.Leaf, c.Split.MaxIter, c.Split.Sample = 64, 500, 2, n
		}
		return c
	}
	algotest.Check(t, algotest.Subject{
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			n, _ := d.X.Dims()
			return algotest.Fitted(at(n, run).FitWeighted(ctx, d.X, d.Weights))
		},
		Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) },
		Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(DecodeTree(f)) },
		Weighted: true,
		Unequal:  "leaves have so many rows",
		Golden:   "tree.v1.gram",
		Random:   []string{"node #"},
		Kept:     5,   // the leaves are not known before
		RowBytes: 300, // the rows of a node are brought together, level by level
		Memory:   gram.Shape{N: 20_000, D: 16},
	})
}

func TestVoronoiContract(t *testing.T) {
	algotest.Check(t, algotest.Subject{
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			return algotest.Fitted(Voronoi{Alpha: 0.3, MaxParts: 30, Run: run}.Fit(ctx, d.X))
		},
		Plan:   func(s gram.Shape, run gram.Run) (gram.Plan, error) { return Voronoi{MaxParts: 30, Run: run}.Plan(s) },
		Decode: func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
		Memory: gram.Shape{N: 50_000, D: 4},
		Kept:   8, // the parts are not known before
	})
}

func TestContract(t *testing.T) {
	for name, c := range map[string]Config{
		"lloyd":    {K: 5, Starts: 2},
		"sample":   {K: 5, Sample: 50},
		"batches":  {K: 5, Batch: 20},
		"balanced": {K: 5, Balance: 1.2},
	} {
		t.Run(name, func(t *testing.T) {
			s := algotest.Subject{
				Kind: algotest.Unsupervised,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c := c
					if n, _ := d.X.Dims(); n > 1000 {
						c = large(c)
					}
					c.Run = run
					return algotest.Fitted(c.FitWeighted(ctx, d.X, d.Weights))
				},
				Plan: func(s gram.Shape, run gram.Run) (gram.Plan, error) {
					c := c
					c = large(c)
					c.Run = run
					return c.Plan(s)
				},
				Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
				Weighted: true,
				Random:   []string{"seed"},
				Memory:   gram.Shape{N: 10_000, D: 8},
			}
			s.Unequal = map[string]string{"sample": "a sample of rows is clustered", "batches": "a step draws rows", "balanced": "the limit is one on rows"}[name]
			switch name {
			case "lloyd":
				s.Exact = func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					m, err := Config{K: 3, Run: run}.FitWeighted(ctx, d.X, d.Weights)
					return &algotest.Model{Output: func(x mat.Matrix) *mat.Dense {
						n, d := x.Dims()
						out := mat.NewDense(n, d, nil)
						for i, k := range m.Assign(nil, x) {
							out.SetRow(i, m.Centers().RawRowView(k))
						}
						return out
					}}, err
				}
				s.Golden = "kmeans.v1.gram"
			}
			algotest.Check(t, s)
		})
	}
}

// large are the settings for the problem whose memory is measured.
func large(c Config) Config {
	c.K, c.MaxIter, c.Starts = 200, 2, 1
	if c.Sample > 0 {
		c.Sample = 4000
	}
	return c
}
