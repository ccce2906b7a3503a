package batch

import (
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/lanes"
)

// sweeps is how often the elements off the diagonals are made zero at most. Some seven are enough.
const sweeps = 30

// EigenSym computes the eigenvalues of the symmetric matrices whose upper triangles are those of a, ascending: those of
// matrix q are values[q·n:][:n]. It sets column j of matrix q of vectors to the unit eigenvector of eigenvalue j, unless
// vectors has no matrices. a is not changed, but vectors may be a. The sign of a vector is not determined. It panics if shapes
// do not fit, values is too short or the matrices of vectors overlap. Cost: some 40n³ flops for each.
//
// The error is Errors: the *Error of a matrix has a *gram.DataError for an element that is not finite, or for an
// eigenvalue that is too large for a number. The eigenvalues of such matrices are NaN and their vectors unchanged.
func EigenSym(a Matrices, values []float64, vectors Matrices) error {
	a.check("A", false)
	vectors.check("the vectors", true)
	n := a.Rows
	withVectors := vectors.Count > 0
	if a.Cols != n || withVectors && (vectors.Count != a.Count || vectors.Rows != n || vectors.Cols != n) {
		panic("batch: shapes do not fit")
	}
	if len(values) < a.Count*n {
		panic("batch: insufficient length of values")
	}
	if n == 0 || a.Count == 0 {
		return nil
	}
	x, done := groups(2 * n * n)
	defer done()
	const w = lanes.Width
	j := jacobi{a: group{x[:n*n*w], n, n}}
	if withVectors {
		j.v = x[n*n*w:][:n*n*w]
	}
	var errs Errors
	for q := 0; q < a.Count; q += w {
		count := j.a.load(a, q)
		j.diagonalize(1<<count - 1)
		for l := range count {
			to := values[(q+l)*n:][:n]
			if j.sorted(l, to) {
				j.storeVectors(l, vectors, q+l)
				continue
			}
			err := notFinite(a, q+l, false)
			if err == nil {
				err = &gram.DataError{Row: -1, Value: math.Inf(1), Argument: "an eigenvalue"}
			}
			errs = append(errs, &Error{q + l, err})
			for i := range to {
				to[i] = math.NaN()
			}
		}
	}
	return errs.or()
}

// jacobi is the method of Jacobi for a group.
type jacobi struct {
	a     group
	v     []float64 // rows are vectors; nil if they are not wanted
	order [MaxOrder]int
}

// diagonalize rotates until the elements off the diagonals of the lanes whose bits are set in active are negligible.
func (j *jacobi) diagonalize(active int) {
	const w = lanes.Width
	n, x := j.a.rows, j.a.x
	clear(j.v)
	for i := range n {
		for l := 0; l < w && j.v != nil; l++ {
			j.v[(i*n+i)*w+l] = 1
		}
	}
	at := func(i, k int) []float64 { return x[(i*n+k)*w:] }
	var cs [2 * w]float64
	for range sweeps {
		changed := 0
		for p := range n - 1 {
			for q := p + 1; q < n; q++ {
				rotated := lanes.Angle(at(p, p), at(p, q), at(q, q), cs[:]) & active
				if rotated == 0 {
					continue
				}
				changed |= rotated
				lanes.Turn(p, at(0, p), n, at(0, q), n, cs[:])
				lanes.Turn(q-p-1, at(p, p+1), 1, at(p+1, q), n, cs[:])
				lanes.Turn(n-1-q, at(p, q)[w:], 1, at(q, q)[w:], 1, cs[:])
				if j.v != nil {
					lanes.Turn(n, j.v[p*n*w:], 1, j.v[q*n*w:], 1, cs[:])
				}
			}
		}
		if changed == 0 {
			return
		}
	}
}

// sorted sets values to the eigenvalues of lane l and order to their places. It returns false if one is not finite.
func (j *jacobi) sorted(l int, values []float64) bool {
	n := len(values)
	for i := range n {
		v := j.a.x[(i*n+i)*lanes.Width+l] + 0 // −0 is 0
		if v-v != 0 {
			return false
		}
		k := i
		for ; k > 0 && values[k-1] > v; k-- {
			values[k], j.order[k] = values[k-1], j.order[k-1]
		}
		values[k], j.order[k] = v, i
	}
	return true
}

// storeVectors stores the vectors of lane l in order to matrix q of m.
func (j *jacobi) storeVectors(l int, m Matrices, q int) {
	if j.v == nil {
		return
	}
	n := m.Rows
	for c := range n {
		from := j.v[j.order[c]*n*lanes.Width+l:]
		to := m.from(q)[c:]
		for i := range n {
			to[i*m.Stride] = from[i*lanes.Width] + 0 // −0 is 0
		}
	}
}
