package kernel

import (
	"context"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/panel"
	"github.com/gramworks/gram/internal/par"
)

const (
	selfRows  = 192     // rows of a block of MulSelf: whole panels of either kind
	selfPart  = 960     // rows whose sums MulSelf adds to those of others
	selfWidth = 1 << 16 // columns of a block between two looks at the context
)

// Halves reports whether MulSelf computes each value once for its two places. It does so
// for the kernels of this package except Precomputed, and for those with Radial or Inner.
func (b *Block[F]) Halves() bool { return b.shared.path != tilesPath && b.shared.path != columnsPath }

// MulSelf sets dst = K(Z,Z)·V for the m×m matrix K(Z,Z), which is symmetric and is not
// stored. v and dst are m×s and must not overlap. The values are computed in F from V
// rounded to F; their products are summed in F over at most 192 rows and 256 columns, and
// these sums in float64, in an order that depends on m, d and F alone. At some levels the
// values of Gaussian differ from those of Fill in last digits, within twice their bound.
//
// Cost: m²/2 values and 2·m²·s operations if b.Halves(), else those of Mul; memory for
// m·s sums for each goroutine. After ctx is done MulSelf returns ctx.Err() within
// milliseconds, and dst is not changed.
func (b *Block[F]) MulSelf(ctx context.Context, dst, v gram.Rows[float64]) error {
	checkV(v, b.m)
	checkDst(dst, b.m, v.D)
	if !b.Halves() {
		return b.mulWhole(ctx, dst, v)
	}
	m, s := b.m, v.D
	vt := make([]F, m*s) // the columns of v, one after the other
	for i := range m {
		for c, u := range v.Row(i) {
			vt[c*m+i] = F(u)
		}
	}
	var free sync.Pool // *[]float64
	total, err := par.Sum(ctx, b.workers, m, selfPart, func(first, last int) []float64 {
		var sums []float64
		if used, ok := free.Get().(*[]float64); ok {
			sums = *used
			clear(sums)
		} else {
			sums = make([]float64, m*s)
		}
		w := b.get()
		defer b.put(w)
		for lo := first; lo < last && ctx.Err() == nil; lo += selfRows {
			b.addSelf(ctx, w, sums, vt, s, lo, min(lo+selfRows, last))
		}
		return sums
	}, func(a, c []float64) []float64 {
		for i, u := range c {
			a[i] += u
		}
		free.Put(&c)
		return a
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	for i := range m {
		row := dst.Row(i)
		for c := range row {
			row[c] = total[c*m+i]
		}
	}
	return nil
}

// addSelf adds to sums, the columns of the product, what the values of rows lo … hi−1 and
// columns lo … m−1 contribute, and those of their mirror images.
func (b *Block[F]) addSelf(ctx context.Context, w *workspace[F], sums []float64, vt []F, s, lo, hi int) {
	m := b.m
	b.loadSelf(w, lo, hi)
	w.sums = grow(w.sums, selfRows)
	mirrored := grow(w.v, s*(m-hi))
	w.v = mirrored
	clear(mirrored)
	p := &b.shared.points
	for from := lo; from < m && ctx.Err() == nil; {
		to := min(from+selfWidth, m)
		if from == lo {
			to = hi
		}
		b.strips(w, p, hi-lo, from, to, zBytes, func(i, rows, j, cols, lds int) {
			fused := b.shared.path == gaussianPath && b.shared.norms && j >= hi
			if !fused {
				b.finish(w, p, w.strip, lds, i, rows, j, cols, lds, false)
			}
			for c := range s {
				part := w.sums[:rows]
				clear(part)
				v, mirror := vt[c*m+j:], vt[c*m+lo+i:]
				switch {
				case fused && c == 0:
					panel.GaussSums(part, mirrored[j-hi:], w.strip, lds, w.xn[i:], p.zn[j:], v, mirror, rows, cols, b.shared.gamma)
				case j >= hi:
					panel.ColSums(mirrored[c*(m-hi)+j-hi:], w.strip, lds, mirror, rows, cols)
					fallthrough
				default:
					panel.RowSums(part, w.strip, lds, v, rows, cols)
				}
				to := sums[c*m+lo+i:]
				for r, u := range part {
					to[r] += float64(u)
				}
			}
		})
		from = to
	}
	for c := range s {
		to := sums[c*m+hi:]
		for j, u := range mirrored[c*(m-hi):][:m-hi] {
			to[j] += float64(u)
		}
	}
}

// loadSelf makes rows lo … hi−1 of Z the loaded block.
func (b *Block[F]) loadSelf(w *workspace[F], lo, hi int) {
	const r = panel.Rows
	n, d, c := hi-lo, b.d, panel.Cols[F]()
	panels := (n + r - 1) / r
	w.thin, w.single = false, false
	w.xn = grow(w.xn, panels*r)
	p := &b.shared.points
	if b.shared.norms {
		copy(w.xn[:n], p.zn[lo:hi])
	}
	if p.lists != nil {
		w.loadLists(p.lists, lo, hi)
		return
	}
	w.x = grow(w.x, panels*r*d)
	clear(w.x[(panels-1)*r*d:])
	for i := range n {
		from, to := p.z[(lo+i)/c*c*d+(lo+i)%c:], w.x[i/r*r*d+i%r:]
		for k := range d {
			to[k*r] = from[k*c]
		}
	}
}

// mulWhole is MulSelf for kernels whose values come from whole rows.
func (b *Block[F]) mulWhole(ctx context.Context, dst, v gram.Rows[float64]) error {
	in, part := gram.MakeRows[F](b.m, v.D), gram.MakeRows[F](selfRows, v.D)
	for i := range b.m {
		for c, u := range v.Row(i) {
			in.Row(i)[c] = F(u)
		}
	}
	out := gram.MakeRows[float64](b.m, v.D)
	x, wide := gram.MakeRows[F](selfRows, b.d), make([]float64, b.d)
	step := max(1, min(selfRows, (1<<24)/max(1, b.m*(b.d+16))))
	for lo := 0; lo < b.m; lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(step, b.m-lo)
		for i := range n {
			b.shared.z.CopyRow(wide, lo+i)
			for k, u := range wide {
				x.Row(i)[k] = F(u)
			}
		}
		b.Mul(part.Slice(0, n), gram.Dense(x.Slice(0, n)), in)
		for i := range n {
			for c, u := range part.Row(i) {
				out.Row(lo + i)[c] = float64(u)
			}
		}
	}
	for i := range b.m {
		copy(dst.Row(i), out.Row(i))
	}
	return nil
}
