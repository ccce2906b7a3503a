package machine

import (
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/settings"
)

// stored is a map of three features that stores so many bytes.
type stored struct{ bytes int64 }

func (stored) Settings(*settings.Fields)        {}
func (stored) SetRun(gram.Run)                  {}
func (stored) Features(gram.Shape) (int, error) { return 3, nil }
func (m stored) Plan(gram.Shape) (gram.Plan, error) {
	return gram.Plan{Flops: 7, ModelBytes: m.bytes}, nil
}

// A plan counts mapping the rows, by the numbers of the map or by the entries of the rows.
func TestPlanCountsMapping(t *testing.T) {
	l := linear.Config{}
	l.Ridge.Lambda = gram.Set(1.)
	flops := func(bytes int64, s gram.Shape) float64 {
		p := must.Have(Plan(stored{bytes}, l, s))(t)
		return p.Flops
	}
	dense, sparse := gram.Shape{N: 100, D: 50, Outputs: 1}, gram.Shape{N: 100, D: 50, Outputs: 1, NNZ: 200}
	for _, c := range []struct {
		bytes int64
		shape gram.Shape
		want  float64
	}{
		{8 * 40, dense, 100 * 2 * 40}, {8 * 40, sparse, 2 * 3 * (200 + 100*3)}, {1 << 40, dense, 2 * 3 * (100*50 + 100*3)},
	} {
		if got := flops(c.bytes, c.shape) - flops(0, c.shape); got != c.want {
			t.Errorf("%+v: mapping counts %g flops, want %g", c, got, c.want)
		}
	}
}
