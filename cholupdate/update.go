package cholupdate

import (
	"math"
	"slices"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/chol"
	"github.com/gramworks/gram/num"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Triangular is a Cholesky factor in memory, an n×n matrix by rows, of which one triangle
// counts. It is blas64.Triangular for the type F: what mat.TriDense.RawTriangular returns is a
// Triangular[float64].
type Triangular[F num.Float] = struct {
	Uplo   blas.Uplo // blas.Lower for A = LLᵀ, blas.Upper for A = UᵀU
	Diag   blas.Diag // blas.NonUnit
	N      int       // the order n
	Data   []F       // row i begins at Data[i·Stride]
	Stride int       // at least max(1, n)
}

// Update overwrites the factor of A by the factor of A + xxᵀ. x has length n
// and is not changed.
//
// The error is a *gram.DataError if x or the diagonal of l is not finite and a
// *gram.NotPDError if that diagonal is not positive; nothing is written then. It panics
// if the shapes do not fit.
func Update[F num.Float](l Triangular[F], x []F) error {
	f := factorOf(l)
	_, err := f.change(chol.Update, x)
	return err
}

// Downdate overwrites the factor of A by the factor of A − xxᵀ and returns the
// margin 1 − xᵀA⁻¹x > 0. x has length n and is not changed. The error is a
// *gram.NotPDError with the failing pivot if the result would not be positive
// definite, and otherwise as for Update; l is unchanged on every error.
//
// The solution of Lp = x decides before anything is written, unless the margin
// 1 − pᵀp is below 1/16. Then rounding may matter, and Downdate keeps a copy of the
// triangle in memory that later calls use again. DowndateInPlace needs no copy.
func Downdate[F num.Float](l Triangular[F], x []F) (margin float64, err error) {
	f := factorOf(l)
	if margin, ok := f.changeSolved(chol.Downdate, x); ok {
		return margin, nil
	}
	if err = f.accepts(x); err != nil {
		return 0, err
	}
	saved := borrow[F](f.n * (f.n + 1) / 2)
	defer giveBack(saved)
	f.exchange(*saved, func(triangle, saved []F) { copy(saved, triangle) })
	if margin, err = f.rotate(chol.Downdate, x); err != nil {
		f.exchange(*saved, func(triangle, saved []F) { copy(triangle, saved) })
	}
	return margin, err
}

// DowndateInPlace downdates without a copy of the factor. If it returns a
// *gram.NotPDError, the content of l is undefined; otherwise it does what
// Downdate does.
func DowndateInPlace[F num.Float](l Triangular[F], x []F) (margin float64, err error) {
	f := factorOf(l)
	return f.change(chol.Downdate, x)
}

// UpdateRank overwrites the factor of A by the factor of A + XXᵀ for the n×k
// matrix x, which is not changed. The factor is read and written once for all k
// columns. Errors and panics are those of Update.
func UpdateRank(l blas64.Triangular, x blas64.General) error {
	f := factorOf(l)
	_, err := f.changeRank(chol.Update, x)
	return err
}

// DowndateRank overwrites the factor of A by the factor of A − XXᵀ for the n×k
// matrix x and returns the margin det(I − XᵀA⁻¹X). It works on a copy of the
// factor, which it allocates, so that l is unchanged on every error. Errors and
// panics are those of Downdate; the pivot is that of the first column of x that
// fails.
func DowndateRank(l blas64.Triangular, x blas64.General) (margin float64, err error) {
	f := factorOf(l)
	work := storedFactor[float64]{a: make([]float64, f.n*f.n), n: f.n, stride: max(1, f.n), lower: f.lower}
	work.copy(f)
	if margin, err = work.changeRank(chol.Downdate, x); err != nil {
		return margin, err
	}
	f.copy(work)
	return margin, nil
}

// storedFactor is a Cholesky factor in either storage order.
type storedFactor[F num.Float] struct {
	a         []F
	n, stride int
	lower     bool
}

func factorOf[F num.Float](t Triangular[F]) storedFactor[F] {
	check(t.Uplo, t.Diag, t.N, t.Stride, len(t.Data))
	return storedFactor[F]{a: t.Data, n: t.N, stride: t.Stride, lower: t.Uplo == blas.Lower}
}

func check(uplo blas.Uplo, diag blas.Diag, n, stride, length int) {
	switch {
	case uplo != blas.Upper && uplo != blas.Lower:
		panic("cholupdate: bad triangle")
	case diag != blas.NonUnit:
		panic("cholupdate: the factor has a unit diagonal")
	case n < 0:
		panic("cholupdate: negative order")
	case stride < max(1, n):
		panic("cholupdate: bad stride")
	case n > 0 && length < (n-1)*stride+n:
		panic("cholupdate: short data")
	}
}

// at returns the index of L_ij, i ≥ j.
func (f storedFactor[F]) at(i, j int) int {
	if f.lower {
		return i*f.stride + j
	}
	return j*f.stride + i
}

// trailing returns the factor of rows and columns k…n−1.
func (f storedFactor[F]) trailing(k int) storedFactor[F] {
	if k == f.n {
		return storedFactor[F]{stride: f.stride, lower: f.lower}
	}
	return storedFactor[F]{a: f.a[k*f.stride+k:], n: f.n - k, stride: f.stride, lower: f.lower}
}

func (f storedFactor[F]) copy(from storedFactor[F]) {
	for i := range f.n {
		copy(f.row(i), from.row(i))
	}
}

// row returns the part of a row that is in the triangle.
func (f storedFactor[F]) row(i int) []F {
	if f.lower {
		return f.a[i*f.stride : i*f.stride+i+1]
	}
	return f.a[i*f.stride+i : i*f.stride+f.n]
}

// exchange calls move for the rows of the triangle and their places in saved.
func (f storedFactor[F]) exchange(saved []F, move func(triangle, saved []F)) {
	for i := range f.n {
		row := f.row(i)
		move(row, saved[:len(row)])
		saved = saved[len(row):]
	}
}

// positive returns an error for the first diagonal element that is not a finite
// positive number.
func (f storedFactor[F]) positive() error {
	for k := range f.n {
		switch d := float64(f.a[f.at(k, k)]); {
		case d-d != 0:
			return &gram.DataError{Row: k, Col: -4, Value: d, Argument: "the diagonal of the factor"}
		case d <= 0:
			return &gram.NotPDError{Pivot: k, Margin: d}
		}
	}
	return nil
}

// change reads L once. For small orders it reads L twice, since one pass waits for the
// coefficients of each four columns.
func (f storedFactor[F]) change(kind chol.Kind, x []F) (margin float64, err error) {
	if f.n <= 128 {
		if margin, ok := f.changeSolved(kind, x); ok {
			return margin, nil
		}
	}
	if err := f.accepts(x); err != nil {
		return 0, err
	}
	return f.rotate(kind, x)
}

// accepts returns the error of a change by x for which nothing is written.
func (f storedFactor[F]) accepts(x []F) error {
	if len(x) != f.n {
		panic("cholupdate: the vector has not the factor's order")
	}
	if i := notFinite(x); i >= 0 {
		return &gram.DataError{Row: i, Col: -4, Value: float64(x[i]), Argument: "x"}
	}
	return f.positive()
}

func (f storedFactor[F]) rotate(kind chol.Kind, x []F) (margin float64, err error) {
	w := borrow[F](f.n)
	defer giveBack(w)
	copy(*w, x)
	return f.sweep(kind, *w, 1)
}

func (f storedFactor[F]) changeRank(kind chol.Kind, x blas64.General) (margin float64, err error) {
	switch {
	case x.Rows != f.n:
		panic("cholupdate: the matrix has not the factor's order")
	case x.Cols < 0 || x.Stride < max(1, x.Cols):
		panic("cholupdate: bad stride")
	case f.n > 0 && x.Cols > 0 && len(x.Data) < (f.n-1)*x.Stride+x.Cols:
		panic("cholupdate: short data")
	}
	for i := range x.Rows {
		row := x.Data[i*x.Stride : i*x.Stride+x.Cols]
		if j := notFinite(row); j >= 0 {
			return 0, &gram.DataError{Row: i, Col: j, Value: row[j], Argument: "x"}
		}
	}
	if err := f.positive(); err != nil {
		return 0, err
	}
	w := borrow[F](f.n * x.Cols)
	defer giveBack(w)
	for i := range x.Rows {
		for j := range x.Cols {
			(*w)[j*f.n+i] = F(x.Data[i*x.Stride+j])
		}
	}
	return f.sweep(kind, *w, x.Cols)
}

// notFinite returns the first index of x that holds NaN or infinity, else −1.
func notFinite[F num.Float](x []F) int {
	// v−v is 0 or NaN; four sums shorten the chain of dependent additions.
	var s0, s1, s2, s3 F
	i := 0
	for ; i+4 <= len(x); i += 4 {
		s0 += x[i] - x[i]
		s1 += x[i+1] - x[i+1]
		s2 += x[i+2] - x[i+2]
		s3 += x[i+3] - x[i+3]
	}
	for ; i < len(x); i++ {
		s0 += x[i] - x[i]
	}
	if s0+s1+s2+s3 == 0 {
		return -1
	}
	return slices.IndexFunc(x, func(v F) bool { return v-v != 0 })
}

// carried is a vector on its way down the factor, and what is known of the columns
// that it has passed.
type carried[F num.Float] struct {
	// w is √s times what rotations would have left of x. s is 1 ± the squares of the
	// elements of L⁻¹x that were eliminated since w was last divided by √s.
	w          []F
	s, inverse float64 // inverse = 1/√s
	margin     float64 // the product of all s before that

	// For a lower factor: the coefficients of the columns, four each. Where scale is not 0,
	// w is multiplied by it first, and the coefficients are those of rotations instead of
	// chol.Solved.
	r     []chol.Rotations[F]
	scale []float64
	plain bool // no scale is other than 0
}

// A column for which s leaves this range is rotated: the errors of chol.Solved grow with √s
// for updates and with 1/√s for downdates. The loss of a factor of four leaves the backward
// error that rotations have.
const leastSolved, mostSolved = 1. / 16, 16

// sweep changes the factor by k vectors, one after the other in w. Four columns of L go
// through all vectors before the next four, so that the factor passes through the cache
// once. kind is Update or Downdate.
//
// The rows of an upper factor are the columns of L and change as soon as their coefficients
// are known. A lower factor is cut into panels of rows, to which the stored coefficients of
// all columns before are applied: the elements of a single column would be far apart, each
// in a cache line of its own.
func (f storedFactor[F]) sweep(kind chol.Kind, w []F, k int) (margin float64, err error) {
	columns := !f.lower || f.n <= 4*chol.PanelRows
	quads := (f.n + 3) / 4
	kept := quads * k
	if columns {
		kept = 0
	}
	vectors, r, scale := borrowCarried[F](k), borrowRotations[F](kept), borrow[float64](kept)
	defer giveCarried(vectors)
	defer giveRotations(r)
	defer giveBack(scale)
	for i := range *vectors {
		v := &(*vectors)[i]
		*v = carried[F]{w: w[i*f.n : (i+1)*f.n], s: 1, inverse: 1, margin: 1, plain: true}
		if !columns {
			v.r, v.scale = (*r)[i*quads:(i+1)*quads], (*scale)[i*quads:(i+1)*quads]
		}
	}
	rows := f.n
	if !columns {
		rows = chol.PanelRows
	}
	for top := 0; top < f.n; top += rows {
		end := min(top+rows, f.n)
		for i := range *vectors {
			f.passed(kind, &(*vectors)[i], top, end)
		}
		for lo := top; lo < end; lo += 4 {
			for i := range *vectors {
				if err := f.eliminate(kind, lo, end, &(*vectors)[i]); err != nil {
					return min(0, err.Margin), err
				}
			}
		}
	}
	margin = 1
	for i := range *vectors {
		margin *= (*vectors)[i].margin * (*vectors)[i].s
	}
	return margin, nil
}

// passed applies the coefficients of all columns before top to rows top … end−1.
func (f storedFactor[F]) passed(kind chol.Kind, v *carried[F], top, end int) {
	w := v.w[top:end]
	for from, to := 0, 0; from < top/4; from = to {
		switch to = from + 1; {
		case v.plain:
			to = top / 4
		case v.scale[from] != 0:
			multiply(w, v.scale[from])
			chol.RotatePanel(kind, f.a[top*f.stride+4*from:], f.stride, w, v.r[from:to])
			continue
		default:
			for to < top/4 && v.scale[to] == 0 {
				to++
			}
		}
		chol.RotatePanel(chol.Solved, f.a[top*f.stride+4*from:], f.stride, w, v.r[from:to])
	}
}

// signOf returns −1 for a downdate and 1 otherwise, the factor of xxᵀ.
func signOf(kind chol.Kind) float64 {
	if kind == chol.Downdate {
		return -1
	}
	return 1
}

func multiply[F num.Float](w []F, c float64) {
	for i := range w {
		w[i] = F(float64(w[i]) * c)
	}
}

// eliminate computes the coefficients that zero elements lo … lo+3 of x and applies
// them to these columns of L, in rows lo … end−1.
func (f storedFactor[F]) eliminate(kind chol.Kind, lo, end int, v *carried[F]) *gram.NotPDError {
	var one chol.Rotations[F]
	r := &one
	if v.r != nil {
		r, v.scale[lo/4] = &v.r[lo/4], 0
	}
	hi := min(lo+4, f.n)
	if v.w[lo] == 0 && allZero(v.w[lo:hi]) {
		*r = chol.Rotations[F]{C: [4]F{1, 1, 1, 1}}
		return nil
	}
	var t triangle
	f.load(&t, lo, hi, v.w)
	how := chol.Solved
	if s, inverse, ok := t.solve(signOf(kind), v.s, v.inverse); ok {
		v.s, v.inverse = s, inverse
	} else {
		how = kind
		if v.r != nil {
			v.scale[lo/4], v.plain = v.inverse, false
		}
		multiply(v.w[lo:end], v.inverse)
		v.margin, v.s, v.inverse = v.margin*v.s, 1, 1
		f.load(&t, lo, hi, v.w)
		if kind == chol.Update {
			t.update()
		} else {
			failed, q := t.downdate()
			if failed >= 0 {
				return &gram.NotPDError{Pivot: lo + failed, Margin: min(0, q)}
			}
			v.margin *= q
		}
	}
	for i := range 4 {
		r.C[i], r.S[i], r.R[i] = F(t.c[i]), F(t.s[i]), F(t.r[i])
	}
	f.store(&t, lo, hi)
	switch {
	case hi >= end:
	case f.lower:
		chol.RotateLower(how, f.a[hi*f.stride+lo:], f.stride, v.w[hi:end], r)
	default:
		chol.Rotate(how, f.a[lo*f.stride+hi:], f.stride, v.w[hi:end], r)
	}
	return nil
}

func allZero[F num.Float](x []F) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

// triangle is a 4×4 diagonal block of L in float64 with its part of w, and the
// coefficients that zero that part. A block of lower order is filled up with the
// identity. The coefficients are one long chain of dependent operations, which
// determines the cost for small n. The elements are therefore separate variables,
// and 1/√q is computed as √q·(1/q), whose factors are independent.
type triangle struct {
	l00, l10, l20, l30, l11, l21, l31, l22, l32, l33 float64
	w0, w1, w2, w3                                   float64
	c, s, r                                          [4]float64
}

func (f storedFactor[F]) load(t *triangle, lo, hi int, x []F) {
	if hi-lo < 4 {
		*t = triangle{l00: 1, l11: 1, l22: 1, l33: 1}
	}
	down, right := f.stride, 1
	if !f.lower {
		down, right = 1, f.stride
	}
	l := f.a[lo*(f.stride+1):]
	switch hi - lo {
	case 4:
		t.l30, t.l31 = float64(l[3*down]), float64(l[3*down+right])
		t.l32, t.l33 = float64(l[3*down+2*right]), float64(l[3*down+3*right])
		t.w3 = float64(x[lo+3])
		fallthrough
	case 3:
		t.l20, t.l21, t.l22 = float64(l[2*down]), float64(l[2*down+right]), float64(l[2*down+2*right])
		t.w2 = float64(x[lo+2])
		fallthrough
	case 2:
		t.l10, t.l11 = float64(l[down]), float64(l[down+right])
		t.w1 = float64(x[lo+1])
		fallthrough
	default:
		t.l00 = float64(l[0])
		t.w0 = float64(x[lo])
	}
}

func (f storedFactor[F]) store(t *triangle, lo, hi int) {
	down, right := f.stride, 1
	if !f.lower {
		down, right = 1, f.stride
	}
	l := f.a[lo*(f.stride+1):]
	switch hi - lo {
	case 4:
		l[3*down], l[3*down+right] = F(t.l30), F(t.l31)
		l[3*down+2*right], l[3*down+3*right] = F(t.l32), F(t.l33)
		fallthrough
	case 3:
		l[2*down], l[2*down+right], l[2*down+2*right] = F(t.l20), F(t.l21), F(t.l22)
		fallthrough
	case 2:
		l[down], l[down+right] = F(t.l10), F(t.l11)
		fallthrough
	default:
		l[0] = F(t.l00)
	}
}

// solve computes the coefficients of chol.Solved from the solution z of Lz = w by
// elimination, and what they make of the block. s is 1 ± the squares of z in the columns
// before, inverse is 1/√s, and both are returned with the squares of this block. All square
// roots are independent of each other and come after the chain of products. Nothing is
// changed if s leaves its range or if an element of the diagonal is so large that its inverse
// loses digits; ok is false then.
func (t *triangle) solve(sign, s, inverse float64) (after, inverseAfter float64, ok bool) {
	l10, l20, l30, l21, l31, l32 := t.l10, t.l20, t.l30, t.l21, t.l31, t.l32
	d0, d1, d2, d3 := 1/t.l00, 1/t.l11, 1/t.l22, 1/t.l33

	// v, x and y are what is left of w after eliminations 0, 1 and 2.
	z0 := t.w0 * d0
	v1, v2, v3 := t.w1-z0*l10, t.w2-z0*l20, t.w3-z0*l30
	z1 := v1 * d1
	x2, x3 := v2-z1*l21, v3-z1*l31
	z2 := x2 * d2
	y3 := x3 - z2*l32
	z3 := y3 * d3

	s0 := s + sign*(z0*z0)
	s1 := s0 + sign*(z1*z1)
	s2 := s1 + sign*(z2*z2)
	s3 := s2 + sign*(z3*z3)
	const tiny = 0x1p-1000
	if !(s3 >= leastSolved && s3 <= mostSolved && d0 > tiny && d1 > tiny && d2 > tiny && d3 > tiny) {
		return 0, 0, false
	}
	r0, r1, r2, r3, i0, i1, i2, i3 := roots(s0, s1, s2, s3)
	c0, c1, c2, c3 := r0*inverse, r1*i0, r2*i1, r3*i2
	f0, f1, f2, f3 := sign*z0*(i0*inverse), sign*z1*(i1*i0), sign*z2*(i2*i1), sign*z3*(i3*i2)
	t.c, t.s, t.r = [4]float64{c0, c1, c2, c3}, [4]float64{z0, z1, z2, z3}, [4]float64{f0, f1, f2, f3}

	t.l00, t.l10, t.l20, t.l30 = t.l00*c0, c0*l10+f0*v1, c0*l20+f0*v2, c0*l30+f0*v3
	t.l11, t.l21, t.l31 = t.l11*c1, c1*l21+f1*x2, c1*l31+f1*x3
	t.l22, t.l32 = t.l22*c2, c2*l32+f2*y3
	t.l33 *= c3
	return s3, i3, true
}

// roots returns the square roots of four numbers and the inverses of these. One division
// serves all four.
func roots(s0, s1, s2, s3 float64) (r0, r1, r2, r3, i0, i1, i2, i3 float64) {
	a, b := s0*s1, s2*s3
	t := 1 / (a * b)
	a, b = b*t, a*t // 1/(s0·s1), 1/(s2·s3)
	r0, r1, r2, r3 = math.Sqrt(s0), math.Sqrt(s1), math.Sqrt(s2), math.Sqrt(s3)
	return r0, r1, r2, r3, r0 * (s1 * a), r1 * (s0 * a), r2 * (s3 * b), r3 * (s2 * b)
}

// update computes the rotations of w into the block, one after the other.
func (t *triangle) update() {
	l := [4][4]*float64{{&t.l00}, {&t.l10, &t.l11}, {&t.l20, &t.l21, &t.l22}, {&t.l30, &t.l31, &t.l32, &t.l33}}
	w := [4]*float64{&t.w0, &t.w1, &t.w2, &t.w3}
	for j := range 4 {
		r := math.Hypot(*l[j][j], *w[j])
		c, s := *l[j][j]/r, *w[j]/r
		t.c[j], t.s[j] = c, s
		*l[j][j] = r
		for i := j + 1; i < 4; i++ {
			*l[i][j], *w[i] = c**l[i][j]+s**w[i], c**w[i]-s**l[i][j]
		}
	}
}

// downdate computes the hyperbolic rotations from s = t/d and c² =
// (d−t)(d+t)/d², whose factors are accurate near their zeros. It returns the
// product of the c². If a pivot fails it returns that pivot with its c²; the
// block is undefined then.
func (t *triangle) downdate() (failed int, q float64) {
	w1, w2, w3 := t.w1, t.w2, t.w3
	d0, d1, d2, d3 := 1/t.l00, 1/t.l11, 1/t.l22, 1/t.l33

	q0 := ((t.l00 - t.w0) * d0) * ((t.l00 + t.w0) * d0)
	if !(q0 > 0) {
		return 0, q0
	}
	c0 := math.Sqrt(q0)
	r0, s0 := c0*(1/q0), t.w0*d0
	t.l00 *= c0
	t.l10 = (t.l10 - s0*w1) * r0
	w1 = c0*w1 - s0*t.l10
	t.l20 = (t.l20 - s0*w2) * r0
	w2 = c0*w2 - s0*t.l20
	t.l30 = (t.l30 - s0*w3) * r0
	w3 = c0*w3 - s0*t.l30

	q1 := ((t.l11 - w1) * d1) * ((t.l11 + w1) * d1)
	if !(q1 > 0) {
		return 1, q1
	}
	c1 := math.Sqrt(q1)
	r1, s1 := c1*(1/q1), w1*d1
	t.l11 *= c1
	t.l21 = (t.l21 - s1*w2) * r1
	w2 = c1*w2 - s1*t.l21
	t.l31 = (t.l31 - s1*w3) * r1
	w3 = c1*w3 - s1*t.l31

	q2 := ((t.l22 - w2) * d2) * ((t.l22 + w2) * d2)
	if !(q2 > 0) {
		return 2, q2
	}
	k2 := math.Sqrt(q2)
	r2, s2 := k2*(1/q2), w2*d2
	t.l22 *= k2
	t.l32 = (t.l32 - s2*w3) * r2
	w3 = k2*w3 - s2*t.l32

	q3 := ((t.l33 - w3) * d3) * ((t.l33 + w3) * d3)
	if !(q3 > 0) {
		return 3, q3
	}
	c3 := math.Sqrt(q3)
	t.l33 *= c3
	t.c = [4]float64{c0, c1, k2, c3}
	t.s = [4]float64{s0, s1, s2, w3 * d3}
	t.r = [4]float64{r0, r1, r2, c3 * (1 / q3)}
	return -1, q0 * q1 * q2 * q3
}

var pool32, pool64, rotations32, rotations64, carried32, carried64 sync.Pool

// borrow returns n elements of undefined content from the pool; giveBack returns them to it.
func borrow[F num.Float](n int) *[]F { return get[F](poolOf[F](&pool32, &pool64), n) }

func giveBack[F num.Float](w *[]F) { poolOf[F](&pool32, &pool64).Put(w) }

// borrowRotations returns n rotations of undefined content.
func borrowRotations[F num.Float](n int) *[]chol.Rotations[F] {
	return get[chol.Rotations[F]](poolOf[F](&rotations32, &rotations64), n)
}

func giveRotations[F num.Float](r *[]chol.Rotations[F]) {
	poolOf[F](&rotations32, &rotations64).Put(r)
}

// borrowCarried returns k vectors of undefined content.
func borrowCarried[F num.Float](k int) *[]carried[F] {
	return get[carried[F]](poolOf[F](&carried32, &carried64), k)
}

// giveCarried lets go of the memory that the vectors lie in.
func giveCarried[F num.Float](v *[]carried[F]) {
	clear(*v)
	poolOf[F](&carried32, &carried64).Put(v)
}

func get[T any](pool *sync.Pool, n int) *[]T {
	w, _ := pool.Get().(*[]T)
	if w == nil || cap(*w) < n {
		x := make([]T, n, n+n/4)
		return &x
	}
	*w = (*w)[:n]
	return w
}

func poolOf[F num.Float](for32, for64 *sync.Pool) *sync.Pool {
	var f F
	if _, ok := any(f).(float32); ok {
		return for32
	}
	return for64
}
