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
		{Name: "Exp64", Run: func() { Exp64(x, y) }},
		{Name: "Exp32", Run: func() { Exp32(x32, y32) }},
		{Name: "ExpScale64", Run: func() { ExpScale64(x, y, 2) }},
		{Name: "ExpScale32", Run: func() { ExpScale32(x32, y32, 2) }},
		{Name: "ExpScale64 by 0", Levels: none, Run: func() { ExpScale64(x, y, 0) }},
		{Name: "ExpScale32 by 0", Levels: none, Run: func() { ExpScale32(x32, y32, 0) }},
		{Name: "Log64", Run: func() { Log64(x, y) }},
		{Name: "Log32", Run: func() { Log32(x32, y32) }},
		{Name: "SinCos64", Run: func() { SinCos64(x, y, z) }},
		{Name: "SinCos32", Run: func() { SinCos32(x32, y32, z32) }},
	})
}
