package gram_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// own is a matrix of a type that gram does not know.
type own struct{ mat.Matrix }

// raw is a matrix of an unknown type with a method RawMatrix.
type raw struct{ *mat.Dense }

func kinds() map[string]mat.Matrix {
	return kindsOf(mat.NewDense(4, 3, []float64{1, 0, 2, 0, 0, 0, 3, 4, 0, 0, -5, 6}))
}

// kindsOf returns matrices of every kind that hold the numbers of dense.
func kindsOf(dense *mat.Dense) map[string]mat.Matrix {
	wide := mat.NewDense(6, 5, nil)
	part := wide.Slice(1, 5, 1, 4).(*mat.Dense)
	part.Copy(dense)
	inner := sparse.FromDense(dense)
	inner.N, inner.Ptr = 7, append(append([]int{0, 0}, inner.Ptr...), inner.Ptr[4])
	return map[string]mat.Matrix{
		"dense":      dense,
		"a part":     part,
		"raw":        raw{dense},
		"own":        own{dense},
		"transposed": mat.DenseCopyOf(dense.T()).T(),
		"sparse":     sparse.FromDense(dense),
		"samples":    gram.Of(dense),
		"thin":       gram.Sparse[float64](sparse.FromDense(dense)),
		"pointer":    pointer(gram.Sparse[float64](sparse.FromDense(dense))),
		"single":     gram.As[float32](gram.Of(dense), nil),
		"thin, too":  gram.Sparse[float32](sparse.FromDense(dense)),
		"inner rows": gram.Sparse[float64](inner).Slice(1, 6).Slice(1, 5),
	}
}

// thin lists the kinds that are sparse, copies those of which Of makes a copy.
var (
	thin   = []string{"sparse", "thin", "thin, too", "inner rows", "pointer"}
	copies = []string{"own", "transposed", "single"}
)

func pointer(s gram.Samples[float64]) *gram.Samples[float64] { return &s }

// Samples of every kind of matrix have its rows; those of matrices with RawMatrix
// share its memory.
func TestOf(t *testing.T) {
	want := kinds()["dense"]
	for what, x := range kinds() {
		s := gram.Of(x)
		if !mat.Equal(s, want) || !mat.Equal(s.T(), want.T()) || s.N() != 4 || !s.Valid() {
			t.Errorf("%s: %v", what, mat.Formatted(s))
		}
		if is := slices.Contains(thin, what); (s.CSR() != nil) != is || (gram.CSR(x) != nil) != is || s.IsSparse() != is {
			t.Errorf("%s: sparse is %v", what, s.IsSparse())
		}
		_, dense := s.Dense()
		if dense == s.IsSparse() {
			t.Errorf("%s: both dense and sparse, or neither", what)
		}
		if a := s.CSR(); a != nil {
			if err := a.Validate(); err != nil || !mat.Equal(a, want) || a.NNZ() != 6 || s.NNZ() != 6 || s.Slice(1, 3).NNZ() != 2 {
				t.Errorf("%s: %v, and %d entries: %v", what, mat.Formatted(a), s.NNZ(), err)
			}
			if base, first := s.Base(); first+4 > base.N || !mat.Equal(base.Slice(first, first+4), want) {
				t.Errorf("%s: rows %d… of a matrix of %d", what, first, base.N)
			}
			if col, val := s.Slice(1, 4).Nonzeros(2); !slices.Equal(col, []int32{1, 2}) || !slices.Equal(val, []float64{-5, 6}) {
				t.Errorf("%s: row 3 has %v at %v", what, val, col)
			}
		} else if s.NNZ() != 0 {
			t.Errorf("%s: %d stored entries", what, s.NNZ())
		}
		if m := gram.Matrix(s); !mat.Equal(m, want) {
			t.Errorf("%s: %v as a matrix", what, mat.Formatted(m))
		}
		single := gram.As[float32](s, nil)
		if !mat.Equal(single, want) || single.IsSparse() != s.IsSparse() || !mat.Equal(gram.As[float64](s, nil), want) {
			t.Errorf("%s: %v in float32", what, mat.Formatted(single))
		}
		for i := range 4 {
			row := single.Row(make([]float32, 5), i)
			for j := range 3 {
				if float64(row[j]) != want.At(i, j) || len(row) != 3 {
					t.Errorf("%s: row %d is %v", what, i, row)
				}
			}
		}
		if part := s.Slice(1, 4).Slice(0, 2); !mat.Equal(part, want.(*mat.Dense).Slice(1, 3, 0, 3)) {
			t.Errorf("%s: rows 1 and 2 are %v", what, mat.Formatted(part))
		}
		if none := s.Slice(2, 2); none.N() != 0 {
			t.Errorf("%s: %d rows from none", what, none.N())
		}
		var columns []int
		var values []float64
		s.Slice(2, 4).Each(1, func(j int, v float64) { columns, values = append(columns, j), append(values, v) })
		if !slices.Equal(columns, []int{1, 2}) || !slices.Equal(values, []float64{-5, 6}) {
			t.Errorf("%s: row 3 has %v at %v", what, values, columns)
		}
		pick := s.Select([]int{3, 0, 3})
		for to, from := range []int{3, 0, 3} {
			row := make([]float64, 3)
			pick.CopyRow(row, to)
			if !slices.Equal(row, mat.Row(nil, from, want)) {
				t.Errorf("%s: row %d of the selection is %v", what, to, row)
			}
		}
		if r, dense := s.Dense(); dense {
			if again, _ := gram.Of(s).Dense(); &again.Data[0] != &r.Data[0] {
				t.Errorf("%s: samples of samples are a copy", what)
			}
		} else if what != "inner rows" && gram.Of(s).CSR() != s.CSR() {
			t.Errorf("%s: samples of samples are others", what)
		}
	}
	part := kinds()["a part"].(*mat.Dense)
	r, _ := gram.Of(part).Dense()
	if r.Row(2)[1] = -1; part.At(2, 1) != -1 {
		t.Error("the samples of a dense matrix are a copy")
	}
	before := kinds()["dense"].(*mat.Dense)
	chosen, _ := gram.Of(before).Select([]int{0}).Dense()
	if chosen.Row(0)[0] = -1; before.At(0, 0) != 1 {
		t.Error("a selection is a view")
	}
}

// Each skips stored zeros, takes missing values as ones and does not skip NaN.
func TestEach(t *testing.T) {
	nan := math.NaN()
	a := &sparse.CSR{N: 1, D: 4, Ptr: []int{0, 3}, Col: []int32{0, 1, 3}, Val: []float64{0, nan, -2}}
	ones := &sparse.CSR{N: 1, D: 4, Ptr: a.Ptr, Col: a.Col}
	for what, c := range map[string]struct {
		s    gram.Samples[float64]
		want [4]float64
	}{
		"sparse": {gram.Of(a), [4]float64{1: nan, 3: -2}},
		"dense":  {gram.Of(a.Dense()), [4]float64{1: nan, 3: -2}},
		"ones":   {gram.Of(ones), [4]float64{1, 1, 0, 1}},
	} {
		got, calls := [4]float64{}, 0
		c.s.Each(0, func(j int, v float64) { got[j] = v; calls++ })
		for j, v := range got {
			if v != c.want[j] && (v == v || c.want[j] == c.want[j]) || calls != 2 && what != "ones" {
				t.Errorf("%s: %d calls give %v, want %v", what, calls, got, c.want)
			}
		}
	}
}

func TestSamplesOfNothing(t *testing.T) {
	for what, x := range map[string]mat.Matrix{
		"zero":       gram.Samples[float64]{},
		"dense":      &mat.Dense{},
		"no columns": own{&sparse.CSR{N: 2, Ptr: make([]int, 3)}},
		"no rows":    own{&sparse.CSR{D: 3, Ptr: make([]int, 1)}},
		"sparse":     &sparse.CSR{D: 3, Ptr: make([]int, 1)},
	} {
		s := gram.Of(x)
		n, d := s.Dims()
		if wn, wd := x.Dims(); n != wn || d != wd {
			t.Errorf("%s: %d×%d, want %d×%d", what, n, d, wn, wd)
		}
		if err := s.Finite(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if got := s.Slice(0, 0).N(); got != 0 {
			t.Errorf("%s: %d rows", what, got)
		}
	}
}

// The first value that is not finite is reported for every kind of matrix and every
// position. The largest finite numbers are accepted, though their sum overflows.
func TestFinite(t *testing.T) {
	for _, v := range []float64{math.MaxFloat64, math.NaN(), math.Inf(1), math.Inf(-1)} {
		for k := range 12 {
			x := mat.NewDense(4, 3, nil)
			for e := range 12 {
				x.Set(e/3, e%3, math.MaxFloat64)
				if e == k || e > k+4 { // and some more behind it
					x.Set(e/3, e%3, v)
				}
			}
			for what, m := range kindsOf(x) {
				if what == "single" { // float32 has no number as large as MaxFloat64
					continue
				}
				err := gram.Of(m).Finite()
				var at *gram.DataError
				switch {
				case v == math.MaxFloat64:
					if err != nil {
						t.Errorf("%s: %v", what, err)
					}
				case !errors.As(err, &at) || at.Row != k/3 || at.Col != k%3 || math.Float64bits(at.Value) != math.Float64bits(v):
					t.Errorf("%s: %v for %v at %d, %d", what, err, v, k/3, k%3)
				}
			}
		}
	}
}

// Numbers whose squares overflow or vanish are out of range; the first one that is too large is
// reported, or the largest if all are too small, for every kind of matrix.
func TestInRange(t *testing.T) {
	fill := func(v float64) *mat.Dense {
		x := mat.NewDense(4, 3, nil)
		x.Apply(func(_, _ int, _ float64) float64 { return v }, x)
		return x
	}
	for _, c := range []struct {
		all, some float64 // some is at 1, 2 and 3, 0
		bad       bool
	}{
		{1, 1e75, false}, {1, -1e76, true}, {1e-75, 1e-300, false}, {0, 0, false}, {1e-80, 1e-75, false},
		{1e-80, -1e-76, true}, {0, 1e-76, true}, {1, math.NaN(), true}, {1e-80, math.Inf(-1), true}, {1, -math.MaxFloat64, true},
	} {
		x := fill(c.all)
		x.Set(1, 2, c.some)
		x.Set(3, 0, c.some)
		for what, m := range kindsOf(x) {
			if what == "single" { // float32 has no such numbers
				continue
			}
			err := gram.Of(m).InRange()
			var at *gram.DataError
			if c.bad && (!errors.As(err, &at) || at.Row != 1 || at.Col != 2 || math.Float64bits(at.Value) != math.Float64bits(c.some) || (at.Reason == "") != (c.some-c.some != 0)) || !c.bad && err != nil {
				t.Errorf("%s of %v with %v: %v", what, c.all, c.some, err)
			}
		}
	}
}

// An index beyond the rows or columns panics, even if it lies in the gap between two
// rows.
func TestSamplesAt(t *testing.T) {
	for what, x := range kinds() {
		for at, want := range map[[2]int]any{{-1, 0}: mat.ErrRowAccess, {4, 0}: mat.ErrRowAccess, {0, -1}: mat.ErrColAccess, {0, 3}: mat.ErrColAccess} {
			if got := must.Recovered(func() { gram.Of(x).At(at[0], at[1]) }); got != want {
				t.Errorf("%s: element %v: panic %v, want %v", what, at, got, want)
			}
		}
	}
}

// A buffer that is large enough is used again without an allocation.
func TestAs(t *testing.T) {
	var buffer []float32
	x := gram.Of(kinds()["a part"])
	gram.As(x, &buffer)
	s := gram.As(x.Slice(2, 4), &buffer)
	if r, _ := s.Dense(); len(buffer) != 12 || &r.Data[0] != &buffer[0] || !mat.Equal(s, x.Slice(2, 4)) {
		t.Errorf("%v in a buffer of %d", mat.Formatted(s), len(buffer))
	}
	for what, x := range kinds() {
		x := gram.Of(x)
		var n int
		if a := testing.AllocsPerRun(10, func() {
			n += gram.As(x.Slice(1, 4), &buffer).N()
			n += gram.As[float64](x, nil).N()
		}); a != 0 {
			t.Errorf("%s: %g allocations", what, a)
		}
	}
}

// planned is a Config whose plan needs a given number of bytes.
type planned struct {
	need  int64
	shape *gram.Shape
	err   error
}

func (p planned) Plan(s gram.Shape) (gram.Plan, error) {
	*p.shape = s
	return gram.Plan{PeakBytes: p.need}, p.err
}

func TestRunSamples(t *testing.T) {
	for what, x := range kinds() {
		copied := int64(0)
		if slices.Contains(copies, what) {
			copied = 8 * 4 * 3
		}
		var seen gram.Shape
		s, err := gram.Run{MemoryLimit: 100 + copied}.Samples(planned{need: 100, shape: &seen}, x, 2)
		if err != nil || !mat.Equal(s, x) {
			t.Errorf("%s: %v", what, err)
		}
		want := gram.Shape{N: 4, D: 3, Outputs: 2, Copied: copied}
		if s.CSR() != nil {
			want.NNZ = 6
		}
		if seen != want {
			t.Errorf("%s: the plan was asked for %+v", what, seen)
		}
		var limit *gram.MemoryError
		if _, err := (gram.Run{MemoryLimit: 99 + copied}).Samples(planned{need: 100, shape: &seen}, x, 2); !errors.As(err, &limit) || limit.Need != 100+copied {
			t.Errorf("%s: one byte too few: %v", what, err)
		}
	}
	passed := func(s gram.Samples[float64]) error {
		_, err := gram.Run{}.Samples(planned{shape: new(gram.Shape)}, s, 0)
		return err
	}
	for what := range kinds() {
		if slices.Contains(copies, what) {
			continue
		}
		s := must.Have(gram.Run{}.Samples(planned{shape: new(gram.Shape)}, kinds()[what], 0))(t)
		parts := []gram.Samples[float64]{s, s.Slice(0, 3), gram.Of(s), s.Slice(0, 2).Select([]int{0, 1})}
		if r, dense := s.Dense(); dense {
			r.Row(0)[0] = math.NaN()
			chosen, _ := parts[3].Dense()
			chosen.Row(0)[0] = math.NaN()
		} else {
			_, val := s.Nonzeros(0)
			val[0] = math.NaN()
		}
		for _, part := range parts {
			if err := passed(part); err != nil {
				t.Errorf("%s: samples that passed are looked at again: %v", what, err)
			}
		}
		if passed(gram.Of(mat.DenseCopyOf(s))) == nil {
			t.Errorf("%s: a copy with NaN passed", what)
		}
	}
	var seen gram.Shape
	own := errors.New("a bad setting")
	if _, err := (gram.Run{}).Samples(planned{shape: &seen, err: own}, mat.NewDense(1, 1, nil), 0); err != own {
		t.Errorf("the error of the plan became %v", err)
	}
	if _, err := (gram.Run{MemoryLimit: 1}).Samples(planned{need: 100, shape: &seen, err: own}, mat.NewDense(1, 1, nil), 0); err != own {
		t.Errorf("over the limit the error of the plan became %v", err)
	}
	var limit *gram.MemoryError // comes before the pass over the data
	if _, err := (gram.Run{MemoryLimit: 1}).Samples(planned{need: 100, shape: &seen}, mat.NewDense(1, 1, []float64{math.NaN()}), 0); !errors.As(err, &limit) {
		t.Errorf("over the limit with NaN: %v", err)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for what, x := range kinds() {
			d := mat.DenseCopyOf(x)
			d.Set(2, 1, v)
			d.Set(3, 0, math.NaN())
			var bad mat.Matrix = d
			switch {
			case slices.Contains(thin, what):
				bad = gram.Sparse[float64](sparse.FromDense(d)).Slice(0, 4)
			case slices.Contains(copies, what):
				bad = mat.DenseCopyOf(d.T()).T()
			}
			var at *gram.DataError
			if _, err := (gram.Run{}).Samples(planned{shape: &seen}, bad, 0); !errors.As(err, &at) || at.Row != 2 || at.Col != 1 {
				t.Errorf("%s with %v: %v", what, v, err)
			}
		}
	}
	var setting *gram.ConfigError
	if _, err := (gram.Run{}).Samples(planned{shape: &seen}, &sparse.CSR{N: 1, Ptr: []int{0, 0}}, 0); !errors.As(err, &setting) || setting.Field != "columns" {
		t.Errorf("a row without columns: %v", err)
	}
	broken := &sparse.CSR{N: 1, D: 2, Ptr: []int{0, 2}, Col: []int32{1, 0}}
	if _, err := (gram.Run{}).Samples(planned{shape: &seen}, broken, 0); err == nil {
		t.Error("columns in the wrong order passed")
	}
}
