package bench

import (
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/vec"
	public "github.com/gramworks/gram/vec"
)

func vecCases(quick bool) []Case {
	lengths := []int{64, 2048, 1 << 14, 1 << 17, 1 << 20, 1 << 23}
	if quick {
		lengths = []int{2048, 1 << 17}
	}
	return slices.Concat(
		elementwise(lengths, "exp", 1, func(dst, _, x []float64) { vec.Exp(dst, x) }, func(x float64) float64 { return -5 + 5*x }),
		elementwise(lengths, "exp", 1, func(dst, _, x []float32) { vec.Exp(dst, x) }, func(x float32) float32 { return -5 + 5*x }),
		elementwise(lengths, "log", 1, func(dst, _, x []float64) { vec.Log(dst, x) }, func(x float64) float64 { return x*x + 1e-3 }),
		elementwise(lengths, "log", 1, func(dst, _, x []float32) { vec.Log(dst, x) }, func(x float32) float32 { return x*x + 1e-3 }),
		elementwise(lengths, "sincos", 2, func(dst, second, x []float64) { vec.SinCos(dst, second, x) }, func(x float64) float64 { return 10 * x }),
		elementwise(lengths, "sincos", 2, func(dst, second, x []float32) { vec.SinCos(dst, second, x) }, func(x float32) float32 { return 10 * x }),
		bytewise(lengths[:min(4, len(lengths))], "dot_int8", public.DotInt8),
		bytewise(lengths[:min(4, len(lengths))], "distance_int8", public.SquaredDistanceInt8),
	)
}

// bytewise are functions of two vectors of numbers of 8 bits.
func bytewise[R any](lengths []int, name string, f func(x, y []int8) R) []Case {
	var cases []Case
	for _, n := range lengths {
		cases = append(cases, Case{
			Kernel: name, Type: "int8", N: n, Shape: fmt.Sprint(n),
			bytes: float64(2 * n), memory: memRead, room: 2 * n,
			operands: func() work {
				x, y := make([]int8, n), make([]int8, n)
				for i, v := range random[float64](n) {
					x[i], y[n-1-i] = int8(20*v), int8(15*v)
				}
				return work{Run: func(int) { f(x, y) }}
			},
		})
	}
	return cases
}

// elementwise are functions of one argument with a number of results each;
// spread makes arguments of normal values.
func elementwise[F gram.Float](lengths []int, name string, results int, f func(dst, second, x []F), spread func(F) F) []Case {
	var cases []Case
	for _, n := range lengths {
		bytes := (1 + results) * n * size[F]()
		cases = append(cases, Case{
			Kernel: name, Type: typeName[F](), N: n, Shape: fmt.Sprint(n),
			bytes: float64(bytes), memory: memCopy, room: bytes,
			operands: func() work {
				x, dst := random[F](n), make([]F, n)
				for i, v := range x {
					x[i] = spread(v)
				}
				var second []F
				if results > 1 {
					second = make([]F, n)
				}
				return work{Run: func(int) { f(dst, second, x) }}
			},
		})
	}
	return cases
}
