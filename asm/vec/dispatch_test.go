package vec

import (
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
)

func TestDispatch(t *testing.T) {
	const n = 50
	x, y, z := make([]float64, n), make([]float64, n), make([]float64, n)
	x32, y32, z32 := make([]float32, n), make([]float32, n), make([]float32, n)
	none := []cpu.Level{}
	asmtest.Dispatch(t, levels, []asmtest.Call{
		{Name: "Exp float64", Run: func() { Exp(x, y) }},
		{Name: "Exp float32", Run: func() { Exp(x32, y32) }},
		{Name: "ExpScale float64", Run: func() { ExpScale(x, y, 2) }},
		{Name: "ExpScale float32", Run: func() { ExpScale(x32, y32, 2) }},
		{Name: "ExpScale float64 by 0", Levels: none, Run: func() { ExpScale(x, y, 0) }},
		{Name: "ExpScale float32 by 0", Levels: none, Run: func() { ExpScale(x32, y32, 0) }},
		{Name: "FactorOf", Levels: none, Run: func() { FactorOf(1.0) }},
		{Name: "Takes", Levels: none, Run: func() { Takes(1.0) }},
		{Name: "Log float64", Run: func() { Log(x, y) }},
		{Name: "Log float32", Run: func() { Log(x32, y32) }},
		{Name: "SameExp", Levels: []cpu.Level{cpu.AVX2, cpu.NEON}, Run: func() { SameExp(x, y) }},
		{Name: "SameLog", Levels: []cpu.Level{cpu.AVX2, cpu.NEON}, Run: func() { SameLog(x, y) }},
		{Name: "SinCos float64", Run: func() { SinCos(x, y, z) }},
		{Name: "SinCos float32", Run: func() { SinCos(x32, y32, z32) }},
	})
}
