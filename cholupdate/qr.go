package cholupdate

import (
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/level2"
	gramblas "github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/num"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// A QR is the factorization A = QR of an m×n matrix, m ≥ n, that changes: columns and rows are
// inserted and deleted, columns moved, and matrices of rank one are added. Q is m×n with orthonormal columns
// and R is n×n and upper triangular; the signs of its diagonal are not fixed. R is up to these signs the
// Cholesky factor of AᵀA, but the errors of a QR grow with cond(A) where those of a Factor
// grow with its square.
//
// Changes use Givens rotations. A vector that has to be orthogonal to Q is made so by passes of Gram and Schmidt's
// method, so that Q stays orthonormal to about n·eps after each change, and the errors of many changes add up. A
// change allocates nothing unless the matrix grows beyond the memory that it has.
// [Daniel Gragg Kaufman Stewart 1976]
type QR[F num.Float] struct {
	m, n int
	q    []F // Qᵀ, a row for each column of Q and one more, with stride ldq ≥ m
	r    []F // R and one more row, with stride ldr ≥ n
	ldq  int
	ldr  int
	rows int // that q and r have room for
	c, s []F // of a chain of rotations
	w    []F // Qᵀ times a vector
	v    []F // of m elements
}

// NewQR returns the factorization of a, m×n, by Householder reflectors in float64. The error is a *gram.DataError if
// an element is not finite. It panics if a has fewer rows than columns. Cost: 4mn² flops.
func NewQR[F num.Float](a mat.Matrix) (*QR[F], error) {
	m, n := a.Dims()
	if m < n {
		panic("cholupdate: the matrix has fewer rows than columns")
	}
	for i := range m {
		for j := range n {
			if v := a.At(i, j); v-v != 0 {
				return nil, &gram.DataError{Row: i, Col: j, Value: v, Argument: "a"}
			}
		}
	}
	f := new(QR[F])
	f.reserve(m, n)
	f.m, f.n = m, n
	if n == 0 {
		return f, nil
	}
	raw := mat.DenseCopyOf(a).RawMatrix()
	lapack := gramblas.Current().Lapack()
	tau, work := make([]float64, n), make([]float64, 1)
	lapack.Dgeqrf(m, n, raw.Data, raw.Stride, tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack.Dgeqrf(m, n, raw.Data, raw.Stride, tau, work, len(work))
	for i := range n {
		for j := i; j < n; j++ {
			f.r[i*f.ldr+j] = F(raw.Data[i*raw.Stride+j])
		}
	}
	lapack.Dorgqr(m, n, n, raw.Data, raw.Stride, tau, work[:1], -1)
	work = make([]float64, int(work[0]))
	lapack.Dorgqr(m, n, n, raw.Data, raw.Stride, tau, work, len(work))
	for i := range m {
		for j := range n {
			f.q[j*f.ldq+i] = F(raw.Data[i*raw.Stride+j])
		}
	}
	return f, nil
}

// reserve makes room for m rows and n columns.
func (f *QR[F]) reserve(m, n int) {
	if m <= f.ldq && n < f.rows {
		return
	}
	rows, ldq, ldr := f.rows, f.ldq, f.ldr
	if m > ldq {
		ldq = m + m/2 + 4
	}
	if n >= rows {
		rows = n + n/2 + 5
		ldr = rows - 1
	}
	q, r := make([]F, rows*ldq), make([]F, rows*ldr)
	for i := range f.n {
		copy(q[i*ldq:], f.q[i*f.ldq:i*f.ldq+f.m])
		copy(r[i*ldr:], f.r[i*f.ldr:i*f.ldr+f.n])
	}
	f.q, f.r, f.ldq, f.ldr, f.rows = q, r, ldq, ldr, rows
	f.c, f.s, f.w, f.v = make([]F, rows), make([]F, rows), make([]F, rows), make([]F, ldq)
}

// Dims returns the shape m×n of A.
func (f *QR[F]) Dims() (m, n int) { return f.m, f.n }

// R returns R, which shares the memory of f until the next change.
func (f *QR[F]) R() Triangular[F] {
	return Triangular[F]{Uplo: blas.Upper, Diag: blas.NonUnit, N: f.n, Data: f.r, Stride: max(1, f.ldr)}
}

// QTo sets dst to Q, m×n. dst must be of that shape or empty; else QTo panics.
func (f *QR[F]) QTo(dst *mat.Dense) {
	if dst.IsEmpty() && f.n > 0 {
		dst.ReuseAs(f.m, f.n)
	}
	if r, c := dst.Dims(); f.n > 0 && (r != f.m || c != f.n) {
		panic("cholupdate: dst has not the shape of Q")
	}
	for j := range f.n {
		for i, v := range f.column(j) {
			dst.Set(i, j, float64(v))
		}
	}
}

// SolveVec sets x, of length n, to the solution of min ‖Ax − b‖ for b of length m, which is not changed and
// has no memory in common with x. The error is a
// *gram.NotPDError, with the column, if R has a zero on its diagonal, so that AᵀA is singular;
// x is unchanged then. It panics if the lengths do not fit. Cost: 2mn + n² flops.
func (f *QR[F]) SolveVec(x, b []F) error {
	if len(x) != f.n || len(b) != f.m {
		panic("cholupdate: the vectors have not the lengths of the matrix")
	}
	for j := range f.n {
		if f.r[j*(f.ldr+1)] == 0 {
			return &gram.NotPDError{Pivot: j}
		}
	}
	clear(x)
	if f.n > 0 {
		level2.GemvN(x, f.q, f.ldq, b, 1)
		trsv(blas.NoTrans, f.R(), x)
	}
	return nil
}

// RankOne makes A into A + uvᵀ for u of length m and v of length n, which are not changed. The error is a *gram.DataError if
// u or v is not finite; f is unchanged then. It panics if the lengths do not fit. Cost: 16mn + 6n² flops.
func (f *QR[F]) RankOne(u, v []F) error {
	if err := f.accepts(u, f.m, "u"); err != nil {
		return err
	}
	if err := f.accepts(v, f.n, "v"); err != nil {
		return err
	}
	if f.n == 0 {
		return nil
	}
	f.reserve(f.m, f.n)
	clear(f.r[f.n*f.ldr : f.n*f.ldr+f.n])
	f.orthogonal(u, f.m > f.n)
	f.lift(0, f.n, f.n)
	for j, x := range v {
		f.r[j] += F(f.w[0] * x)
	}
	f.lower(0, f.n)
	return nil
}

// InsertColumn makes x, of length m, column j of A, which gets one column more. The error is a *gram.DataError if x is not
// finite; f is unchanged then. It panics if x has another length, if j is not in [0, n] or if n is m.
// Cost: 8mn + 6m(n−j) + 3(n−j)² flops.
func (f *QR[F]) InsertColumn(j int, x []F) error {
	if j < 0 || j > f.n {
		panic("cholupdate: index out of range")
	}
	if f.n == f.m {
		panic("cholupdate: the matrix has no room for a column")
	}
	if err := f.accepts(x, f.m, "x"); err != nil {
		return err
	}
	f.reserve(f.m, f.n+1)
	clear(f.r[f.n*f.ldr : f.n*f.ldr+f.n+1])
	f.orthogonal(x, true)
	for i := range f.n + 1 {
		row := f.r[i*f.ldr : i*f.ldr+f.n+1]
		copy(row[j+1:], row[j:f.n])
		row[j] = 0
	}
	f.lift(j, f.n, f.n+1) // rows j … n turn; in column j only element j is left of w
	for i := range j + 1 {
		f.r[i*f.ldr+j] = f.w[i]
	}
	f.n++
	return nil
}

// DeleteColumn takes column j out of A. It panics if j is not in [0, n). Cost: 6m(n−j) + 3(n−j)² flops.
func (f *QR[F]) DeleteColumn(j int) {
	if j < 0 || j >= f.n {
		panic("cholupdate: index out of range")
	}
	for i := range f.n {
		row := f.r[i*f.ldr : i*f.ldr+f.n]
		copy(row[j:], row[j+1:])
		row[f.n-1] = 0
	}
	f.n--
	f.lower(j, f.n)
}

// MoveColumn takes column from out of A and puts it back in at place to, so that the columns between move by one. It panics unless both are in
// [0, n). Cost: 6mk + 6nk flops for k = |from − to|.
func (f *QR[F]) MoveColumn(from, to int) {
	if from < 0 || from >= f.n || to < 0 || to >= f.n {
		panic("cholupdate: index out of range")
	}
	lo, hi := min(from, to), max(from, to)
	if lo == hi {
		return
	}
	f.reserve(f.m, f.n)
	for i := range hi + 1 {
		row := f.r[i*f.ldr+lo : i*f.ldr+hi+1]
		if from < to {
			first := row[0]
			copy(row, row[1:])
			row[len(row)-1] = first
			continue
		}
		f.w[i] = row[len(row)-1]
		copy(row[1:], row)
		row[0] = 0
	}
	if from < to {
		f.lower(lo, hi)
		return
	}
	f.lift(lo, hi, f.n) // in column to only element to is left of w
	for i := range lo + 1 {
		f.r[i*f.ldr+lo] = f.w[i]
	}
}

// InsertRow makes x, of length n, row i of A, which gets one row more. The error is a *gram.DataError if x is not
// finite; f is unchanged then. It panics if x has another length or if i is not in [0, m]. Cost: 6mn + 3n² flops.
func (f *QR[F]) InsertRow(i int, x []F) error {
	if i < 0 || i > f.m {
		panic("cholupdate: index out of range")
	}
	if err := f.accepts(x, f.n, "x"); err != nil {
		return err
	}
	f.reserve(f.m+1, f.n)
	// [1 0; 0 Q]·[xᵀ; R] with the new row at place i; R with the row above it has one diagonal below
	// the main one.
	for k := f.n; k > 0; k-- {
		copy(f.r[k*f.ldr:k*f.ldr+f.n], f.r[(k-1)*f.ldr:])
		to, from := f.q[k*f.ldq:k*f.ldq+f.m+1], f.q[(k-1)*f.ldq:]
		copy(to[:i], from[:i])
		copy(to[i+1:], from[i:f.m])
		to[i] = 0
	}
	f.m++
	first := f.column(0)
	clear(first)
	first[i] = 1
	copy(f.r, x)
	f.lower(0, f.n)
	return nil
}

// DeleteRow takes row i out of A. It panics if i is not in [0, m) or if m is n. Cost: 14mn + 3n² flops.
func (f *QR[F]) DeleteRow(i int) {
	if i < 0 || i >= f.m {
		panic("cholupdate: index out of range")
	}
	if f.m == f.n {
		panic("cholupdate: the matrix has no row to spare")
	}
	f.reserve(f.m, f.n)
	v := f.v[:f.m]
	clear(v)
	v[i] = 1
	clear(f.r[f.n*f.ldr : f.n*f.ldr+f.n])
	f.orthogonal(v, true)
	f.lift(0, f.n, f.n) // the first column of Q is now ±e_i, the others are 0 there
	for k := range f.n {
		copy(f.r[k*f.ldr:k*f.ldr+f.n], f.r[(k+1)*f.ldr:])
		to, from := f.q[k*f.ldq:k*f.ldq+f.m-1], f.q[(k+1)*f.ldq:]
		copy(to[:i], from[:i])
		copy(to[i:], from[i+1:f.m])
	}
	f.m--
}

// accepts returns the error of a vector that is not finite, and panics if its length is not n.
func (f *QR[F]) accepts(x []F, n int, name string) error {
	if len(x) != n {
		panic("cholupdate: the vector " + name + " has not the length of the matrix")
	}
	if i := notFinite(x); i >= 0 {
		return &gram.DataError{Row: i, Col: -4, Value: float64(x[i]), Argument: name}
	}
	return nil
}

// column returns column j of Q, of length m, which shares the memory of f.
func (f *QR[F]) column(j int) []F { return f.q[j*f.ldq : j*f.ldq+f.m] }

// orthogonal makes column n of Q orthogonal to the others such that u = [Q q]·w. If u is in their
// space the last element of w is 0; q is a unit vector nevertheless if needed is set, and else 0.
func (f *QR[F]) orthogonal(u []F, needed bool) {
	q, w := f.column(f.n), f.w[:f.n+1]
	copy(q, u)
	clear(w)
	size := nrm2(q)
	w[f.n] = F(f.project(q, w[:f.n], size))
	if w[f.n] != 0 || !needed {
		return
	}
	// The unit vector that is farthest from the space of Q.
	far, least := 0, math.Inf(1)
	for i := range f.m {
		sum := 0.
		for j := range f.n {
			v := float64(f.q[j*f.ldq+i])
			sum += v * v
		}
		if sum < least {
			far, least = i, sum
		}
	}
	q[far] = 1
	f.project(q, nil, 1)
}

// project takes out of q, whose norm is size, what it has of the columns of Q, adds that to w unless w is nil, and
// divides q by its norm, which it returns. If nothing but rounding is left, q becomes 0.
func (f *QR[F]) project(q, w []F, size float64) (norm float64) {
	c := f.c[:f.n]
	eps := 0x1p-50
	if F(1)+F(0x1p-40) == 1 {
		eps = 0x1p-21
	}
	norm = size
	for pass := 0; pass < 3 && f.n > 0; pass++ {
		before := norm
		clear(c)
		level2.GemvN(c, f.q, f.ldq, q, 1)
		level2.GemvT(q, f.q, f.ldq, c, -1)
		for i := range w {
			w[i] += c[i]
		}
		if norm = nrm2(q); norm <= size*eps {
			break
		}
		if norm > .7*before { // twice is enough
			break
		}
	}
	if !(norm > size*eps) {
		clear(q)
		return 0
	}
	for i := range q { // a factor 1/norm may be infinite
		q[i] = F(float64(q[i]) / norm)
	}
	return norm
}

// chain is the number of rotations that are applied to rows of R at once.
const chain = 32

// lift rotates rows first … last of [R; 0], and the columns of Q, from the last to the first, so that of
// elements first … last of w only the first is left. R has that many columns and gets a diagonal below the main one.
func (f *QR[F]) lift(first, last, columns int) {
	m := last - first
	c, s := f.c[:m], f.s[:m]
	below := float64(f.w[last])
	for k := range m {
		i := last - 1 - k
		up, r := float64(f.w[i]), 0.
		r, c[k], s[k] = rotationOf[F](up, -below)
		f.w[i+1], below = 0, r
	}
	f.w[first] = F(below)
	for k := 0; k < m; k += chain {
		end := min(k+chain, m)
		top := last - end // rows top … last−k
		level2.RotateRows(f.r[top*(f.ldr+1):], f.ldr, columns-top, c[k:end], s[k:end], true)
	}
	level2.RotateRows(f.q[first*f.ldq:], f.ldq, f.m, c, s, true)
}

// lower zeroes the diagonal below the main one in rows from … n, from the first to the last.
func (f *QR[F]) lower(from, n int) {
	for lo := from; lo < n; lo += chain {
		hi := min(lo+chain, n)
		for k := lo; k < hi; k++ {
			x, y := f.r[k*f.ldr+k:k*f.ldr+hi], f.r[(k+1)*f.ldr+k:(k+1)*f.ldr+hi]
			r, c, s := rotationOf[F](float64(x[0]), float64(y[0]))
			f.c[k], f.s[k] = c, s
			x[0], y[0] = F(r), 0
			for j := 1; j < len(x); j++ {
				x[j], y[j] = F(c*x[j])+F(s*y[j]), F(c*y[j])-F(s*x[j])
			}
		}
		if hi < f.n {
			level2.RotateRows(f.r[lo*f.ldr+hi:], f.ldr, f.n-hi, f.c[lo:hi], f.s[lo:hi], false)
		}
	}
	if from < n {
		level2.RotateRows(f.q[from*f.ldq:], f.ldq, f.m, f.c[from:n], f.s[from:n], false)
	}
}

// rotationOf returns r = √(x² + y²), x/r and y/r.
func rotationOf[F num.Float](x, y float64) (r float64, c, s F) {
	r = math.Sqrt(x*x + y*y)
	if !(r > 0x1p-400 && r < 0x1p400) {
		r = math.Hypot(x, y)
	}
	if r == 0 {
		return 0, 1, 0
	}
	return r, F(x / r), F(y / r)
}
