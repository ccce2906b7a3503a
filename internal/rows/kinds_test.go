package rows_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Products equal those computed cell by cell, for every kind of matrix and for
// no rows.
func TestKinds(t *testing.T) {
	cell := map[string]func(i, j int) float64{
		"any":       func(i, j int) float64 { return float64((3*i+j)%4 - 1) },
		"symmetric": func(i, j int) float64 { return float64(i + j + i*j) },
		"diagonal":  func(i, j int) float64 { return float64((i + 1) * (1 - min(1, (i-j)*(i-j)))) },
	}
	for what, at := range cell {
		for _, n := range []int{0, 1, 2, 3, 5} {
			for _, d := range []int{1, 2, 3} {
				for name, x := range algotest.Kinds(n, d, at) {
					products(t, fmt.Sprintf("%s, %s, %d×%d", what, name, n, d), gram.Of(x), at)
				}
			}
		}
	}
}

// products multiplies by x.
func products(t *testing.T, name string, x gram.Samples[float64], at func(i, j int) float64) {
	t.Helper()
	n, d := x.Dims()
	b := mat.NewDense(d, 2, nil)
	for j := range d {
		b.SetRow(j, []float64{float64(j + 1), -1})
	}
	p := rows.NewProducts(x, 1)
	dst, back := &mat.Dense{}, mat.NewDense(d, 2, nil)
	if n > 0 {
		dst = mat.NewDense(n, 2, nil)
	}
	if n > 0 || d == 0 {
		must.Do(t, p.Mul(t.Context(), dst, b))
		must.Do(t, p.MulTrans(t.Context(), back, dst))
	}
	for i := range n {
		var first, sum float64
		for j := range d {
			first += at(i, j) * float64(j+1)
			sum -= at(i, j)
		}
		if dst.At(i, 0) != first || dst.At(i, 1) != sum {
			t.Fatalf("%s: row %d of the product is %v and %v, want %v and %v", name, i, dst.At(i, 0), dst.At(i, 1), first, sum)
		}
	}
	for j := range d {
		var want float64
		for i := range n {
			want += at(i, j) * dst.At(i, 1)
		}
		if back.At(j, 1) != want {
			t.Fatalf("%s: row %d of the transposed product is %v, want %v", name, j, back.At(j, 1), want)
		}
	}
	if n == 0 {
		rows.MulFilled(&mat.Dense{}, x, b, nil)
		return
	}
	filled := mat.NewDense(n, 2, nil)
	rows.MulFilled(filled, x, b, func(c *mat.Dense, x mat.Matrix) { c.Copy(x) })
	if !mat.Equal(filled, dst) {
		t.Errorf("%s: the product of filled rows is another", name)
	}
}

// Rows of samples that are part of larger ones are read correctly and without
// an allocation.
func TestRows(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1, 0, 0, 3, 4, 5})
	inner := sparse.FromDense(mat.NewDense(5, 2, []float64{9, 9, 1, 0, 0, 3, 4, 5, 9, 9}))
	one, b := mat.NewDense(2, 1, []float64{1, 10}), mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	for name, m := range map[string]gram.Samples[float64]{"dense": gram.Of(x), "sparse": gram.Of(sparse.FromDense(x)), "inner": gram.Of(inner).Slice(1, 4)} {
		v, dst, back := []float64{1, 1}, mat.NewDense(3, 1, nil), mat.NewDense(2, 2, nil)
		rows.Add(v, 2, m, 2)
		rows.Mul(dst, m, one)
		rows.AddMulTrans(back, m, b)
		sum := rows.Dot(m, 2, []float64{1, 10}) + rows.SumSquares(m, 2)
		if !slices.Equal(v, []float64{9, 11}) || sum != 54+41 ||
			!mat.Equal(dst, mat.NewDense(3, 1, []float64{1, 30, 54})) || !mat.Equal(back, mat.NewDense(2, 2, []float64{21, 26, 34, 42})) {
			t.Errorf("%s: row %v, sum %v, products %v and %v", name, v, sum, mat.Formatted(dst), mat.Formatted(back))
		}
		v = []float64{1, 10}
		if a := testing.AllocsPerRun(10, func() { rows.Add(v, rows.Dot(m, 1, v)+rows.SumSquares(m, 0), m, 2) }); a != 0 {
			t.Errorf("%s: a row takes %g allocations", name, a)
		}
	}
}

// Products panic for operands of other shapes before they write anything.
func TestShapes(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	for _, c := range []struct {
		f        func(dst *mat.Dense, x gram.Samples[float64], b *mat.Dense)
		b, dst   [2]int
		fits     bool
		original float64
	}{
		{rows.Mul, [2]int{2, 4}, [2]int{3, 4}, true, 0},
		{rows.Mul, [2]int{3, 4}, [2]int{3, 4}, false, 7},
		{rows.Mul, [2]int{2, 4}, [2]int{2, 4}, false, 7},
		{rows.Mul, [2]int{2, 4}, [2]int{3, 3}, false, 7},
		{rows.Mul, [2]int{2, 1}, [2]int{4, 1}, false, 7},
		{rows.Mul, [2]int{2, 1}, [2]int{3, 2}, false, 7},
		{rows.AddMulTrans, [2]int{3, 4}, [2]int{2, 4}, true, 7},
		{rows.AddMulTrans, [2]int{2, 4}, [2]int{2, 4}, false, 7},
		{rows.AddMulTrans, [2]int{3, 4}, [2]int{3, 4}, false, 7},
		{rows.AddMulTrans, [2]int{3, 4}, [2]int{2, 3}, false, 7},
		{rows.AddMulTrans, [2]int{3, 1}, [2]int{3, 1}, false, 7},
		{rows.AddMulTrans, [2]int{3, 1}, [2]int{2, 2}, false, 7},
	} {
		b, dst := mat.NewDense(c.b[0], c.b[1], nil), mat.NewDense(c.dst[0], c.dst[1], nil)
		for i := range c.dst[0] {
			for j := range c.dst[1] {
				dst.Set(i, j, 7)
			}
		}
		if got := must.Recovered(func() { c.f(dst, gram.Of(x), b) }); (got == nil) != c.fits {
			t.Errorf("%v into %v: panic %v", c.b, c.dst, got)
		}
		if mat.Min(dst) != c.original || mat.Max(dst) != c.original {
			t.Errorf("%v into %v: the destination is now\n%v", c.b, c.dst, mat.Formatted(dst))
		}
	}
	// A destination with another number of rows is refused before the product
	// is computed.
	for _, dst := range []*mat.Dense{mat.NewDense(2, 2, nil), mat.NewDense(3, 1, nil), mat.NewDense(4, 2, nil), mat.NewDense(3, 3, nil)} {
		if got := must.Recovered(func() { rows.Destination("p", dst, x, 2, 2) }); got != "p: the destination has the wrong shape" {
			r, c := dst.Dims()
			t.Errorf("a destination of %d×%d: panic %v", r, c, got)
		}
	}
	none := &sparse.CSR{D: 2, Ptr: []int{0}}
	if got := rows.Destination("p", &mat.Dense{}, none, 2, 5); got.RawMatrix().Rows != 0 {
		t.Errorf("%v for no rows", got)
	}
	if got := must.Recovered(func() { rows.Destination("p", mat.NewDense(1, 5, nil), none, 2, 5) }); got == nil {
		t.Error("a row for no rows is accepted")
	}
}
