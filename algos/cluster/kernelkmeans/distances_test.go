package kernelkmeans

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
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
	m := must.Have(Config{Kernel: gauss, K: 4}.Fit(t.Context(), x))(t)
	members := make([][]int, 4)
	for i, c := range m.Labels() {
		members[c] = append(members[c], i)
	}
	for _, rows := range []mat.Matrix{z, sparse.FromDense(z)} {
		fixture.Distances(t, m.Distances(nil, rows), m.Assign(nil, rows), func(i, c int) float64 {
			return featureDistance(gauss, x, z.RawRowView(i), members[c], nil)
		})
	}
}

// Programs of distances compute those of the model.
func TestDistancePrograms(t *testing.T) {
	x, _ := gen.Blobs(300, 6, 4, 10, 4)
	m := must.Have(Config{Kernel: gauss, K: 4}.Fit(t.Context(), x))(t)
	fixture.DistancePrograms(t, x, m.Distances(nil, x), NewDistances[float64](m), NewDistances[float32](m))
	if k, d := m.Dims(); k != 4 || d != 6 {
		t.Errorf("%d clusters in %d columns", k, d)
	}
	p := NewDistances[float32](m)
	if d, k := p.Dims(); k != 4 || d != 6 {
		t.Errorf("a program of %d distances of %d columns", k, d)
	}
	row, all := make([]float32, 4), gram.MakeRows[float32](1, 4)
	one := gram.As[float32](gram.Of(x).Slice(7, 8), nil)
	p.Rows(all, one)
	if p.Row(row, one.Row(make([]float32, 6), 0)); !slices.Equal(row, all.Data) {
		t.Errorf("distances %v of a row alone, %v of a matrix of it", row, all.Data)
	}
	if must.Recovered(func() { p.Row(row[1:], one.Row(make([]float32, 6), 0)) }) == nil {
		t.Error("a short destination is taken")
	}
	// A row takes 300 kernel values and their products with four shares; the program holds the rows and the shares.
	cost := p.Cost()
	if want := 300 * (kernel.Flops(gauss, 6) + 2*4); cost.Flops != want {
		t.Errorf("%g flops, want %g", cost.Flops, want)
	}
	if held := int64(4 * 300 * (6 + 4)); cost.ModelBytes < held || cost.ModelBytes > 4*held || cost.PeakBytes != 256<<10 {
		t.Errorf("%+v, the rows and shares have %d bytes", cost, held)
	}
}
