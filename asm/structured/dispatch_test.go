package structured

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
	l := Lanes[F]()
	of := fmt.Sprintf(" %T", F(0))
	moves := []cpu.Level{cpu.AVX2, cpu.NEON} // Deal and Transpose do no arithmetic
	slice := func(n int) []F { return make([]F, n) }
	calls := []asmtest.Call{
		{Name: "Lanes" + of, Levels: []cpu.Level{}, Run: func() { Lanes[F]() }},
		{Name: "Split" + of, Run: func() {
			Split(slice(6*l), 2*l, slice(6*l), 2*l, slice(2*l), slice(2*l), slice(6*l), slice(6*l), 3, 2*l)
		}},
		{Name: "AddSub" + of, Run: func() { AddSub(slice(3*l), slice(3*l), slice(6*l), 3, l) }},
		{Name: "Deal" + of, Levels: moves, Run: func() { Deal(slice(l), slice(l), slice(2*l)) }},
		{Name: "Transpose" + of, Levels: moves, Run: func() { Transpose(slice(9*l), 9*l, slice(9*l), 9*l, 9, 1, l, 9) }},
	}
	// Three, two and one register of seeds, several rows at a time and one.
	for lanes := 1; lanes <= 6; lanes++ {
		for _, n := range []int{1, 4, 8} {
			s := lanes * l
			calls = append(calls, asmtest.Call{Name: fmt.Sprintf("Ranges%s of %d seeds and %d rows", of, s, n), Run: func() {
				Ranges(slice(2*n*s), []int{1, 0}, slice(n*10), 10, n, slice(10*s), s, 10, 5)
			}})
		}
	}
	return calls
}
