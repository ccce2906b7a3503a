package rows

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

func TestDenseAndSparseAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, s := range []int{1, 4} {
		const n, d = 9, 5
		wide := mat.NewDense(n, d+2, nil)
		for i := range n {
			for j := range d {
				if r.IntN(2) == 0 {
					wide.Set(i, j, float64(r.IntN(9)-4))
				}
			}
		}
		x := wide.Slice(0, n, 0, d).(*mat.Dense)
		a := sparse.FromDense(x)
		b, c := mat.NewDense(d, s, nil), mat.NewDense(n, s, nil)
		for i := range n {
			for j := range s {
				b.Set(i%d, j, float64(r.IntN(9)-4))
				c.Set(i, j, float64(r.IntN(9)-4))
			}
		}
		var want mat.Dense
		want.Mul(x, b)
		var wantT mat.Dense
		wantT.Mul(x.T(), c)
		for _, m := range []mat.Matrix{x, a} {
			got := mat.NewDense(n, s, nil)
			Mul(got, gram.Of(m), b)
			if !mat.Equal(got, &want) {
				t.Errorf("%T: product differs", m)
			}
			gotT := mat.NewDense(d, s, nil)
			AddMulTrans(gotT, gram.Of(m), c)
			if !mat.Equal(gotT, &wantT) {
				t.Errorf("%T: transposed product differs", m)
			}
			for i := range n {
				v := mat.Col(nil, 0, b)
				if dot := Dot(gram.Of(m), i, v); dot != mat.Dot(x.RowView(i), b.ColView(0)) || dot != NewVectors(gram.Of(m)).Dot(i, v) {
					t.Errorf("%T: dot of row %d differs", m, i)
				}
				if SumSquares(gram.Of(m), i) != mat.Dot(x.RowView(i), x.RowView(i)) {
					t.Errorf("%T: norm of row %d differs", m, i)
				}
				Add(v, 2, gram.Of(m), i)
				for j := range d {
					if v[j] != b.At(j, 0)+2*x.At(i, j) {
						t.Errorf("%T: sum with row %d differs", m, i)
					}
				}
			}
			index := []int{3, 0, 3, 8}
			if all := Dense(gram.Of(m), nil); !mat.Equal(all, m) {
				t.Errorf("%T: all rows are %v", m, all)
			}
			sel := Dense(gram.Of(m), index)
			for k, i := range index {
				for j := range d {
					if sel.At(k, j) != x.At(i, j) {
						t.Errorf("%T: selected row %d differs", m, i)
					}
				}
			}
		}
	}
}

// Destination accepts, allocates and refuses shapes. MulFilled equals a single
// product.
func TestDestination(t *testing.T) {
	x := gen.Normal(5, 3, 1)
	if d := Destination("p", nil, x, 3, 2); d == nil || d.RawMatrix().Rows != 5 || d.RawMatrix().Cols != 2 {
		t.Errorf("made %v", d)
	}
	own := mat.NewDense(5, 2, nil)
	if Destination("p", own, x, 3, 2) != own {
		t.Error("not the same")
	}
	if r, _ := Destination("p", nil, &mat.Dense{}, 0, 2).Dims(); r != 0 {
		t.Error("rows out of none")
	}
	for want, f := range map[string]func(){
		"p: x has the wrong number of columns":   func() { Destination("p", own, x, 4, 2) },
		"p: the destination has the wrong shape": func() { Destination("p", own, x, 3, 3) },
	} {
		if got := must.Recovered(f); got != want {
			t.Errorf("panic %v, want %v", got, want)
		}
	}
	const n, width = 700, 3000 // blocks of 349 rows
	y, b := gen.Normal(n, 4, 2), gen.Normal(width, 3, 3)
	a := gen.Normal(4, width, 4)
	var c, want mat.Dense
	c.Mul(y, a)
	want.Mul(&c, b)
	got := mat.NewDense(n, 3, nil)
	blocks := 0
	MulFilled(got, y, b, func(c *mat.Dense, x mat.Matrix) { blocks++; c.Mul(x, a) })
	if blocks != 3 || !mat.EqualApprox(got, &want, 1e-9) {
		t.Errorf("%d blocks, or another product", blocks)
	}
}

func TestGroups(t *testing.T) {
	got := Groups([]int{2, 0, 2, 3, 0}, 5)
	want := [][]int{{1, 4}, nil, {0, 2}, {3}, nil}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("groups %v, want %v", got, want)
	}
}

func TestSquares(t *testing.T) {
	a := mat.NewDense(3, 4, []float64{1, 2, 3, 9, 4, 5, 6, 9, 7, 8, 9, 9})
	if got := Squares(a.Slice(0, 3, 0, 3).(*mat.Dense)); got != 285 {
		t.Errorf("sum of squares %v, want 285", got)
	}
}

// First returns the first of one or several functions, for exactly as many numbers as
// there are rows.
func TestFirst(t *testing.T) {
	x := mat.NewDense(5, 2, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	for k := 1; k <= 3; k++ {
		all := func(dst *mat.Dense, x mat.Matrix) *mat.Dense {
			n, _ := x.Dims()
			dst = Destination("own", dst, x, 2, k)
			for i := range n {
				for j := range k {
					dst.Set(i, j, x.At(i, 1)*float64(1+j))
				}
			}
			return dst
		}
		for _, dst := range [][]float64{nil, make([]float64, 5)} {
			got := First("own", dst, x, k, all)
			if want := mat.Col(nil, 1, x); !slices.Equal(got, want) {
				t.Errorf("%d functions: %v, want %v", k, got, want)
			}
			if dst != nil && &got[0] != &dst[0] {
				t.Errorf("%d functions: the destination is not used", k)
			}
		}
		if got := First("own", nil, &mat.Dense{}, k, all); len(got) != 0 {
			t.Errorf("%d functions of no rows: %v", k, got)
		}
		if p := must.Recovered(func() { First("own", make([]float64, 4), x, k, all) }); p != "own: the destination has the wrong length" {
			t.Errorf("panic %v", p)
		}
	}
}
