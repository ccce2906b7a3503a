package gbdt

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/bins"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Criterion selects the loss by which splits are judged.
type Criterion uint8

const (
	// SecondOrder uses the second-order expansion of the loss, which for squared loss is the
	// loss itself.
	SecondOrder Criterion = iota
	// DirectLoss uses the logistic loss itself. It is for two classes only.
	DirectLoss
)

// String returns the name as the command line takes it: second-order or direct.
func (c Criterion) String() string { return enum.Name(c, "second-order", "direct") }

// Loss selects the loss of a regression, a function of the score F and the target y of a row.
type Loss uint8

const (
	// Squared is half the square of F−y, whose minimizer is the mean.
	Squared Loss = iota
	// Absolute is |F−y|, whose minimizer is the median. Values far away do not count more than others.
	Absolute
	// Quantile is Level·(y−F) above F and (1−Level)·(F−y) below, whose minimizer is the quantile Level. Fits of
	// two levels are a band.
	Quantile
	// Huber is ½(y−F)² where |y−F| is at most δ, and δ·(|y−F|−½δ) beyond: values far away count as with Absolute, the
	// others as with Squared. δ is Delta or follows the residuals.
	Huber
	// Poisson is e^F−yF, for counts and other values of at least 0, whose minimizer is the logarithm of the mean. Models
	// predict e^F, the mean; their trees add to its logarithm. Given.Scores are the logarithms of exposures: predictions are then for one unit.
	Poisson
)

// String returns the name as the command line takes it: squared, absolute, quantile, huber or poisson.
func (l Loss) String() string {
	return enum.Name(l, "squared", "absolute", "quantile", "huber", "poisson")
}

// Config holds the settings of boosted trees.
//
// A fit takes settings that are not given at their defaults; crossval.Tune chooses MinRows, MaxLeaves and ColumnSample by the data.
type Config struct {
	Rounds       int               // number of trees, or of trees per class for more than two classes; default 100; of 1000 rows or more as many as are best on a fifth held out, at most 2000: see Fit
	Shrinkage    float64           // η, in (0, 1]; default 0.1
	MaxLeaves    int               // largest number of leaves of a tree; default 31
	MaxDepth     int               // largest number of splits on the way to a leaf; 0: no limit
	MinRows      int               // least number of rows of a leaf; default n/40, at least 5 and at most 20
	MinCurvature gram.Opt[float64] // least H of a leaf; default 1e-3; 0: no limit; ignored with DirectLoss
	Lambda       gram.Opt[float64] // weight of the squared leaf values; default 1; not 0 with DirectLoss
	Bins         int               // largest number of bins of a column, 2 to 65536; default 255
	Exact        bool              // a bin for every distinct value; with DirectLoss, every candidate split is solved
	Criterion    Criterion
	Screen       int     // DirectLoss: candidate splits that are solved in each leaf; default 16
	RowSample    float64 // share of the rows on which each round is grown, drawn without replacement; default 1
	ColumnSample float64 // share of the columns that each tree may split; default 1
	Holdout      float64 // share of the rows kept for early stopping; default 0: none
	Patience     int     // rounds without a better loss on held-out rows after which the fit stops; default 20
	FromZero     bool    // F₀ = 0
	Loss         Loss    `json:",omitempty"` // of values; Squared for classes, which have losses of their own
	Level        float64 `json:",omitempty"` // of Quantile, in (0, 1); 0 stands for one half, the median; for Huber see Delta
	// Delta is δ of Huber, in the unit of the values. 0: before each round δ is set to the quantile Level of |y−F|
	// of the rows of the fit ([F01] Algorithm 4); Level 0 then stands for 0.9.
	Delta float64 `json:",omitempty"`
	// Monotone has the signs of columns: 1 where F must not fall when the number of the column rises, −1 where it must not rise, and 0
	// for any other column, as for those behind its end. Only columns of numbers
	// have signs, and only for values and two classes; default none.
	Monotone []int `json:",omitempty"`
	// Columns says which columns hold categories, or cells that may be missing; nil: they hold
	// numbers alone, and NaN is an error.
	Columns  []Column `json:"-"`
	Given    Given    `json:"-"`
	gram.Run `json:"-"`

	named []string // COLUMN:SIGN of Monotone for columns with names, from settings in text
}

// Column says what a column holds beside numbers.
type Column struct {
	// Levels is the number of levels of a category, whose cells are 0 … Levels−1, or below 0 or
	// NaN where they are missing; 0: the column holds numbers.
	Levels int
	// Missing says that cells may be missing: NaN. Those of a category always may.
	Missing bool
}

// Given holds ingredients of a fit. Nil ones are computed from the data.
type Given struct {
	// Scores, n×outputs, are the scores of the rows from which the first tree is grown, such as
	// those of another model. F₀ is then 0, and the F of the model is what the trees add.
	Scores *mat.Dense
}

// of returns what is given, for all of n rows, for the rows kept; a nil kept stands for all.
func (g Given) of(kept []int, n int) Given {
	if kept != nil && g.Scores != nil && g.Scores.RawMatrix().Rows == n {
		g.Scores = rows.Dense(gram.Of(g.Scores), kept)
	}
	return g
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Rounds      int       // number of rounds that were kept
	Held        int       // number of rows that were held out to choose it; 0: it was given
	Trees       int       // number of trees in these rounds
	Leaves      int       // number of leaves in these rounds
	Objective   []float64 // mean loss over the rows of the fit before the first and after each round that was run; nats for classes
	Holdout     []float64 // the same over the held-out rows: of the fit itself if Config.Holdout is given, else of the fit without them that has chosen the rounds
	Gain        []float64 // for each column, the sum of the gains of its splits, in units of the summed loss
	Splits      []int     // for each column, the number of its splits
	BinSeconds  float64
	GrowSeconds float64
}

// Regressor predicts a number for a row: F₀ plus the values of the leaves that the row reaches, or e to that power with Poisson.
type Regressor struct{ model }

// Classifier predicts the class of a row: the one with the largest score.
type Classifier struct {
	model
	names []string
}

var (
	_ gram.Regressor  = (*Regressor)(nil)
	_ gram.Classifier = (*Classifier)(nil)
)

type model struct {
	cfg    Config
	d      int
	mixed  []Column  // of the rows; nil: numbers alone
	first  []float64 // F₀ of each output
	forest forest[float64]
	gain   []float64 // of the splits, by node; nil: not known
	stats  Stats

	program *scorer[float64] // of the forest
}

// Config returns the settings, with defaults filled in.
func (m *model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model read from a file has none but the sizes.
func (m *model) Stats() Stats { return m.stats }

// Dim is the number of columns of the rows.
func (m *model) Dim() int { return m.d }

// Columns says what the columns of the rows hold; nil means numbers alone.
func (m *model) Columns() []Column { return slices.Clone(m.mixed) }

// TakesMissing reports whether some columns may have missing cells.
func (m *model) TakesMissing() bool { return slices.ContainsFunc(m.mixed, Column.takesMissing) }

// Constants returns a copy of F₀, the number to which the trees add, for each output.
func (m *model) Constants() []float64 { return slices.Clone(m.first) }

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	rounds := fewRounds
	if c.Rounds == 0 && c.Given.Scores == nil && s.Shape.N >= minRowsForRounds {
		rounds = maxRounds
	}
	s.Int(&c.Rounds, "rounds", "trees; for more than two classes, trees for each class").DefaultRule(rounds, roundsRule).AtLeast(1).SearchLog(30, 500)
	s.Float(&c.Shrinkage, "shrinkage", "factor of every tree's values").Default(0.1).Above(0).AtMost(1).SearchLog(.02, .3)
	s.Int(&c.MaxLeaves, "leaves", "leaves of a tree at most").Default(31).AtLeast(2).SearchLog(4, 128)
	s.Int(&c.MaxDepth, "depth", "splits on the way to a leaf at most; 0: no limit").AtLeast(0)
	s.Int(&c.MinRows, "min-rows", "rows of a leaf at least").DefaultRule(minInLeaf(s.Shape.N), "a fortieth of the rows, at least 5 and at most 20").AtLeast(1).SearchLog(1, 100)
	s.OptFloat(&c.MinCurvature, "min-curvature", "sum of the second derivatives of a leaf at least; 0: none").Default(1e-3).AtLeast(0)
	s.OptFloat(&c.Lambda, "lambda", "weight of the squared leaf values; 0: none").Default(1).AtLeast(0).SearchLog(1e-2, 100)
	s.Int(&c.Bins, "bins", "bins of a column").Default(255).AtLeast(2).AtMost(1 << 16)
	s.Bool(&c.Exact, "exact", "every distinct value a bin")
	settings.Choice(s, &c.Criterion, "criterion", "what a split is judged by; direct: the loss itself, for two classes", SecondOrder, DirectLoss)
	s.Int(&c.Screen, "screen", "direct: splits tried for each leaf").Default(16).AtLeast(1)
	s.Float(&c.RowSample, "row-sample", "share of the rows for each round").Default(1).Above(0).AtMost(1).SearchLinear(.5, 1)
	s.Float(&c.ColumnSample, "column-sample", "share of the columns for each tree").Default(1).Above(0).AtMost(1).SearchLinear(.3, 1)
	s.Float(&c.Holdout, "holdout", "share of the rows kept for early stopping, of which no tree is grown; 0: none, but see rounds").AtLeast(0).Below(1)
	s.Int(&c.Patience, "patience", "rounds without progress on held-out rows before it stops").Default(20).AtLeast(1)
	s.Bool(&c.FromZero, "from-zero", "start from 0 instead of the best constant")
	settings.Choice(s, &c.Loss, "loss", "loss of values; quantile: that of level; huber: squared up to delta, absolute beyond; poisson: of counts, for their mean", Squared, Absolute, Quantile, Huber, Poisson)
	if level := s.Float(&c.Level, "level", "loss=quantile: share of the values that are below the prediction, by default 0.5; loss=huber: share of the rows nearer than delta, by default 0.9"); c.Loss == Quantile {
		level.Default(.5).Above(0).Below(1)
	} else if c.Loss == Huber && c.Delta == 0 {
		level.Default(.9).Above(0).Below(1)
	} else {
		level.AtLeast(0).Below(1)
	}
	s.Float(&c.Delta, "delta", "loss=huber: distance from which on the loss grows linearly; 0: so that level of the rows are nearer, before each round").AtLeast(0)
	c.monotone(s)
	// The best shape of many more rows than choose is another one.
	s.Tries(settings.Candidates{Names: []string{"min-rows", "leaves", "column-sample"}, MostRows: 5000,
		Lists: [][]string{{"min-rows=5", "leaves=8 min-rows=5"}, {"leaves=8 column-sample=0.5"}}})
	s.Require(c.Criterion != DirectLoss || s.Shape.Outputs <= 2, &c.Criterion, "second-order for more than two classes")
	s.Require(c.Loss == Squared || s.Shape.Outputs <= 1, &c.Loss, "squared for classes, which have losses of their own")
	s.Require(c.Loss == Quantile || c.Loss == Huber && c.Delta == 0 || c.Level == 0, &c.Level, "not given unless the loss is quantile, or huber without delta")
	s.Require(c.Loss == Huber || c.Delta == 0, &c.Delta, "not given unless the loss is huber")
	s.Require(c.Criterion != DirectLoss || c.Lambda.Value() > 0, &c.Lambda, "above 0 with the direct criterion: a pure leaf has no minimizer without it")
}

// Where the number of rounds is not given it is chosen, of at least minRowsForRounds rows, by the share heldForRounds
// of them, and is at most maxRounds; else it is fewRounds. Of fewer rows, those held out would say little.
const (
	minRowsForRounds = 1000
	heldForRounds    = .2
	fewRounds        = 100
	maxRounds        = 2000
	usualRounds      = 500 // that a plan counts
	roundsRule       = "100; of 1000 rows or more as many as are best on a fifth held out, at most 2000"
)

// chooses reports whether the number of rounds is to follow from some of n rows.
func (c Config) chooses(n int) bool {
	return c.Rounds == 0 && c.Holdout == 0 && c.Given.Scores == nil && n >= minRowsForRounds
}

// minInLeaf is the default of MinRows for n rows, 0 if that is not known. Leaves of 20 rows leave
// little to split where there are few.
func minInLeaf(n int) int {
	if n == 0 {
		return 20
	}
	return max(5, min(20, n/40))
}

// Plan returns the expected cost of a fit. s.Outputs is the number of classes, or at most 1 for
// values.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	chooses := c.chooses(s.N)
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	n, d, k := float64(s.N), float64(s.D), float64(multiclass.Functions(s.Outputs))
	width, cut := 1.0, float64(min(c.Bins, s.N))
	if c.Exact {
		width, cut = 2, float64(min(s.N, 1<<16))
	}
	depth := math.Ceil(math.Log2(float64(c.MaxLeaves)))
	if c.MaxDepth > 0 {
		depth = min(depth, float64(c.MaxDepth))
	}
	rounds := float64(c.Rounds) * k
	p := gram.Plan{
		ModelBytes:  check.Bytes(rounds * float64(c.MaxLeaves) * 64),
		Description: fmt.Sprintf("%d rounds of trees of at most %d leaves", c.Rounds, c.MaxLeaves),
	}
	if chooses {
		p.Description = fmt.Sprintf("at most %s, as many as are best on %g of the rows, and again so many for all rows", p.Description, heldForRounds)
		rounds = usualRounds * k * (2 - heldForRounds)
	}
	p.Flops = n*d*math.Log2(n+2) + rounds*n*d*c.ColumnSample*(1+depth/2)*3
	if c.Criterion == DirectLoss {
		p.Flops += rounds * n * depth * float64(c.Screen) * 40
	}
	p.PeakBytes = check.Bytes(n*d*width + max(c.binningBytes(s, n, d), c.growingBytes(s, n, d, k, cut)) + float64(p.ModelBytes))
	return p, nil
}

// binningBytes is the memory in which bins are found, beside the codes: the columns that are sorted at the same time, or the transpose of a sparse matrix.
func (c Config) binningBytes(s gram.Shape, n, d float64) float64 {
	workers := min(float64(c.NumWorkers()), d)
	if s.NNZ > 0 {
		stored := float64(s.NNZ)
		return 12*stored + workers*40*stored/d
	}
	sampled := n
	if !c.Exact {
		sampled = bins.Sampled(n)
	}
	return min(d, bins.Abreast)*16*sampled + workers*24*sampled
}

// growingBytes is the memory in which trees are grown, beside the codes: words, scores and lists of rows, and histograms of the leaves that can be
// split. A dense matrix counts as one without columns that are summed by lists: how many of its cells are equal is not known.
func (c Config) growingBytes(s gram.Shape, n, d, k, cut float64) float64 {
	leaves := min(float64(c.MaxLeaves), n/float64(2*c.MinRows)+1)
	if c.NumWorkers() > 1 {
		leaves *= 1.25 // about so many are opened ahead of the tree, or summed in parts
	}
	bytes := d*cut*(8+16*leaves) + n*(24*k+16)
	if s.NNZ > 0 {
		bytes += 8*n + 4*min(float64(s.NNZ), n*d*sparseShare)
	}
	return bytes
}

// Fit trains a classifier; w are weights of the rows; nil means ones. It neither keeps nor changes x. If neither Rounds nor
// Holdout is given, a first fit to 1000 rows or more holds out a fifth of each class and stops when the weighted loss of these
// rows has not become less for Patience rounds. A second fit, to all rows, has as many rounds as were best: it is the same as a
// fit with this number as Config.Rounds. Rows of one class are an error, as F₀, the logarithm of their odds, is infinite, unless
// FromZero or Given.Scores say where to start. If ctx ends the fit, Fit returns a model of the finished rounds and ctx.Err().
func (c Config) Fit(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*Classifier, error) {
	all, _ := check.Dims(x)
	x, y, w, kept, err := rows.Weighted(c, c.Run, x, y, w)
	if err != nil {
		return nil, err
	}
	c.Given = c.Given.of(kept, all)
	n, _ := x.Dims()
	chooses := c.chooses(n)
	c, err = settings.Resolved(c, gram.Shape{N: n, Outputs: len(y.Names)})
	if err != nil {
		return nil, err
	}
	xr, err := c.samples(x, len(y.Names))
	if err != nil {
		return nil, err
	}
	if err := check.Labeled(y, w, n); err != nil {
		return nil, err
	}
	if !c.FromZero && c.Given.Scores == nil { // F₀ of one class is infinite
		if err := check.Classes(y, n); err != nil {
			return nil, err
		}
	}
	var l lossFunction = logistic{y.Class}
	if len(y.Names) > 2 {
		l = softmax{y.Class, len(y.Names)}
	}
	m, err := c.boost(ctx, xr, l, y.Class, w, chooses)
	if m == nil {
		return nil, err
	}
	return &Classifier{*m, y.Names}, err
}

// FitValues trains a regression with the loss of Config.Loss. Weights, rounds, ctx and errors are
// those of Fit.
func (c Config) FitValues(ctx context.Context, x mat.Matrix, y, w []float64) (*Regressor, error) {
	all, _ := check.Dims(x)
	x, y, w, kept, err := rows.Weighted(c, c.Run, x, y, w)
	if err != nil {
		return nil, err
	}
	c.Given = c.Given.of(kept, all)
	n, _ := x.Dims()
	if err := check.Rows(n); err != nil {
		return nil, err
	}
	chooses := c.chooses(n)
	c, err = settings.Resolved(c, gram.Shape{N: n, Outputs: 1})
	if err != nil {
		return nil, err
	}
	if c.Criterion == DirectLoss {
		return nil, settings.Refuse("Criterion", "DirectLoss", "SecondOrder for values: it is the squared loss itself")
	}
	xr, err := c.samples(x, 1)
	if err != nil {
		return nil, err
	}
	if err := check.Target(y, n); err != nil {
		return nil, err
	}
	if err := check.Weights(w, n); err != nil {
		return nil, err
	}
	if err := c.checkCounts(y); err != nil {
		return nil, err
	}
	m, err := c.boost(ctx, xr, c.ofValues(y), nil, w, chooses)
	if m == nil {
		return nil, err
	}
	return &Regressor{*m}, err
}

// binning returns the largest number of bins of a column, 0 with Exact for no limit, and what the columns hold, as bins.Make
// takes them.
func (c Config) binning() (most int, mixed []bins.Column) {
	if !c.Exact {
		most = c.Bins
	}
	for _, about := range c.Columns {
		mixed = append(mixed, bins.Column(about))
	}
	return most, mixed
}

// boost runs the rounds, whose number it chooses first if chooses is true. class is nil for values.
func (c Config) boost(ctx context.Context, x gram.Samples[float64], l lossFunction, class []int, w []float64, chooses bool) (*model, error) {
	begin := time.Now()
	n, k := x.N(), l.outputs()
	if f := c.Given.Scores; f != nil {
		if r, outputs := f.Dims(); r != n || outputs != k {
			return nil, settings.Refuse("Given.Scores", fmt.Sprintf("%d×%d", r, outputs), "%d×%d", n, k)
		}
		if err := gram.Of(f).Finite(); err != nil {
			return nil, fmt.Errorf("the given scores: %w", err)
		}
	}
	most, mixed := c.binning()
	table, err := bins.Make(ctx, c.Workers, x, most, rng.Derive(c.Seed, "gbdt bins"), mixed)
	if err != nil {
		return nil, err
	}
	seconds := time.Since(begin).Seconds()
	begin = time.Now()
	r := rng.New(c.Seed, 1)
	train, held := split(n, c.Holdout, r.Perm)
	var chosen Stats
	if chooses {
		first, rest := c, holdOut(n, class, rng.Derive(c.Seed, "gbdt rounds"))
		first.Seed = rng.Derive(c.Seed, "gbdt rounds")
		m, err := first.rounds(ctx, "rounds by held-out rows", table, l, w, rng.New(first.Seed, 1), rest[0], rest[1])
		if err != nil {
			return m, err
		}
		chosen = m.stats
		c.Rounds = max(1, chosen.Rounds)
	}
	m, err := c.rounds(ctx, "boosting", table, l, w, r, train, held)
	if m != nil {
		m.stats.BinSeconds, m.stats.GrowSeconds = seconds, time.Since(begin).Seconds()
		if chooses {
			m.stats.Held, m.stats.Holdout = chosen.Held, chosen.Holdout
		}
	}
	return m, err
}

// rounds grows the trees on the rows train, up to the round that is best on the rows held, if there are some.
func (c Config) rounds(ctx context.Context, phase string, table *bins.Table, l lossFunction, w []float64, r *rand.Rand, train, held []int32) (*model, error) {
	begin := time.Now()
	n, d, k := table.N, len(table.Cuts), l.outputs()
	m := &model{cfg: c, d: d, mixed: slices.Clone(c.Columns)}
	m.cfg.Given, m.cfg.Columns = Given{}, nil
	m.stats.Held = len(held)
	m.first = make([]float64, k)
	if !c.FromZero && c.Given.Scores == nil {
		l.constant(m.first, train, w)
	}
	score := make([]float64, n*k) // row i: the scores of its outputs
	for i := range n {
		if c.Given.Scores != nil {
			copy(score[i*k:], c.Given.Scores.RawRowView(i))
		} else {
			copy(score[i*k:], m.first)
		}
	}
	meter := c.Meter()
	g, err := newGrower(ctx, c, table, l, w)
	if err != nil {
		return nil, err
	}
	fitted, kept := watch(train, w), watch(held, w)
	evaluate := func() {
		if h, ok := l.(*huberLoss); ok {
			h.follow(score, train, w)
		}
		means := g.evaluate(l, score, fitted, kept)
		m.stats.Objective = append(m.stats.Objective, means[0])
		if held != nil {
			m.stats.Holdout = append(m.stats.Holdout, means[1])
		}
	}
	evaluate()
	var grown []*tree
	curve, bestRound := crossval.Curve{Patience: c.Patience}, 0
	for round := range c.Rounds {
		sample, rest := train, held
		if c.RowSample < 1 {
			sample = draw(train, c.RowSample, r.Perm)
			rest = without(n, sample)
		}
		grows := false
		for out := range k {
			t, err := g.grow(out, score, sample, draw(all(d), c.ColumnSample, r.Perm))
			if err != nil {
				if round == 0 {
					return nil, err
				}
				m.finish(grown[:bestRound*k], begin)
				return m, err
			}
			if q, ok := l.(quantileLoss); ok {
				g.refit(t, q, score)
			}
			g.update(score, out, t, rest)
			grows = grows || len(t.nodes) > 1
			grown = append(grown, t)
		}
		evaluate()
		more := grows || c.RowSample < 1 || c.ColumnSample < 1
		bestRound = round + 1
		if held != nil {
			more = curve.Add(m.stats.Holdout[round+1]) && more
			bestRound = curve.Best() + 1
		}
		e := gram.Event{Phase: phase, Done: int64(round + 1), Total: int64(c.Rounds), Objective: m.stats.Objective[round+1]}
		if !more {
			e.Total = e.Done
		}
		meter.Report(e)
		if !more {
			break
		}
	}
	m.finish(grown[:bestRound*k], begin)
	return m, nil
}

// finish stores the trees in the model, makes the program that predicts, and fills in the statistics. begin is when the fit began
// to grow trees.
func (m *model) finish(trees []*tree, begin time.Time) {
	m.gain = []float64{}
	for _, t := range trees {
		m.add(t)
	}
	m.complete()
	m.tally()
	m.stats.GrowSeconds = time.Since(begin).Seconds()
}

// complete sets the sizes of the forest and the program that predicts.
func (m *model) complete() {
	m.program = newScorer(m, m.forest)
	m.stats.Rounds = len(m.forest.roots) / len(m.first)
	m.stats.Trees, m.stats.Leaves = len(m.forest.roots), 0
	for i, n := range m.forest.nodes {
		if n.leaf(int32(i)) {
			m.stats.Leaves++
		}
	}
}

// tally counts splits and adds up gains by column.
func (m *model) tally() {
	m.stats.Gain, m.stats.Splits = make([]float64, m.d), make([]int, m.d)
	for i, n := range m.forest.nodes {
		if !n.leaf(int32(i)) {
			m.stats.Gain[n.feature] += m.gain[i]
			m.stats.Splits[n.feature]++
		}
	}
}

// all returns the numbers 0 … n−1.
func all(n int) []int32 {
	a := make([]int32, n)
	for i := range a {
		a[i] = int32(i)
	}
	return a
}

// without returns those of the numbers 0 … n−1 that are not on an ascending list.
func without(n int, list []int32) []int32 {
	rest := make([]int32, 0, n-len(list))
	for i := range int32(n) {
		if len(list) > 0 && list[0] == i {
			list = list[1:]
		} else {
			rest = append(rest, i)
		}
	}
	return rest
}

// draw returns a random share of list, at least one element, in the order of list.
func draw(list []int32, share float64, perm func(int) []int) []int32 {
	if share == 1 {
		return list
	}
	take := make([]bool, len(list))
	for _, i := range perm(len(list))[:max(1, int(share*float64(len(list))))] {
		take[i] = true
	}
	var out []int32
	for i, v := range list {
		if take[i] {
			out = append(out, v)
		}
	}
	return out
}

// holdOut divides n rows into those that are fitted and those that are held out to choose the number of rounds: of
// each class the same share, but none of a class of which nothing would be left.
func holdOut(n int, class []int, seed uint64) (parts [2][]int32) {
	s := crossval.Share(n, heldForRounds, class, seed)
	fitted := map[int]bool{}
	for _, i := range s.Train {
		if class != nil {
			fitted[class[i]] = true
		}
		parts[0] = append(parts[0], int32(i))
	}
	for _, i := range s.Held {
		side := 1
		if class != nil && !fitted[class[i]] {
			side = 0
		}
		parts[side] = append(parts[side], int32(i))
	}
	slices.Sort(parts[0])
	return parts
}

// split holds out a share of n rows; held is nil if the share is empty.
func split(n int, share float64, perm func(int) []int) (train, held []int32) {
	k := int(share * float64(n))
	if k == 0 {
		return all(n), nil
	}
	s := crossval.Cut(perm(n), 0, k).Sort()
	for _, i := range s.Train {
		train = append(train, int32(i))
	}
	for _, i := range s.Held {
		held = append(held, int32(i))
	}
	return train, held
}
