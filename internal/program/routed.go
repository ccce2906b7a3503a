package program

import (
	"fmt"
	"math"
	"sync"

	"github.com/gramworks/gram"
)

// Router decides which part of a model computes a row.
type Router[F gram.Float] interface {
	// Dims returns the number of columns and of parts.
	Dims() (d, parts int)
	// Route calls to.Part for the rows of x in each part, possibly several times per
	// part, and to.None for the rows with NaN. x has at most RoutedRows rows.
	Route(to *Routes[F], x gram.Samples[F])
	// Cost returns the cost of routing one row.
	Cost() gram.Plan
}

// RoutedRows is the number of rows that are routed together.
const RoutedRows = 1024

// Routed is the program of a model with a program for each part of the rows. The
// outputs of a row without a part are NaN.
type Routed[F gram.Float] struct {
	name   string
	router Router[F]
	parts  []gram.Program[F]
	d, k   int
	mixed  bool
	block  int       // number of rows of a part that are computed together
	pool   sync.Pool // *Routes[F]
}

// Routes receives rows with their parts from a Router and computes them.
type Routes[F gram.Float] struct {
	p     *Routed[F]
	dst   gram.Rows[F]
	x     gram.Samples[F]
	batch Batch[F]
	out   []F
}

// NewRouted returns a program of k outputs. The outputs of a row are those of its part
// or, if mixed is true, the weighted sum of those of its parts. A part that gets no
// rows may be nil. name is the package that panics name.
func NewRouted[F gram.Float](name string, router Router[F], parts []gram.Program[F], k int, mixed bool) *Routed[F] {
	d, _ := router.Dims()
	p := &Routed[F]{name: name, router: router, parts: parts, d: d, k: k, mixed: mixed}
	p.block = 48
	p.pool.New = func() any { return &Routes[F]{p: p} }
	return p
}

// Dims returns the number of columns and of outputs.
func (p *Routed[F]) Dims() (d, outputs int) { return p.d, p.k }

// Cost returns the cost of one row: that of routing and the mean of the parts.
func (p *Routed[F]) Cost() gram.Plan {
	c := p.router.Cost()
	var flops float64
	var most int64
	parts := 0
	for _, q := range p.parts {
		if q == nil {
			continue
		}
		one := q.Cost()
		flops += one.Flops
		c.ModelBytes += one.ModelBytes
		most = max(most, one.PeakBytes)
		parts++
	}
	c.Flops += flops / float64(max(1, parts))
	c.PeakBytes += most + Size[F](p.block*(p.d+p.k))
	c.Description = fmt.Sprintf("%d programs, each for a part of the rows", parts)
	return c
}

// Row sets dst to the outputs of x.
func (p *Routed[F]) Row(dst, x []F) { Row(p, dst, x) }

// Rows sets dst to the outputs of the rows of x.
func (p *Routed[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	Check(p.name, p, dst, x)
	r := p.pool.Get().(*Routes[F])
	for lo := 0; lo < x.N(); lo += RoutedRows {
		hi := min(lo+RoutedRows, x.N())
		r.dst, r.x = dst.Slice(lo, hi), x.Slice(lo, hi)
		if p.mixed {
			for i := range hi - lo {
				clear(r.dst.Row(i))
			}
		}
		p.router.Route(r, r.x)
	}
	r.dst, r.x = gram.Rows[F]{}, gram.Samples[F]{} // the pool must not keep the caller's memory alive
	p.pool.Put(r)
}

// None sets the outputs of rows to NaN.
func (r *Routes[F]) None(rows []int32) {
	for _, i := range rows {
		Fill(r.dst.Row(int(i)), F(math.NaN()))
	}
}

// Part computes the given rows, ascending, with a part. If the program mixes parts, the
// outputs are multiplied by the weights and added to those of other parts.
func (r *Routes[F]) Part(part int, rows []int32, weight []F) {
	p := r.p
	q := p.parts[part]
	for lo := 0; lo < len(rows); lo += p.block {
		hi := min(lo+p.block, len(rows))
		index := rows[lo:hi]
		n, first := len(index), int(index[0])
		y := r.batch.Gather(r.x, index)
		if !p.mixed && int(index[n-1]) == first+n-1 {
			q.Rows(r.dst.Slice(first, first+n), y)
			continue
		}
		r.out = Grow(r.out, n*p.k)
		out := gram.Rows[F]{Data: r.out, N: n, D: p.k, Stride: p.k}
		q.Rows(out, y)
		for i, at := range index {
			row := r.dst.Row(int(at))
			if !p.mixed {
				copy(row, out.Row(i))
				continue
			}
			for j, v := range out.Row(i) {
				row[j] += weight[lo+i] * v
			}
		}
	}
}

// Constant is a program that gives the same outputs for all rows.
type Constant[F gram.Float] struct {
	D      int
	Values []F
}

// Dims returns the number of columns and of outputs.
func (p *Constant[F]) Dims() (d, outputs int) { return p.D, len(p.Values) }

// Cost returns the memory of the values; there are no operations.
func (p *Constant[F]) Cost() gram.Plan {
	return gram.Plan{ModelBytes: Size[F](len(p.Values)), Description: "constant outputs"}
}

// Row sets dst to the outputs, whatever x is.
func (p *Constant[F]) Row(dst, x []F) { Row(p, dst, x) }

// Rows sets all rows of dst to the outputs.
func (p *Constant[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	for i := range dst.N {
		copy(dst.Row(i), p.Values)
	}
}
