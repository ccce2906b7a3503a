package bins

import (
	"context"
	"slices"

	"github.com/gramworks/gram/internal/par"
)

// Sparse holds, row by row, the bins of rows that are not the commonest of their
// columns, for the columns where these are few. The bins of all columns are
// numbered in one count.
type Sparse struct {
	First  []int    // number of column j's bin 0; one more than there are columns
	Common []int    // number of column j's commonest bin, −1 for columns that are left out
	Start  []int    // Bin[Start[i]:Start[i+1]] are row i's, by column
	Bin    []uint32 // numbers
}

// Sparse returns the columns where at most share of the rows are not in the
// commonest bin; nil if there are none. It takes four bytes for each value that is
// not.
func (t *Table) Sparse(ctx context.Context, workers int, share float64) (*Sparse, error) {
	d := len(t.Cuts)
	s := &Sparse{First: make([]int, d+1), Common: make([]int, d), Start: make([]int, t.N+1)}
	for j := range d {
		s.First[j+1] = s.First[j] + t.Bins(j)
	}
	if int64(s.First[d]) >= 1<<32 {
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

// gather fills Start and Bin, each worker some of the rows.
func gather[C Code](ctx context.Context, workers int, s *Sparse, code [][]C) error {
	const grain = 1 << 12
	n := len(s.Start) - 1
	// each calls f for the bins of rows lo…hi−1 that count, column by column.
	each := func(lo, hi int, f func(i int, b uint32)) {
		for j, c := range code {
			if s.Common[j] < 0 {
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
