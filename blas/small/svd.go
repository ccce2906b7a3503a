package small

import "math"

// SVD2 returns the singular value decomposition a = u·diag(s)·vᵀ with orthogonal u and v and descending s ≥ 0. The error is a
// *gram.DataError for an element that is not finite.
func SVD2(a [2][2]float64) (u [2][2]float64, s [2]float64, v [2][2]float64, err error) {
	x, w, y, err := svd(2, of2(a))
	return x.to2(), [2]float64(w[:2]), y.to2(), err
}

// SVD3 returns the singular value decomposition of a 3×3 matrix as SVD2 does.
func SVD3(a [3][3]float64) (u [3][3]float64, s [3]float64, v [3][3]float64, err error) {
	x, w, y, err := svd(3, of3(a))
	return x.to3(), [3]float64(w[:3]), y.to3(), err
}

// SVD4 returns the singular value decomposition of a 4×4 matrix as SVD2 does.
func SVD4(a [4][4]float64) (u [4][4]float64, s [4]float64, v [4][4]float64, err error) {
	x, w, y, err := svd(4, a)
	return x, w, y, err
}

// nothing is the size of columns, beside the largest element, whose squares are too small to be numbers.
const nothing = 0x1p-480

// svd rotates the columns of a until they are orthogonal (M. R. Hestenes, 1958).
func svd(n int, a square) (u square, s [maxOrder]float64, v square, err error) {
	if err := a.finite(n); err != nil {
		return u, s, v, err
	}
	largest := 0.
	for i := range n {
		for _, x := range a[i][:n] {
			largest = max(largest, math.Abs(x))
		}
	}
	e := exponent(largest)
	var w, y square // rows are the columns of a·v and of v
	for i := range n {
		y[i][i] = 1
		for j := range n {
			w[j][i] = scaled(a[i][j], -e)
		}
	}
	for range sweeps {
		changed := false
		for p := range n - 1 {
			for q := p + 1; q < n; q++ {
				changed = orthogonal(n, &w, &y, p, q) || changed
			}
		}
		if !changed {
			break
		}
	}
	var size [maxOrder]float64
	var order [maxOrder]int
	for i := range n {
		k := i
		norm := math.Sqrt(dot(n, &w[i], &w[i]))
		if norm < nothing {
			norm = 0
		}
		for ; k > 0 && size[k-1] < norm; k-- {
			size[k], order[k] = size[k-1], order[k-1]
		}
		size[k], order[k] = norm, i
	}
	for j, from := range order[:n] {
		s[j] = scaled(size[j], e)
		for i := range n {
			v[i][j] = y[from][i]
			if size[j] > 0 {
				u[i][j] = w[from][i] / size[j]
			}
		}
		if size[j] == 0 {
			u.complete(n, j)
		}
	}
	return u, s, v, nil
}

// orthogonal makes rows p and q of w orthogonal, the larger one first, and rotates y along. It returns false if they are
// and stay where they are.
func orthogonal(n int, w, y *square, p, q int) bool {
	pp, qq, pq := dot(n, &w[p], &w[p]), dot(n, &w[q], &w[q]), dot(n, &w[p], &w[q])
	swapped := pp < qq
	if swapped {
		w[p], w[q], y[p], y[q] = w[q], w[p], y[q], y[p]
		pp, qq = qq, pp
	}
	if qq < nothing*nothing || math.Abs(pq) <= 0x1p-51*math.Sqrt(pp)*math.Sqrt(qq) {
		return swapped // the others have not met in this order
	}
	_, r := rotationOf((float64(.5*qq) - float64(.5*pp)) / pq)
	for k := range n {
		w[p][k], w[q][k] = r.turn(w[p][k], w[q][k])
		y[p][k], y[q][k] = r.turn(y[p][k], y[q][k])
	}
	return true
}

func dot(n int, x, y *[maxOrder]float64) (sum float64) {
	for k := range n {
		sum += float64(x[k] * y[k])
	}
	return sum
}

// complete sets column j to a unit vector that is orthogonal to those before it.
func (s *square) complete(n, j int) {
	best := 0.
	var column [maxOrder]float64
	for k := range n { // the unit vector of which most is left
		var x [maxOrder]float64
		x[k] = 1
		for range 2 {
			for c := range j {
				along := 0.
				for i := range n {
					along += float64(s[i][c] * x[i])
				}
				for i := range n {
					x[i] -= float64(along * s[i][c])
				}
			}
		}
		if norm := math.Sqrt(dot(n, &x, &x)); norm > best {
			best = norm
			for i := range n {
				column[i] = x[i] / norm
			}
		}
	}
	for i := range n {
		s[i][j] = column[i]
	}
}
