package multiclass_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram/algos/multiclass"
)

// Ties go to the lower class, and a NaN among the scores gives −1.
func TestDecide(t *testing.T) {
	nan, tiny := math.NaN(), math.SmallestNonzeroFloat64
	for _, c := range []struct {
		scores []float64
		want   int
	}{
		{[]float64{tiny}, 1},
		{[]float64{0}, 0},
		{[]float64{math.Copysign(0, -1)}, 0},
		{[]float64{-tiny}, 0},
		{[]float64{math.Inf(1)}, 1},
		{[]float64{nan}, -1},
		{[]float64{1, 2, 3}, 2},
		{[]float64{3, 2, 1}, 0},
		{[]float64{1, 3, 3}, 1},
		{[]float64{2, 2, 2}, 0},
		{[]float64{0, math.Copysign(0, -1)}, 0},
		{[]float64{-3, -2, -3}, 1},
		{[]float64{math.Inf(-1), math.Inf(-1)}, 0},
		{[]float64{9, nan, 1}, -1},
		{[]float64{nan, 9}, -1},
		{[]float64{1, nan}, -1},
		{nil, -1},
	} {
		if got := multiclass.Decide(c.scores); got != c.want {
			t.Errorf("%v decide for %d, want %d", c.scores, got, c.want)
		}
	}
}

// The targets of a class are decided to be that class, and two classes have one
// function.
func TestSigns(t *testing.T) {
	for _, names := range []int{2, 3, 5} {
		class := []int{1, 0, 1, names - 1}
		y, one := multiclass.Signs(class, names), multiclass.OneHot(class, names)
		if _, k := y.Dims(); k != multiclass.Functions(names) || k != map[int]int{2: 1, 3: 3, 5: 5}[names] {
			t.Fatalf("%d functions for %d classes", k, names)
		}
		for i, c := range class {
			if got := multiclass.Decide(y.RawRowView(i)); got != c {
				t.Errorf("%v of %d classes stands for %d, want %d", y.RawRowView(i), names, got, c)
			}
			for f, v := range y.RawRowView(i) {
				if v != 1 && v != -1 || v != multiclass.Sign(c, f, multiclass.Functions(names)) {
					t.Errorf("the target of function %d is %g", f, v)
				}
			}
			for f, v := range one.RawRowView(i) {
				if (v == 1) != (f == c) || v != 0 && v != 1 {
					t.Errorf("one-hot: class %d of class %d is %g", f, c, v)
				}
			}
		}
	}
	if multiclass.Functions(0) != 1 || multiclass.Functions(1) != 1 {
		t.Error("values have one function")
	}
}

// The values come in the order (0,1), (0,2), (1,2); 0 speaks for the first of a pair.
func TestVote(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct{ values, want []float64 }{
		{[]float64{1, 1, 1}, []float64{0, 1, 2}},
		{[]float64{-1, -1, -1}, []float64{2, 1, 0}},
		{[]float64{-1, 1, 1}, []float64{1, 0, 2}},
		{[]float64{1, -1, -1}, []float64{1, 2, 0}},
		{[]float64{-1, 1, -1}, []float64{1, 1, 1}},
		{[]float64{0, 0, 0}, []float64{2, 1, 0}},
		{[]float64{1, 1, -1, 1, -1, -1}, []float64{1, 2, 3, 0}}, // (0,1) (0,2) (0,3) (1,2) (1,3) (2,3)
	} {
		votes := []float64{7, 7, 7, 7}[:len(c.want)]
		if multiclass.Vote(votes, c.values); !slices.Equal(votes, c.want) {
			t.Errorf("%v give %v, want %v", c.values, votes, c.want)
		}
	}
	for at := range 3 {
		values, votes := []float64{1, 1, 1}, make([]float64, 3)
		values[at] = nan
		multiclass.Vote(votes, values)
		for _, v := range votes {
			if !math.IsNaN(v) {
				t.Errorf("value %d is NaN, and the votes are %v", at, votes)
			}
		}
	}
}
