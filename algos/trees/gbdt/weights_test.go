package gbdt

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/bins"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// The number of rounds that held-out rows choose, their losses and the trees are the same with weights as with copies that are held out
// together. A weight matters in the rows that are fitted and in those that judge.
func TestRoundsOfWeightsAreThoseOfCopies(t *testing.T) {
	const n = 120
	x, y, labels := problem(5, n)
	for i := range n { // few values, so that the bins of copies are the same
		for j, v := range x.RawRowView(i) {
			x.Set(i, j, math.Round(4*v))
		}
		y[i] += float64(i * i % 7)
	}
	var index []int
	w, train, held := make([]float64, n), []int32{}, []int32{}
	var trainCopies, heldCopies []int32
	for i := range n {
		w[i] = float64(1 + i*7/3%3)
		to, copies := &train, &trainCopies
		if i%4 == 1 {
			to, copies = &held, &heldCopies
		}
		*to = append(*to, int32(i))
		for range int(w[i]) {
			*copies = append(*copies, int32(len(index)))
			index = append(index, i)
		}
	}
	c := must.Have(settings.Resolved(Config{Exact: true, Rounds: 60, MaxLeaves: 6, MinRows: 1, Shrinkage: .5, Patience: 5, Run: gram.Run{Workers: 1}}, gram.Shape{N: n, Outputs: 1}))(t)
	values, class := make([]float64, len(index)), make([]int, len(index))
	for k, i := range index {
		values[k], class[k] = y[i], labels.Class[i]
	}
	fit := func(x mat.Matrix, l lossFunction, w []float64, train, held []int32) *model {
		table := must.Have(bins.Make(t.Context(), 1, gram.Of(x), 255, 1, nil))(t)
		m := must.Have(c.rounds(t.Context(), "rounds", table, l, w, rng.New(1, 1), train, held))(t)
		return m
	}
	for name, of := range map[string]func(y []float64, class []int) lossFunction{
		"values":  func(y []float64, _ []int) lossFunction { return squaredLoss{y} },
		"classes": func(_ []float64, class []int) lossFunction { return softmax{class, len(labels.Names)} },
	} {
		want := fit(gram.Matrix(gram.Of(x).Select(index)), of(values, class), nil, trainCopies, heldCopies)
		same := func(w []float64) bool {
			m := fit(x, of(y, labels.Class), w, train, held)
			return m.stats.Rounds == want.stats.Rounds && slices.EqualFunc(m.stats.Holdout, want.stats.Holdout, func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*b })
		}
		if r := want.stats.Rounds; r < 2 || r > 50 {
			t.Errorf("%s: %d rounds", name, r)
		}
		if !same(w) {
			t.Errorf("%s: weights are not copies", name)
		}
		for _, part := range [][]int32{train, held} {
			other := slices.Clone(w)
			for _, i := range part {
				other[i] = 1
			}
			if same(other) {
				t.Errorf("%s: the weights of %d rows do not matter", name, len(part))
			}
		}
	}
}
