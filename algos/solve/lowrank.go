package solve

import (
	"github.com/gramworks/gram"
	_ "github.com/gramworks/gram/blas" // registers the backend of this module for products
	"github.com/gramworks/gram/internal/rows"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// LowRank is the matrix Φ·Φᵀ, held as the n×m matrix Phi, by which a feature
// map approximates a kernel matrix. With Scale, m numbers of any sign, it is
// Φ·diag(Scale)·Φᵀ. LowRank is a gram.Operator and an Approximation.
type LowRank struct {
	Phi   *mat.Dense
	Scale []float64 // nil: ones
}

// Dim returns n, the number of rows of Phi.
func (a *LowRank) Dim() int { n, _ := a.Phi.Dims(); return n }

// Apply sets dst = Φ·(diag(Scale)·Φᵀ·x), for x of s columns in 4·n·m·s flops.
func (a *LowRank) Apply(dst, x *mat.Dense) {
	n, m := a.Phi.Dims()
	xn, s := x.Dims()
	if dn, ds := dst.Dims(); xn != n || dn != n || ds != s {
		panic("solve: shapes do not fit")
	}
	t := mat.NewDense(m, s, nil)
	rows.AddMulTrans(t, gram.Of(a.Phi), x)
	for j, f := range a.Scale {
		blas64.Scal(f, blas64.Vector{N: s, Data: t.RawRowView(j), Inc: 1})
	}
	rows.Mul(dst, gram.Of(a.Phi), t)
}

// Matrix returns the n×n matrix of an operator, for small n: its rows where it knows them,
// else its products with unit vectors.
func Matrix(a gram.Operator) *mat.Dense {
	n := a.Dim()
	out := mat.NewDense(n, n, nil)
	if by, ok := a.(Approximation); ok {
		index := make([]int, n)
		for i := range index {
			index[i] = i
		}
		by.Rows(out, index)
		return out
	}
	unit := mat.NewDense(n, n, nil)
	for i := range n {
		unit.Set(i, i, 1)
	}
	a.Apply(out, unit)
	return out
}

// Rows sets dst to the given rows of the matrix.
func (a *LowRank) Rows(dst *mat.Dense, index []int) {
	n, _ := a.Phi.Dims()
	if r, c := dst.Dims(); r != len(index) || c != n {
		panic("solve: shapes do not fit")
	}
	part := rows.Dense(gram.Of(a.Phi), index)
	for j, f := range a.Scale {
		blas64.Scal(f, column(part, j))
	}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, part.RawMatrix(), a.Phi.RawMatrix(), 0, dst.RawMatrix())
}
