package gbdt

import "github.com/gramworks/gram/internal/par"

// sparseShare is the share of rows outside the commonest bin of a column up to
// which its histogram is summed over these rows alone.
const sparseShare = 0.5

// parts is the number of pieces in which n rows are summed, at most maxParts. It
// does not depend on the number of workers, so neither do the sums.
func (g *grower) parts(n int) int {
	values := int64(n) * int64(len(g.some.Bin)) / int64(max(1, g.t.N))
	return max(1, int(min(maxParts, values/int64(4*g.size+small))))
}

const maxParts = 8

// rare sums the histograms of sparse columns, row by row: their commonest bins
// hold what the others leave of the whole. It clears all of l.hist.
func (g *grower) rare(l *leaf, rows []int32, gathered []gradient) error {
	parts := g.parts(len(rows))
	hist, whole := make([][]sum, parts), make([]sum, parts)
	hist[0] = l.hist
	for p := range parts - 1 {
		hist[p+1] = g.buffer()
		defer g.release(hist[p+1])
	}
	err := par.Compute(g.ctx, g.c.NumWorkers(), parts, 1, func(lo, hi int) {
		for p := lo; p < hi; p++ {
			h := hist[p]
			clear(h)
			from, to := p*len(rows)/parts, (p+1)*len(rows)/parts
			var all sum
			for r, i := range rows[from:to] {
				v := gathered[from+r]
				all.put(v)
				for _, b := range g.some.Bin[g.some.Start[i]:g.some.Start[i+1]] {
					h[b].put(v)
				}
			}
			whole[p] = all
		}
	})
	if err != nil {
		return err
	}
	for _, s := range whole[1:] {
		whole[0].add(s)
	}
	for j, common := range g.some.Common {
		if common < 0 {
			continue
		}
		h := l.hist[g.some.First[j]:g.some.First[j+1]]
		left := whole[0]
		for b := range h {
			for _, other := range hist[1:] {
				h[b].add(other[g.some.First[j]+b])
			}
			left = left.minus(h[b])
		}
		if left.n == 0 {
			left = sum{} // not what rounding leaves
		}
		h[common-g.some.First[j]] = left
	}
	return nil
}
