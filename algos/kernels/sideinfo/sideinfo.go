package sideinfo

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/internal/selection"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Solver says by which method the matrix S is found.
type Solver uint8

const (
	// Newton is a semismooth Newton method in variables scaled by the spectrum of P. It takes
	// some ten steps however small λ is or W ill-conditioned.
	Newton Solver = iota
	// Gradient is the method of [Z12] (7): projected gradients, with steps by the rule of
	// Armijo and Goldstein. The number of steps grows with ‖P‖²/λ.
	Gradient
	// Accelerated is Gradient with Nesterov's acceleration, restarted where the objective
	// rises. The number of steps grows with ‖P‖/√λ.
	Accelerated
)

// String returns "newton", "gradient" or "accelerated".
func (s Solver) String() string {
	return enum.Name(s, "newton", "gradient", "accelerated")
}

// Config are the settings of the generalized Nyström method.
type Config struct {
	Kernel      kernel.Kernel     `json:"-"` // stored as its Spec; no default
	Landmarks   landmark.Selector `json:"-"` // default landmark.KMeans{}
	M           int               // landmarks; default a tenth of the rows, from 1 to 500
	Cut         float64           // eigenvalues of W below Cut·λmax are dropped; default M·2⁻⁵³
	Lambda      float64           // λ in units of ‖P‖_F², P = E_lᵀE_l, above 0, as without the term S is not determined; 0: chosen from Grid
	Grid        []float64         // values of Lambda to choose from; default 1e-12, 1e-11, …, 1, for pairs from 1e-6
	Folds       int               // parts of the labeled rows for the choice by cross-validation; default 5
	ByAlignment bool              // choose by the product of alignments ([Z12] (12)), as always for pairs
	Solver      Solver            // default Newton
	StartOnly   bool              // no iteration: the projected closed form, or S₀ for pairs
	Tol         float64           // Stats.Residual at which to stop; default 1e-6
	MaxIter     int               // steps, for pairs without those on the way from larger λ; default 100, of Gradient and Accelerated 2000
	gram.Run    `json:"-"`
}

// Stats says what a fit chose, how well it aligns, and how long it took.
type Stats struct {
	Lambda    float64   // in units of ‖P‖², see Model.Unit
	Alignment float64   // ρ(S,S₀)·ρ(E_lSE_lᵀ,K*) at the solution
	Scores    []float64 // the same for every λ, from the smallest to the largest; −Inf for those left out of the choice
	Held      []float64 // squared error a held-out row for every λ of Grid, from the smallest; nil if λ was not chosen by that
	Iter      int       // for the λ in use
	Residual  float64   // proven bound of ‖S−S*‖/‖S‖ and ‖E(S−S*)Eᵀ‖/‖ESEᵀ‖ for the optimum S*; see the package
	Objective []float64 // at the start and after each step
	Rank      int       // of S
	Seconds   float64
}

// Model maps rows to features: kernel values with the landmarks times S^½, its Root.
// It is safe for concurrent use, and keeps the landmarks but not the rows it was
// fitted to.
type Model struct {
	*basis.Rooted
	cfg    Config
	values *basis.Values
	unit   float64 // ‖P‖²
	stats  Stats
}

var _ basis.Basis = (*Model)(nil)

// Settings describes the settings. Their names differ from those of the linear model that
// the features are for.
func (c *Config) Settings(s *settings.Fields) {
	kernel.Setting(s, &c.Kernel)
	describeM(s, &c.M, c.Landmarks)
	selection.Setting(s, &c.Landmarks, "landmarks", "choice of the landmarks", "kmeans", "uniform")
	s.Float(&c.Cut, "cut", "eigenvalues of the landmarks' kernel matrix below that share of the largest are dropped").
		DefaultRule(float64(c.M)*0x1p-53, "m·2⁻⁵³").Above(0).Below(1)
	s.Float(&c.Lambda, "prior", "weight of the distance from Nyström's solution, relative to |P|²; 0: chosen by cross-validation").AtLeast(0)
	if s.Resolving() && c.Lambda == 0 && c.Grid == nil {
		c.Grid = decades(-12)
	}
	s.Floats(&c.Grid, "prior-grid", "values of prior to choose from", "1e-12, 1e-11, …, 1, for pairs from 1e-6", positive, "positive numbers")
	s.Int(&c.Folds, "prior-folds", "parts of the rows for the choice by cross-validation").Default(5).AtLeast(2)
	s.Bool(&c.ByAlignment, "by-alignment", "prior chosen by the product of alignments instead")
	settings.Choice(s, &c.Solver, "learn-solver", "Newton's method in scaled variables, projected gradients, or the same with Nesterov's acceleration", Newton, Gradient, Accelerated)
	s.Bool(&c.StartOnly, "start-only", "no iteration: the projected closed form")
	s.Float(&c.Tol, "learn-tol", "proven relative distance from the optimum at which learning stops").Default(1e-6).Above(0).Below(1)
	steps := 100
	if c.Solver != Newton {
		steps = 2000
	}
	s.Int(&c.MaxIter, "learn-iter", "steps at most").DefaultRule(steps, "100, for gradients 2000").AtLeast(1)
}

// decades returns the powers of ten 10^first, …, 0.1, 1, the candidates for λ.
func decades(first int) (all []float64) {
	for e := first; e <= 0; e++ {
		all = append(all, math.Pow(10, float64(e)))
	}
	return all
}

// describeM describes the number of landmarks that a selector is to choose.
func describeM(s *settings.Fields, m *int, selector landmark.Selector) {
	selection.Count(s, m, selector, "m", "landmarks", max(1, min(s.Shape.N/10, 500)), "a tenth of the rows, from 1 to 500")
}

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

// Plan returns what Fit will cost for data of shape s, if all rows have labels and
// every λ that is solved for takes 20 steps.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	m, n, d := float64(c.M), float64(s.N), float64(s.D)
	var p gram.Plan
	if pl, ok := c.Landmarks.(landmark.Planner); ok {
		if p, err = pl.Plan(s, c.M, c.Run); err != nil {
			return gram.Plan{}, err
		}
	}
	lambdas := float64(max(1, len(c.Grid)))
	if lambdas > 1 && !c.ByAlignment {
		f := float64(c.Folds)
		p.Flops += f * (2*n*m*m + lambdas*(20*m*m*m+2*n/f*m))
		lambdas = 1
	}
	p.Flops += 2*n*m*(d+m) + lambdas*200*m*m*m
	p.ModelBytes = check.Bytes(8 * (2*m*d + m*m))
	work := 8 * (2*m*d + 5*n*m + 24*m*m + n*d)
	p.PeakBytes = max(p.PeakBytes+check.Bytes(8*m*d), check.Bytes(work))
	p.Description = fmt.Sprintf("generalized Nyström features of %d landmarks", c.M)
	return p, nil
}

// Fit learns from the rows of x that have a class; a Class of −1 says that it is
// not known. All rows are used for the choice of landmarks. x and y are neither
// kept nor changed.
//
// A fit that stops before Tol, at MaxIter or where rounding allows no progress, returns
// the model so far, whose Stats.Residual tells its distance from the optimum, with a
// *gram.ConvergenceError. A *gram.DataError is returned if no row has a class. With one class only, K* is
// constant, and S is learned as well as that allows.
func (c Config) Fit(ctx context.Context, x mat.Matrix, y gram.Labels) (*Model, error) {
	index, class, err := labeled(x, y)
	if err != nil {
		return nil, err
	}
	return c.fit(ctx, x, index, func(e *mat.Dense) (loss, *mat.Dense, error) {
		l, err := newClassLoss(ctx, e, class, len(y.Names))
		if err != nil {
			return nil, nil, err
		}
		return l, l.p, nil
	})
}

// labeled returns the rows that have a class, and the classes.
func labeled(x mat.Matrix, y gram.Labels) (index, class []int, err error) {
	n, _ := check.Dims(x)
	if err := check.Known(y, n); err != nil {
		return nil, nil, err
	}
	for i, k := range y.Class {
		if k >= 0 {
			index, class = append(index, i), append(class, k)
		}
	}
	if len(index) == 0 {
		return nil, nil, &gram.DataError{Row: 0, Col: -1, Reason: "no row has a class"}
	}
	return index, class, nil
}

// FitPairs learns from pairs of rows of one class and of different classes. A pair
// given twice counts twice.
func (c Config) FitPairs(ctx context.Context, x mat.Matrix, pairs []constraint.Pair) (*Model, error) {
	n, _ := check.Dims(x)
	if err := constraint.CheckPairs(pairs, n); err != nil {
		return nil, err
	}
	if c.Lambda == 0 && c.Grid == nil {
		c.Grid = decades(-6)
	}
	var index []int
	for _, p := range pairs {
		index = append(index, p.I, p.J)
	}
	slices.Sort(index)
	index = slices.Compact(index)
	return c.fit(ctx, x, index, func(e *mat.Dense) (loss, *mat.Dense, error) {
		l := &pairLoss{e: e}
		for _, p := range pairs {
			i, _ := slices.BinarySearch(index, p.I)
			j, _ := slices.BinarySearch(index, p.J)
			l.pairs = append(l.pairs, constraint.Pair{I: i, J: j, Same: p.Same})
		}
		var q mat.Dense
		q.Mul(e.T(), e)
		return l, &q, nil
	})
}

func (c Config) fit(ctx context.Context, x mat.Matrix, index []int, lossOf func(e *mat.Dense) (loss, *mat.Dense, error)) (*Model, error) {
	n, _ := x.Dims()
	c, err := settings.Resolved(c, gram.Shape{N: n})
	if err != nil {
		return nil, err
	}
	s, err := c.Samples(c, x, 0)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	run := c.Run
	run.Seed = rng.Derive(c.Seed, "landmarks")
	points, err := c.Landmarks.Select(ctx, c.Kernel, s, nil, c.M, run)
	if err != nil {
		return nil, err
	}
	m := &Model{cfg: c, values: basis.NewValues(c.Kernel, points.U, c.Workers)}
	w := mat.NewDense(c.M, c.M, nil)
	m.values.Block().Fill(gram.View(w), gram.Of(points.U))
	b, _, err := solve.InvSqrt(ctx, mat.NewSymDense(c.M, w.RawMatrix().Data), 0, c.Cut)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s0 := mat.NewDense(c.M, c.M, nil)
	s0.Mul(b, b.T())
	e := mat.NewDense(len(index), c.M, nil)
	m.values.Map(e, s.Select(index))
	l, p, err := lossOf(e)
	if err != nil {
		return nil, err
	}
	t := &task{cfg: c, loss: l, half: b, s0: s0, p: p}
	if t.scale = dot(p, p); t.scale == 0 {
		t.scale = 1
	}
	m.unit = t.scale
	root, err := t.choose(ctx, m)
	if root == nil {
		return nil, err
	}
	m.Rooted = basis.NewRooted(m.values, root)
	_, m.stats.Rank = root.Dims()
	m.stats.Seconds = time.Since(begin).Seconds()
	return m, err
}

// squareRoot is a matrix with root·rootᵀ = s for a positive semidefinite s.
func squareRoot(ctx context.Context, s *mat.Dense) (*mat.Dense, error) {
	n, _ := s.Dims()
	values, q, err := eig.SymAll(ctx, linalg.Symmetric(s))
	if err != nil {
		return nil, err
	}
	first := 0
	for first < n-1 && values[first] <= float64(n)*0x1p-53*values[n-1] {
		first++
	}
	root := mat.NewDense(n, n-first, nil)
	for j := first; j < n; j++ {
		f := math.Sqrt(max(0, values[j]))
		for i := range n {
			root.Set(i, j-first, f*q.At(i, j))
		}
	}
	return root, nil
}

// Core returns the learned matrix S, m×m, as a new matrix.
func (m *Model) Core() *mat.Dense {
	var s mat.Dense
	s.Mul(m.Root(), m.Root().T())
	return &s
}

// Landmarks returns the m×d landmarks. They are the model's own and must not be
// changed.
func (m *Model) Landmarks() *mat.Dense { return m.values.Landmarks() }

// Unit returns ‖P‖_F² for P = E_lᵀE_l, which Lambda is in units of: the λ of [Z12] is Lambda·Unit(). It
// is 0 for a model of CSI and for one that was read from a file.
func (m *Model) Unit() float64 { return m.unit }

// Config returns the settings with all defaults filled in. For a model that was
// read from a file Landmarks are the ones it has.
func (m *Model) Config() Config { return m.cfg }

// Stats says how the fit went. A model that was read from a file has the rank
// only.
func (m *Model) Stats() Stats { return m.stats }
