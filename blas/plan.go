package blas

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/gemm"
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
}

// NewPlan returns the plan of C = alpha·op(A)·op(B) + beta·C, where op(A) is m×k, op(B) k×n and C m×n. It
// panics if a number is negative or a transpose illegal.
func NewPlan[F gram.Float](tA, tB gblas.Transpose, m, n, k int) Plan[F] {
	checkM(m)
	checkN(n)
	checkK(k)
	checkTrans(tA)
	checkTrans(tB)
	return Plan[F]{tA, tB, m, n, k}
}

// Mul computes C = alpha·op(A)·op(B) + beta·C for matrices by rows with the given distances. The bits are those of
// Dgemm and Sgemm of Native. C must not overlap A or B. It panics if a distance is too small or a slice too short.
// Cost: 2mnk flops; transposes of B are written out before.
func (p Plan[F]) Mul(alpha F, a []F, lda int, b []F, ldb int, beta F, c []F, ldc int) {
	m, n, k := p.m, p.n, p.k
	ta, tb := p.tA != gblas.NoTrans, p.tB != gblas.NoTrans
	ar, ac, br, bc := m, k, k, n
	if ta {
		ar, ac = k, m
	}
	if tb {
		br, bc = n, k
	}
	if lda < ac || ldb < bc || ldc < n || len(a) < (ar-1)*lda+ac || len(b) < (br-1)*ldb+bc || len(c) < (m-1)*ldc+n ||
		max(m, n, k) > planned || min(m, n, k) == 0 || alpha == 0 {
		gemmCall(Native.(*native), p.tA, p.tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	ras, cas := lda, 1
	if ta {
		ras, cas = 1, lda
	}
	if !tb {
		gemm.Many(1, k, a, ras, cas, 0, b, ldb, 0, c, ldc, 0, m, n, alpha, beta)
		return
	}
	space := take[F](n * k)
	gemm.Transpose(*space, n, b, ldb, n, k)
	gemm.Many(1, k, a, ras, cas, 0, *space, n, 0, c, ldc, 0, m, n, alpha, beta)
	give(space)
}
