package kmeans

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/internal/fixture"
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
	a := must.Have(Config{K: 4}.Fit(context.Background(), x))(t)
	sums := func(z, x mat.Vector) float64 {
		var d mat.VecDense
		d.SubVec(z, x)
		return mat.Dot(&d, &d)
	}
	for _, rows := range []mat.Matrix{z, sparse.FromDense(z)} {
		fixture.Distances(t, a.Distances(nil, rows), a.Assign(nil, rows), func(i, c int) float64 { return sums(z.RowView(i), a.Centers().RowView(c)) })
	}
}

// Programs of distances compute those of the model.
func TestDistancePrograms(t *testing.T) {
	x, _ := blobs(4, 300, 6, 4, 1, 2)
	m := must.Have(Config{K: 4}.Fit(t.Context(), x))(t)
	fixture.DistancePrograms(t, x, m.Distances(nil, x), NewDistances[float64](m), NewDistances[float32](m))
	p := NewDistances[float32](m)
	row, all := make([]float32, 4), gram.MakeRows[float32](1, 4)
	one := gram.As[float32](gram.Of(x).Slice(7, 8), nil)
	p.Rows(all, one)
	if p.Row(row, one.Row(make([]float32, 6), 0)); !slices.Equal(row, all.Data) {
		t.Errorf("distances %v of a row alone, %v of a matrix of it", row, all.Data)
	}
	cost := p.Cost()
	if cost.Flops != 2*4*6 || cost.PeakBytes != 4*240*6 || cost.ModelBytes < 4*4*6 || cost.ModelBytes > 4096 || cost.Description != "distances from 4 centers" {
		t.Errorf("%+v", cost)
	}
	if must.Recovered(func() { p.Row(row[1:], one.Row(make([]float32, 6), 0)) }) == nil {
		t.Error("a short destination is taken")
	}
	if v := (squared{}).Eval([]float64{1, 2, 5}, []float64{3, 2, 4}); v != 5 {
		t.Errorf("squared distance %v, want 5", v)
	}
}
