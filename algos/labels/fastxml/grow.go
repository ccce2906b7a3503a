package fastxml

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gramworks/gram/internal/topk"
	"github.com/gramworks/gram/sparse"
)

// grower holds the state in which one tree is grown, from the root to the leaves.
type grower struct {
	ctx  context.Context
	c    Config
	x, y *sparse.CSR
	f    forest
	r    *rand.Rand

	discount []float64  // D(place), the first place is 0
	ideal    []float64  // I(y) by |y|
	side     []float64  // δ of the rows of a node
	rank     [2]ranking // r− and r+
	count    []int32    // of a label: rows of a leaf that have it
	z        []float32  // x̃ of a row, zero between uses
	columns  columns
}

// ranking is Σ I(y_i)·y_i of a side, and then D(place) of each label that occurs
// there.
type ranking struct {
	value []float64 // by label, zero for those that do not occur
	names []int32   // that occur
}

func newGrower(ctx context.Context, c Config, x, y *sparse.CSR) *grower {
	g := &grower{ctx: ctx, c: c, x: x, y: y, z: make([]float32, x.D), count: make([]int32, y.D)}
	most := 0
	for i := range y.N {
		most = max(most, y.Ptr[i+1]-y.Ptr[i])
	}
	g.discount = make([]float64, y.D)
	for r := range g.discount {
		g.discount[r] = 1 / math.Log2(float64(r)+2)
	}
	g.ideal = make([]float64, most+1)
	sum := 0.0
	for k := range most {
		sum += g.discount[k]
		g.ideal[k+1] = 1 / sum
	}
	for s := range g.rank {
		g.rank[s].value = make([]float64, y.D)
	}
	g.columns.number = make([]int32, x.D)
	return g
}

// grow returns the tree, or nil if ctx ended it.
func (g *grower) grow(r *rand.Rand) *forest {
	g.r = r
	rows := make([]int32, g.x.N)
	for i := range rows {
		rows[i] = int32(i)
	}
	g.side = make([]float64, len(rows))
	root := g.f.begin()
	if err := g.split(root, rows, 0); err != nil {
		return nil
	}
	return &g.f
}

// split makes node at a leaf of these rows, or divides it and the nodes below it, which reorders rows. depth is the number of
// nodes above it. It returns an error only when ctx ends.
func (g *grower) split(at int32, rows []int32, depth int) error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	if len(rows) > g.c.Leaf && depth < g.c.Depth {
		side := g.side[:len(rows)]
		g.drawSides(side)
		g.rankSides(rows, side, nil)
		if !slices.Contains(side, -side[0]) { // one ranking is as good as two
			g.drawSides(side)
		}
		k, w, bias, err := g.divide(rows, side)
		if err != nil {
			return err
		}
		if k > 0 {
			left := g.f.split(at, w, bias)
			if err := g.split(left, rows[:k], depth+1); err != nil {
				return err
			}
			return g.split(left+1, rows[k:], depth+1)
		}
	}
	g.f.finish(at, g.leaf(rows))
	return nil
}

// divide learns the separator of a node and moves the rows of its left side to the front. It returns
// how many they are: 0 if no separator tells rows apart. One with all rows on a side is learned again
// with a larger weight of its loss: where rows are few, the norm of any w outweighs their losses.
func (g *grower) divide(rows []int32, side []float64) (int, []weight, float32, error) {
	for c := g.c.C; c <= 1024*g.c.C; c *= 4 {
		w, bias, err := g.separate(rows, side, c)
		for round := 1; round < g.c.Rounds && err == nil && g.moveSides(rows, side, w, bias); round++ {
			w, bias, err = g.separate(rows, side, c)
		}
		if err != nil {
			return 0, nil, 0, err
		}
		if k := g.partition(rows, w, bias); k > 0 && k < len(rows) {
			return k, w, bias, nil
		}
	}
	return 0, nil, 0, nil
}

// drawSides draws the sides that a node starts with.
func (g *grower) drawSides(side []float64) {
	for p := range side {
		side[p] = 1
		if g.r.Uint64()&1 == 0 {
			side[p] = -1
		}
	}
}

// moveSides moves rows to the sides that are best for the rankings and for w, and reports
// whether any side has changed.
func (g *grower) moveSides(rows []int32, side []float64, w []weight, bias float32) bool {
	margin := make([]float64, len(rows))
	g.products(rows, w, bias, func(p int, product float32) { margin[p] = float64(product) })
	before := slices.Clone(side)
	g.rankSides(rows, side, margin)
	return !slices.Equal(side, before)
}

// rankSides improves the sides of the rows by alternating between the best rankings for the
// sides and the best sides for the rankings. A margin w·x̃ of each row, if there is one,
// counts as the logistic loss of its side does. It returns the sums over the rows of nDCG,
// less the losses of the margins, after each round.
func (g *grower) rankSides(rows []int32, side, margin []float64) []float64 {
	const rounds, progress = 50, 1e-4
	var history []float64
	for range rounds {
		g.sums(rows, side)
		total := 0.0
		for p, i := range rows {
			label, _ := g.y.Row(int(i))
			var left, right float64
			for _, l := range label {
				left += g.rank[0].value[l]
				right += g.rank[1].value[l]
			}
			ideal := g.ideal[len(label)]
			if margin != nil {
				left = ideal*left - softplus(margin[p])
				right = ideal*right - softplus(-margin[p])
				ideal = 1
			}
			switch {
			case right > left:
				side[p] = 1
			case right < left:
				side[p] = -1
			}
			total += ideal * max(left, right)
		}
		history = append(history, total)
		if k := len(history); k > 1 && history[k-1]-history[k-2] <= progress*float64(len(rows)) {
			break
		}
	}
	for s := range g.rank {
		g.rank[s].clear()
	}
	return history
}

// sums makes g.rank the discounts of the labels by their places on each side.
func (g *grower) sums(rows []int32, side []float64) {
	for s := range g.rank {
		g.rank[s].clear()
	}
	for p, i := range rows {
		r := &g.rank[0]
		if side[p] > 0 {
			r = &g.rank[1]
		}
		label, _ := g.y.Row(int(i))
		ideal := g.ideal[len(label)]
		for _, l := range label {
			if r.value[l] == 0 {
				r.names = append(r.names, l)
			}
			r.value[l] += ideal
		}
	}
	for s := range g.rank {
		r := &g.rank[s]
		slices.SortFunc(r.names, func(a, b int32) int {
			return cmp.Or(cmp.Compare(r.value[b], r.value[a]), cmp.Compare(a, b))
		})
		for place, l := range r.names {
			r.value[l] = g.discount[place]
		}
	}
}

func (r *ranking) clear() {
	for _, l := range r.names {
		r.value[l] = 0
	}
	r.names = r.names[:0]
}

// partition moves the rows with w·x̃ ≤ 0 to the front, and returns how many there
// are. The order on each side stays.
func (g *grower) partition(rows []int32, w []weight, bias float32) int {
	var right []int32
	k := 0
	g.products(rows, w, bias, func(p int, product float32) {
		if i := rows[p]; product > 0 {
			right = append(right, i)
		} else {
			rows[k] = i
			k++
		}
	})
	copy(rows[k:], right)
	return k
}

// products calls f with w·x̃ of each of the rows.
func (g *grower) products(rows []int32, w []weight, bias float32, f func(p int, product float32)) {
	for p, i := range rows {
		col, val := g.x.Row(int(i))
		for q, j := range col {
			g.z[j] = entry(val, q)
		}
		f(p, dot(w, bias, g.z))
		for _, j := range col {
			g.z[j] = 0
		}
	}
}

// entry is a value of a CSR row, whose nil values stand for ones.
func entry(val []float64, q int) float32 {
	if val == nil {
		return 1
	}
	return float32(val[q])
}

// share is a label of a leaf with the part of the rows that have it.
type share struct {
	label int32
	value float32
}

// leaf returns the shares of the most frequent labels, labels ascending.
func (g *grower) leaf(rows []int32) []share {
	var top topk.List
	top.Reset(g.c.Keep)
	for _, i := range rows {
		label, _ := g.y.Row(int(i))
		for _, l := range label {
			g.count[l]++
		}
	}
	for _, i := range rows {
		label, _ := g.y.Row(int(i))
		for _, l := range label {
			if k := g.count[l]; k > 0 {
				top.Add(int(l), float64(k))
				g.count[l] = 0
			}
		}
	}
	var out []share
	for _, s := range top.Take(nil) {
		out = append(out, share{int32(s.Label), float32(s.Score / float64(len(rows)))})
	}
	slices.SortFunc(out, func(a, b share) int { return cmp.Compare(a.label, b.label) })
	return out
}
