package bench

import (
	"fmt"

	"github.com/gramworks/gram/blas/batch"
	gblas "gonum.org/v1/gonum/blas"
)

// batchCases are many small matrices of one order: products, factors, inverses and eigenproblems. Flops of an eigenproblem are
// not counted, as the number of sweeps depends on the matrix. Factors take the place of matrices, which are copied there each time: a factor
// of a factor may have none.
func batchCases(quick bool) []Case {
	const count = 512
	orders := []int{2, 4, 8, 16, 32}
	if quick {
		orders = []int{8, 32}
	}
	var cases []Case
	add := func(kernel string, n, matrices int, flops float64, operands func(numbers []float64) work) {
		c := Case{
			Kernel: kernel, Type: "float64", N: n, Shape: fmt.Sprintf("%d of %dx%d", count, n, n),
			Flops: count * flops, bytes: float64(8 * count * matrices * n * n), memory: memUpdate, room: 8 * count * matrices * n * n,
			operands: func() work { return operands(definite(count, n)) },
		}
		if flops > 0 {
			c.op = opFMA
		}
		cases = append(cases, c)
	}
	for _, n := range orders {
		size := float64(n)
		add("batch_gemm", n, 3, 2*size*size*size, func(numbers []float64) work {
			a, b, c := batch.New(count, n, n), batch.New(count, n, n), batch.New(count, n, n)
			copy(a.Data, numbers)
			copy(b.Data, numbers)
			return work{Run: func(int) { batch.Mul(gblas.NoTrans, gblas.NoTrans, 1, a, b, 0, c) }}
		})
		add("batch_cholesky", n, 2, size*size*size/3, func(numbers []float64) work {
			a := batch.New(count, n, n)
			return work{Run: func(int) {
				copy(a.Data, numbers)
				succeed(batch.Cholesky(a))
			}}
		})
		add("batch_lu", n, 2, 2*size*size*size/3, func(numbers []float64) work {
			a, pivots, numbers := batch.New(count, n, n), make([]int, count*n), random[float64](len(numbers))
			return work{Run: func(int) {
				copy(a.Data, numbers)
				succeed(batch.LU(a, pivots))
			}}
		})
		add("batch_inverse", n, 2, 8*size*size*size/3, func(numbers []float64) work {
			a := batch.New(count, n, n)
			return work{Run: func(int) {
				copy(a.Data, numbers)
				succeed(batch.Inverse(a))
			}}
		})
		add("batch_eigen", n, 2, 0, func(numbers []float64) work {
			a, v := batch.New(count, n, n), batch.New(count, n, n)
			copy(a.Data, numbers)
			values := make([]float64, count*n)
			return work{Run: func(int) { succeed(batch.EigenSym(a, values, v)) }}
		})
	}
	return cases
}

// definite are the numbers of count symmetric matrices of order n whose diagonals dominate.
func definite(count, n int) []float64 {
	x := random[float64](count * n * n)
	for q := range count {
		a := x[q*n*n:][:n*n]
		for i := range n {
			for j := range i {
				a[i*n+j] = a[j*n+i]
			}
			a[i*n+i] = 8 * float64(n)
		}
	}
	return x
}

// succeed panics if a computation that cannot fail has failed.
func succeed(err error) {
	if err != nil {
		panic(err)
	}
}
