package check

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// at fails the test unless err names the given row, column and value; row −1
// means no error.
func at(t *testing.T, what string, err error, row, col int, value float64, reason string) {
	t.Helper()
	if row < 0 {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		return
	}
	var de *gram.DataError
	if !errors.As(err, &de) {
		t.Errorf("%s: error %v", what, err)
		return
	}
	if de.Row != row || de.Col != col || math.Float64bits(de.Value) != math.Float64bits(value) || !strings.Contains(de.Reason, reason) || (reason == "") != (de.Reason == "") {
		t.Errorf("%s: %+v, want row %d, column %d, value %v, %q", what, *de, row, col, value, reason)
	}
}

var bad = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}

func TestRows(t *testing.T) {
	var ce *gram.ConfigError
	if err := Rows(0); !errors.As(err, &ce) || ce.Field != "rows" || ce.Value != 0 {
		t.Errorf("no rows: %v", err)
	}
	if err := Rows(1); err != nil {
		t.Errorf("one row: %v", err)
	}
}

func TestTarget(t *testing.T) {
	at(t, "good", Target([]float64{1, 1e75, -1e75, 1e-300}, 4), -1, 0, 0, "")
	at(t, "small", Target([]float64{0, -1e-75}, 2), -1, 0, 0, "")
	at(t, "zeros", Target([]float64{0, 0}, 2), -1, 0, 0, "")
	at(t, "too large", Target([]float64{1, -1e76, 1e77}, 3), 1, -1, -1e76, "overflow; divide all targets by one number")
	at(t, "too small", Target([]float64{0, 1e-77, -1e-76}, 3), 2, -1, -1e-76, "vanish; divide all targets by one number")
	at(t, "a small block", Block([]float64{0, 1e-77, -1e-76}, 3), -1, 0, 0, "")
	at(t, "a large block", Block([]float64{1, -1e76, 1e77}, 3), 1, -1, -1e76, "overflow")
	at(t, "a block with too few", Block([]float64{1, 2}, 3), 2, -1, math.NaN(), "as many targets")
	at(t, "none", Target(nil, 0), -1, 0, 0, "")
	at(t, "too few", Target([]float64{1, 2}, 3), 2, -1, math.NaN(), "as many targets")
	at(t, "too many", Target([]float64{1, 2, 3}, 2), 2, -1, math.NaN(), "as many targets")
	for _, v := range bad {
		at(t, "bad", Target([]float64{1, v, v}, 3), 1, -1, v, "")
	}
}

func TestTargets(t *testing.T) {
	at(t, "good", Targets(mat.NewDense(2, 2, []float64{1, 1e75, -1, 0}), 2), -1, 0, 0, "")
	at(t, "too large", Targets(mat.NewDense(2, 2, []float64{1, 2, 3, math.MaxFloat64}), 2), 1, -1, math.MaxFloat64, "overflow")
	at(t, "none", Targets(&mat.Dense{}, 0), -1, 0, 0, "")
	at(t, "too few", Targets(mat.NewDense(2, 2, nil), 3), 2, -1, math.NaN(), "as many targets")
	at(t, "too many", Targets(mat.NewDense(3, 1, nil), 2), 2, -1, math.NaN(), "as many targets")
	for _, v := range bad {
		at(t, "bad", Targets(mat.NewDense(3, 2, []float64{1, 2, 3, v, v, 4}), 3), 1, -1, v, "")
	}
}

func TestWeights(t *testing.T) {
	at(t, "nil", Weights(nil, 3), -1, 0, 0, "")
	at(t, "good", Weights([]float64{1e-300, 0, 1e-75}, 3), -1, 0, 0, "")
	at(t, "too small", Weights([]float64{0, 0, 1e-300}, 3), 2, -2, 1e-300, "vanish; divide all weights by one number")
	at(t, "too large", Weights([]float64{0, 1e76}, 2), 1, -2, 1e76, "overflow; divide all weights by one number")
	at(t, "none", Weights([]float64{}, 0), -1, 0, 0, "")
	at(t, "too few", Weights([]float64{1, 2}, 3), 2, -2, math.NaN(), "as many weights")
	at(t, "too many", Weights([]float64{1, 2, 3}, 2), 2, -2, math.NaN(), "as many weights")
	at(t, "zero", Weights([]float64{0, 0}, 2), 0, -2, 0, "all weights")
	at(t, "the only one is zero", Weights([]float64{0}, 1), 0, -2, 0, "all weights")
	at(t, "negative", Weights([]float64{1, -1e-300}, 2), 1, -2, -1e-300, "not negative")
	for _, v := range bad {
		at(t, "bad", Weights([]float64{1, v, v}, 3), 1, -2, v, "not negative")
	}
}

func TestClasses(t *testing.T) {
	names := []string{"a", "b", "c"}
	of := func(class ...int) gram.Labels { return gram.Labels{Class: class, Names: names} }
	at(t, "good", Classes(of(2, 0, 2), 3), -1, 0, 0, "")
	at(t, "too few", Classes(of(0, 1), 3), 2, -1, math.NaN(), "as many labels")
	at(t, "too many", Classes(of(0, 1, 2), 2), 2, -1, math.NaN(), "as many labels")
	at(t, "one class", Classes(of(1, 1, 1), 3), 0, -1, 0, "one class")
	at(t, "no rows", Classes(of(), 0), 0, -1, 0, "one class")
	at(t, "below the names", Classes(of(0, 1, -1), 3), 2, -1, -1, "among the names")
	at(t, "beyond the names", Classes(of(0, 3, 1), 3), 1, -1, 3, "among the names")
	at(t, "the first of both", Classes(of(0, 7, -1), 3), 1, -1, 7, "among the names")
}

func TestLabeled(t *testing.T) {
	y := gram.Labels{Class: []int{0, 1}, Names: []string{"a", "b"}}
	at(t, "good", Labeled(y, []float64{1, 2}, 2), -1, 0, 0, "")
	at(t, "labels first", Labeled(y, []float64{-1, 2}, 3), 2, -1, math.NaN(), "as many labels")
	at(t, "one class", Labeled(gram.Labels{Class: []int{0, 0}, Names: []string{"a"}}, nil, 2), 0, -1, 0, "all rows are of one class")
	at(t, "one class of two", Labeled(gram.Labels{Class: []int{1, 1}, Names: y.Names}, nil, 2), -1, 0, 0, "")
	at(t, "weights", Labeled(y, []float64{-1, 2}, 2), 0, -2, -1, "not negative")
}

func TestTags(t *testing.T) {
	of := func(d int, col ...int32) *sparse.CSR {
		return &sparse.CSR{N: 2, D: d, Ptr: []int{0, 1, len(col)}, Col: col}
	}
	at(t, "good", Tags(of(3, 0, 1, 2), 2), -1, 0, 0, "")
	at(t, "no labels", Tags(&sparse.CSR{N: 2, D: 3, Ptr: []int{0, 0, 0}}, 2), -1, 0, 0, "")
	for _, y := range []*sparse.CSR{nil, {N: 2, Ptr: []int{0, 0, 0}}} {
		if err := (*gram.ConfigError)(nil); !errors.As(Tags(y, 2), &err) {
			t.Errorf("no labels at all: %v", Tags(y, 2))
		}
	}
	at(t, "too few", Tags(of(3, 0, 1), 3), 2, -1, math.NaN(), "as many sets")
	at(t, "too many", Tags(of(3, 0, 1), 1), 1, -1, math.NaN(), "as many sets")
	at(t, "beyond the labels", Tags(of(3, 0, 1, 3), 2), 1, -1, 3, "no such label")
	at(t, "below the labels", Tags(of(3, -1, 1), 2), 0, -1, -1, "no such label")
}

func TestBytes(t *testing.T) {
	for v, want := range map[float64]int64{0: 0, 1.5: 1, 1 << 50: 1 << 50, 1e19: 1 << 60, math.Inf(1): 1 << 60} {
		if got := Bytes(v); got != want {
			t.Errorf("%v bytes are %d", v, got)
		}
	}
	if got := Bytes(math.NaN()); got != 1<<60 {
		t.Errorf("NaN bytes are %d", got)
	}
}
