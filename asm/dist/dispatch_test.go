package dist

import (
	"fmt"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

func TestDispatch(t *testing.T) {
	calls := append(dispatchCalls("Squared64", 4, Squared64), dispatchCalls("Squared32", 8, Squared32)...)
	calls = append(calls, dispatchCalls("Abs64", 4, Abs64)...)
	asmtest.Dispatch(t, levels, append(calls, dispatchCalls("Abs32", 8, Abs32)...))
}

// dispatchCalls knows that rows of at most narrow elements are left to AVX2.
func dispatchCalls[F num.Float](name string, narrow int, f func(dst, x, z []F, ld int)) []asmtest.Call {
	var calls []asmtest.Call
	for _, d := range []int{1, narrow, narrow + 1, 100, maxColumns + narrow + 1} {
		c := asmtest.Call{Name: fmt.Sprintf("%s of %d", name, d), Run: func() { f(make([]F, 9), make([]F, d), make([]F, 9*d), d) }}
		if d <= narrow {
			c.Levels = []cpu.Level{cpu.AVX2, cpu.NEON}
		}
		calls = append(calls, c)
	}
	return calls
}
