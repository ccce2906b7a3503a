package program

import (
	"fmt"
	"math"
	"sync"

	"github.com/gramworks/gram"
)

// Router sends rows to parts.
type Router[F gram.Float] interface {
	// Dims returns the number of columns and of parts.
	Dims() (d, parts int)
	// Route adds the parts of the rows of x to r, row after row. A row with NaN has
	// none.
	Route(r *Routes[F], x gram.Samples[F])
	// Cost is that of one row.
	Cost() gram.Plan
}

// Routes are the parts of rows, with their weights.
type Routes[F gram.Float] struct {
	row, part []int32
	weight    []F
}

// Add adds a part of a row.
func (r *Routes[F]) Add(row, part int, weight F) {
	r.row, r.part, r.weight = append(r.row, int32(row)), append(r.part, int32(part)), append(r.weight, weight)
}

// Routed is the program of a model that has a program for each part of the rows. A row
// without a part has NaN.
type Routed[F gram.Float] struct {
	name   string
	router Router[F]
	parts  []gram.Program[F]
	d, k   int
	mixed  bool
	block  int       // rows of a part that are computed together
	pool   sync.Pool // *room[F]
}

// room is what one call needs.
type room[F gram.Float] struct {
	routes Routes[F]
	start  []int32 // of each part in index
	index  []int32 // rows, part after part
	weight []F
	batch  Batch[F]
	out    []F
}

// routedRows is the number of rows that are routed together.
const routedRows = 1024

// NewRouted returns the program of k outputs that takes those of the part of a row, or
// if it is mixed the sum of those of its parts, by their weights. A part that no row is
// sent to may be nil. name is the package that panics name.
func NewRouted[F gram.Float](name string, router Router[F], parts []gram.Program[F], k int, mixed bool) *Routed[F] {
	d, _ := router.Dims()
	p := &Routed[F]{name: name, router: router, parts: parts, d: d, k: k, mixed: mixed}
	p.block = max(48, min(240, (1<<18)/int(Size[F](d+1))))
	p.pool.New = func() any { return new(room[F]) }
	return p
}

// Dims returns the number of columns and of outputs.
func (p *Routed[F]) Dims() (d, outputs int) { return p.d, p.k }

// Cost is that of one row, the mean over the parts.
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
	c.PeakBytes += most + Size[F](p.block*(p.d+p.k)) + 24*routedRows
	c.Description = fmt.Sprintf("%d programs, each for a part of the rows", parts)
	return c
}

// Row sets dst to the outputs of x.
func (p *Routed[F]) Row(dst, x []F) { Row(p, dst, x) }

// Rows sets dst to the outputs of the rows of x.
func (p *Routed[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	Check(p.name, p, dst, x)
	w := p.pool.Get().(*room[F])
	for lo := 0; lo < x.N(); lo += routedRows {
		hi := min(lo+routedRows, x.N())
		p.some(w, dst.Slice(lo, hi), x.Slice(lo, hi))
	}
	p.pool.Put(w)
}

// some computes at most routedRows rows.
func (p *Routed[F]) some(w *room[F], dst gram.Rows[F], x gram.Samples[F]) {
	r := &w.routes
	r.row, r.part, r.weight = r.row[:0], r.part[:0], r.weight[:0]
	p.router.Route(r, x)
	if len(r.row) == 1 && dst.N == 1 && !p.mixed {
		p.parts[r.part[0]].Rows(dst, x)
		return
	}
	q := 0
	for i := range dst.N {
		row := dst.Row(i)
		switch {
		case q == len(r.row) || int(r.row[q]) > i:
			Fill(row, F(math.NaN()))
		case p.mixed:
			clear(row)
		}
		for q < len(r.row) && int(r.row[q]) == i {
			q++
		}
	}
	w.sort(len(p.parts))
	for part, q := range p.parts {
		for at, end := int(w.start[part]), int(w.start[part+1]); at < end; at += p.block {
			p.compute(w, dst, x, q, at, min(at+p.block, end))
		}
	}
}

// sort brings the rows of a part together, in their order.
func (w *room[F]) sort(parts int) {
	r := &w.routes
	w.start, w.index, w.weight = Grow(w.start, parts+2), Grow(w.index, len(r.row)), Grow(w.weight, len(r.row))
	clear(w.start)
	for _, part := range r.part {
		w.start[part+2]++
	}
	for part := range parts {
		w.start[part+2] += w.start[part+1]
	}
	for q, part := range r.part { // start[part+1] is where the part's next row goes
		at := w.start[part+1]
		w.start[part+1]++
		w.index[at], w.weight[at] = r.row[q], r.weight[q]
	}
}

// compute computes the rows lo … hi−1 of the index, which are of one part.
func (p *Routed[F]) compute(w *room[F], dst gram.Rows[F], x gram.Samples[F], q gram.Program[F], lo, hi int) {
	index := w.index[lo:hi]
	n, first := len(index), int(index[0])
	y := w.batch.Gather(x, index)
	if !p.mixed && int(index[n-1]) == first+n-1 {
		q.Rows(dst.Slice(first, first+n), y)
		return
	}
	w.out = Grow(w.out, n*p.k)
	out := gram.Rows[F]{Data: w.out, N: n, D: p.k, Stride: p.k}
	q.Rows(out, y)
	for i, at := range index {
		row := dst.Row(int(at))
		if !p.mixed {
			copy(row, out.Row(i))
			continue
		}
		weight := w.weight[lo+i]
		for j, v := range out.Row(i) {
			row[j] += weight * v
		}
	}
}

// Constant is the program of outputs that are the same for all rows.
type Constant[F gram.Float] struct {
	D      int
	Values []F
}

// Dims returns the number of columns and of outputs.
func (p *Constant[F]) Dims() (d, outputs int) { return p.D, len(p.Values) }

// Cost is that of the values.
func (p *Constant[F]) Cost() gram.Plan {
	return gram.Plan{ModelBytes: Size[F](len(p.Values)), Description: "constant outputs"}
}

// Row sets dst to the outputs.
func (p *Constant[F]) Row(dst, x []F) { Row(p, dst, x) }

// Rows sets all rows of dst to the outputs.
func (p *Constant[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	for i := range dst.N {
		copy(dst.Row(i), p.Values)
	}
}
