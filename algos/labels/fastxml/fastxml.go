package fastxml

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Config holds the settings of FastXML. The zero value is usable.
type Config struct {
	Trees    int     // number of trees; default 50
	Leaf     int     // nodes with at most this many rows are not divided; default 10
	Keep     int     // labels stored in a leaf; default 100
	C        float64 // weight of the logistic loss of a node; default 1
	Depth    int     // largest number of nodes on the way to a leaf; default 60
	Rounds   int     // how often sides and w of a node are learned in turn; default 1
	gram.Run `json:"-"`
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Trees   int
	Leaves  int
	Weights int // number of nonzeros of all w
	Seconds float64
}

// Model ranks labels. It is safe for concurrent use.
type Model struct {
	cfg    Config
	d      int
	labels int
	forest forest
	stats  Stats
	rank   *program.Ranking[float32] // of the forest
}

var _ gram.Ranker = (*Model)(nil)

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	s.Int(&c.Trees, "trees", "trees").Default(50).AtLeast(1)
	s.Int(&c.Leaf, "leaf", "nodes of at most that many rows are not divided").Default(10).AtLeast(1).SearchLog(3, 50)
	s.Int(&c.Keep, "keep", "labels of a leaf").Default(100).AtLeast(1)
	s.Int(&c.Depth, "depth", "nodes on the way to a leaf at most").Default(60).AtLeast(1)
	s.Int(&c.Rounds, "rounds", "turns of the sides of rows and the separator of a node").Default(1).AtLeast(1)
	s.Float(&c.C, "c", "weight of the logistic loss of a node").Default(1).Above(0).SearchLog(.1, 10)
}

// Plan returns what a fit will cost; s.Outputs is the number of labels. The
// trees are taken to be balanced, the w to have as many nonzeros as a fiftieth of
// their rows' entries.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	n, d := float64(s.N), float64(s.D)
	entries := n * d
	if s.NNZ > 0 {
		entries = float64(s.NNZ)
	}
	const passes = 30 // of coordinate descent
	leaves := math.Ceil(2*n/float64(c.Leaf)) + 1
	depth := min(math.Ceil(math.Log2(leaves)), float64(c.Depth))
	trees := float64(c.Trees)
	keep := min(float64(c.Keep), float64(s.Outputs), 10*float64(c.Leaf))
	workers := float64(min(c.NumWorkers(), c.Trees))
	p := gram.Plan{
		Flops:       trees * depth * entries * 4 * passes * float64(c.Rounds),
		ModelBytes:  check.Bytes(trees * (depth*entries/50*8 + leaves*(8*keep+32))),
		Description: fmt.Sprintf("%d trees of linear separators, leaves of %d rows", c.Trees, c.Leaf),
	}
	p.PeakBytes = p.ModelBytes*3/2 + check.Bytes(12*entries+workers*(16*entries+80*n+16*d+24*float64(s.Outputs)))
	return p, nil
}

// Fit trains on rows x with the label sets y, n×L, whose values are not looked
// at. It neither keeps nor changes x and y. If ctx ends the fit when some trees
// are complete, the model of these is returned with ctx.Err(): the first ones
// without a gap, so that it is the same as that of fewer trees.
func (c Config) Fit(ctx context.Context, x mat.Matrix, y *sparse.CSR) (*Model, error) {
	n, d := check.Dims(x)
	if err := check.Tags(y, n); err != nil {
		return nil, err
	}
	c, err := settings.Resolved(c, gram.Shape{})
	if err != nil {
		return nil, err
	}
	s, err := c.Run.Samples(c, x, y.D)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	a := s.CSR()
	if a == nil {
		a = sparse.FromDense(gram.Matrix(s))
	}
	trees := make([]*forest, c.Trees)
	meter := c.Meter()
	par.Each(ctx, c.Workers, c.Trees, func(t int) {
		trees[t] = newGrower(ctx, c, a, y).grow(rng.New(c.Seed, uint64(t)))
	}, func(calls int) {
		meter.Report(gram.Event{Phase: "trees", Done: int64(calls), Total: int64(c.Trees)})
	})
	m := &Model{cfg: c, d: d, labels: y.D}
	for _, f := range trees {
		if f == nil {
			err = ctx.Err()
			break
		}
		m.forest.append(f)
	}
	m.stats = m.forest.stats()
	m.stats.Seconds = time.Since(begin).Seconds()
	if m.stats.Trees == 0 {
		return nil, err
	}
	return m.ranked(), err
}
