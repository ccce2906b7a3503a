package bench

import (
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

func gaussCases(quick bool) []Case {
	// n×m kernel values of rows of length d
	shapes := [][3]int{{8192, 1024, 8}, {8192, 1024, 16}, {8192, 1024, 54}, {8192, 1024, 128}, {8192, 1024, 784}}
	short := [][3]int{{4096, 512, 16}, {4096, 512, 128}}
	if quick {
		shapes = [][3]int{{1024, 512, 16}, {1024, 256, 128}}
		short = [][3]int{{512, 512, 16}}
	}
	return slices.Concat(
		blocks[float64]("gauss_block", opFMA, shapes), blocks[float32]("gauss_block", opFMA, shapes),
		blockProducts[float64](shapes), blockProducts[float32](shapes),
		blocks[float64]("laplace_block", opAdd, short), blocks[float32]("laplace_block", opAdd, short))
}

// blocks returns cases that compute K(X,Z) and store it. Flops are those of the inner products or of the
// differences and their sums; the function on top is not counted.
func blocks[F gram.Float](name string, op operation, shapes [][3]int) []Case {
	var cases []Case
	for _, s := range shapes {
		n, m, d := s[0], s[1], s[2]
		cases = append(cases, Case{
			Kernel: name, Type: typeName[F](), N: n, Shape: fmt.Sprintf("%dx%d, d=%d", n, m, d),
			Flops: 2 * float64(n) * float64(m) * float64(d), op: op,
			bytes: float64(n * m * size[F]()), memory: memFill, room: n * m * size[F](),
			shared: true,
			operands: func() work {
				block, x := operands[F](op, n, m, d)
				dst := gram.MakeRows[F](n, m)
				return work{Run: func(threads int) { block.Limit(threads).Fill(dst, gram.Dense(x)) }}
			},
		})
	}
	return cases
}

// blockProducts returns cases that compute K(X,Z)·v for one vector v, without storing K. Flops are those of the inner products and
// of the sums with v.
func blockProducts[F gram.Float](shapes [][3]int) []Case {
	var cases []Case
	for _, s := range shapes {
		n, m, d := s[0], s[1], s[2]
		elements := (n+m)*d + n + m
		cases = append(cases, Case{
			Kernel: "gauss_mv", Type: typeName[F](), N: n, Shape: fmt.Sprintf("%dx%d, d=%d", n, m, d),
			Flops: 2 * float64(n) * float64(m) * float64(d+1), op: opFMA,
			bytes: float64(elements * size[F]()), memory: memRead, room: elements * size[F](),
			shared: true,
			operands: func() work {
				block, x := operands[F](opFMA, n, m, d)
				v, dst := gram.Rows[F]{Data: random[F](m), N: m, D: 1, Stride: 1}, gram.MakeRows[F](n, 1)
				return work{Run: func(threads int) { block.Limit(threads).Mul(dst, gram.Dense(x), v) }}
			},
		})
	}
	return cases
}

// operands are a packed Z and rows X with kernel values of usual size. Laplace
// kernels are the ones that add.
func operands[F gram.Float](op operation, n, m, d int) (*kernel.Block[F], gram.Rows[F]) {
	var k kernel.Kernel = kernel.Gaussian{Gamma: 0.5 / float64(d)}
	if op == opAdd {
		k = kernel.Laplacian{Gamma: 1 / float64(d)}
	}
	z := mat.NewDense(m, d, random[float64](m*d))
	return kernel.Against[F](k, z), gram.Rows[F]{Data: random[F](n * d), N: n, D: d, Stride: d}
}
