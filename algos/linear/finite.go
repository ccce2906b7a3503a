package linear

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/rows"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

const (
	maxNewton   = 4096 // Newton steps are made for fewer features than this
	newtonSteps = 100  // largest number of steps for a function; 10 are common
	minGathered = 128  // least number of rows that are added to a Hessian together
)

// newton reports whether Newton steps may follow coordinate descent.
func (c SVM) newton(n, p int) bool { return c.Loss == SquaredHinge && p < min(n, maxNewton) }

// newtonBytes returns the bytes of the work memory of Newton steps for n rows and p features, besides the constant.
func newtonBytes(n, p int) int64 {
	q := int64(p + 1)
	return 8*(2*q*q+2*int64(gathered(p))*q+2*int64(n)) + int64(n)
}

// gathered returns the number of rows that are added to a Hessian together. It is small
// enough for ctx to be looked at in time, and large enough that h is not read too often.
func gathered(p int) int { return max(minGathered, min(mapRows, 1<<29/(p*p+1))) }

// newtonAfter returns the number of passes of coordinate descent before the Newton
// steps, which cost about as much as these passes.
func (t *trainer) newtonAfter() int { return max(20, t.src.p/32) }

// finite is the finite Newton method ([KD05]) for the primal problem of one function
// with the squared hinge. The variables are w̃ = (w, b) on the features φ̃ = (φ, Bias). The
// objective is piecewise quadratic; its Hessian I + 2C·Σ φ̃φ̃ᵀ is a sum over the rows with
// margin below 1. A few Newton steps with an exact line search reach the minimum.
type finite struct {
	t              *trainer
	k              int // index of the function
	w              []float64
	margin, change []float64 // y·f(φ) of the rows, and its change for a step of length 1
	in             []bool    // rows whose terms are part of h
	h              *mat.SymDense
	enter, leave   *mat.Dense // gathered terms to be added to h and subtracted from it
	chol           mat.Cholesky
}

func (t *trainer) newFinite() *finite {
	n, q := t.src.n, t.src.p+1
	size := gathered(t.src.p)
	return &finite{t: t, margin: make([]float64, n), change: make([]float64, n), in: make([]bool, n), w: make([]float64, q),
		h: mat.NewSymDense(q, nil), enter: mat.NewDense(size, q, nil), leave: mat.NewDense(size, q, nil)}
}

// newton minimizes the primal objective of all functions that are not done, beginning
// at their present coefficients. A function for which round-off stops the method keeps
// its coefficients.
func (t *trainer) newton(ctx context.Context, meter *gram.Meter) error {
	s := t.newFinite()
	for k, f := range t.f {
		if !f.done {
			s.k = k
			if err := s.run(ctx, meter); err != nil {
				return err
			}
		}
	}
	if worst := t.worst(); !math.IsInf(worst, 1) {
		t.trace = append(t.trace, worst)
	}
	return nil
}

// y returns the target of row i, 1 or −1, for function s.k.
func (s *finite) y(i int) float64 { return multiclass.Sign(s.t.class[i], s.k, s.t.k) }

// forward sets dst to y·⟨w̃, φ̃⟩ of all rows.
func (s *finite) forward(ctx context.Context, dst, w []float64) error {
	t, p := s.t, s.t.src.p
	b := mat.NewDense(p, 1, w[:p])
	return t.src.each(ctx, func(phi gram.Samples[float64], lo, hi int) {
		rows.Mul(mat.NewDense(hi-lo, 1, dst[lo:hi]), phi, b)
		for i := lo; i < hi; i++ {
			dst[i] = s.y(i) * (dst[i] + t.c.Bias*w[p])
		}
	})
}

func (s *finite) run(ctx context.Context, meter *gram.Meter) error {
	t, f := s.t, s.t.f[s.k]
	copy(s.w, f.w)
	if err := s.forward(ctx, s.margin, s.w); err != nil {
		return err
	}
	s.forget()
	for step := range newtonSteps {
		v, err := s.terms(ctx)
		if err != nil {
			return err
		}
		loss, dual := s.values(v)
		primal := square(s.w)/2 + loss
		gap := (primal - dual) / primal
		if primal <= 0 {
			gap = 0
		}
		meter.Report(gram.Event{Phase: "linear SVM", Done: int64(t.passes + 2*step + 2), Objective: primal, Gap: max(gap, 0)})
		if gap <= t.c.Tol {
			f.iter += 2*step + 2
			f.primal, f.dual, f.gap, f.done = primal, dual, gap, true
			copy(f.w, s.w)
			for i := range f.alpha {
				f.alpha[i] = s.alpha(i)
			}
			return nil
		}
		if !s.chol.Factorize(s.h) {
			return nil
		}
		// v becomes the step, −H⁻¹·(w̃ − v).
		blas64.Axpy(-1, linalg.Vector(s.w), linalg.Vector(v))
		d := mat.NewVecDense(len(v), v)
		if err := s.chol.SolveVecTo(d, d); err != nil { // an error means that H is badly conditioned
			if _, bad := err.(mat.Condition); !bad {
				return nil
			}
		}
		if err := s.forward(ctx, s.change, v); err != nil {
			return err
		}
		length := s.search(v)
		if length == 0 {
			return nil
		}
		blas64.Axpy(length, d.RawVector(), linalg.Vector(s.w))
		blas64.Axpy(length, linalg.Vector(s.change), linalg.Vector(s.margin))
	}
	return nil
}

// alpha returns the dual variable that corresponds to the margin of row i.
func (s *finite) alpha(i int) float64 { return 2 * s.t.cost(i) * max(0, 1-s.margin[i]) }

// forget sets h to the identity, in which no rows have terms.
func (s *finite) forget() {
	s.h.Zero()
	for j := range s.h.SymmetricDim() {
		s.h.SetSym(j, j, 1)
	}
	clear(s.in)
}

// terms returns Σ α·y·φ̃ and updates h to the present margins. It adds and subtracts the
// terms of rows whose margin crossed 1, or computes h anew if the margins below 1 are fewer.
func (s *finite) terms(ctx context.Context) (v []float64, err error) {
	t, p := s.t, s.t.src.p
	active, changed := 0, 0
	for i, m := range s.margin {
		below := m < 1 && t.cost(i) > 0
		if below {
			active++
		}
		if below != s.in[i] {
			changed++
		}
	}
	if changed > active {
		s.forget()
	}
	v = make([]float64, p+1)
	sum := mat.NewDense(p, 1, v[:p])
	coef := make([]float64, min(mapRows, t.src.n))
	entered, left := 0, 0
	err = t.src.each(ctx, func(phi gram.Samples[float64], lo, hi int) {
		for i := lo; i < hi; i++ {
			coef[i-lo] = s.alpha(i) * s.y(i)
			v[p] += t.c.Bias * coef[i-lo]
		}
		rows.AddMulTrans(sum, phi, mat.NewDense(hi-lo, 1, coef[:hi-lo]))
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			switch below := s.margin[i] < 1 && t.cost(i) > 0; {
			case below == s.in[i]:
			case below:
				entered = s.gather(s.enter, entered, phi, i-lo, i, 1)
			default:
				left = s.gather(s.leave, left, phi, i-lo, i, -1)
			}
		}
	})
	if err == nil {
		err = ctx.Err() // ctx may have ended during the last piece
	}
	s.add(s.enter, entered, 1)
	s.add(s.leave, left, -1)
	return v, err
}

// gather appends the term of row i, which is row r of phi, to the count terms in part,
// and returns the new count. When part is full it is added to h with the given sign.
func (s *finite) gather(part *mat.Dense, count int, phi gram.Samples[float64], r, i int, sign float64) int {
	p := s.t.src.p
	row := part.RawRowView(count)
	phi.CopyRow(row[:p], r)
	row[p] = s.t.c.Bias
	blas64.Scal(math.Sqrt(2*s.t.cost(i)), linalg.Vector(row))
	s.in[i] = sign > 0
	if count++; count == part.RawMatrix().Rows {
		s.add(part, count, sign)
		count = 0
	}
	return count
}

func (s *finite) add(part *mat.Dense, count int, sign float64) {
	if count > 0 {
		a := part.RawMatrix()
		a.Rows = count
		blas64.Syrk(blas.Trans, sign, a, 1, s.h.RawSymmetric())
	}
}

// values returns the loss, and the dual objective for the α of the margins, where
// v = Σ α·y·φ̃.
func (s *finite) values(v []float64) (loss, dual float64) {
	for i, m := range s.margin {
		if short := max(0, 1-m); short > 0 {
			c := s.t.cost(i)
			loss += c * short * short
			dual += c * short * (2 - short) // α − α²/(4C)
		}
	}
	return loss, dual - square(v)/2
}

// search returns the step length along d at which the directional derivative of the
// objective is zero up to round-off, or 0 if the objective does not decrease along d.
func (s *finite) search(d []float64) float64 {
	first, second := linalg.Dot(s.w, d), square(d)
	slope := func(length float64) (g, h float64) {
		g, h = first+length*second, second
		for i, c := range s.change {
			if short := 1 - (s.margin[i] + length*c); short > 0 {
				cost := 2 * s.t.cost(i)
				g -= cost * short * c
				h += cost * c * c
			}
		}
		return g, h
	}
	start, _ := slope(0)
	if !(start < 0) {
		return 0
	}
	lo, hi, at := 0.0, math.Inf(1), 1.0
	for range 60 {
		g, h := slope(at)
		if math.Abs(g) <= 1e-3*-start {
			return at
		}
		if g < 0 {
			lo = at
		} else {
			hi = at
		}
		if at -= g / h; !(at > lo && at < hi) {
			at = (lo + hi) / 2
			if math.IsInf(hi, 1) {
				at = 2 * lo
			}
		}
	}
	return lo
}

func square(x []float64) float64 { return linalg.Dot(x, x) }
