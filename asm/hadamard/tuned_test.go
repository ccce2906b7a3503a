package hadamard

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/tuning"
	"github.com/gramworks/gram/num"
)

// Every tuned size gives the bits of the definition.
func TestTuned(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, sizes := range [][3]int{{8 << 10, 1, 1 << 20}, {64 << 10, 4, 1 << 20}, {1 << 18, 2, 1 << 30}, {32 << 10, 3, 2 << 20}} {
			v := *tuning.Current()
			v[tuning.HadamardLeaf], v[tuning.HadamardNear], v[tuning.HadamardLast] = sizes[0], sizes[1], sizes[2]
			restore := tuning.Set(v)
			testTuned[float32](t)
			testTuned[float64](t)
			restore()
		}
	})
}

func testTuned[F num.Float](t *testing.T) {
	if limits[F]().row == 0 {
		return // the definition itself
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, k := range []int{10, 12, 13, 18} {
		x, s := make([]F, 1<<k), make([]F, 1<<k)
		for i := range x {
			x[i], s[i] = F(r.NormFloat64()), F(1-2*r.IntN(2))
		}
		want, signed := slices.Clone(x), make([]F, len(x))
		productGeneric(signed, x, s)
		rows := slices.Clone(x)
		rowsGeneric(rows, 4, len(x)/4, len(x)/4)
		transformGeneric(want)
		transformGeneric(signed)

		got := slices.Clone(x)
		Transform(got)
		same(t, "transform", got, want)
		got = slices.Clone(x)
		Signed(got, s)
		same(t, "signed", got, signed)
		got = slices.Clone(x)
		Rows(got, 4, len(x)/4, len(x)/4)
		same(t, "rows", got, rows)
		Columns(got, 4, len(x)/4, 0, len(x)/4)
		same(t, "columns", got, want)
	}
}
