package leml

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// Config holds the settings of LEML, low-rank regression on sets of labels.
//
// A fit takes settings that are not given at their defaults; crossval.Tune chooses Lambda by the data.
type Config struct {
	Rank       int               // k; default 100, at most the number of labels and of columns
	Lambda     gram.Opt[float64] // λ; default 1; 0: none, so that W and H are determined only up to an invertible matrix between them
	Rounds     int               // largest number of alternations; default 10
	Products   int               // largest number of products of conjugate gradients in a round; default 20
	Tol        gram.Opt[float64] // the fit ends when a round lowers the objective by less than Tol times its value; default 1e-4; 0: as long as it falls
	NoConstant bool              // do not add a constant column to X
	Given      Given             `json:"-"`
	gram.Run   `json:"-"`
}

// Given holds ingredients of a fit. Nil ones are drawn by Fit.
type Given struct {
	W *mat.Dense // initial W: columns×Rank, with a last row for the constant unless NoConstant
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Objective []float64 // after each round
	Products  int       // with XᵀX
	Converged bool      // the last round took less than Tol times the objective off it; otherwise Rounds or a context ended the fit
	Seconds   float64
}

// Model scores labels by x·W·Hᵀ; as a FeatureMap it is x·W. It is safe for
// concurrent use.
type Model struct {
	cfg   Config
	w     *mat.Dense // d×k
	bias  []float64  // k: the row of W for the constant; zeros without
	h     *mat.Dense // L×k
	stats Stats
}

var (
	_ gram.Ranker     = (*Model)(nil)
	_ gram.FeatureMap = (*Model)(nil)
)

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	d, labels := s.Shape.D, s.Shape.Outputs
	s.Int(&c.Rank, "rank", "rank").DefaultRule(max(1, min(100, d, labels)), "100, at most the number of labels and of columns").
		AtLeast(1).AtMostRule(min(max(1, labels), d+1), "the number of labels and of columns").SearchLog(8, 256)
	s.OptFloat(&c.Lambda, "lambda", "weight of the squared factors; 0: none").Default(1).AtLeast(0).SearchLog(1e-2, 1e3).TriesHeldOut(settings.ForLabels, 10, .1)
	s.Int(&c.Rounds, "rounds", "alternations at most").Default(10).AtLeast(1)
	s.Int(&c.Products, "products", "steps of conjugate gradients in a round at most").Default(20).AtLeast(1)
	s.OptFloat(&c.Tol, "tol", "relative progress of a round below which it stops; 0: while there is any").Default(1e-4).AtLeast(0)
	s.Bool(&c.NoConstant, "no-constant", "no constant column")
	if w := c.Given.W; w != nil && s.Resolving() {
		p := d
		if !c.NoConstant {
			p++
		}
		if r, k := w.Dims(); r != p || k != c.Rank {
			s.Refuse(&c.Given.W, fmt.Sprintf("%d×%d", r, k), fmt.Sprintf("%d×%d", p, c.Rank))
		}
	}
}

// Plan returns what a fit will cost; s.Outputs is the number of labels. Labels
// are taken to be as many as the rows' entries, at most ten a row.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	n, p, l, k := float64(s.N), float64(s.D+1), float64(s.Outputs), float64(c.Rank)
	entries := n * p
	if s.NNZ > 0 {
		entries = float64(s.NNZ)
	}
	labels := min(10*n, n*l)
	products := float64(c.Products + 2)
	plan := gram.Plan{
		Flops:       float64(c.Rounds) * (4*entries*k*products + 4*labels*k + (6*n+8*l+2*p)*k*k + 9*k*k*k),
		ModelBytes:  check.Bytes(8 * k * (p + l)),
		Description: fmt.Sprintf("low-rank regression on %d labels, rank %d", s.Outputs, c.Rank),
	}
	const pack = 8 // products pack their operands into slivers of about this width
	plan.PeakBytes = plan.ModelBytes + check.Bytes(8*(7*p*k+3*n*k+3*n*max(k, pack))+12*labels)
	if s.NNZ > 0 {
		plan.PeakBytes += 12 * s.NNZ
	}
	return plan, nil
}

// Fit trains on rows x with the label sets y, n×L, whose values are not looked
// at. It neither keeps nor changes x and y. If ctx ends the fit after the first
// round the model so far is returned with ctx.Err(). That Rounds are not enough for Tol is
// no error: Stats tells.
//
// The eigenvalues of HᵀH, 9·Rank³ flops in each round, cannot be interrupted: a second for
// a rank of 1000.
func (c Config) Fit(ctx context.Context, x mat.Matrix, y *sparse.CSR) (*Model, error) {
	f, err := c.begin(x, y)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	m := &Model{cfg: f.c}
	m.cfg.Given = Given{}
	err = f.run(ctx, &m.stats)
	if f.rounds == 0 {
		return nil, err
	}
	c = f.c
	m.stats.Seconds = time.Since(begin).Seconds()
	d := f.g.d
	m.w, m.h, m.bias = mat.DenseCopyOf(f.w.Slice(0, d, 0, c.Rank)), f.h, make([]float64, c.Rank)
	if !c.NoConstant {
		copy(m.bias, f.w.RawRowView(d))
	}
	return m, err
}

// begin checks the settings and the data before the work of the fit, and reports the first mistake.
func (c Config) begin(x mat.Matrix, y *sparse.CSR) (*factors, error) {
	n, d := check.Dims(x)
	if err := check.Rows(n); err != nil {
		return nil, err
	}
	if err := check.Tags(y, n); err != nil {
		return nil, err
	}
	c, err := settings.Resolved(c, gram.Shape{D: d, Outputs: y.D})
	if err != nil {
		return nil, err
	}
	s, err := c.Run.Samples(c, x, y.D)
	if err != nil {
		return nil, err
	}
	if w := c.Given.W; w != nil {
		if err := gram.Of(w).Finite(); err != nil {
			return nil, fmt.Errorf("the given W: %w", err)
		}
	}
	return &factors{c: c, g: newDesign(s, !c.NoConstant, c.Workers), y: &sparse.CSR{N: y.N, D: y.D, Ptr: y.Ptr, Col: y.Col}}, nil
}

// factors is the state of a fit, which alternates between W for given H and H for given W.
type factors struct {
	c      Config
	g      *design
	y, yt  *sparse.CSR
	w      *mat.Dense // p×k
	h      *mat.Dense // L×k
	z      *mat.Dense // n×k: XW
	rounds int        // finished: w and h belong together

	// For the products of conjugate gradients.
	ctx   context.Context
	scale []float64  // ‖h_j‖² of the columns of H, which are orthogonal then
	xp    *mat.Dense // n×k
	err   error
}

func (f *factors) run(ctx context.Context, st *Stats) error {
	k, labels := f.c.Rank, f.y.D
	f.start(ctx)
	f.w, f.h = mat.NewDense(f.g.p, k, nil), mat.NewDense(labels, k, nil)
	f.z, f.xp = mat.NewDense(f.g.n, k, nil), mat.NewDense(f.g.n, k, nil)
	if given := f.c.Given.W; given != nil {
		f.w.Copy(given)
	} else {
		r := rng.New(f.c.Seed, 0)
		for i := range f.g.p {
			row := f.w.RawRowView(i)
			for j := range row {
				row[j] = r.NormFloat64() / math.Sqrt(float64(f.g.p))
			}
		}
	}
	if err := f.g.mul(ctx, f.z, f.w); err != nil {
		return err
	}
	meter := f.c.Meter()
	next := mat.NewDense(labels, k, nil)
	before := math.Inf(1)
	for round := range f.c.Rounds {
		if round > 0 {
			if err := f.solveW(st); err != nil {
				return err
			}
		}
		objective, err := f.solveH(next)
		if err != nil {
			return err
		}
		f.h, next = next, f.h
		f.rounds = round + 1
		st.Objective = append(st.Objective, objective)
		st.Converged = before-objective <= f.c.Tol.Value()*objective
		done := st.Converged || round+1 == f.c.Rounds
		e := gram.Event{Phase: "LEML", Done: int64(round + 1), Total: int64(f.c.Rounds), Objective: objective}
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

// start sets the context of the products and transposes Y for those with Yᵀ.
func (f *factors) start(ctx context.Context) { f.ctx, f.yt = ctx, f.y.Transpose() }

// solveH sets h = YᵀZ(ZᵀZ+λI)⁻¹, for λ = 0 with the pseudo-inverse, and returns the objective at (w, h).
func (f *factors) solveH(h *mat.Dense) (float64, error) {
	k := f.c.Rank
	if err := f.yt.Mul(f.ctx, f.c.Workers, h, f.z); err != nil {
		return 0, err
	}
	zz := squares(f.z)
	if f.c.Lambda.Value() == 0 { // the solution of least norm: Z may have dependent columns
		root, _, err := solve.InvSqrt(f.ctx, zz, 0, 0)
		if err != nil {
			return 0, err
		}
		var part mat.Dense
		part.Mul(h, root)
		h.Mul(&part, root.T())
		return float64(f.y.NNZ()) - rows.Squares(&part), nil
	}
	for i := range k {
		zz.SetSym(i, i, zz.At(i, i)+f.c.Lambda.Value())
	}
	// With R the Cholesky factor, ZᵀZ+λI = RᵀR, the objective at the minimum is
	// ‖Y‖² − ‖YᵀZR⁻¹‖² + λ‖W‖².
	factor, ok := lapack64.Potrf(zz.RawSymmetric())
	if !ok {
		return 0, &gram.NotPDError{}
	}
	raw := h.RawMatrix()
	blas64.Trsm(blas.Right, blas.NoTrans, 1, factor, raw)
	taken := rows.Squares(h)
	blas64.Trsm(blas.Right, blas.Trans, 1, factor, raw)
	return float64(f.y.NNZ()) - taken + f.c.Lambda.Value()*rows.Squares(f.w), nil
}

// squares returns aᵀa.
func squares(a *mat.Dense) *mat.SymDense {
	_, k := a.Dims()
	s := mat.NewSymDense(k, nil)
	blas64.Syrk(blas.Trans, 1, a.RawMatrix(), 0, s.RawSymmetric())
	return s
}

// residualTol is the part of its first residual that a column of W may keep in a round.
const residualTol = 0.1

// solveW improves w for the h at hand by conjugate gradients and sets z = Xw. The
// objective falls with every product.
//
// H and W are first turned to the eigenvectors of HᵀH, which leaves WHᵀ and the norms as
// they are. The columns of H are then orthogonal, and those of W problems of their own,
//
//	(‖h_j‖²·XᵀX + λI)·w_j = XᵀYh_j,
//
// which share the products with X. Conjugate gradients solve for the change of w_j: their
// tolerance is relative to the residual that the round begins with, so that every round
// makes progress, however close the optimum is.
func (f *factors) solveW(st *Stats) error {
	values, turn, err := eig.SymAll(f.ctx, squares(f.h))
	if err != nil {
		return err
	}
	f.scale = values
	for j, v := range values {
		f.scale[j] = max(0, v)
	}
	for _, a := range []*mat.Dense{f.h, f.w, f.z} {
		a.Mul(mat.DenseCopyOf(a), turn)
	}
	b, err := f.slopeW()
	if err != nil {
		return err
	}
	if f.c.Lambda.Value() == 0 { // columns of H that are round-off leave those of W as they are
		for j, v := range f.scale {
			if v <= float64(f.c.Rank)*0x1p-52*f.scale[len(f.scale)-1] {
				for i := range f.g.p {
					b.Set(i, j, 0)
				}
			}
		}
	}
	change := mat.NewDense(f.g.p, f.c.Rank, nil)
	s, err := solve.CG(f.ctx, change, f, f.c.Lambda.Value(), b, solve.Options{Tol: residualTol, MaxIter: f.c.Products})
	st.Products += s.Iter
	var ce *gram.ConvergenceError
	switch {
	case f.err != nil:
		return f.err
	case err != nil && !errors.As(err, &ce):
		return err
	}
	change.Add(f.w, change)
	if err := f.g.mul(f.ctx, f.xp, change); err != nil {
		return err
	}
	f.w, f.z, f.xp = change, f.xp, f.z
	return nil
}

// slopeW returns −½∂/∂W of the objective, Xᵀ(YH − ZHᵀH) − λW, for orthogonal columns of H,
// whose squared norms are f.scale.
func (f *factors) slopeW() (*mat.Dense, error) {
	if err := f.y.Mul(f.ctx, f.c.Workers, f.xp, f.h); err != nil {
		return nil, err
	}
	for i := range f.g.n {
		row := f.xp.RawRowView(i)
		for j, v := range f.z.RawRowView(i) {
			row[j] -= float64(f.scale[j] * v)
		}
	}
	b := mat.NewDense(f.g.p, f.c.Rank, nil)
	if err := f.g.mulTrans(f.ctx, b, f.xp); err != nil {
		return nil, err
	}
	blas64.Axpy(-f.c.Lambda.Value(), linalg.Elements(f.w), linalg.Elements(b))
	return b, nil
}

// Dim is the order of the operator of the W-step.
func (f *factors) Dim() int { return f.g.p }

// Apply sets column j of dst to ‖h_j‖²·XᵀX times that of x.
func (f *factors) Apply(dst, x *mat.Dense) {
	err := f.g.mul(f.ctx, f.xp, x)
	if err == nil {
		err = f.g.mulTrans(f.ctx, dst, f.xp)
	}
	if err != nil {
		if f.err == nil {
			f.err = err
		}
		return
	}
	for i := range f.g.p {
		row := dst.RawRowView(i)
		for j, s := range f.scale {
			row[j] *= s
		}
	}
}

// Config returns the settings, with defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model read from a file has none.
func (m *Model) Stats() Stats { return m.stats }

// Dim is the number of columns of the rows.
func (m *Model) Dim() int { d, _ := m.w.Dims(); return d }

// NumLabels returns the number L of labels that the model ranks.
func (m *Model) NumLabels() int { l, _ := m.h.Dims(); return l }

// Dims returns the number of columns of rows and of features, k.
func (m *Model) Dims() (d, k int) { return m.w.Dims() }

// Map returns the features x·W + b, n×k, where b is the row of W for the constant.
func (m *Model) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	d, k := m.w.Dims()
	dst = rows.Destination("leml", dst, x, d, k)
	if n, _ := x.Dims(); n == 0 {
		return dst
	}
	if s := gram.Of(x); s.IsSparse() {
		_ = s.CSR().Mul(context.Background(), m.cfg.Workers, dst, m.w)
	} else {
		rows.Mul(dst, s, m.w)
	}
	rows.AddToAll(dst, m.bias)
	return dst
}

// Top returns the k labels of largest x·W·Hᵀ for each row, best first; none for
// a row with NaN. 2·(nnz + L·rank) flops a row, never n×L numbers.
func (m *Model) Top(dst [][]gram.Scored, x mat.Matrix, k int) [][]gram.Scored {
	return m.ranking().Top(dst, x, k)
}

func (m *Model) ranking() program.Scorer {
	d, rank := m.w.Dims()
	return program.Scorer{Name: "leml", D: d, Labels: m.h, Workers: m.cfg.Workers, Features: func(part gram.Samples[float64]) *mat.Dense {
		z := rows.Borrow(part.N(), rank)
		rows.Mul(z, part, m.w)
		rows.AddToAll(z, m.bias)
		return z
	}}
}

// Scores returns the scores x·W·Hᵀ of all labels, n×L; those of a row with NaN are NaN.
func (m *Model) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense { return m.ranking().Scores(dst, x) }

// Factors returns W, d×k, the row of W for the constant, and H, L×k. They are the model's
// own and must not be changed.
func (m *Model) Factors() (w *mat.Dense, bias []float64, h *mat.Dense) { return m.w, m.bias, m.h }
