package kernelkmeans

import (
	"math"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
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
}
