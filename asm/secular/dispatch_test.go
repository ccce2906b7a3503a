package secular

import (
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
)

func TestDispatch(t *testing.T) {
	const n = 50
	x, y, z, dst := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	asmtest.Dispatch(t, levels, []asmtest.Call{
		{Name: "Sums", Run: func() { Sums(new(Terms), x, y, 20, 1, 2) }},
		{Name: "Ratios", Run: func() { Ratios(x, y, z, 1) }},
		{Name: "Cauchy", Run: func() { Cauchy(dst, x, y, z, 1, 2) }},
	})
}
