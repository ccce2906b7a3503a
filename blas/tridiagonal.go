package blas

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/gramworks/gram/internal/secular"
	"github.com/gramworks/gram/internal/tuning"
)

// Eigenpairs of a symmetric tridiagonal matrix by divide and conquer: the matrix
// is torn into two halves and a rank-one term, the halves are solved, and the
// eigenpairs of diagonal plus rank one are found from the secular equation.
//
//	J. Cuppen, "A divide and conquer method for the symmetric tridiagonal
//	eigenproblem", Numer. Math. 36 (1981);
//	M. Gu, S. Eisenstat, "A divide-and-conquer algorithm for the symmetric
//	tridiagonal eigenproblem", SIAM J. Matrix Anal. Appl. 16 (1995);
//	R.-C. Li, "Solving secular equations stably and efficiently", LAPACK
//	Working Note 89 (1994): the middle way.

// conquer is the state of the divide and conquer for eigenvectors, with its work space.
type conquer struct {
	mergeSpace
	n    int
	d, e []float64
	v    []float64 // rows are eigenvectors; block diagonal until the last merge

	small ql
}

const leafOrder = 32

var errNoConvergence = errors.New("blas: no convergence")

// eigenSpace returns the length of the work space that tridiagonalEigen needs.
func eigenSpace(n int) int { return 4 * n * n }

// tridiagonalEigen overwrites d with the eigenvalues, ascending, and returns the
// eigenvectors as the rows of an n×n matrix in space, which holds eigenSpace(n) numbers.
// e is destroyed. It ends with ctx.Err() when ctx is done.
func tridiagonalEigen(ctx context.Context, b *nativeBackend, d, e, space []float64) ([]float64, error) {
	n := len(d)
	part := func(i int) []float64 { return space[i*n*n : (i+1)*n*n] }
	c := &conquer{mergeSpace: mergeSpace{ctx, implementation{b: b}, part(1), part(2), part(3)}, n: n, d: d, e: e, v: part(0)}
	clear(c.v)
	// deflation compares eigenvalues with weights of order 1
	var norm float64
	for _, x := range d {
		norm = max(norm, math.Abs(x))
	}
	for _, x := range e {
		norm = max(norm, math.Abs(x))
	}
	if norm == 0 {
		norm = 1
	}
	_, exp := math.Frexp(norm)
	// what is negligible beside the norm becomes zero, so that squares do not underflow
	for _, x := range [][]float64{d, e} {
		for i := range x {
			x[i] = math.Ldexp(x[i], -exp)
			if math.Abs(x[i]) < 0x1p-120 {
				x[i] = 0
			}
		}
	}
	err := c.solve(0, n)
	for i := range d {
		d[i] = math.Ldexp(d[i], exp)
	}
	return c.v, err
}

func (c *conquer) row(i, lo, hi int) []float64 { return c.v[i*c.n+lo : i*c.n+hi] }

// solve finds the eigenpairs of rows and columns [lo, hi).
func (c *conquer) solve(lo, hi int) error {
	if hi-lo <= leafOrder {
		return c.leaf(lo, hi)
	}
	mid := lo + (hi-lo)/2
	rho := c.e[mid-1]
	c.d[mid-1] -= math.Abs(rho)
	c.d[mid] -= math.Abs(rho)
	if err := c.solve(lo, mid); err != nil {
		return err
	}
	if err := c.solve(mid, hi); err != nil {
		return err
	}
	if err := c.merge(lo, mid, hi, rho); err != nil {
		return err
	}
	return c.ctx.Err()
}

// leaf solves a small problem by QL iterations.
func (c *conquer) leaf(lo, hi int) error {
	q := &c.small
	q.n = hi - lo
	copy(q.d[:], c.d[lo:hi])
	copy(q.e[:], c.e[lo:hi-1])
	if err := q.solve(); err != nil {
		return err
	}
	var order [leafOrder]int
	ascending := order[:q.n]
	for i := range ascending {
		ascending[i] = i
	}
	slices.SortFunc(ascending, func(a, b int) int { return cmp.Compare(q.d[a], q.d[b]) })
	for i, j := range ascending {
		c.d[lo+i] = q.d[j]
		copy(c.row(lo+i, lo, hi), q.z[j*q.n:])
	}
	return nil
}

// merge joins the eigenpairs of [lo, mid) and [mid, hi).
func (c *conquer) merge(lo, mid, hi int, rho float64) error {
	m := hi - lo
	// T = Q·(D + |rho|·z·zᵀ)·Qᵀ with z the last row of Q₁ and ± the first of Q₂
	z := make([]float64, m)
	for i := range m {
		if i < mid-lo {
			z[i] = c.v[(lo+i)*c.n+mid-1]
		} else {
			z[i] = math.Copysign(1, rho) * c.v[(lo+i)*c.n+mid]
		}
	}
	rho = math.Abs(rho)
	var norm float64
	for _, x := range z {
		norm += x * x
	}
	rho *= norm
	norm = math.Sqrt(norm)
	for i := range z {
		z[i] /= norm
	}
	d := c.d[lo:hi]
	order := make([]int, m) // ascending d
	for i := range order {
		order[i] = i
	}
	byValue := func(a, b int) int {
		switch {
		case d[a] < d[b]:
			return -1
		case d[a] > d[b]:
			return 1
		}
		return a - b
	}
	slices.SortFunc(order, byValue)

	// In ascending order, divided by a power of two near the largest number.
	var largest float64
	for _, x := range d {
		largest = max(largest, math.Abs(x))
	}
	_, exponent := math.Frexp(max(largest, rho))
	unit := math.Ldexp(1, exponent)
	p, w := make([]float64, m), make([]float64, m)
	for i, j := range order {
		p[i], w[i] = d[j]/unit, z[j]
	}
	kind := make([]int, m)
	for i := range kind {
		if i >= mid-lo {
			kind[i] = bottomOnly
		}
	}
	kept := secular.Deflate(p, w, rho/unit, func(i, j int, co, si float64) {
		i, j = order[i], order[j]
		if kind[j] != kind[i] {
			kind[j] = both
		}
		x, y := c.row(lo+i, lo, hi), c.row(lo+j, lo, hi)
		for t := range x {
			x[t], y[t] = co*x[t]+si*y[t], co*y[t]-si*x[t]
		}
	})
	takesPart := make([]bool, m)
	for _, i := range kept {
		takesPart[i] = true
	}
	for i, j := range order {
		d[j] = p[i] * unit
		if !takesPart[i] {
			kind[j] = deflated
		}
	}
	k := len(kept)
	rows, pole, weight := make([]int, k), make([]float64, k), make([]float64, k)
	for t, i := range kept {
		rows[t], pole[t], weight[t] = order[i], p[i], w[i]
	}
	workers := c.f.b.workers(tuning.ProductThreads, 16*float64(k)*float64(k))
	pairs := secular.Solve(pole, weight, rho/unit, workers)
	roots := make([]float64, k)
	for j := range roots {
		roots[j] = pairs.Value(j) * unit
	}
	j := newJoint(rows, kind, d, roots)
	x := c.v[lo*c.n+lo:]
	c.multiply(j, workers, x, c.n, m, mid-lo, mid-lo, pairs)
	c.arrange(j, x, c.n, m)
	j.values(d, roots)
	return nil
}
