package cholupdate

import (
	"math"
	"slices"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/chol"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// Update overwrites the factor of A by the factor of A + xxᵀ. x has length n
// and is not changed.
//
// The error is a *gram.DataError if x is not finite and a *gram.NotPDError if the
// diagonal of l is not positive; nothing is written then. It panics if the shapes
// do not fit.
func Update(l blas64.Triangular, x []float64) error {
	f := factor64(l)
	_, err := f.change(chol.Update, x)
	return err
}

// Update32 does for float32 what Update does for float64.
func Update32(l blas32.Triangular, x []float32) error {
	f := factor32(l)
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
func Downdate(l blas64.Triangular, x []float64) (margin float64, err error) {
	return downdate(factor64(l), x)
}

// Downdate32 does for float32 what Downdate does for float64.
func Downdate32(l blas32.Triangular, x []float32) (margin float64, err error) {
	return downdate(factor32(l), x)
}

func downdate[F gram.Float](f factor[F], x []F) (margin float64, err error) {
	if margin, ok := f.downdateSolved(x); ok {
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
func DowndateInPlace(l blas64.Triangular, x []float64) (margin float64, err error) {
	return downdateInPlace(factor64(l), x)
}

// DowndateInPlace32 does for float32 what DowndateInPlace does for float64.
func DowndateInPlace32(l blas32.Triangular, x []float32) (margin float64, err error) {
	return downdateInPlace(factor32(l), x)
}

// downdateInPlace reads L twice if that takes less time than rotations of downdates: a
// lower factor that stays in a second-level cache, or a small one.
func downdateInPlace[F gram.Float](f factor[F], x []F) (margin float64, err error) {
	if f.n <= 128 || f.lower && f.n <= 512 {
		if margin, ok := f.downdateSolved(x); ok {
			return margin, nil
		}
	}
	return f.change(chol.Downdate, x)
}

// UpdateRank overwrites the factor of A by the factor of A + XXᵀ for the n×k
// matrix x, which is not changed. The factor is read and written once for all k
// columns. Errors and panics are those of Update.
func UpdateRank(l blas64.Triangular, x blas64.General) error {
	f := factor64(l)
	_, err := f.changeRank(chol.Update, x)
	return err
}

// DowndateRank overwrites the factor of A by the factor of A − XXᵀ for the n×k
// matrix x and returns the margin det(I − XᵀA⁻¹X). It works on a copy of the
// factor, which it allocates, so that l is unchanged on every error. Errors and
// panics are those of Downdate; the pivot is that of the first column of x that
// fails.
func DowndateRank(l blas64.Triangular, x blas64.General) (margin float64, err error) {
	f := factor64(l)
	work := factor[float64]{a: make([]float64, f.n*f.n), n: f.n, stride: max(1, f.n), lower: f.lower}
	work.copy(f)
	if margin, err = work.changeRank(chol.Downdate, x); err != nil {
		return margin, err
	}
	f.copy(work)
	return margin, nil
}

// DowndateRankInPlace does what DowndateRank does without the copy. If it
// returns a *gram.NotPDError, the content of l is undefined.
func DowndateRankInPlace(l blas64.Triangular, x blas64.General) (margin float64, err error) {
	f := factor64(l)
	return f.changeRank(chol.Downdate, x)
}

// factor is a Cholesky factor in either storage order.
type factor[F gram.Float] struct {
	a         []F
	n, stride int
	lower     bool
}

func factor64(t blas64.Triangular) factor[float64] {
	check(t.Uplo, t.Diag, t.N, t.Stride, len(t.Data))
	return factor[float64]{a: t.Data, n: t.N, stride: t.Stride, lower: t.Uplo == blas.Lower}
}

func factor32(t blas32.Triangular) factor[float32] {
	check(t.Uplo, t.Diag, t.N, t.Stride, len(t.Data))
	return factor[float32]{a: t.Data, n: t.N, stride: t.Stride, lower: t.Uplo == blas.Lower}
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
func (f factor[F]) at(i, j int) int {
	if f.lower {
		return i*f.stride + j
	}
	return j*f.stride + i
}

// trailing returns the factor of rows and columns k…n−1.
func (f factor[F]) trailing(k int) factor[F] {
	if k == f.n {
		return factor[F]{stride: f.stride, lower: f.lower}
	}
	return factor[F]{a: f.a[k*f.stride+k:], n: f.n - k, stride: f.stride, lower: f.lower}
}

func (f factor[F]) copy(from factor[F]) {
	for i := range f.n {
		copy(f.row(i), from.row(i))
	}
}

// row returns the part of a row that is in the triangle.
func (f factor[F]) row(i int) []F {
	if f.lower {
		return f.a[i*f.stride : i*f.stride+i+1]
	}
	return f.a[i*f.stride+i : i*f.stride+f.n]
}

// exchange calls move for the rows of the triangle and their places in saved.
func (f factor[F]) exchange(saved []F, move func(triangle, saved []F)) {
	for i := range f.n {
		row := f.row(i)
		move(row, saved[:len(row)])
		saved = saved[len(row):]
	}
}

// positive returns an error for the first diagonal element that is not a
// positive number.
func (f factor[F]) positive() error {
	for k := range f.n {
		if d := f.a[f.at(k, k)]; !(d > 0) {
			return &gram.NotPDError{Pivot: k, Margin: min(0, float64(d))}
		}
	}
	return nil
}

func (f factor[F]) change(kind chol.Kind, x []F) (margin float64, err error) {
	if err := f.accepts(x); err != nil {
		return 0, err
	}
	return f.rotate(kind, x)
}

// accepts returns the error of a change by x for which nothing is written.
func (f factor[F]) accepts(x []F) error {
	if len(x) != f.n {
		panic("cholupdate: the vector has not the factor's order")
	}
	if i := notFinite(x); i >= 0 {
		return &gram.DataError{Row: i, Value: float64(x[i])}
	}
	return f.positive()
}

func (f factor[F]) rotate(kind chol.Kind, x []F) (margin float64, err error) {
	w := borrow[F](f.n)
	defer giveBack(w)
	copy(*w, x)
	return f.sweep(kind, *w, 1)
}

func (f factor[F]) changeRank(kind chol.Kind, x blas64.General) (margin float64, err error) {
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
			return 0, &gram.DataError{Row: i, Col: j, Value: row[j]}
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
func notFinite[F gram.Float](x []F) int {
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

// sweep applies the rotations of k vectors, one after the other in w, to the
// factor. Four columns of L go through all vectors before the next four, so that
// the factor passes through the cache once.
//
// The rows of an upper factor are the columns of L and are rotated as soon as the
// rotations are known. A lower factor is cut into panels of rows, to which the
// stored rotations of all columns before are applied: the elements of a single
// column would be far apart, each in a cache line of its own.
func (f factor[F]) sweep(kind chol.Kind, w []F, k int) (margin float64, err error) {
	margin = 1
	rows := chol.RowsAtOnce[F](kind, f.stride)
	if !f.lower || f.n <= 4*chol.PanelRows {
		var rot chol.Rotations[F]
		for lo := 0; lo < f.n; lo += 4 {
			for v := range k {
				q, err := f.eliminate(kind, lo, f.n, w[v*f.n:(v+1)*f.n], &rot)
				margin *= q
				if err != nil {
					return min(0, q), err
				}
			}
		}
		return margin, nil
	}
	quads := (f.n + 3) / 4
	buf := borrowRotations[F](quads * k)
	defer giveRotations(buf)
	for top := 0; top < f.n; top += rows {
		end := min(top+rows, f.n)
		for v := range k {
			before, from := (*buf)[v*quads:v*quads+top/4], 0
			for from < len(before) && before[from] == none[F]() {
				from++ // x begins with zeros
			}
			if from < len(before) {
				chol.RotatePanel(kind, f.a[top*f.stride+4*from:], f.stride, w[v*f.n+top:v*f.n+end], before[from:])
			}
		}
		for lo := top; lo < end; lo += 4 {
			for v := range k {
				q, err := f.eliminate(kind, lo, end, w[v*f.n:(v+1)*f.n], &(*buf)[v*quads+lo/4])
				margin *= q
				if err != nil {
					return min(0, q), err
				}
			}
		}
	}
	return margin, nil
}

// none returns rotations that change nothing.
func none[F gram.Float]() chol.Rotations[F] {
	return chol.Rotations[F]{C: [4]F{1, 1, 1, 1}, R: [4]F{1, 1, 1, 1}}
}

// eliminate computes the rotations that zero elements lo … lo+3 of x and applies
// them to these columns of L, in rows lo … end−1. It returns the product of the
// squared cosines, which is 1 for updates.
func (f factor[F]) eliminate(kind chol.Kind, lo, end int, x []F, rot *chol.Rotations[F]) (q float64, err error) {
	q = 1
	hi := min(lo+4, f.n)
	if x[lo] == 0 && allZero(x[lo:hi]) {
		*rot = none[F]()
		return q, nil
	}
	var t triangle
	f.load(&t, lo, hi, x)
	if kind == chol.Update {
		t.update()
	} else {
		var failed int
		if failed, q = t.downdate(); failed >= 0 {
			return q, &gram.NotPDError{Pivot: lo + failed, Margin: min(0, q)}
		}
	}
	for i := range 4 {
		rot.C[i], rot.S[i], rot.R[i] = F(t.c[i]), F(t.s[i]), F(t.r[i])
	}
	f.store(&t, lo, hi)
	switch {
	case hi >= end:
	case f.lower:
		chol.RotateLower(kind, f.a[hi*f.stride+lo:], f.stride, x[hi:end], rot)
	default:
		chol.Rotate(kind, f.a[lo*f.stride+hi:], f.stride, x[hi:end], rot)
	}
	return q, nil
}

func allZero[F gram.Float](x []F) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

// triangle is a 4×4 diagonal block of L in float64 with its part of w, and the
// rotations that zero that part. A block of lower order is filled up with the
// identity. The rotations are one long chain of dependent operations, which
// determines the cost for small n. The elements are therefore separate variables,
// and 1/√q is computed as √q·(1/q), whose factors are independent.
type triangle struct {
	l00, l10, l20, l30, l11, l21, l31, l22, l32, l33 float64
	w0, w1, w2, w3                                   float64
	c, s, r                                          [4]float64
}

func (f factor[F]) load(t *triangle, lo, hi int, x []F) {
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

func (f factor[F]) store(t *triangle, lo, hi int) {
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

// update computes the rotations of w into the block. With z the solution of Lz
// = w by elimination and t_k = 1 + Σ_{i<k} z_i², rotation k has the cosine
// √(t_k/t_{k+1}) and the sine z_k/√t_{k+1} ([GGMS74], method C1). All square
// roots are independent of each other and come after the chain of products.
func (t *triangle) update() {
	w0, w1, w2, w3 := t.w0, t.w1, t.w2, t.w3
	l10, l20, l30, l21, l31, l32 := t.l10, t.l20, t.l30, t.l21, t.l31, t.l32
	lo, hi := min(t.l00, t.l11, t.l22, t.l33), max(t.l00, t.l11, t.l22, t.l33)

	// v, x and y are what is left of w after eliminations 0, 1 and 2.
	z0 := w0 * (1 / t.l00)
	v1, v2, v3 := w1-z0*l10, w2-z0*l20, w3-z0*l30
	z1 := v1 * (1 / t.l11)
	x2, x3 := v2-z1*l21, v3-z1*l31
	z2 := x2 * (1 / t.l22)
	y3 := x3 - z2*l32
	z3 := y3 * (1 / t.l33)

	t1 := 1 + z0*z0
	t2 := t1 + z1*z1
	t3 := t2 + z2*z2
	t4 := t3 + z3*z3
	const tiny, huge = 0x1p-900, 0x1p900
	if !(lo > tiny && hi < huge && t4 < huge) {
		t.updateScaled()
		return
	}
	r1, i1 := roots(t1)
	r2, i2 := roots(t2)
	r3, i3 := roots(t3)
	r4, i4 := roots(t4)
	c0, c1, c2, c3 := i1, r1*i2, r2*i3, r3*i4
	s0, s1, s2, s3 := z0*i1, z1*i2, z2*i3, z3*i4
	t.c, t.s = [4]float64{c0, c1, c2, c3}, [4]float64{s0, s1, s2, s3}

	// The rotations take w to v/√t_1, x/√t_2 and y/√t_3.
	s1, s2 = s1*i1, s2*i2
	t.l00, t.l10, t.l20, t.l30 = t.l00*r1, c0*l10+s0*w1, c0*l20+s0*w2, c0*l30+s0*w3
	t.l11, t.l21, t.l31 = t.l11*(r2*i1), c1*l21+s1*v2, c1*l31+s1*v3
	t.l22, t.l32 = t.l22*(r3*i2), c2*l32+s2*x3
	t.l33 *= r4 * i3
}

// roots returns √q and 1/√q.
func roots(q float64) (r, inverse float64) {
	r = math.Sqrt(q)
	return r, r * (1 / q)
}

// updateScaled does the same as update where squares of elements are out of
// range.
func (t *triangle) updateScaled() {
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

var pool32, pool64, rotations32, rotations64 sync.Pool

// borrow returns n elements of undefined content.
func borrow[F gram.Float](n int) *[]F { return get[F](either[F](&pool32, &pool64), n) }

func giveBack[F gram.Float](w *[]F) { either[F](&pool32, &pool64).Put(w) }

// borrowRotations returns n rotations of undefined content.
func borrowRotations[F gram.Float](n int) *[]chol.Rotations[F] {
	return get[chol.Rotations[F]](either[F](&rotations32, &rotations64), n)
}

func giveRotations[F gram.Float](r *[]chol.Rotations[F]) {
	either[F](&rotations32, &rotations64).Put(r)
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

func either[F gram.Float](for32, for64 *sync.Pool) *sync.Pool {
	var f F
	if _, ok := any(f).(float32); ok {
		return for32
	}
	return for64
}
