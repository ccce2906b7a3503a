package kmeans

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// balanced assigns every row to a near center, but at most capacity rows to each center. In
// each round the remaining rows ask for the nearest center with room. A center that is asked
// by more rows than it has room for takes those that would lose most by their next choice.
func (p *points) balanced(ctx context.Context, e *mat.Dense, label []int, dist []float64, capacity int) error {
	k, _ := e.Dims()
	type wish struct {
		row, center  int
		best, second float64
	}
	room := make([]int, k)
	for c := range room {
		room[c] = capacity
	}
	left := make([]int, p.n)
	for i := range left {
		left[i] = i
		label[i] = -1
	}
	wishes := make([]wish, p.n)
	for len(left) > 0 {
		open := slices.Clone(room)
		err := p.products(ctx, e, func(i int, g, h []float64) {
			if label[i] >= 0 {
				return
			}
			w := wish{row: i, center: -1, best: math.Inf(1), second: math.Inf(1)}
			for c, v := range g {
				if open[c] == 0 {
					continue
				}
				switch t := h[c] - 2*v; {
				case t < w.best:
					w.second, w.best, w.center = w.best, t, c
				case t < w.second:
					w.second = t
				}
			}
			wishes[i] = w
		})
		if err != nil {
			return err
		}
		asked := make([]wish, 0, len(left))
		for _, i := range left {
			asked = append(asked, wishes[i])
		}
		slices.SortFunc(asked, func(a, b wish) int {
			la, lb := a.second-a.best, b.second-b.best
			switch {
			case la > lb:
				return -1
			case la < lb:
				return 1
			}
			return a.row - b.row
		})
		for _, w := range asked {
			if room[w.center] > 0 {
				room[w.center]--
				label[w.row] = w.center
				dist[w.row] = max(0, p.sq[w.row]+w.best)
			}
		}
		left = slices.DeleteFunc(left, func(i int) bool { return label[i] >= 0 })
	}
	return nil
}
