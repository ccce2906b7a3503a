package gbdt

import (
	"context"
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// More goes on boosting from m: it grows c.Rounds more rounds of trees, 100 by default, on the rows of x, which may
// be others than those that m was trained on, and returns a model with the trees of both, whose
// settings are c. The columns and the classes must be those of m; c.Columns may be nil, which means
// those of m. With the same rows and settings,
// and without samples of rows or columns, it is the model of all rounds at once, up to rounding. No rows are
// held out to choose the rounds, as m may have been trained on them. m stays as it is. w, ctx and the other errors are those of Fit.
func (c Config) More(ctx context.Context, m *Classifier, x mat.Matrix, y gram.Labels, w []float64) (*Classifier, error) {
	if !slices.Equal(m.names, y.Names) {
		return nil, settings.Refuse("classes", fmt.Sprintf("%q", y.Names), "those of the model, %q", m.names)
	}
	if err := c.columns(&m.model, x); err != nil {
		return nil, err
	}
	c.Given.Scores = m.Scores(nil, x)
	c.Seed = m.later(c.Seed)
	more, err := c.Fit(ctx, x, y, w)
	if more == nil {
		return nil, err
	}
	return &Classifier{m.with(&more.model), m.names}, err
}

// MoreValues is More for a regression. The error is a *gram.ConfigError if only one of c.Loss and the loss of m is Poisson.
func (c Config) MoreValues(ctx context.Context, m *Regressor, x mat.Matrix, y, w []float64) (*Regressor, error) {
	n, _ := x.Dims()
	if err := check.Rows(n); err != nil {
		return nil, err
	}
	if err := c.columns(&m.model, x); err != nil {
		return nil, err
	}
	if (c.Loss == Poisson) != (m.cfg.Loss == Poisson) {
		return nil, settings.Refuse("Loss", c.Loss, "%v, as the model has: the trees of poisson add to logarithms, others to values", m.cfg.Loss)
	}
	c.Given.Scores = mat.NewDense(n, 1, m.sums(x))
	c.Seed = m.later(c.Seed)
	more, err := c.FitValues(ctx, x, y, w)
	if more == nil {
		return nil, err
	}
	return &Regressor{m.with(&more.model)}, err
}

// sums returns F(x) of every row of a model with one output.
func (m *model) sums(x mat.Matrix) []float64 {
	n, _ := x.Dims()
	out := *m
	out.cfg.Loss = Squared
	out.program = newScorer(&out, m.forest)
	return (&Regressor{out}).Predict(make([]float64, n), x)
}

// columns sets the kinds of the columns to those of the model. The error says that x or c has
// others.
func (c *Config) columns(m *model, x mat.Matrix) error {
	if _, d := x.Dims(); d != m.d {
		return settings.Refuse("columns", d, "%d, as the model has", m.d)
	}
	if c.Columns != nil && !slices.Equal(c.Columns, m.mixed) {
		return settings.Refuse("Columns", "other kinds of columns", "those of the model")
	}
	c.Columns = m.Columns()
	return nil
}

// later returns a seed for rounds after those of m, so that they draw other samples.
func (m *model) later(seed uint64) uint64 {
	return rng.Derive(seed, fmt.Sprint("after round ", m.stats.Rounds))
}

// with returns a model with the trees of m and those of more, which were grown from its scores.
func (m *model) with(more *model) model {
	sum := model{cfg: more.cfg, d: m.d, mixed: m.mixed, first: m.first, stats: more.stats}
	sum.gain = make([]float64, 0, len(m.forest.nodes)+len(more.forest.nodes))
	for _, part := range []*model{m, more} {
		f, base := &part.forest, int32(len(sum.forest.nodes))
		sets, words := int32(len(sum.forest.starts)), int32(len(sum.forest.sets))
		for i, n := range f.nodes {
			n.left += base
			sum.forest.nodes = append(sum.forest.nodes, n)
			kind := int32(plainNode)
			if f.kinds != nil {
				kind = f.kinds[i]
			}
			if kind >= levelNode {
				kind += sets
			}
			sum.forest.setKind(len(sum.forest.nodes)-1, kind)
		}
		for _, start := range f.starts {
			sum.forest.starts = append(sum.forest.starts, words+start)
		}
		sum.forest.sets = append(sum.forest.sets, f.sets...)
		for _, r := range f.roots {
			sum.forest.roots = append(sum.forest.roots, base+r)
		}
		sum.forest.value = append(sum.forest.value, f.value...)
		sum.forest.depth = append(sum.forest.depth, f.depth...)
		sum.gain = append(sum.gain, part.gain...)
	}
	if len(sum.gain) < len(sum.forest.nodes) { // those of m are not known
		sum.gain = nil
	}
	sum.complete()
	if sum.gain != nil {
		sum.tally()
	} else {
		sum.stats.Gain, sum.stats.Splits = nil, nil
	}
	return sum
}
