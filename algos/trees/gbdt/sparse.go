package gbdt

import "github.com/gramworks/gram/internal/par"

// sparseShare is the share of rows outside the commonest bin of a column up to
// which its histogram is summed over these rows alone.
const sparseShare = 0.5

// parts is the number of pieces in which n rows are summed, at most maxParts. It
// does not depend on the number of workers, so neither do the sums.
func (g *grower) parts(n int) int {
	values := int64(n) * int64(len(g.some.Bin)) / int64(max(1, g.t.N))
	return max(1, int(min(maxParts, values/int64(4*g.size+partValues))))
}

const (
	maxParts   = 8
	partValues = 1 << 15 // of a part, at least
)

// sparseTogether is the number of sparse columns that a goroutine completes at a time.
const sparseTogether = 16

// rare returns the phase that sums the histograms of sparse columns, row by row, in parts. Then join
// adds the parts of a column: its commonest bin holds what the others leave of the whole. The phase
// clears all of l.hist. done gives the room back.
func (g *grower) rare(l *leaf, rows []int32, gathered []gradient) (phase par.Phase, join func(j int32), done func()) {
	parts := g.parts(len(rows))
	hist, whole := make([][]sum, parts), make([]sum, parts)
	hist[0] = l.hist
	for p := range parts - 1 {
		hist[p+1] = g.buffer()
	}
	phase = par.Phase{N: parts, Body: func(lo, hi int) {
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
	}}
	join = func(j int32) {
		first := g.some.First[j]
		h := g.of(l.hist, j)
		var left sum
		for _, s := range whole {
			left.add(s)
		}
		for b := range h {
			for _, other := range hist[1:] {
				h[b].add(other[first+b])
			}
			left = left.minus(h[b])
		}
		if left.n == 0 {
			left = sum{} // not what rounding leaves
		}
		h[g.some.Common[j]-first] = left
	}
	done = func() {
		for _, h := range hist[1:] {
			g.release(h)
		}
	}
	return phase, join, done
}
