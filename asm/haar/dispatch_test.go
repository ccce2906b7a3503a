package haar

import (
	"fmt"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

func TestDispatch(t *testing.T) {
	calls := append(dispatchCalls("Forward", 4, Forward[float64]), dispatchCalls("Forward", 8, Forward[float32])...)
	calls = append(calls, dispatchCalls("Backward", 4, Backward[float64])...)
	calls = append(calls, dispatchCalls("Backward", 8, Backward[float32])...)
	calls = append(calls, dispatchCalls("Short", 4, shortRows[float64])...)
	calls = append(calls, dispatchCalls("Short", 8, shortRows[float32])...)
	x32, x64 := make([]float32, 256), make([]float64, 256)
	asmtest.Dispatch(t, levels, append(calls,
		asmtest.Call{Name: "Split of float32", Run: func() { Split(x32[128:192], x32[192:], x32[:128], 1) }},
		asmtest.Call{Name: "Split of float64", Run: func() { Split(x64[128:192], x64[192:], x64[:128], 1) }},
		asmtest.Call{Name: "Join of float32", Run: func() { Join(x32[:128], x32[128:192], x32[192:], 1) }},
		asmtest.Call{Name: "Join of float64", Run: func() { Join(x64[:128], x64[128:192], x64[192:], 1) }},
		asmtest.Call{Name: "Split3 of float32", Run: func() { Split3(x32[128:192], x32[192:], x32[224:], x32[240:], x32[:128], new([3]float32)) }},
		asmtest.Call{Name: "Split3 of float64", Run: func() { Split3(x64[128:192], x64[192:], x64[224:], x64[240:], x64[:128], new([3]float64)) }},
		asmtest.Call{Name: "Join3 of float32", Run: func() { Join3(x32[:128], x32[128:192], x32[192:], x32[224:], x32[240:], new([3]float32)) }},
		asmtest.Call{Name: "Join3 of float64", Run: func() { Join3(x64[:128], x64[128:192], x64[192:], x64[224:], x64[240:], new([3]float64)) }},
		asmtest.Call{Name: "Whole3", Levels: []cpu.Level{}, Run: func() { _ = Whole3(8) }},
		asmtest.Call{Name: "LevelFactor", Levels: []cpu.Level{}, Run: func() { _ = LevelFactor(Ones, 1) }},
		asmtest.Call{Name: "Scratch", Levels: []cpu.Level{}, Run: func() { _ = Scratch(8) }}))
}

// shortRows is Short with the arguments of Forward.
func shortRows[F num.Float](dst []F, _ int, _ []F, _, _, d int, s Scaling, _ []F) {
	Short(dst[:min(d, MaxShort)], s, false)
}

// dispatchCalls lists the calls. AVX2 leaves rows of less than one vector to Go, and
// H itself takes no multiplications.
func dispatchCalls[F num.Float](name string, vector int, f func(dst []F, ds int, src []F, ss, n, d int, s Scaling, scratch []F)) []asmtest.Call {
	var calls []asmtest.Call
	for _, s := range []Scaling{Ones, Orthonormal, Inverse} {
		for _, d := range []int{vector / 2, vector, 64, longRow, 4 * longRow} {
			c := asmtest.Call{Name: fmt.Sprintf("%s of %d with scaling %d", name, d, s), Run: func() {
				f(make([]F, 3*d), d, make([]F, 3*d), d, 3, d, s, make([]F, Scratch(d)))
			}}
			if s == Ones {
				c.Without = "Scaled"
			}
			c.Long = d > longRow || d == longRow && s != Orthonormal
			if d < vector {
				c.Levels = []cpu.Level{cpu.AVX512, cpu.NEON}
			}
			calls = append(calls, c)
		}
	}
	return calls
}
