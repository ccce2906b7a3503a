package rfm

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

// With given rows that are held out, and a width that no median decides, the whole fit is the same with weights as with copies: the choice
// of λ and of the round, and the model. A weight matters in the rows that are fitted and in those that judge.
func TestHeldOutWeightsAreCopies(t *testing.T) {
	const n, first = 60, 45 // rows from first on are held out
	d := algotest.Problem(5, n, 3, 2)
	var index, heldCopies, held []int
	w := make([]float64, n)
	for i := range n {
		w[i] = float64(1 + i%3)
		for range 1 + i%3 {
			if i >= first {
				heldCopies = append(heldCopies, len(index))
			}
			index = append(index, i)
		}
		if i >= first {
			held = append(held, i)
		}
	}
	fit := func(x mat.Matrix, y, w []float64, held []int) *Model {
		m := must.Have(Config{Absolute: true, Length: gram.Set(2.), Rounds: gram.Set(3), Given: Given{Held: held}}.Fit(t.Context(), x, y, w))(t)
		return m
	}
	values := make([]float64, len(index))
	for k, i := range index {
		values[k] = d.Value[i]
	}
	want := fit(gram.Matrix(gram.Of(d.X).Select(index)), values, nil, heldCopies)
	far := func(w []float64) (losses, most float64) {
		m := fit(d.X, d.Value, w, held)
		for k, r := range m.Stats().Rounds {
			losses = max(losses, math.Abs(r.Loss-want.Stats().Rounds[k].Loss))
		}
		b := want.Predict(nil, d.X)
		for i, v := range m.Predict(nil, d.X) {
			most = max(most, math.Abs(v-b[i]))
		}
		return losses, most
	}
	if losses, most := far(w); !(losses <= 1e-8 && most <= 1e-8) {
		t.Errorf("weights are not copies: held-out losses are apart by %g, predictions by %g", losses, most)
	}
	for _, ones := range [][2]int{{0, first}, {first, n}} {
		other := slices.Clone(w)
		for i := ones[0]; i < ones[1]; i++ {
			other[i] = 1
		}
		if losses, _ := far(other); losses < 1e-6 {
			t.Errorf("the weights of the rows from %d to %d do not matter", ones[0], ones[1])
		}
	}
}
