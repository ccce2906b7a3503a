package goal

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// The losses of held-out rows, by which a fit ends early, are the same with weights as with copies that are held out together. A weight
// matters in the rows that are fitted and in those that judge.
func TestEarlyStoppingOfWeights(t *testing.T) {
	const n = 60
	d := algotest.Problem(5, n, 3, 2)
	var index []int // of the copies
	w := make([]float64, n)
	for i := range n {
		w[i] = float64(1 + i%3)
		index = append(index, slices.Repeat([]int{i}, 1+i%3)...)
	}
	y := mat.NewDense(n, 1, d.Value)
	places := func(from, to int) (rows []int) { // of the copies of some rows
		for k, i := range index {
			if i >= from && i < to {
				rows = append(rows, k)
			}
		}
		return rows
	}
	c := must.Have(settings.Resolved(Config{Kernel: gauss, M: 5, Loss: Squared, Lambda: gram.Set(.3), Patience: 3}, gram.Shape{N: n, D: 3, Outputs: 1}))(t)
	u := random(6, 3, 5)
	curve := func(x gram.Samples[float64], y *mat.Dense, w []float64, split crossval.Split) (losses []float64) {
		all := c.problem(x, y, w, Squared)
		all.basis = c.basis(u)
		train, test := part(all, split.Train), part(all, split.Held)
		must.Have2(c.turns(t.Context(), train, mat.DenseCopyOf(u), 6, func(_ int, at *state) (bool, error) {
			loss, err := test.meanLoss(t.Context(), at)
			losses = append(losses, loss)
			return true, err
		}))(t)
		return losses
	}
	once := func() (s crossval.Split) {
		for i := range n {
			if i < 45 {
				s.Train = append(s.Train, i)
			} else {
				s.Held = append(s.Held, i)
			}
		}
		return s
	}
	x := gram.Of(d.X)
	copies := curve(x.Select(index), mat.DenseCopyOf(gram.Matrix(gram.Of(y).Select(index))), nil, crossval.Split{Train: places(0, 45), Held: places(45, n)})
	same := func(w []float64) bool {
		got := curve(x, y, w, once())
		for k, v := range got {
			if !(math.Abs(v-copies[k]) <= 1e-6*copies[k]) {
				return false
			}
		}
		return len(got) == len(copies)
	}
	if !same(w) {
		t.Error("weights are not copies")
	}
	for _, ones := range [][2]int{{0, 45}, {45, n}} {
		other := slices.Clone(w)
		for i := ones[0]; i < ones[1]; i++ {
			other[i] = 1
		}
		if same(other) {
			t.Errorf("the weights of the rows from %d to %d do not matter", ones[0], ones[1])
		}
	}
}
