package krr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/internal/selection"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Solver is the method that solves the linear system.
type Solver uint8

const (
	// Auto takes Eigen if λ is 0, Cholesky for at most 16 384 rows (G then takes
	// 2 GiB), and CG for more. If Cholesky's method finds the matrix not to be positive
	// definite, Auto repeats the fit with Eigen, memory permitting.
	Auto Solver = iota
	// Cholesky factors G+λI. It takes n² numbers and n³/3 flops.
	Cholesky
	// Eigen decomposes G. It takes 5n² numbers and 9n³ flops in one piece. It leaves out
	// directions whose eigenvalues are round-off, so that λ = 0 is possible.
	Eigen
	// CG uses conjugate gradients. It computes products with G without storing G.
	CG
	// ASkotch uses accelerated sketch-and-project ([RFG24]). It solves for a random block
	// of coefficients at a time, by products with these columns of G, and needs no
	// preconditioner. Auto does not choose it.
	ASkotch
)

// String returns "auto", "cholesky", "eigen", "cg" or "askotch".
func (s Solver) String() string {
	return enum.Name(s, "auto", "cholesky", "eigen", "cg", "askotch")
}

// leastBlock is the least default of Block for that many rows and more.
const leastBlock = 256

// maxStored is the number of rows up to which Auto stores the kernel matrix.
const maxStored = 16_384

// Config holds the settings of kernel ridge regression on all rows.
//
// A fit takes settings that are not given at their defaults; crossval.Tune chooses Lambda by the data.
type Config struct {
	Kernel  kernel.Kernel     `json:"-"` // stored as its Spec; no default
	Lambda  gram.Opt[float64] // default 1/n for n rows ([S16]); 0: the least-squares solution of least norm, by Eigen only
	Penalty solve.Penalty     // default solve.Total: (G+λI)α = y; solve.PerRow: (G+nλI)α = y
	NoBias  modelfile.Not     `json:"Bias"` // f has no constant; by default it has one, which is not penalized
	Solver  Solver

	// Settings of CG and ASkotch.
	Tol     float64 // relative residual; default 1e-6
	MaxIter int     // largest number of products with G; 0: as for solve.CG

	// Settings of CG.
	Landmarks        landmark.Selector `json:"-"` // selects landmarks of the preconditioner; default landmark.Uniform{}; not stored
	M                int               // number of landmarks; default 8√n, or n/2 if that is less
	NoPreconditioner bool

	// Settings of ASkotch.
	Block int `json:"-"` // number of coefficients of a step; default n/100, or 256 (at most n) if that is more; not stored
	Rank  int `json:"-"` // rank of the Nyström approximation that takes the place of the kernel matrix of a block; default 0: none; not stored

	gram.Run `json:"-"`
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Rows          int
	Solver        Solver  // the solver that was used
	Shift         float64 // the number that was added to the diagonal of G
	Iterations    int     // CG, ASkotch: number of products with G
	Residual      float64 // CG, ASkotch: largest relative residual of an output; by its recurrence if ctx ended the fit
	Bound         float64 // CG, ASkotch: |f(x) − f*(x)| ≤ Bound·max(1, √K(x,x)) for all x and outputs, where f* is the exact solution; 0 if ctx ended the fit
	Scores        *Scores // Eigen: figures of merit of λ
	KernelSeconds float64 // time to fill G; CG: time to make the preconditioner
	SolveSeconds  float64
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	n := s.Shape.N
	kernel.SettingOrMatrix(s, &c.Kernel)
	s.Check(check.Rows(n))
	s.OptFloat(&c.Lambda, "lambda", "weight of the squared norm; 0: none").DefaultRule(1/float64(n), "1 over the number of rows").AtLeast(0).LeaveOneOut(settings.AnyTargets)
	solve.Setting(s, &c.Penalty)
	settings.Switch(s, &c.NoBias, "no-bias", "no constant", true)
	settings.Choice(s, &c.Solver, "solver", "solver of a linear system; auto: cholesky up to 16384 rows, then cg, which does not store the kernel matrix; eigen without a penalty",
		Auto, Cholesky, Eigen, CG, ASkotch)
	if none := c.Lambda.Given() && c.Lambda.Value() == 0; none && c.Solver == Auto && s.Resolving() {
		c.Solver = Eigen
	} else {
		s.Require(!none || c.Solver == Eigen, &c.Solver, "auto or eigen without a penalty")
	}
	s.Float(&c.Tol, "tol", "cg, askotch: relative residual").Default(1e-6).Above(0)
	s.Int(&c.MaxIter, "max-iter", "cg, askotch: products with the kernel matrix at most; 0: 2 times the number of rows, from 1000 to 10000").AtLeast(0)
	landmarks, most := max(1, min(int(8*math.Sqrt(float64(n))), n/2)), n
	if fixed := selection.NumFixed(c.Landmarks); fixed > 0 {
		landmarks, most = fixed, fixed
	}
	s.Int(&c.M, "landmarks", "cg: landmarks of the preconditioner").
		DefaultRule(landmarks, "8 times the root of the number of rows, or half of them if that is less").AtLeast(1)
	s.Require(c.method(n) != CG || c.M <= most, &c.M, "at most %d: the number of rows, or of landmarks that are fixed", most)
	selection.Setting(s, &c.Landmarks, "selection", "cg: choice of these landmarks", "uniform", "kmeans", "leverage", "column-norm", "farthest", "rpcholesky")
	s.Bool(&c.NoPreconditioner, "no-preconditioner", "cg: no preconditioner")
	s.Int(&c.Block, "block", "askotch: coefficients of a step").
		DefaultRule(max(1, n/100, min(n, leastBlock)), "a hundredth of the rows, at least 256 or all of them").AtLeast(1)
	s.Require(c.method(n) != ASkotch || c.Block <= n, &c.Block, "at most %d, the number of rows", n)
	s.Int(&c.Rank, "rank", "askotch: rank of the approximation of the kernel matrix of a block; 0: none").AtLeast(0)
	s.Require(c.method(n) != ASkotch || c.Rank <= c.Block, &c.Rank, "at most %d, the number of coefficients of a step", c.Block)
}

// method returns the solver that is given, or the one that Auto takes for n rows.
func (c Config) method(n int) Solver {
	if c.Solver != Auto {
		return c.Solver
	}
	if n <= maxStored {
		return Cholesky
	}
	return CG
}

// Plan returns the expected cost of Fit for data of shape s. It assumes that CG takes
// 20 products with G with the preconditioner and 50 without.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	return c.plan(s)
}

func (c Config) plan(s gram.Shape) (gram.Plan, error) {
	n, d, t := float64(s.N), float64(s.D), float64(max(1, s.Outputs))
	columns := t
	if !c.NoBias {
		columns++
	}
	model := 8 * (2*n*d + n*t) // rows, packed rows and coefficients
	p := gram.Plan{ModelBytes: check.Bytes(8 * n * (d + t))}
	bytes := model + 8*n*(columns+2)
	switch c.method(s.N) {
	case Cholesky:
		p.FullKernel = true
		p.Flops = 2*n*n*d + n*n*n/3 + 2*n*n*columns
		bytes += 8 * n * n
		p.Description = "kernel ridge regression by Cholesky's method"
	case Eigen:
		p.FullKernel = true
		p.Flops = 2*n*n*d + 9*n*n*n + 4*n*n*columns
		bytes += 8 * (5*n*n + 2*n*columns)
		p.Description = "kernel ridge regression by eigendecomposition"
	case CG:
		p.Flops = 50 * n * n * (d + 2*columns)
		bytes += 8*(6*n*columns+3*n*columns) + 4*n*(d+columns)
		p.Description = "kernel ridge regression by conjugate gradients"
		if !c.NoPreconditioner {
			m := float64(c.M)
			var choice gram.Plan
			if pl, ok := c.Landmarks.(landmark.Planner); ok {
				var err error
				if choice, err = pl.Plan(s, c.M, c.Run); err != nil {
					return gram.Plan{}, err
				}
			}
			p.Flops = 20*(n*n*(d+2*columns)+4*n*m*(d+columns)) + choice.Flops + 2*n*m*d + n*m*m + m*m*m/3
			bytes = max(bytes+float64(choice.PeakBytes), bytes+8*(min(n, pieceRows)*m+3*m*m+2*m*(d+columns)))
			p.Description += fmt.Sprintf(" with %d landmarks", c.M)
		}
	case ASkotch:
		b := float64(c.Block)
		p.Flops = 50 * (n*n*(2*d+4*columns) + n/b*(b*b*(2*d+columns)+b*b*b/3))
		bytes += 8*18*n*columns + 4*n*(d+2*columns) + 8*2*b*(b+d)
		p.Description = fmt.Sprintf("kernel ridge regression by sketch-and-project with blocks of %d rows", c.Block)
	}
	p.PeakBytes = int64(bytes)
	return p, nil
}

// Fit trains on the rows of x with targets y and weights w; nil means ones. It neither
// keeps nor changes x; the model holds a copy of its rows.
//
// Besides errors of settings and data, Fit returns ctx.Err() and, from CG and ASkotch, a
// *gram.ConvergenceError, in both cases with the model so far if CG has one. It returns
// a *gram.NotPDError if the Solver is Cholesky and round-off exceeds λ.
func (c Config) Fit(ctx context.Context, x mat.Matrix, y, w []float64) (*Model, error) {
	return c.FitAll(ctx, x, rows.Column(y), w)
}

// FitAll is Fit for several targets at once, the columns of the n×t matrix y.
func (c Config) FitAll(ctx context.Context, x mat.Matrix, y *mat.Dense, w []float64) (*Model, error) {
	if _, is := c.Kernel.(kernel.Matrix); is {
		c, numbers, err := c.onMatrix(x)
		if err != nil {
			return nil, err
		}
		m, err := c.FitAll(ctx, numbers, y, w)
		if m != nil {
			n, _ := numbers.Dims()
			m = m.ofValues(n)
		}
		return m, err
	}
	x, y, w, _, err := rows.Weighted(c, c.Run, x, y, w)
	if err != nil {
		return nil, err
	}
	c, points, err := c.begin(x, y, w)
	if err != nil {
		return nil, err
	}
	return c.fit(ctx, points, y, w, c.Meter())
}

// onMatrix returns the settings and the rows of a fit to the kernel matrix x: a kernel whose values are the entries of x, and the
// numbers of its rows.
func (c Config) onMatrix(x mat.Matrix) (Config, *mat.Dense, error) {
	k, err := kernel.FromMatrix(x)
	if err != nil {
		return c, nil, err
	}
	c.Kernel = k
	n, _ := x.Dims()
	return c, kernel.Indices(n), nil
}

// ofValues turns a model of a fit to such numbers into one of rows with the kernel values of all n training rows: the inner product with
// the coefficients.
func (m *Model) ofValues(n int) *Model {
	t := len(m.bias)
	points, each := mat.NewDense(t, n, nil), mat.NewDense(t, t, nil)
	for j := range t {
		each.Set(j, j, 1)
		for i, a := range mat.Col(nil, j, m.alpha) {
			points.Set(j, int(m.x.At(i, 0)), a)
		}
	}
	cfg := m.cfg
	cfg.Kernel = kernel.Linear{}
	return NewModel(cfg, points, each, m.bias, m.stats)
}

// begin does the steps that every fit begins with. It returns the resolved settings
// and a copy of the rows of x.
func (c Config) begin(x mat.Matrix, y *mat.Dense, w []float64) (Config, *mat.Dense, error) {
	n, _ := check.Dims(x)
	c, err := settings.Resolved(c, gram.Shape{N: n})
	if err != nil {
		return c, nil, err
	}
	_, outputs := check.Dims(y)
	s, err := c.Run.Samples(c, x, outputs)
	if err != nil {
		return c, nil, err
	}
	if err := check.Targets(y, n); err != nil {
		return c, nil, err
	}
	if err := check.Weights(w, n); err != nil {
		return c, nil, err
	}
	return c, rows.Dense(s, nil), nil
}

// all returns 0, …, n−1.
func all(n int) []int {
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	return index
}

// problem is the linear system of a fit, (S·G·S + shift·I)·β = rhs.
type problem struct {
	c     Config
	x     *mat.Dense
	block *kernel.Block[float64]
	root  []float64  // √w; nil: ones
	rhs   *mat.Dense // n×t, S·(y−mean); with a bias one more column S·1
	mean  []float64  // means of the targets if there is a bias, else zeros
	total float64    // sum of the weights
	shift float64
	meter *gram.Meter

	// CG: shared by the fits for several λ.
	single    *kernel.Block[float32]
	landmarks *landmarks
}

// fit is FitAll for settings and data that have been checked. The model keeps x.
func (c Config) fit(ctx context.Context, x, y *mat.Dense, w []float64, meter *gram.Meter) (*Model, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.problem(x, y, w, meter).fit(ctx)
}

// fit solves the system with the solver for its number of rows, and makes the model.
func (p *problem) fit(ctx context.Context) (*Model, error) {
	n, _ := p.x.Dims()
	st := Stats{Rows: n, Solver: p.c.method(n), Shift: p.shift}
	var beta *mat.Dense
	var err error
	switch st.Solver {
	case Cholesky:
		beta, err = p.cholesky(ctx, &st)
		var pd *gram.NotPDError
		if errors.As(err, &pd) && p.c.Solver == Auto && p.c.eigenFits(p.x, len(p.mean)) {
			st.Solver = Eigen
			beta, err = p.eigen(ctx, &st)
		}
	case Eigen:
		beta, err = p.eigen(ctx, &st)
	case CG:
		beta, err = p.cg(ctx, &st)
	case ASkotch:
		beta, err = p.askotch(ctx, &st)
	}
	if beta == nil {
		return nil, err
	}
	return p.model(beta, st), err
}

// eigenFits reports whether Eigen keeps within the memory limit.
func (c Config) eigenFits(x *mat.Dense, outputs int) bool {
	c.Solver = Eigen
	n, d := x.Dims()
	p, err := c.plan(gram.Shape{N: n, D: d, Outputs: outputs})
	return err == nil && c.Check(p) == nil
}

func (c Config) problem(x, y *mat.Dense, w []float64, meter *gram.Meter) *problem {
	n, t := y.Dims()
	p := &problem{c: c, x: x, block: kernel.Against[float64](c.Kernel, x).Limit(c.Workers), mean: make([]float64, t), total: float64(n), meter: meter}
	if w != nil {
		p.root = make([]float64, n)
		p.total = 0
		for i, v := range w {
			p.root[i] = math.Sqrt(v)
			p.total += v
		}
	}
	p.shift = c.Penalty.Scale(c.Lambda.Value(), p.total)
	columns := t
	if !c.NoBias {
		columns++
		// Subtracting the means of the targets does not change the problem, and
		// large means then cost no digits.
		for i := range n {
			f := 1.0
			if w != nil {
				f = w[i]
			}
			for j, v := range y.RawRowView(i) {
				p.mean[j] += f / p.total * v
			}
		}
	}
	p.rhs = mat.NewDense(n, columns, nil)
	for i := range n {
		s := 1.0
		if p.root != nil {
			s = p.root[i]
		}
		row := p.rhs.RawRowView(i)
		for j, v := range y.RawRowView(i) {
			row[j] = s * (v - p.mean[j])
		}
		if !c.NoBias {
			row[t] = s
		}
	}
	return p
}

// model turns the solution of the system into coefficients and constants.
func (p *problem) model(beta *mat.Dense, st Stats) *Model {
	alpha, bias := p.coefficients(beta)
	return &Model{cfg: p.c, x: p.x, alpha: alpha, bias: bias, block: p.block, stats: st}
}

// coefficients returns α = S·(β_y − b·β_1) and the constants b for which the columns
// of α sum to 0. It overwrites beta.
func (p *problem) coefficients(beta *mat.Dense) (*mat.Dense, []float64) {
	n, columns := beta.Dims()
	t := len(p.mean)
	for i, s := range p.root {
		blas64.Scal(s, blas64.Vector{N: columns, Data: beta.RawRowView(i), Inc: 1})
	}
	bias := make([]float64, t)
	if columns == t {
		return beta, bias
	}
	sum := make([]float64, columns)
	for i := range n {
		for j, v := range beta.RawRowView(i) {
			sum[j] += v
		}
	}
	alpha := mat.NewDense(n, t, nil)
	for j := range t {
		if sum[t] > 0 {
			bias[j] = sum[j] / sum[t]
		}
	}
	for i := range n {
		row, to := beta.RawRowView(i), alpha.RawRowView(i)
		for j := range to {
			to[j] = row[j] - bias[j]*row[t]
		}
	}
	for j, m := range p.mean {
		bias[j] += m
	}
	return alpha, bias
}

// fill sets all elements of g = S·G·S and looks at ctx between pieces of the work.
func (p *problem) fill(ctx context.Context, g *mat.Dense) error {
	n, d := p.x.Dims()
	piece := pieceOf(n, d)
	for lo := 0; lo < n; lo += piece {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+piece, n)
		p.block.Fill(gram.View(g.Slice(lo, hi, 0, n).(*mat.Dense)), gram.Of(p.x).Slice(lo, hi))
		if p.root != nil {
			for i := lo; i < hi; i++ {
				row, s := g.RawRowView(i), p.root[i]
				for j, r := range p.root {
					row[j] *= s * r
				}
			}
		}
		p.meter.Report(gram.Event{Phase: "kernel matrix", Done: int64(hi), Total: int64(n)})
	}
	return nil
}

const pieceRows = 1024 // rows of the landmarks' columns that are computed in one piece

// pieceOf returns how many rows of the kernel matrix of n rows with d numbers are
// computed between two looks at ctx: some 10 ms of work.
func pieceOf(n, d int) int {
	return max(1, min(n, int(1e8/(float64(n)*float64(d+16)))))
}

// cholesky solves the system by the Cholesky factor of the n×n matrix, which it computes and stores: n³/3 flops.
func (p *problem) cholesky(ctx context.Context, st *Stats) (*mat.Dense, error) {
	begin := time.Now()
	n, _ := p.x.Dims()
	g := mat.NewDense(n, n, nil)
	if err := p.fill(ctx, g); err != nil {
		return nil, err
	}
	for i := range n {
		g.Set(i, i, g.At(i, i)+p.shift)
	}
	st.KernelSeconds = time.Since(begin).Seconds()
	begin = time.Now()
	if err := solve.Cholesky(ctx, g, p.meter); err != nil {
		return nil, err
	}
	beta := mat.DenseCopyOf(p.rhs)
	if err := solve.CholeskySolve(ctx, g, beta); err != nil {
		return nil, err
	}
	st.SolveSeconds = time.Since(begin).Seconds()
	return beta, nil
}

// eigen solves the system by the path of all λ.
func (p *problem) eigen(ctx context.Context, st *Stats) (*mat.Dense, error) {
	path, err := p.path(ctx)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	scores := path.scores([]float64{p.shift})[0]
	beta := path.beta(p.shift)
	st.Scores = &scores
	st.KernelSeconds = path.kernelSeconds
	st.SolveSeconds = path.eigenSeconds + time.Since(begin).Seconds()
	return beta, nil
}
