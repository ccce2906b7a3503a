package symv

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
	a, x, y := make([]F, 4*n), make([]F, n), make([]F, n)
	return []asmtest.Call{{Name: fmt.Sprintf("Panel %T", F(0)), Run: func() { Panel(a, n, x, y, new([4]F)) }}}
}
