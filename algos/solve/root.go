package solve

import (
	"context"
	"math"

	"github.com/gramworks/gram/eig"
	"gonum.org/v1/gonum/mat"
)

// InvSqrt returns the m×r matrix B = U_rΛ_r^{−1/2} of the largest eigenvalues
// of the symmetric m×m matrix w and their eigenvectors, and these eigenvalues
// in descending order. B·Bᵀ is the pseudo-inverse of w truncated to rank r.
//
// r is the number of eigenvalues above cut·λmax, at most rank (≤ 0: m). A cut ≤
// 0 stands for m·u with the unit round-off u = 2⁻⁵³: smaller eigenvalues are
// round-off, and their inverse roots would be noise. If no eigenvalue is
// positive, r = 0 and B is a column of zeros, as a matrix needs a column.
//
// The error is a *gram.DataError for the first entry that is not finite, or a
// *gram.ConvergenceError if the eigensolver fails. The full eigendecomposition,
// about 9m³ flops, ends with ctx.Err() as eig.SymAll does.
func InvSqrt(ctx context.Context, w *mat.SymDense, rank int, cut float64) (b *mat.Dense, values []float64, err error) {
	m := w.SymmetricDim()
	all, u, err := eig.SymAll(ctx, w)
	if err != nil {
		return nil, nil, err
	}
	if rank <= 0 || rank > m {
		rank = m
	}
	b, values = Truncate(u, all, rank, cut)
	return b, values, nil
}

// Truncate does the same as InvSqrt for eigenvalues that are already known: u
// is m×p with orthonormal columns, and values holds the p eigenvalues in
// ascending order.
func Truncate(u *mat.Dense, values []float64, rank int, cut float64) (*mat.Dense, []float64) {
	m, p := u.Dims()
	if len(values) != p {
		panic("solve: not one eigenvalue per vector")
	}
	if cut <= 0 {
		cut = float64(m) * 0x1p-53
	}
	top := values[p-1]
	r := 0
	for r < min(rank, p) && values[p-1-r] > cut*top && top > 0 {
		r++
	}
	kept := make([]float64, r)
	b := mat.NewDense(m, max(r, 1), nil)
	for c := range r {
		kept[c] = values[p-1-c]
		s := 1 / math.Sqrt(kept[c])
		for i := range m {
			b.Set(i, c, s*u.At(i, p-1-c))
		}
	}
	return b, kept
}
