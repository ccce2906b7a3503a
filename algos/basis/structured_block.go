package basis

import (
	"context"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/level2"
	"github.com/gramworks/gram/asm/panel"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/structured"
)

// StructuredBlock computes K(X,U) for structured points U and any rows X of the same
// length, in float64 or float32. It is safe for concurrent use. The bits of a row depend
// neither on the batch nor on the number of workers.
type StructuredBlock[F gram.Float] struct {
	kernel  kernel.Kernel
	set     *structured.Stack[F]
	center  []F // nil: none
	norms   []F // ‖u‖², nil for kernels that do not need them
	workers int
	shared  *sync.Pool // *workspace[F]
}

// workspace is the memory that one goroutine needs for a block of rows, and uses again for the next.
type workspace[F gram.Float] struct {
	y, xn []F // centered rows and their ‖y‖²
	wide  []float64
}

// NewStructuredBlock prepares the points l for evaluation in F, in O(s·D) operations.
func NewStructuredBlock[F gram.Float](l *Structured) *StructuredBlock[F] {
	s, d := l.v.Dims()
	b := &StructuredBlock[F]{kernel: l.kernel, workers: l.workers, shared: &sync.Pool{New: func() any { return new(workspace[F]) }}}
	v := gram.MakeRows[F](s, d)
	for g := range s {
		copy(v.Row(g), program.Convert[F](l.v.RawRowView(g)))
	}
	b.set = structured.New(l.matrix, v, l.rows)
	if l.center != nil {
		b.center = program.Convert[F](l.center)
	}
	if radial(l.kernel) {
		b.norms = b.set.SquaredNorms(nil)
	}
	return b
}

// dims returns the number of landmarks m and columns d.
func (b *StructuredBlock[F]) dims() (m, d int) {
	d, m = b.set.Dims()
	return m, d
}

// Limit returns a block that shares the memory of b and uses up to workers goroutines (≤ 0:
// GOMAXPROCS). With one worker Fill allocates nothing after its first call.
func (b *StructuredBlock[F]) Limit(workers int) *StructuredBlock[F] {
	c := *b
	c.workers = workers
	return &c
}

// Fill sets dst = K(X,U). x is n×d and dst n×m, row-major at any stride; they may
// not overlap. Sparse rows are expanded block by block.
func (b *StructuredBlock[F]) Fill(dst gram.Rows[F], x gram.Samples[F]) {
	m, width := b.dims()
	n, d := x.Dims()
	switch {
	case d != width:
		panic("basis: x has the wrong number of columns")
	case dst.N != n || dst.D != m:
		panic("basis: the destination has the wrong shape")
	case !x.Valid() || !dst.Valid():
		panic("basis: rows do not fit their memory")
	}
	if b.workers == 1 || n <= blockRows {
		w := b.shared.Get().(*workspace[F])
		for lo := 0; lo < n; lo += blockRows {
			hi := min(lo+blockRows, n)
			b.some(dst.Slice(lo, hi), x.Slice(lo, hi), w)
		}
		b.shared.Put(w)
		return
	}
	_ = par.For(context.Background(), b.workers, n, blockRows, func(lo, hi int) {
		w := b.shared.Get().(*workspace[F])
		defer b.shared.Put(w)
		b.some(dst.Slice(lo, hi), x.Slice(lo, hi), w)
	})
}

// rows returns an n×d matrix in the memory of w.
func (w *workspace[F]) rows(n, d int) gram.Rows[F] {
	w.y = program.Grow(w.y, n*d)
	return gram.Rows[F]{Data: w.y, N: n, D: d, Stride: d}
}

// some computes the values for at most blockRows rows.
func (b *StructuredBlock[F]) some(dst gram.Rows[F], x gram.Samples[F], w *workspace[F]) {
	y, dense := x.Dense()
	if dense && b.center == nil {
		b.values(dst, y, w)
		return
	}
	n, d := x.Dims()
	own := w.rows(n, d)
	for i := range n {
		row := own.Row(i)
		copy(row, x.Row(row, i))
		if b.center != nil {
			level2.Axpy(-1, b.center, row)
		}
	}
	b.values(dst, own, w)
}

// values sets dst to the kernel values of centered rows.
func (b *StructuredBlock[F]) values(dst, y gram.Rows[F], w *workspace[F]) {
	b.set.Forward(dst, y, 1)
	if b.norms != nil {
		w.xn = program.Grow(w.xn, y.N)
		for i := range y.N {
			w.xn[i] = level2.Dot(y.Row(i), y.Row(i))
		}
	}
	s, n, m := dst.Stride, dst.N, dst.D
	switch k := b.kernel.(type) {
	case kernel.Gaussian:
		panel.Gauss(dst.Data, s, dst.Data, s, w.xn, b.norms, n, m, F(k.Gamma), false)
	case kernel.Polynomial:
		panel.Power(dst.Data, s, dst.Data, s, n, m, F(k.Offset), k.Degree)
	case kernel.Homogeneous:
		panel.Power(dst.Data, s, dst.Data, s, n, m, 0, k.Degree)
	case kernel.Radial:
		panel.Distance(dst.Data, s, dst.Data, s, w.xn, b.norms, n, m)
		w.apply(dst, k.Radial)
	case kernel.Inner:
		w.apply(dst, k.Inner)
	}
}

// apply replaces every row of dst by the result of f, which is computed in float64.
func (w *workspace[F]) apply(dst gram.Rows[F], f func(s []float64)) {
	w.wide = program.Grow(w.wide, dst.D)
	for i := range dst.N {
		row := dst.Row(i)
		for j, v := range row {
			w.wide[j] = float64(v)
		}
		f(w.wide)
		for j, v := range w.wide {
			row[j] = F(v)
		}
	}
}

func (b *StructuredBlock[F]) fill(dst gram.Rows[F], x gram.Samples[F]) { b.Fill(dst, x) }

func (b *StructuredBlock[F]) bytes() int64 {
	return b.set.Bytes() + program.Size[F](len(b.center)+len(b.norms))
}
