package bench

import (
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/haar"
)

// The orthonormal transform is measured: it is what other libraries compute.

func haarCases(quick bool) []Case {
	logs := []int{4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26}
	rows := [][2]int{{100_000, 64}, {100_000, 128}, {100_000, 256}, {100_000, 512}, {100_000, 1024}}
	if quick {
		logs = []int{6, 10, 16}
		rows = [][2]int{{256, 256}, {4096, 256}}
	}
	return slices.Concat(
		haarLengths[float64](logs), haarLengths[float32](logs),
		haarRows[float64](rows), haarRows[float32](rows),
		haarLevels[float64](logs), haarLevels[float32](logs))
}

// haarLevels go to five levels, or as many as there are, and back, for lengths that are three times a power of two.
func haarLevels[F gram.Float](logs []int) []Case {
	var cases []Case
	for _, k := range logs {
		n := 3 << k
		levels := min(k, 5)
		d := haar.NewDecomposition[F](n, levels, haar.Symmetric)
		cases = append(cases, Case{
			Kernel: "haar_levels", Type: typeName[F](), N: n, Shape: fmt.Sprint(n, " there and back"),
			Flops: float64(2 * (2*(n-n>>levels) + n)), op: opAdd, // sums and differences, and a product for each coefficient
			bytes: float64(4 * n * size[F]()), memory: memUpdate, room: 2 * n * size[F](),
			operands: func() work {
				x, y := random[F](n), make([]F, d.Len())
				return work{Run: func(int) {
					d.Forward(y, x)
					d.Inverse(x, y)
				}}
			},
		})
	}
	return cases
}

func haarLengths[F gram.Float](logs []int) []Case {
	var cases []Case
	for _, k := range logs {
		n := 1 << k
		cases = append(cases, Case{
			Kernel: "haar", Type: typeName[F](), N: n, Shape: fmt.Sprint(n),
			Flops: float64(3*n - 2), op: opAdd,
			bytes: float64(2 * n * size[F]()), memory: memUpdate, room: n * size[F](),
			operands: func() work {
				x, reset := restored(random[F](n))
				return work{Run: func(int) { haar.Orthonormal(x) }, Reset: reset}
			},
		})
	}
	return cases
}

func haarRows[F gram.Float](shapes [][2]int) []Case {
	var cases []Case
	for _, s := range shapes {
		n, d := s[0], s[1]
		cases = append(cases, Case{
			Kernel: "haar_rows", Type: typeName[F](), N: d, Shape: fmt.Sprintf("%d rows of %d", n, d),
			Flops: float64(n * (3*d - 2)), op: opAdd,
			bytes: float64(2 * n * d * size[F]()), memory: memUpdate, room: n * d * size[F](),
			shared: true,
			operands: func() work {
				x, reset := restored(random[F](n * d))
				r := gram.Rows[F]{Data: x, N: n, D: d, Stride: d}
				return work{Run: func(threads int) { haar.OrthonormalRows(r, threads) }, Reset: reset}
			},
		})
	}
	return cases
}
