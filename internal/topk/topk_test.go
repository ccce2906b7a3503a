package topk

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/num/rng"
)

func TestAgainstSorting(t *testing.T) {
	r := rng.New(1, 0)
	var l List
	for range 2000 {
		n, k := r.IntN(30), r.IntN(12)
		all := make([]gram.Scored, n)
		for i, p := range r.Perm(n) {
			all[i] = gram.Scored{Label: p, Score: float64(r.IntN(6))}
		}
		l.Reset(k)
		for _, s := range all {
			l.Add(s.Label, s.Score)
		}
		slices.SortFunc(all, func(a, b gram.Scored) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Label, b.Label))
		})
		want := all[:min(k, n)]
		if b, ok := l.Bound(); ok != (k > 0 && n >= k) || ok && b != want[k-1].Score {
			t.Fatalf("bound %v %v of %v", b, ok, want)
		}
		if got := l.Take(nil); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

func TestSums(t *testing.T) {
	s := NewSums[float32]([]int32{1, 4, 0, 3})
	for range 2 { // the second time finds the room as new
		s.Add([]int32{1, 4}, []float32{1, 2})
		s.Add([]int32{0, 1}, []float32{2, .5})
		s.Add([]int32{3}, []float32{-1})
		want := []gram.Scored{{Label: 0, Score: 2}, {Label: 4, Score: 2}, {Label: 1, Score: 1.5}, {Label: 3, Score: -1}}
		if got := s.Take(nil, 9); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

// Spread writes the sums that Take would return, and −Inf for other labels, and
// resets them.
func TestSpread(t *testing.T) {
	s := NewSums[float32]([]int32{1, 4, 0, 3})
	none := math.Inf(-1)
	for range 2 {
		s.Add([]int32{1, 4}, []float32{1, 2})
		s.Add([]int32{0, 1}, []float32{2, .5})
		got := make([]float64, 6)
		Spread(s, got, 2)
		if want := []float64{1, .75, none, none, 1, none}; !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
	single := make([]float32, 2)
	s.Add([]int32{1}, []float32{-3})
	Spread(s, single, 1)
	if single[1] != -3 || !math.IsInf(float64(single[0]), -1) || len(s.Take(nil, 3)) != 0 {
		t.Errorf("%v", single)
	}
}

// The labels are appended. A list of size 0 holds none, and neither does a list
// without a size.
func TestTake(t *testing.T) {
	first := gram.Scored{Label: 9, Score: 9}
	var l List
	l.Add(1, 1)
	if got := l.Take(nil); len(got) != 0 {
		t.Errorf("the zero list holds %v", got)
	}
	l.Reset(1)
	l.Add(7, 7)
	l.Reset(2) // forgets what was added
	if _, ok := l.Bound(); ok {
		t.Error("an empty list has a bound")
	}
	for label, score := range []float64{1, 3, 2} {
		l.Add(label, score)
	}
	if b, ok := l.Bound(); !ok || b != 2 {
		t.Errorf("the bound is %v, %v", b, ok)
	}
	if got := l.Take([]gram.Scored{first}); !slices.Equal(got, []gram.Scored{first, {Label: 1, Score: 3}, {Label: 2, Score: 2}}) {
		t.Errorf("took %v", got)
	}
	if got := l.Take(nil); len(got) != 0 {
		t.Errorf("what was taken is still there: %v", got)
	}
}
