package program

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/sparse"
)

// Batch is memory for rows that Gather brings together.
type Batch[F gram.Float] struct {
	rows []F
	ptr  []int
	col  []int32
	val  []float64
	csr  sparse.CSR
}

// Gather returns the rows of x with the given ascending indices. They are a view of x
// if they lie side by side in x, and otherwise a copy, which the next call overwrites.
func (b *Batch[F]) Gather(x gram.Samples[F], index []int32) gram.Samples[F] {
	n := len(index)
	if n == 0 {
		return x.Slice(0, 0)
	}
	first := int(index[0])
	if int(index[n-1]) == first+n-1 {
		return x.Slice(first, first+n)
	}
	_, d := x.Dims()
	if rows, dense := x.Dense(); dense {
		b.rows = Grow(b.rows, n*d)
		for i, r := range index {
			from := int(r) * rows.Stride
			copy(b.rows[i*d:(i+1)*d], rows.Data[from:from+d])
		}
		return gram.Dense(gram.Rows[F]{Data: b.rows, N: n, D: d, Stride: max(1, d)})
	}
	b.ptr, b.col, b.val = append(b.ptr[:0], 0), b.col[:0], b.val[:0]
	for _, r := range index {
		col, val := x.Nonzeros(int(r))
		b.col, b.val = append(b.col, col...), append(b.val, val...)
		b.ptr = append(b.ptr, len(b.col))
	}
	b.csr = sparse.CSR{N: n, D: d, Ptr: b.ptr, Col: b.col, Val: b.val}
	if len(b.val) < len(b.col) { // all values are 1
		b.csr.Val = nil
	}
	return gram.Sparse[F](&b.csr)
}
