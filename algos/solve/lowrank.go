package solve

import (
	"github.com/gramworks/gram/internal/rows"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// LowRank is the positive semi-definite matrix Φ·Φᵀ, held as the n×m matrix
// Phi: what a feature map makes of a kernel matrix. It is a gram.Operator and
// an Approximation.
type LowRank struct{ Phi *mat.Dense }

// Dim returns n.
func (a *LowRank) Dim() int { n, _ := a.Phi.Dims(); return n }

// Apply sets dst = Φ·(Φᵀ·x) in 4·n·m·s flops.
func (a *LowRank) Apply(dst, x *mat.Dense) {
	n, m := a.Phi.Dims()
	xn, s := x.Dims()
	if dn, ds := dst.Dims(); xn != n || dn != n || ds != s {
		panic("solve: shapes do not fit")
	}
	t := mat.NewDense(m, s, nil)
	rows.AddMulTrans(t, a.Phi, x)
	rows.Mul(dst, a.Phi, t)
}

// Rows sets dst to the given rows of Φ·Φᵀ.
func (a *LowRank) Rows(dst *mat.Dense, index []int) {
	n, _ := a.Phi.Dims()
	if r, c := dst.Dims(); r != len(index) || c != n {
		panic("solve: shapes do not fit")
	}
	part := rows.Dense(a.Phi, index)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, part.RawMatrix(), a.Phi.RawMatrix(), 0, dst.RawMatrix())
}
