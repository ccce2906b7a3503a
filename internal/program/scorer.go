package program

import (
	"context"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/internal/topk"
	"gonum.org/v1/gonum/mat"
)

// Scorer ranks labels by the products ⟨z, h_l⟩ of the features z of a row with a vector
// h_l for each label.
type Scorer struct {
	Name    string // package named in panics
	D       int    // number of columns of the rows
	Labels  *mat.Dense
	Workers int
	// Features returns the z of the rows of part, in memory that rows.Return takes back.
	Features func(part gram.Samples[float64]) *mat.Dense
}

// Top works on blocks of scores of this many rows and labels.
const (
	scoredRows   = 64
	scoredLabels = 4096
)

// lists pools lists for scoredRows rows. It saves allocations and changes no result.
var lists sync.Pool // *[]topk.List

// Top returns for each row the k labels with the largest scores, best first, and no labels
// for a row with NaN. It holds the scores of one block of rows and labels at a time.
func (s Scorer) Top(dst [][]gram.Scored, x mat.Matrix, k int) [][]gram.Scored {
	n, d := x.Dims()
	if d != s.D {
		panic(s.Name + ": x has the wrong number of columns")
	}
	if dst == nil {
		dst = make([][]gram.Scored, n)
	}
	if len(dst) != n {
		panic(s.Name + ": dst has the wrong length")
	}
	labels, rank := s.Labels.Dims()
	k = min(k, labels)
	all := gram.Of(x)
	par.For(context.Background(), s.Workers, n, scoredRows, func(lo, hi int) {
		z := s.Features(all.Slice(lo, hi))
		room, ok := lists.Get().(*[]topk.List)
		if !ok {
			room = new([]topk.List)
			*room = make([]topk.List, scoredRows)
		}
		best := (*room)[:hi-lo]
		for i := range best {
			best[i].Reset(k)
		}
		for from := 0; from < labels; from += scoredLabels {
			to := min(from+scoredLabels, labels)
			block := rows.Borrow(hi-lo, to-from)
			block.Mul(z, s.Labels.Slice(from, to, 0, rank).T())
			for i := range best {
				bound, full := best[i].Bound()
				for j, v := range block.RawRowView(i) {
					if (!full || v > bound) && v == v {
						best[i].Add(from+j, v)
						bound, full = best[i].Bound()
					}
				}
			}
			rows.Return(block)
		}
		rows.Return(z)
		for i := range best {
			dst[lo+i] = best[i].Take(dst[lo+i][:0])
		}
		lists.Put(room)
	})
	return dst
}

// Scores sets dst, n×labels, to the scores of all labels, those of a row with NaN to NaN.
func (s Scorer) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	labels, _ := s.Labels.Dims()
	dst = rows.Destination(s.Name, dst, x, s.D, labels)
	all := gram.Of(x)
	par.For(context.Background(), s.Workers, all.N(), scoredRows, func(lo, hi int) {
		z := s.Features(all.Slice(lo, hi))
		dst.Slice(lo, hi, 0, labels).(*mat.Dense).Mul(z, s.Labels.T())
		rows.Return(z)
	})
	return dst
}
