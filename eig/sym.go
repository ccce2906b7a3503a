package eig

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/blas"
	"gonum.org/v1/gonum/mat"
)

// SymAll returns all eigenvalues of the symmetric n×n matrix a, ascending, and
// the orthogonal matrix whose column j belongs to eigenvalue j, by the installed
// backend's LAPACK. a is not changed.
//
// Errors: ctx.Err() soon after ctx is done, if the backend's LAPACK looks at it (see
// blas.SymEigen); *gram.DataError for an entry that is not finite, or if an eigenvalue is
// too large for a number; *gram.ConvergenceError if LAPACK gives up. About 9n³ flops; 6n² numbers.
func SymAll(ctx context.Context, a *mat.SymDense) ([]float64, *mat.Dense, error) {
	n := a.SymmetricDim()
	if n == 0 {
		return nil, &mat.Dense{}, nil
	}
	if err := finite(a); err != nil {
		return nil, nil, err
	}
	q, values, raw := mat.NewDense(n, n, nil), make([]float64, n), a.RawSymmetric()
	for i := range n {
		copy(q.RawRowView(i)[i:], raw.Data[i*raw.Stride+i:][:n-i])
	}
	if err := blas.SymEigen(ctx, n, q.RawMatrix().Data, n, values); err != nil {
		if err != ctx.Err() {
			err = &gram.ConvergenceError{Residual: math.NaN()}
		}
		return nil, nil, err
	}
	for _, v := range []float64{values[0], values[n-1]} {
		if v-v != 0 {
			return nil, nil, &gram.DataError{Row: -1, Value: v, Argument: "an eigenvalue"}
		}
	}
	return values, q, nil
}

func finite(a *mat.SymDense) error {
	for i := range a.SymmetricDim() {
		for j := i; j < a.SymmetricDim(); j++ {
			if v := a.At(i, j); v-v != 0 {
				return &gram.DataError{Row: i, Col: j, Value: v}
			}
		}
	}
	return nil
}

// ProjectPSD returns the positive semidefinite matrix nearest to a in the
// Frobenius norm, Σ max(λ_i, 0)·u_iu_iᵀ, and all eigenvalues of a, ascending, so
// that the first says how far a was from it. The result's own eigenvalues are
// ≥ −n·eps·‖A‖, not exactly ≥ 0. a is not changed. Errors and cost as SymAll,
// and up to n³ flops more.
func ProjectPSD(ctx context.Context, a *mat.SymDense) (*mat.SymDense, []float64, error) {
	n := a.SymmetricDim()
	values, q, err := SymAll(ctx, a)
	if err != nil {
		return nil, nil, err
	}
	if n == 0 {
		return &mat.SymDense{}, nil, nil
	}
	out := mat.NewSymDense(n, nil)
	neg := 0
	for neg < n && values[neg] < 0 {
		neg++
	}
	// The smaller part of the spectrum is added to a or makes up the result.
	if neg <= n/2 {
		out.CopySym(a)
		addPart(out, q, values, 0, neg, math.Abs)
	} else {
		addPart(out, q, values, neg, n, math.Abs)
	}
	return out, values, nil
}

// addPart adds Σ f(λ_i)·u_iu_iᵀ over lo ≤ i < hi for f ≥ 0.
func addPart(out *mat.SymDense, q *mat.Dense, values []float64, lo, hi int, f func(float64) float64) {
	if lo == hi {
		return
	}
	n, _ := q.Dims()
	part := mat.NewDense(n, hi-lo, nil)
	root := make([]float64, hi-lo)
	for j := range root {
		root[j] = math.Sqrt(f(values[lo+j]))
	}
	for i := range n {
		row := part.RawRowView(i)
		for j, v := range q.RawRowView(i)[lo:hi] {
			row[j] = v * root[j]
		}
	}
	out.SymRankK(out, 1, part)
}

// PowerPinv returns Σ λ_i^power·u_iu_iᵀ over the r largest eigenvalues of the
// symmetric n×n matrix w, and these eigenvalues, descending: power −1 is the
// pseudo-inverse of w truncated to rank r, −½ its symmetric root, ½ the root of
// w itself.
//
// r is the number of eigenvalues above cut·λmax, at most rank (≤ 0: n). cut ≤ 0
// means n·u with the unit round-off u = 2⁻⁵³: what is below is round-off, and its
// inverse noise. A matrix without a positive eigenvalue has r = 0 and gives
// zeros. w is not changed. It panics if power or cut is NaN. Errors and cost as SymAll,
// and n²r flops more.
func PowerPinv(ctx context.Context, w *mat.SymDense, power float64, rank int, cut float64) (*mat.SymDense, []float64, error) {
	if power != power || cut != cut {
		panic("eig: the power or the cut is not a number")
	}
	n := w.SymmetricDim()
	values, q, err := SymAll(ctx, w)
	if err != nil {
		return nil, nil, err
	}
	if n == 0 {
		return &mat.SymDense{}, nil, nil
	}
	if cut <= 0 {
		cut = float64(n) * eps
	}
	if rank <= 0 || rank > n {
		rank = n
	}
	top := values[n-1]
	var kept []float64
	for len(kept) < rank && top > 0 && values[n-1-len(kept)] > cut*top {
		kept = append(kept, values[n-1-len(kept)])
	}
	out := mat.NewSymDense(n, nil)
	addPart(out, q, values, n-len(kept), n, func(v float64) float64 { return math.Pow(v, power) })
	return out, kept, nil
}
