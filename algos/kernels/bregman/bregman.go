package bregman

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/kernels/internal/dual"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Divergence is the measure of the distance from K₀ that is minimized.
type Divergence uint8

const (
	// Burg keeps the range space of K₀; scaling K₀ and all bounds scales the result.
	Burg Divergence = iota
	// VonNeumann never leaves the range space of K₀ and may give up directions of it.
	VonNeumann
)

// String returns "burg" or "von-neumann".
func (d Divergence) String() string { return enum.Name(d, "burg", "von-neumann") }

// Config holds the settings of kernel learning by Bregman projections.
type Config struct {
	Divergence Divergence
	Slack      float64 // γ, the price of moving bounds (doc.go); 0: the constraints are hard
	Tol        float64 // relative violation and gap to be reached; default 1e-3
	MaxIter    int     // passes over the constraints; default 5000
	Cyclic     bool    // cyclic projections alone, as in [K06], no Newton steps
	gram.Run   `json:"-"`
}

// Stats holds figures of a finished fit, for reports and comparisons. Models do not depend on them.
type Stats struct {
	constraint.Certificate
	Iterations  int // passes over the constraints: sweeps of projections, then NewtonSteps
	NewtonSteps int
	Projections int     // steps of a sweep that changed the kernel
	Evaluations int     // of tr(K(a)A) in searches for a: one per projection where there is a closed form
	Divergence  float64 // D(K, K₀)
	Price       float64 // γ·Σd(ξ_c, b_c); 0 without slack
	Rank        int     // of K₀, as far as numbers can tell
	Seconds     float64

	ProjectionSeconds float64 // of Seconds, the sweeps; of them, for VonNeumann:
	RootSeconds       float64 // the searches for a
	ProductSeconds    float64 // the products W·U
}

// Model is a learned kernel: G = G₀·T with K = GGᵀ. It maps any row of features in
// the coordinates of G₀'s columns to the learned space, so it is the learned kernel
// function too where the start is one of features: for G₀ = X it is a Mahalanobis
// distance. It is safe for concurrent use.
type Model struct {
	cfg   Config
	t     *mat.Dense // r×r′
	stats Stats
}

var _ gram.FeatureMap = (*Model)(nil)

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	settings.Choice(s, &c.Divergence, "divergence", "what is minimized", Burg, VonNeumann)
	s.Float(&c.Slack, "slack", "price of moving bounds; 0: the constraints are hard").AtLeast(0)
	s.Float(&c.Tol, "tol", "relative violation and gap to be reached").Default(1e-3).Above(0).Below(1)
	s.Int(&c.MaxIter, "max-iter", "passes over the constraints at most").Default(5000).AtLeast(1)
	s.Bool(&c.Cyclic, "cyclic", "cyclic projections alone, without Newton steps")
}

// Plan returns what Fit will cost for an n×r start with s.Outputs constraints, if
// it takes 100 sweeps.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	n, r, k := float64(s.N), float64(s.D), float64(s.Outputs)
	p := gram.Plan{ModelBytes: check.Bytes(8*r*r) + check.Bytes(8*k)}
	// Numbers of each constraint, r in the coordinates of the start and in those of the iterate, with the two factors of
	// Σ y_c·H_c; and those of a block of rows above the triangle that is found from them.
	p.PeakBytes = check.Bytes(8 * (8*r*r + 20*r + (30+4*r)*k + min(n, max(r, 256))*r))
	name := "Burg"
	p.Flops = 2*n*r*r + 100*k*7*r*r
	if c.Divergence == VonNeumann {
		name = "von Neumann"
		p.Flops = 2*n*r*r + 100*k*(2*r*r*r+60*r*r)
		p.PeakBytes += check.Bytes(8 * 6 * r * r)
	}
	p.Description = fmt.Sprintf("kernel of rank %d of %d rows, %d constraints, %s divergence", s.D, s.N, s.Outputs, name)
	return p, nil
}

// Fit learns from the start factor g0, n×r, n rows of r features: K₀ = g0·g0ᵀ. It
// neither keeps nor changes g0. Random makes a start where nothing is known.
//
// It returns a *gram.ConfigError for a constraint that is malformed, an
// *constraint.InfeasibleError, *gram.ConvergenceError after MaxIter sweeps, where a bound asks for
// more than 2⁵² times the value, or where rounding keeps the rows that the model maps from the bounds,
// and ctx.Err(), the last two with the best model so far, whose constraints are then violated by
// Stats.Violation. A start that is not a *mat.Dense is copied.
func (c Config) Fit(ctx context.Context, g0 mat.Matrix, constraints []constraint.Linear) (*Model, error) {
	return c.fit(ctx, g0, nil, constraints)
}

// origin is the kernel matrix K₀ that a factor g0 is of: g0 = K₀·back and g0·g0ᵀ = K₀, but for rounding.
type origin struct {
	k     *mat.SymDense
	back  *mat.Dense
	noise float64 // at least ‖g0·g0ᵀ − K₀‖₂
}

// fit is Fit for a factor, and if there is an origin the model maps rows of its K₀.
func (c Config) fit(ctx context.Context, g0 mat.Matrix, from *origin, constraints []constraint.Linear) (*Model, error) {
	c, err := settings.Resolved(c, gram.Shape{})
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	n, _ := check.Dims(g0)
	if err := check.Rows(n); err != nil {
		return nil, err
	}
	if err := constraint.Check(constraints, n); err != nil {
		return nil, err
	}
	x, err := c.Run.Samples(c, g0, len(constraints))
	if err != nil {
		return nil, err
	}
	factor := gram.Matrix(x)
	m := &Model{cfg: c}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	start, err := decompose(ctx, factor)
	if err != nil {
		return nil, err
	}
	if m.stats.Rank = start.rank(); start.empty {
		m.stats.Rank = 0
	}
	noise := 0.
	if from != nil {
		noise = from.noise
	}
	p, err := c.compile(factor, noise, start, constraints)
	if err != nil {
		return nil, err
	}
	meter := c.Meter()
	state, report, err := p.Sweep(ctx, dual.Options{Tol: c.Tol, MaxIter: c.MaxIter, Cyclic: c.Cyclic, Progress: func(done int, objective float64) {
		meter.Report(event(done, c.MaxIter, objective))
	}})
	if _, infeasible := err.(*constraint.InfeasibleError); infeasible {
		return nil, err
	}
	m.t = p.transform(state)
	var given mat.Matrix = factor // whose rows the model maps
	if from != nil {
		var t mat.Dense
		t.Mul(from.back, m.t)
		m.t, given = &t, from.k
	}
	gap := p.certify(state, m, given)
	m.report(p, state, report)
	m.stats.Gap = gap
	left := max(m.stats.Violation, m.stats.Gap)
	var short *gram.ConvergenceError
	switch {
	case err == nil && !(left <= c.Tol): // rounding forbids what the bounds ask for
		err = &gram.ConvergenceError{Iter: m.stats.Iterations, Residual: left, Tol: c.Tol}
	case err == nil:
		meter.Report(event(report.Iterations, report.Iterations, report.Divergence))
	case errors.As(err, &short) && short.Tol == c.Tol:
		short.Residual = left
	}
	for _, v := range slices.Concat(m.stats.Duals, m.stats.Bounds, []float64{m.stats.Price, m.stats.Divergence}) {
		if v != v { // sizes of rows, bounds and price are too many decades apart
			return nil, cmp.Or(ctx.Err(), settings.Refuse("Slack", c.Slack, "such that it and the bounds have products in the range of float64"))
		}
	}
	m.stats.Seconds = time.Since(begin).Seconds()
	return m, err
}

// FitMatrix learns from a precomputed kernel matrix K₀ of n rows, by Fit from the factor
// of its eigendecomposition, 9n³ flops. Eigenvalues up to n·2⁻⁵² of the largest count as
// rounding, and so do values of constraints: equal rows of K₀ stay equal. A row that the model maps
// holds the values of K₀'s kernel with the n rows: Map(K₀) is the learned factor G.
//
// For a kernel function and too many rows for their matrix, Fit takes features instead:
// those of package nystrom, say, which map rows of data to the rows that the model maps.
//
// FitMatrix returns the errors of Fit and of eig.SymAll, and a *gram.NotPDError with the
// smallest eigenvalue over the largest if K₀ is not positive semidefinite.
func (c Config) FitMatrix(ctx context.Context, k0 mat.Symmetric, constraints []constraint.Linear) (*Model, error) {
	n, _ := check.Dims(k0)
	if err := check.Rows(n); err != nil {
		return nil, err
	}
	k := mat.NewSymDense(n, nil)
	k.CopySym(k0)
	values, u, err := eig.SymAll(ctx, k)
	if err != nil {
		return nil, err
	}
	rounding := float64(n) * 0x1p-52 * max(values[n-1], -values[0])
	if values[0] < -rounding {
		return nil, &gram.NotPDError{Margin: values[0] / max(values[n-1], -values[0])}
	}
	first := 0
	for first < n-1 && values[first] <= rounding {
		first++
	}
	g, back := mat.NewDense(n, n-first, nil), mat.NewDense(n, n-first, nil)
	for j := range n - first {
		root := math.Sqrt(max(0, values[first+j]))
		for i := range n {
			x := u.At(i, first+j)
			g.Set(i, j, x*root)
			if root > 0 {
				back.Set(i, j, x/root)
			}
		}
	}
	return c.fit(ctx, g, &origin{k: k, back: back, noise: rounding}, constraints)
}

// Dims returns the number of features a row has and the dimension of the learned
// space.
func (m *Model) Dims() (d, features int) { return m.t.Dims() }

// Map returns x·T: for x = G₀ the learned factor G, for other rows of the same
// features their place in the learned space. 2·n·r² flops.
func (m *Model) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	r, k := m.t.Dims()
	dst = rows.Destination("bregman", dst, x, r, k)
	if n > 0 {
		rows.Mul(dst, gram.Of(x), m.t)
	}
	return dst
}

// Transform returns T. It is the model's own and must not be changed.
func (m *Model) Transform() *mat.Dense { return m.t }

// Config returns the settings with all defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats says how the fit went. A model that was read from a file has the rank and the
// duals only.
func (m *Model) Stats() Stats { return m.stats }
