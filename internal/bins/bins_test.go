package bins

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// codes reads either width.
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
		dense, err := Make(context.Background(), 2, x, most, 1)
		if err != nil {
			t.Fatal(err)
		}
		csr, err := Make(context.Background(), 1, sparse.FromDense(x), most, 1)
		if err != nil {
			t.Fatal(err)
		}
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
	tab, err := Make(context.Background(), 2, x, 50, 1)
	if err != nil {
		t.Fatal(err)
	}
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
	_, err := Make(context.Background(), 1, x, 0, 1)
	var de *gram.DataError
	if !errors.As(err, &de) || de.Col != 0 {
		t.Fatalf("error %v", err)
	}
}

func TestBetween(t *testing.T) {
	for _, p := range [][2]float64{{1, math.Nextafter(1, 2)}, {-math.MaxFloat64, math.MaxFloat64}, {0, 5e-324}, {-1, 1}} {
		if m := between(p[0], p[1]); !(m >= p[0] && m < p[1]) {
			t.Errorf("between(%v, %v) = %v", p[0], p[1], m)
		}
	}
}
