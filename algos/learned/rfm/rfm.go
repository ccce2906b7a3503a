package rfm

import (
	"context"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Method is the name of the method in model files.
const Method = "rfm"

// Metric is the form of the metric that is learned.
type Metric uint8

const (
	// Auto chooses between the other three by held-out rows. Without held-out rows, and for
	// the plan, it is Full for at most 256 columns and else Diagonal.
	Auto      Metric = iota
	Full             // all entries of M; Euclidean distances
	Diagonal         // the diagonal of M; Euclidean distances
	Manhattan        // the diagonal of M; distances are sums of absolute differences
)

// String returns the name as the command line takes it.
func (m Metric) String() string { return enum.Name(m, "auto", "full", "diagonal", "manhattan") }

const (
	maxFull       = 256  // columns up to which Auto tries Full
	maxSearchRows = 2500 // rows that the choice of metric, width and λ fits
	minHeldOut    = 20   // rows of which some are held out
)

// Config holds the settings of a fit. The zero value is usable.
type Config struct {
	Metric   Metric
	Length   gram.Opt[float64] // width L, in units of the median distance of two rows; default 1/4 to 16, by held-out rows; 2 without them
	Absolute bool              // Length is L as it is, in all rounds; it must then be given
	Lambda   gram.Opt[float64] // λ, added to the diagonal as it is; default 1e-4/L to 3/L, by held-out rows; 1e-3 without them
	Rounds   gram.Opt[int]     // updates of the metric at most; 0: kernel ridge regression; default 5
	Holdout  gram.Opt[float64] // share of the rows that choose; default 0.2, and 0 for fewer than 20 rows; 0: the last round is taken
	Leaf     gram.Opt[int]     // rows of a leaf at most; more rows are divided by a tree; default 4000, and 10000 if there are no more rows
	Overlap  gram.Opt[float64] // share of a node's rows, on each side of its threshold, that train both sides; default 0
	Soft     gram.Opt[float64] // how soft a row goes left or right, in quartile distances of a node; 0: it goes to one leaf; default 0 to 0.8, by held-out rows
	Given    Given             `json:"-"`
	gram.Run `json:"-"`
}

// Given holds ingredients of a fit that the method would otherwise choose. It is not stored.
type Given struct {
	Metric *mat.SymDense // d×d, where the first round starts; nil: the identity
	Held   []int         // rows that are held out, in place of Holdout; nil: drawn at random
	Groups [][]int       // columns that encode a category each; see the package comment
}

// Round holds figures of one round, a kernel ridge regression with one metric.
type Round struct {
	Loss    float64   // mean squared error of the held-out rows, summed over the outputs; 0 without any
	Length  float64   // L
	Top     []float64 // the largest eigenvalues of M, at most five, the largest first
	Seconds float64
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Rounds []Round // of the chosen settings; the first has the metric where the fit started
	Chosen int     // the round whose metric the model has
	Rows   int     // rows with a weight
	Held   int     // rows that were held out for the choice
	Tried  int     // combinations of metric, width and λ that were compared
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	s.Check(check.Rows(s.Shape.N))
	settings.Choice(s, &c.Metric, "metric", "entries of the learned metric; manhattan: the diagonal, for sums of absolute differences; auto: by held-out rows", Auto, Full, Diagonal, Manhattan)
	length := s.OptFloat(&c.Length, "length", "width of the kernel in units of the median distance").AtLeast(0)
	lambda := s.OptFloat(&c.Lambda, "lambda", "weight of the squared norm").AtLeast(0)
	if !s.Resolving() { // the fit finds the values
		length.DefaultRule(0, "from 0.25 to 16, by held-out rows").SearchLog(.5, 16)
		lambda.DefaultRule(0, "from 1e-4 to 3 over the length, by held-out rows").SearchLog(1e-5, 1)
	}
	s.Require(!c.Length.Given() || c.Length.Value() > 0, &c.Length, "above 0")
	s.Require(!c.Lambda.Given() || c.Lambda.Value() > 0, &c.Lambda, "above 0")
	s.Bool(&c.Absolute, "absolute", "the length is the width itself, not in units of the median distance")
	s.Require(!c.Absolute || c.Length.Given() || !s.Resolving(), &c.Length, "given if it is absolute")
	s.OptInt(&c.Rounds, "rounds", "updates of the metric at most; 0: none").Default(5).AtLeast(0)
	s.OptFloat(&c.Holdout, "holdout", "share of the rows that choose the round and the settings; 0: none").Default(.2).AtLeast(0).AtMost(.5)
	leaf := usualLeaf
	if s.Shape.N <= maxWhole {
		leaf = maxWhole
	}
	s.OptInt(&c.Leaf, "leaf", "rows of a leaf at most; more rows are divided by a tree").DefaultRule(leaf, "4000; 10000 if there are no more rows").AtLeast(20)
	s.OptFloat(&c.Overlap, "overlap", "share of a node's rows, on each side of its threshold, that train both sides").Default(0).AtLeast(0).AtMost(.25)
	soft := s.OptFloat(&c.Soft, "soft", "how softly a row goes left or right in a node, in distances of the quartiles; 0: it goes to one leaf").AtLeast(0)
	if !s.Resolving() {
		soft.DefaultRule(0, "from 0 to 0.8, by held-out rows")
	}
	if g := c.Given.Metric; g != nil && s.Resolving() && s.Shape.D > 0 {
		s.Require(g.SymmetricDim() == s.Shape.D, &c.Given.Metric, "%d×%d, as many rows as the data has columns", s.Shape.D, s.Shape.D)
	}
	if s.Shape.D > 0 {
		s.Check(c.Given.check(s.Shape.D))
	}
}

// check returns an error if the groups are not lists of different columns of d.
func (g Given) check(d int) error {
	seen := make([]bool, d)
	for _, group := range g.Groups {
		for _, k := range group {
			if k < 0 || k >= d || seen[k] {
				return settings.Refuse("Given.Groups", k, "columns from 0 to %d, each in one group at most", d-1)
			}
			seen[k] = true
		}
	}
	return nil
}

// holds returns how many of n rows are held out.
func (c Config) holds(n int) int {
	switch {
	case c.Given.Held != nil:
		return len(c.Given.Held)
	case n < minHeldOut:
		return 0
	}
	held := int(c.Holdout.Value()*float64(n) + .5)
	if c.divides(n) {
		held = min(held, maxHeldOut)
	}
	return held
}

// divides reports whether so many rows are divided by a tree.
func (c Config) divides(n int) bool { return n > c.Leaf.Value() }

// blocks returns how many of d columns are numbers, and the columns of each group.
func (c Config) blocks(d int) (numbers int, groups []int) {
	for _, g := range c.Given.Groups {
		if len(g) > 1 {
			groups = append(groups, len(g))
			d -= len(g)
		}
	}
	return max(0, d), groups
}

// costs are sizes that the plan of a fit and those of its pieces have in common.
type costs struct {
	d, t    float64
	own     float64 // columns that are multiplied
	columns float64 // and one for each category
	row     float64 // of categories: flops for each row
	levels  float64 // and the numbers of the blocks
	root    float64 // flops of the eigenvectors of M
	metrics []Metric
}

// costs returns those of data of shape s.
func (c Config) costs(s gram.Shape) costs {
	numbers, groups := c.blocks(s.D)
	own := float64(numbers)
	k := costs{d: float64(s.D), t: float64(max(1, s.Outputs)), own: own, columns: own + float64(len(groups)), root: 9 * own * own * own,
		metrics: c.metrics(slices.Max(append([]int{numbers}, groups...)))}
	if k.metrics[0] == Full {
		for _, g := range groups {
			g := float64(g)
			k.row, k.levels, k.root = k.row+2*g*g*k.t, k.levels+g*g, k.root+4*g*g*g
		}
	}
	return k
}

// fit is the flops of a fit to n rows.
func (k costs) fit(n float64) float64 {
	return n*n*n/3 + n*n*(2*k.columns+2*k.t+2*k.columns*k.t) + n*k.row
}

// peak is the bytes that fits to so many rows need, beside so many numbers.
func (k costs) peak(most float64, workers int, beside float64) int64 {
	blocks := 3 * float64(workers) * (blockRows*(most+(k.d+1)*k.t) + k.levels)
	return check.Bytes(8 * (most*most + 8*most*k.d + 6*most*k.t + most*(k.columns+1)*k.t + 10*k.own*k.own + 8*k.levels + blocks + beside))
}

// Plan returns the expected cost of Fit for data of shape s. Given.Groups are taken for categories.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	k := c.costs(s)
	n, held := float64(s.N), float64(c.holds(s.N))
	p := gram.Plan{FullKernel: true, Description: "kernel ridge regression that learns its metric"}
	searched, most, copies := n-held, n, 0.
	if c.divides(s.N) {
		searched = min(searched, maxSearchRows)
		most = max(searched, min(n, float64(c.Leaf.Value())))
		p.Flops, copies = c.planDivided(n, k.d, k.t, k.own*k.own+k.levels, k.fit)
		p.FullKernel, p.Description = false, "a tree of kernel ridge regressions whose metric is learned"
	} else {
		p.Flops = k.fit(n)
	}
	p.Flops += float64(c.Rounds.Value()+1) * (k.fit(searched) + k.root)
	if held > 0 && (len(k.metrics) > 1 || !c.Length.Given() || !c.Lambda.Given()) {
		p.Flops += c.searchFlops(len(k.metrics), min(searched, maxSearchRows), func(n float64) float64 { return k.fit(n) + k.root })
	}
	p.PeakBytes = k.peak(most, c.NumWorkers(), copies)
	p.ModelBytes = check.Bytes(8 * (n*(k.columns+k.t) + 2*k.own*k.own + k.levels))
	return p, nil
}

// searchFlops returns the cost of the choice for so many metrics on n rows, where a fit of a round has that cost.
func (c Config) searchFlops(metrics int, n float64, fit func(n float64) float64) float64 {
	rounds := c.Rounds.Value() + 1
	few := min(fewRounds, rounds)
	first := min(n, max(minFirst, firstShare*n))
	walks := float64(metrics*few) * (fit(first) + usualTrials*first*first*first/3)
	last := fit(n) + lastTrials*n*n*n/3
	return walks + float64(metrics*(few+1)+min(metrics, final)*(rounds-few))*fit(n) + last
}

// PlanClasses returns the expected cost of FitClasses for data of shape s, where s.Outputs
// is the number of classes.
func (c Config) PlanClasses(s gram.Shape) (gram.Plan, error) {
	s.Outputs = multiclass.Functions(s.Outputs)
	return c.Plan(s)
}

// Fit trains on the n×d rows of x with targets y and weights w; nil means ones. It neither keeps
// nor changes x; the model holds a mapped copy of its rows. Rows of weight 0 are left out.
//
// Besides errors of settings and data, Fit returns ctx.Err(), and a *gram.NotPDError if λ is so small
// that round-off exceeds it. It takes n³/3 + 2n²d flops a round, and n² numbers, or those of the leaves of a tree.
func (c Config) Fit(ctx context.Context, x mat.Matrix, y, w []float64) (*Model, error) {
	n, _ := check.Dims(x)
	if err := check.Target(y, n); err != nil {
		return nil, err
	}
	if n == 0 {
		_, err := settings.Resolved(c, gram.Shape{N: n})
		return nil, err
	}
	return c.FitAll(ctx, x, mat.NewDense(n, 1, y), w)
}

// FitClasses trains a classifier: it fits functions to targets ±1 for the classes, with one metric for all functions. The squared
// error that chooses is a multiple of the Brier score. The errors are those that Fit returns.
func (c Config) FitClasses(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*krr.Classifier, error) {
	return krr.FitClasses(ctx, Method, x, y, w, c.FitAll)
}

// FitAll is Fit for several targets at once, the columns of the n×t matrix y. They share a
// metric.
func (c Config) FitAll(ctx context.Context, x mat.Matrix, y *mat.Dense, w []float64) (*Model, error) {
	c, s, y, w, err := c.checked(x, y, w)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.divides(s.N()) {
		return c.divided(ctx, s, y, w)
	}
	return c.fit(ctx, s, y, w)
}

// checked returns the settings for the rows, and the rows that have a weight, with their targets and weights.
func (c Config) checked(x mat.Matrix, y *mat.Dense, w []float64) (of Config, s gram.Samples[float64], targets *mat.Dense, weights []float64, err error) {
	x, y, w, kept, err := rows.Weighted(c, c.Run, x, y, w)
	if err != nil {
		return c, s, nil, nil, err
	}
	n, d := check.Dims(x)
	if c.Given.Held != nil {
		if c.Given.Held, err = rows.Places("Given.Held", c.Given.Held, kept); err != nil {
			return c, s, nil, nil, err
		}
		if err := check.Index("Given.Held", c.Given.Held, n); err != nil {
			return c, s, nil, nil, err
		}
	}
	if c, err = settings.Resolved(c, gram.Shape{N: n, D: d}); err != nil {
		return c, s, nil, nil, err
	}
	_, outputs := check.Dims(y)
	if s, err = c.Run.Samples(c, x, outputs); err != nil {
		return c, s, nil, nil, err
	}
	if err := check.Targets(y, n); err != nil {
		return c, s, nil, nil, err
	}
	return c, s, y, w, check.Weights(w, n)
}
