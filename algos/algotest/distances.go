package algotest

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"gonum.org/v1/gonum/mat"
)

// Distances fails the test unless got has the distances of rows from clusters that want
// returns, or NaN where want does, and each row is assigned to the nearest cluster, and a
// row with NaN to −1.
func Distances(t *testing.T, got *mat.Dense, assigned []int, want func(i, c int) float64) {
	t.Helper()
	n, k := got.Dims()
	for i := range n {
		at := -1
		for c := range k {
			v, w := got.At(i, c), want(i, c)
			if !(math.Abs(v-w) < 1e-10) && !(v != v && w != w) {
				t.Fatalf("distance of row %d from cluster %d is %g, want %g", i, c, v, w)
			}
			if v == v && (at < 0 || v < got.At(i, at)) {
				at = c
			}
		}
		if at != assigned[i] {
			t.Errorf("row %d is nearest to %d, assigned to %d", i, at, assigned[i])
		}
	}
}

// DistancePrograms fails the test unless the programs compute the distances want for the
// rows of x.
func DistancePrograms(t *testing.T, x, want *mat.Dense, double gram.Program[float64], single gram.Program[float32]) {
	t.Helper()
	n, k := want.Dims()
	wide, narrow := gram.MakeRows[float64](n, k), gram.MakeRows[float32](n, k)
	double.Rows(wide, gram.Of(x))
	single.Rows(narrow, gram.As[float32](gram.Of(x), nil))
	for i := range n {
		for c, v := range want.RawRowView(i) {
			if g := wide.Row(i)[c]; !(math.Abs(g-v) <= 1e-12*(1+math.Abs(v))) {
				t.Fatalf("row %d is %v from %d, want %v", i, g, c, v)
			}
			if g := float64(narrow.Row(i)[c]); !(math.Abs(g-v) <= 1e-4*(1+math.Abs(v))) {
				t.Fatalf("row %d is %v from %d in float32, want %v", i, g, c, v)
			}
		}
	}
}
