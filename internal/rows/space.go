package rows

import (
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// space pools the matrices in which blocks of rows are processed. It saves
// allocations and changes no result.
var space sync.Pool // *mat.Dense

// Borrow returns an r×c matrix with arbitrary content, for r and c above 0. Give it
// back with Return when nothing refers to it any more.
func Borrow(r, c int) *mat.Dense {
	m, ok := space.Get().(*mat.Dense)
	if !ok {
		m = new(mat.Dense)
	}
	data := m.RawMatrix().Data
	if cap(data) < r*c {
		data = make([]float64, r*c)
	}
	m.SetRawMatrix(blas64.General{Rows: r, Cols: c, Stride: c, Data: data[:r*c]})
	return m
}

// Return gives back a matrix of Borrow, which must not be used after that.
func Return(m *mat.Dense) { space.Put(m) }
