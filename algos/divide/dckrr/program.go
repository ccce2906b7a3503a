package dckrr

import (
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kernelkmeans"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/internal/program"
)

var _ gram.Compiler = (*Model)(nil)

// Program64 returns the model's own program of the functions of all parts.
func (m *Model) Program64() (gram.Program[float64], error) { return m.program, nil }

// Program32 returns the program of the functions of all parts in float32.
func (m *Model) Program32() (gram.Program[float32], error) {
	return newProgram[float32](m), nil
}

func newProgram[F gram.Float](m *Model) gram.Program[F] {
	parts := make([]gram.Program[F], len(m.parts))
	for i, p := range m.parts {
		parts[i], _ = program.Of[F](p) // every expansion has a program
	}
	r := &soft[F]{part: m.route.part, soft: m.cfg.Soft}
	switch c := m.route.clusters.(type) {
	case *kernelkmeans.Model:
		r.distances = kernelkmeans.NewDistances[F](c)
	case *kmeans.Model:
		r.distances = kmeans.NewDistances[F](c)
	}
	r.pool.New = func() any { return new(near[F]) }
	_, t := m.Dims()
	return program.NewRouted("dckrr", r, parts, t, m.cfg.Soft > 1)
}

// soft sends rows to their nearest parts with the weights of shares.
type soft[F gram.Float] struct {
	distances gram.Program[F]
	part      []int
	soft      int
	pool      sync.Pool // *near[F]
}

// near is the workspace of one call of Route.
type near[F gram.Float] struct {
	distances []F
	wide      []float64 // those of a row
	shares    []share

	// The parts of rows and their weights, at first sorted by row, then by part.
	row, part   []int32
	weight      []F
	end         []int // of each part
	index, none []int32
	sorted      []F
}

// softRows is the number of rows whose distances are held together.
const softRows = 240

// Dims returns the number of columns and of parts.
func (r *soft[F]) Dims() (d, parts int) {
	d, _ = r.distances.Dims()
	for _, p := range r.part {
		parts = max(parts, p+1)
	}
	return d, parts
}

// Cost returns the flops of one row, the bytes that the program holds and the bytes of the workspace of one call.
func (r *soft[F]) Cost() gram.Plan {
	c := r.distances.Cost()
	c.ModelBytes += 8 * int64(len(r.part))
	c.PeakBytes += program.Size[F](softRows * len(r.part))
	return c
}

// Route sends the rows of every part, with their weights, to the part's receiver.
func (r *soft[F]) Route(to *program.Routes[F], x gram.Samples[F]) {
	w := r.pool.Get().(*near[F])
	k := len(r.part)
	w.distances, w.wide = program.Grow(w.distances, softRows*k), program.Grow(w.wide, k)
	w.row, w.part, w.weight, w.none = w.row[:0], w.part[:0], w.weight[:0], w.none[:0]
	for lo := 0; lo < x.N(); lo += softRows {
		hi := min(lo+softRows, x.N())
		distances := gram.Rows[F]{Data: w.distances, N: hi - lo, D: k, Stride: k}
		r.distances.Rows(distances, x.Slice(lo, hi))
		for i := range distances.N {
			for c, v := range distances.Row(i) {
				w.wide[c] = float64(v)
			}
			w.shares = shares(w.shares[:0], r.part, w.wide, r.soft)
			if len(w.shares) == 0 {
				w.none = append(w.none, int32(lo+i))
			}
			for _, s := range w.shares {
				w.row, w.part, w.weight = append(w.row, int32(lo+i)), append(w.part, int32(s.part)), append(w.weight, F(s.weight))
			}
		}
	}
	to.None(w.none)
	w.sort(k)
	lo := 0
	for part := range k {
		if hi := w.end[part]; lo < hi {
			to.Part(part, w.index[lo:hi], w.sorted[lo:hi])
			lo = hi
		}
	}
	r.pool.Put(w)
}

// sort groups the rows of each of at most k parts and keeps their order.
func (w *near[F]) sort(k int) {
	w.end, w.index, w.sorted = program.Grow(w.end, k+1), program.Grow(w.index, len(w.row)), program.Grow(w.sorted, len(w.row))
	clear(w.end)
	for _, part := range w.part {
		w.end[part+1]++
	}
	for part := range k {
		w.end[part+1] += w.end[part]
	}
	for q, part := range w.part {
		at := w.end[part]
		w.end[part]++
		w.index[at], w.sorted[at] = w.row[q], w.weight[q]
	}
}
