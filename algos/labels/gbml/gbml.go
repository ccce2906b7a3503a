package gbml

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/internal/bins"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Config holds the settings of GBML. The zero value is usable.
type Config struct {
	Trees        int               // number of trees; default 30
	Shrinkage    float64           // η, in (0, 1]; default 0.2
	Depth        int               // largest number of splits on the way to a leaf; default 10
	MinRows      int               // least number of rows of a leaf; default 100, at most half the rows
	Lambda       gram.Opt[float64] // λ; default 5
	Keep         int               // labels stored in a leaf; default 20
	Bins         int               // largest number of bins of a column, 2 to 256; default 255
	ColumnSample float64           // share of the columns tried at each node; default 1
	Single       bool              // the numbers of the model are rounded to single precision, which halves its size; sums and residuals of the fit are in double precision all the same

	// Projection makes the columns of the trees; its rank is by default 100, at
	// most the number of labels and of columns, its λ 50: on parts of delicious and
	// bibtex the trees rank better than with the λ that is best for LEML alone. Its
	// Run is not used.
	Projection leml.Config
	Given      Given `json:"-"`
	gram.Run   `json:"-"`
}

// Given are ingredients of a fit that are otherwise made from the rows and their labels.
type Given struct {
	// W, d×d̄, and Bias, of length d̄ or nil for zeros, are a projection z = Wᵀx + b in place of
	// LEML's, which then is not fitted.
	W    *mat.Dense
	Bias []float64
	// Columns says that there is no projection: the trees split the columns of x. A
	// prediction then takes time in proportion to their number.
	Columns bool
	// Residuals, n×L, are what the first tree is grown on in place of the label sets, any
	// real numbers: Y − F for a fit that goes on from scores F. The model's scores are what the
	// trees add.
	Residuals *sparse.CSR
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Trees           int
	Leaves          int
	Loss            []float64 // ‖Y−F‖²/n before the first and after each tree
	ResidualEntries []int     // of all rows, before the first and after each tree: 12 bytes each
	ProjectSeconds  float64
	GrowSeconds     float64
}

// Model ranks labels. It is safe for concurrent use.
type Model struct {
	cfg    Config
	labels int
	trees  trees // a *part[float64], or a *part[float32] with Single
	stats  Stats
	rank   ranking // by trees
}

var _ gram.Ranker = (*Model)(nil)

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	s.Int(&c.Trees, "trees", "trees").Default(30).AtLeast(1)
	s.Float(&c.Shrinkage, "shrinkage", "factor of every tree's values").Default(0.2).Above(0).AtMost(1).SearchLog(.05, .5)
	s.Int(&c.Depth, "depth", "splits on the way to a leaf at most").Default(10).AtLeast(1).SearchLinear(4, 16)
	s.Int(&c.MinRows, "min-rows", "rows of a leaf at least").DefaultRule(max(1, min(100, s.Shape.N/2)), "100, at most half the rows").AtLeast(1)
	s.OptFloat(&c.Lambda, "lambda", "added to the number of rows of a leaf; 0: nothing").Default(5).AtLeast(0).SearchLog(.5, 50)
	s.Int(&c.Keep, "keep", "labels of a leaf").Default(20).AtLeast(1)
	s.Int(&c.Bins, "bins", "bins of a column").Default(255).AtLeast(2).AtMost(256)
	s.Float(&c.ColumnSample, "column-sample", "share of the columns tried at each node").Default(1).Above(0).AtMost(1)
	s.Bool(&c.Single, "single", "the model's numbers in single precision, in half the memory")
	p, g := &c.Projection, &c.Given
	if s.Resolving() {
		g.settings(s)
		if g.projects() {
			*p = leml.Config{Rank: g.columns(s.Shape.D)}
		}
	}
	most := max(1, min(100, s.Shape.D, s.Shape.Outputs))
	s.Int(&p.Rank, "rank", "columns of the projection").DefaultRule(most, "100, at most the number of labels and of columns").AtLeast(1)
	s.OptFloat(&p.Lambda, "projection-lambda", "weight of the projection's squared factors; 0: none").Default(50).AtLeast(0)
	s.EmbeddedAs("projection-", p, "rank", "lambda")
}

// projects says that there is no projection to fit.
func (g *Given) projects() bool { return g.Columns || g.W != nil }

// columns is the number of columns of the trees, for rows of d.
func (g *Given) columns(d int) int {
	if g.W == nil {
		return d
	}
	_, k := g.W.Dims()
	return k
}

// settings refuses ingredients of shapes that do not fit.
func (g *Given) settings(s *settings.Fields) {
	s.Require(!g.Columns || g.W == nil, &g.Columns, "false where W is given")
	k := g.columns(s.Shape.D)
	if g.W != nil {
		if d, _ := g.W.Dims(); d != s.Shape.D {
			s.Refuse(&g.W, fmt.Sprintf("%d×%d", d, k), fmt.Sprintf("%d rows", s.Shape.D))
		}
	}
	if g.Bias != nil && (g.W == nil || len(g.Bias) != k) {
		s.Refuse(&g.Bias, len(g.Bias), "a number for each column of W")
	}
	if r := g.Residuals; r != nil && (r.N != s.Shape.N || r.D != s.Shape.Outputs) {
		s.Refuse(&g.Residuals, fmt.Sprintf("%d×%d", r.N, r.D), fmt.Sprintf("%d×%d", s.Shape.N, s.Shape.Outputs))
	}
}

// check looks at the numbers of the ingredients.
func (g *Given) check() error {
	if g.W != nil {
		if err := gram.Of(g.W).Finite(); err != nil {
			return fmt.Errorf("the given W: %w", err)
		}
	}
	if len(g.Bias) > 0 {
		if err := gram.Of(mat.NewDense(1, len(g.Bias), g.Bias)).Finite(); err != nil {
			return fmt.Errorf("the given bias: %w", err)
		}
	}
	if g.Residuals == nil {
		return nil
	}
	err := g.Residuals.Validate()
	if err == nil {
		err = gram.Of(g.Residuals).Finite()
	}
	if err != nil {
		return fmt.Errorf("the given residuals: %w", err)
	}
	return nil
}

// Plan returns what a fit will cost; s.Outputs is the number of labels. Labels
// are taken to be at most ten a row.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	p := gram.Plan{Description: "given columns"}
	if !c.Given.projects() {
		if p, err = c.Projection.Plan(s); err != nil {
			return gram.Plan{}, err
		}
	}
	n, trees, rank := float64(s.N), float64(c.Trees), float64(c.Projection.Rank)
	leaves := min(math.Ldexp(1, min(c.Depth, 40)), n/float64(c.MinRows)+1)
	keep := min(float64(c.Keep), float64(s.Outputs))
	entries := min(n*10, n*float64(s.Outputs))
	if c.Given.Residuals != nil {
		entries = float64(c.Given.Residuals.NNZ())
	}
	full := min(entries+n*trees*keep, n*float64(s.Outputs))
	p.Flops += trees * float64(c.Depth) * rank * c.ColumnSample * (entries + full) / 2 * 3
	number := 8.0
	if c.Single {
		number = 4
	}
	p.ModelBytes = check.Bytes(number*rank*float64(s.D) + trees*leaves*((4+number)*keep+20+4*number))
	p.PeakBytes = max(p.PeakBytes, check.Bytes(n*rank*9+32*full+n*48+8*float64(s.Outputs))+p.ModelBytes)
	p.Description = fmt.Sprintf("%s; %d trees, %d labels a leaf", p.Description, c.Trees, c.Keep)
	return p, nil
}

// Fit trains on rows x with the label sets y, n×L, whose values are not looked
// at. It neither keeps nor changes x and y. If ctx ends the fit after the first
// tree the model so far is returned with ctx.Err().
func (c Config) Fit(ctx context.Context, x mat.Matrix, y *sparse.CSR) (*Model, error) {
	n, _ := check.Dims(x)
	if err := check.Tags(y, n); err != nil {
		return nil, err
	}
	c, err := settings.Resolved(c, gram.ShapeOf(x, y.D))
	if err != nil {
		return nil, err
	}
	s, err := c.Run.Samples(c, x, y.D)
	if err != nil {
		return nil, err
	}
	if err := c.Given.check(); err != nil {
		return nil, err
	}
	begin := time.Now()
	w, bias := c.Given.W, c.Given.Bias
	if !c.Given.projects() {
		c.Projection.Run = c.Run
		c.Projection.Seed = rng.Derive(c.Seed, "gbml projection")
		fitted, err := c.Projection.Fit(ctx, s, y)
		if err != nil {
			return nil, err
		}
		c.Projection = fitted.Config()
		w, bias, _ = fitted.Factors()
		orient(w, bias)
	}
	res := newResidual(c.Given.Residuals)
	if c.Given.Residuals == nil {
		res = newResidual(&sparse.CSR{N: y.N, D: y.D, Ptr: y.Ptr, Col: y.Col})
	}
	m := &Model{cfg: c, labels: y.D}
	m.cfg.Given = Given{}
	if c.Single {
		err = fit[float32](ctx, m, s, w, bias, res, begin)
	} else {
		err = fit[float64](ctx, m, s, w, bias, res, begin)
	}
	if m.stats.Trees == 0 {
		return nil, err
	}
	return m.ranked(), err
}

// orient turns the columns of a projection so that the entry of largest magnitude of each
// is positive. LEML turns them to eigenvectors, whose signs its objective does not decide,
// but quantiles and thresholds of a mirrored column are other ones.
func orient(w *mat.Dense, bias []float64) {
	_, columns := w.Dims()
	for j := range columns {
		column := w.ColView(j).(*mat.VecDense).RawVector()
		if column.Data[blas64.Iamax(column)*column.Inc] >= 0 {
			continue
		}
		blas64.Scal(-1, column)
		if bias != nil {
			bias[j] = -bias[j]
		}
	}
}

// fit grows the trees of m, whose numbers are in F, on rows that begin with the residuals
// res. The projection was begun at that time.
func fit[F gram.Float](ctx context.Context, m *Model, x gram.Samples[float64], w *mat.Dense, bias []float64, res *residual, begin time.Time) error {
	_, d := x.Dims()
	t := &part[F]{p: newProjection[F](d, w, bias)}
	m.trees = t
	z, err := t.p.table(ctx, m.cfg, x)
	if err != nil {
		return err
	}
	m.stats.ProjectSeconds = time.Since(begin).Seconds()
	begin = time.Now()
	err = m.boost(ctx, &t.forest, z, res)
	_, m.stats.Leaves = t.size()
	m.stats.GrowSeconds = time.Since(begin).Seconds()
	return err
}

// boost grows the trees on the bins z of the projected rows.
func (m *Model) boost(ctx context.Context, f planter, z *bins.Table, res *residual) error {
	c := m.cfg
	meter := c.Meter()
	r := rng.New(c.Seed, 0)
	g := newGrower(ctx, c, z, m.labels)
	took := func() {
		m.stats.Loss = append(m.stats.Loss, res.squares(c.Workers)/float64(z.N))
		m.stats.ResidualEntries = append(m.stats.ResidualEntries, res.entries())
	}
	took()
	for t := range c.Trees {
		leaves, err := g.grow(f, res, r)
		if err != nil {
			return err
		}
		f.subtract(c.Workers, res, leaves)
		m.stats.Trees = t + 1
		took()
		meter.Report(gram.Event{Phase: "trees", Done: int64(t + 1), Total: int64(c.Trees), Objective: m.stats.Loss[t+1]})
	}
	return nil
}

// draw returns a share of the columns, at least one, ascending.
func draw(d int, share float64, r *rand.Rand) []int {
	columns := make([]int, 0, d)
	if share == 1 {
		for j := range d {
			columns = append(columns, j)
		}
		return columns
	}
	take := make([]bool, d)
	for _, j := range r.Perm(d)[:max(1, int(share*float64(d)))] {
		take[j] = true
	}
	for j, t := range take {
		if t {
			columns = append(columns, j)
		}
	}
	return columns
}
