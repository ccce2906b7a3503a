package pseudo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Kind says what the columns of the pseudo-landmarks are.
type Kind = basis.PseudoKind

const (
	Products = basis.Products // of two kernel values
	Lower    = basis.Lower    // values of κ at the lower bound of the distance
	Upper    = basis.Upper    // at the upper bound
	Mid      = basis.Mid      // at the mean of both
)

// Config are the settings of the method.
type Config struct {
	Kernel      kernel.Kernel     `json:"-"` // stored as its Spec; no default
	Landmarks   landmark.Selector `json:"-"` // default landmark.KMeans{}; landmark.Uniform{} for a kernel known by its columns
	M           int               // landmarks; default 32, or the number of rows if that is less
	Kind        Kind              // default Products
	P           int               // pseudo-landmarks; default 2M, or the most there are (M(M+1)/2 products; rows)
	All         bool              // all products
	Sample      int               // |I|, rows that W̄ is the best for; default 2000, or all
	Cut         float64           // singular values of C̄ on the sample, columns scaled to length one, below Cut times the largest of C are dropped; default 1e-8
	Certificate int               // rows from which Stats.Error is estimated, at the cost of Certificate·(M+Certificate) kernel values; 0: none
	gram.Run    `json:"-"`
}

// Stats says how a fit went.
type Stats struct {
	Rank          int         // features
	Own           int         // of them, what the landmarks alone span
	Sample        int         // |I|
	SampleError   float64     // ‖G_II − C̄_I·W̄·C̄_Iᵀ‖/‖G_II‖, good to about 10⁻⁸
	Error         solve.Error // estimated relative error on the rows of the fit; Rows is 0 without a certificate
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
	stats Stats
}

var _ basis.Basis = (*Model)(nil)

// Settings describes the settings.
func (c *Config) Settings(s *settings.Set) {
	kernel.Setting(s, &c.Kernel)
	n := s.Shape.N
	s.Int(&c.M, "m", "landmarks").DefaultRule(min(n, 32), "32, or the number of rows if that is less").AtLeast(1).AtMostRule(n, "the number of rows")
	settings.Choice(s, &c.Kind, "kind", "columns of the pseudo-landmarks: products of kernel values, or values at a bound of the distance", Products, Lower, Upper, Mid)
	most := n
	if c.Kind == Products {
		most = c.M * (c.M + 1) / 2
	}
	s.Bool(&c.All, "all", "all m(m+1)/2 products")
	if c.All && s.Resolving() {
		s.Require(c.Kind == Products && (c.P == 0 || c.P == most), &c.All, "false: it is for products without p")
		c.P = most
	}
	s.Int(&c.P, "p", "pseudo-landmarks").DefaultRule(min(2*c.M, most), "2m, or the most there are").AtLeast(1).
		AtMostRule(most, "the number of products, or of rows")
	s.Int(&c.Sample, "sample", "rows that the approximation is fitted to").DefaultRule(min(n, 2000), "2000, or all").
		AtLeast(1).AtMostRule(n, "the number of rows")
	if _, ok := c.Kernel.(*kernel.Precomputed); ok && c.Landmarks == nil {
		c.Landmarks = landmark.Uniform{}
	}
	landmark.Setting(s, &c.Landmarks, "landmarks", "choice of the landmarks", "kmeans", "uniform")
	s.Float(&c.Cut, "cut", "singular values below that share of the largest are dropped").Default(1e-8).Above(0).Below(1)
	s.Int(&c.Certificate, "certificate", "rows from which the error of the approximation is estimated; 0: none").AtLeast(0)
	if s.Resolving() && c.Kernel != nil {
		s.Check(c.Kind.Fits(c.Kernel))
	}
}

// Plan returns what Fit will cost for data of shape s, the selection of
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
	p.ModelBytes = int64(8 * (2*m*d + q*r))
	fixed := 8 * (2*m*d + m)
	core := fixed + 8*(256*i+2*i*d+4*i*q+i*r+3*q*q)
	if c.Certificate > 0 {
		e := float64(min(c.Certificate, s.N))
		p.Flops += 2*e*q*(d+r) + 2*e*e*(d+r)
		core = max(core, float64(p.ModelBytes)+8*(2*e*e+e*(q+r+2*d)))
	}
	p.PeakBytes = max(p.PeakBytes+int64(fixed), int64(core))
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
	n, _ := x.Dims()
	c, err := settings.Resolved(c, gram.Shape{N: n})
	if err != nil {
		return nil, err
	}
	s, err := c.Samples(c, x, 0)
	if err != nil {
		return nil, err
	}
	if err := check.Weights(w, n); err != nil {
		return nil, err
	}
	begin := time.Now()
	run := c.Run
	run.Seed = rng.Derive(c.Seed, "landmarks")
	points, err := c.Landmarks.Select(ctx, c.Kernel, s, w, c.M, run)
	if err != nil {
		return nil, err
	}
	selected := time.Now()
	m := &Model{cfg: c, c: c.columns(s, points.U)}
	m.stats.SelectSeconds = selected.Sub(begin).Seconds()
	if err := c.core(ctx, m, s); err != nil {
		return nil, err
	}
	m.stats.CoreSeconds = time.Since(selected).Seconds()
	c.Report(gram.Event{Phase: "pseudo-landmarks", Done: 1, Total: 1})
	if c.Certificate > 0 {
		run.Seed = rng.Derive(c.Seed, "certificate")
		if m.stats.Error, err = solve.Certificate(ctx, c.Kernel, m, s, c.Certificate, run); err != nil {
			return m, err
		}
	}
	return m, nil
}

// columns chooses the pseudo-landmarks for the landmarks u.
func (c Config) columns(x gram.Samples[float64], u *mat.Dense) *basis.Pseudo {
	r := rng.New(rng.Derive(c.Seed, "pseudo-landmarks"), 0)
	if c.Kind == Products {
		return basis.NewProducts(c.Kernel, u, somePairs(c.M, c.P, r), c.Workers)
	}
	n, d := x.Dims()
	far := mat.NewDense(c.P, c.M, nil)
	v := make([]float64, d)
	for t, i := range choose(n, c.P, r) {
		x.CopyRow(v, i)
		row := far.RawRowView(t)
		for j := range row {
			row[j] = basis.Distance(v, u.RawRowView(j))
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
func somePairs(m, p int, r *rand.Rand) []int32 {
	all := make([]int32, 0, m*(m+1))
	for i := range int32(m) {
		for j := i; j < int32(m); j++ {
			all = append(all, i, j)
		}
	}
	if p == len(all)/2 {
		return all
	}
	pairs := make([]int32, 0, 2*p)
	for _, t := range choose(len(all)/2, p, r) {
		pairs = append(pairs, all[2*t], all[2*t+1])
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

// Stats says how the fit went. A model that was read from a file has the rank
// only.
func (m *Model) Stats() Stats { return m.stats }

// Columns returns the landmarks and pseudo-landmarks.
func (m *Model) Columns() *basis.Pseudo { return m.c }
