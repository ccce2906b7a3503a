package cholupdate

import (
	"math"
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
// It returns a *gram.DataError if x is not finite and a *gram.NotPDError if the
// diagonal of l is not positive, both before anything is written. Panics if
// the shapes do not fit.
func Update(l blas64.Triangular, x []float64) error {
	f := factor64(l)
	_, err := f.change(chol.Update, x)
	return err
}

// Update32 is Update for float32.
func Update32(l blas32.Triangular, x []float32) error {
	f := factor32(l)
	_, err := f.change(chol.Update, x)
	return err
}

// Downdate overwrites the factor of A by the factor of A − xxᵀ and returns the
// margin 1 − xᵀA⁻¹x > 0. x has length n and is not changed. If the result
// would not be positive definite it returns a *gram.NotPDError with the pivot
// that fails and l is unchanged; l is unchanged on every error. The errors are
// otherwise those of Update.
//
// It runs the rotations twice, the first time without writing. DowndateInPlace
// runs them once.
func Downdate(l blas64.Triangular, x []float64) (margin float64, err error) {
	return downdate(factor64(l), x)
}

// Downdate32 is Downdate for float32.
func Downdate32(l blas32.Triangular, x []float32) (margin float64, err error) {
	return downdate(factor32(l), x)
}

func downdate[F gram.Float](f factor[F], x []F) (margin float64, err error) {
	if margin, err = f.change(chol.Probe, x); err != nil {
		return margin, err
	}
	return f.change(chol.Downdate, x)
}

// DowndateInPlace is Downdate in one pass over the factor. When it returns a
// *gram.NotPDError, l is undefined.
func DowndateInPlace(l blas64.Triangular, x []float64) (margin float64, err error) {
	f := factor64(l)
	return f.change(chol.Downdate, x)
}

// DowndateInPlace32 is DowndateInPlace for float32.
func DowndateInPlace32(l blas32.Triangular, x []float32) (margin float64, err error) {
	f := factor32(l)
	return f.change(chol.Downdate, x)
}

// UpdateRank overwrites the factor of A by the factor of A + XXᵀ for the n×k
// matrix x, which is not changed. The factor is read and written once for all k
// columns. Errors and panics as Update.
func UpdateRank(l blas64.Triangular, x blas64.General) error {
	f := factor64(l)
	_, err := f.changeRank(chol.Update, x)
	return err
}

// DowndateRank overwrites the factor of A by the factor of A − XXᵀ for the n×k
// matrix x and returns the margin det(I − XᵀA⁻¹X). l is unchanged on every
// error: it works on a copy of the factor, which it allocates. Errors and
// panics as Downdate; the pivot is that of the first column of x that fails.
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

// DowndateRankInPlace is DowndateRank without the copy. When it returns a
// *gram.NotPDError, l is undefined.
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

// trailing is the factor of rows and columns k…n−1.
func (f factor[F]) trailing(k int) factor[F] {
	if k == f.n {
		return factor[F]{stride: f.stride, lower: f.lower}
	}
	return factor[F]{a: f.a[k*f.stride+k:], n: f.n - k, stride: f.stride, lower: f.lower}
}

func (f factor[F]) copy(from factor[F]) {
	for i := range f.n {
		lo, hi := i, f.n
		if f.lower {
			lo, hi = 0, i+1
		}
		copy(f.a[i*f.stride+lo:i*f.stride+hi], from.a[i*from.stride+lo:i*from.stride+hi])
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
	if len(x) != f.n {
		panic("cholupdate: the vector has not the factor's order")
	}
	if i := notFinite(x); i >= 0 {
		return 0, &gram.DataError{Row: i, Value: float64(x[i])}
	}
	if err := f.positive(); err != nil {
		return 0, err
	}
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
	for i, v := range x {
		if v-v != 0 {
			return i
		}
	}
	return -1
}

// sweep applies the rotations that carry k vectors, one after the other in w,
// down the factor. Four columns of L go through all vectors before the next
// four, so that the factor passes through the cache once.
func (f factor[F]) sweep(kind chol.Kind, w []F, k int) (margin float64, err error) {
	margin = 1
	n := f.n
	var rot chol.Rotations[F]
	for lo := 0; lo < n; lo += 4 {
		hi := min(lo+4, n)
		for v := range k {
			x := w[v*n : (v+1)*n]
			if x[lo] == 0 && allZero(x[lo:hi]) {
				continue
			}
			for j := lo; j < hi; j++ {
				d := float64(f.a[f.at(j, j)])
				c, s, r, c2 := 1., 0., d, 1.
				switch t := float64(x[j]); {
				case t == 0:
				case kind == chol.Update:
					c, s, r = givens(d, t)
				default:
					// c² = (d−t)(d+t)/d², each factor accurate near its zero.
					c2 = ((d - t) / d) * ((d + t) / d)
					if !(c2 > 0) {
						return min(0, c2), &gram.NotPDError{Pivot: j, Margin: min(0, c2)}
					}
					c = math.Sqrt(c2)
					s, r = t/d, d*c
				}
				margin *= c2
				i := j - lo
				rot.C[i], rot.S[i], rot.R[i] = F(c), F(s), F(1/c)
				if kind != chol.Probe {
					f.a[f.at(j, j)] = F(r)
				}
				for m := j + 1; m < hi; m++ {
					f.rotate(kind, f.at(m, j), &x[m], i, &rot)
				}
			}
			if hi == n {
				continue
			}
			if f.lower {
				chol.RotateLower(kind, f.a[hi*f.stride+lo:], f.stride, x[hi:], &rot)
			} else {
				chol.Rotate(kind, f.a[lo*f.stride+hi:], f.stride, x[hi:], &rot)
			}
		}
	}
	return margin, nil
}

func allZero[F gram.Float](x []F) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

// rotate applies rotation i to element e of the factor and to w.
func (f factor[F]) rotate(kind chol.Kind, e int, w *F, i int, r *chol.Rotations[F]) {
	l := f.a[e]
	switch kind {
	case chol.Update:
		f.a[e] = F(r.C[i]*l) + F(r.S[i]**w)
		*w = F(r.C[i]**w) - F(r.S[i]*l)
	default:
		l = F(l-F(r.S[i]**w)) * r.R[i]
		*w = F(r.C[i]**w) - F(r.S[i]*l)
		if kind == chol.Downdate {
			f.a[e] = l
		}
	}
}

// givens returns c, s, r with c·d + s·t = r > 0 and c·t − s·d = 0, for d > 0.
func givens(d, t float64) (c, s, r float64) {
	const tiny, huge = 0x1p-900, 0x1p900
	q := d*d + t*t
	if !(q > tiny && q < huge) {
		r = math.Hypot(d, t)
		return d / r, t / r, r
	}
	r = math.Sqrt(q)
	inv := 1 / r
	return d * inv, t * inv, r
}

var pool32, pool64 sync.Pool

// borrow returns n elements of undefined content.
func borrow[F gram.Float](n int) *[]F {
	w, _ := pool[F]().Get().(*[]F)
	if w == nil || cap(*w) < n {
		x := make([]F, n, n+n/4)
		return &x
	}
	*w = (*w)[:n]
	return w
}

func giveBack[F gram.Float](w *[]F) { pool[F]().Put(w) }

func pool[F gram.Float]() *sync.Pool {
	var f F
	if _, ok := any(f).(float32); ok {
		return &pool32
	}
	return &pool64
}
