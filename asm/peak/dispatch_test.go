package peak

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
	x, y := make([]F, 2*Width[F]()), make([]F, 2*Width[F]())
	of := fmt.Sprintf(" %T", F(0))
	return []asmtest.Call{
		{Name: "Width" + of, Levels: []cpu.Level{}, Run: func() { _ = Width[F]() }},
		{Name: "FMA" + of, Run: func() { FMA(x, 1, 2, 3) }},
		{Name: "Add" + of, Run: func() { Add(x, 1, 3) }},
		{Name: "Mix" + of, Run: func() { Mix(x, 1, 2, 3) }},
		{Name: "Sum" + of, Run: func() { Sum(x) }},
		{Name: "Copy" + of, Run: func() { Copy(x, y) }},
		{Name: "Shift" + of, Run: func() { Shift(x, 1) }},
		{Name: "Fill" + of, Run: func() { Fill(x, 1) }},
		{Name: "Stream" + of, Run: func() { Stream(x, 1) }},
	}
}
