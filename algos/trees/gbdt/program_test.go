package gbdt

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

// Rows of float32 numbers reach the same leaves in float32, whatever number between
// two neighbors a threshold is.
func TestThresholdsInFloat32(t *testing.T) {
	x := mat.NewDense(400, 1, nil)
	y := make([]float64, 400)
	v := float32(1)
	for i := range y {
		x.Set(i, 0, float64(v))
		y[i] = float64(i * 7 % 13)
		v = math.Nextafter32(v, 2)
	}
	m := must.Have(Config{Rounds: 1, Shrinkage: 1, MinRows: 1, MaxLeaves: 300, Exact: true, Lambda: gram.Set(0.)}.FitValues(t.Context(), x, y, nil))(t)
	p := must.Have(m.Program32())(t)
	want := m.Predict(nil, x)
	for i, w := range want {
		dst := make([]float32, 1)
		if p.Row(dst, []float32{float32(x.At(i, 0))}); !(math.Abs(float64(dst[0])-w) < 1e-5) {
			t.Fatalf("row %d: %v in float32, %v in the model", i, dst[0], w)
		}
	}
	if m.Stats().Leaves < 100 {
		t.Errorf("%d leaves are too few for the test", m.Stats().Leaves)
	}
}

// A forest of several tiles gives a row in a batch the bits that it has alone.
func TestTiles(t *testing.T) {
	d := algotest.Problem(1, 500, 6, 3)
	m := must.Have(Config{Rounds: 30, MinRows: 2}.Fit(t.Context(), d.X, d.Labels, nil))(t)
	if len(m.forest.nodes) < 3*tileNodes {
		t.Fatalf("%d nodes are too few for the test", len(m.forest.nodes))
	}
	p := must.Have(m.Program64())(t)
	x := d.X.(*mat.Dense)
	batch, alone := gram.MakeRows[float64](500, 3), make([]float64, 3)
	p.Rows(batch, gram.Of(x))
	for i := range 500 {
		p.Row(alone, x.RawRowView(i))
		for c, v := range alone {
			if batch.Row(i)[c] != v {
				t.Fatalf("row %d: %v in the batch, %v alone", i, batch.Row(i), alone)
			}
		}
	}
}
