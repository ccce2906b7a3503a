package dual

import (
	"errors"
	"math"
	"slices"

	"github.com/gramworks/gram/internal/linalg"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// eigenpairs returns the nonzero eigenvalues of Σ weight_k·w_kw_kᵀ for the rows w_k of
// w, and its orthonormal eigenvectors as rows. For one row the eigenvector is w/‖w‖.
func eigenpairs(weight []float64, w *mat.Dense) (mu []float64, q *mat.Dense, err error) {
	basis, low := orthonormal(w)
	k := len(basis)
	if k == 0 {
		return nil, nil, nil
	}
	_, r := w.Dims()
	if len(weight) == 1 {
		return []float64{weight[0] * low.At(0, 0) * low.At(0, 0)}, mat.NewDense(1, r, basis[0]), nil
	}
	small := mat.NewSymDense(k, nil) // Lᵀ·diag(weight)·L, of which the eigenvalues are
	for i := range k {
		for j := i; j < k; j++ {
			var sum float64
			for t, c := range weight {
				sum += c * low.At(t, i) * low.At(t, j)
			}
			small.SetSym(i, j, sum)
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(small, true) {
		return nil, nil, errors.New("no eigenvalues")
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	values := eig.Values(nil)
	largest := math.Max(math.Abs(values[0]), math.Abs(values[k-1]))
	var vectors []float64
	for t, value := range values {
		if math.Abs(value) <= 4*float64(k)*0x1p-52*largest {
			continue
		}
		row := make([]float64, r)
		for j, b := range basis {
			blas64.Axpy(v.At(j, t), linalg.Vector(b), linalg.Vector(row))
		}
		mu, vectors = append(mu, value), append(vectors, row...)
	}
	if len(mu) == 0 {
		return nil, nil, nil
	}
	return mu, mat.NewDense(len(mu), r, vectors), nil
}

// orthonormal returns the rows B of an orthonormal basis of the rows of w = L·B, and L, by Gram–Schmidt, twice. A row that
// the others make up, but for rounding, adds nothing to the basis.
func orthonormal(w *mat.Dense) (basis [][]float64, low *mat.Dense) {
	s, r := w.Dims()
	low = mat.NewDense(s, min(s, r), nil)
	for k := range s {
		row := slices.Clone(w.RawRowView(k))
		before := norm(row)
		for range 2 {
			for j, b := range basis {
				f := linalg.Dot(b, row)
				blas64.Axpy(-f, linalg.Vector(b), linalg.Vector(row))
				low.Set(k, j, low.At(k, j)+f)
			}
		}
		after := norm(row)
		if len(basis) == r || after <= float64(r)*0x1p-52*before {
			continue
		}
		low.Set(k, len(basis), after)
		for i := range row {
			row[i] /= after
		}
		basis = append(basis, row)
	}
	return basis, low
}

func norm(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum)
}

// errStuck says that rounding has taken a direction out of the kernel.
var errStuck = errors.New("the kernel has become singular in a direction")

// errGrowth says that a projection asks for growth beyond 1/ε, so that what grows is rounding.
var errGrowth = errors.New("a value is beyond 2⁵² times what it is")

// signError says that no kernel of full rank reaches a bound, which the multiplier d
// of the constraint proves: d·A ⪯ 0 and d·ξ ≥ 0.
type signError struct{ d float64 }

// Error returns the reason, which is the same for every row.
func (*signError) Error() string { return "no kernel of full rank reaches the bound" }

// reachable tells whether tr(KA) can become xi for eigenvalues mu of H: it has the
// sign of the eigenvalues if they all have one. moves says that xi changes with
// the dual and takes any sign.
func reachable(mu []float64, xi float64, moves bool) error {
	if len(mu) == 0 {
		return errStuck
	}
	if moves {
		return nil
	}
	var plus, minus bool
	for _, m := range mu {
		plus, minus = plus || m > 0, minus || m < 0
	}
	switch {
	case !plus && xi >= 0:
		return &signError{1}
	case !minus && xi <= 0:
		return &signError{-1}
	}
	return nil
}

// root returns the zero of an increasing function on (lo, hi), which contains
// 0 and may be infinite; f returns value, derivative and the size that rounding
// errors are relative to. Newton's method, kept inside the bracket; first is the
// first step where the derivative says nothing.
func root(f func(a float64) (value, slope, size float64), lo, hi, first float64) (float64, int) {
	a := 0.0
	best, least := 0.0, math.Inf(1)
	width := math.Inf(1)
	for n := 1; n <= 200; n++ {
		value, slope, size := f(a)
		if math.Abs(value) < least {
			best, least = a, math.Abs(value)
		}
		if math.Abs(value) <= 2*0x1p-52*size {
			return a, n
		}
		if value > 0 {
			hi = a
		} else {
			lo = a
		}
		next := a - value/slope
		// Bisect if Newton leaves the bracket or the bracket does not shrink.
		slow := n%3 == 0 && hi-lo > width/2
		if n%3 == 0 {
			width = hi - lo
		}
		if !(next > lo && next < hi) || slow && !math.IsInf(hi-lo, 0) {
			switch {
			case math.IsInf(lo, -1) && math.IsInf(hi, 1):
				next = math.Copysign(first, -value)
			case math.IsInf(hi, 1):
				next = lo + max(first, 2*math.Abs(lo))
			case math.IsInf(lo, -1):
				next = hi - max(first, 2*math.Abs(hi))
			default:
				next = lo + (hi-lo)/2
			}
		}
		if next == a || next <= lo || next >= hi {
			return best, n
		}
		a = next
	}
	return best, 200
}
