package bench

import (
	"fmt"

	"github.com/gramworks/gram/eig"
	"gonum.org/v1/gonum/mat"
)

// eigCases are all eigenvalues and eigenvectors of D + ρzzᵀ. The eigenvectors
// must be written, which is the only work that is counted.
func eigCases(quick bool) []Case {
	orders := []int{16, 64, 256, 1024, 2048}
	if quick {
		orders = []int{64, 256}
	}
	var cases []Case
	for _, n := range orders {
		cases = append(cases, Case{
			Kernel: "eig_rankone", Type: "float64", N: n, Shape: fmt.Sprint(n),
			bytes: float64(8 * n * n), memory: memFill, room: 8 * n * n,
			operands: func() work {
				d, z := random[float64](2 * n)[:n], random[float64](2 * n)[n:]
				q := mat.NewDense(n, n, nil)
				return work{Run: func(int) {
					u, err := eig.RankOne(d, z, 1)
					if err != nil {
						panic("bench: " + err.Error())
					}
					u.VectorsTo(q)
				}}
			},
		})
	}
	return cases
}
