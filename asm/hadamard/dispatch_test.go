package hadamard

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

// dispatchCalls lists the calls. Rows shorter than a vector of AVX-512 are
// left to AVX2.
func dispatchCalls[F num.Float]() []asmtest.Call {
	of := fmt.Sprintf(" %T", F(0))
	half := line[F]() / 2
	calls := []asmtest.Call{
		{Name: "Scale" + of, Run: func() { Scale(make([]F, 100), 2) }},
		{Name: "Product" + of, Run: func() { Product(make([]F, 100), make([]F, 100), make([]F, 100)) }},
		{Name: "Signed" + of + " of half a vector", Levels: []cpu.Level{cpu.AVX2, cpu.NEON}, Run: func() { Signed(make([]F, half), make([]F, half)) }},
		{Name: "Columns" + of, Run: func() { Columns(make([]F, 16*64), 16, 64, 0, 64) }},
		{Name: "Transform" + of + " of half a vector", Levels: []cpu.Level{cpu.AVX2, cpu.NEON}, Run: func() { Transform(make([]F, half)) }},
		{Name: "Rows" + of + " of half a vector", Levels: []cpu.Level{cpu.AVX2, cpu.NEON}, Run: func() { Rows(make([]F, 3*half), 3, half, half) }},
	}
	for k := line[F](); k <= 1<<15; k *= 2 {
		calls = append(calls,
			asmtest.Call{Name: fmt.Sprintf("Transform%s of %d", of, k), Long: k > 1<<10, Run: func() { Transform(make([]F, k)) }},
			asmtest.Call{Name: fmt.Sprintf("Rows%s of %d", of, k), Long: k > 1<<10, Run: func() { Rows(make([]F, 3*k), 3, k, k) }},
			asmtest.Call{Name: fmt.Sprintf("Signed%s of %d", of, k), Long: k > 1<<10, Run: func() { Signed(make([]F, k), make([]F, k)) }},
			asmtest.Call{Name: fmt.Sprintf("SignedRows%s of %d", of, k), Long: k > 1<<10, Run: func() { SignedRows(make([]F, 3*k), 3, k, k, make([]F, k), 0) }})
	}
	for _, m := range []int{12, 20, 28} {
		calls = append(calls, asmtest.Call{Name: fmt.Sprintf("Base%s of order %d", of, m), Run: func() { Base(make([]F, m*64), m, 64, 64) }})
	}
	for i, c := range calls {
		calls[i].Run = func() { bothForms(c.Run) }
	}
	return calls
}
