package blas

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/gemm"
	"github.com/gramworks/gram/internal/race"
	gblas "gonum.org/v1/gonum/blas"
)

// planned is the largest dimension of products that a Plan computes with one call of a kernel.
const planned = 32

// A Plan computes products of one shape on Native, whatever backend is installed. It is for loops over small
// matrices: the sizes are checked once, and up to 32 rows, columns and terms Mul goes to its kernel at once.
// Larger products take the path of Dgemm and Sgemm.
//
// A Plan comes from NewPlan. It is a value without memory of its own, and Mul may be called from any number of
// goroutines.
type Plan[F gram.Float] struct {
	tA, tB  gblas.Transpose
	m, n, k int
	plain   bool // few columns of a B that is not transposed
}

// NewPlan returns the plan of C = alpha·op(A)·op(B) + beta·C, where op(A) is m×k, op(B) k×n and C m×n. It
// panics if a number is negative or a transpose illegal.
func NewPlan[F gram.Float](tA, tB gblas.Transpose, m, n, k int) Plan[F] {
	checkM(m)
	checkN(n)
	checkK(k)
	checkTrans(tA)
	checkTrans(tB)
	return Plan[F]{tA, tB, m, n, k, min(m, n, k) > 0 && max(m, k) <= planned && n <= tiny && tB == gblas.NoTrans}
}

// Mul computes C = alpha·op(A)·op(B) + beta·C for matrices by rows with the given distances. The bits are those of
// Dgemm and Sgemm of Native. C must not overlap A or B. It panics if a distance is too small or a slice too short.
// Cost: 2mnk flops; transposes of B are written out before.
func (p Plan[F]) Mul(alpha F, a []F, lda int, b []F, ldb int, beta F, c []F, ldc int) {
	m, n, k := p.m, p.n, p.k
	rows, cols, ras, cas := stored(p.tA, m, k, lda)
	if p.plain && alpha != 0 && !race.Enabled && fitFew(rows, cols, len(a), lda, k, n, len(b), ldb, m, n, len(c), ldc) &&
		gemm.FewAt(k, &a[0], ras, cas, &b[0], ldb, &c[0], ldc, m, n, alpha, beta) {
		return
	}
	rowsB, colsB, rbs, _ := stored(p.tB, k, n, ldb)
	switch {
	case max(m, n, k) > planned || min(m, n, k) == 0 || alpha == 0 ||
		!fitFew(rows, cols, len(a), lda, rowsB, colsB, len(b), ldb, m, n, len(c), ldc):
		gemmCall(Native.(*nativeBackend), p.tA, p.tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	case p.tB == gblas.NoTrans:
		gemm.Many(1, k, a, ras, cas, 0, b, rbs, 0, c, ldc, 0, m, n, alpha, beta)
	case max(n, k) <= tiny && !race.Enabled && gemm.FewTransposedAt(k, &a[0], ras, cas, &b[0], ldb, &c[0], ldc, m, n, alpha, beta):
	default:
		space := take[F](n * k)
		gemm.Transpose(*space, n, b, ldb, n, k)
		gemm.Many(1, k, a, ras, cas, 0, *space, n, 0, c, ldc, 0, m, n, alpha, beta)
		give(space)
	}
}
