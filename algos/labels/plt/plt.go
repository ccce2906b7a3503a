package plt

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Config holds the settings of a label tree.
type Config struct {
	Trees    int               // number of trees; default 1
	Branch   int               // children of a node that are nodes, at most; default 16
	Leaf     int               // labels of a node whose children are labels, at most; default 100
	Beam     int               // nodes of a level that a prediction follows; default 10
	C        float64           // weight of the loss against the norm; default 0.3
	Cut      gram.Opt[float64] // weights of at most this absolute value are not kept; default 0.05
	Tol      float64           // range of projected gradients at which a descent stops; default 0.1
	Passes   int               // largest number of passes of a descent over its rows; default 20
	Rarity   gram.Opt[float64] // power of log(1+n/n_j), the weight of column j, which n_j of n rows have; default 0.5
	Near     gram.Opt[float64] // weight of the cosine to the feature of a label beside its probability; default 0 to 100, by held-out rows
	gram.Run `json:"-"`
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Trees   int
	Nodes   int     // of all trees, without the labels
	Labels  int     // that have rows
	Weights int     // number of weights kept, without the constants
	Near    float64 // the weight of the cosines
	Seconds float64
}

// Model ranks labels. It is safe for concurrent use.
type Model struct {
	cfg    Config
	d      int
	labels int
	forest forest
	stats  Stats
	search *search
	rank   *program.Ranking[float64]
}

var _ gram.Ranker = (*Model)(nil)

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	s.Int(&c.Trees, "trees", "trees, whose scores are averaged").Default(1).AtLeast(1)
	s.Int(&c.Branch, "branch", "children of a node that are nodes").Default(16).AtLeast(2)
	s.Int(&c.Leaf, "leaf", "labels of a node whose children are labels").Default(100).AtLeast(1)
	s.Int(&c.Beam, "beam", "nodes of a level that a prediction follows").Default(10).AtLeast(1)
	s.Float(&c.C, "c", "weight of the loss of a node against the norm").Default(.3).Above(0).SearchLog(.03, 3)
	s.OptFloat(&c.Cut, "cut", "weights of at most this absolute value are not kept").Default(.05).AtLeast(0)
	s.Float(&c.Tol, "tol", "range of projected gradients at which a descent stops").Default(.1).Above(0)
	s.Int(&c.Passes, "passes", "passes of a descent over its rows at most").Default(20).AtLeast(1)
	s.OptFloat(&c.Rarity, "rarity", "power of the logarithm of how rare a column is, which weights it; 0: none").Default(.5).AtLeast(0).AtMost(4)
	near := s.OptFloat(&c.Near, "near", "weight of the cosine to the mean row of a label, beside its probability; 0: none").AtLeast(0).AtMost(maxNear)
	if !s.Resolving() { // the fit finds the value
		near.DefaultRule(usualNear, "0 to 100, by held-out rows")
	}
}

// Plan returns what a fit will cost; s.Outputs is the number of labels. Rows are taken to have
// five labels, or all of fewer, each in a node of its own.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	n, d, labels := float64(s.N), float64(s.D), float64(s.Outputs)
	entries := n * d
	if s.NNZ > 0 {
		entries = float64(s.NNZ)
	}
	const passes = 5 // of coordinate descent, rows that are shrunk taken off
	a := min(5, labels)
	leaves := math.Ceil(labels / float64(c.Leaf))
	levels := math.Ceil(math.Log(leaves) / math.Log(float64(c.Branch)))
	children := math.Min(labels, float64(c.Leaf)) + levels*min(leaves, float64(c.Branch))
	trees := float64(c.Trees)
	fits := 1.0
	if !c.Near.Given() { // and one to the rows that are not held out
		fits = 1.9
	}
	weights := min((labels+2*leaves)*d, a*entries)
	centers := min(labels*d, a*entries)
	near := 0.0 // bytes of the features by column
	if !c.Near.Given() || c.Near.Value() > 0 {
		near = 8*centers + 4*d
	}
	kept := trees*(16*weights+16*labels) + near
	p := gram.Plan{
		Flops:       fits * trees * (4*passes*a*entries*children + 2*20*centers*math.Log2(labels+1)),
		ModelBytes:  check.Bytes(trees*(10*weights+16*labels) + near + 8*d),
		Description: fmt.Sprintf("%d tree(s) of %d linear functions", c.Trees, s.Outputs),
	}
	workers := float64(c.NumWorkers())
	p.PeakBytes = check.Bytes(kept + 12*centers + 8*a*n + 48*labels + 8*n + workers*(12*entries+60*n+48*d))
	if s.NNZ == 0 {
		p.PeakBytes += check.Bytes(12 * entries)
	}
	if !c.Near.Given() { // copies of the rows
		p.PeakBytes += check.Bytes(12*entries + 16*n)
	}
	return p, nil
}

// Fit trains on rows x with the label sets y, n×L, whose values are not looked at. It neither
// keeps nor changes x and y. If ctx ends the fit when some trees are complete, the model of
// these is returned with ctx.Err(): it is the same as that of fewer trees. That Passes are not
// enough for Tol is no error. Near is chosen before, by a fit without a tenth of the rows, at most 2000; with fewer than 200 rows it is .2.
func (c Config) Fit(ctx context.Context, x mat.Matrix, y *sparse.CSR) (*Model, error) {
	c, err := c.resolved(x, y)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	rows, err := c.rows(c, x, y)
	if err != nil {
		return nil, err
	}
	if !c.Near.Given() {
		near, err := c.chooseNear(ctx, rows, y)
		if err != nil {
			return nil, err
		}
		c.Near = gram.Set(near)
	}
	m, err := c.grow(ctx, rows, y)
	if m != nil {
		m.stats.Seconds = time.Since(begin).Seconds()
	}
	return m, err
}

// resolved checks y, and returns the settings with their defaults.
func (c Config) resolved(x mat.Matrix, y *sparse.CSR) (Config, error) {
	n, _ := check.Dims(x)
	if err := check.Tags(y, n); err != nil {
		return c, err
	}
	return settings.Resolved(c, gram.Shape{})
}

// rows checks x and the memory that a plan needs, and returns the rows.
func (c Config) rows(p gram.Planner, x mat.Matrix, y *sparse.CSR) (*sparse.CSR, error) {
	s, err := c.Run.Samples(p, x, y.D)
	if err != nil {
		return nil, err
	}
	rows := s.CSR()
	if rows == nil {
		rows = sparse.FromDense(gram.Matrix(s))
		_, rows.D = x.Dims() // a matrix without rows has no columns
	}
	return rows, nil
}

// grow fits the trees once all settings have their values.
func (c Config) grow(ctx context.Context, x, y *sparse.CSR) (*Model, error) {
	g, err := newGrower(ctx, c, x, y)
	if err != nil {
		return nil, err
	}
	m := &Model{cfg: c, d: x.D, labels: y.D}
	trees := 0
	for t := range c.Trees {
		if err = g.grow(t, &m.forest); err != nil {
			break
		}
		trees++
	}
	if trees == 0 {
		return nil, err
	}
	return m.complete(g), err
}

// complete returns m, whose trees are there, with what else predictions need.
func (m *Model) complete(g *grower) *Model {
	m.forest.weight = g.weight
	if m.cfg.Near.Value() > 0 {
		m.forest.near = byColumn(g.order, g.feature, m.d)
	}
	m.stats = m.forest.stats()
	m.stats.Labels, m.stats.Near = len(g.order), m.cfg.Near.Value()
	return m.ranked()
}

// Config returns the settings, with defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model read from a file has only the sizes.
func (m *Model) Stats() Stats { return m.stats }

// Dim is the number of columns of the rows.
func (m *Model) Dim() int { return m.d }

// NumLabels returns the number L of labels that the model ranks.
func (m *Model) NumLabels() int { return m.labels }

// Top returns for each row the k labels of the largest scores among those that the beams
// reach or that share a column with the row, best first: fewer than k if these are fewer, and none for a row with NaN or an
// infinite value.
func (m *Model) Top(dst [][]gram.Scored, x mat.Matrix, k int) [][]gram.Scored {
	return m.rank.Top(m.cfg.Workers, dst, x, k)
}

// Scores returns the scores of all labels, n×L: −Inf for the labels that Top does not
// consider, NaN for a row with NaN or an infinite value.
func (m *Model) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	return m.rank.Scores(m.cfg.Workers, dst, x)
}
