package small

import "math"

// sweeps is how often all pairs are rotated at most. Some five are enough.
const sweeps = 20

// EigenSym2 returns the eigenvalues of a symmetric matrix, ascending, and the orthogonal matrix whose column j is the
// eigenvector of eigenvalue j. The element below the diagonal is not read. The error is a *gram.DataError for an element that is not
// finite.
func EigenSym2(a [2][2]float64) (values [2]float64, vectors [2][2]float64, err error) {
	w, v, err := eigenSym(2, of2(a))
	return [2]float64(w[:2]), v.to2(), err
}

// EigenSym3 returns the eigenvalues and eigenvectors of a 3×3 matrix as EigenSym2 does.
func EigenSym3(a [3][3]float64) (values [3]float64, vectors [3][3]float64, err error) {
	w, v, err := eigenSym(3, of3(a))
	return [3]float64(w[:3]), v.to3(), err
}

// EigenSym4 returns the eigenvalues and eigenvectors of a 4×4 matrix as EigenSym2 does.
func EigenSym4(a [4][4]float64) (values [4]float64, vectors [4][4]float64, err error) {
	w, v, err := eigenSym(4, a)
	return w, v, err
}

// eigenSym returns eigenvalues and eigenvectors of the upper triangle of the n×n matrix a by the method of Jacobi, as EigenSym2
// does: rotations make all elements off the diagonal negligible.
func eigenSym(n int, a square) (values [maxOrder]float64, vectors square, err error) {
	for i := range n {
		for j := range i {
			a[i][j] = a[j][i]
		}
	}
	if err := a.finite(n); err != nil {
		return values, vectors, err
	}
	var v square // rows are vectors
	for i := range v {
		v[i][i] = 1
	}
	for range sweeps {
		changed := false
		for p := range n - 1 {
			for q := p + 1; q < n; q++ {
				pq := a[p][q]
				if math.Abs(pq) <= 0x1p-54*min(math.Abs(a[p][p]), math.Abs(a[q][q])) {
					continue
				}
				changed = true
				t, r := rotationOf((float64(.5*a[q][q]) - float64(.5*a[p][p])) / pq)
				a[p][p] -= float64(t * pq)
				a[q][q] += float64(t * pq)
				a[p][q] = 0
				for k := range n {
					if k != p && k != q {
						x, y := &a[min(k, p)][max(k, p)], &a[min(k, q)][max(k, q)]
						*x, *y = r.turn(*x, *y)
					}
				}
				for k := range n {
					v[p][k], v[q][k] = r.turn(v[p][k], v[q][k])
				}
			}
		}
		if !changed {
			break
		}
	}
	var order [maxOrder]int
	for i := range n {
		k := i
		for ; k > 0 && values[k-1] > a[i][i]; k-- {
			values[k], order[k] = values[k-1], order[k-1]
		}
		values[k], order[k] = a[i][i], i
	}
	for j, from := range order[:n] {
		for i := range n {
			vectors[i][j] = v[from][i]
		}
	}
	return values, vectors, nil
}

// A rotation is (x, y) → (c·x − s·y, s·x + c·y).
type rotation struct{ c, s float64 }

// rotationOf returns the smaller root t of t² + 2τt − 1 and the rotation whose tangent it is.
func rotationOf(tau float64) (t float64, r rotation) {
	h := math.Abs(tau)
	m := min(h, 0x1p500)
	t = math.Copysign(1/(h+max(math.Sqrt(float64(m*m)+1), h)), tau)
	c := 1 / math.Sqrt(float64(t*t)+1)
	return t, rotation{c, t * c}
}

func (r rotation) turn(x, y float64) (float64, float64) {
	return float64(r.c*x) - float64(r.s*y), float64(r.s*x) + float64(r.c*y)
}
