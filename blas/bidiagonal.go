package blas

import (
	"math"
	"slices"

	"github.com/gramworks/gram/internal/secular"
	"github.com/gramworks/gram/internal/tuning"
	gblas "gonum.org/v1/gonum/blas"
)

// The singular value decomposition of an upper bidiagonal matrix by divide and
// conquer: without its middle row the matrix falls into two halves, and with
// the decompositions of the halves the whole becomes a matrix M that has a first
// row z and below it a diagonal d. MᵀM is diagonal plus rank one: the squares of
// M's singular values are the roots of its secular equation.
//
//	M. Gu, S. Eisenstat, "A divide-and-conquer algorithm for the bidiagonal
//	SVD", SIAM J. Matrix Anal. Appl. 16 (1995).
//
// Poles d² and offsets from them are kept instead of d and offsets from d: a
// square changes d by half a rounding error, which is within the error of the
// halves.

// bidiagonal is the state of the divide and conquer for singular vectors, with its work space.
type bidiagonal struct {
	mergeSpace
	n    int
	d, e []float64
	u, v []float64 // rows are singular vectors; block diagonal until the last merge
}

// bidiagonalLeaf is the order up to which QR iterations find the vectors.
const bidiagonalLeaf = 16

// bidiagonalSpace returns the length of the work space that bidiagonalVectors needs.
func bidiagonalSpace(n int) int { return 5 * n * n }

// bidiagonalVectors overwrites d with the singular values, ascending, of the
// upper bidiagonal matrix with diagonal d and superdiagonal e and returns the
// left and right singular vectors as the rows of n×n matrices in space. e is
// destroyed.
func bidiagonalVectors(b *nativeBackend, d, e, space []float64) (u, v []float64, err error) {
	n := len(d)
	part := func(i int) []float64 { return space[i*n*n : (i+1)*n*n] }
	c := &bidiagonal{mergeSpace{nil, implementation{b: b}, part(2), part(3), part(4)}, n, d, e, part(0), part(1)}
	clear(space[:2*n*n])
	return c.u, c.v, c.solve(0, n, 0)
}

// solve decomposes rows [lo, hi), which have columns [lo, hi+extra). With extra 1
// row hi of v becomes the vector that the rows take to zero.
func (c *bidiagonal) solve(lo, hi, extra int) error {
	if hi-lo <= bidiagonalLeaf {
		return c.leaf(lo, hi, extra)
	}
	mid := lo + (hi-lo)/2
	if err := c.solve(lo, mid, 1); err != nil {
		return err
	}
	if err := c.solve(mid+1, hi, extra); err != nil {
		return err
	}
	c.merge(lo, mid, hi, extra)
	return nil
}

// leaf decomposes a small matrix by QR iterations.
func (c *bidiagonal) leaf(lo, hi, extra int) error {
	m := hi - lo
	d, e := c.d[lo:hi], c.e[lo:max(lo, hi-1)]
	for i := lo; i < hi+extra; i++ {
		c.v[i*c.n+i] = 1
	}
	if extra == 1 { // rotations with the last column take it to zero
		last := c.v[hi*c.n+lo : hi*c.n+hi+1]
		fill := c.e[hi-1]
		for i := m - 1; i >= 0; i-- {
			r := math.Hypot(d[i], fill)
			if fill == 0 {
				break
			}
			co, si := d[i]/r, fill/r
			d[i] = r
			rotate(c.v[(lo+i)*c.n+lo:][:m+1], last, co, si)
			if i > 0 {
				fill = -si * e[i-1]
				e[i-1] *= co
			}
		}
	}
	// gonum's routine overwrites V with Pᵀ·V and a matrix C with Qᵀ·C.
	u := c.u[lo*c.n+lo:]
	for i := range m {
		u[i*c.n+i] = 1
	}
	var work [4 * bidiagonalLeaf]float64
	if !lapackGonum.Dbdsqr(gblas.Upper, m, m+extra, 0, m, d, e, c.v[lo*c.n+lo:], c.n, nil, 1, u, c.n, work[:]) {
		return errNoConvergence
	}
	slices.Reverse(d) // it has put them in descending order
	for i := range m / 2 {
		swap(u[i*c.n:][:m], u[(m-1-i)*c.n:][:m])
		swap(c.v[(lo+i)*c.n+lo:][:m+extra], c.v[(hi-1-i)*c.n+lo:][:m+extra])
	}
	return nil
}

// rotate replaces the vectors x and y by co·x + si·y and co·y − si·x.
func rotate(x, y []float64, co, si float64) {
	y = y[:len(x)]
	for i, v := range x {
		w := y[i]
		x[i], y[i] = co*v+si*w, co*w-si*v
	}
}

func swap(x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		x[i], y[i] = y[i], v
	}
}

// merge joins the decompositions of rows [lo, mid) and [mid+1, hi). Row i of the
// vectors belongs to value i; the middle row stands for the value 0 of the
// first row of M.
func (c *bidiagonal) merge(lo, mid, hi, extra int) {
	m := hi - lo
	top := mid - lo
	alpha, beta := c.d[mid], c.e[mid]
	d := c.d[lo:hi]
	d[top] = 0
	u, v := c.u[lo*c.n+lo:], c.v[lo*c.n+lo:]
	u[top*c.n+top] = 1
	z := make([]float64, m)
	for i := range z {
		if i <= top {
			z[i] = alpha * v[i*c.n+top]
		} else {
			z[i] = beta * v[i*c.n+top+1]
		}
	}
	if extra == 1 { // of the two vectors that the halves take to zero one is left
		x, y := v[top*c.n:][:m+1], v[m*c.n:][:m+1]
		if q := beta * y[top+1]; q != 0 {
			r := math.Hypot(z[top], q)
			rotate(x, y, z[top]/r, q/r)
			z[top] = r
		}
	}
	norm := math.Max(math.Abs(alpha), math.Abs(beta))
	for _, x := range d {
		norm = math.Max(norm, x)
	}

	// Places in ascending order, the first row of M before all others.
	order := make([]int, m)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case a == b:
			return 0
		case a == top || b != top && d[a] < d[b]:
			return -1
		case b == top || d[a] > d[b]:
			return 1
		}
		return a - b
	})
	kind := make([]int, m)
	for i := range kind {
		switch {
		case i > top:
			kind[i] = bottomOnly
		case i == top && extra == 1:
			kind[i] = both
		}
	}
	kept := c.deflate(norm, order, kind, d, z, u, v, m, extra)
	k := len(kept)
	if k == 1 { // nothing is left of z but its first element
		if d[top] = z[top]; z[top] < 0 {
			d[top] = -z[top]
			for i := range v[top*c.n:][:m+extra] {
				v[top*c.n+i] = -v[top*c.n+i]
			}
		}
		kept, k = nil, 0
	}
	takesPart := make([]bool, m)
	for _, i := range kept {
		takesPart[i] = true
	}
	for i := range kind {
		if !takesPart[i] {
			kind[i] = deflated
		}
	}

	// Weights of norm 1, values divided by a power of two near the largest.
	_, exponent := math.Frexp(norm)
	unit := math.Ldexp(1, exponent)
	value, pole, weight := make([]float64, k), make([]float64, k), make([]float64, k)
	var square float64
	for t, i := range kept {
		value[t] = d[i] / unit
		pole[t] = value[t] * value[t]
		weight[t] = z[i] / unit
		square += weight[t] * weight[t]
	}
	for t := range weight {
		weight[t] /= math.Sqrt(square)
	}
	workers := c.f.b.workers(tuning.ProductThreads, 16*float64(k)*float64(k))
	right := secular.Solve(pole, weight, square, workers)
	roots := make([]float64, k)
	for t := range roots {
		roots[t] = math.Sqrt(math.Max(right.Value(t), 0)) * unit
	}
	j := newJoint(kept, kind, d, roots)
	c.multiply(j, workers, v, c.n, m+extra, top+1, top+1, right)
	c.arrange(j, v, c.n, m+extra)
	if k > 0 {
		left := right.Left(value, workers)
		c.multiply(j, workers, u, c.n, m, top, top+1, left)
		first := make([]float64, k)
		left.Row(first, 0, 0)
		for t, x := range first {
			c.w[t*m+top] = x
		}
	}
	c.arrange(j, u, c.n, m)
	j.values(d, roots)
}

// deflate returns the places that take part in the secular equation, by ascending
// pole: the first row of M always does. Elements of z of up to 32 rounding errors
// of the norm are dropped; of two poles as close as that, one loses its element of
// z by a rotation of both vectors.
func (c *bidiagonal) deflate(norm float64, order, kind []int, d, z, u, v []float64, m, extra int) []int {
	tol := 0x1p-47 * norm
	top := order[0]
	kept := append(make([]int, 0, m), top)
	for _, i := range order[1:] {
		if math.Abs(z[i]) <= tol {
			continue
		}
		if p := kept[len(kept)-1]; p != top && d[i]-d[p] <= tol {
			r := math.Hypot(z[i], z[p])
			co, si := z[i]/r, -z[p]/r
			z[i], z[p] = r, 0
			if kind[i] != kind[p] {
				kind[i] = both
			}
			rotate(u[p*c.n:][:m], u[i*c.n:][:m], co, si)
			rotate(v[p*c.n:][:m+extra], v[i*c.n:][:m+extra], co, si)
			kept = kept[:len(kept)-1]
		}
		kept = append(kept, i)
	}
	if len(kept) > 1 {
		// the pole 0 and the one after it stay apart
		if math.Abs(z[top]) <= tol {
			z[top] = math.Copysign(tol, z[top])
		}
		d[kept[1]] = math.Max(d[kept[1]], tol/2)
	}
	return kept
}
