package gram_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// own is a matrix of a kind that gram does not know.
type own struct{ mat.Matrix }

// raw is one that shows its numbers.
type raw struct{ *mat.Dense }

func kinds() map[string]mat.Matrix {
	dense := mat.NewDense(4, 3, []float64{1, 0, 2, 0, 0, 0, 3, 4, 0, 0, -5, 6})
	wide := mat.NewDense(6, 5, nil)
	part := wide.Slice(1, 5, 1, 4).(*mat.Dense)
	part.Copy(dense)
	return map[string]mat.Matrix{
		"dense":      dense,
		"a part":     part,
		"raw":        raw{dense},
		"own":        own{dense},
		"transposed": mat.DenseCopyOf(dense.T()).T(),
		"sparse":     sparse.FromDense(dense),
		"samples":    gram.Of(dense),
		"thin":       gram.Sparse[float64](sparse.FromDense(dense)),
	}
}

// The samples of every kind of matrix are its rows, and those of matrices with raw
// rows are the same memory.
func TestOf(t *testing.T) {
	want := kinds()["dense"]
	for what, x := range kinds() {
		s := gram.Of(x)
		if !mat.Equal(s, want) || !mat.Equal(s.T(), want.T()) || s.N() != 4 || !s.Valid() {
			t.Errorf("%s: %v", what, mat.Formatted(s))
		}
		if thin := what == "sparse" || what == "thin"; (s.CSR() != nil) != thin || (gram.CSR(x) != nil) != thin {
			t.Errorf("%s: sparse is %v", what, s.CSR() != nil)
		}
		_, dense := s.Dense()
		if dense != (s.CSR() == nil) {
			t.Errorf("%s: both dense and sparse, or neither", what)
		}
		if part := s.Slice(1, 3); !mat.Equal(part, want.(*mat.Dense).Slice(1, 3, 0, 3)) {
			t.Errorf("%s: rows 1 and 2 are %v", what, mat.Formatted(part))
		}
		if none := s.Slice(2, 2); none.N() != 0 {
			t.Errorf("%s: %d rows from none", what, none.N())
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
		} else if gram.Of(s).CSR() != s.CSR() {
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

// Beyond the rows or columns is a panic, not a number of the gap between two rows.
func TestSamplesAt(t *testing.T) {
	for what, x := range kinds() {
		for _, at := range [][2]int{{-1, 0}, {4, 0}, {0, -1}, {0, 3}} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: there is an element %v", what, at)
					}
				}()
				gram.Of(x).At(at[0], at[1])
			}()
		}
	}
}

// planned is a Config that needs need bytes.
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
		if what == "own" || what == "transposed" {
			copied = 8 * 4 * 3
		}
		var seen gram.Shape
		s, err := gram.Run{MemoryLimit: 100 + copied}.Samples(planned{need: 100, shape: &seen}, x, 2)
		if err != nil || !mat.Equal(s, x) {
			t.Errorf("%s: %v", what, err)
		}
		want := gram.Shape{N: 4, D: 3, Outputs: 2}
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
	var seen gram.Shape
	own := errors.New("a bad setting")
	if _, err := (gram.Run{}).Samples(planned{shape: &seen, err: own}, mat.NewDense(1, 1, nil), 0); err != own {
		t.Errorf("the error of the plan became %v", err)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for what, x := range kinds() {
			d := mat.DenseCopyOf(x)
			d.Set(2, 1, v)
			d.Set(3, 0, math.NaN())
			var bad mat.Matrix = d
			switch what {
			case "sparse", "thin":
				bad = sparse.FromDense(d)
			case "own", "transposed":
				bad = mat.DenseCopyOf(d.T()).T()
			}
			var at *gram.DataError
			if _, err := (gram.Run{}).Samples(planned{shape: &seen}, bad, 0); !errors.As(err, &at) || at.Row != 2 || at.Col != 1 {
				t.Errorf("%s with %v: %v", what, v, err)
			}
		}
	}
	broken := &sparse.CSR{N: 1, D: 2, Ptr: []int{0, 2}, Col: []int32{1, 0}}
	if _, err := (gram.Run{}).Samples(planned{shape: &seen}, broken, 0); err == nil {
		t.Error("columns in the wrong order passed")
	}
}
