package pseudo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/internal/selection"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Kind selects the functions that are the columns of the pseudo-landmarks.
type Kind = basis.PseudoKind

const (
	Products = basis.Products // of two kernel values
	Lower    = basis.Lower    // values of κ at the lower bound of the distance
	Upper    = basis.Upper    // at the upper bound
	Mid      = basis.Mid      // at the mean of both
)

// Config holds the settings of the Nyström method with pseudo-landmarks.
type Config struct {
	Kernel      kernel.Kernel     `json:"-"` // stored as its Spec; no default
	Landmarks   landmark.Selector `json:"-"` // default landmark.KMeans{}; landmark.Uniform{} for a kernel known by its columns
	M           int               // number of landmarks; default 32, or the number of rows if that is less
	Kind        Kind              // kind of the pseudo-landmarks; default Products
	P           int               // number of pseudo-landmarks; default 2M, or the most there are (M(M+1)/2 products; rows), or |I|/6 − M but at least 1; see the package comment on few rows
	All         bool              // use all products
	Sample      int               // |I|, the number of rows to which W̄ is fitted; default 2000, or all
	Cut         float64           // singular values of C̄ on the sample, columns scaled to length one, below Cut times the largest of C are dropped; default 1e-8, or more where features grow too long
	Certificate int               // rows from which Stats.Error is estimated, at the cost of Certificate·(M+Certificate) kernel values, and of a fit without them where no rows are outside the sample or rows are few; 0: none
	Given       Given             `json:"-"` // pseudo-landmarks and sample to be used instead of drawn ones
	gram.Run    `json:"-"`
}

// Given holds ingredients that the caller provides. Nil ones are drawn by Fit. Landmarks are given
// by a landmark.Fixed.
type Given struct {
	Pairs  [][2]int   // Products: the landmarks of each product, counted from 0; P is their number then
	Points *mat.Dense // other kinds: p×d, the points v_t, which need not be rows of x; P is p then
	Sample []int      // I, rows of x, ascending; Sample is their number then
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Rank          int         // number of features; Own if the pseudo-landmarks are left out
	Own           int         // rank of the columns of the landmarks alone
	Sample        int         // |I|
	Stretch       float64     // the largest ‖φ(z)‖²/K(z,z) of landmarks z and of points midway between those of a product; at most 1 for Nyström features
	SampleError   float64     // ‖G_II − C̄_I·W̄·C̄_Iᵀ‖/‖G_II‖, good to about 10⁻⁸; W̄ is fitted to these rows, and 0 tells nothing about others if |I| < M+P
	Error         solve.Error // estimated relative error on rows outside I or, if there are none, on some of I for a W̄ that is fitted to the others; Rows is 0 without a certificate
	SelectSeconds float64
	CoreSeconds   float64
}

// Model maps rows to features: rows of C̄ times the (m+p)×r matrix that is its Root. It
// is safe for concurrent use, and keeps the landmarks but not the rows it was fitted
// to.
type Model struct {
	*basis.Rooted
	cfg   Config
	c     *basis.Pseudo
	given Given
	stats Stats

	nystrom bool // the pseudo-landmarks are left out
}

var _ basis.Basis = (*Model)(nil)

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	kernel.Setting(s, &c.Kernel)
	s.Tries(settings.Candidates{Names: []string{"gamma"}, Lists: [][]string{{"gamma=0.3*scale", "gamma=0.1*scale", "gamma=0.03*scale"}}})
	n := s.Shape.N
	selection.Count(s, &c.M, c.Landmarks, "m", "landmarks", min(n, 32), "32, or the number of rows if that is less")
	settings.Choice(s, &c.Kind, "kind", "columns of the pseudo-landmarks: products of kernel values, or values at a bound of the distance", Products, Lower, Upper, Mid)
	most := n
	if c.Kind == Products {
		most = c.M * (c.M + 1) / 2
	}
	if s.Resolving() {
		most = max(most, c.resolveGiven(s))
	}
	s.Bool(&c.All, "all", "all m(m+1)/2 products")
	if c.All && s.Resolving() {
		s.Require(c.Kind == Products && (c.P == 0 || c.P == most), &c.All, "false: it is for products without p")
		c.P = most
	}
	s.Int(&c.P, "p", "pseudo-landmarks").DefaultRule(max(1, min(2*c.M, most, c.sampled(n)/fewRows-c.M)), "2m, or the most there are, or a sixth of the sample less m").AtLeast(1).
		AtMostRule(most, "the number of products, or of rows")
	s.Int(&c.Sample, "sample", "rows that the approximation is fitted to").DefaultRule(c.sampled(n), "2000, or all").
		AtLeast(1).AtMostRule(n, "the number of rows")
	if _, ok := c.Kernel.(*kernel.Precomputed); ok && c.Landmarks == nil {
		c.Landmarks = landmark.Uniform{}
	}
	selection.Setting(s, &c.Landmarks, "landmarks", "choice of the landmarks", "kmeans", "uniform")
	s.Float(&c.Cut, "cut", "singular values below that share of the largest are dropped").Default(1e-8).Above(0).Below(1)
	s.Int(&c.Certificate, "certificate", "rows from which the error of the approximation is estimated; 0: none").AtLeast(0)
	if s.Resolving() && c.Kernel != nil {
		s.Check(c.Kind.Fits(c.Kernel))
	}
}

// fewRows is the number of rows of the sample for each column from which p is not less than 2m by default.
const fewRows = 6

// sampled returns the number of rows that W̄ is fitted to, of n.
func (c *Config) sampled(n int) int {
	if c.Sample > 0 {
		return c.Sample
	}
	return min(n, 2000)
}

// resolveGiven checks what is given, sets P and Sample accordingly, and returns the number
// of pseudo-landmarks that are given.
func (c *Config) resolveGiven(s *settings.Fields) int {
	g := c.Given
	p := len(g.Pairs)
	if g.Pairs != nil && (c.Kind != Products || c.All || p == 0) {
		s.Refuse(&c.Given.Pairs, fmt.Sprintf("%d pairs", p), "nil, or at least one pair for some of the products")
	}
	for _, pair := range g.Pairs {
		if min(pair[0], pair[1]) < 0 || max(pair[0], pair[1]) >= c.M {
			s.Refuse(&c.Given.Pairs, pair, fmt.Sprintf("landmarks from 0 to %d", c.M-1))
		}
	}
	if g.Points != nil {
		var d int
		p, d = g.Points.Dims()
		if s.Shape.D > 0 && d != s.Shape.D {
			s.Refuse(&c.Given.Points, fmt.Sprintf("%d×%d", p, d), fmt.Sprintf("%d×%d", p, s.Shape.D))
		}
		if c.Kind == Products {
			s.Refuse(&c.Given.Points, fmt.Sprintf("%d×%d", p, d), "nil for products of kernel values")
		}
	}
	if p > 0 {
		s.Require(c.P == 0 || c.P == p, &c.P, "0 or %d, the number of pseudo-landmarks that are given", p)
		c.P = p
	}
	if g.Sample != nil {
		s.Require(len(g.Sample) > 0, &c.Given.Sample, "at least one row")
		s.Check(check.Index("Given.Sample", g.Sample, s.Shape.N))
		s.Require(c.Sample == 0 || c.Sample == len(g.Sample), &c.Sample, "0 or %d, the number of rows that are given", len(g.Sample))
		c.Sample = len(g.Sample)
	}
	return p
}

// Plan returns the expected cost of Fit for data of shape s, the selection of
// landmarks included where the selector has a plan. Mapping rows is not part of a
// fit.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	i, d := float64(c.Sample), float64(s.D)
	m, q := float64(c.M), float64(c.M+c.P)
	r := min(i, q)
	var p gram.Plan
	if pl, ok := c.Landmarks.(landmark.Planner); ok {
		if p, err = pl.Plan(s, c.M, c.Run); err != nil {
			return gram.Plan{}, err
		}
	}
	p.Flops += 2*i*i*(d+r) + 2*i*m*d + 14*i*q*r + 20*r*r*r
	p.ModelBytes = check.Bytes(8 * (2*m*d + q*r))
	fixed := 8 * (2*m*d + m)
	core := fixed + 8*(256*i+2*i*d+4*i*q+i*r+3*q*q)
	if c.Certificate > 0 {
		e := float64(min(c.Certificate, s.N))
		p.Flops += 2*e*q*(d+r) + 2*e*e*(d+r)
		core = max(core, float64(p.ModelBytes)+8*(2*e*e+e*(q+r+2*d)))
	}
	p.PeakBytes = max(p.PeakBytes+check.Bytes(fixed), check.Bytes(core))
	if c.few(s.N) || c.Certificate > 0 && s.N < c.Sample+leastError { // another fit, to a copy of most rows
		p.Flops *= 2
		p.PeakBytes += p.ModelBytes + max(8*int64(s.N)*int64(s.D), 12*s.NNZ)
	}
	p.Description = fmt.Sprintf("Nyström features of %d landmarks and %d pseudo-landmarks (%s), fitted to %d rows", c.M, c.P, c.Kind, c.Sample)
	return p, nil
}

// Features returns how many features there are at most for data of shape s.
func (c Config) Features(s gram.Shape) (int, error) {
	c, err := settings.Resolved(c, s)
	return min(c.Sample, c.M+c.P), err
}

// Fit chooses landmarks and pseudo-landmarks and computes W̄. It neither keeps nor
// changes x. The singular value decompositions, about 14·|I|·(m+p)² flops, cannot
// be interrupted.
func (c Config) Fit(ctx context.Context, x mat.Matrix) (*Model, error) {
	return c.FitWeighted(ctx, x, nil)
}

// FitWeighted is Fit with a weight ≥ 0 for every row, nil meaning ones, that the
// selector of the landmarks takes into account. W̄ is for all rows alike.
func (c Config) FitWeighted(ctx context.Context, x mat.Matrix, w []float64) (*Model, error) {
	open := choices{cut: c.Cut == 0, columns: c.P == 0 && !c.All && c.Given.Pairs == nil && c.Given.Points == nil}
	start, err := rows.Begin(&c, c.Run, x, rows.None{}, w, selection.Keep(&c.Landmarks), func(kept []int) (err error) {
		c.Given.Sample, err = rows.Places("Given.Sample", c.Given.Sample, kept)
		return err
	})
	if err != nil {
		return nil, err
	}
	s, w, kept := start.X, start.W, start.Kept
	if c.Given.Points != nil {
		if err := gram.Of(c.Given.Points).Finite(); err != nil {
			return nil, fmt.Errorf("points that are given: %w", err)
		}
	}
	m, err := c.train(ctx, s, w, open)
	if err != nil {
		return nil, err
	}
	c.Report(gram.Event{Phase: "pseudo-landmarks", Done: 1, Total: 1})
	if c.Certificate > 0 {
		if m.stats.Error, err = c.certificate(ctx, m, s, w, open); err != nil {
			return m, err
		}
	}
	if kept != nil && m.given.Sample != nil {
		rows.Renumber(m.given.Sample, kept)
	}
	return m, nil
}

// draw returns Given with what it lacks drawn from the rows of x: the pairs or the points of the pseudo-landmarks, and the
// sample, which stays nil if it is all rows.
func (c Config) draw(x gram.Samples[float64]) Given {
	g := c.Given
	n, d := x.Dims()
	switch seed := rng.Derive(c.Seed, "pseudo-landmarks"); {
	case c.Kind == Products && g.Pairs == nil:
		g.Pairs = somePairs(c.M, c.P, rng.New(seed, 0))
	case c.Kind != Products && g.Points == nil:
		g.Points = mat.NewDense(c.P, d, nil)
		for t, i := range choose(n, c.P, rng.New(seed, 0)) {
			x.CopyRow(g.Points.RawRowView(t), i)
		}
	}
	if g.Sample == nil && c.Sample < n {
		g.Sample = choose(n, c.Sample, rng.New(rng.Derive(c.Seed, "sample"), 0))
	}
	return g
}

// columns returns the columns of the landmarks u and of the pseudo-landmarks g.
func (c Config) columns(u *mat.Dense, g Given) *basis.Pseudo {
	if c.Kind == Products {
		var pairs []int32
		for _, p := range g.Pairs {
			pairs = append(pairs, int32(p[0]), int32(p[1]))
		}
		return basis.NewProducts(c.Kernel, u, pairs, c.Workers)
	}
	far := mat.NewDense(c.P, c.M, nil)
	for t := range c.P {
		row := far.RawRowView(t)
		for j := range row {
			row[j] = basis.Distance(g.Points.RawRowView(t), u.RawRowView(j))
		}
	}
	return basis.NewTriangle(c.Kernel, c.Kind, u, far, c.Workers)
}

// choose returns k different numbers below n, ascending.
func choose(n, k int, r *rand.Rand) []int {
	index := r.Perm(n)[:k]
	slices.Sort(index)
	return index
}

// somePairs returns p different pairs i ≤ j < m.
func somePairs(m, p int, r *rand.Rand) [][2]int {
	all := make([][2]int, 0, m*(m+1)/2)
	for i := range m {
		for j := i; j < m; j++ {
			all = append(all, [2]int{i, j})
		}
	}
	if p == len(all) {
		return all
	}
	pairs := make([][2]int, 0, p)
	for _, t := range choose(len(all), p, r) {
		pairs = append(pairs, all[t])
	}
	return pairs
}

// Operator returns the approximate kernel matrix of the rows of x, which holds
// their features: n·r numbers. If ctx ends it the error is ctx.Err().
func (m *Model) Operator(ctx context.Context, x mat.Matrix) (*solve.LowRank, error) {
	return solve.Approximate(ctx, m, x)
}

// Config returns the settings with all defaults filled in. For a model that was
// read from a file Landmarks are the ones it has.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has the rank
// only.
func (m *Model) Stats() Stats { return m.stats }

// Given returns the pseudo-landmarks and the sample, nil for all rows, as Config.Given
// takes them. They are the model's own; a model read from a file has none.
func (m *Model) Given() Given { return m.given }

// Columns returns the feature map of the m kernel values with the landmarks and the p pseudo-landmarks, a row of C̄.
func (m *Model) Columns() *basis.Pseudo { return m.c }
