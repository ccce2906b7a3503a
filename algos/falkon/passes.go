package falkon

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// BlockRows is the number of rows that a fit adds up before it adds them to others. A program that
// adds blocks of so many rows to Sums, in their order, gets the bits of Config.FitAll, if its sample
// is all rows.
const BlockRows = grainRows

// SampleRows is the number of rows for each landmark that make the preconditioner.
const SampleRows = rowsPerLandmark

// Passes is a fit to n rows that are not in memory together. The landmarks and the preconditioner
// follow from a sample of the rows, and each product of conjugate gradients is a pass over all rows,
// whose state is one number for each landmark and each right side:
//
//	passes, factors, err := config.Passes(ctx, sample, targets, n)
//	model, err := passes.Solve(ctx, factors, run, func(number int, v *falkon.Coefficients) (*falkon.Sums, error) {
//		s := passes.Sums(v)
//		// s.Add for all rows, or s.Merge for sums over some of them
//		return s, nil
//	})
//
// Solve finds the function that Config.FitAll finds for the same landmarks, up to Tol. Rows have no weights.
// Passes is safe for concurrent use. Its file has 8·m·d bytes and is all that a process needs to add rows
// to Sums.
type Passes struct {
	c       Config // resolved for all rows
	rows    int
	sampled int // rows of the sample
	jitter  float64
	u       *mat.Dense
	mean    []float64 // what is subtracted from the targets: their means in the sample if there is a bias, else zeros
	block   *kernel.Block[float64]
	block32 func() *kernel.Block[float32]
}

// Coefficients are what the kernel matrix C of the rows and the landmarks is multiplied by in a pass.
type Coefficients struct {
	V      *mat.Dense // a row for each landmark and a column for each right side
	Single bool       // the pass computes kernel values in float32
}

// Exchange lists what a file holds of the coefficients. Writing and reading a file go through these same statements.
func (c *Coefficients) Exchange(x *modelfile.Exchange) {
	x.Dense("v", &c.V, -1, -1)
	c.Single = x.Optional("single", c.Single)
	if c.Single {
		one := 1
		x.Int("single", &one, 1, 1)
	}
}

// Factors are the factors of W and of the preconditioner, 8·m·(m+1) bytes, which only Passes.Solve needs.
type Factors struct{ both *mat.Dense } // m×(m+1)

// triangles returns the upper factor of W and the lower one of the preconditioner. They are views of the last and of the first m
// columns of one matrix, and neither may be used beyond its diagonal.
func (f *Factors) triangles() (t, r *mat.Dense) {
	m, columns := f.both.Dims()
	return f.both.Slice(0, m, 1, columns).(*mat.Dense), f.both.Slice(0, m, 0, columns-1).(*mat.Dense)
}

// planner is a Planner that returns the plan of passes for a number of rows, of which it is asked for a sample.
type planner struct {
	c Config
	n int
}

// Plan returns the plan for a sample of shape s.
func (p planner) Plan(s gram.Shape) (gram.Plan, error) {
	sample := s.N
	s.N = p.n
	return p.c.PlanPasses(s, sample)
}

// PlanPasses returns the expected cost of a fit by Passes for data of shape s, in one process that adds
// rows on Workers goroutines: of the choice of landmarks from so many rows of a sample, which are part of
// the data, of the factors, and of 20 passes beside that for the targets. Memory does not grow with s.N.
func (c Config) PlanPasses(s gram.Shape, sample int) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	of := s
	of.N = min(s.N, sample)
	var choice gram.Plan
	if pl, ok := c.Landmarks.(landmark.Planner); ok {
		if choice, err = pl.Plan(of, c.M, c.Run); err != nil {
			return gram.Plan{}, err
		}
	}
	n, d, m, t := float64(s.N), float64(s.D), float64(c.M), float64(max(1, s.Outputs))
	if !c.NoBias {
		t++
	}
	q := min(float64(of.N), rowsPerLandmark*m)
	points := 8 * 2 * m * d
	factors := 8 * (m*(m+1) + q*d + float64(sampledRows(c.M))*m)
	solution := 8*(m*(m+1)+8*m*t) + float64(c.NumWorkers())*pieceBytes(d, m, t)
	if c.Single {
		solution += singleBytes(d, m, t, c.NumWorkers())
	}
	return gram.Plan{
		Flops:       choice.Flops + 21*n*m*(2*d+25) + 20*4*n*m*t + 2*n*m*t + q*m*(2*d+25) + 2*q*m*m + 2*m*m*m,
		PeakBytes:   check.Bytes(max(float64(choice.PeakBytes), points+max(factors, solution))),
		ModelBytes:  check.Bytes(8 * m * (d + t)),
		Description: fmt.Sprintf("kernel ridge regression on %d landmarks by conjugate gradients, each product a pass over the rows", c.M),
	}, nil
}

// Passes chooses the landmarks and computes the factors of a fit to n rows, of which sample holds some
// with the targets y. The preconditioner takes 4·M of the sample's rows, or all if there are fewer, which
// may cost passes. Neither matrix is kept or changed.
func (c Config) Passes(ctx context.Context, sample mat.Matrix, y *mat.Dense, n int) (*Passes, *Factors, error) {
	q, d := check.Dims(sample)
	if err := check.Rows(q); err != nil {
		return nil, nil, err
	}
	if n < q {
		return nil, nil, settings.Refuse("rows", n, "at least the %d of the sample", q)
	}
	c, err := settings.Resolved(c, gram.Shape{N: n, D: d})
	if err != nil {
		return nil, nil, err
	}
	if err := check.Targets(y, q); err != nil {
		return nil, nil, err
	}
	_, outputs := y.Dims()
	x, err := c.Run.Samples(planner{c, n}, sample, outputs)
	if err != nil {
		return nil, nil, err
	}
	if c.M > q {
		if _, fixed := c.Landmarks.(landmark.Fixed); !fixed {
			return nil, nil, settings.Refuse("M", c.M, "at most %d, the rows of the sample that landmarks are chosen from", q)
		}
	}
	p := &problem{c: c, x: x, y: y, total: float64(n), meter: c.Meter()}
	run := c.Run
	run.Seed = rng.Derive(run.Seed, "landmarks")
	points, err := c.Landmarks.Select(ctx, c.Kernel, x, nil, c.M, run)
	if err != nil {
		return nil, nil, err
	}
	p.u = points.U
	p.pack()
	if err := p.factor(ctx); err != nil {
		return nil, nil, err
	}
	if err := p.sample(ctx); err != nil {
		return nil, nil, err
	}
	p.once = true
	if _, err := p.preconditioner(ctx, c.Penalty.Scale(c.Lambda.Value(), p.total)); err != nil {
		return nil, nil, err
	}
	s := &Passes{c: c, rows: n, sampled: q, jitter: p.stats.Jitter, u: p.u, mean: make([]float64, outputs), block: p.block, block32: p.block32}
	if !c.NoBias {
		for i := range q {
			for j, v := range y.RawRowView(i) {
				s.mean[j] += p.weight(i) / float64(q) * v
			}
		}
	}
	return s, p.factors, nil
}

// Dims returns the number of columns of the rows and that of the targets.
func (p *Passes) Dims() (d, outputs int) {
	_, d = p.u.Dims()
	return d, len(p.mean)
}

// Landmarks returns the number m of landmarks.
func (p *Passes) Landmarks() int { return p.c.M }

// PieceBytes returns about how much memory a goroutine needs to read rows and to add them to Sums.
func (p *Passes) PieceBytes() int64 {
	d, _ := p.Dims()
	return int64(pieceBytes(float64(d), float64(p.c.M), float64(p.Columns())))
}

// pieceBytes is PieceBytes for rows of d columns, m landmarks and t right sides.
func pieceBytes(d, m, t float64) float64 {
	return 8 * (partRows(int(m), int(t))*(m+t) + 4*m*t + 3*BlockRows*d)
}

// Bytes returns the memory of the factors, 8·m·(m+1) bytes for m landmarks.
func (f *Factors) Bytes() int64 {
	m, columns := f.both.Dims()
	return 8 * int64(m) * int64(columns)
}

// Columns returns the number of right sides: of the targets, and with a bias one more for the constant.
func (p *Passes) Columns() int {
	if p.c.NoBias {
		return len(p.mean)
	}
	return len(p.mean) + 1
}

// Sums is the state of a pass over some rows: Cᵀ·V, where C holds the kernel values of the rows and the
// landmarks, and V is C·v for coefficients v, or in the first pass holds the targets. It takes 8·m bytes
// for each right side. The same blocks and the same order of merges give the same bits at one level
// and backend. A Sums is not safe for concurrent use.
type Sums struct {
	p      *Passes
	at     *problem   // of a block; nil until rows are added
	vt     *mat.Dense // coefficients, a row for each right side; nil: the pass is for the targets
	single *scaled    // vt in float32, as the kernel values then are; nil: they are in float64
	part   *mat.Dense
	rows   int64
	rest   []float64 // sums of the targets after Passes.mean is subtracted, of the pass for the targets
	sum    *mat.Dense
}

// Sums returns the state of no rows for the coefficients v that Solve passes on, or for the targets if v is nil. v is not kept.
func (p *Passes) Sums(v *Coefficients) *Sums {
	s := &Sums{p: p, rest: make([]float64, len(p.mean)), sum: mat.NewDense(p.c.M, p.Columns(), nil)}
	if v != nil {
		if m, columns := v.V.Dims(); m != p.c.M || columns != p.Columns() {
			panic("falkon: the coefficients are not those of the passes")
		}
		s.vt = mat.DenseCopyOf(v.V.T())
		if v.Single {
			z := newScaled(s.vt)
			s.single = &z
		}
	}
	return s
}

// Rows returns the number of rows that were added, also by Merge.
func (s *Sums) Rows() int64 { return s.rows }

// Add adds the rows of x with the targets y, which are not looked at unless the pass is for the targets.
// It changes neither. It panics if the shapes do not fit. After an error, which is ctx.Err(), the sums are
// not those of whole blocks.
func (s *Sums) Add(ctx context.Context, x mat.Matrix, y *mat.Dense) error {
	n, d := check.Dims(x)
	if n == 0 {
		return nil
	}
	if want, outputs := s.p.Dims(); d != want {
		panic("falkon: the rows have another length than the landmarks")
	} else if s.vt == nil {
		if rows, t := y.Dims(); rows != n || t != outputs {
			panic("falkon: the targets have another shape than those of the sample")
		}
	}
	if s.at == nil {
		c := s.p.c
		c.Run = gram.Run{Workers: 1}
		s.at, s.part = &problem{c: c, block: s.p.block, block32: s.p.block32, meter: c.Meter()}, mat.NewDense(c.M, s.p.Columns(), nil)
	}
	s.at.x = gram.Of(x)
	err := s.pass(ctx, y)
	if err == nil {
		s.join(int64(n), s.part)
	}
	return err
}

// pass sets part to the sums over the rows in hand.
func (s *Sums) pass(ctx context.Context, y *mat.Dense) error {
	if s.single != nil {
		return s.at.singlePass(ctx, s.part, *s.single)
	}
	return s.at.pass(ctx, s.part, "rows", func(lo, hi int, c, v *mat.Dense) {
		if s.vt != nil {
			values(v, c, s.vt)
			return
		}
		for i := lo; i < hi; i++ {
			for j, target := range y.RawRowView(i) {
				target -= s.p.mean[j]
				v.Set(j, i-lo, target)
				s.rest[j] += target
			}
			if !s.p.c.NoBias {
				v.Set(len(s.rest), i-lo, 1)
			}
		}
	})
}

// join adds the sums of n more rows.
func (s *Sums) join(n int64, sum *mat.Dense) {
	if s.rows == 0 {
		s.sum.Copy(sum)
	} else {
		s.sum.Add(s.sum, sum)
	}
	s.rows += n
}

// Merge adds the rows of o, which stays as it is. The error says that o is for other landmarks or targets.
func (s *Sums) Merge(o *Sums) error {
	if m, columns := o.sum.Dims(); m != s.p.c.M || columns != s.p.Columns() || len(o.rest) != len(s.rest) {
		return fmt.Errorf("falkon: sums for %d landmarks and %d right sides do not go with sums for %d and %d", m, columns, s.p.c.M, s.p.Columns())
	}
	if o.rows == 0 {
		return nil
	}
	s.join(o.rows, o.sum)
	for j, v := range o.rest {
		s.rest[j] += v
	}
	return nil
}

// Exchange lists what a file holds of the sums. Writing and reading a file go through these same statements.
func (s *Sums) Exchange(x *modelfile.Exchange) {
	head := struct{ Rows int64 }{s.rows}
	x.Header("falkon.sums", 1, &head)
	x.Require(head.Rows >= 0 && head.Rows <= int64(s.p.rows), "", "%d rows of %d", head.Rows, s.p.rows)
	s.rows = head.Rows
	x.Float64("rest", &s.rest, len(s.p.mean))
	x.Dense("sum", &s.sum, s.p.c.M, s.p.Columns())
}

// Solve returns the model. It asks sum for the Sums of one pass after the other: number 0 is the pass for the
// targets, whose v is nil. The v of a pass follow from the sums before, so that a program that has kept those may
// call Solve again, which asks for them again and then for new ones. An error of sum ends Solve and is
// its error. Otherwise the error is ctx.Err() or a *gram.ConvergenceError, in both cases with the model so far if
// there is one, as in Fit.
func (p *Passes) Solve(ctx context.Context, f *Factors, run gram.Run, sum func(number int, v *Coefficients) (*Sums, error)) (*Model, error) {
	begin := time.Now()
	t, r := f.triangles()
	if m, _ := t.Dims(); m != p.c.M {
		return nil, fmt.Errorf("falkon: factors of order %d do not go with %d landmarks", m, p.c.M)
	}
	c := p.c
	c.Run = run
	q := &problem{c: c, u: p.u, t: t, mean: slices.Clone(p.mean), total: float64(p.rows), meter: run.Meter()}
	first, err := sum(0, nil)
	if err != nil {
		return nil, err
	}
	if first.rows != int64(p.rows) {
		return nil, settings.Refuse("rows", first.rows, "%d, as the passes were begun for", p.rows)
	}
	q.rhs = mat.DenseCopyOf(first.sum)
	if !c.NoBias && p.sampled < p.rows {
		q.recenter(first.rest)
	}
	blas64.Trsm(blas.Left, blas.Trans, 1, upper(t), q.rhs.RawMatrix())

	st := Stats{Rows: p.rows, Jitter: p.jitter, Shift: c.Penalty.Scale(c.Lambda.Value(), q.total)}
	m, columns := q.rhs.Dims()
	z := mat.NewDense(m, columns, nil)
	number := 0
	s := &system{t: t, product: func(dst, v *mat.Dense, single bool) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		number++
		sums, err := sum(number, &Coefficients{mat.DenseCopyOf(v), single})
		if err == nil {
			dst.Copy(sums.sum)
		}
		return err
	}}
	o := solve.Options{Tol: c.Tol, MaxIter: c.MaxIter, Precondition: inverse{r}, Progress: q.meter.Report}
	res, err := s.solve(ctx, z, st.Shift, q.rhs, o, c.Single)
	if s.err != nil {
		if err = ctx.Err(); err == nil {
			return nil, s.err
		}
	}
	if err != nil && (res.Iter == 0 || mat.Norm(z, 1) == 0) {
		return nil, err
	}
	st.SolveSeconds = time.Since(begin).Seconds()
	return q.model(z, res, st), err
}

// recenter makes mean the means of the targets of all rows, and rhs that of targets from which these are
// subtracted. rest holds the sums of the targets from which mean was subtracted.
func (p *problem) recenter(rest []float64) {
	m, columns := p.rhs.Dims()
	for j, v := range rest {
		off := v / p.total
		p.mean[j] += off
		for i := range m {
			p.rhs.Set(i, j, p.rhs.At(i, j)-off*p.rhs.At(i, columns-1))
		}
	}
}

// Encode writes the settings, the landmarks and the means of the targets.
func (p *Passes) Encode(w *modelfile.Writer) error { return modelfile.Put(w, p.form) }

// DecodePasses reads a Passes that Encode has written. The error says what is wrong with a damaged file.
func DecodePasses(f *modelfile.File) (*Passes, error) {
	return modelfile.Get(f, &Passes{}, (*Passes).form)
}

// form lists what a file holds of the passes. Writing and reading a file go through these same statements.
func (p *Passes) form(x *modelfile.Exchange) {
	head := struct {
		Config
		Rows, Sampled int
		Jitter        float64
	}{p.c, p.rows, p.sampled, p.jitter}
	x.Header("falkon.passes", 1, &head, kernel.Stored(&head.Kernel))
	x.Require(0 < head.Sampled && head.Sampled <= head.Rows, "", "%d rows with a sample of %d", head.Rows, head.Sampled)
	x.Dense("points", &p.u, -1, -1)
	x.Float64("mean", &p.mean, -1)
	if !x.Reading() {
		return
	}
	p.c, p.rows, p.sampled, p.jitter = head.Config, head.Rows, head.Sampled, head.Jitter
	m, d := p.u.Dims()
	x.Require(m == p.c.M && kernel.Fits(p.c.Kernel, d) == nil, "points", "the settings are for others")
	x.Require(len(p.mean) > 0, "mean", "there is none")
	if x.Reading() {
		q := problem{c: p.c, u: p.u}
		q.pack()
		p.block, p.block32 = q.block, q.block32
	}
}

// Exchange lists what a file holds of the factors. Writing and reading a file go through these same statements.
func (f *Factors) Exchange(x *modelfile.Exchange) {
	x.Header("falkon.factors", 2, &struct{}{})
	x.Dense("factors", &f.both, -1, -1)
	if x.Reading() {
		m, columns := f.both.Dims()
		x.Require(columns == m+1, "factors", "two triangles of %d×%d numbers", m, columns)
	}
}
