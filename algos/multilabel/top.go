package multilabel

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/topk"
	"gonum.org/v1/gonum/mat"
)

// Blocks of scores that top works on: rows × labels.
const (
	topRows   = 64
	topLabels = 4096
)

// top returns the k labels of largest ⟨z, h_l⟩ for each row of x, where features
// makes the rows z of rows of x and h holds a row for each label.
func top(dst [][]gram.Scored, x mat.Matrix, k, workers int, h *mat.Dense, features func(part gram.Samples[float64]) *mat.Dense) [][]gram.Scored {
	n, _ := x.Dims()
	if dst == nil {
		dst = make([][]gram.Scored, n)
	}
	if len(dst) != n {
		panic("multilabel: dst has the wrong length")
	}
	labels, rank := h.Dims()
	k = min(k, labels)
	all := gram.Of(x)
	par.For(context.Background(), workers, n, topRows, func(lo, hi int) {
		z := features(all.Slice(lo, hi))
		lists := make([]topk.List, hi-lo)
		for i := range lists {
			lists[i].Reset(k)
		}
		buf := mat.NewDense(hi-lo, min(labels, topLabels), nil)
		for from := 0; from < labels; from += topLabels {
			to := min(from+topLabels, labels)
			s := buf.Slice(0, hi-lo, 0, to-from).(*mat.Dense)
			s.Mul(z, h.Slice(from, to, 0, rank).T())
			for i := range lists {
				bound, full := lists[i].Bound()
				for j, v := range s.RawRowView(i) {
					if (!full || v > bound) && v == v {
						lists[i].Add(from+j, v)
						bound, full = lists[i].Bound()
					}
				}
			}
		}
		for i := range lists {
			dst[lo+i] = lists[i].Take(dst[lo+i][:0])
		}
	})
	return dst
}
