package itml

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/internal/selection"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/kernels/internal/dual"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Reduction says to which W the learning is restricted: W = αI + ΦJLJᵀΦᵀ with an
// n×M matrix J [J10, Theorem 2].
type Reduction uint8

const (
	NoReduction Reduction = iota // J = I
	Subset                       // J picks M landmarks; a model keeps and evaluates only these
	Random                       // J is standard normal
	Clusters                     // J sums up the rows of each of M clusters of k-means
)

// String returns "none", "subset", "random" or "clusters".
func (r Reduction) String() string {
	return enum.Name(r, "none", "subset", "random", "clusters")
}

// Solver selects the algorithm of a fit.
type Solver uint8

const (
	// Auto is Newton, but Lanczos for Trace in more than 600 dimensions, and Projections
	// for LogDet in more than 3000.
	Auto Solver = iota
	// Projections cycles through the constraints: ITML, for LogDet. A projection
	// takes O(r²) for r dimensions.
	Projections
	// Newton maximizes the dual by the Newton method of package dual, O(r³ + m·r² + m³)
	// an iteration for m terms of constraints, on Cholesky factors for LogDet and on
	// eigendecompositions for the others.
	Newton
	// Lanczos is Newton from the eigenpairs above τ alone, O(m·r) a product. It
	// pays where these are few. For Frobenius and Trace.
	Lanczos
)

// String returns "auto", "projections", "newton" or "lanczos".
func (s Solver) String() string {
	return enum.Name(s, "auto", "projections", "newton", "lanczos")
}

// Config are the settings of inductive kernel learning.
type Config struct {
	Kernel      kernel.Kernel `json:"-"` // κ, stored as its Spec or, for a *Function, as a whole; no default
	Regularizer Regularizer
	Tau         gram.Opt[float64] // for Trace: weight τ of the trace in τ·Tr W + ½‖W‖²; default 1; 0: Frobenius

	// Slack is the weight γ of violations; 0: none, the constraints are hard. LogDet adds γ·(ξ/b − log(ξ/b) − 1) to its objective
	// for a value ξ instead of a bound b > 0; the others, and LogDet for b ≤ 0, add ½γ·((ξ−b)/scale)² with the scale
	// Σ|weight|·zᵀKz. With a Reduction, ξ and b belong to the whole kernel that W gives, the part that cannot be learned
	// included.
	Slack float64

	Reduction Reduction         // NoReduction with M above 0, or with Landmarks that are fixed, stands for Subset
	M         int               // columns of J; default for a Reduction 256, or the number of rows if that is less; of a given J or fixed landmarks their number
	Landmarks landmark.Selector `json:"-"` // for Subset; default landmark.Uniform{}
	Rank      int               // Frobenius, Trace: the learned W keeps that many largest eigenvalues (Frob LR); 0: all

	Given    Given `json:"-"`
	Solver   Solver
	Tol      float64 // of Violation and Gap; default 1e-4
	MaxIter  int     // iterations; 0: 500, of Projections 5000 sweeps
	gram.Run `json:"-"`
}

// Given holds the matrix J of a caller who does not want a Reduction to choose it.
type Given struct {
	// J is the n×M matrix of [J10, Theorem 2] for n rows: W = αI + ΦJLJᵀΦᵀ is learned, with L M×M.
	// Reduction is NoReduction then. The model keeps the rows of x at which a row of J is not zero.
	J *mat.Dense
}

// Stats says how a fit went. The Violation of the Certificate is measured on the kernel that is
// returned, at the rows of the constraints: with Rank on the truncated one. Its Gap is relative to |Objective| + Dimensions.
type Stats struct {
	constraint.Certificate
	Iterations   int     // of the solver
	Objective    float64 // f(W) and the cost of slack
	Dual         float64 // objective of the dual problem, a lower bound on any W that meets the constraints
	Dimensions   int     // in which W was learned
	Rank         int     // of W − αI
	SetupSeconds float64
	SolveSeconds float64
}

// Model is a learned kernel. It is safe for concurrent use. It keeps the rows
// that occur in constraints (Subset: the landmarks; Random, Clusters: all rows).
type Model struct {
	cfg   Config
	f     *Function
	given Given
	stats Stats
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	kernel.Setting(s, &c.Kernel)
	settings.Choice(s, &c.Regularizer, "regularizer", "what stays small: log-determinant divergence from the kernel, |W|², |W-I|², tau·trace W+|W|²",
		LogDet, Frobenius, NearIdentity, Trace)
	s.OptFloat(&c.Tau, "tau", "trace: weight of the trace; 0: none, as frobenius").Default(1).AtLeast(0)
	s.Float(&c.Slack, "slack", "weight of violated constraints; 0: they are hard").AtLeast(0)
	s.Require(c.Slack == 0 || c.Slack > 1e-30 && c.Slack < 1e30, &c.Slack, "0, or between 1e-30 and 1e30")
	s.Int(&c.M, "m", "learn in the span of that many vectors, landmarks unless basis says otherwise; 0: of all constraints").AtLeast(0)
	settings.Choice(s, &c.Reduction, "basis", "the vectors: landmarks, random combinations of all rows, sums over clusters, 256 unless m says otherwise",
		NoReduction, Subset, Random, Clusters)
	fixed := selection.NumFixed(c.Landmarks)
	switch {
	case !s.Resolving():
	case c.Given.J != nil:
		n, m := c.Given.J.Dims()
		s.Require(c.Reduction == NoReduction, &c.Reduction, "%v with a given J", NoReduction)
		s.Require(c.M == 0 || c.M == m, &c.M, "0 or %d, the columns of J that is given", m)
		if n != s.Shape.N {
			s.Refuse(&c.Given.J, fmt.Sprintf("%d×%d", n, m), fmt.Sprintf("a row for each of %d rows", s.Shape.N))
		}
		c.M = m
	case c.Reduction == NoReduction && (c.M > 0 || fixed > 0):
		c.Reduction = Subset
		fallthrough
	case c.Reduction == Subset && fixed > 0:
		if c.M == 0 {
			c.M = fixed
		}
		s.Require(fixed == 0 || c.M == fixed, &c.M, "0 or %d, the number of landmarks that are fixed", fixed)
	case c.Reduction != NoReduction && c.M == 0:
		c.M = min(s.Shape.N, 256)
	}
	s.Require(c.Given.J != nil || fixed > 0 && c.Reduction == Subset || c.M <= s.Shape.N, &c.M, "at most the number of rows, %d", s.Shape.N)
	selection.Setting(s, &c.Landmarks, "landmarks", "choice of the landmarks", "uniform", "kmeans", "farthest")
	s.Int(&c.Rank, "rank", "frobenius, trace: eigenvalues that are kept; 0: all").AtLeast(0)
	identity := c.Regularizer.alpha() != 0
	s.Require(c.Rank == 0 || !identity, &c.Rank, "0 for logdet and near-identity, whose W is the identity where nothing is known (package kpca has the low-rank forms)")
	settings.Choice(s, &c.Solver, "solver", "solver of the dual problem; projections: for logdet, lanczos: for frobenius and trace", Auto, Projections, Newton, Lanczos)
	s.Require(c.Solver != Projections || c.Regularizer == LogDet, &c.Solver, "newton or lanczos for %v", c.Regularizer)
	s.Require(c.Solver != Lanczos || !identity, &c.Solver, "another solver for %v", c.Regularizer)
	s.Float(&c.Tol, "tol", "violation of the constraints and gap to be reached").Default(1e-4).Above(0).Below(1)
	s.Int(&c.MaxIter, "max-iter", "iterations at most; 0: 500, of projections 5000 sweeps").AtLeast(0)
}

// Plan returns what Fit will cost for as many pair constraints as there are
// rows, at 10 iterations of the solver, or 30 sweeps of projections.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) { return c.plan(s, s.N) }

// plan is Plan for that many pair constraints.
func (c Config) plan(s gram.Shape, pairs int) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	d, p := float64(s.D), float64(max(1, pairs))
	used := min(float64(s.N), 2*p)
	r, points := min(used, p), used
	setup := 4*used*used + used*d + p*used
	whole := p >= used // of the kernel matrix of the rows in constraints
	if !whole {
		setup = 4*p*p + 128*used + used*d
	}
	if c.reduces() {
		r, points = min(float64(c.M), float64(s.N)), float64(c.M)
		setup = used*r + used*d + 4*r*r + r*used
		if c.Reduction != Subset {
			points = float64(s.N)
			setup += points * (2*d + 2*r)
		}
	}
	if _, is := c.Kernel.(kernel.Linear); is && !c.reduces() {
		r = min(r, d)
		setup = used * d
	}
	var plan gram.Plan
	work := 4*p*r + 8*r*r + 3*p*p // factors, the matrix of a quadratic model and its Cholesky factor
	plan.Flops = used*used*d + 10*(9*r*r*r+4*p*r*r+p*p*p)
	switch {
	case c.Regularizer == LogDet && c.solver(int(r)) == Projections:
		work = 2*p*r + 4*r*r
		plan.Flops = used*used*d + 30*7*p*r*r
	case c.Regularizer == LogDet:
		plan.Flops = used*used*d + 10*(6*p*r*r+p*p*r+p*p*p)
	}
	plan.PeakBytes = check.Bytes(8 * max(p*r+setup, p*r+work+points*(2*d+2*r)))
	plan.ModelBytes = check.Bytes(8 * points * (2*d + r))
	plan.FullKernel = !c.reduces() && used == float64(s.N) && whole
	plan.Description = fmt.Sprintf("%v kernel learning in %.0f dimensions from %.0f constraints", c.Regularizer, r, p)
	return plan, nil
}

// Fit learns a kernel from the constraints, which are on the rows of x. It
// neither keeps nor changes x; the model has a copy of the rows it needs.
//
// Errors, beside those of the settings and the data: *constraint.InfeasibleError for hard
// constraints that no kernel of the form meets; *gram.ConvergenceError, with the
// model so far, after MaxIter iterations or where rounding forbids any progress;
// ctx.Err(), without a model, which would take an eigendecomposition more.
func (c Config) Fit(ctx context.Context, x mat.Matrix, cons []constraint.Linear) (*Model, error) {
	n, _ := check.Dims(x)
	if err := check.Rows(n); err != nil {
		return nil, err
	}
	c, err := settings.Resolved(c, gram.Shape{N: n})
	if err != nil {
		return nil, err
	}
	if err := constraint.Check(cons, n); err != nil {
		return nil, err
	}
	s, err := c.Run.Samples(planner{c, len(cons)}, x, 0)
	if err != nil {
		return nil, err
	}
	return c.fit(ctx, s, cons)
}

// planner is a Config with a known number of constraints.
type planner struct {
	c     Config
	pairs int
}

// Plan returns what the fit costs with the pairs that are at hand, where Config.Plan has to assume their number.
func (p planner) Plan(s gram.Shape) (gram.Plan, error) { return p.c.plan(s, p.pairs) }

// reduces reports whether W is learned in the span of ΦJ.
func (c Config) reduces() bool { return c.Reduction != NoReduction || c.Given.J != nil }

// solver is the solver for atoms in r dimensions.
func (c Config) solver(r int) Solver {
	switch {
	case c.Solver != Auto:
		return c.Solver
	case r > 3000 && c.Regularizer == LogDet:
		return Projections
	case r > 600 && c.Regularizer == Trace:
		return Lanczos
	}
	return Newton
}

// fit is Fit for settings and data that have been checked.
func (c Config) fit(ctx context.Context, x gram.Samples[float64], cons []constraint.Linear) (*Model, error) {
	begin := time.Now()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := c.compile(ctx, x, cons)
	if err != nil {
		return nil, err
	}
	ready := time.Now()
	_, r := p.T.Dims()
	c.Solver = c.solver(r)
	if c.MaxIter == 0 {
		c.MaxIter = 500
		if c.Solver == Projections {
			c.MaxIter = 5000
		}
	}
	meter, phase := c.Meter(), c.Regularizer.String()
	o := dual.Options{Tol: c.Tol, MaxIter: c.MaxIter, Spectrum: dual.Dense, Progress: func(iter int, objective float64) {
		meter.Report(gram.Event{Phase: phase, Done: int64(iter), Total: int64(c.MaxIter), Objective: objective})
	}}
	if c.Regularizer == LogDet {
		o.Cyclic, o.Order = true, p.order(c.Seed)
	}
	var s *dual.State
	var iterations int
	switch zero := make([]float64, len(p.Rows)); c.Solver {
	case Projections:
		s, iterations, err = p.sweep(ctx, o)
	case Newton:
		y := zero
		if c.Regularizer == LogDet && r <= 400 {
			if y, o.Factor, err = p.Warm(ctx, o, 5); err != nil {
				return nil, err
			}
		}
		s, iterations, err = p.Newton(ctx, y, o)
	default:
		o.Spectrum = (&dual.Lanczos{Seed: c.Seed}).Spectrum
		s, iterations, err = p.Newton(ctx, zero, o)
	}
	var infeasible *constraint.InfeasibleError
	if s == nil || errors.As(err, &infeasible) || ctx.Err() != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	if c.Rank > 0 {
		s = s.Truncated(c.Rank)
	}
	f, rank, fault := c.function(ctx, p, s)
	if fault != nil {
		return nil, fault
	}
	if fault := p.certify(ctx, s, f); fault != nil {
		return nil, fault
	}
	if err == nil && c.Rank == 0 && !(s.Violation <= c.Tol) { // rounding forbids what the bounds ask for
		err = &gram.ConvergenceError{Iter: iterations, Residual: s.Violation, Tol: c.Tol}
	}
	m := &Model{cfg: c, f: f, given: Given{J: p.j}}
	m.cfg.Given = Given{}
	m.stats = Stats{
		Certificate: s.Certificate(cons, p.dropped),
		Iterations:  iterations, Objective: s.Objective, Dual: s.Dual, Dimensions: r, Rank: rank,
		SetupSeconds: ready.Sub(begin).Seconds(), SolveSeconds: time.Since(ready).Seconds(),
	}
	c.Report(gram.Event{Phase: phase, Done: int64(iterations), Total: int64(iterations), Objective: s.Dual})
	return m, err
}

// function turns the optimum into S = V·diag(s)·Vᵀ and returns its rank. For an
// eigenvector u of Σ y_cH_c with σ ≠ 0, σu = Tᵀ(a∘Tu) says that Qu = Φv with
// v = Σ_k a_k(t_kᵀu)/σ·z_k: no inverse of a kernel matrix is needed, and vᵀKv = 1.
func (c Config) function(ctx context.Context, p *problem, state *dual.State) (f *Function, rank int, err error) {
	sigma, lambda, u, tu, err := state.Spectrum(ctx)
	if err != nil {
		return nil, 0, err
	}
	alpha := c.Regularizer.alpha()
	var top float64
	for _, v := range sigma {
		top = max(top, math.Abs(v))
	}
	type pair struct {
		at         int
		gain, sign float64 // of λ − α
	}
	var pairs []pair
	for j, v := range sigma {
		shift := lambda[j] - alpha
		if c.Regularizer == LogDet { // without the cancellation of λ − 1
			shift = lambda[j] * v
		}
		if shift != 0 && math.Abs(v) > float64(len(sigma))*0x1p-53*top {
			pairs = append(pairs, pair{j, math.Abs(shift), math.Copysign(1, shift)})
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.gain, a.gain) })
	atoms, r := p.T.Dims()
	q := max(1, len(pairs)) // W = αI is a column of zeros: there are no matrices without columns
	in, w := mat.NewDense(r, q, nil), mat.NewDense(atoms, q, nil)
	sign := make([]float64, q)
	sign[0] = 1
	for j, e := range pairs {
		root := math.Sqrt(e.gain)
		sign[j] = e.sign
		for i := range r {
			in.Set(i, j, root*u.At(i, e.at))
		}
		for i := range p.Rows {
			row := &p.Rows[i]
			for k, weight := range row.Weight {
				w.Set(row.First+k, j, root*state.Y[i]*weight*tu.At(row.First+k, e.at)/sigma[e.at])
			}
		}
	}
	if !c.reduces() && len(pairs) > 0 {
		if err := p.represent(ctx, in, w); err != nil {
			return nil, 0, err
		}
	}
	points, v := p.back(in, w)
	f = NewFunction(c.Kernel, alpha, points, v, sign, c.Workers)
	f.index = p.index
	return f, len(pairs), nil
}

// represent corrects w so that Tᵀw = u where rounding has left more of a difference than it must: where a
// dual variable is far larger than the others, what its atoms have to do with another eigenvector is the
// product of a large number with one that consists of rounding errors.
func (p *problem) represent(ctx context.Context, u, w *mat.Dense) error {
	_, q := u.Dims()
	atoms, r := p.T.Dims()
	var solver interface {
		Factorize(a mat.Matrix)
		Cond() float64
		SolveTo(dst *mat.Dense, trans bool, b mat.Matrix) error
	} = &mat.QR{}
	if atoms < r {
		solver = &mat.LQ{}
	}
	for pass := range 2 {
		var rest mat.Dense
		rest.Mul(p.T.T(), w)
		rest.Sub(u, &rest)
		worst := 0.0
		for j := range q {
			worst = max(worst, mat.Norm(rest.ColView(j), 2)/mat.Norm(u.ColView(j), 2))
		}
		if !(worst > 0x1p-40) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if pass == 0 {
			solver.Factorize(p.T)
		}
		change := mat.NewDense(atoms, q, nil)
		if err := solver.SolveTo(change, true, &rest); err != nil {
			if _, poor := err.(mat.Condition); !poor || math.IsInf(solver.Cond(), 1) {
				return nil // the certificate says how far the kernel is off
			}
		}
		w.Add(w, change)
	}
	return nil
}

// Kernel returns the learned kernel κ_W.
func (m *Model) Kernel() *Function { return m.f }

// Config returns the settings with all defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Given returns J with a row for each row of the fit, which must not be changed. J is nil without a Reduction, for a
// Subset, whose landmarks are the points of the kernel, and in a model that was read from a file.
func (m *Model) Given() Given { return m.given }

// Stats says how the fit went. A model that was read from a file has none.
func (m *Model) Stats() Stats { return m.stats }

func (c Config) clusters(ctx context.Context, x gram.Samples[float64], run gram.Run) ([]int, error) {
	m, err := kmeans.Config{K: c.M, Run: run}.Fit(ctx, x)
	if err != nil {
		return nil, err
	}
	return m.Labels(), nil
}
