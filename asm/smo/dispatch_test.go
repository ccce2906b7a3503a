package smo

import (
	"fmt"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

func TestDispatch(t *testing.T) {
	asmtest.Dispatch(t, levels, append(dispatchCalls[float64](), dispatchCalls[float32]()...))
}

func dispatchCalls[F num.Float]() []asmtest.Call {
	const n = 50
	g, u, d, k := make([]float64, n), make([]float64, n), make([]float64, n), make([]F, n)
	of := fmt.Sprintf(" %T", F(0))
	return []asmtest.Call{
		{Name: "Step" + of, Run: func() { Step(g, u, d, k, k, 1, 2, new(Best), new(Best)) }},
		{Name: "Pair" + of, Run: func() { Pair(g, u, d, k, 1, 2, new(Best)) }},
	}
}
