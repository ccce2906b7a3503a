package chol

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
	const n = 64
	const alike = 512 // a stride of rows that lie alike on lines
	lanes := 64 / int(unsafe.Sizeof(F(0)))
	a, long, w, d, c := make([]F, n*n), make([]F, 4*(alike+1)), make([]F, alike), make([]F, n), make([]F, n)
	r := make([]Rotations[F], 3)
	of := fmt.Sprintf(" %T", F(0))
	narrow := []cpu.Level{cpu.AVX2, cpu.NEON} // see Levels in doc.go
	calls := []asmtest.Call{
		{Name: "Sweep" + of + " of nine rows", Run: func() { Sweep(a, 9, n, w[:n], d, c) }},
		{Name: "Sweep" + of + " of one row", Run: func() { Sweep(a, 1, n, w[:n], d, c) }},
	}
	for kind, name := range map[Kind]string{Update: " update", Downdate: " downdate", Solved: " solved"} {
		lower, panel, across, farther := levels, narrow, levels, levels
		least, fewer := 20*lanes, 32*lanes-1
		if kind != Downdate {
			least, fewer = 8*lanes, 8*lanes-1
			if lanes == 8 {
				across, farther = narrow, narrow
			}
		}
		if of == " float32" {
			lower = narrow
		} else if kind == Solved {
			panel = levels
		}
		calls = append(calls,
			asmtest.Call{Name: "Rotate" + of + name, Run: func() { Rotate(kind, long, alike, w[:least], &r[0]) }},
			asmtest.Call{Name: "Rotate" + of + name + " of few columns", Levels: narrow, Run: func() { Rotate(kind, long, alike, w[:least-1], &r[0]) }},
			asmtest.Call{Name: "Rotate" + of + name + " of rows across lines", Levels: across, Run: func() { Rotate(kind, long, alike+1, w[:32*lanes], &r[0]) }},
			asmtest.Call{Name: "Rotate" + of + name + " of few columns across lines", Levels: narrow, Run: func() { Rotate(kind, long, alike+1, w[:fewer], &r[0]) }},
			asmtest.Call{Name: "Rotate" + of + name + " of many columns", Levels: farther, Run: func() { Rotate(kind, long, alike, w[:32*lanes], &r[0]) }},
			asmtest.Call{Name: "RotateLower" + of + name, Levels: lower, Run: func() { RotateLower(kind, a, n, w[:n], &r[0]) }},
			asmtest.Call{Name: "RotatePanel" + of + name, Levels: panel, Run: func() { RotatePanel(kind, a, n, w[:PanelRows], r) }})
	}
	return calls
}
