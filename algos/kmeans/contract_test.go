package kmeans

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/algotest"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

func wrap(m *Model, err error) (*algotest.Model, error) {
	if m == nil {
		return nil, err
	}
	return &algotest.Model{
		Output: func(x mat.Matrix) *mat.Dense {
			labels := m.Assign(nil, x)
			out := mat.NewDense(len(labels), 1, nil)
			for i, c := range labels {
				out.Set(i, 0, float64(c))
			}
			return out
		},
		Encode: m.Encode,
	}, err
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
					return wrap(c.FitWeighted(ctx, d.X, d.Weights))
				},
				Plan: func(s gram.Shape, run gram.Run) (gram.Plan, error) {
					c := c
					c = large(c)
					c.Run = run
					return c.Plan(s)
				},
				Decode:   func(f *modelfile.File) (*algotest.Model, error) { return wrap(Decode(f)) },
				Weighted: true,
				Memory:   gram.Shape{N: 10_000, D: 8},
			}
			if name == "lloyd" {
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
