package batch

import (
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/lanes"
)

// Cholesky overwrites the upper triangle of each matrix A with the factor U of A = UᵀU. The lower triangle is
// neither used nor changed. It panics if the matrices are not square or overlap. Cost: n³/3 flops for each.
//
// The error is Errors: the *Error of a matrix has a *gram.DataError for an element that is not finite, or a *gram.NotPDError if
// the matrix is not positive definite. Such matrices are unchanged, the others are factored.
func Cholesky(a Matrices) error {
	n := square(a, "A", true)
	if n == 0 || a.Count == 0 {
		return nil
	}
	x, done := groups(n * n)
	defer done()
	g := group{x, n, n}
	var errs Errors
	for q := 0; q < a.Count; q += lanes.Width {
		count := g.load(a, q)
		for i := range n {
			above := x[i*lanes.Width:]
			lanes.Reduce(x[(i*n+i)*lanes.Width:], above, n, above, n, i, n-i, nil)
		}
		failed := 0
		for l := range count {
			if pivot := g.failing(l); pivot >= 0 {
				failed |= 1 << l
				errs = append(errs, &Error{q + l, whyNot(a, q+l, pivot)})
			}
		}
		g.store(a, q, failed)
	}
	return errs.or()
}

// failing returns the first pivot of lane l that is not positive and finite, or −1.
func (g *group) failing(l int) int {
	for i := range g.rows {
		if d := g.x[(i*g.cols+i)*lanes.Width+l]; !(d > 0 && d <= math.MaxFloat64) {
			return i
		}
	}
	return -1
}

// whyNot returns the reason why matrix q, whose upper triangle is as it was, has no factor.
func whyNot(a Matrices, q, pivot int) error {
	if err := notFinite(a, q, false); err != nil {
		return err
	}
	return &gram.NotPDError{Pivot: pivot}
}

// notFinite returns the error for the first element of matrix q, or of its upper triangle, that is NaN or infinite, or nil.
func notFinite(a Matrices, q int, full bool) error {
	for i := range a.Rows {
		from, row := i, a.from(q)[i*a.Stride:]
		if full {
			from = 0
		}
		for j := from; j < a.Cols; j++ {
			if v := row[j]; v-v != 0 {
				return &gram.DataError{Row: i, Col: j, Value: v, Argument: "A"}
			}
		}
	}
	return nil
}

// Solve overwrites each B, n×r, with the solution X of UᵀU·X = B for the factors of Cholesky. The lower triangles of u are not
// used. It panics if shapes do not fit or the matrices of b overlap. A zero on a diagonal gives Inf or NaN. Cost: 2n²r
// flops for each.
func Solve(u, b Matrices) {
	u.check("U", false)
	b.check("B", true)
	n, r := u.Rows, b.Cols
	if u.Cols != n || b.Rows != n || b.Count != u.Count {
		panic("batch: shapes do not fit")
	}
	if n == 0 || r == 0 || b.Count == 0 {
		return
	}
	x, done := groups(n * (n + r))
	defer done()
	const w = lanes.Width
	factors, right := group{x[:n*n*w], n, n}, group{x[n*n*w:][:n*r*w], n, r}
	f, y := factors.x, right.x
	for q := 0; q < b.Count; q += w {
		if q == 0 || u.Each != nil || u.Step > 0 || u.Count-q < w {
			factors.load(u, q)
		}
		right.load(b, q)
		for i := range n {
			lanes.Reduce(y[i*r*w:], f[i*w:], n, y, r, i, r, f[(i*n+i)*w:])
		}
		for i := n - 1; i >= 0; i-- {
			lanes.Reduce(y[i*r*w:], f[(i*n+i+1)*w:], 1, y[(i+1)*r*w:], r, n-1-i, r, f[(i*n+i)*w:])
		}
		right.store(b, q, 0)
	}
}
