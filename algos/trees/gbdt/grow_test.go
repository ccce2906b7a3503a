package gbdt

import (
	"context"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/bins"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// The rows of a leaf keep their order on each side of a split, for leaves of several blocks and any number of
// goroutines.
func TestMove(t *testing.T) {
	const before, n = 7, 2*grain + 100
	r := rng.New(6, 0)
	x := mat.NewDense(before+n, 1, nil)
	for i := range before + n {
		x.Set(i, 0, float64(r.IntN(9)))
	}
	table := must.Have(bins.Make(context.Background(), 1, gram.Of(x), 32, 1, nil))(t)
	c := must.Have(settings.Resolved(Config{}, gram.Shape{Outputs: 1}))(t)
	g := must.Have(newGrower(context.Background(), c, table, squaredLoss{}, nil))(t)
	var order []int32
	for _, i := range r.Perm(before + n) {
		order = append(order, int32(i))
	}
	for _, rows := range []int{0, 1, 50, grain, grain + 1, n} {
		for bin := range 9 {
			for _, goes := range [][]bool{nil, {true, false, false, true, true, false, true, false, true}} {
				var sides [2][]int32
				for _, i := range order[before : before+rows] {
					b := int(table.Narrow[0][i])
					if goes == nil && b <= bin || goes != nil && goes[b] {
						sides[0] = append(sides[0], i)
					} else {
						sides[1] = append(sides[1], i)
					}
				}
				parent := &leaf{lo: before, hi: before + rows, best: candidate{bin: int32(bin)}, goes: goes}
				parent.sides[0] = &leaf{lo: before, hi: before + len(sides[0])}
				for workers := 1; workers <= 3; workers++ {
					g.rows = slices.Clone(order)
					par.Phases(workers, g.move(workers, parent)...)
					if want := slices.Concat(order[:before], sides[0], sides[1], order[before+rows:]); !slices.Equal(g.rows, want) {
						t.Fatalf("%d rows, bin %d, %d workers: not the rows of the left child, then of the right one, in their order", rows, bin, workers)
					}
				}
			}
		}
	}
}
