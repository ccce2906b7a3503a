package kernel

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/tuning"
)

// Product computes K(X,Z)·V for fixed Z and V, for prediction: in the
// goroutine of the caller, with the bits of Block.Mul, and without allocating
// anything once its workspaces exist (one for each call at a time; a kernel
// known by its columns, or by Eval that allocates, goes on doing so). It is
// safe for concurrent use.
type Product[F gram.Float] struct {
	block *Block[F]
	v     gram.Rows[F]
	vt    []F // its columns, one after the other
}

// Times prepares products with the m×s matrix v, which is copied.
func (b *Block[F]) Times(v gram.Rows[F]) *Product[F] {
	checkV(v, b.m)
	c := gram.MakeRows[F](v.N, v.D)
	for i := range v.N {
		copy(c.Row(i), v.Row(i))
	}
	return &Product[F]{block: b.Limit(1), v: c, vt: transposed(nil, c)}
}

// Rows sets dst = K(X,Z)·V. x is n×d and dst n×s, at any stride; they may not
// overlap. O(n·m·(d+s)).
func (p *Product[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	checkDst(dst, p.block.check(x), p.v.D)
	p.rows(dst, x)
}

// Row is Rows for a single row x of d numbers and its s results.
func (p *Product[F]) Row(dst, x []F) {
	p.Rows(
		gram.Rows[F]{Data: dst, N: 1, D: len(dst), Stride: max(1, len(dst))},
		gram.Dense(gram.Rows[F]{Data: x, N: 1, D: len(x), Stride: max(1, len(x))}))
}

func (p *Product[F]) rows(dst gram.Rows[F], x gram.Samples[F]) {
	b := p.block
	if b.shared.path == columns {
		b.mulColumns(dst, x, p.v)
		return
	}
	w := b.get()
	defer b.put(w)
	step := b.rowBlock(x.N())
	for lo := 0; lo < x.N(); lo += step {
		b.mulBlock(w, dst, x, p.vt, p.v.D, lo, min(lo+step, x.N()))
	}
}

// FillSerial is Fill in the goroutine of the caller, and allocates nothing
// where Product does not.
func (b *Block[F]) FillSerial(dst gram.Rows[F], x gram.Samples[F]) {
	checkDst(dst, b.check(x), b.m)
	b.fillSerial(dst, x)
}

func (b *Block[F]) fillSerial(dst gram.Rows[F], x gram.Samples[F]) {
	switch b.shared.path {
	case tiles:
		for lo := 0; lo < x.N(); lo += most {
			b.fillTile(dst, x, lo, min(lo+most, x.N()))
		}
		return
	case columns:
		b.Limit(1).fill(dst, x)
		return
	}
	w := b.get()
	defer b.put(w)
	step := b.rowBlock(x.N())
	for lo := 0; lo < x.N(); lo += step {
		hi := min(lo+step, x.N())
		b.load(w, &b.shared.points, x, lo, hi)
		b.strips(w, &b.shared.points, hi-lo, 0, b.m, tuning.Current()[tuning.KernelColumns], func(i, rows, j, cols, lds int) {
			b.finish(w, &b.shared.points, dst.Data[(lo+i)*dst.Stride+j:], dst.Stride, i, rows, j, cols, lds)
		})
	}
}
