package algotest

import (
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// own is a mat.Matrix as a user would write it. Unlike a *mat.Dense it can have
// columns without rows.
type own struct {
	n, d int
	at   func(i, j int) float64
}

func (o own) Dims() (r, c int) { return o.n, o.d }

func (o own) At(i, j int) float64 {
	if i < 0 || i >= o.n || j < 0 || j >= o.d {
		panic(mat.ErrIndexOutOfRange)
	}
	return o.at(i, j)
}

func (o own) T() mat.Matrix { return mat.Transpose{Matrix: o} }

// Kinds returns the n×d matrix with the cells at(i, j) as every kind of mat.Matrix
// that can hold it: dense with and without gaps between the rows, sparse, transposed,
// one that is neither of gonum nor of this module, and a vector, a symmetric or a
// diagonal matrix if it is one. For n = 0 it returns the kinds that can have columns
// without rows.
func Kinds(n, d int, at func(i, j int) float64) map[string]mat.Matrix {
	kinds := map[string]mat.Matrix{
		"a type of its own":            own{n, d, at},
		"a transposed type of its own": own{d, n, func(i, j int) float64 { return at(j, i) }}.T(),
	}
	if n == 0 || d == 0 {
		kinds["*sparse.CSR"] = &sparse.CSR{N: n, D: d, Ptr: make([]int, n+1)}
		kinds["rows out of a larger sparse.CSR"] = sparse.FromDense(mat.NewDense(2, max(1, d), nil)).Slice(1, 1)
		return kinds
	}
	dense := mat.DenseCopyOf(kinds["a type of its own"])
	wide := mat.NewDense(n+2, d+3, nil)
	for i := range n + 2 {
		for j := range d + 3 {
			wide.Set(i, j, 1e9)
		}
	}
	part := wide.Slice(1, n+1, 2, d+2).(*mat.Dense)
	part.Copy(dense)
	kinds["*mat.Dense"] = dense
	kinds["a *mat.Dense with gaps"] = part
	kinds["*sparse.CSR"] = sparse.FromDense(dense)
	kinds["rows out of a larger sparse.CSR"] = sparse.FromDense(wide.Slice(0, n+2, 2, d+2)).Slice(1, n+1)
	kinds["a transposed *mat.Dense"] = mat.DenseCopyOf(dense.T()).T()
	kinds["a mat.Transpose"] = mat.Transpose{Matrix: mat.DenseCopyOf(dense.T())}
	if d == 1 {
		kinds["*mat.VecDense"] = mat.VecDenseCopyOf(dense.ColView(0))
		kinds["a column of a *mat.Dense"] = part.ColView(0)
	}
	if n == 1 {
		kinds["a transposed *mat.VecDense"] = mat.VecDenseCopyOf(dense.RowView(0)).T()
	}
	symmetric, diagonal := n == d, n == d
	for i := range n {
		for j := range d {
			symmetric = symmetric && at(i, j) == at(j, i)
			diagonal = diagonal && (i == j || at(i, j) == 0)
		}
	}
	if symmetric {
		s := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range n {
				s.SetSym(i, j, at(i, j))
			}
		}
		kinds["*mat.SymDense"] = s
	}
	if diagonal {
		s := mat.NewDiagDense(n, nil)
		for i := range n {
			s.SetDiag(i, at(i, i))
		}
		kinds["*mat.DiagDense"] = s
	}
	return kinds
}
