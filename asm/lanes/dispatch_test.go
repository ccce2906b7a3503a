package lanes

import (
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
)

func TestDispatch(t *testing.T) {
	x, y, z := make([]float64, 10*Width), make([]float64, 10*Width), make([]float64, 10*Width)
	asmtest.Dispatch(t, levels, []asmtest.Call{
		{Name: "Reduce", Run: func() { Reduce(x, y, 1, z, 5, 2, 5, nil) }},
		{Name: "Angle", Run: func() { Angle(x, x[Width:], x[2*Width:], z) }},
		{Name: "Eliminate", Run: func() { Eliminate(3, x, 3) }},
		{Name: "Largest", Run: func() { Largest(3, x, 3, make([]int, Width)) }},
		{Name: "Turn", Run: func() { Turn(5, x, 1, y, 1, z) }},
	})
}
