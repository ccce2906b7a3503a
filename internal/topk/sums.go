package topk

import (
	"math"

	"github.com/gramworks/gram"
)

// Sums adds up sparse vectors of label scores and returns the best labels. It has memory
// for every label but touches only those that occur.
type Sums[F gram.Float] struct {
	sum  []F
	seen []bool
	list []int32
	top  List
}

// NewSums returns empty sums for the labels in label. Its memory depends on these labels,
// not on the number of labels that a model file claims.
func NewSums[F gram.Float](label []int32) *Sums[F] {
	labels := 0
	for _, l := range label {
		labels = max(labels, int(l)+1)
	}
	return &Sums[F]{sum: make([]F, labels), seen: make([]bool, labels)}
}

// Add adds value[q] to the sum of label label[q], for all q.
func (s *Sums[F]) Add(label []int32, value []F) {
	value = value[:len(label)]
	for q, l := range label {
		if !s.seen[l] {
			s.seen[l] = true
			s.list = append(s.list, l)
		}
		s.sum[l] += value[q]
	}
}

// Take appends the k best labels with a sum to dst, best first, and resets all sums.
func (s *Sums[F]) Take(dst []gram.Scored, k int) []gram.Scored {
	s.top.Reset(k)
	for _, l := range s.list {
		s.top.Add(int(l), float64(s.sum[l]))
		s.sum[l], s.seen[l] = 0, false
	}
	s.list = s.list[:0]
	return s.top.Take(dst)
}

// Spread sets dst, which has an element for every label, to the sums divided by count,
// and to −Inf for labels without a sum. It resets all sums.
func Spread[F, G gram.Float](s *Sums[F], dst []G, count int) {
	for l := range dst {
		dst[l] = G(math.Inf(-1))
	}
	for _, l := range s.list {
		dst[l] = G(float64(s.sum[l]) / float64(count))
		s.sum[l], s.seen[l] = 0, false
	}
	s.list = s.list[:0]
}
