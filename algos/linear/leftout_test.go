package linear

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

// What a row is predicted when it is left out is what a fit without it predicts.
func TestLeftOut(t *testing.T) {
	const n = 14
	x, v := gen.Smooth(n, 3, 0.2, 1)
	y := mat.NewDense(n, 2, nil)
	w := make([]float64, n)
	for i := range n {
		y.SetRow(i, []float64{v[i], v[i] * v[i]})
		w[i] = float64(i % 4)
	}
	for _, c := range []Ridge{{Lambda: gram.Set(0.3)}, {Lambda: gram.Set(0.3), NoBias: true}, {Lambda: gram.Set(0.0)}} {
		for _, w := range [][]float64{nil, w} {
			m := must.Have(c.FitAll(t.Context(), nil, x, y, w))(t)
			got := must.Have(m.LeftOut(x, y, w))(t)
			for i := range n {
				without := make([]float64, n)
				for k := range without {
					without[k] = 1
				}
				if w != nil {
					copy(without, w)
				}
				without[i] = 0
				m := must.Have(c.FitAll(t.Context(), nil, x, y, without))(t)
				want := m.PredictAll(nil, x.Slice(i, i+1, 0, 3))
				for k := range 2 {
					if a, b := got.At(i, k), want.At(0, k); !(math.Abs(a-b) <= 1e-10*(1+math.Abs(b))) {
						t.Fatalf("%+v: row %d is %g, a fit without it says %g", c, i, a, b)
					}
				}
			}
		}
	}
}
