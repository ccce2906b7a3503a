package bins

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// codes returns the bins of a table, narrow or wide.
func (t *Table) code(j, i int) int {
	if t.Narrow != nil {
		return int(t.Narrow[j][i])
	}
	return int(t.Wide[j][i])
}

func problem(n int) *mat.Dense {
	r := rng.New(3, 0)
	x := mat.NewDense(n, 5, nil)
	for i := range n {
		x.SetRow(i, []float64{r.NormFloat64(), float64(r.IntN(4)), 7, math.Floor(3 * r.ExpFloat64()), 0})
		if r.IntN(3) == 0 {
			x.Set(i, 4, r.NormFloat64())
		}
	}
	return x
}

func TestCodesAreCounts(t *testing.T) {
	for _, most := range []int{0, 2, 16, 256, 300} {
		x := problem(3000)
		dense := must.Have(Make(context.Background(), 2, gram.Of(x), most, 1, nil))(t)
		csr := must.Have(Make(context.Background(), 1, gram.Of(sparse.FromDense(x)), most, 1, nil))(t)
		if (dense.Narrow != nil) == (dense.Wide != nil) {
			t.Fatal("want one width of codes")
		}
		for j := range 5 {
			if most > 0 && dense.Bins(j) > most {
				t.Errorf("column %d has %d bins, limit %d", j, dense.Bins(j), most)
			}
			for i := range 3000 {
				want := 0
				for _, c := range dense.Cuts[j] {
					if c < x.At(i, j) {
						want++
					}
				}
				if got := dense.code(j, i); got != want || csr.code(j, i) != want {
					t.Fatalf("limit %d, row %d, column %d: bins %d and %d, want %d", most, i, j, got, csr.code(j, i), want)
				}
			}
		}
		if dense.Bins(2) != 1 || dense.Bins(1) != min(4, max(most, 4*(1-min(1, most)))) {
			t.Errorf("limit %d: %d and %d bins of a constant and of four values", most, dense.Bins(2), dense.Bins(1))
		}
	}
}

// Bins of a continuous column hold about equal numbers of rows; a heavy value
// has a bin of its own.
func TestBalance(t *testing.T) {
	x := problem(20000)
	tab := must.Have(Make(context.Background(), 2, gram.Of(x), 50, 1, nil))(t)
	count := make([]int, 50)
	for i := range 20000 {
		count[tab.code(0, i)]++
	}
	for b, n := range count {
		if n < 390 || n > 410 {
			t.Errorf("bin %d holds %d of 20000 rows", b, n)
		}
	}
	zero := -1
	for i := range 20000 {
		if x.At(i, 4) == 0 {
			zero = tab.code(4, i)
		}
	}
	for i := range 20000 {
		if v := x.At(i, 4); v != 0 && tab.code(4, i) == zero && math.Abs(v) > 0.01 {
			t.Fatalf("value %v shares the bin of the zeros", v)
		}
	}
}

func TestTooManyValues(t *testing.T) {
	n := 1<<16 + 1
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, float64(i))
	}
	_, err := Make(context.Background(), 1, gram.Of(x), 0, 1, nil)
	var de *gram.DataError
	if !errors.As(err, &de) || de.Col != 0 {
		t.Fatalf("error %v", err)
	}
}

// Columns of very many rows are cut by a sample, which depends on the seed.
func TestSeed(t *testing.T) {
	r := rng.New(5, 0)
	x := mat.NewDense(sampleRows+1000, 1, nil)
	for i := range sampleRows + 1000 {
		x.Set(i, 0, r.NormFloat64())
	}
	var cuts [][]float64
	for _, seed := range []uint64{1, 2, 2} {
		tab := must.Have(Make(t.Context(), 2, gram.Of(x), 8, seed, nil))(t)
		cuts = append(cuts, tab.Cuts[0])
	}
	if slices.Equal(cuts[0], cuts[1]) || !slices.Equal(cuts[1], cuts[2]) {
		t.Errorf("cuts of seeds 1, 2 and 2: %v", cuts)
	}
}

func TestBetween(t *testing.T) {
	for _, p := range [][2]float64{{1, math.Nextafter(1, 2)}, {-math.MaxFloat64, math.MaxFloat64}, {0, 5e-324}, {-1, 1}} {
		if m := between(p[0], p[1]); !(m >= p[0] && m < p[1]) {
			t.Errorf("between(%v, %v) = %v", p[0], p[1], m)
		}
	}
	for _, p := range [][3]float64{{-1, 1, 0}, {-math.MaxFloat64, math.MaxFloat64, 0}, {2, 5, 3.5}} {
		if m := between(p[0], p[1]); m != p[2] {
			t.Errorf("between(%v, %v) = %v, want %v", p[0], p[1], m, p[2])
		}
	}
}

// The sparse form has the bins of the table without the most frequent bins, for the
// columns in which these have most rows.
func TestSparse(t *testing.T) {
	const n = 3000
	x := problem(n)
	for _, most := range []int{0, 16} {
		tab := must.Have(Make(context.Background(), 2, gram.Of(x), most, 1, nil))(t)
		s := must.Have(tab.Sparse(context.Background(), 2, 0.5, 0))(t)
		left := 0
		at := make([]int, n) // next number of a row
		copy(at, s.Start)
		for j := range 5 {
			count := make([]int, tab.Bins(j))
			for i := range n {
				count[tab.code(j, i)]++
			}
			mostlyOne := slices.Max(count) >= n/2
			if mostlyOne != (s.Common[j] >= 0) || mostlyOne && count[s.Common[j]-s.First[j]] != slices.Max(count) {
				t.Fatalf("column %d: commonest number %d, counts %v", j, s.Common[j], count)
			}
			for i := range n {
				number := s.First[j] + tab.code(j, i)
				if mostlyOne && number != s.Common[j] {
					if got := int(s.Bin[at[i]]); got != number {
						t.Fatalf("row %d, column %d: number %d, want %d", i, j, got, number)
					}
					at[i]++
				}
			}
			if !mostlyOne {
				left++
			}
		}
		for i := range n {
			if at[i] != s.Start[i+1] {
				t.Fatalf("row %d: %d numbers are not of its columns", i, s.Start[i+1]-at[i])
			}
		}
		if left == 0 || left == 5 {
			t.Errorf("%d of 5 columns left out", left)
		}
	}
	if s, err := (&Table{N: 2, Cuts: [][]float64{{0.5}}, Narrow: [][]uint8{{0, 1}}}).Sparse(context.Background(), 1, 0.4, 0); s != nil || err != nil {
		t.Errorf("a table without sparse columns: %v, %v", s, err)
	}
	if s, err := (&Table{N: 2}).Sparse(context.Background(), 1, 0.4, 0); s != nil || err != nil {
		t.Errorf("a table without columns: %v, %v", s, err)
	}
	many := slices.Repeat([][]float64{make([]float64, limit16-1)}, 1<<16) // 2³² bins, too many for a number
	if s, err := (&Table{Cuts: many}).Sparse(context.Background(), 1, 0.4, 0); s != nil || err != nil {
		t.Errorf("a table of 2³² bins: %v, %v", s, err)
	}
}

// A column with exactly the given share of other rows is included, one with one row
// more is not. A bin with number 0 is stored like the others.
func TestShare(t *testing.T) {
	tab := &Table{N: 8, Cuts: [][]float64{{0.5}, {0.5}}, Narrow: [][]uint8{{0, 0, 0, 0, 0, 0, 1, 1}, {1, 1, 1, 1, 1, 0, 0, 0}}}
	for _, c := range []struct {
		share  float64
		common []int
		bin    []uint32
	}{
		{.25, []int{0, -1}, []uint32{1, 1}},
		{.375, []int{0, 3}, []uint32{2, 1, 2, 1, 2}},
	} {
		s, err := tab.Sparse(context.Background(), 1, c.share, 0)
		if err != nil || s == nil {
			t.Fatal(s, err)
		}
		if !slices.Equal(s.Common, c.common) || !slices.Equal(s.Bin, c.bin) {
			t.Errorf("share %g: commonest numbers %v, others %v; want %v, %v", c.share, s.Common, s.Bin, c.common, c.bin)
		}
	}
}

// Wherever the context is canceled, Make and Sparse return its error and no table.
func TestCanceled(t *testing.T) {
	x := problem(300)
	whole := must.Have(Make(t.Context(), 1, gram.Of(x), 16, 1, nil))(t)
	for _, workers := range []int{1, 2} {
		looktest.Every(t, func(ctx context.Context) (any, error) {
			tab, err := Make(ctx, workers, gram.Of(x), 16, 1, nil)
			if err != nil && tab != nil {
				t.Error("a table and an error")
			}
			return tab, err
		})
		looktest.Every(t, func(ctx context.Context) (any, error) {
			s, err := whole.Sparse(ctx, workers, .5, 256)
			if err != nil && s != nil {
				t.Error("columns and an error")
			}
			return s, err
		})
	}
}
