package gemm

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

func TestDispatch(t *testing.T) {
	asmtest.Dispatch(t, levels, append(dispatchCalls[float64](), dispatchCalls[float32]()...))
}

func dispatchCalls[F num.Float]() []asmtest.Call {
	const k = 20
	a, b, c := make([]F, k*MaxRows), make([]F, k*MaxCols), make([]F, MaxRows*MaxCols)
	of := fmt.Sprintf(" %T", F(0))
	none, packing, all := []cpu.Level{}, []cpu.Level{cpu.AVX2, cpu.NEON}, []cpu.Level{cpu.AVX2, cpu.AVX512, cpu.NEON}
	transposed := []cpu.Level{}
	if unsafe.Sizeof(F(0)) == 8 {
		transposed = []cpu.Level{cpu.AVX512, cpu.NEON}
	}
	return []asmtest.Call{
		{Name: "K" + of, Levels: none, Run: func() { K[F]() }},
		{Name: "Shape" + of, Levels: none, Run: func() { Shape[F]() }},
		{Name: "Edges" + of, Levels: none, Run: func() { Edges[F]() }},
		{Name: "PackedLen", Levels: none, Run: func() { _ = PackedLen(1, 2, 3) }},
		{Name: "Tile" + of, Run: func() {
			mr, nr := Shape[F]()
			Tile(k, a, 1, mr, b, nr, c, nr, mr, nr, 1, 0)
		}},
		{Name: "Tile" + of + " of one element", Run: func() {
			mr, nr := Shape[F]()
			Tile(k, a, 1, mr, b, nr, c, nr, 1, 1, 1, 1)
		}},
		{Name: "TileNext" + of, Run: func() {
			mr, nr := Shape[F]()
			TileNext(k, a, 1, mr, b, nr, c, nr, mr, nr, 3, 1, 0)
		}},
		{Name: "Tiles" + of, Run: func() {
			mr, nr := Shape[F]()
			Tiles(k, a, 1, mr, b, nr, c, nr, mr, nr, 1, 0)
		}},
		{Name: "Few" + of, Levels: all, Run: func() { Few(k, a, 1, 5, b, 16, c, 16, 5, 1, 1, 1) }},
		{Name: "Few" + of + " of two vectors", Levels: all, Run: func() {
			n := 128 / int(unsafe.Sizeof(F(0)))
			Few(3, a, 1, 3, b, n, c, n, 3, n, 1, 1)
		}},
		{Name: "FewTransposedAt" + of, Levels: transposed, Run: func() { FewTransposedAt(3, &a[0], 1, 3, &b[0], 3, &c[0], 8, 3, 8, 1, 1) }},
		{Name: "FewTransposedAt" + of + " of two vectors", Levels: transposed, Run: func() { FewTransposedAt(3, &a[0], 1, 3, &b[0], 3, &c[0], 9, 3, 9, 1, 1) }},
		{Name: "FewAt" + of, Levels: all, Run: func() { FewAt(k, &a[0], 1, 5, &b[0], 3, &c[0], 3, 5, 3, 1, 1) }},
		{Name: "Many" + of, Levels: all, Run: func() { Many(2, 3, a, 3, 1, 9, b, 16, 48, c, 16, 48, 3, 16, 1, 1) }},
		{Name: "Many" + of + " of part of a vector", Levels: all, Run: func() { Many(2, 3, a, 3, 1, 9, b, 3, 9, c, 3, 9, 3, 3, 1, 1) }},
		{Name: "Many" + of + " of a vector of AVX2", Levels: []cpu.Level{cpu.AVX2, cpu.NEON}, Run: func() {
			w := 32 / int(unsafe.Sizeof(F(0)))
			Many(2, 3, a, 3, 1, 9, b, w, 3*w, c, w, 3*w, 3, w, 1, 1)
		}},
		{Name: "Many" + of + " of one column", Run: func() { Many(2, 3, a, 3, 1, 9, b, 1, 3, c, 1, 3, 3, 1, 1, 1) }},
		{Name: "Many" + of + " of two columns", Run: func() { Many(2, 3, a, 3, 1, 9, b, 2, 6, c, 2, 6, 3, 2, 1, 1) }},
		{Name: "Many" + of + " of three columns", Run: func() { Many(2, 3, a, 3, 1, 9, b, 3, 9, c, 3, 9, 3, 3, 1, 1) }},
		{Name: "Many" + of + " of a vector and one column", Run: func() {
			n := 16/int(unsafe.Sizeof(F(0))) + 1
			Many(2, 3, a, 3, 1, 9, b, n, 3*n, c, n, 3*n, 3, n, 1, 1)
		}},
		{Name: "Many" + of + " of a vector of NEON", Levels: []cpu.Level{cpu.AVX2, cpu.AVX512, cpu.NEON}, Run: func() {
			w := 16 / int(unsafe.Sizeof(F(0)))
			Many(2, 3, a, 3, 1, 9, b, w, 3*w, c, w, 3*w, 3, w, 1, 1)
		}},
		{Name: "Many" + of + " of three vectors of NEON", Run: func() {
			n := 48 / int(unsafe.Sizeof(F(0)))
			Many(2, 3, a, 3, 1, 9, b, n, 3*n, c, n, 3*n, 3, n, 1, 1)
		}},
		{Name: "Pack" + of + " of rows", Levels: packing, Run: func() { Pack(a, b, 1, 8, 8, k, 8) }},
		{Name: "Pack" + of + " of columns", Levels: packing, Run: func() { Pack(a, b, k, 1, 8, k, 8) }},
		{Name: "Transpose" + of, Levels: packing, Run: func() { Transpose(a, 8, b, k, 8, k) }},
		{Name: "Pack" + of + " of a panel that is not full", Levels: none, Run: func() { Pack(a, b, 1, 8, 7, k, 8) }},
	}
}
