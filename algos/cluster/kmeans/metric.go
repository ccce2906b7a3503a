package kmeans

import (
	"fmt"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/kernel"
)

// NewDistances returns Distances as a program: the squared distances of rows from all
// centres.
func NewDistances[F gram.Float](m *Model) gram.Program[F] {
	return &distances[F]{block: kernel.Against[F](squared{}, m.centers)}
}

// distances is the program of Model.Distances.
type distances[F gram.Float] struct{ block *kernel.Block[F] }

// Dims returns the number of columns and of centres.
func (p *distances[F]) Dims() (d, outputs int) {
	k, d := p.block.Dims()
	return d, k
}

// Cost is that of one row.
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

// NewKernelDistances returns Distances as a program: the squared distances of rows from
// the means of all clusters in the kernel's space.
func NewKernelDistances[F gram.Float](m *KernelModel) gram.Program[F] {
	p := &kernelDistances[F]{kernel: m.cfg.Kernel, self: m.self}
	block, same := any(m.block).(*kernel.Block[F])
	if !same {
		block = kernel.Against[F](m.cfg.Kernel, m.rows)
	}
	p.product = block.Times(program.Rows[F](m.share))
	_, p.d = m.rows.Dims()
	p.flops = float64(len(m.share.RawMatrix().Data)*2) + float64(m.share.RawMatrix().Rows)*kernel.Flops(m.cfg.Kernel, p.d)
	p.pool.New = func() any { s := make([]float64, p.d); return &s }
	return p
}

// kernelDistances is the program of KernelModel.Distances.
type kernelDistances[F gram.Float] struct {
	kernel  kernel.Kernel
	product *kernel.Product[F] // with the shares
	self    []float64
	d       int
	flops   float64
	pool    sync.Pool // *[]float64: a row
}

// Dims returns the number of columns and of clusters.
func (p *kernelDistances[F]) Dims() (d, outputs int) { return p.d, len(p.self) }

// Cost is that of one row.
func (p *kernelDistances[F]) Cost() gram.Plan {
	return gram.Plan{Flops: p.flops, ModelBytes: p.product.Bytes() + 8*int64(len(p.self)), PeakBytes: 256 << 10, Description: fmt.Sprintf("distances from %d means in a kernel's space", len(p.self))}
}

// Row sets dst to the distances of x.
func (p *kernelDistances[F]) Row(dst, x []F) { program.Row(p, dst, x) }

// Rows sets dst to the distances of the rows of x.
func (p *kernelDistances[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	program.Check("kmeans", p, dst, x)
	p.product.Rows(dst, x)
	buffer := p.pool.Get().(*[]float64)
	for i := range dst.N {
		x.CopyRow(*buffer, i)
		own := p.kernel.Eval(*buffer, *buffer)
		row := dst.Row(i)
		for c, v := range row {
			row[c] = F(own + p.self[c] - 2*float64(v))
		}
	}
	p.pool.Put(buffer)
}
