package kmeans

import (
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/kernel"
)

// NewDistances returns a program that computes what Model.Distances returns, in either type of numbers.
func NewDistances[F gram.Float](m *Model) gram.Program[F] {
	return &distances[F]{block: kernel.Against[F](squared{}, m.centers)}
}

// distances is the program of Model.Distances: it computes the squared distances of rows from the centers.
type distances[F gram.Float] struct{ block *kernel.Block[F] }

// Dims returns the number of columns and of centers.
func (p *distances[F]) Dims() (d, outputs int) {
	k, d := p.block.Dims()
	return d, k
}

// Cost returns the flops of one row, the bytes that the program holds and the bytes of the workspace of one call.
func (p *distances[F]) Cost() gram.Plan {
	k, d := p.block.Dims()
	return gram.Plan{Flops: 2 * float64(k*d), ModelBytes: p.block.Bytes(), PeakBytes: program.Size[F](240 * d), Description: fmt.Sprintf("distances from %d centers", k)}
}

// Row sets dst to the distances of x.
func (p *distances[F]) Row(dst, x []F) { program.Row(p, dst, x) }

// Rows sets dst to the distances of the rows of x.
func (p *distances[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	program.Check("kmeans", p, dst, x)
	p.block.FillSerial(dst, x)
}
