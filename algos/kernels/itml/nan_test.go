package itml

import (
	"context"
	"math"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
)

// No statistic is NaN, whatever the sizes of rows, bounds and prices are, and where a fit ends at MaxIter.
func TestStatsAreNumbers(t *testing.T) {
	r := rng.New(5, 0)
	for n := range 1000 {
		x := gen.Normal(8, 4, uint64(n))
		var k kernel.Kernel = kernel.Gaussian{Gamma: .5}
		size := 1.
		if r.IntN(2) == 0 {
			scale := math.Pow(10, []float64{-60, -20, 0, 20, 70}[r.IntN(5)])
			x.Scale(scale, x)
			k, size = kernel.Linear{}, scale*scale
		}
		if r.IntN(3) == 0 {
			x.SetRow(1, x.RawRowView(0))
		}
		var cons []constraint.Linear
		for k := range 1 + r.IntN(5) {
			bound := size * math.Pow(10, []float64{-200, -29, -20, -12, -3, 0, 3, 12, 20, 29, 200}[r.IntN(11)])
			c := constraint.Distance(k, k+1, constraint.Relation(r.IntN(3)), bound)
			if r.IntN(4) == 0 {
				c = constraint.Linear{Terms: []constraint.Term{
					{Weight: 1, Z: constraint.Vector{Index: []int{k, k + 1}, Value: []float64{1, -1}}},
					{Weight: -1, Z: constraint.Vector{Index: []int{k, k + 2}, Value: []float64{1, -1}}}}, Relation: c.Relation, Bound: bound}
			}
			cons = append(cons, c)
		}
		c := Config{Kernel: k, Regularizer: Regularizer(r.IntN(4)), Slack: []float64{0, 0, 1e-300, 1e-29, 1e-9, 1, 1e9, 1e29, 1e300}[r.IntN(9)], Tol: []float64{1e-3, 1e-12}[r.IntN(2)], MaxIter: []int{1, 2, 30}[r.IntN(3)]}
		if c.Regularizer == LogDet && r.IntN(2) == 0 {
			c.Solver = Projections
		}
		m, err := c.Fit(context.Background(), x, cons)
		if m == nil {
			continue
		}
		for _, field := range algotest.NaNs(m) {
			t.Errorf("fit %d: %s is NaN (%v): %+v", n, field, err, c)
		}
	}
}
