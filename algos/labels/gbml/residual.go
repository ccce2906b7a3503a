package gbml

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/sparse"
)

// residual holds c_i = y_i − F(x_i) of all rows, sparse, labels ascending. The rows of a
// block are renewed together, so that no more than a few blocks are held twice.
type residual struct{ blocks []block }

// block holds some rows: row i has the entries ptr[i] … ptr[i+1]−1.
type block struct {
	ptr   []int
	label []int32
	value []float64
}

// blockRows is the number of rows of a block.
const blockRows = 4096

// newResidual returns copies of the rows of y, the residuals before the first tree, in blocks of blockRows rows. Entries without
// values count as 1. A nil y has no rows.
func newResidual(y *sparse.CSR) *residual {
	r := &residual{}
	if y == nil {
		return r
	}
	for lo := 0; lo < y.N; lo += blockRows {
		hi := min(lo+blockRows, y.N)
		part := y.Slice(lo, hi)
		b := block{ptr: make([]int, 1, hi-lo+1), label: make([]int32, 0, part.NNZ()), value: make([]float64, 0, part.NNZ())}
		for i := range hi - lo {
			col, val := part.Row(i)
			b.label = append(b.label, col...)
			if val != nil {
				b.value = append(b.value, val...)
			} else {
				for range col {
					b.value = append(b.value, 1)
				}
			}
			b.ptr = append(b.ptr, len(b.label))
		}
		r.blocks = append(r.blocks, b)
	}
	return r
}

func (r *residual) row(i int32) ([]int32, []float64) {
	b := &r.blocks[i/blockRows]
	lo, hi := b.ptr[i%blockRows], b.ptr[i%blockRows+1]
	return b.label[lo:hi], b.value[lo:hi]
}

// entries is the number of entries of all rows.
func (r *residual) entries() int {
	n := 0
	for _, b := range r.blocks {
		n += len(b.label)
	}
	return n
}

// squares is Σ‖c_i‖².
func (r *residual) squares(workers int) float64 {
	s, _ := par.Sum(context.Background(), workers, len(r.blocks), 16, func(lo, hi int) (s float64) {
		for _, b := range r.blocks[lo:hi] {
			for _, v := range b.value {
				s += float64(v * v)
			}
		}
		return s
	}, func(a, b float64) float64 { return a + b })
	return s
}

// subtract takes what the tree grown last adds to F off the residuals: leaves holds the leaf
// of each row.
func (f *forest[F]) subtract(workers int, r *residual, leaves []int32) {
	par.For(context.Background(), workers, len(r.blocks), 1, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			b := &r.blocks[k]
			*b = minus(b, f, leaves[k*blockRows:])
		}
	})
}

// minus returns a block without the values of the leaves of its rows.
func minus[F gram.Float](b *block, f *forest[F], leaves []int32) block {
	n := len(b.ptr) - 1
	out := block{ptr: make([]int, n+1)}
	for i := range n {
		label := b.label[b.ptr[i]:b.ptr[i+1]]
		add, _ := f.leaf(leaves[i])
		k := len(label) + len(add)
		for p, q := 0, 0; p < len(label) && q < len(add); {
			switch a, b := label[p], add[q]; {
			case a < b:
				p++
			case a > b:
				q++
			default:
				p, q, k = p+1, q+1, k-1
			}
		}
		out.ptr[i+1] = out.ptr[i] + k
	}
	out.label, out.value = make([]int32, 0, out.ptr[n]), make([]float64, 0, out.ptr[n])
	put := func(label int32, value float64) {
		out.label, out.value = append(out.label, label), append(out.value, value)
	}
	for i := range n {
		label, value := b.label[b.ptr[i]:b.ptr[i+1]], b.value[b.ptr[i]:b.ptr[i+1]]
		add, h := f.leaf(leaves[i])
		for p, q := 0, 0; p < len(label) || q < len(add); {
			switch {
			case q == len(add) || p < len(label) && label[p] < add[q]:
				put(label[p], value[p])
				p++
			case p == len(label) || label[p] > add[q]:
				put(add[q], -float64(h[q]))
				q++
			default:
				put(label[p], value[p]-float64(h[q]))
				p, q = p+1, q+1
			}
		}
	}
	return out
}
