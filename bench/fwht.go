package bench

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/fwht"
)

func fwhtCases(quick bool) []Case {
	logs := []int{4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26}
	rows := [][2]int{{100_000, 64}, {100_000, 128}, {100_000, 256}, {100_000, 512}, {100_000, 1024}}
	if quick {
		logs = []int{6, 10, 16}
		rows = [][2]int{{256, 256}, {4096, 256}}
	}
	return slices.Concat(
		fwhtLengths[float64](logs), fwhtLengths[float32](logs),
		fwhtRows[float64](rows), fwhtRows[float32](rows))
}

func fwhtLengths[F gram.Float](logs []int) []Case {
	var cases []Case
	for _, k := range logs {
		n := 1 << k
		cases = append(cases, Case{
			Kernel: "fwht", Type: typeName[F](), N: n, Shape: fmt.Sprint(n),
			Flops: float64(n * k), op: opAdd,
			bytes: float64(2 * n * size[F]()), memory: memUpdate, room: n * size[F](),
			operands: func() work {
				x, reset := restored(random[F](n))
				return work{Run: func(int) { fwht.Transform(x) }, Reset: reset}
			},
		})
	}
	return cases
}

func fwhtRows[F gram.Float](shapes [][2]int) []Case {
	var cases []Case
	for _, s := range shapes {
		n, d := s[0], s[1]
		cases = append(cases, Case{
			Kernel: "fwht_rows", Type: typeName[F](), N: d, Shape: fmt.Sprintf("%d rows of %d", n, d),
			Flops: float64(n * d * (bits.Len(uint(d)) - 1)), op: opAdd,
			bytes: float64(2 * n * d * size[F]()), memory: memUpdate, room: n * d * size[F](),
			shared: true,
			operands: func() work {
				x, reset := restored(random[F](n * d))
				r := gram.Rows[F]{Data: x, N: n, D: d, Stride: d}
				return work{Run: func(threads int) { fwht.TransformRows(r, threads) }, Reset: reset}
			},
		})
	}
	return cases
}
