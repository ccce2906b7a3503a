package bins

import (
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram/internal/par"
)

// Sparse holds, row by row, the bins of values that are not in the most frequent
// bin of their column, for the columns in which such values are few. The bins of
// all columns are numbered consecutively. Columns of groups have their bins there.
type Sparse struct {
	First  []int    // number of the first bin of column j; one more element than there are columns
	Common []int    // number of the most frequent bin of column j; −1 for columns that are left out
	Listed []bool   // column j is on the lists
	Start  []int    // Bin[Start[i]:Start[i+1]] belong to row i, in the order of the columns
	Bin    []uint32 // numbers of bins
	Groups []Group
}

// Sparse returns the columns in which at most the given share of the rows is
// outside the most frequent bin, or nil if there are none. Groups have at most most
// states, which is at most 256; with 0 there are no groups. Sparse takes a byte for each
// row and group, and four for each such value of the other columns.
func (t *Table) Sparse(ctx context.Context, workers int, share float64, most int) (*Sparse, error) {
	d := len(t.Cuts)
	s := &Sparse{First: make([]int, d+1), Common: make([]int, d), Listed: make([]bool, d), Start: make([]int, t.N+1)}
	var last int64 // bin, counted over all columns; an int may be too short for it
	for j := range d {
		last += int64(t.Bins(j))
		s.First[j+1] = int(last)
	}
	if last >= min(1<<32, math.MaxInt) {
		return nil, nil
	}
	rare := make([]int, d)
	err := par.For(ctx, workers, d, 1, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			count := make([]int, t.Bins(j))
			if t.Narrow != nil {
				tally(count, t.Narrow[j])
			} else {
				tally(count, t.Wide[j])
			}
			most := slices.Max(count)
			s.Common[j], rare[j] = s.First[j]+slices.Index(count, most), t.N-most
			if float64(rare[j]) > share*float64(t.N) {
				s.Common[j], rare[j] = -1, 0
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if d == 0 || slices.Max(s.Common) < 0 {
		return nil, nil
	}
	if most > 0 {
		if err := s.groups(ctx, workers, t, rare, most); err != nil {
			return nil, err
		}
	}
	for j, b := range s.Common {
		s.Listed[j] = b >= 0
	}
	for _, g := range s.Groups {
		for _, j := range g.Columns {
			s.Listed[j], rare[j] = false, 0
		}
	}
	total := 0
	for _, k := range rare {
		total += k
	}
	s.Bin = make([]uint32, total)
	if t.Narrow != nil {
		err = gather(ctx, workers, s, t.Narrow)
	} else {
		err = gather(ctx, workers, s, t.Wide)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

func tally[C Code](h []int, code []C) {
	for _, b := range code {
		h[b]++
	}
}

// gather fills Start and Bin; each worker takes some of the rows.
func gather[C Code](ctx context.Context, workers int, s *Sparse, code [][]C) error {
	const grain = 1 << 12
	n := len(s.Start) - 1
	// each calls f for the stored bins of rows lo…hi−1, column by column.
	each := func(lo, hi int, f func(i int, b uint32)) {
		for j, c := range code {
			if !s.Listed[j] {
				continue
			}
			common := C(s.Common[j] - s.First[j])
			for i, b := range c[lo:hi] {
				if b != common {
					f(lo+i, uint32(s.First[j]+int(b)))
				}
			}
		}
	}
	err := par.For(ctx, workers, n, grain, func(lo, hi int) {
		each(lo, hi, func(i int, _ uint32) { s.Start[i+1]++ })
	})
	if err != nil {
		return err
	}
	for i := range n {
		s.Start[i+1] += s.Start[i]
	}
	return par.For(ctx, workers, n, grain, func(lo, hi int) {
		next := append([]int(nil), s.Start[lo:hi]...)
		each(lo, hi, func(i int, b uint32) {
			s.Bin[next[i-lo]] = b
			next[i-lo]++
		})
	})
}
