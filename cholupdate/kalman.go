package cholupdate

import (
	"math"

	"github.com/gramworks/gram"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// A Kalman filter estimates the state x of a linear model, x ← Sx + Gw and y = hᵀx + v, from the
// measurements y. It keeps the mean of x and the covariance P as its Factor (the square-root form), which stays
// positive definite where P itself would lose that to rounding. Steps allocate nothing for up to 32 rows of
// [S G]ᵀ; see Factor.Propagate.
//
// Several measurements at a time with uncorrelated noise are steps of Measure, one after the other. Information is
// the filter in the information form, and LeastSquares that for a state that stands still.
type Kalman struct {
	mean, gain, moved []float64
	factor            Factor[float64]
}

// NewKalman returns the filter that begins with the given mean, which is copied, and the covariance p. The error is
// that of NewFactor, or a *gram.DataError if mean is not finite. It panics if the orders differ. Cost: n³/3 flops.
func NewKalman(mean []float64, p mat.Symmetric) (*Kalman, error) {
	n := len(mean)
	if p.SymmetricDim() != n {
		panic("cholupdate: the covariance has not the order of the mean")
	}
	if i := notFinite(mean); i >= 0 {
		return nil, &gram.DataError{Row: i, Col: -4, Value: mean[i], Argument: "mean"}
	}
	k := &Kalman{mean: append([]float64(nil), mean...), gain: make([]float64, n), moved: make([]float64, n)}
	return k, k.factor.Set(p)
}

// Mean returns the mean of the state, which belongs to k and must not be changed. The next step changes it.
func (k *Kalman) Mean() []float64 { return k.mean }

// Covariance returns the factor of the covariance, which belongs to k. Changes of the order are not allowed; Update adds
// to the covariance.
func (k *Kalman) Covariance() *Factor[float64] { return &k.factor }

// Predict makes the mean x into Sx and the covariance P into SPSᵀ + GGᵀ, for the n×n matrix step and the n×k matrix
// noise, or nil for no noise. Errors, panics and cost are those of Factor.Propagate; k is unchanged if there is an error.
func (k *Kalman) Predict(step, noise *mat.Dense) error {
	if err := k.factor.Propagate(step, noise); err != nil {
		return err
	}
	for i := range k.moved {
		sum := 0.
		for j, v := range step.RawRowView(i) {
			sum += float64(v * k.mean[j])
		}
		k.moved[i] = sum
	}
	k.mean, k.moved = k.moved, k.mean
	return nil
}

// Measure takes in the measurement y = hᵀx + v, where v has mean 0 and the given variance > 0. It returns the
// innovation y − hᵀx and its variance hᵀPh + variance, as they were before: their squares and quotients tell whether the
// model holds, and give its likelihood. The error is a *gram.DataError if h, y or variance is not finite or the variance is not
// positive, or if the variance of the innovation is too large for a number; k is unchanged then. It panics
// if h has not length n. Cost: 4n² flops.
//
// The triangle is changed without differences of squares, so that a variance far below that of the state does no harm. [Carlson 1973]
func (k *Kalman) Measure(h []float64, y, variance float64) (innovation, spread float64, err error) {
	n := len(k.mean)
	k.factor.fits(h)
	if i := notFinite(h); i >= 0 {
		return 0, 0, &gram.DataError{Row: i, Col: -4, Value: h[i], Argument: "h"}
	}
	if y-y != 0 {
		return 0, 0, &gram.DataError{Row: -1, Value: y, Argument: "y"}
	}
	if !(variance > 0) || math.IsInf(variance, 1) {
		return 0, 0, &gram.DataError{Row: -1, Value: variance, Argument: "variance", Reason: "the variance is not a positive number"}
	}
	t := k.factor.Triangular()
	v, w := k.moved, k.gain
	innovation, spread = y, variance
	for i := range n {
		sum := 0.
		for j, u := range t.Data[i*t.Stride+i : i*t.Stride+n] {
			sum += float64(u * h[i+j])
		}
		v[i] = sum
		spread += float64(sum * sum)
		innovation -= float64(h[i] * k.mean[i])
	}
	if spread-spread != 0 || innovation-innovation != 0 {
		return 0, 0, &gram.DataError{Row: -1, Value: spread, Argument: "h", Reason: "the innovation is too large"}
	}
	// With t_j = variance + Σ_{i≥j} v_i², row j of U becomes √(t_{j+1}/t_j)·u_j − v_j/√(t_j·t_{j+1})·w for the sum w of
	// v_i·u_i over i > j.
	clear(w)
	after := variance
	for i := n - 1; i >= 0; i-- {
		before := after + float64(v[i]*v[i])
		d := math.Sqrt(after / before)
		e := v[i] / (before * d)
		row, sums := t.Data[i*t.Stride+i:i*t.Stride+n], w[i:n]
		for j, u := range row {
			s := sums[j]
			row[j] = float64(d*u) - float64(e*s)
			sums[j] = s + float64(v[i]*u)
		}
		after = before
	}
	for i, s := range w {
		k.mean[i] += s / spread * innovation
	}
	return innovation, spread, nil
}

// LeastSquares is recursive least squares with forgetting: it minimizes
//
//	Σ_t λ^(T−t)·(y_t − x_tᵀβ)² + λ^T·ridge·‖β‖²
//
// over the T observations so far. It keeps the triangle of the observations [x y], the square root of the information, and
// not their products, so that the errors of β grow with the condition of the observations and not with its square.
type LeastSquares struct {
	n      int
	forget float64
	scale  float64 // the triangle belongs to the observations divided by √scale
	factor Factor[float64]
	row    []float64
}

// NewLeastSquares returns least squares of n coefficients with the factor of forgetting λ = forget, which is 1
// where nothing is forgotten. It panics unless n ≥ 0, 0 < forget ≤ 1 and ridge is positive and finite.
func NewLeastSquares(n int, forget, ridge float64) *LeastSquares {
	switch {
	case n < 0:
		panic("cholupdate: negative order")
	case !(forget > 0 && forget <= 1):
		panic("cholupdate: the factor of forgetting is not in (0, 1]")
	case !(ridge > 0 && ridge <= math.MaxFloat64):
		panic("cholupdate: the ridge is not a positive number")
	}
	l := &LeastSquares{n: n, forget: forget, scale: 1, row: make([]float64, n+1)}
	l.factor = Factor[float64]{data: make([]float64, (n+1)*(n+1)), order: n + 1, n: n + 1}
	for i := range n {
		l.factor.data[i*(n+2)] = math.Sqrt(ridge)
	}
	l.factor.data[n*(n+2)] = leastCorner
	return l
}

// leastCorner is where the root of the sum of squared residuals begins and ends: the triangle
// needs a positive diagonal.
const leastCorner = 0x1p-500

// Observe takes in the row x, of length n, and its target y. The error is a *gram.DataError if x or y is not
// finite; l is unchanged then. It panics if x has another length. Cost: 2n² flops; it allocates nothing.
func (l *LeastSquares) Observe(x []float64, y float64) error {
	if len(x) != l.n {
		panic("cholupdate: the vector has not the length of the coefficients")
	}
	if i := notFinite(x); i >= 0 {
		return &gram.DataError{Row: i, Col: -4, Value: x[i], Argument: "x"}
	}
	if y-y != 0 {
		return &gram.DataError{Row: -1, Value: y, Argument: "y"}
	}
	if l.scale *= l.forget; l.scale < 0x1p-100 {
		l.factor.Scale(l.scale)
		l.scale = 1
		corner := &l.factor.data[l.n*(l.n+2)]
		*corner = max(*corner, leastCorner)
	}
	root := 1 / math.Sqrt(l.scale)
	for i, v := range x {
		l.row[i] = v * root
	}
	l.row[l.n] = y * root
	return l.factor.Update(l.row)
}

// Coef sets beta, of length n, to the coefficients. It panics if beta has another length. Cost: n² flops.
func (l *LeastSquares) Coef(beta []float64) {
	if len(beta) != l.n {
		panic("cholupdate: the vector has not the length of the coefficients")
	}
	t := l.factor.Triangular()
	for i := range beta {
		beta[i] = t.Data[i*t.Stride+l.n]
	}
	t.N = l.n
	trsv(blas.NoTrans, t, beta)
}

// Loss returns the least value of the sum that LeastSquares minimizes.
func (l *LeastSquares) Loss() float64 {
	corner := l.factor.data[l.n*(l.n+2)]
	return l.scale * corner * corner
}
