package level2

import (
	"fmt"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

func TestDispatch(t *testing.T) {
	calls := append(dispatchCalls(of64), dispatchCalls(of32)...)
	calls = append(calls, genericCalls[float64]()...)
	asmtest.Dispatch(t, levels, append(calls, genericCalls[float32]()...))
}

func dispatchCalls[F num.Float](f routines[F]) []asmtest.Call {
	const n = 100
	x, y, a := make([]F, n), make([]F, n), make([]F, n*n)
	width := fmt.Sprintf("%T", F(0))[len("float"):]
	none := []cpu.Level{}
	return []asmtest.Call{
		{Name: "Dot" + width, Run: func() { f.dot(x, y) }},
		{Name: "DotInc" + width + " by 1", Run: func() { f.dotInc(n, x, 1, y, 1) }},
		{Name: "DotInc" + width + " by 2", Levels: none, Run: func() { f.dotInc(n/2, x, 2, y, 2) }},
		{Name: "Axpy" + width, Run: func() { f.axpy(2, x, y) }},
		{Name: "AxpyInc" + width + " by 1", Run: func() { f.axpyInc(n, 2, x, 1, y, 1) }},
		{Name: "AxpyInc" + width + " by 2", Levels: none, Run: func() { f.axpyInc(n/2, 2, x, 2, y, 2) }},
		{Name: "Scale" + width, Run: func() { f.scale(2, x) }},
		{Name: "ScaleInc" + width + " by 1", Run: func() { f.scaleInc(n, 2, x, 1) }},
		{Name: "ScaleInc" + width + " by 2", Levels: none, Run: func() { f.scaleInc(n/2, 2, x, 2) }},
		{Name: "Ger" + width, Run: func() { f.ger(a, n, x, y, 2) }},
		{Name: "GemvN" + width, Run: func() { f.gemvN(y, a, n, x, 2) }},
		{Name: "GemvT" + width, Run: func() { f.gemvT(y, a, n, x, 2) }},
	}
}

func genericCalls[F num.Float]() []asmtest.Call {
	const n = 100
	x, y, a := make([]F, n), make([]F, n), make([]F, n*n)
	of := fmt.Sprintf(" %T", F(0))
	return []asmtest.Call{
		{Name: "Scale" + of, Run: func() { Scale(2, x) }},
		{Name: "Ger" + of, Run: func() { Ger(a, n, x, y, 2) }},
		{Name: "GemvN" + of, Run: func() { GemvN(y, a, n, x, 2) }},
		{Name: "GemvT" + of, Run: func() { GemvT(y, a, n, x, 2) }},
	}
}
