package bins

import "math"

// finder finds the bins of the numbers of a column: how many of its cuts are less than a number.
//
// Where there are more than a few cuts, a grid of cells of equal width from the first cut to the last one says how many cuts are in the cells before
// that of the number, and the cuts of its cell are compared with it. The cell is computed by operations that never
// decrease when the number rises, for numbers and for cuts: cuts in cells before that of the number are less than it, and those in
// cells behind are not, however the operations are rounded.
type finder struct {
	cuts         []float64 // with a grid, crowd infinite ones are behind them
	first, scale float64
	before       []uint8 // the number of cuts in the cells before a cell; nil: there is no grid
}

const (
	gridCells  = 1024
	crowd      = 4   // cuts of a cell at most
	fewestCuts = 8   // smallest number of cuts for which a grid pays
	mostCuts   = 255 // largest number of cuts that a byte can count
)

// newFinder returns a finder. It has no grid if a cell would be crowded: the columns' values then differ by orders of magnitude.
func newFinder(cuts []float64) finder {
	plain := finder{cuts: cuts}
	n := len(cuts)
	if n < fewestCuts || n > mostCuts {
		return plain
	}
	f := finder{first: cuts[0], scale: (gridCells - 1) / (cuts[n-1] - cuts[0])}
	if !(f.scale > 0) || math.IsInf(f.scale, 0) {
		return plain
	}
	var count [gridCells + 1]uint8 // behind each cell
	for _, c := range cuts {
		at := f.cell(c) + 1
		if count[at]++; count[at] > crowd {
			return plain
		}
	}
	for i := range gridCells {
		count[i+1] += count[i]
	}
	f.before = count[:gridCells]
	f.cuts = append(make([]float64, 0, n+crowd), cuts...)
	for range crowd {
		f.cuts = append(f.cuts, math.Inf(1))
	}
	return f
}

// cell returns the cell of the grid that v lies in; numbers before the grid are in the first cell, and those behind it in the
// last.
func (f *finder) cell(v float64) int {
	at := (v - f.first) * f.scale
	if at >= gridCells-1 {
		return gridCells - 1
	}
	if at > 0 {
		return int(at)
	}
	return 0
}

// bin returns the number of cuts that are less than v.
func (f *finder) bin(v float64) int {
	if f.before == nil {
		return countBelow(f.cuts, v)
	}
	at := int(f.before[f.cell(v)])
	c := (*[crowd]float64)(f.cuts[at:])
	n := at
	if c[0] < v {
		n++
	}
	if c[1] < v {
		n++
	}
	if c[2] < v {
		n++
	}
	if c[3] < v {
		n++
	}
	return n
}

// countBelow returns the number of ascending cuts that are less than v, by a search without branches that depend on v.
func countBelow(cuts []float64, v float64) int {
	at, n := 0, len(cuts)
	if n == 0 {
		return 0
	}
	for n > 1 {
		half := n / 2
		next := at + half
		if cuts[next-1] < v {
			at = next
		}
		n -= half
	}
	if cuts[at] < v {
		at++
	}
	return at
}
