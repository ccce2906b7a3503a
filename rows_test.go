package gram_test

import (
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"gonum.org/v1/gonum/mat"
)

// A view holds the numbers of the matrix, and its rows have no spare capacity,
// so that an append to a row does not overwrite the next.
func TestView(t *testing.T) {
	wide := mat.NewDense(4, 5, nil)
	for i := range 4 {
		for j := range 5 {
			wide.Set(i, j, float64(10*i+j))
		}
	}
	r := gram.View(wide.Slice(1, 4, 1, 4).(*mat.Dense))
	if r.N != 3 || r.D != 3 || r.Stride != 5 || !r.Valid() {
		t.Fatalf("%d×%d with stride %d, valid %v", r.N, r.D, r.Stride, r.Valid())
	}
	if got := r.Row(2); !slices.Equal(got, []float64{31, 32, 33}) || cap(got) != 3 {
		t.Errorf("the last row is %v of capacity %d", got, cap(got))
	}
	r.Row(0)[1] = -1
	if wide.At(1, 2) != -1 {
		t.Error("the view is a copy")
	}
	back := gram.Matrix(gram.Dense(r))
	if back.Set(2, 0, -2); r.Row(2)[0] != -2 || !mat.Equal(back, wide.Slice(1, 4, 1, 4)) {
		t.Error("the matrix of a view is a copy, or another")
	}
	for _, x := range []*mat.Dense{{}, gram.Matrix(gram.Dense(gram.MakeRows[float64](0, 3))), gram.Matrix(gram.Dense(gram.MakeRows[float64](2, 0)))} {
		if r := gram.View(x); r.N != 0 || r.D != 0 || !r.Valid() {
			t.Errorf("the view of an empty matrix is %+v", r)
		}
	}
	r.Row(2)[0] = 31
	part := r.Slice(1, 3)
	if part.N != 2 || part.D != 3 || !part.Valid() || !slices.Equal(part.Row(0), []float64{21, 22, 23}) || !slices.Equal(part.Row(1), []float64{31, 32, 33}) {
		t.Errorf("rows 1 and 2 are %+v", part)
	}
	for _, at := range []int{0, 1, 3} {
		if none := r.Slice(at, at); none.N != 0 || none.D != 3 || none.Stride != 5 || !none.Valid() {
			t.Errorf("no rows from %d: %+v", at, none)
		}
	}
}

func TestMakeRows(t *testing.T) {
	for _, c := range []struct{ n, d, stride int }{{3, 2, 2}, {0, 2, 2}, {3, 0, 1}, {0, 0, 1}} {
		r := gram.MakeRows[float32](c.n, c.d)
		if r.N != c.n || r.D != c.d || r.Stride != c.stride || len(r.Data) != c.n*c.stride {
			t.Errorf("%d×%d: %+v", c.n, c.d, r)
		}
		if !r.Valid() {
			t.Errorf("%d×%d is not valid", c.n, c.d)
		}
		for i := range c.n {
			if len(r.Row(i)) != c.d {
				t.Errorf("%d×%d: row %d has %d numbers", c.n, c.d, i, len(r.Row(i)))
			}
		}
	}
}

func TestValid(t *testing.T) {
	data := make([]float64, 10)
	for _, c := range []struct {
		r    gram.Rows[float64]
		want bool
	}{
		{gram.Rows[float64]{Data: data, N: 2, D: 5, Stride: 5}, true},
		{gram.Rows[float64]{Data: data[:9], N: 2, D: 5, Stride: 5}, false},
		{gram.Rows[float64]{Data: data, N: 2, D: 4, Stride: 6}, true}, // the last row needs no gap behind it
		{gram.Rows[float64]{Data: data[:9], N: 2, D: 4, Stride: 6}, false},
		{gram.Rows[float64]{Data: data, N: 2, D: 5, Stride: 4}, false},
		{gram.Rows[float64]{Data: data, N: -1, D: 5, Stride: 5}, false},
		{gram.Rows[float64]{Data: data, N: 1, D: -1, Stride: 5}, false},
		{gram.Rows[float64]{N: 0, D: 5, Stride: 5}, true},
		{gram.Rows[float64]{N: 1, D: 5, Stride: 5}, false},
		{gram.Rows[float64]{N: 0, D: 0, Stride: 0}, false},
		{gram.Rows[float64]{N: 0, D: 0, Stride: 1}, true},
	} {
		if got := c.r.Valid(); got != c.want {
			t.Errorf("%d×%d, stride %d, %d numbers: valid is %v", c.r.N, c.r.D, c.r.Stride, len(c.r.Data), got)
		}
	}
}
