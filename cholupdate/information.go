package cholupdate

import (
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/level2"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// An Information filter is a Kalman filter in the information form: of the state x of the linear model x ← Sx + Gw, y = hᵀx + v
// it keeps the triangle R and the vector z of the least squares ‖Rx − z‖² that the measurements have come to (the square-root
// form). RᵀR is the inverse of the covariance. A filter may begin with nothing known, where a covariance would be infinite, and
// measurements are cheaper than steps; else Kalman is faster. Measurements of any accuracy and order do no harm: the errors
// of the mean grow with the condition of R, not with its square.
//
// Steps allocate nothing from the second on. [Bierman 1977]
type Information struct {
	n     int
	r     []float64 // n×(n+1), the triangle R and the column z
	row   []float64 // n+1
	lu    []float64 // n×n, the factors of a step
	swaps []int
	stack []float64 // of Predict, a row for each column of a least squares problem
}

// NewInformation returns the filter of n states of which nothing is known. It panics if n is negative.
func NewInformation(n int) *Information {
	if n < 0 {
		panic("cholupdate: negative order")
	}
	return &Information{n: n, r: make([]float64, n*(n+1)), row: make([]float64, n+1), lu: make([]float64, n*n), swaps: make([]int, n)}
}

// Fuse adds an independent estimate of the state, with the given mean and the covariance p. This is also how a filter begins with
// a mean and a covariance. The error is as from NewFactor, for p, or a *gram.DataError if mean is not finite; f is unchanged
// then. It panics if the orders differ. Cost: about 2n³ flops; it allocates the factor of p.
func (f *Information) Fuse(mean []float64, p mat.Symmetric) error {
	n := f.n
	if len(mean) != n || p.SymmetricDim() != n {
		panic("cholupdate: the mean or the covariance has not the order of the state")
	}
	if i := notFinite(mean); i >= 0 {
		return &gram.DataError{Row: i, Col: -4, Value: mean[i], Argument: "mean"}
	}
	var factor Factor[float64]
	if err := factor.set(p, "p"); err != nil {
		return err
	}
	for i := range n { // p = UᵀU, and row i of U⁻ᵀ times x is known up to noise of variance 1
		row := f.row[:n]
		clear(row)
		row[i] = 1
		trsv(blas.NoTrans, factor.Triangular(), row) // a column of U⁻¹
		sum := 0.
		for j, v := range row {
			sum += float64(v * mean[j])
		}
		f.row[n] = sum
		f.rotate()
	}
	return nil
}

// Measure takes in the measurement y = hᵀx + v, where v has mean 0 and the given variance > 0. The error is a *gram.DataError if h, y or
// variance is not finite or the variance is not positive, or if the measurement in units of its deviation is too large for a number; f is unchanged
// then. It panics if h has not length n. Cost: 3n² flops.
func (f *Information) Measure(h []float64, y, variance float64) error {
	if len(h) != f.n {
		panic("cholupdate: the vector has not the order of the state")
	}
	if i := notFinite(h); i >= 0 {
		return &gram.DataError{Row: i, Col: -4, Value: h[i], Argument: "h"}
	}
	if y-y != 0 {
		return &gram.DataError{Row: -1, Value: y, Argument: "y"}
	}
	if !(variance > 0) || math.IsInf(variance, 1) {
		return &gram.DataError{Row: -1, Value: variance, Argument: "variance", Reason: "the variance is not a positive number"}
	}
	deviation := math.Sqrt(variance)
	for i, v := range h {
		f.row[i] = v / deviation
	}
	f.row[f.n] = y / deviation
	if i := notFinite(f.row); i >= 0 {
		return &gram.DataError{Row: -1, Value: variance, Argument: "variance", Reason: "the measurement is too large for its variance"}
	}
	f.rotate()
	return nil
}

// rotate makes the triangle of [R z] and row again.
func (f *Information) rotate() {
	stride := f.n + 1
	for i := range f.n {
		x, y := f.r[i*stride+i:(i+1)*stride], f.row[i:]
		if y[0] == 0 {
			continue
		}
		r, c, s := rotationOf[float64](x[0], y[0])
		x[0], y[0] = r, 0
		x, y = x[1:], y[1:len(x)]
		for j, v := range x {
			x[j], y[j] = float64(c*v)+float64(s*y[j]), float64(c*y[j])-float64(s*v)
		}
	}
}

// Mean sets x, of length n, to the mean of the state. The error is a *gram.NotPDError, with the pivot, if the measurements do
// not determine the state, or no digit of it; x is unchanged then. It panics if x has another length. Cost: n² flops.
func (f *Information) Mean(x []float64) error {
	if len(x) != f.n {
		panic("cholupdate: the vector has not the order of the state")
	}
	if err := f.regular(); err != nil {
		return err
	}
	stride := f.n + 1
	for i := f.n - 1; i >= 0; i-- {
		sum := f.r[i*stride+f.n]
		for j := i + 1; j < f.n; j++ {
			sum -= float64(f.r[i*stride+j] * x[j])
		}
		x[i] = sum / f.r[i*stride+i]
	}
	return nil
}

// Variance returns hᵀPh, the variance of hᵀx, for the covariance P. h is not changed. Errors, panics and cost are those of Mean.
func (f *Information) Variance(h []float64) (float64, error) {
	if len(h) != f.n {
		panic("cholupdate: the vector has not the order of the state")
	}
	if err := f.regular(); err != nil {
		return 0, err
	}
	v := f.row[:f.n]
	copy(v, h)
	trsv(blas.Trans, f.R(), v)
	sum := 0.
	for _, x := range v {
		sum += float64(x * x)
	}
	return sum, nil
}

// R returns the triangle R, whose diagonal may have zeros and either sign. It shares the memory of f until the next change.
func (f *Information) R() Triangular[float64] {
	return Triangular[float64]{Uplo: blas.Upper, Diag: blas.NonUnit, N: f.n, Data: f.r, Stride: f.n + 1}
}

// CovarianceTo sets dst to the covariance. It panics unless dst is empty or of order n. The error is as from Mean. Cost: about n³
// flops.
func (f *Information) CovarianceTo(dst *mat.SymDense) error {
	if !dst.IsEmpty() && dst.SymmetricDim() != f.n {
		panic("cholupdate: dst has not the order of the state")
	}
	if err := f.regular(); err != nil || f.n == 0 {
		return err
	}
	inverse := mat.NewDense(f.n, f.n, nil)
	for i := range f.n {
		inverse.Set(i, i, 1)
	}
	blas64.Trsm(blas.Left, blas.NoTrans, 1, f.R(), inverse.RawMatrix())
	if dst.IsEmpty() {
		dst.ReuseAsSym(f.n)
	}
	dst.SymOuterK(1, inverse)
	return nil
}

// regular returns the error of a triangle whose columns depend on each other: an element of its diagonal is 0 or no more than
// rounding makes of one, compared with its column, so that the units of the state do not matter.
func (f *Information) regular() error {
	for i := range f.n {
		square := 0.
		for j := range i {
			v := f.r[j*(f.n+1)+i]
			square += float64(v * v)
		}
		if own := math.Abs(f.r[i*(f.n+2)]); !(own > 0x1p-49*float64(f.n)*math.Sqrt(square)) {
			return &gram.NotPDError{Pivot: i, Margin: own}
		}
	}
	return nil
}

// Predict makes the state x into Sx + Gw, where w has mean 0 and covariance I, for the n×n matrix step and the n×k matrix noise, or nil for
// no noise. What was known of the old state and w is a least squares problem in w and the new state, from which reflectors eliminate w.
// step must be regular: what a singular one forgets has no information form. The error is a *gram.NotPDError, with the column, if it is not, and a
// *gram.DataError if an element of step or noise, or of the result, is not finite; f is unchanged then. It panics if the shapes do
// not fit. Cost: about 4n³ + 4n²k flops.
func (f *Information) Predict(step, noise *mat.Dense) error {
	n, k := f.n, 0
	if r, c := step.Dims(); r != n || c != n {
		panic("cholupdate: the matrix has not the order of the state")
	}
	if noise != nil {
		var r int
		if r, k = noise.Dims(); r != n {
			panic("cholupdate: the matrix has not the order of the state")
		}
	}
	if err := f.factorize(step); err != nil {
		return err
	}
	for i := range n {
		if k > 0 {
			if j := notFinite(noise.RawRowView(i)); j >= 0 {
				return &gram.DataError{Row: i, Col: j, Value: noise.At(i, j), Argument: "noise"}
			}
		}
	}
	if need := n * (k + 2*n + 1); len(f.stack) < need {
		f.stack = make([]float64, need)
	}
	a := f.stack[:n*n] // R·S⁻¹ by rows
	columns := f.stack[n*n : n*n+n*(k+n+1)]
	for i := range n {
		row := a[i*n : (i+1)*n]
		clear(row[:i])
		copy(row[i:], f.r[i*(n+2):i*(n+1)+n])
		f.solveLeft(row, i)
	}
	// Row l of columns is a column of [−R·S⁻¹·G, R·S⁻¹, z].
	for i := range n {
		row := a[i*n : (i+1)*n]
		for l := range k {
			sum := 0.
			for j, v := range row {
				sum -= float64(v * noise.At(j, l))
			}
			columns[l*n+i] = sum
		}
		for j, v := range row {
			columns[(k+j)*n+i] = v
		}
		columns[(k+n)*n+i] = f.r[i*(n+1)+n]
	}
	for l := range k {
		// Above, the column is e_l, where the others are 0 and what becomes of them is not needed.
		reflect(1, columns[l*n:(l+1)*n], columns[(l+1)*n:], n)
	}
	for i := range n {
		rest := columns[(k+i)*n+i:]
		own := rest[:n-i]
		own[0] = reflect(0, own, rest[n:], n)
		clear(own[1:])
	}
	if i := notFinite(columns[k*n:]); i >= 0 {
		return &gram.DataError{Row: i % n, Col: i / n, Value: columns[k*n+i], Argument: "the propagated information"}
	}
	for i := range n {
		for j := i; j <= n; j++ {
			f.r[i*(n+1)+j] = columns[(k+j)*n+i]
		}
	}
	return nil
}

// factorize sets lu to the factors of the matrix of a step, with unit lower ones, and swaps to its exchanges of rows.
func (f *Information) factorize(step *mat.Dense) error {
	n := f.n
	for i := range n {
		row := step.RawRowView(i)
		if j := notFinite(row); j >= 0 {
			return &gram.DataError{Row: i, Col: j, Value: row[j], Argument: "step"}
		}
		copy(f.lu[i*n:], row)
	}
	for k := range n {
		pivot := k
		for i := k + 1; i < n; i++ {
			if math.Abs(f.lu[i*n+k]) > math.Abs(f.lu[pivot*n+k]) {
				pivot = i
			}
		}
		f.swaps[k] = pivot
		x, y := f.lu[k*n:(k+1)*n], f.lu[pivot*n:(pivot+1)*n]
		if y[k] == 0 {
			return &gram.NotPDError{Pivot: k}
		}
		if pivot != k {
			for j, v := range x {
				x[j], y[j] = y[j], v
			}
		}
		for i := k + 1; i < n; i++ {
			row := f.lu[i*n : (i+1)*n]
			row[k] /= x[k]
			addScaled(-row[k], x[k+1:], row[k+1:])
		}
	}
	return nil
}

// solveLeft overwrites x, whose elements before first are 0, by xᵀS⁻¹.
func (f *Information) solveLeft(x []float64, first int) {
	n := f.n
	for j := first; j < n; j++ {
		x[j] /= f.lu[j*n+j]
		addScaled(-x[j], f.lu[j*n+j+1:(j+1)*n], x[j+1:])
	}
	for j := n - 1; j > 0; j-- {
		addScaled(-x[j], f.lu[j*n:j*n+j], x[:j])
	}
	for k := n - 1; k >= 0; k-- {
		x[k], x[f.swaps[k]] = x[f.swaps[k]], x[k]
	}
}

// reflect applies the reflector that makes x, with top above it, a multiple of the first unit vector to the vectors y[j·stride:], which
// have 0 above, and returns the multiple. If top is 0, the vectors begin with x[0] itself. x is overwritten.
func reflect(top float64, x, y []float64, stride int) float64 {
	first := top
	if top == 0 {
		first = x[0]
	}
	square := innerProduct(x, x) + float64(top*top)
	norm, inverse := math.Sqrt(square), 0.
	if square >= 0x1p-900 && square <= 0x1p900 {
		inverse = 1 / norm
		for i := range x { // products of directions are in the range of numbers
			x[i] *= inverse
		}
	} else {
		if norm = math.Hypot(top, nrm2(x)); norm == 0 {
			return 0
		}
		for i := range x {
			x[i] /= norm
		}
		inverse = 1
		first /= norm
	}
	first *= inverse
	if top == 0 {
		x[0] += math.Copysign(1, first)
	}
	scale := -1 / (1 + math.Abs(first)) // −2 by the square of the direction
	for j := 0; j < len(y); j += stride {
		to := y[j : j+len(x)]
		addScaled(scale*innerProduct(x, to), x, to)
	}
	return -math.Copysign(norm, first)
}

// fewElements is the length below which calls of assembly cost more than they save.
const fewElements = 24

// innerProduct returns xᵀy. Vectors of at least fewElements elements go to package level2.
func innerProduct(x, y []float64) float64 {
	if len(x) < fewElements {
		return dot(x, y)
	}
	return level2.Dot(x, y)
}

// addScaled adds a·x to y. Vectors of at least fewElements elements go to package level2.
func addScaled(a float64, x, y []float64) {
	if len(x) >= fewElements {
		level2.Axpy(a, x, y)
		return
	}
	y = y[:len(x)]
	for i, v := range x {
		y[i] += float64(a * v)
	}
}
