package cholupdate

import (
	"errors"
	"fmt"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/chol"
	gramblas "github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/num"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A Factor is the Cholesky factor A = UᵀU of a matrix that changes: rows and columns are
// appended, inserted, moved and deleted, matrices of low rank are added and taken away, and systems
// are solved in between. It keeps the upper triangle U in memory with room to grow.
// Deleting the first rows moves the place where the factor begins instead of the
// numbers, so that a window that slides over data costs no copies but one for
// about as many steps as it has rows.
//
// F is the type of the numbers in memory. Methods of a float32 factor that take matrices of gonum
// compute in float64, with a copy of U that they allocate, and round what they store.
//
// The zero value is the factor of order 0. A Factor that fails to change is as before,
// where a method does not say otherwise. Errors of many changes add up: Residual of its
// Triangular measures them, and Set starts anew.
type Factor[F num.Float] struct {
	data  []F // order×order, order ≥ start+n
	order int
	start int // U begins at row and column start
	n     int
	work  []F // of Propagate and Set
}

// NewFactor returns the factor of a. The error is a *gram.NotPDError if a is not
// positive definite and a *gram.DataError if an element is not finite. Cost: n³/3 flops.
func NewFactor[F num.Float](a mat.Symmetric) (*Factor[F], error) {
	f := new(Factor[F])
	return f, f.Set(a)
}

// Set makes f the factor of a. Errors and cost are those of NewFactor; f is unchanged if
// there is an error. Nothing estimates the condition number, as mat.Cholesky does: that takes several
// times as long as the factor of a small matrix. In float64, factors of up to 128 rows allocate nothing from the second
// call on.
func (f *Factor[F]) Set(a mat.Symmetric) error {
	return f.set(a, "a")
}

// set is Set for a matrix that errors call name.
func (f *Factor[F]) set(a mat.Symmetric, name string) error {
	n := a.SymmetricDim()
	u, wide := any(f.work).([]float64)
	if len(u) < n*n {
		u = make([]float64, n*n)
		if wide && n <= keptOrder {
			f.work = any(u).([]F)
		}
	}
	copyUpper(u, n, a)
	ok := n == 0 || gramblas.Current().Lapack().Dpotrf(blas.Upper, n, u, n)
	for i := 0; ok && i < n; i++ {
		ok = u[i*n+i] <= math.MaxFloat64 // an infinite diagonal has an infinite root
	}
	if !ok {
		if err := finite(a, name); err != nil {
			return err
		}
		return failing(a)
	}
	if n > f.order {
		f.order = n + n/2 + 4
		f.data = make([]F, f.order*f.order)
	}
	f.n, f.start = n, 0
	for i := range n {
		to := f.data[i*f.order:][:n]
		for j := i; j < n; j++ {
			to[j] = F(u[i*n+j])
		}
	}
	return nil
}

// keptOrder is up to which order a Factor keeps the memory in which Set works.
const keptOrder = 128

// copyUpper copies the upper triangle of a to rows at distance ld.
func copyUpper(dst []float64, ld int, a mat.Symmetric) {
	n := a.SymmetricDim()
	if r, is := a.(mat.RawSymmetricer); is {
		raw := r.RawSymmetric()
		for i := range n {
			copy(dst[i*ld+i:i*ld+n], raw.Data[i*raw.Stride+i:])
		}
		return
	}
	for i := range n {
		for j := i; j < n; j++ {
			dst[i*ld+j] = a.At(i, j)
		}
	}
}

// finite returns an error for the first element of a, which is called name, that is NaN or infinite.
func finite(a mat.Symmetric, name string) error {
	for i := range a.SymmetricDim() {
		for j := range i + 1 {
			if v := a.At(i, j); v-v != 0 {
				return &gram.DataError{Row: i, Col: j, Value: v, Argument: name}
			}
		}
	}
	return nil
}

// failing returns the error for the first pivot of a that is not positive.
func failing(a mat.Symmetric) error {
	n := a.SymmetricDim()
	var f Factor[float64]
	for i := range n {
		column := make([]float64, i+1)
		for j := range column {
			column[j] = a.At(i, j)
		}
		if _, err := f.Append(column); err != nil {
			var failed *gram.NotPDError
			if !errors.As(err, &failed) { // Extend has taken away more than a number holds
				failed = &gram.NotPDError{Pivot: i, Margin: math.Inf(-1)}
			}
			return failed
		}
	}
	return &gram.NotPDError{Pivot: n - 1} // it is positive only by the order of rounding
}

// Len returns n, the order of A.
func (f *Factor[F]) Len() int { return f.n }

// Triangular returns U, which shares the memory of f until the next change of the
// order. The functions of this package change f through it.
func (f *Factor[F]) Triangular() Triangular[F] {
	t := Triangular[F]{Uplo: blas.Upper, Diag: blas.NonUnit, N: f.n, Stride: max(1, f.order)}
	if f.order > 0 {
		t.Data = f.data[f.start*(f.order+1):]
	}
	return t
}

// LogDet returns the natural logarithm of det A, 0 if A is empty.
func (f *Factor[F]) LogDet() float64 {
	sum := 0.
	for i := range f.n {
		sum += math.Log(float64(f.data[(f.start+i)*(f.order+1)]))
	}
	return 2 * sum
}

// SolveVec overwrites x, of length n, by A⁻¹x. It panics if x has another length. Cost:
// 2n² flops.
func (f *Factor[F]) SolveVec(x []F) {
	f.HalfSolveVec(x)
	trsv(blas.NoTrans, f.Triangular(), x)
}

// HalfSolveVec overwrites x, of length n, by v = U⁻ᵀx, for which ‖v‖² = xᵀA⁻¹x. It panics
// if x has another length. Cost: n² flops.
func (f *Factor[F]) HalfSolveVec(x []F) {
	f.fits(x)
	trsv(blas.Trans, f.Triangular(), x)
}

// Solve overwrites b, n×k, by A⁻¹b. It panics if b has another number of rows. Cost: 2n²k
// flops.
func (f *Factor[F]) Solve(b *mat.Dense) {
	if r, _ := b.Dims(); r != f.n {
		panic("cholupdate: the matrix has not the factor's order")
	}
	if f.n > 0 {
		u := f.wide()
		blas64.Trsm(blas.Left, blas.Trans, 1, u, b.RawMatrix())
		blas64.Trsm(blas.Left, blas.NoTrans, 1, u, b.RawMatrix())
	}
}

// Update makes A into A + xxᵀ; errors and panics are those of the function Update.
func (f *Factor[F]) Update(x []F) error { return Update(f.Triangular(), x) }

// Downdate makes A into A − xxᵀ and returns the margin; errors and panics are those of
// the function Downdate.
func (f *Factor[F]) Downdate(x []F) (margin float64, err error) {
	return Downdate(f.Triangular(), x)
}

// Scale makes A into s·A. It panics unless s is positive and finite.
func (f *Factor[F]) Scale(s float64) {
	if !(s > 0 && s <= math.MaxFloat64) {
		panic("cholupdate: the scale is not a positive number")
	}
	root := math.Sqrt(s)
	for i := f.start; i < f.start+f.n; i++ {
		multiply(f.data[i*f.order+i:i*f.order+f.start+f.n], root)
	}
}

// reserve makes room for k more rows and columns behind the factor.
func (f *Factor[F]) reserve(k int) {
	need := f.n + k
	if f.start+need <= f.order {
		return
	}
	data, order := f.data, f.order
	// Moving a factor to the front is worth its time if many steps follow until the next.
	if need > f.order || f.start < f.n/2 {
		order = 2*need + 8
		data = make([]F, order*order)
	}
	for i := range f.n {
		copy(data[i*order+i:i*order+f.n], f.data[(f.start+i)*f.order+f.start+i:])
	}
	f.data, f.order, f.start = data, order, 0
}

// Append adds a row and a column to A: a = column[:n] are the elements beside A and
// α = column[n] is the new diagonal element. It returns the margin (α − aᵀA⁻¹a)/α. The error is a
// *gram.NotPDError with pivot n if the result is not positive definite and a *gram.DataError
// if column is not finite; f is unchanged then. It panics if column does not have
// length n+1. Cost: n² flops.
func (f *Factor[F]) Append(column []F) (margin float64, err error) {
	f.reserve(1)
	_, margin, err = appendTo(f.Triangular(), column)
	if err == nil {
		f.n++
	}
	return margin, err
}

// Extend adds the k rows and columns [b; c] to A at once: b is n×k, c k×k. The error is
// a *gram.NotPDError, with the pivot counted from the first row that is added, if the
// result is not positive definite and a *gram.DataError if b or c is not finite; f is
// unchanged then. It panics if the shapes do not fit; b may be nil for n = 0. Cost: n²k + nk²
// + k³/3 flops, mostly in level 3.
func (f *Factor[F]) Extend(b *mat.Dense, c mat.Symmetric) error {
	k := c.SymmetricDim()
	if f.n > 0 {
		if r, cols := b.Dims(); r != f.n || cols != k {
			panic("cholupdate: the matrix has not the shape of the rows and columns that are added")
		}
	}
	if f.n == 0 {
		return f.set(c, "c")
	}
	if err := finite(c, "c"); err != nil {
		return err
	}
	for i := range f.n {
		if j := notFinite(b.RawRowView(i)); j >= 0 {
			return &gram.DataError{Row: i, Col: j, Value: b.At(i, j), Argument: "b"}
		}
	}
	beside := mat.DenseCopyOf(b)
	blas64.Trsm(blas.Left, blas.Trans, 1, f.wide(), beside.RawMatrix())
	rest := mat.NewSymDense(k, nil)
	rest.CopySym(c)
	rest.SymRankK(rest, -1, beside.T())
	var corner mat.Cholesky
	if !corner.Factorize(rest) {
		return fmt.Errorf("cholupdate: the part that is added: %w", failing(rest))
	}
	f.reserve(k)
	at := f.start + f.n
	for i := range f.n {
		for j, v := range beside.RawRowView(i) {
			f.data[(f.start+i)*f.order+at+j] = F(v)
		}
	}
	u := corner.RawU()
	for i := range k {
		for j := i; j < k; j++ {
			f.data[(at+i)*f.order+at+j] = F(u.At(i, j))
		}
	}
	f.n += k
	return nil
}

// Delete takes row and column j out of A. It panics if j is not in [0, n). Cost: 2(n−j)²
// flops and, for j > 0, copies of the rows.
func (f *Factor[F]) Delete(j int) {
	if j == 0 && f.n > 0 {
		f.DeleteFirst(1)
		return
	}
	if _, err := deleteFrom(f.Triangular(), j); err != nil {
		panic("cholupdate: the factor was changed from outside") // its diagonal is positive
	}
	f.n--
}

// DeleteFirst takes the first k rows and columns out of A. It panics unless 0 ≤ k ≤ n.
// Cost: 2k(n−k)² flops; the factor is read and written once.
func (f *Factor[F]) DeleteFirst(k int) {
	if k < 0 || k > f.n {
		panic("cholupdate: index out of range")
	}
	rest := f.n - k
	if rest > 0 && k > 0 {
		w := borrow[F](k * rest)
		defer giveBack(w)
		for i := range k {
			copy((*w)[i*rest:(i+1)*rest], f.data[(f.start+i)*f.order+f.start+k:])
		}
		t := factorOf(f.Triangular()).trailing(k)
		if _, err := t.sweep(chol.Update, *w, k); err != nil {
			panic("cholupdate: the factor was changed from outside")
		}
	}
	f.start += k
	f.n -= k
	if f.n == 0 {
		f.start = 0
	}
}

// Slide takes the first row and column out of A and appends one: column[:n−1] are the
// elements beside the others and column[n−1] is the new diagonal element. It returns
// the margin of Append. On an error the first row and column are gone and nothing is
// appended. It panics if n is 0 or column has not length n. Cost: 3n² flops.
func (f *Factor[F]) Slide(column []F) (margin float64, err error) {
	if f.n == 0 || len(column) != f.n {
		panic("cholupdate: the column has not the factor's order")
	}
	f.DeleteFirst(1)
	return f.Append(column)
}

// Propagate makes A into S·A·Sᵀ + G·Gᵀ, the step of a covariance through the linear
// model x ← Sx + Gw, without forming A: U is overwritten by the triangle of [U·Sᵀ; Gᵀ].
// S is step, n×n, and G is g, n×k, or nil. The result is positive definite if S is regular or G has
// rank n; the error is a *gram.NotPDError if it is not, and a *gram.DataError if an element of
// step or g, or of the result, is not finite; f is unchanged then. It panics if the shapes do not
// fit. Cost: about 3n³ + 2n²k flops; it allocates (2n+k)·n numbers if n+k is more than 32, else nothing
// from the second call on.
func (f *Factor[F]) Propagate(step, g *mat.Dense) error {
	n, k := f.n, 0
	if r, c := step.Dims(); r != n || c != n {
		panic("cholupdate: the matrix has not the factor's order")
	}
	if g != nil {
		var r int
		if r, k = g.Dims(); r != n {
			panic("cholupdate: the matrix has not the factor's order")
		}
	}
	if n+k <= smallStack {
		if f.propagateSmall(step, g, k) {
			return nil
		} // the rest says why not
	}
	for i := range n {
		if j := notFinite(step.RawRowView(i)); j >= 0 {
			return &gram.DataError{Row: i, Col: j, Value: step.At(i, j), Argument: "step"}
		}
		if g == nil {
			continue
		}
		if j := notFinite(g.RawRowView(i)); j >= 0 {
			return &gram.DataError{Row: i, Col: j, Value: g.At(i, j), Argument: "g"}
		}
	}
	if n == 0 {
		return nil
	}
	stack := mat.NewDense(n+k, n, nil)
	top := stack.Slice(0, n, 0, n).(*mat.Dense)
	top.Copy(step.T())
	blas64.Trmm(blas.Left, blas.NoTrans, 1, f.wide(), top.RawMatrix())
	if k > 0 {
		stack.Slice(n, n+k, 0, n).(*mat.Dense).Copy(g.T())
	}
	raw := stack.RawMatrix()
	lapack := gramblas.Current().Lapack()
	tau, work := make([]float64, n), make([]float64, 1)
	lapack.Dgeqrf(n+k, n, raw.Data, raw.Stride, tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack.Dgeqrf(n+k, n, raw.Data, raw.Stride, tau, work, len(work))
	for i := range n {
		if j := notFinite(stack.RawRowView(i)[i:]); j >= 0 {
			return &gram.DataError{Row: i, Col: i + j, Value: stack.At(i, i+j), Argument: "the propagated factor"}
		}
		if stack.At(i, i) == 0 {
			return &gram.NotPDError{Pivot: i}
		}
	}
	for i := range n {
		sign := math.Copysign(1, stack.At(i, i))
		for j := i; j < n; j++ {
			f.data[(f.start+i)*f.order+f.start+j] = F(sign * stack.At(i, j))
		}
	}
	return nil
}

// smallStack bounds the rows n+k that Propagate handles in its calling loop.
const smallStack = 32

// propagateSmall is Propagate by the modified method of Gram and Schmidt, whose triangle is as accurate as that of
// reflectors. It returns false, and has changed nothing, if the result is not finite or not positive definite.
func (f *Factor[F]) propagateSmall(step, g *mat.Dense, k int) bool {
	n := f.n
	m := n + k
	if len(f.work) < n*(m+n) {
		f.work = make([]F, n*(m+n))
	}
	stack, r := f.work[:n*m], f.work[n*m:n*(m+n)]
	s, noise := step.RawMatrix(), blas64.General{}
	if k > 0 {
		noise = g.RawMatrix()
	}
	for i := range n { // row i is [U·s_i; g_i] for rows s_i and g_i of S and G
		from, to := s.Data[i*s.Stride:][:n], stack[i*m:][:m]
		for l := range n {
			u := f.data[(f.start+l)*(f.order+1):][:n-l]
			right := from[l:][:len(u)]
			var sum F
			for j, v := range u {
				sum += F(v * F(right[j]))
			}
			to[l] = sum
		}
		if k > 0 {
			for l, v := range noise.Data[i*noise.Stride:][:k] {
				to[n+l] = F(v)
			}
		}
	}
	for i := range n {
		row := stack[i*m : i*m+m]
		square := float64(dot(row, row))
		if !(square >= 0x1p-100 && square <= 0x1p100) {
			return false // the general way has the range
		}
		// The rows keep their lengths, so that the others do not wait for a root.
		inverse := F(1 / square)
		root := F(math.Sqrt(square))
		r[i*n+i] = root
		root *= inverse
		for j := i + 1; j < n; j++ {
			other := stack[j*m : j*m+m]
			c := dot(row, other)
			r[i*n+j] = c * root
			c *= inverse
			other = other[:len(row)]
			for l, v := range row {
				other[l] -= F(c * v)
			}
		}
	}
	for i := range n {
		copy(f.data[(f.start+i)*(f.order+1):], r[i*n+i:i*n+n])
	}
	return true
}

// dot returns xᵀy as the sum of two partial sums: the products of even and of odd index.
func dot[F num.Float](x, y []F) F {
	y = y[:len(x)]
	var a, b F
	i := 0
	for ; i+2 <= len(x); i += 2 {
		a += F(x[i] * y[i])
		b += F(x[i+1] * y[i+1])
	}
	if i < len(x) {
		a += F(x[i] * y[i])
	}
	return a + b
}
