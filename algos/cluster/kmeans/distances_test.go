package kmeans

import (
	"context"
	"math"
	"testing"

	"github.com/gramworks/gram/internal/algotest"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Distances are those of the definition, dense and sparse, and the smallest is
// what Assign says.
func TestDistances(t *testing.T) {
	x := algotest.Problem(1, 80, 12, 3).X.(*mat.Dense)
	z := algotest.Problem(2, 30, 12, 3).X.(*mat.Dense)
	z.Set(4, 2, math.NaN())
	k := kernel.Gaussian{Gamma: 0.1}
	a, err := Config{K: 4}.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Kernel{Kernel: k, K: 4}.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	sums := func(z, x mat.Vector) float64 {
		var d mat.VecDense
		d.SubVec(z, x)
		return mat.Dot(&d, &d)
	}
	check := func(name string, got *mat.Dense, assigned []int, want func(i, c int) float64) {
		for i := range 30 {
			at := -1
			for c := range 4 {
				v, w := got.At(i, c), want(i, c)
				if !(math.Abs(v-w) < 1e-10) && !(v != v && i == 4) {
					t.Fatalf("%s: distance of row %d from cluster %d is %g, want %g", name, i, c, v, w)
				}
				if v == v && (at < 0 || v < got.At(i, at)) {
					at = c
				}
			}
			if at != assigned[i] {
				t.Errorf("%s: row %d is nearest to %d, assigned to %d", name, i, at, assigned[i])
			}
		}
	}
	for _, rows := range []mat.Matrix{z, sparse.FromDense(z)} {
		check("k-means", a.Distances(nil, rows), a.Assign(nil, rows), func(i, c int) float64 { return sums(z.RowView(i), a.Centers().RowView(c)) })
		check("kernel k-means", b.Distances(nil, rows), b.Assign(nil, rows), func(i, c int) float64 {
			var n, one, two float64
			for p, l := range b.Labels() {
				if l != c {
					continue
				}
				n++
				one += k.Eval(z.RawRowView(i), x.RawRowView(p))
				for q, m := range b.Labels() {
					if m == c {
						two += k.Eval(x.RawRowView(p), x.RawRowView(q))
					}
				}
			}
			return 1 - 2*one/n + two/(n*n)
		})
	}
}
