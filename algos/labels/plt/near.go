package plt

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
)

// nears are the weights of the cosines that are compared on held-out rows. usualNear is the one for few rows.
var nears = []float64{0, .1, .2, .5, 1, 2, 5, 20, 100}

const usualNear, maxNear = .2, 1e6

// Held-out rows: a tenth of all, within these limits.
const minHeldOut, maxHeldOut = 20, 2000

// chooseNear returns the weight of the cosines with which a model of the other rows ranks held-out rows best, the smallest of equals.
func (c Config) chooseNear(ctx context.Context, x, y *sparse.CSR) (float64, error) {
	held := min(x.N/10, maxHeldOut)
	if held < minHeldOut {
		return usualNear, nil
	}
	c, split := c.without(x.N, held)
	m, err := c.grow(ctx, x.Select(split.Train), y.Select(split.Train))
	if err != nil {
		return 0, err
	}
	return m.bestNear(ctx, x.Select(split.Held), y.Select(split.Held))
}

// without returns the settings of the fit that chooses Near, and the rows that it holds out, of n.
func (c Config) without(n, held int) (Config, crossval.Split) {
	split := crossval.Cut(crossval.Order(n, c.Seed), 0, held).Sort()
	c.Near, c.Seed = gram.Set(usualNear), rng.Derive(c.Seed, "fit without the rows held out")
	return c, split
}

// bestNear returns the weight of the cosines with which m ranks rows best, the smallest of equals.
func (m *Model) bestNear(ctx context.Context, rows, tags *sparse.CSR) (float64, error) {
	best, most := 0.0, -1.0
	var top [][]gram.Scored
	for _, near := range nears {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		m.search.weigh(near)
		top = m.Top(top, rows, 5)
		if p := meanPrecision(top, tags); p > most {
			best, most = near, p
		}
	}
	return best, nil
}

// meanPrecision is the mean of P@1, P@3 and P@5.
func meanPrecision(top [][]gram.Scored, tags *sparse.CSR) float64 {
	sum := 0.0
	for i, list := range top {
		hits := 0.0
		for k := range 5 {
			if k < len(list) && tags.At(i, list[k].Label) != 0 {
				hits++
			}
			if k%2 == 0 {
				sum += hits / float64(k+1)
			}
		}
	}
	return sum / 3 / float64(max(1, len(top)))
}

// byColumn stores the features of labels by column.
func byColumn(labels []int32, feature []vector, d int) nearby {
	ptr := make([]int32, d+1)
	total := 0
	for _, v := range feature {
		for _, j := range v.col {
			ptr[j+1]++
		}
		total += len(v.col)
	}
	for j := range d {
		ptr[j+1] += ptr[j]
	}
	n := nearby{ptr, make([]int32, total), make([]float32, total)}
	at := make([]int32, d)
	copy(at, ptr)
	for k, v := range feature {
		for q, j := range v.col {
			n.label[at[j]], n.value[at[j]] = labels[k], v.val[q]
			at[j]++
		}
	}
	return n
}
