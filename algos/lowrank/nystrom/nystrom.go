package nystrom

import (
	"context"
	"fmt"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/internal/selection"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Core selects how the m×m matrix W is decomposed.
type Core uint8

const (
	// Exact computes all eigenvalues in about 9m³ flops.
	Exact Core = iota
	// Randomized computes the Rank largest eigenvalues by random projection on Rank+Oversample
	// columns with Power power steps ([LKL10], [HMT11]).
	Randomized
)

// String returns the name as the command line takes it: exact or randomised.
func (c Core) String() string { return enum.Name(c, "exact", "randomised") }

// Features returns the largest number of features of a fit to data of shape s.
func (c Config) Features(s gram.Shape) (int, error) {
	c, err := settings.Resolved(c, s)
	return c.Rank, err
}

// Config holds the settings of the Nyström method.
type Config struct {
	Kernel      kernel.Kernel     `json:"-"` // stored as its Spec; no default
	Landmarks   landmark.Selector `json:"-"` // default landmark.KMeans{}; landmark.Uniform{} for a kernel known by its columns
	M           int               // number of landmarks; default 256, or the number of rows if that is less
	Rank        int               // largest number of features; default M
	Core        Core
	Oversample  gram.Opt[int] // for Randomized: columns of Ω beyond Rank; default 10
	Power       gram.Opt[int] // for Randomized: power steps; default 1
	Cut         float64       // eigenvalues of W below Cut·λmax are dropped; default M·2⁻⁵³
	Certificate int           // rows from which Stats.Error is estimated, at the cost of Certificate·(M+Certificate) kernel values; 0: none
	gram.Run    `json:"-"`
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	EffectiveRank int         // number of eigenvalues of W that were kept
	Eigenvalues   []float64   // the eigenvalues that were kept, descending
	Index         []int       // the rows that are landmarks; nil if they are not rows
	KernelValues  int64       // kernel values that the fit computed, except those of the certificate
	Error         solve.Error // estimated relative error on the rows of the fit; Rows is 0 without a certificate
	SelectSeconds float64
	CoreSeconds   float64
}

// Model maps rows to features: kernel values with the landmarks times the m×r matrix
// V_rΛ_r^{−1/2}, its Root. It is safe for concurrent use, and keeps the landmarks but
// not the rows it was fitted to.
type Model struct {
	*basis.Rooted
	cfg    Config
	values *basis.Values
	stats  Stats
}

var _ basis.Basis = (*Model)(nil)

// newModel returns the features of kernel values times root.
func newModel(c Config, v *basis.Values, root *mat.Dense, s Stats) *Model {
	return &Model{basis.NewRooted(v, root), c, v, s}
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	kernel.Setting(s, &c.Kernel)
	s.Tries(settings.Candidates{Names: []string{"gamma"}, Lists: [][]string{{"gamma=0.3*scale", "gamma=0.1*scale", "gamma=0.03*scale"}}})
	selection.Count(s, &c.M, c.Landmarks, "m", "landmarks", min(s.Shape.N, 256), "256, or the number of rows if that is less")
	s.Int(&c.Rank, "rank", "features at most").DefaultRule(c.M, "m").AtLeast(1).AtMostRule(c.M, "m")
	if _, ok := c.Kernel.(*kernel.Precomputed); ok && c.Landmarks == nil {
		c.Landmarks = landmark.Uniform{}
	}
	selection.Setting(s, &c.Landmarks, "landmarks", "choice of the landmarks", "kmeans", "uniform", "leverage", "column-norm", "farthest", "rpcholesky")
	settings.Choice(s, &c.Core, "core", "decomposition of the kernel matrix of the landmarks", Exact, Randomized)
	s.OptInt(&c.Oversample, "oversample", "randomized core: columns of the sketch beyond the rank; 0: none").Default(10).AtLeast(0)
	s.OptInt(&c.Power, "power", "randomized core: power steps").Default(1).AtLeast(0)
	s.Float(&c.Cut, "cut", "eigenvalues of the landmarks' kernel matrix below that share of the largest are dropped").
		DefaultRule(float64(c.M)*0x1p-53, "m·2⁻⁵³").Above(0).Below(1)
	s.Int(&c.Certificate, "certificate", "rows from which the error of the approximation is estimated; 0: none").AtLeast(0)
}

// Plan returns the expected cost of Fit for data of shape s. It includes the selection of landmarks
// if the selector has a plan. It does not include mapping rows, which takes 2·n·M·(D+Rank) flops.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	m, r, d := float64(c.M), float64(c.Rank), float64(s.D)
	var p gram.Plan
	if pl, ok := c.Landmarks.(landmark.Planner); ok {
		if p, err = pl.Plan(s, c.M, c.Run); err != nil {
			return gram.Plan{}, err
		}
	}
	core := 8 * (2*m*d + m*m)
	if c.Core == Exact {
		p.Flops += 2*m*m*d + 9*m*m*m
		core += 8 * (4*m*m + m*r) // the eigendecomposition takes two more matrices
	} else {
		w := min(m, r+float64(c.Oversample.Value()))
		p.Flops += 2*m*m*d + 2*m*m*w*float64(c.Power.Value()+2) + 4*m*w*w + 9*w*w*w
		core += 8 * (m*m + 3*m*w + 2*w*w)
	}
	p.ModelBytes = check.Bytes(8 * (2*m*d + m*r))
	if c.Certificate > 0 {
		q := float64(min(c.Certificate, s.N))
		p.Flops += 2*q*m*(d+r) + 2*q*q*(d+r)
		core = max(core, float64(p.ModelBytes)+8*(2*q*q+q*(m+r+2*d)))
	}
	p.PeakBytes = max(p.PeakBytes+check.Bytes(8*m*d), check.Bytes(core))
	p.Description = fmt.Sprintf("Nyström features of %d landmarks, rank %d", c.M, c.Rank)
	return p, nil
}

// Fit selects landmarks for the rows of x and decomposes W. It neither keeps nor changes x. It
// computes M² kernel values besides those of the selector; mapping all rows takes n·M more. The
// eigendecomposition of W, about 9M³ flops, cannot be interrupted.
func (c Config) Fit(ctx context.Context, x mat.Matrix) (*Model, error) {
	return c.FitWeighted(ctx, x, nil)
}

// FitWeighted is Fit with a weight ≥ 0 for every row, which the selector uses; nil means ones.
func (c Config) FitWeighted(ctx context.Context, x mat.Matrix, w []float64) (*Model, error) {
	s, err := rows.Begin(&c, c.Run, x, rows.None{}, w, selection.Keep(&c.Landmarks))
	if err != nil {
		return nil, err
	}
	m, err := c.fit(ctx, s.X, s.W)
	if m != nil {
		rows.Renumber(m.stats.Index, s.Kept)
	}
	return m, err
}

// fit is FitWeighted for settings and data that have been checked.
func (c Config) fit(ctx context.Context, x gram.Samples[float64], w []float64) (*Model, error) {
	begin := time.Now()
	points, err := c.Landmarks.Select(ctx, c.Kernel, x, w, c.M, c.selection())
	if err != nil {
		return nil, err
	}
	selected := time.Now()
	values := basis.NewValues(c.Kernel, points.U, c.Workers)
	stats := Stats{Index: points.Index, SelectSeconds: selected.Sub(begin).Seconds(), KernelValues: int64(c.M) * int64(c.M)}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	core := mat.NewDense(c.M, c.M, nil)
	values.Block().Fill(gram.View(core), gram.Of(points.U))
	root, eigenvalues, err := c.decompose(ctx, core)
	if err != nil {
		return nil, err
	}
	m := newModel(c, values, root, stats)
	m.stats.Eigenvalues = eigenvalues
	m.stats.EffectiveRank = len(m.stats.Eigenvalues)
	m.stats.CoreSeconds = time.Since(selected).Seconds()
	c.Report(gram.Event{Phase: "Nyström core", Done: 1, Total: 1})
	if c.Certificate > 0 {
		run := c.Run
		run.Seed = rng.Derive(c.Seed, "certificate")
		if m.stats.Error, err = solve.Certificate(ctx, c.Kernel, m, x, c.Certificate, run); err != nil {
			return m, err
		}
	}
	return m, nil
}

func (c Config) selection() gram.Run {
	run := c.Run
	run.Seed = rng.Derive(c.Seed, "landmarks")
	return run
}

// decompose returns V_rΛ_r^{−1/2} of the symmetric matrix w, which it may
// overwrite, and the eigenvalues in use.
func (c Config) decompose(ctx context.Context, w *mat.Dense) (*mat.Dense, []float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	sym := mat.NewSymDense(c.M, w.RawMatrix().Data)
	if c.Core == Exact || c.Rank+c.Oversample.Value() >= c.M {
		return solve.InvSqrt(ctx, sym, c.Rank, c.Cut)
	}
	return c.randomized(ctx, sym)
}

// Operator returns the approximate kernel matrix of the rows of x, which holds
// their features: n·Rank numbers. If ctx ends it the error is ctx.Err().
func (m *Model) Operator(ctx context.Context, x mat.Matrix) (*solve.LowRank, error) {
	return solve.Approximate(ctx, m, x)
}

// Config returns the settings with all defaults filled in. For a model that was
// read from a file Landmarks are the ones it has.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has the
// effective rank and the eigenvalues only.
func (m *Model) Stats() Stats { return m.stats }

// Landmarks returns the m×d matrix of landmarks. It is the model's own and must
// not be changed.
func (m *Model) Landmarks() *mat.Dense { return m.values.Landmarks() }
