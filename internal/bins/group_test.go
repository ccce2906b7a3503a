package bins

import (
	"context"
	"reflect"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// grouped has two categories of seven and of 300 levels, a column for each, numbers of three values, of which two are rare, and of
// many values, and a column of ones that are few.
func grouped(n int) *mat.Dense {
	r := rng.New(5, 0)
	x := mat.NewDense(n, 7+300+5, nil)
	for i := range n {
		x.Set(i, r.IntN(7), 1)
		x.Set(i, 7+r.IntN(300), 1)
		for j := 307; j < 310; j++ {
			x.Set(i, j, float64(max(0, r.IntN(6)-3)))
		}
		x.Set(i, 310, r.NormFloat64())
		if i%1500 == 0 {
			x.Set(i, 311, 1)
		}
	}
	return x
}

// The bins of a row are those of its states, of its list and the most frequent ones, for codes of both widths, any number of states and
// of workers.
func TestGroups(t *testing.T) {
	const n = 3000
	x := grouped(n)
	for _, quantiles := range []int{0, 40} { // of column 310
		tab := must.Have(Make(context.Background(), 2, gram.Of(x), quantiles, 1, nil))(t)
		if (tab.Wide != nil) != (quantiles == 0) {
			t.Fatal("want codes of 16 bits for all values, of 8 for quantiles")
		}
		for _, most := range []int{1, 2, 8, 100, 256} {
			var first *Sparse
			for workers := 1; workers <= 3; workers++ {
				s := must.Have(tab.Sparse(context.Background(), workers, .5, most))(t)
				if first == nil {
					first = s
				}
				if !reflect.DeepEqual(s, first) {
					t.Fatalf("%d states: another result with %d workers", most, workers)
				}
			}
			checkGroups(t, tab, first, most)
			widest := 0
			for _, g := range first.Groups {
				widest = max(widest, len(g.Columns))
			}
			if want := map[int]int{1: 0, 2: 0, 8: 7, 100: 8, 256: 8}[most]; widest < want || most <= 2 && widest > 0 {
				t.Errorf("%d states: the widest group has %d columns, want %d", most, widest, want)
			}
			if most > 2 && (!first.Listed[311] || first.Listed[0]) {
				t.Errorf("%d states: a column of few values outside its bin is in a group, or one of many is not", most)
			}
		}
	}
}

// checkGroups checks that s holds each column once, and its bins.
func checkGroups(t *testing.T, tab *Table, s *Sparse, most int) {
	t.Helper()
	group := make([]int, len(tab.Cuts)) // of columns, plus 1
	for k, g := range s.Groups {
		if states := len(g.Start) - 1; states < 2 || states > most || g.Start[states] != len(g.Bin) {
			t.Fatalf("group %d has %d states, want at most %d", k, states, most)
		}
		for _, j := range g.Columns {
			if group[j] > 0 || s.Listed[j] || s.Common[j] < 0 {
				t.Fatalf("column %d is in two groups, or listed, or without a common bin", j)
			}
			group[j] = k + 1
		}
	}
	for i := range tab.N {
		got := make([]int, len(tab.Cuts)) // bins, plus 1
		put := func(b uint32, k int) {
			j := 0
			for s.First[j+1] <= int(b) {
				j++
			}
			if got[j] > 0 || group[j] != k || k == 0 && !s.Listed[j] {
				t.Fatalf("row %d: a bin of column %d is given twice or by another group", i, j)
			}
			got[j] = int(b) + 1
		}
		for k, g := range s.Groups {
			state := g.Code[i]
			for _, b := range g.Bin[g.Start[state]:g.Start[state+1]] {
				put(b, k+1)
			}
		}
		for _, b := range s.Bin[s.Start[i]:s.Start[i+1]] {
			put(b, 0)
		}
		for j := range got {
			want := s.First[j] + tab.code(j, i)
			if s.Common[j] < 0 {
				continue
			}
			if b := got[j] - 1; b != want && !(b < 0 && want == s.Common[j]) {
				t.Fatalf("row %d, column %d: number %d, want %d", i, j, b, want)
			}
		}
	}
}
