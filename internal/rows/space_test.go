package rows_test

import (
	"math"
	"testing"

	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// Borrow returns matrices of the requested shape, in memory that was given back if that
// is large enough.
func TestBorrow(t *testing.T) {
	for _, shape := range [][2]int{{3, 5}, {5, 3}, {1, 1}, {4, 7}, {2, 2}} {
		m := rows.Borrow(shape[0], shape[1])
		if r, c := m.Dims(); r != shape[0] || c != shape[1] {
			t.Fatalf("%d×%d, want %v", r, c, shape)
		}
		for i := range shape[0] {
			for j := range shape[1] {
				m.Set(i, j, float64(10*i+j))
			}
		}
		if v := m.At(shape[0]-1, shape[1]-1); v != float64(10*shape[0]+shape[1]-11) {
			t.Errorf("%v: the last cell is %v", shape, v)
		}
		rows.Return(m)
	}
	if rows.BlockRows(10, 1<<30) != 1 || rows.BlockRows(7, 3) != 7 || rows.BlockRows(1<<30, 1<<10) != 1<<10 || rows.BlockRows(0, 0) != 1 {
		t.Error("blocks of more than 8 MiB, or of no rows")
	}
}

// Decide returns the classes of blocks of rows one after the other; a row with NaN has
// none.
func TestDecide(t *testing.T) {
	const k = 1 << 17 // eight rows a block
	n := 20
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, float64(i*i%7))
	}
	calls := 0
	got := rows.Decide("p", nil, x, k, func(dst *mat.Dense, x mat.Matrix) *mat.Dense {
		calls++
		dst.Zero()
		m, _ := x.Dims()
		for i := range m {
			dst.Set(i, int(x.At(i, 0)), 1)
			if x.At(i, 0) == 4 {
				dst.Set(i, 0, math.NaN())
			}
		}
		return dst
	})
	for i, c := range got {
		want := i * i % 7
		if want == 4 {
			want = -1
		}
		if c != want {
			t.Errorf("row %d: class %d, want %d", i, c, want)
		}
	}
	if calls != 3 {
		t.Errorf("%d blocks", calls)
	}
	if what := must.Recovered(func() { rows.Decide("p", make([]int, 3), x, 2, nil) }); what != "p: the destination has the wrong length" {
		t.Errorf("panic %v", what)
	}
}
