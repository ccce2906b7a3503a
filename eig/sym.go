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
		addPart(out, q, values, 0, neg)
	} else {
		addPart(out, q, values, neg, n)
	}
	return out, values, nil
}

// addPart adds Σ |λ_i|·u_iu_iᵀ over lo ≤ i < hi.
func addPart(out *mat.SymDense, q *mat.Dense, values []float64, lo, hi int) {
	if lo == hi {
		return
	}
	n, _ := q.Dims()
	part := mat.NewDense(n, hi-lo, nil)
	root := make([]float64, hi-lo)
	for j := range root {
		root[j] = math.Sqrt(math.Abs(values[lo+j]))
	}
	for i := range n {
		row := part.RawRowView(i)
		for j, v := range q.RawRowView(i)[lo:hi] {
			row[j] = v * root[j]
		}
	}
	out.SymRankK(out, 1, part)
}
