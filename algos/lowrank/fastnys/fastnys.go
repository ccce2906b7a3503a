package fastnys

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sort"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/internal/selection"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/structured"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Core selects how the m×m matrix W is decomposed.
type Core uint8

const (
	// Exact computes all eigenvalues in about 9m³ flops.
	Exact Core = iota
	// Randomized computes the Rank largest eigenvalues by random projection on Rank+Oversample
	// columns with Power power steps [HMT11], in about 2m²·(Rank+Oversample)·(Power+2) flops.
	Randomized
)

// String returns the name as the command line takes it: exact or randomised.
func (c Core) String() string { return enum.Name(c, "exact", "randomised") }

// Config holds the settings of Fast-Nys.
type Config struct {
	Kernel      kernel.Kernel     `json:"-"` // stored as its Spec; a kernel.Radial or kernel.Inner; no default
	Matrix      structured.Matrix // default structured.Haar
	M           int               // number of landmarks; the last seed makes fewer than Rows if M is no multiple of them; default 256, or Rows times the number of rows of x if that is less
	Rows        int               // b, the rows of the matrix for each seed: a power of two, at most the order of the matrix; default 8 or the latter
	Seeds       landmark.Selector `json:"-"` // selects the M/Rows seeds from which learning starts; default landmark.Uniform{}
	NoLearning  bool              // use the seeds as selected, from all rows
	Steps       int               // largest number of steps of learning; default 10
	Sample      int               // rows from which seeds are selected and learned; default 2000
	NoCenter    bool              `json:"NoCentre"` // do not center the data of a radial kernel
	Rank        int               // largest number of features; default M
	Core        Core
	Oversample  gram.Opt[int] // for Randomized: columns of Ω beyond Rank; default 10
	Power       gram.Opt[int] // for Randomized: power steps; default 2
	Cut         float64       // eigenvalues of W below Cut·λmax are dropped; default M·2⁻⁵³
	Certificate int           // rows from which Stats.Error is estimated, at the cost of Certificate·(M+Certificate) kernel values; 0: none
	gram.Run    `json:"-"`
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	EffectiveRank int         // number of eigenvalues of W that were kept
	Eigenvalues   []float64   // the eigenvalues that were kept, descending
	Objective     []float64   // (4.16) on the sample for the selected seeds and after every step of learning; nil without learning
	Error         solve.Error // estimated relative error on the rows of the fit; Rows is 0 without a certificate
	SeedSeconds   float64     // time to select and learn seeds
	CoreSeconds   float64     // time to compute and decompose W
}

// Model maps rows to features: kernel values with the landmarks times the m×r matrix
// V_rΛ_r^{−1/2}, its Root. It keeps the seeds, but neither rows nor landmarks. It is safe for
// concurrent use.
type Model struct {
	*basis.Rooted
	cfg   Config
	l     *basis.Structured
	stats Stats
}

var _ basis.Basis = (*Model)(nil)

// padded is D, the order of the matrix for d columns.
func padded(d int) int { return 1 << bits.Len(uint(max(d, 1)-1)) }

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	n, d := s.Shape.N, s.Shape.D
	kernel.Setting(s, &c.Kernel)
	s.Tries(settings.Candidates{Names: []string{"gamma"}, Lists: [][]string{{"gamma=0.3*scale"}}})
	if c.Kernel != nil {
		s.Check(basis.CheckStructured(c.Kernel))
	}
	s.Int(&c.Rows, "rows", "rows of the matrix for each seed, a power of two").DefaultRule(min(8, padded(d)), "8, or what the columns allow").AtLeast(1)
	s.Require(basis.RowsFit(c.Rows, d), &c.Rows, "a power of two, for %d columns at most %d", d, padded(d))
	s.Bool(&c.NoLearning, "no-learning", "take the seeds as chosen")
	s.Int(&c.Steps, "steps", "steps of learning at most").Default(10).AtLeast(1)
	s.Int(&c.Sample, "sample", "rows that seeds are learned from").Default(2000).AtLeast(1)
	most := n // seeds that can be selected
	if !c.NoLearning {
		most = min(n, c.Sample)
	}
	b := max(1, c.Rows)
	seeds := max(1, min(most, 256/b))
	fixed := selection.NumFixed(c.Seeds)
	if fixed > 0 {
		seeds, most = fixed, max(most, fixed)
	}
	s.Int(&c.M, "m", "landmarks").DefaultRule(b*seeds, "256, or rows times the rows of the data if that is less").AtLeast(1)
	s.Require(fixed == 0 || c.seeds() == seeds, &c.M, "0 or %d, rows times the number of seeds that are fixed, or less by fewer than %d", b*seeds, b)
	s.Require(c.seeds() <= most, &c.M, "at most %d: %d for each of the rows that seeds are selected from", b*most, b)
	s.Int(&c.Rank, "rank", "features at most").DefaultRule(c.M, "m").AtLeast(1).AtMostRule(c.M, "m")
	settings.Choice(s, &c.Matrix, "matrix", "fast transform", structured.Haar, structured.Hadamard)
	selection.Setting(s, &c.Seeds, "seeds", "choice of the seeds, from which learning starts", "uniform", "kmeans")
	s.Bool(&c.NoCenter, "no-centre", "do not center the data")
	settings.Choice(s, &c.Core, "core", "decomposition of the kernel matrix of the landmarks", Exact, Randomized)
	s.OptInt(&c.Oversample, "oversample", "randomized core: columns of the sketch beyond the rank; 0: none").Default(10).AtLeast(0)
	s.OptInt(&c.Power, "power", "randomized core: power steps").Default(2).AtLeast(0)
	s.Float(&c.Cut, "cut", "eigenvalues of the landmarks' kernel matrix below that share of the largest are dropped").
		DefaultRule(float64(c.M)*0x1p-53, "m·2⁻⁵³").Above(0).Below(1)
	s.Int(&c.Certificate, "certificate", "rows from which the error of the approximation is estimated; 0: none").AtLeast(0)
}

// seeds returns the number of seeds, each of which makes Rows landmarks, the last one perhaps fewer.
func (c Config) seeds() int {
	b := max(1, c.Rows)
	return c.M/b + min(1, c.M%b)
}

// exact reports whether W is decomposed in full.
func (c Config) exact() bool { return c.Core == Exact || c.Rank+c.Oversample.Value() >= c.M }

// Plan returns the expected cost of Fit for data of shape s. It includes the selection of seeds
// if the selector has a plan. It does not include mapping rows; see the package documentation.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	m, r, d := float64(c.M), float64(c.Rank), float64(s.D)
	count := c.seeds()
	var p gram.Plan
	from := s
	if !c.NoLearning {
		q := min(s.N, c.Sample)
		from = gram.Shape{N: q, D: s.D}
		p.Flops = float64(q) * float64(c.Steps+1) * (basis.StructuredProduct(c.Matrix, count, s.D, c.Rows) + 2*m + d)
	}
	if pl, ok := c.Seeds.(landmark.Planner); ok {
		sel, err := pl.Plan(from, count, c.Run)
		if err != nil {
			return gram.Plan{}, err
		}
		p.Flops += sel.Flops
		p.PeakBytes = sel.PeakBytes
	}
	if !c.NoLearning {
		p.PeakBytes += 8 * int64(from.N) * int64(2*s.D+3)
	}
	seed := 8 * float64(count) * float64(s.D+padded(s.D))
	core := seed + 8*(2*m*d+m*m)
	p.Flops += 2 * m * m * d
	if c.exact() {
		p.Flops += 9 * m * m * m
		core += 8 * (3*m*m + m*r)
	} else {
		w := min(m, r+float64(c.Oversample.Value()))
		p.Flops += 2*m*m*w*float64(c.Power.Value()+2) + 4*m*w*w + 9*w*w*w
		core += 8 * (3*m*w + 2*w*w)
	}
	p.ModelBytes = check.Bytes(seed + 8*(d+m*r))
	if c.Certificate > 0 {
		q := float64(min(c.Certificate, s.N))
		p.Flops += 2*q*m*(d+r) + 2*q*q*(d+r)
		core = max(core, float64(p.ModelBytes)+8*(2*q*q+q*(m+r+2*d)))
	}
	p.PeakBytes = max(p.PeakBytes+check.Bytes(seed), check.Bytes(core))
	p.Description = fmt.Sprintf("Nyström features of %d structured landmarks, %d seeds × %d rows, rank %d", c.M, count, c.Rows, c.Rank)
	return p, nil
}

// Features returns the largest number of features of a fit to data of shape s.
func (c Config) Features(s gram.Shape) (int, error) {
	c, err := settings.Resolved(c, s)
	return c.Rank, err
}

// Fit chooses seeds, learns them and decomposes W. It neither keeps nor changes
// x. The eigendecomposition of W, about 9M³ flops, cannot be interrupted.
func (c Config) Fit(ctx context.Context, x mat.Matrix) (*Model, error) {
	return c.FitWeighted(ctx, x, nil)
}

// FitWeighted is Fit with a weight ≥ 0 for every row; nil means ones. The seeds
// are learned from rows drawn in proportion to the weights.
func (c Config) FitWeighted(ctx context.Context, x mat.Matrix, w []float64) (*Model, error) {
	start, err := rows.Begin(&c, c.Run, x, rows.None{}, w, selection.Keep(&c.Seeds))
	if err != nil {
		return nil, err
	}
	s, w := start.X, start.W
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	begin := time.Now()
	m := &Model{cfg: c}
	if m.l, err = c.landmarks(ctx, s, w, &m.stats); err != nil {
		return nil, err
	}
	selected := time.Now()
	m.stats.SeedSeconds = selected.Sub(begin).Seconds()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	root, eigenvalues, err := c.decompose(ctx, m.l)
	if err != nil {
		return nil, err
	}
	m.Rooted = basis.NewRooted(m.l, root)
	m.stats.Eigenvalues = eigenvalues
	m.stats.EffectiveRank = len(m.stats.Eigenvalues)
	m.stats.CoreSeconds = time.Since(selected).Seconds()
	c.Report(gram.Event{Phase: "Nyström core", Done: 1, Total: 1})
	if c.Certificate > 0 {
		run := c.Run
		run.Seed = rng.Derive(c.Seed, "certificate")
		if m.stats.Error, err = solve.Certificate(ctx, c.Kernel, m, s, c.Certificate, run); err != nil {
			return m, err
		}
	}
	return m, nil
}

// landmarks chooses the seeds. With learning, everything including the center is computed from
// the sample.
func (c Config) landmarks(ctx context.Context, x gram.Samples[float64], w []float64, stats *Stats) (*basis.Structured, error) {
	if !c.NoLearning {
		x, w = gram.Of(centered(x, c.sample(x.N(), w), nil)), nil
	}
	var center []float64
	var err error
	if _, radial := c.Kernel.(kernel.Radial); radial && !c.NoCenter {
		if center, err = mean(ctx, x, w, c.Workers); err != nil {
			return nil, err
		}
	}
	run := c.Run
	run.Seed = rng.Derive(c.Seed, "seeds")
	p, err := c.Seeds.Select(ctx, c.Kernel, x, w, c.seeds(), run)
	if err != nil {
		return nil, err
	}
	v := centered(gram.Of(p.U), nil, center)
	if !c.NoLearning {
		learned, trace, err := c.learn(ctx, gram.View(centered(x, nil, center)), gram.View(v))
		if err != nil {
			return nil, err
		}
		stats.Objective = trace
		v = mat.NewDense(learned.N, learned.D, learned.Data)
	}
	return basis.NewStructured(c.Kernel, c.Matrix, v, c.Rows, center, c.Workers), nil
}

// decompose returns V_rΛ_r^{−1/2} of W and the eigenvalues in use. It writes out the landmarks
// but does not keep them.
func (c Config) decompose(ctx context.Context, l *basis.Structured) (*mat.Dense, []float64, error) {
	u := l.Points()
	all, d := u.Dims()
	u = u.Slice(0, c.M, 0, d).(*mat.Dense)
	// The other landmarks of the last seed count for nothing.
	whole := func(root *mat.Dense) *mat.Dense {
		if all == c.M {
			return root
		}
		_, r := root.Dims()
		to := mat.NewDense(all, r, nil)
		to.Copy(root)
		return to
	}
	core := mat.NewDense(c.M, c.M, nil)
	kernel.Against[float64](c.Kernel, u).Limit(c.Workers).Fill(gram.View(core), gram.Of(u))
	w := mat.NewSymDense(c.M, core.RawMatrix().Data)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if c.exact() {
		root, kept, err := solve.InvSqrt(ctx, w, c.Rank, c.Cut)
		if err != nil {
			return nil, nil, err
		}
		return whole(root), kept, nil
	}
	values, vectors, err := eig.Randomized(ctx, symmetric{w}, c.Rank, eig.Options{
		Power: c.Power, Oversample: c.Oversample, Seed: rng.Derive(c.Seed, "projection"),
	})
	if err != nil {
		return nil, nil, err
	}
	slices.Reverse(values) // Truncate takes them in ascending order
	reverseColumns(vectors)
	root, kept := solve.Truncate(vectors, values, c.Rank, c.Cut)
	return whole(root), kept, nil
}

// symmetric is a symmetric matrix as an operator.
type symmetric struct{ w *mat.SymDense }

// Dim is the order of w.
func (s symmetric) Dim() int { return s.w.SymmetricDim() }

// Apply sets dst = w·x.
func (s symmetric) Apply(dst, x *mat.Dense) {
	blas64.Symm(blas.Left, 1, s.w.RawSymmetric(), x.RawMatrix(), 0, dst.RawMatrix())
}

func reverseColumns(a *mat.Dense) {
	n, _ := a.Dims()
	for i := range n {
		slices.Reverse(a.RawRowView(i))
	}
}

func sorted(index []int) []int {
	slices.Sort(index)
	return index
}

// search returns the first index whose end is above t.
func search(ends []float64, t float64) int {
	i := sort.Search(len(ends), func(i int) bool { return ends[i] > t })
	return min(i, len(ends)-1)
}

// Operator returns the approximate kernel matrix of the rows of x. It holds their features,
// 2·n·r numbers. If ctx ends, the error is ctx.Err().
func (m *Model) Operator(ctx context.Context, x mat.Matrix) (*solve.LowRank, error) {
	return solve.Approximate(ctx, m, x)
}

// Config returns the settings with all defaults filled in. A model that was read
// from a file has no selector of seeds.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has only the effective
// rank and the eigenvalues.
func (m *Model) Stats() Stats { return m.stats }

// Landmarks returns the feature map of kernel values with the structured landmarks. It is the model's own and immutable.
func (m *Model) Landmarks() *basis.Structured { return m.l }
