package level2

import (
	"fmt"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

func TestDispatch(t *testing.T) {
	asmtest.Dispatch(t, levels, append(dispatchCalls(of64), dispatchCalls(of32)...))
}

func dispatchCalls[F num.Float](f routines[F]) []asmtest.Call {
	const n = 100
	x, y, a := make([]F, n), make([]F, n), make([]F, n*n)
	of := fmt.Sprintf(" %T", F(0))
	return []asmtest.Call{
		{Name: "Dot" + of, Run: func() { f.dot(x, y) }},
		{Name: "Axpy" + of, Run: func() { f.axpy(2, x, y) }},
		{Name: "Scale" + of, Run: func() { f.scale(2, x) }},
		{Name: "Ger" + of, Run: func() { f.ger(a, n, x, y, 2) }},
		{Name: "GemvN" + of, Run: func() { f.gemvN(y, a, n, x, 2) }},
		{Name: "GemvT" + of, Run: func() { f.gemvT(y, a, n, x, 2) }},
		{Name: "Reflect" + of, Run: func() { Reflect(a[:n], a[n:2*n], a[2*n:3*n], 1, 2, 3) }},
		{Name: "Substitutes", Levels: []cpu.Level{}, Run: func() { Substitutes() }},
		{Name: "Substitute" + of, Run: func() { Substitute(a[:12*n], n, n, 1, a[12*n:], n, 1, (*[8]F)(x), false) }},
		{Name: "RotateRows" + of, Run: func() { RotateRows(a, n, n, x[:5], y[:5], true) }},
		{Name: "Symv" + of, Run: func() { Symv(y, a, n, x, false) }},
		{Name: "Symv4" + of, Run: func() { Symv4(a, n, x, y, (*[4]F)(x)) }},
	}
}
