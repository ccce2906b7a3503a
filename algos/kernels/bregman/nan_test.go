package bregman

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	. "github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/num/rng"
)

// No statistic is NaN, whatever the sizes of rows, bounds and prices are, where a fit is cancelled and where
// it ends at MaxIter.
func TestStatsAreNumbers(t *testing.T) {
	algotest.Serial(t)
	r := rng.New(5, 0)
	for n := range 3000 {
		g := gen.Normal(8, 4, uint64(n))
		g.Scale(math.Pow(10, []float64{-60, -20, 0, 20, 70}[r.IntN(5)]), g)
		if r.IntN(3) == 0 {
			g.SetRow(1, g.RawRowView(0))
		}
		size := g.At(2, 1) * g.At(2, 1)
		var cs []Linear
		for k := range 1 + r.IntN(5) {
			bound := size * math.Pow(10, []float64{-200, -90, -20, -12, -3, 0, 3, 12, 20, 90, 200}[r.IntN(11)])
			c := Distance(k, k+1, Relation(r.IntN(3)), bound)
			switch r.IntN(4) {
			case 0:
				c = Linear{Terms: []Term{{Weight: 1, Z: Vector{Index: []int{k, k + 1}, Value: []float64{1, -1}}}, {Weight: -1, Z: Vector{Index: []int{k, k + 2}, Value: []float64{1, -1}}}}, Relation: c.Relation, Bound: bound}
			case 1:
				c.Identity = []float64{1, -1, 1e9}[r.IntN(3)]
			}
			cs = append(cs, c)
		}
		c := Config{Divergence: Divergence(r.IntN(2)), Slack: []float64{0, 0, 1e-300, 1e-90, 1e-9, 1, 1e9, 1e90, 1e300}[r.IntN(9)], Tol: []float64{1e-3, 1e-12}[r.IntN(2)], MaxIter: []int{1, 2, 30}[r.IntN(3)], Cyclic: r.IntN(2) == 0}
		ctx := context.Context(t.Context())
		if r.IntN(2) == 0 {
			ctx = looktest.After(ctx, 2+r.IntN(20))
		}
		m, err := c.Fit(ctx, g, cs)
		if m == nil {
			continue
		}
		for _, field := range algotest.NaNs(m) {
			t.Errorf("fit %d: %s is NaN (%v): %s", n, field, err, fmt.Sprintf("%+v", c))
		}
	}
}
