package bench

import (
	"fmt"

	"github.com/gramworks/gram/blas"
	"gonum.org/v1/gonum/lapack"
)

// qrCases returns QR factorizations of square and tall matrices without and with column pivoting. Flops are those of the
// factorization: the choice of pivots counts for nothing.
func qrCases(quick bool) []Case {
	shapes := [][2]int{{100, 100}, {200, 200}, {500, 500}, {1000, 1000}, {10_000, 100}, {4000, 500}}
	if quick {
		shapes = [][2]int{{200, 200}, {2000, 100}}
	}
	var cases []Case
	for _, s := range shapes {
		m, n := s[0], s[1]
		add := func(kernel string, factor func(l lapack.Float64, a, tau, work []float64, jpvt []int)) {
			cases = append(cases, Case{
				Kernel: kernel, Type: "float64", N: n, Shape: fmt.Sprintf("%dx%d", m, n),
				Flops: 2*float64(m)*float64(n)*float64(n) - 2./3*float64(n)*float64(n)*float64(n), op: opFMA,
				bytes: float64(8 * 2 * m * n), memory: memUpdate, room: 8 * m * n, shared: true,
				operands: func() work {
					a, reset := restored(random[float64](m * n))
					tau, space, jpvt := make([]float64, n), make([]float64, 2*n+64*(n+1)), make([]int, n)
					return work{Run: func(threads int) {
						blas.SetThreads(threads)
						for j := range jpvt {
							jpvt[j] = -1
						}
						factor(blas.Current().Lapack(), a, tau, space, jpvt)
					}, Reset: reset}
				},
			})
		}
		add("qr", func(l lapack.Float64, a, tau, work []float64, jpvt []int) {
			l.Dgeqrf(m, n, a, n, tau, work, len(work))
		})
		add("qr_pivoted", func(l lapack.Float64, a, tau, work []float64, jpvt []int) {
			l.Dgeqp3(m, n, a, n, jpvt, tau, work, len(work))
		})
	}
	return cases
}
