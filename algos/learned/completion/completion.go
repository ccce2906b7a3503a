package completion

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/internal/selection"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Side holds the settings for the side information of the rows, or of the columns.
// It is ignored where there is none.
type Side struct {
	Map       Kind              // default Linear
	M         int               // frequencies or landmarks; default that of given or fixed ones, else 100; landmarks: at most the number of rows of side information
	Gamma     float64           // γ of the Gaussian kernel; default one over the mean squared distance
	Landmarks landmark.Selector `json:"-"` // where they start; default landmark.Uniform
	Learn     bool              // the frequencies or landmarks are learned
	Given     Given             `json:"-"`
}

// Given are ingredients of a side that are drawn where they are nil.
type Given struct {
	// Points are M×D frequencies or landmarks, one a row. Landmarks need not be rows of the side
	// information, nor fewer.
	Points *mat.Dense
	// Frequencies supplies the frequencies of random Fourier features in place of Points, as a *rff.Model does, one of Fastfood's
	// among them.
	Frequencies Frequencies
	// Factor is where W starts, or for the columns H: features×Rank, without side information
	// a row for each of the matrix. Without one the first step makes H from W alone.
	Factor *mat.Dense
}

// Frequencies are what random Fourier features are made of: the rows of an M×D matrix.
type Frequencies interface{ Omega() *mat.Dense }

// matrix returns the given points, one a row, or nil.
func (g Given) matrix() *mat.Dense {
	if g.Points == nil && g.Frequencies != nil {
		return g.Frequencies.Omega()
	}
	return g.Points
}

// Take sets the number m of points to that of those that are given, and refuses, at the field p
// of a configuration, what does not fit the map and the data.
func (g Given) Take(s *settings.Fields, kind Kind, m *int, p any) {
	u := g.matrix()
	if u == nil || !s.Resolving() {
		return
	}
	if g.Frequencies != nil && (kind != Fourier || g.Points != nil) {
		s.Refuse(p, kind, "the fourier map, and no points, with frequencies")
	}
	r, d := u.Dims()
	if *m == 0 {
		*m = r
	}
	if r != *m || d != s.Shape.D {
		s.Refuse(p, fmt.Sprintf("%d×%d", r, d), fmt.Sprintf("%d×%d", *m, s.Shape.D))
	}
}

// Config are the settings. Without side information it is matrix completion (MC),
// with Linear maps IMC, with Fourier or Nystrom ones IMC-RFF or IMC-NYS, and with
// those learned GIMC-LFF or GIMC-LNYS.
type Config struct {
	Rows, Columns Side
	Rank          int               // k; default 10
	Lambda        gram.Opt[float64] // λ; default 1; 0: none, each step then is the one of least norm
	Loss          Loss              // default Squared
	Rounds        int               // alternations of W and H at most, before anything is learned; default 30
	Steps         int               // rounds after that, each a gradient step on U and V and an alternation; default 20 where something is learned
	Products      int               // of conjugate gradients in a step on W or H; default 20
	Tol           gram.Opt[float64] // Rounds and Steps each end when one takes less than Tol times the objective off it; default 1e-4; 0: as long as it falls
	Validation    float64           // part of the observed entries, from 0 to below 1, that decides how many of the rounds and steps are taken: a first fit without them finds where their loss is smallest, a second with all entries goes as far; default 0, no first fit
	gram.Run      `json:"-"`
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Objective []float64 // after every round and step
	Rounds    int       // of them alternations before anything was learned
	HeldOut   []float64 // mean loss of the held-out entries after every round and step of the first fit; nil without
	Seconds   float64
}

// Model completes the matrix by P·Qᵀ with P = φ_U(X)W and Q = φ_V(Y)H. It is safe
// for concurrent use.
type Model struct {
	cfg        Config
	rows, cols factor
	stats      Stats
}

// factor holds the features and coefficients of the rows of the matrix, or of its columns.
type factor struct {
	f    basis.Learnable // nil: linear, or none
	w    *mat.Dense      // features×k; without side information n×k
	side bool            // there is side information
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Side) Settings(s *settings.Fields) {
	settings.Choice(s, &c.Map, "features", "kind of features", Linear, Fourier, Nystrom)
	if s.Resolving() && (s.Shape.D == 0 || c.Map == Linear) {
		s.Require(!c.Learn || s.Shape.D == 0, &c.Learn, "a Fourier or Nystrom map; a linear one has nothing to learn")
		s.Require(c.Given.matrix() == nil, &c.Map, "a Fourier or Nystrom map of side information, with given points")
		*c = Side{Given: Given{Factor: c.Given.Factor}}
		return
	}
	c.Given.Take(s, c.Map, &c.M, &c.Given.Points)
	most := 100
	if c.Map == Nystrom {
		most = min(most, s.Shape.N)
	}
	const help, rule = "frequencies, of two features each, or landmarks", "100; landmarks: at most the number of rows of side information"
	if c.Map == Nystrom && c.Given.matrix() == nil {
		selection.Count(s, &c.M, c.Landmarks, "m", help, most, rule)
	} else {
		s.Int(&c.M, "m", help).DefaultRule(most, rule).AtLeast(1).AtMost(1 << 28)
	}
	s.Float(&c.Gamma, "gamma", "width of the Gaussian kernel; 0: one over the mean squared distance of rows").AtLeast(0)
	selection.Setting(s, &c.Landmarks, "landmarks", "choice of the landmarks that learning starts from", "uniform", "kmeans")
	s.Bool(&c.Learn, "learn", "frequencies or landmarks are learned")
}

// features is the number of columns of Φ: of the matrix of side information, or
// the number of rows where there is none.
func (c Side) features(shape gram.Shape) int {
	switch {
	case shape.D == 0:
		return shape.N
	case c.Map == Linear:
		return shape.D
	case c.Map == Fourier:
		return 2 * c.M
	}
	return c.M
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	s.Prefixed("rows-", &c.Rows)
	s.Prefixed("columns-", &c.Columns)
	s.Int(&c.Rank, "rank", "rank of the completed matrix").Default(10).AtLeast(1)
	s.OptFloat(&c.Lambda, "lambda", "weight of the squared factors; 0: none").Default(1).AtLeast(0)
	settings.Choice(s, &c.Loss, "loss", "loss of an entry", Squared, Logistic)
	Iterations(s, &c.Rounds, &c.Steps, &c.Products, &c.Tol, c.Rows.Learn || c.Columns.Learn)
	s.Float(&c.Validation, "validation", "part of the entries that decides on the number of rounds and steps; 0: none, all are taken").AtLeast(0).Below(1)
}

// Iterations describes how far a completion goes, also one inside another method. Without
// anything that is learned there are no steps.
func Iterations(s *settings.Fields, rounds, steps, products *int, tol *gram.Opt[float64], learns bool) {
	s.Int(rounds, "rounds", "alternations at most, before anything is learned").Default(30).AtLeast(1)
	if s.Resolving() && !learns {
		*steps = 0
	} else {
		s.Int(steps, "steps", "where something is learned: gradient steps at most, each with an alternation").Default(20).AtLeast(1)
	}
	s.Int(products, "products", "steps of conjugate gradients for a factor at most").Default(20).AtLeast(1)
	s.OptFloat(tol, "tol", "relative progress of a round or step below which it stops; 0: while there is any").Default(1e-4).AtLeast(0)
}

// resolved returns c with the defaults for side information of these shapes.
func (c Config) resolved(rowShape, columnShape gram.Shape) (Config, error) {
	for _, t := range []struct {
		name  string
		side  *Side
		shape gram.Shape
	}{{"Rows", &c.Rows, rowShape}, {"Columns", &c.Columns, columnShape}} {
		var err error
		var ce *gram.ConfigError
		if *t.side, err = settings.Resolved(*t.side, t.shape); errors.As(err, &ce) {
			return c, settings.Refuse(t.name+"."+ce.Field, ce.Value, "%s", ce.Want)
		}
	}
	return settings.Resolved(c, gram.Shape{})
}

// Plan returns what a fit will cost on observed entries of s, N×Outputs with NNZ
// of them, and side information of shapes rowShape and columnShape, whose N are those
// numbers; D = 0 means that there is none.
func (c Config) Plan(s, rowShape, columnShape gram.Shape) (gram.Plan, error) {
	rowShape.N, columnShape.N = s.N, s.Outputs
	c, err := c.resolved(rowShape, columnShape)
	if err != nil {
		return gram.Plan{}, err
	}
	var p gram.Plan
	var squares int64 // of the curvature, of one side at a time
	k := float64(c.Rank)
	for _, t := range []struct {
		side  Side
		shape gram.Shape
	}{{c.Rows, rowShape}, {c.Columns, columnShape}} {
		n, f := float64(t.shape.N), float64(t.side.features(t.shape))
		nnz := float64(t.shape.NNZ)
		if nnz == 0 {
			nnz = n * float64(t.shape.D)
		}
		products := float64(c.Rounds+c.Steps) * float64(c.Products+1)
		var phi, params float64
		p.Flops += products * 4 * float64(s.NNZ) * k
		switch {
		case t.shape.D == 0:
			p.Flops += float64(c.Rounds+c.Steps) * n * k * k * k / 3
		case t.side.Map == Linear:
			p.Flops += products * 4 * nnz * k
		default:
			phi, params = n*f, float64(t.side.M)*float64(t.shape.D)
			if t.side.Map == Nystrom {
				params *= 2 // the landmarks, and packed ones
			}
			p.Flops += products*4*phi*k + 2*nnz*float64(t.side.M) + float64(c.Steps)*8*nnz*float64(t.side.M)
		}
		p.ModelBytes += check.Bytes(8 * (f*k + params))
		const pack = 8 // products pack their operands into slivers of about this width
		peak := 8 * (phi + params + 5*n*k + 3*n*max(k, pack) + 6*f*k)
		if t.shape.D == 0 {
			peak = 8 * 5 * n * k
		}
		if t.side.Learn {
			peak += 8 * (2*phi + 3*params)
		}
		if t.shape.D > 0 && small(t.shape.N, c.Rank, s.NNZ) {
			squares = max(squares, 8*int64(t.shape.N)*int64(c.Rank)*int64(c.Rank))
		}
		if t.shape.NNZ > 0 {
			peak += 12 * nnz
		}
		p.PeakBytes += int64(peak) + 12*s.NNZ
		if c.Loss != Squared {
			p.PeakBytes += 8 * s.NNZ
		}
	}
	p.PeakBytes += squares
	if c.Validation > 0 {
		p.Flops *= 2
		p.PeakBytes += 12 * s.NNZ
	}
	p.Description = fmt.Sprintf("completion of a matrix, rank %d, %s and %s", c.Rank, c.Rows.name(rowShape), c.Columns.name(columnShape))
	return p, nil
}

func (c Side) name(shape gram.Shape) string {
	switch {
	case shape.D == 0:
		return "no side information"
	case c.Learn:
		return "learned " + c.Map.String() + " features"
	}
	return c.Map.String() + " features"
}

// Fit completes the matrix of which a holds the observed entries; an entry that
// is stored is observed, also if it is 0. x and y are the side information of its
// rows, nx×dx, and columns, ny×dy; nil means none. Nothing of them is kept or
// changed. If ctx ends the fit after the first round the model so far is returned
// with ctx.Err().
func (c Config) Fit(ctx context.Context, a *sparse.CSR, x, y mat.Matrix) (*Model, error) {
	f, err := c.begin(a, x, y)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	var heldOut []float64
	if f.c.Validation > 0 {
		train, held := crossval.Entries(a, f.c.Validation, f.c.Seed)
		first := &fit{c: f.c, x: f.x, y: f.y, held: held}
		if err := first.run(ctx, train); err != nil {
			return nil, err
		}
		heldOut = first.stats.HeldOut
		f.take = 1 + max(0, crossval.Choose(heldOut, false))
		f.rounds = first.stats.Rounds
	}
	err = f.run(ctx, a)
	if len(f.stats.Objective) == 0 {
		return nil, err
	}
	m := &Model{cfg: *f.c, stats: f.stats}
	m.stats.HeldOut = heldOut
	m.stats.Seconds = time.Since(begin).Seconds()
	m.rows = factor{f: f.p.f, w: f.p.w, side: x != nil}
	m.cols = factor{f: f.q.f, w: f.q.w, side: y != nil}
	m.cfg.Rows.Gamma, m.cfg.Columns.Gamma = f.p.gamma, f.q.gamma
	m.cfg.Rows.Given, m.cfg.Columns.Given = Given{}, Given{}
	return m, err
}

// begin checks the settings and the data before the work of the fit, and reports the first mistake.
func (c Config) begin(a *sparse.CSR, x, y mat.Matrix) (*fit, error) {
	if a == nil {
		return nil, settings.Refuse("observed entries", nil, "a matrix")
	}
	sx, sy := shape(x, a.N), shape(y, a.D)
	c, err := c.resolved(sx, sy)
	if err != nil {
		return nil, err
	}
	plan, err := c.Plan(gram.Shape{N: a.N, Outputs: a.D, NNZ: int64(a.NNZ())}, sx, sy)
	if err != nil {
		return nil, err
	}
	plan.PeakBytes += sx.Copied + sy.Copied
	if err := c.Check(plan); err != nil {
		return nil, err
	}
	if err := c.checkEntries(a); err != nil {
		return nil, fmt.Errorf("observed entries: %w", err)
	}
	f := &fit{c: &c}
	if f.x, err = checkSide(x, a.N); err != nil {
		return nil, fmt.Errorf("side information of the rows: %w", err)
	}
	if f.y, err = checkSide(y, a.D); err != nil {
		return nil, fmt.Errorf("side information of the columns: %w", err)
	}
	return f, nil
}

// shape returns the shape of the side information of n rows, without columns where there is none.
func shape(x mat.Matrix, n int) gram.Shape {
	if x == nil {
		return gram.Shape{N: n}
	}
	return gram.ShapeOf(x, 0)
}

func (c Config) checkEntries(a *sparse.CSR) error {
	if err := a.Validate(); err != nil {
		return err
	}
	if a.NNZ() == 0 {
		return &gram.DataError{Row: 0, Col: -1, Value: math.NaN(), Reason: "no entry is observed"}
	}
	if err := gram.Of(a).Finite(); err != nil {
		return err
	}
	if c.Loss != Logistic {
		return nil
	}
	for i := range a.N {
		col, val := a.Row(i)
		for e, v := range val {
			if v != 1 && v != 0 && v != -1 {
				return &gram.DataError{Row: i, Col: int(col[e]), Value: v, Reason: "for the logistic loss an entry is 1, or 0 or -1"}
			}
		}
	}
	return nil
}

// checkSide returns the rows of side information, nil where there is none.
func checkSide(x mat.Matrix, n int) (*gram.Samples[float64], error) {
	if x == nil {
		return nil, nil
	}
	if have, _ := x.Dims(); have != n {
		return nil, &gram.DataError{Row: min(have, n), Col: -1, Value: math.NaN(), Reason: fmt.Sprintf("there are %d rows for %d of the matrix", have, n)}
	}
	s, err := gram.Run{}.Samples(checked{}, x, 0)
	return &s, err
}

// checked are settings whose plan is below the limit.
type checked struct{}

// Plan returns a zero plan: begin has checked the memory of the whole fit.
func (checked) Plan(gram.Shape) (gram.Plan, error) { return gram.Plan{}, nil }

// fit is the state of one run of the alternation between the sides p, of the rows, and q, of the columns.
type fit struct {
	c    *Config
	x, y *gram.Samples[float64] // nil: none
	held *sparse.CSR            // entries to measure on; nil: none

	// A second run goes as far as the first was best.
	take, rounds int // rounds and steps in all, and rounds at most; 0: as the settings say

	p, q  *factorSide
	stats Stats
}

// sides makes both sides for the entries a.
func (f *fit) sides(ctx context.Context, a *sparse.CSR) (err error) {
	if f.p, err = f.c.newSide(ctx, f.c.Rows, "rows", a, f.x); err != nil {
		return err
	}
	f.q, err = f.c.newSide(ctx, f.c.Columns, "columns", a.Transpose(), f.y)
	return err
}

func (f *fit) run(ctx context.Context, a *sparse.CSR) error {
	if err := f.sides(ctx, a); err != nil {
		return err
	}
	// The first step is on H: W is as it was drawn, and of H nothing remains.
	if f.c.Columns.Given.Factor == nil {
		f.q.w.Zero()
		f.q.p.Zero()
	}
	rounds, steps, tol := f.c.Rounds, f.c.Steps, f.c.Tol.Value()
	if f.take > 0 {
		rounds = min(f.rounds, f.take)
		steps, tol = f.take-rounds, 0
	}
	if err := f.phase(ctx, "factors", rounds, tol, false); err != nil {
		return err
	}
	f.stats.Rounds = len(f.stats.Objective)
	return f.phase(ctx, "features", steps, tol, true)
}

// phase takes rounds until they gain too little.
func (f *fit) phase(ctx context.Context, name string, rounds int, tol float64, learn bool) error {
	meter := f.c.Meter()
	before := math.Inf(1)
	for round := range rounds {
		objective, err := f.round(ctx, learn)
		if err != nil {
			return err
		}
		f.stats.Objective = append(f.stats.Objective, objective)
		if f.held != nil {
			v, err := entryLoss(ctx, f.c, f.held, f.p.p, f.q.p)
			if err != nil {
				return err
			}
			f.stats.HeldOut = append(f.stats.HeldOut, v)
		}
		done := round+1 == rounds || before-objective <= tol*objective && tol > 0
		e := gram.Event{Phase: name, Done: int64(round + 1), Total: int64(rounds), Objective: objective}
		if done {
			e.Total = e.Done
		}
		meter.Report(e)
		if done {
			break
		}
		before = objective
	}
	return nil
}

// round improves every part once and returns the objective. A round that is
// interrupted leaves the model of some moment within it.
func (f *fit) round(ctx context.Context, learn bool) (float64, error) {
	half := f.c.Lambda.Value() / 2
	if learn {
		for _, t := range [2][2]*factorSide{{f.p, f.q}, {f.q, f.p}} {
			if t[0].learned {
				if _, err := t[0].learn(ctx, t[1].p, half*(rows.Squares(f.p.w)+rows.Squares(f.q.w))); err != nil {
					return 0, err
				}
			}
		}
	}
	if _, err := f.q.improve(ctx, f.p.p, half*rows.Squares(f.p.w)); err != nil {
		return 0, err
	}
	if _, err := f.p.improve(ctx, f.q.p, half*rows.Squares(f.q.w)); err != nil {
		return 0, err
	}
	return f.c.objective(ctx, f.p, f.q)
}

// newSide makes the features of one side and draws its factor.
func (c *Config) newSide(ctx context.Context, config Side, part string, a *sparse.CSR, x *gram.Samples[float64]) (*factorSide, error) {
	s := &factorSide{a: a, c: c, learned: config.Learn, given: config.Given.Factor}
	if x == nil {
		return s, s.start(ctx, part)
	}
	s.x = rows.NewProducts(*x, c.Workers)
	s.phi = s.x
	if config.Map != Linear {
		if config.Gamma == 0 {
			config.Gamma = kernel.MeanGamma(s.x.X)
		}
		s.gamma = config.Gamma
		f, err := Draw(ctx, config, s.x.X, gram.Run{Seed: rng.Derive(c.Seed, part+" features"), Workers: c.Workers})
		if err != nil {
			return nil, err
		}
		_, k := f.Dims()
		phi := mat.NewDense(a.N, k, nil)
		if err := f.Fill(ctx, c.Workers, phi, s.x.X); err != nil {
			return nil, err
		}
		s.f, s.features, s.phi = f, phi, rows.NewProducts(gram.Of(phi), c.Workers)
	}
	return s, s.start(ctx, part)
}

// Features returns the features of the points in the rows of u, M×D, which it copies; thin says
// that they are for sparse rows. Map, and Gamma for landmarks, must be set.
func (c Side) Features(u *mat.Dense, thin bool, workers int) basis.Learnable {
	if c.Map == Fourier {
		return c.Map.Basis(mat.DenseCopyOf(u.T()), c.Gamma, thin, workers)
	}
	return c.Map.Basis(mat.DenseCopyOf(u), c.Gamma, thin, workers)
}

// Draw returns the features that learning starts from: those of given points, frequencies from
// N(0, 2γI), or landmarks chosen among, or from, the rows of x. Map, M, Gamma and Landmarks
// of s must be set.
func Draw(ctx context.Context, s Side, x gram.Samples[float64], run gram.Run) (basis.Learnable, error) {
	if u := s.Given.matrix(); u != nil {
		if err := gram.Of(u).Finite(); err != nil {
			return nil, fmt.Errorf("given points: %w", err)
		}
		return s.Features(u, x.IsSparse(), run.Workers), nil
	}
	if s.Map == Nystrom {
		p, err := s.Landmarks.Select(ctx, kernel.Gaussian{Gamma: s.Gamma}, x, nil, s.M, run)
		if err != nil {
			return nil, err
		}
		return s.Map.Basis(p.U, s.Gamma, x.IsSparse(), run.Workers), nil
	}
	_, d := x.Dims()
	u := mat.NewDense(d, s.M, nil)
	std := math.Sqrt(2 * s.Gamma)
	err := par.For(ctx, run.Workers, d, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			r := rng.New(run.Seed, uint64(i))
			row := u.RawRowView(i)
			for j := range row {
				row[j] = std * r.NormFloat64()
			}
		}
	})
	return s.Map.Basis(u, s.Gamma, false, run.Workers), err
}

// entryLoss is the mean loss of P·Qᵀ over the entries.
func entryLoss(ctx context.Context, c *Config, a *sparse.CSR, p, q *mat.Dense) (float64, error) {
	s := &factorSide{a: a, c: c}
	v, err := s.loss(ctx, p, q)
	return v / float64(max(1, a.NNZ())), err
}
