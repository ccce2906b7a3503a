package multilabel

import (
	"context"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/internal/topk"
	"gonum.org/v1/gonum/mat"
)

// Blocks of scores that top works on: rows × labels.
const (
	topRows   = 64
	topLabels = 4096
)

// space has lists of topRows rows. It spares allocations and changes no result.
var space sync.Pool // *[]topk.List

// top returns the k labels of largest ⟨z, h_l⟩ for each row of x, where features
// makes the rows z of rows of x, which rows.Return takes back, and h holds a row for each label.
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
		room, ok := space.Get().(*[]topk.List)
		if !ok {
			room = new([]topk.List)
			*room = make([]topk.List, topRows)
		}
		lists := (*room)[:hi-lo]
		for i := range lists {
			lists[i].Reset(k)
		}
		for from := 0; from < labels; from += topLabels {
			to := min(from+topLabels, labels)
			s := rows.Borrow(hi-lo, to-from)
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
			rows.Return(s)
		}
		rows.Return(z)
		for i := range lists {
			dst[lo+i] = lists[i].Take(dst[lo+i][:0])
		}
		space.Put(room)
	})
	return dst
}
