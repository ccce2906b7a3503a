package hadamard

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/tuning"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

// Every tuned size gives the bits of the definition.
func TestTuned(t *testing.T) {
	forEachForm(t, func(t *testing.T) {
		for _, sizes := range [][3]int{{8 << 10, 1, 1 << 20}, {64 << 10, 4, 1 << 20}, {1 << 18, 2, 1 << 30}, {32 << 10, 3, 2 << 20}} {
			v := *tuning.Current()
			v[tuning.HadamardLeaf], v[tuning.HadamardNear], v[tuning.HadamardLast] = sizes[0], sizes[1], sizes[2]
			restore := tuning.Set(v)
			checkTuned[float32](t)
			checkTuned[float64](t)
			restore()
		}
	})
}

func checkTuned[F num.Float](t *testing.T) {
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

// A larger leaf, which saves a pass, and passes over many rows beyond a second-level cache
// give the bits of the definition, whatever the caches are.
func TestCaches(t *testing.T) {
	defer func(before cpu.Info) { caches = before }(caches)
	forEachForm(t, func(t *testing.T) {
		for _, sizes := range [][2]int{{0, 0}, {32 << 10, 128 << 10}, {48 << 10, 256 << 10}, {128 << 10, 64 << 10}} {
			caches.L1D, caches.L2 = sizes[0], sizes[1]
			for k := 11; k < 18; k++ {
				testTransform[float32](t, k)
				testTransform[float64](t, k)
			}
		}
	})
}

func testTransform[F num.Float](t *testing.T, k int) {
	x := asmtest.Normal[F](rng.New(7, uint64(k)), 1<<k)
	want := slices.Clone(x)
	transformGeneric(want)
	Transform(x)
	same(t, "transform", x, want)
}
