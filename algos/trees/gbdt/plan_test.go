package gbdt

import (
	"fmt"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/machine"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// The memory of the plan is that of the fit to a quarter: of dense and sparse rows, values and classes, bins and exact values, on one
// goroutine and two. As in algotest.CheckPeak the fit runs again where garbage hides what it needs.
func TestPlanBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, c := range []struct {
		name             string
		n, d, k, workers int
		sparse, exact    bool
	}{
		{name: "values", n: 20_000, d: 16, k: 1, workers: 1},
		{name: "values, two goroutines", n: 20_000, d: 16, k: 1, workers: 2},
		{name: "many rows", n: 100_000, d: 8, k: 1, workers: 2},
		{name: "classes", n: 20_000, d: 16, k: 8, workers: 2},
		{name: "sparse", n: 20_000, d: 50, k: 1, workers: 2, sparse: true},
		{name: "sparse, classes", n: 20_000, d: 50, k: 5, workers: 1, sparse: true},
		{name: "exact", n: 20_000, d: 2, k: 1, workers: 1, exact: true},
	} {
		r := rng.New(1, 0)
		x, y, labels := mat.NewDense(c.n, c.d, nil), make([]float64, c.n), gram.Labels{Class: make([]int, c.n)}
		for k := range max(2, c.k) {
			labels.Names = append(labels.Names, fmt.Sprint(k))
		}
		for i := range c.n {
			for j := range c.d {
				if !c.sparse || r.IntN(20) == 0 {
					x.Set(i, j, r.NormFloat64())
					y[i] += x.At(i, j) * float64(j%3+1) / 2
				}
			}
			y[i] += x.At(i, 1) * x.At(i, 0)
			labels.Class[i] = min(max(0, int(y[i]+float64(c.k)/2)), max(c.k, 2)-1)
		}
		s, rows := gram.Shape{N: c.n, D: c.d, Outputs: c.k}, mat.Matrix(x)
		if c.sparse {
			a := sparse.FromDense(x)
			rows, s.NNZ = a, int64(len(a.Val))
		}
		config := Config{Rounds: 10, Exact: c.exact, Run: gram.Run{Workers: c.workers}}
		plan := must.Have(config.Plan(s))(t)
		const slack = 256 << 10
		live, heap := int64(1)<<62, int64(0)
		near := func() bool {
			return float64(live) <= 1.25*float64(plan.PeakBytes)+slack && float64(plan.PeakBytes) <= 1.25*float64(heap)+slack
		}
		for runs := 0; runs < 12 && !near(); runs++ {
			l, h := machine.Peak(func() {
				var err error
				if c.k > 1 {
					_, err = config.Fit(t.Context(), rows, labels, nil)
				} else {
					_, err = config.FitValues(t.Context(), rows, y, nil)
				}
				if err != nil {
					t.Error(err)
				}
			})
			live, heap = min(live, l), max(heap, h)
		}
		if !near() {
			t.Errorf("%s: the plan has %d bytes, in use were at least %d and at most %d", c.name, plan.PeakBytes, live, heap)
		}
	}
}
