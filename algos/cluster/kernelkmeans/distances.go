package kernelkmeans

import (
	"fmt"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Distances sets dst to the n×K squared distances of the rows of x from the means of the
// clusters in the kernel's space. A row takes a little more than s·d flops, where s is the
// number of rows that were clustered. The distance from an empty cluster is +Inf. Round-off
// can make small distances negative. A row with NaN gets NaN.
func (m *Model) Distances(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	s, k := m.share.Dims()
	_, want := m.rows.Dims()
	dst = rows.Destination("kernelkmeans", dst, x, want, k)
	all, buffer := gram.Of(x), make([]float64, d)
	for lo := 0; lo < n; lo += blockRows {
		hi := min(lo+blockRows, n)
		gb, to := rows.Borrow(hi-lo, s), dst.Slice(lo, hi, 0, k).(*mat.Dense)
		m.block.Fill(gram.View(gb), all.Slice(lo, hi))
		rows.Mul(to, gram.Of(gb), m.share)
		rows.Return(gb)
		for i := lo; i < hi; i++ {
			row := all.Row(buffer, i)
			self := m.cfg.Kernel.Eval(row, row)
			for c, v := range dst.RawRowView(i) {
				dst.RawRowView(i)[c] = self + m.self[c] - 2*v
			}
		}
	}
	return dst
}

// Dims returns the number of clusters and of columns of the data.
func (m *Model) Dims() (k, d int) {
	_, k = m.share.Dims()
	_, d = m.rows.Dims()
	return k, d
}

// NewDistances returns a program that computes what Model.Distances returns, in either type of numbers.
func NewDistances[F gram.Float](m *Model) gram.Program[F] {
	p := &distances[F]{kernel: m.cfg.Kernel, self: m.self}
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

// distances is the program of Model.Distances: it computes the squared distances of rows from the means of the clusters in the
// kernel's space.
type distances[F gram.Float] struct {
	kernel  kernel.Kernel
	product *kernel.Product[F] // with the shares
	self    []float64
	d       int
	flops   float64
	pool    sync.Pool // *[]float64: a row
}

// Dims returns the number of columns and of clusters.
func (p *distances[F]) Dims() (d, outputs int) { return p.d, len(p.self) }

// Cost returns the flops of one row, the bytes that the program holds and the bytes of the workspace of one call.
func (p *distances[F]) Cost() gram.Plan {
	return gram.Plan{Flops: p.flops, ModelBytes: p.product.Bytes() + 8*int64(len(p.self)), PeakBytes: 256 << 10, Description: fmt.Sprintf("distances from %d means in a kernel's space", len(p.self))}
}

// Row sets dst to the distances of x.
func (p *distances[F]) Row(dst, x []F) { program.Row(p, dst, x) }

// Rows sets dst to the distances of the rows of x.
func (p *distances[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	program.Check("kernelkmeans", p, dst, x)
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
