package blas

import (
	"errors"
	"math"
	"slices"

	"github.com/gramworks/gram/internal/secular"
	"github.com/gramworks/gram/internal/tuning"
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	lgonum "gonum.org/v1/gonum/lapack/gonum"
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

// conquer holds the work space.
type conquer struct {
	b       *native
	n       int
	d, e    []float64
	v       []float64 // rows are eigenvectors; block diagonal until the last merge
	g, s, w []float64 // rows grouped by type, coefficients, products
}

const leafOrder = 32

var errNoConvergence = errors.New("blas: no convergence")

// tridiagonalEigen overwrites d with the eigenvalues, ascending, and returns the
// eigenvectors as the rows of an n×n matrix. e is destroyed.
func tridiagonalEigen(b *native, n int, d, e []float64) ([]float64, error) {
	c := &conquer{b: b, n: n, d: d, e: e, v: make([]float64, n*n)}
	if n > leafOrder {
		c.g, c.s, c.w = make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	}
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
	// what is negligible beside the norm becomes zero: gonum's DSTEQR (v0.17.0)
	// returns values of 1e100 for some blocks of elements below 1e-120
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
	return c.merge(lo, mid, hi, rho)
}

// leaf solves a small problem by QL iterations.
func (c *conquer) leaf(lo, hi int) error {
	m := hi - lo
	z, work := make([]float64, m*m), make([]float64, max(1, 2*m-2))
	e := slices.Clone(c.e[lo : lo+m-1])
	if !(lgonum.Implementation{}).Dsteqr(lapack.EVTridiag, m, c.d[lo:hi], e, z, m, work) {
		return errNoConvergence
	}
	for i := range m {
		row := c.row(lo+i, lo, hi)
		for j := range row {
			row[j] = z[j*m+i]
		}
	}
	return nil
}

// Types of eigenvectors of the two halves: where they are not zero.
const (
	topOnly = iota
	both
	bottomOnly
	deflated
)

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
	if k == 0 {
		c.arrange(lo, hi, m, nil, kind)
		return nil
	}

	// The kept eigenvectors, grouped so that their zeros are blocks.
	pole, weight := make([]float64, k), make([]float64, k)
	column := make([]int, k) // of the i-th kept pair in the groups
	var size [3]int
	for _, i := range kept {
		size[kind[order[i]]]++
	}
	next := [3]int{0, size[topOnly], size[topOnly] + size[both]}
	for t, i := range kept {
		j := order[i]
		pole[t], weight[t] = p[i], w[i]
		column[t] = next[kind[j]]
		next[kind[j]]++
		copy(c.g[column[t]*m:(column[t]+1)*m], c.row(lo+j, lo, hi))
	}

	// The eigenpairs of diagonal plus rank one: column j of the k×k matrix s is
	// eigenvector j, its rows in the order of the groups.
	workers := c.b.workers(tuning.ProductThreads, 16*float64(k)*float64(k))
	pairs := secular.Solve(pole, weight, rho/unit, workers)
	roots := make([]float64, k)
	for j := range roots {
		roots[j] = pairs.Value(j) * unit
	}
	run(workers, k, 32, func(from, to int) {
		for i := from; i < to; i++ {
			pairs.Row(c.s[column[i]*k:(column[i]+1)*k], i, 0)
		}
	})

	// New eigenvectors: two products that leave the zeros out.
	f := implementation{b: c.b}
	left, right := mid-lo, hi-mid
	up, down := size[topOnly]+size[both], size[both]+size[bottomOnly]
	f.Dgemm(gblas.Trans, gblas.NoTrans, k, left, up, 1, c.s, k, c.g, m, 0, c.w, m)
	f.Dgemm(gblas.Trans, gblas.NoTrans, k, right, down, 1, c.s[size[topOnly]*k:], k, c.g[size[topOnly]*m+left:], m, 0, c.w[left:], m)
	c.arrange(lo, hi, m, roots, kind)
	return nil
}

// arrange puts the new eigenpairs, rows of w, and the deflated ones in
// ascending order.
func (c *conquer) arrange(lo, hi, m int, roots []float64, kind []int) {
	d := c.d[lo:hi]
	type pair struct {
		value float64
		row   []float64
	}
	all := make([]pair, 0, m)
	for j, r := range roots {
		all = append(all, pair{r, c.w[j*m : (j+1)*m]})
	}
	g := c.g
	for i := range m {
		if len(roots) > 0 && kind[i] != deflated {
			continue
		}
		row := g[:m]
		g = g[m:]
		copy(row, c.row(lo+i, lo, hi))
		all = append(all, pair{d[i], row})
	}
	slices.SortStableFunc(all, func(a, b pair) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return 0
	})
	for i, p := range all {
		d[i] = p.value
		copy(c.row(lo+i, lo, hi), p.row)
	}
}
