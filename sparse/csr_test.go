package sparse

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

func random(r *rand.Rand, n, d int, density float64) *mat.Dense {
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			if r.Float64() < density {
				x.Set(i, j, r.NormFloat64())
			}
		}
	}
	return x
}

// each calls body with a matrix that has values, with one that has none, and
// with a slice of a larger matrix, each with a dense copy.
func each(t *testing.T, body func(t *testing.T, a *CSR, x *mat.Dense)) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, shape := range [][2]int{{1, 1}, {1, 9}, {9, 1}, {13, 7}, {40, 60}} {
		x := random(r, shape[0]+4, shape[1], .3)
		a := FromDense(x)
		ones := &CSR{N: a.N, D: a.D, Ptr: a.Ptr, Col: a.Col}
		for _, m := range []*CSR{a, ones, a.Slice(2, a.N-2), ones.Slice(2, a.N-2)} {
			must.Do(t, m.Validate())
			body(t, m, m.Dense())
		}
	}
}

func TestMatrix(t *testing.T) {
	each(t, func(t *testing.T, a *CSR, x *mat.Dense) {
		n, d := a.Dims()
		if !mat.Equal(a, x) || !mat.Equal(a.T(), x.T()) {
			t.Fatal("At or T differ")
		}
		nnz := 0
		a.DoNonZero(func(i, j int, v float64) {
			if x.At(i, j) != v || v == 0 {
				t.Fatalf("entry %d, %d is %v", i, j, v)
			}
			nnz++
		})
		if nnz != a.NNZ() {
			t.Fatalf("%d entries, NNZ is %d", nnz, a.NNZ())
		}
		for _, at := range [][2]int{{-1, 0}, {n, 0}, {0, -1}, {0, d}} {
			panics(t, "index out of range", func() { a.At(at[0], at[1]) })
		}
		panics(t, "wrong length", func() { a.DenseRow(make([]float64, d+1), 0) })
		var sum mat.Dense // operations of gonum accept the matrix
		sum.Add(a, a)
		if sum.Sub(&sum, x); !mat.Equal(&sum, x) {
			t.Fatal("gonum's sum")
		}
	})
}

func panics(t *testing.T, want string, f func()) {
	t.Helper()
	p, _ := must.Recovered(f).(string)
	if !strings.HasPrefix(p, "sparse: ") || !strings.Contains(p, want) {
		t.Errorf("panic %q, want %q", p, want)
	}
}

func TestDerived(t *testing.T) {
	each(t, func(t *testing.T, a *CSR, x *mat.Dense) {
		n, d := a.Dims()
		ok := func(what string, b *CSR, want mat.Matrix) {
			t.Helper()
			if err := b.Validate(); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if !mat.Equal(b, want) {
				t.Fatalf("%s differs", what)
			}
		}
		keep := func(what string, b *CSR) {
			t.Helper()
			if (b.Val == nil) != (a.Val == nil) {
				t.Fatalf("%s: Val is nil: %v, in the original: %v", what, b.Val == nil, a.Val == nil)
			}
		}
		tr := a.Transpose()
		ok("transpose", tr, x.T())
		keep("transpose", tr)
		if back := tr.Transpose(); !reflect.DeepEqual(back, a.Clone()) {
			t.Fatal("the transpose of the transpose is not the matrix")
		}
		c := a.Clone()
		ok("clone", c, x)
		if len(c.Col) > 0 {
			c.Col[0] = 0
			ok("original after a change of the clone", a, x)
		}
		for _, r := range [][2]int{{0, d}, {0, 0}, {d / 3, d - d/3}, {d, d}} {
			b := a.Columns(r[0], r[1])
			keep("columns", b)
			if r[0] < r[1] {
				ok("columns", b, x.Slice(0, n, r[0], r[1]))
			} else if b.D != 0 || b.Validate() != nil {
				t.Fatal("no columns")
			}
		}
		panics(t, "out of bounds", func() { a.Columns(1, d+1) })
		rows, cols := make([]float64, n), make([]float64, d)
		for i := range rows {
			rows[i] = float64(i) - 2
		}
		for j := range cols {
			cols[j] = .5 * float64(j+1)
		}
		var want mat.Dense
		want.Mul(mat.NewDiagDense(n, rows), x)
		ok("rows scaled", a.ScaleRows(rows), &want)
		want.Mul(x, mat.NewDiagDense(d, cols))
		ok("columns scaled", a.ScaleColumns(cols), &want)
		panics(t, "factors", func() { a.ScaleRows(make([]float64, n+1)) })
		panics(t, "factors", func() { a.ScaleColumns(make([]float64, d+1)) })
		for i, v := range a.SquaredNorms(nil) {
			if w := mat.Dot(x.RowView(i), x.RowView(i)); !(math.Abs(v-w) <= 1e-14*w) {
				t.Fatalf("norm of row %d is %v, want %v", i, v, w)
			}
		}
		panics(t, "wrong length", func() { a.SquaredNorms(make([]float64, n+1)) })
		pick := []int{n - 1, 0, n - 1}
		s := a.Select(pick)
		keep("selection", s)
		for k, i := range pick {
			if !slices.Equal(mat.Row(nil, k, s), mat.Row(nil, i, x)) {
				t.Fatal("selection differs")
			}
		}
	})
}

func TestParallelProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, s := range []int{1, 3} {
		a := FromDense(random(r, 3000, 200, .1))
		for _, a := range []*CSR{a, {N: a.N, D: a.D, Ptr: a.Ptr, Col: a.Col}, a.Slice(100, 2900)} {
			b, c := random(r, a.D, s, 1), random(r, a.N, s, 1)
			want, wantT := mat.NewDense(a.N, s, nil), mat.NewDense(a.D, s, nil)
			a.MulTo(want, b)
			a.AddMulTransTo(wantT, c)
			for _, workers := range []int{1, 2, 7} {
				got, gotT := random(r, a.N, s, 1), random(r, a.D, s, 1)
				must.Do(t, a.Mul(t.Context(), workers, got, b))
				must.Do(t, a.MulTrans(t.Context(), workers, gotT, c))
				if !mat.Equal(got, want) || !mat.Equal(gotT, wantT) {
					t.Errorf("s %d, workers %d: other bits than on one goroutine", s, workers)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := a.Mul(ctx, 2, want, b); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			panics(t, "shapes", func() { _ = a.Mul(t.Context(), 1, want, want) })
			panics(t, "shapes", func() { _ = a.MulTrans(t.Context(), 1, want, want) })
		}
	}
}

func TestValidate(t *testing.T) {
	good := func() *CSR {
		return &CSR{N: 2, D: 3, Ptr: []int{0, 2, 3}, Col: []int32{0, 2, 1}, Val: []float64{1, 2, 3}}
	}
	must.Do(t, good().Validate())
	for want, spoil := range map[string]func(a *CSR){
		"2 row pointers":             func(a *CSR) { a.Ptr = a.Ptr[:2] },
		"row pointers":               func(a *CSR) { a.N = -1 },
		"a 2×-1 matrix":              func(a *CSR) { a.D = -1 },
		"outside the 3 entries":      func(a *CSR) { a.Ptr[2] = 4 },
		"-1..3 outside":              func(a *CSR) { a.Ptr[0] = -1 },
		"outside the 3":              func(a *CSR) { a.Val = a.Val[:2] },
		"row pointer 2 is 1 after 2": func(a *CSR) { a.Ptr[2] = 1 },
		"row pointer 1 is 9 after 0": func(a *CSR) { a.Ptr[1] = 9 },
		"row 0 has column 2 after 2": func(a *CSR) { a.Col[0] = 2 },
		"row 0 has column 1 after 2": func(a *CSR) { a.Col[0], a.Col[1] = 2, 1 },
		"row 1 has column 3":         func(a *CSR) { a.Col[2] = 3 },
		"row 1 has column -1":        func(a *CSR) { a.Col[2] = -1 },
	} {
		a := good()
		spoil(a)
		if err := a.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestFromTriplets(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	x := mat.NewDense(9, 6, nil)
	last := mat.NewDense(9, 6, nil)
	var list []Triplet
	for range 100 {
		e := Triplet{r.IntN(9), r.IntN(6), float64(r.IntN(20) - 10)}
		list = append(list, e)
		x.Set(e.Row, e.Col, x.At(e.Row, e.Col)+e.Val)
		last.Set(e.Row, e.Col, e.Val)
	}
	before := slices.Clone(list)
	for dup, want := range map[Duplicates]*mat.Dense{Sum: x, Last: last} {
		a, err := FromTriplets(9, 6, list, dup)
		if err != nil || a.Validate() != nil || !mat.Equal(a, want) {
			t.Errorf("policy %d: %v", dup, err)
		}
	}
	if !slices.Equal(before, list) {
		t.Error("the list was changed")
	}
	if _, err := FromTriplets(9, 6, list, Reject); err == nil || !strings.Contains(err.Error(), "several entries at row") {
		t.Error(err)
	}
	if a, err := FromTriplets(3, 2, []Triplet{{2, 1, 5}, {0, 0, 1}}, Reject); err != nil || !mat.Equal(a, mat.NewDense(3, 2, []float64{1, 0, 0, 0, 0, 5})) {
		t.Error(err)
	}
	if a, err := FromTriplets(2, 2, nil, Sum); err != nil || a.NNZ() != 0 || a.Validate() != nil {
		t.Error(err)
	}
	for _, e := range []Triplet{{-1, 0, 1}, {0, -1, 1}, {9, 0, 1}, {0, 6, 1}} {
		if _, err := FromTriplets(9, 6, []Triplet{e}, Sum); err == nil {
			t.Errorf("%v was taken", e)
		}
	}
	if above := uint64(math.MaxInt32 + 1); above <= math.MaxInt { // else no int is too large
		panics(t, "dimensions", func() { _, _ = FromTriplets(1, int(above), nil, Sum) })
	}
}

func TestEmpty(t *testing.T) {
	for _, a := range []*CSR{{Ptr: []int{0}}, {N: 3, Ptr: make([]int, 4)}, {D: 3, Ptr: []int{0}}} {
		if err := a.Validate(); err != nil {
			t.Error(err)
		}
		if tr := a.Transpose(); tr.Validate() != nil || tr.N != a.D || tr.D != a.N {
			t.Errorf("transpose %+v", tr)
		}
		if !a.Dense().IsEmpty() || a.NNZ() != 0 {
			t.Errorf("%+v is not empty", a)
		}
	}
	if a := FromDense(&mat.Dense{}); a.N != 0 || a.Validate() != nil {
		t.Error(a)
	}
	nan := FromDense(mat.NewDense(1, 2, []float64{math.NaN(), math.Copysign(0, -1)}))
	if nan.NNZ() != 1 || !math.IsNaN(nan.At(0, 0)) {
		t.Errorf("%v", nan)
	}
}
