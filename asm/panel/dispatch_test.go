package panel

import (
	"fmt"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

func TestDispatch(t *testing.T) {
	asmtest.Dispatch(t, levels, append(dispatchCalls[float64](), dispatchCalls[float32]()...))
}

func dispatchCalls[F num.Float]() []asmtest.Call {
	const d, panels, rows, power = 300, 2, 7, 3
	cols := panels * Cols[F]()
	dst, x, z := make([]F, Rows*cols), make([]F, Rows*d), make([]F, d*cols)
	val, at := make([]F, 5), []int32{0, 3, 70, 140, 299}
	of := fmt.Sprintf(" %T", F(0))
	calls := []asmtest.Call{
		{Name: "Cols" + of, Levels: []cpu.Level{}, Run: func() { Cols[F]() }},
		{Name: "Chunk" + of, Levels: []cpu.Level{}, Run: func() { Chunk[F]() }},
		{Name: "SparseDot" + of, Run: func() { SparseDot(dst, z, d, panels, val, at, at) }},
		{Name: "SparseAxpy" + of, Levels: []cpu.Level{cpu.AVX2, cpu.NEON}, Run: func() { SparseAxpy(dst, 2, val, at, 0) }},
		{Name: "Gauss" + of, Run: func() { Gauss(dst, cols, z, cols, x[:rows], z[:cols], rows, cols, 1, false) }},
		{Name: "Gauss past the caches" + of, Run: func() { Gauss(dst, cols, z, cols, x[:rows], z[:cols], rows, cols, 1, true) }},
		{Name: "Exp past the caches" + of, Run: func() { Exp(dst, cols, z, cols, rows, cols, 1, true) }},
		{Name: "Exp" + of, Run: func() { Exp(dst, cols, z, cols, rows, cols, 1, false) }},
		{Name: "Distance" + of, Run: func() { Distance(dst, cols, z, cols, x[:rows], z[:cols], rows, cols) }},
		{Name: "Power" + of, Run: func() { Power(dst, cols, z, cols, rows, cols, 1, power) }},
		{Name: "GaussSums" + of, Run: func() {
			GaussSums(make([]F, rows), make([]F, cols), z, cols, x[:rows], dst[:cols], x[:cols], x[:rows], rows, cols, 1)
		}},
		{Name: "RowSums" + of, Run: func() { RowSums(dst[:rows], z, cols, x[:cols], rows, cols) }},
		{Name: "ColSums" + of, Run: func() { ColSums(dst[:cols], z, cols, x[:rows], rows, cols) }},
	}
	for _, width := range []int{Rows, Cols[F]()} {
		calls = append(calls, asmtest.Call{Name: fmt.Sprintf("Norms%s of %d", of, width), Run: func() { Norms(dst, z, width, d) }})
	}
	for _, op := range []Op{Dot, Squares, Absolute} {
		for _, n := range []int{4, Rows} {
			calls = append(calls, asmtest.Call{Name: fmt.Sprintf("Sums%s, sum %d of %d rows", of, op, n), Run: func() { Sums(dst, cols, x, z, d, n, panels, op) }})
		}
	}
	return calls
}
