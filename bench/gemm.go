package bench

import (
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/blas"
	gblas "gonum.org/v1/gonum/blas"
)

func gemmCases(quick bool) []Case {
	// m×n×k: square ones, tall ones with a short sum, small ones.
	shapes := [][3]int{
		{32, 32, 32}, {64, 64, 64}, {128, 128, 128}, {256, 256, 256}, {500, 500, 500}, {1000, 1000, 1000}, {2000, 2000, 2000},
		{8192, 1024, 8}, {8192, 1024, 16}, {8192, 1024, 32}, {8192, 1024, 128}, {8192, 1024, 784}, {8192, 16, 256},
	}
	squares := [][2]int{{64, 64}, {256, 256}, {500, 500}, {1000, 1000}, {2000, 2000}, {512, 10_000}}
	if quick {
		shapes = [][3]int{{64, 64, 64}, {256, 256, 256}}
		squares = [][2]int{{64, 64}, {256, 256}}
	}
	return slices.Concat(
		products[float64](shapes), products[float32](shapes),
		symmetricProducts[float64](squares), symmetricProducts[float32](squares))
}

func products[F gram.Float](shapes [][3]int) []Case {
	var cases []Case
	for _, s := range shapes {
		m, n, k := s[0], s[1], s[2]
		elements := m*k + k*n + m*n
		cases = append(cases, Case{
			Kernel: "gemm", Type: typeName[F](), N: n, Shape: fmt.Sprintf("%dx%dx%d", m, n, k),
			Flops: 2 * float64(m) * float64(n) * float64(k), op: opFMA,
			bytes: float64(elements * size[F]()), memory: memRead, room: elements * size[F](),
			shared: true,
			operands: func() work {
				a, b, c := random[F](m*k), random[F](k*n), make([]F, m*n)
				return work{Run: func(threads int) {
					blas.SetThreads(threads)
					switch a := any(a).(type) {
					case []float64:
						blas.Current().Float64().Dgemm(gblas.NoTrans, gblas.NoTrans, m, n, k, 1, a, k, any(b).([]float64), n, 0, any(c).([]float64), n)
					case []float32:
						blas.Current().Float32().Sgemm(gblas.NoTrans, gblas.NoTrans, m, n, k, 1, a, k, any(b).([]float32), n, 0, any(c).([]float32), n)
					}
				}}
			},
		})
	}
	return cases
}

// symmetricProducts are C = A·Aᵀ, one triangle, for n×k matrices A.
func symmetricProducts[F gram.Float](shapes [][2]int) []Case {
	var cases []Case
	for _, s := range shapes {
		n, k := s[0], s[1]
		elements := n*k + n*(n+1)/2
		cases = append(cases, Case{
			Kernel: "syrk", Type: typeName[F](), N: n, Shape: fmt.Sprintf("%dx%d", n, k),
			Flops: float64(n) * float64(n+1) * float64(k), op: opFMA,
			bytes: float64(elements * size[F]()), memory: memRead, room: elements * size[F](),
			shared: true,
			operands: func() work {
				a, c := random[F](n*k), make([]F, n*n)
				return work{Run: func(threads int) {
					blas.SetThreads(threads)
					switch a := any(a).(type) {
					case []float64:
						blas.Current().Float64().Dsyrk(gblas.Upper, gblas.NoTrans, n, k, 1, a, k, 0, any(c).([]float64), n)
					case []float32:
						blas.Current().Float32().Ssyrk(gblas.Upper, gblas.NoTrans, n, k, 1, a, k, 0, any(c).([]float32), n)
					}
				}}
			},
		})
	}
	return cases
}
