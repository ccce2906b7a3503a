package batch

import (
	"fmt"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/lanes"
)

// A SingularError says that a matrix has no inverse: a pivot of its elimination is zero.
type SingularError struct {
	Pivot int // its row, from 0
}

// Error names the pivot that is zero, counted from 0.
func (e *SingularError) Error() string { return fmt.Sprintf("singular: pivot %d is zero", e.Pivot) }

// elimination factors the square matrices of a group as P·A = L·U with partial pivoting.
type elimination struct {
	group
	exchanged [MaxOrder][lanes.Width]int // row j was exchanged with this one in step j
	failed    [lanes.Width]int           // the first pivot that is zero or not finite, or −1
}

// factor overwrites the matrices with L below the diagonal, which is one, and U. In each column the element of largest
// magnitude is the pivot, the first of equal ones. NaN is larger than any number, so that it cannot hide.
func (e *elimination) factor() {
	const w = lanes.Width
	n, x := e.rows, e.x
	for l := range e.failed {
		e.failed[l] = -1
	}
	for j := range n {
		at := &e.exchanged[j]
		lanes.Largest(n-j, x[(j*n+j)*w:], n, at[:])
		for l, below := range at {
			i := j + below
			at[l] = i
			if size := math.Abs(x[(i*n+j)*w+l]); e.failed[l] < 0 && !(size > 0 && size <= math.MaxFloat64) {
				e.failed[l] = j
			}
			p, q := x[j*n*w+l:][:n*w-l], x[i*n*w+l:][:n*w-l]
			for c := 0; c < len(p) && c < len(q); c += w {
				p[c], q[c] = q[c], p[c]
			}
		}
		lanes.Eliminate(n-j, x[(j*n+j)*w:], n)
	}
}

// reason returns why lane l, matrix q of a, has no factors, or nil.
func (e *elimination) reason(l int, a Matrices, q int) error {
	pivot := e.failed[l]
	if pivot < 0 {
		return nil
	}
	if err := notFinite(a, q, true); err != nil {
		return err
	}
	if e.x[(pivot*e.cols+pivot)*lanes.Width+l] == 0 {
		return &SingularError{pivot}
	}
	return &gram.DataError{Row: -1, Value: math.Inf(1), Argument: "a pivot"}
}

// ones are divisors for lanes that need no division.
var ones = [lanes.Width]float64{1, 1, 1, 1, 1, 1, 1, 1}

// solve overwrites the right sides y, of r columns and with rows exchanged, with the solutions.
func (e *elimination) solve(y []float64, r int) {
	const w = lanes.Width
	n, f := e.rows, e.x
	for i := 1; i < n; i++ {
		lanes.Reduce(y[i*r*w:], f[i*n*w:], 1, y, r, i, r, ones[:])
	}
	for i := n - 1; i >= 0; i-- {
		lanes.Reduce(y[i*r*w:], f[(i*n+i+1)*w:], 1, y[(i+1)*r*w:], r, n-1-i, r, f[(i*n+i)*w:])
	}
}

// square panics if a is no batch of square matrices that do not overlap, if they are written, and returns their order.
func square(a Matrices, name string, written bool) int {
	a.check(name, written)
	if a.Rows != a.Cols {
		panic("batch: matrices are not square")
	}
	return a.Rows
}

// LU overwrites each matrix A with its factors: P·A = L·U, where U is the upper triangle and L, with ones on its
// diagonal, is below it. The permutation P exchanges row j with row pivots[q·n+j] of matrix q for j = 0, 1, …, n−1, as
// LAPACK's dgetrf does, whose pivots count from 1. In each column the pivot is the element of largest magnitude, and the first of equal
// ones. It panics if the matrices are not square or overlap, or pivots is too short. Cost: 2n³/3 flops for each.
//
// The error is Errors: the *Error of a matrix has a *gram.DataError for an element that is not finite or if a pivot becomes too
// large for a number, or a *SingularError if a pivot is zero. Such matrices are unchanged, with pivots of no exchange; the others are
// factored.
func LU(a Matrices, pivots []int) error {
	n := square(a, "A", true)
	if len(pivots) < a.Count*n {
		panic("batch: insufficient length of pivots")
	}
	if n == 0 || a.Count == 0 {
		return nil
	}
	x, done := groups(n * n)
	defer done()
	e := elimination{group: group{x, n, n}}
	var errs Errors
	for q := 0; q < a.Count; q += lanes.Width {
		count := e.load(a, q)
		e.factor()
		failed := 0
		for l := range count {
			if err := e.reason(l, a, q+l); err != nil {
				failed |= 1 << l
				errs = append(errs, &Error{q + l, err})
			}
			for j := range n {
				pivots[(q+l)*n+j] = e.exchanged[j][l]
				if failed>>l&1 != 0 {
					pivots[(q+l)*n+j] = j
				}
			}
		}
		e.store(a, q, failed)
	}
	return errs.or()
}

// SolveLU overwrites each B, n×r, with the solution X of A·X = B for the factors and pivots of LU. It panics if shapes do not fit,
// the matrices of b overlap or a pivot is none. A zero on the diagonal of U gives Inf or NaN. Cost: 2n²r flops for each.
func SolveLU(lu Matrices, pivots []int, b Matrices) {
	n, r := square(lu, "LU", false), b.Cols
	b.check("B", true)
	if b.Rows != n || b.Count != lu.Count {
		panic("batch: shapes do not fit")
	}
	if len(pivots) < b.Count*n {
		panic("batch: insufficient length of pivots")
	}
	for i, p := range pivots[:b.Count*n] {
		if p < i%n || p >= n {
			panic("batch: bad pivot")
		}
	}
	if n == 0 || r == 0 || b.Count == 0 {
		return
	}
	const w = lanes.Width
	x, done := groups(n * (n + r))
	defer done()
	e, right := elimination{group: group{x[:n*n*w], n, n}}, group{x[n*n*w:][:n*r*w], n, r}
	y := right.x
	for q := 0; q < b.Count; q += w {
		e.load(lu, q)
		for l := range right.load(b, q) {
			for j, i := range pivots[(q+l)*n:][:n] {
				for c := l; c < r*w; c += w {
					y[j*r*w+c], y[i*r*w+c] = y[i*r*w+c], y[j*r*w+c]
				}
			}
		}
		e.solve(y, r)
		right.store(b, q, 0)
	}
}

// Inverse overwrites each matrix with its inverse. It panics if the matrices are not square or overlap. Errors are as for LU, and
// a *gram.DataError if an element of the inverse is too large for a number; such matrices are unchanged. Cost: 8n³/3 flops
// for each.
func Inverse(a Matrices) error {
	n := square(a, "A", true)
	if n == 0 || a.Count == 0 {
		return nil
	}
	const w = lanes.Width
	x, done := groups(2 * n * n)
	defer done()
	e, inverse := elimination{group: group{x[:n*n*w], n, n}}, group{x[n*n*w:][:n*n*w], n, n}
	var errs Errors
	for q := 0; q < a.Count; q += w {
		count := e.load(a, q)
		e.factor()
		clear(inverse.x)
		for l := range w {
			var at [MaxOrder]int // row i of the identity is here after the exchanges
			for i := range n {
				at[i] = i
			}
			for j := range n {
				p := e.exchanged[j][l]
				at[j], at[p] = at[p], at[j]
			}
			for i := range n {
				inverse.x[(i*n+at[i])*w+l] = 1
			}
		}
		e.solve(inverse.x, n)
		failed := 0
		for l := range count {
			err := e.reason(l, a, q+l)
			if err == nil {
				err = inverse.tooLarge(l)
			}
			if err != nil {
				failed |= 1 << l
				errs = append(errs, &Error{q + l, err})
			}
		}
		inverse.store(a, q, failed)
	}
	return errs.or()
}

// tooLarge returns the error for the first element of lane l that is not finite, or nil.
func (g *group) tooLarge(l int) error {
	for i := l; i < g.rows*g.cols*lanes.Width; i += lanes.Width {
		if v := g.x[i]; v-v != 0 {
			at := i / lanes.Width
			return &gram.DataError{Row: at / g.cols, Col: at % g.cols, Value: v, Argument: "the inverse"}
		}
	}
	return nil
}

// Det sets det[q] to the determinant of matrix q. It is 0 if a pivot of the elimination is zero; a product of pivots on the
// way is never too large or too small, but a determinant may be, and is infinite or 0 then. a is not changed. It panics if the
// matrices are not square or det is too short. Cost: 2n³/3 flops for each.
//
// The error is Errors: the *Error of a matrix has a *gram.DataError for an element that is not finite or if a pivot becomes too
// large for a number. The determinant is NaN then.
func Det(a Matrices, det []float64) error {
	n := square(a, "A", false)
	if len(det) < a.Count {
		panic("batch: insufficient length of det")
	}
	if n == 0 || a.Count == 0 {
		for q := range a.Count {
			det[q] = 1
		}
		return nil
	}
	x, done := groups(n * n)
	defer done()
	e := elimination{group: group{x, n, n}}
	var errs Errors
	for q := 0; q < a.Count; q += lanes.Width {
		count := e.load(a, q)
		e.factor()
		for l := range count {
			switch err := e.reason(l, a, q+l).(type) {
			case nil:
				det[q+l] = e.product(l)
			case *SingularError:
				det[q+l] = 0
			default:
				det[q+l] = math.NaN()
				errs = append(errs, &Error{q + l, err})
			}
		}
	}
	return errs.or()
}

// product returns the product of the pivots of the matrix in lane l, with the sign of its exchanges: its determinant. Fractions
// and exponents are kept apart, so that no product on the way is too large or too small for a number.
func (e *elimination) product(l int) float64 {
	fraction, exponent := 1., 0
	for j := range e.cols {
		f, exp := math.Frexp(e.x[(j*e.cols+j)*lanes.Width+l])
		if e.exchanged[j][l] != j {
			f = -f
		}
		var more int
		fraction, more = math.Frexp(fraction * f)
		exponent += exp + more
	}
	return math.Ldexp(fraction, exponent)
}
