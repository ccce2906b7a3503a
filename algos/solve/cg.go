package solve

import (
	"context"
	"math"
	"time"

	"github.com/gramworks/gram"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Options are the settings of CG. The zero value gives the defaults.
type Options struct {
	Tol          float64          // largest ‖b−(A+shift·I)x‖/‖b‖ of a column; default 1e-8
	MaxIter      int              // largest number of products with A; default 2n, at least 1000 and at most 10 000
	Precondition gram.Operator    // applies a positive definite approximation of (A+shift·I)⁻¹; nil: none
	Rough        *Rough           // an approximation of A that the recurrence uses; nil: A itself
	Warm         bool             // start from the content of dst; otherwise start from zero
	Progress     func(gram.Event) // called after every product, and at the end; nil: not called
}

// Rough is an approximation of A whose products cost less, as in float32.
type Rough struct {
	gram.Operator
	Index []int                   // some rows, by which the error of the recurrence is estimated
	Rows  func(dst, x *mat.Dense) // sets dst to these rows of A·x
}

// Stats holds figures of one call of CG, for reports and comparisons.
type Stats struct {
	Iter     int       // number of products with A or Rough, without those that check the recurrence
	Trace    []float64 // after each product, the largest relative residual of a column according to the recurrence
	Residual []float64 // relative residual of each column at the end, computed from its definition
	Seconds  float64
}

// resolved returns the options with the defaults for n unknowns.
func (o Options) resolved(n int) Options {
	if o.Tol <= 0 {
		o.Tol = 1e-8
	}
	if o.MaxIter <= 0 {
		o.MaxIter = min(max(1000, 2*n), 10_000)
	}
	return o
}

// CG solves (A+shift·I)·x = b for all columns of b at once by preconditioned
// conjugate gradients [HS52]. A is n×n; A+shift·I must be positive definite,
// or semi-definite with b in its range. b and dst are n×s and must not
// overlap.
//
// The columns are independent iterations that share every product with A. A
// column that has converged is not changed further. When all columns meet the
// tolerance according to the recurrence, the residuals are computed from their
// definition, and the iteration restarts for the columns that do not meet it
// ([VY00]). Residual is therefore reliable. A column of zeros has the solution
// zero.
//
// Rough does not change what is solved. After each product the distance between the
// residual of the recurrence and the true one is estimated from some rows. When it is half
// of the residual, and at the end, the residual is computed from its definition with A.
// The iteration goes on with its direction if the recurrence was right, and restarts if it
// was not. If this gains less than a factor 2, or Rough has a direction of negative or no
// finite curvature, A takes its place.
//
// A preconditioner that proves not to be positive definite, as one can whose round-off exceeds its smallest
// eigenvalues, is left out from there on.
//
// dst always holds the last iterate, whose error in the norm of A+shift·I is
// the smallest so far. A may leave a product unfinished once ctx has ended: CG looks at ctx
// before it uses one. The error is ctx.Err(); a *gram.ConvergenceError if
// MaxIter is reached, if round-off prevents further progress or if the
// residual is so small (about 1e-150) that its square underflows; or a
// *gram.NotPDError if a direction of negative curvature is found (Pivot is the
// column of b). Memory: 4·n·s numbers beyond those of A, 5·n·s with a
// preconditioner.
func CG(ctx context.Context, dst *mat.Dense, a gram.Operator, shift float64, b *mat.Dense, o Options) (Stats, error) {
	start := time.Now()
	n, s := b.Dims()
	if dn, ds := dst.Dims(); a.Dim() != n || dn != n || ds != s || o.Rough != nil && o.Rough.Dim() != n {
		panic("solve: shapes do not fit")
	}
	if o.Precondition != nil && o.Precondition.Dim() != n {
		panic("solve: preconditioner of another order")
	}
	o = o.resolved(n)
	var st Stats
	done := func(err error) (Stats, error) {
		st.Seconds = time.Since(start).Seconds()
		return st, err
	}
	if !o.Warm {
		dst.Zero()
	}
	if err := ctx.Err(); err != nil {
		return done(err)
	}

	it := &iteration{a: a, rough: o.Rough, shift: shift, b: b, x: dst, pre: o.Precondition, s: s}
	it.r, it.p, it.q = mat.NewDense(n, s, nil), mat.NewDense(n, s, nil), mat.NewDense(n, s, nil)
	it.z = it.r
	if o.Precondition != nil {
		it.z = mat.NewDense(n, s, nil)
	}
	it.rho = make([]float64, s)
	it.live = make([]bool, s)
	norm := make([]float64, s)
	st.Residual = make([]float64, s)
	for j := range s {
		norm[j] = blas64.Nrm2(column(b, j))
	}
	relative := func() float64 {
		worst := 0.0
		for j := range s {
			v := blas64.Nrm2(column(it.r, j))
			if v != 0 {
				v /= norm[j]
			}
			st.Residual[j] = v
			it.live[j] = !(v <= o.Tol)
			worst = larger(worst, v)
		}
		return worst
	}
	if o.Warm {
		for j := range s {
			if norm[j] == 0 {
				blas64.Scal(0, column(dst, j))
			}
		}
	}

	if o.Warm {
		it.residual()
		st.Iter++
	} else {
		it.r.Copy(b)
	}
	worst := relative()
	if o.Warm {
		st.Trace = append(st.Trace, worst)
	}
	last := math.Inf(1) // worst true residual at the last restart
	follow := false     // the recurrence was right, and its direction is kept
	for !(worst <= o.Tol) {
		// A restart that gains nothing shows that the residual cannot be
		// computed more accurately.
		if !(worst < last/2) && it.rough != nil {
			it.rough, last, follow = nil, math.Inf(1), false
		}
		if !(worst < last/2) || st.Iter >= o.MaxIter {
			return done(&gram.ConvergenceError{Iter: st.Iter, Residual: worst, Tol: o.Tol})
		}
		if follow {
			it.turn()
		} else {
			it.begin()
		}
		last = worst
		for st.Iter < o.MaxIter && !(worst <= o.Tol) {
			if err := ctx.Err(); err != nil {
				return done(err)
			}
			it.multiply()
			if err := ctx.Err(); err != nil {
				return done(err)
			}
			bad := it.step()
			st.Iter++
			if bad >= 0 && it.rough != nil {
				it.rough, last = nil, math.Inf(1)
				break
			}
			if bad >= 0 {
				return done(&gram.NotPDError{Pivot: bad, Margin: it.curvature})
			}
			worst = relative()
			st.Trace = append(st.Trace, worst)
			if o.Progress != nil {
				o.Progress(gram.Event{Phase: "conjugate gradients", Done: int64(st.Iter), Gap: worst})
			}
			if math.IsNaN(worst) || math.IsInf(worst, 0) {
				return done(&gram.ConvergenceError{Iter: st.Iter, Residual: worst, Tol: o.Tol})
			}
			if it.rough != nil && (worst <= o.Tol || it.astray()) {
				break
			}
			it.turn()
		}
		by := worst
		it.residual()
		if err := ctx.Err(); err != nil {
			return done(err)
		}
		worst = relative()
		follow = it.rough != nil && worst <= 2*by
	}
	if o.Progress != nil && st.Iter > 0 {
		o.Progress(gram.Event{Phase: "conjugate gradients", Done: int64(st.Iter), Total: int64(st.Iter), Gap: worst})
	}
	return done(nil)
}

// iteration is the state of CG. Each column has a residual r, a preconditioned
// residual z, a direction p, a product q = (A+shift·I)p, and ρ = rᵀz.
type iteration struct {
	a, pre     gram.Operator
	rough      *Rough // takes the place of a in steps; nil: a
	check      *mat.Dense
	shift      float64
	b, x       *mat.Dense
	r, z, p, q *mat.Dense
	rho        []float64
	live       []bool
	curvature  float64
	s          int
}

// product sets q = (A+shift·I)·v, where a is A or Rough.
func (it *iteration) product(a gram.Operator, v *mat.Dense) {
	a.Apply(it.q, v)
	if it.shift == 0 {
		return
	}
	for j := range it.s {
		blas64.Axpy(it.shift, column(v, j), column(it.q, j))
	}
}

// residual sets r = b − (A+shift·I)·x.
func (it *iteration) residual() {
	it.product(it.a, it.x)
	it.r.Copy(it.b)
	for j := range it.s {
		blas64.Axpy(-1, column(it.q, j), column(it.r, j))
	}
}

// astray reports whether the residual of the recurrence is further from the true one than
// half its norm, by an estimate from some rows.
func (it *iteration) astray() bool {
	n, _ := it.r.Dims()
	index := it.rough.Index
	if it.check == nil {
		it.check = mat.NewDense(len(index), it.s, nil)
	}
	it.rough.Rows(it.check, it.x)
	for j := range it.s {
		if !it.live[j] {
			continue
		}
		var square float64
		for k, i := range index {
			d := it.b.At(i, j) - it.check.At(k, j) - it.shift*it.x.At(i, j) - it.r.At(i, j)
			square += d * d
		}
		if norm := blas64.Nrm2(column(it.r, j)); !(4*square*float64(n) <= norm*norm*float64(len(index))) {
			return true
		}
	}
	return false
}

// begin starts the iteration from the residual in r.
func (it *iteration) begin() {
	if it.pre != nil {
		it.pre.Apply(it.z, it.r)
	}
	it.p.Copy(it.z)
	for j := range it.s {
		it.rho[j] = blas64.Dot(column(it.r, j), column(it.z, j))
		if it.live[j] && it.indefinite(j) {
			it.plain()
			return
		}
	}
}

// indefinite reports whether ρ shows that the preconditioner is not positive definite.
func (it *iteration) indefinite(j int) bool { return it.pre != nil && it.rho[j] < 0 }

// plain begins again without the preconditioner.
func (it *iteration) plain() {
	it.pre, it.z = nil, it.r
	it.begin()
}

// multiply makes the product of the direction.
func (it *iteration) multiply() {
	if it.rough != nil {
		it.product(it.rough, it.p)
	} else {
		it.product(it.a, it.p)
	}
}

// step moves x along p. It returns the column whose direction has negative
// curvature, or with Rough no finite one, or −1.
func (it *iteration) step() int {
	for j := range it.s {
		if !it.live[j] {
			continue
		}
		p, q := column(it.p, j), column(it.q, j)
		c := blas64.Dot(p, q)
		if it.rough != nil && !(c <= math.MaxFloat64) {
			return j // numbers that float32 cannot hold
		}
		if c <= 0 {
			if it.rho[j] < 0x1p-1000 {
				// The squares underflow: the recurrence cannot distinguish
				// this residual from zero.
				blas64.Scal(0, column(it.r, j))
				continue
			}
			it.curvature = c / blas64.Dot(p, p)
			return j
		}
		alpha := it.rho[j] / c
		blas64.Axpy(alpha, p, column(it.x, j))
		blas64.Axpy(-alpha, q, column(it.r, j))
	}
	return -1
}

// turn makes the next direction conjugate to the last.
func (it *iteration) turn() {
	if it.pre != nil {
		it.pre.Apply(it.z, it.r)
	}
	for j := range it.s {
		if !it.live[j] {
			continue
		}
		r, z, p := column(it.r, j), column(it.z, j), column(it.p, j)
		rho := blas64.Dot(r, z)
		beta := rho / it.rho[j]
		it.rho[j] = rho
		if it.indefinite(j) {
			it.plain()
			return
		}
		blas64.Scal(beta, p)
		blas64.Axpy(1, z, p)
	}
}

func column(a *mat.Dense, j int) blas64.Vector {
	r := a.RawMatrix()
	return blas64.Vector{N: r.Rows, Data: r.Data[j:], Inc: r.Stride}
}

// larger returns the maximum of a and b, and NaN if one of them is NaN.
func larger(a, b float64) float64 {
	if a != a || a > b {
		return a
	}
	return b
}
