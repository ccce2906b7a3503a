package blas

import (
	"errors"
	"math"
	"slices"

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

	// Deflation: a negligible z, or two d so close that a rotation makes one z
	// zero at the cost of a negligible error.
	var top float64
	for i := range d {
		top = max(top, math.Abs(d[i]), math.Abs(z[i]))
	}
	const eps = 0x1p-53
	tol := 8 * eps * top
	kind := make([]int, m)
	for i := range kind {
		if i >= mid-lo {
			kind[i] = bottomOnly
		}
	}
	keep := make([]int, 0, m)
	prev := -1
	for _, j := range order {
		if !(rho*math.Abs(z[j]) > tol) {
			kind[j] = deflated
			continue
		}
		if prev >= 0 {
			r := math.Hypot(z[j], z[prev])
			co, si := z[j]/r, -z[prev]/r
			if math.Abs((d[j]-d[prev])*co*si) <= tol {
				z[j], z[prev] = r, 0
				if kind[j] != kind[prev] {
					kind[j] = both
				}
				kind[prev] = deflated
				x, y := c.row(lo+prev, lo, hi), c.row(lo+j, lo, hi)
				for i := range x {
					x[i], y[i] = co*x[i]+si*y[i], co*y[i]-si*x[i]
				}
				d[prev], d[j] = d[prev]*co*co+d[j]*si*si, d[prev]*si*si+d[j]*co*co
			} else {
				keep = append(keep, prev)
			}
		}
		prev = j
	}
	if prev >= 0 {
		keep = append(keep, prev)
	}
	k := len(keep)
	if k == 0 {
		c.arrange(lo, hi, m, nil, kind)
		return nil
	}

	// The kept eigenvectors, grouped so that their zeros are blocks.
	pole, weight := make([]float64, k), make([]float64, k)
	column := make([]int, k) // of the i-th kept pair in the groups
	var size [3]int
	for _, j := range keep {
		size[kind[j]]++
	}
	next := [3]int{0, size[topOnly], size[topOnly] + size[both]}
	for i, j := range keep {
		pole[i], weight[i] = d[j], z[j]
		column[i] = next[kind[j]]
		next[kind[j]]++
		copy(c.g[column[i]*m:(column[i]+1)*m], c.row(lo+j, lo, hi))
	}

	// Roots, and the distances pole − root to full relative accuracy.
	roots := make([]float64, k)
	workers := c.b.workers(tuning.ProductThreads, 16*float64(k)*float64(k))
	failed := make([]bool, k)
	dist := c.w[:k*k]
	run(workers, k, 16, func(from, to int) {
		for j := from; j < to; j++ {
			var ok bool
			roots[j], ok = secular(j, pole, weight, rho, dist[j*k:(j+1)*k])
			failed[j] = !ok
		}
	})
	if slices.Contains(failed, true) {
		return errNoConvergence
	}
	// The weights of which the computed roots are the exact ones.
	hat := make([]float64, k)
	run(workers, k, 64, func(from, to int) {
		for i := from; i < to; i++ {
			hat[i] = dist[i*k+i]
		}
		for j := range k {
			row := dist[j*k : (j+1)*k]
			for i := from; i < to; i++ {
				if i != j {
					hat[i] *= row[i] / (pole[i] - pole[j])
				}
			}
		}
		for i := from; i < to; i++ {
			hat[i] = math.Copysign(math.Sqrt(math.Abs(hat[i])), weight[i])
		}
	})
	run(workers, k, 16, func(from, to int) {
		for j := from; j < to; j++ {
			row, out := dist[j*k:(j+1)*k], c.s[j*k:(j+1)*k]
			var sum float64
			for i := range row {
				row[i] = hat[i] / row[i]
				sum += row[i] * row[i]
			}
			sum = 1 / math.Sqrt(sum)
			for i, x := range row {
				out[column[i]] = x * sum
			}
		}
	})

	// New eigenvectors: two products that leave the zeros out.
	f := implementation{b: c.b}
	left, right := mid-lo, hi-mid
	up, down := size[topOnly]+size[both], size[both]+size[bottomOnly]
	f.Dgemm(gblas.NoTrans, gblas.NoTrans, k, left, up, 1, c.s, k, c.g, m, 0, c.w, m)
	f.Dgemm(gblas.NoTrans, gblas.NoTrans, k, right, down, 1, c.s[size[topOnly]:], k, c.g[size[topOnly]*m+left:], m, 0, c.w[left:], m)
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

// secular finds root j, 0 ≤ j < k, of 1 + rho·Σᵢ weight[i]²/(pole[i]−x): the one
// between poles j and j+1 or above the last. Poles ascend strictly, rho > 0,
// Σ weight² = 1 up to what deflation left. dist gets pole[i]−x, computed
// from the distance to the nearer pole so that it is accurate when it is tiny.
func secular(j int, pole, weight []float64, rho float64, dist []float64) (root float64, ok bool) {
	k := len(pole)
	if k == 1 {
		step := rho * weight[0] * weight[0]
		dist[0] = -step
		return pole[0] + step, true
	}
	const eps = 0x1p-53
	last := j == k-1
	// a and b are the poles that the interpolation goes through, origin the one
	// that x = pole[origin] + mu is measured from.
	a, b := j, j+1
	if last {
		a, b = k-2, k-1
	}
	split := b // poles before it are summed in psi, the others in phi
	origin := j
	delta := dist
	shift := func() {
		for i, p := range pole {
			delta[i] = p - pole[origin]
		}
	}
	eval := func(mu float64) (psi, dpsi, phi, dphi float64) {
		for i, p := range delta[:split] {
			t := weight[i] / (p - mu)
			psi += weight[i] * t
			dpsi += t * t
		}
		for i := split; i < k; i++ {
			t := weight[i] / (delta[i] - mu)
			phi += weight[i] * t
			dphi += t * t
		}
		return
	}
	shift()
	inv := 1 / rho
	var lo, hi, mu float64
	if last {
		// the root is at most rho·Σ weight² above the pole
		var sum float64
		for _, w := range weight {
			sum += w * w
		}
		lo, hi = 0, rho*sum*(1+4*eps)
		mu = hi / 2
	} else {
		gap := delta[j+1]
		psi, _, phi, _ := eval(gap / 2)
		mid := inv + psi + phi
		// the other poles as at the middle, these two exactly
		za, zb := weight[a]*weight[a], weight[b]*weight[b]
		rest := mid + 2*za/gap - 2*zb/gap
		if mid >= 0 {
			lo, hi = 0, gap/2
			p, q := rest*gap+za+zb, za*gap
			if r := math.Sqrt(math.Abs(p*p - 4*q*rest)); p > 0 {
				mu = 2 * q / (p + r)
			} else {
				mu = (p - r) / (2 * rest)
			}
		} else {
			origin = j + 1
			shift()
			lo, hi = -gap/2, 0
			p, q := rest*gap-za-zb, zb*gap
			if r := math.Sqrt(math.Abs(p*p + 4*q*rest)); p < 0 {
				mu = 2 * q / (p - r)
			} else {
				mu = -(p + r) / (2 * rest)
			}
		}
		if !(mu > lo && mu < hi) {
			mu = (lo + hi) / 2
		}
	}
	for range 100 {
		psi, dpsi, phi, dphi := eval(mu)
		w := inv + psi + phi
		if w < 0 {
			lo = mu
		} else {
			hi = mu
		}
		if math.Abs(w) <= 4*eps*(inv+math.Abs(psi)+math.Abs(phi)) || hi-lo <= 2*eps*math.Abs(mu) {
			ok = true
			break
		}
		// the middle way: psi and phi by one pole each, with their slopes
		da, db := delta[a]-mu, delta[b]-mu
		cc := w - da*dpsi - db*dphi
		aa := (da+db)*w - da*db*(dpsi+dphi)
		bb := da * db * w
		var step float64
		r := math.Sqrt(math.Abs(aa*aa - 4*bb*cc))
		switch {
		case cc == 0:
			step = bb / aa
		case last:
			if aa >= 0 {
				step = (aa + r) / (2 * cc)
			} else {
				step = 2 * bb / (aa - r)
			}
		case aa <= 0:
			step = (aa - r) / (2 * cc)
		default:
			step = 2 * bb / (aa + r)
		}
		if !(w*step < 0) {
			step = -w / (dpsi + dphi)
		}
		if next := mu + step; next > lo && next < hi {
			if next == mu {
				ok = true
				break
			}
			mu = next
		} else if next := lo + (hi-lo)/2; next > lo && next < hi {
			mu = next
		} else {
			ok = true
			break
		}
	}
	for i := range delta {
		delta[i] -= mu
		if delta[i] == 0 { // cannot be a root: the nearest number is
			delta[i] = math.Copysign(math.SmallestNonzeroFloat64, -mu)
		}
	}
	return pole[origin] + mu, ok
}
