// Package topk keeps the best labels of a stream of scored labels.
package topk

import (
	"math"

	"github.com/gramworks/gram"
)

// List holds the k best labels added so far. Among equal scores the lower label
// is better, in whatever order they come. The zero List holds no labels; Reset
// sets its size.
type List struct {
	k    int
	heap []gram.Scored // heap with the worst label first
}

// Reset empties the list and sets the number of labels that it holds.
func (l *List) Reset(k int) {
	l.k = k
	l.heap = l.heap[:0]
}

// worse reports whether a has the lower score or, of equal scores, the higher label.
func worse(a, b gram.Scored) bool {
	return a.Score < b.Score || a.Score == b.Score && a.Label > b.Label
}

// Bound returns the score below which no label enters the list. ok is false
// until the list is full.
func (l *List) Bound() (score float64, ok bool) {
	if l.k == 0 || len(l.heap) < l.k {
		return 0, false
	}
	return l.heap[0].Score, true
}

// Add offers a label to the list. Its score must not be NaN, and no label may
// be added twice.
func (l *List) Add(label int, score float64) {
	s := gram.Scored{Label: label, Score: score}
	if len(l.heap) < l.k {
		l.heap = append(l.heap, s)
		for i := len(l.heap) - 1; i > 0; {
			up := (i - 1) / 2
			if !worse(l.heap[i], l.heap[up]) {
				break
			}
			l.heap[i], l.heap[up] = l.heap[up], l.heap[i]
			i = up
		}
		return
	}
	if l.k == 0 || !worse(l.heap[0], s) {
		return
	}
	l.heap[0] = s
	l.down(len(l.heap))
}

// down restores the order of the first n labels after the first has changed.
func (l *List) down(n int) {
	for i := 0; ; {
		c := 2*i + 1
		if c >= n {
			return
		}
		if c+1 < n && worse(l.heap[c+1], l.heap[c]) {
			c++
		}
		if !worse(l.heap[c], l.heap[i]) {
			return
		}
		l.heap[i], l.heap[c] = l.heap[c], l.heap[i]
		i = c
	}
}

// Take appends the labels to dst, best first, and empties the list.
func (l *List) Take(dst []gram.Scored) []gram.Scored {
	for n := len(l.heap); n > 1; n-- {
		l.heap[0], l.heap[n-1] = l.heap[n-1], l.heap[0]
		l.down(n - 1)
	}
	dst = append(dst, l.heap...)
	l.heap = l.heap[:0]
	return dst
}

// Rank appends to dst the k labels with the largest of scores, one for each label, best first.
// Labels whose score is −Inf or NaN are left out.
func (l *List) Rank(dst []gram.Scored, scores []float64, k int) []gram.Scored {
	l.Reset(min(k, len(scores)))
	for label, v := range scores {
		if v > math.Inf(-1) {
			l.Add(label, v)
		}
	}
	return l.Take(dst)
}
