package kernel

import (
	"sync"

	"github.com/gramworks/gram"
)

// Packer is a kernel with fast code of its own. Its methods Pack64 and Pack32 pack the
// rows of z once, for either type; the Tile that they return computes K(X,Z) for any
// X. Against uses them before anything else that the kernel has. Block adds
// goroutines, products and the selection of rows, so that a method runs on a Packer as
// on a kernel of this package. z does not change and may be kept.
type Packer interface {
	Kernel
	Pack64(z gram.Samples[float64]) Tile[float64]
	Pack32(z gram.Samples[float64]) Tile[float32]
}

// Tile computes K(X,Z) for the m rows of Z that it was packed for. Fill sets dst, n×m,
// to the values for the n rows of x, which are dense or sparse and as long as those of
// Z; 1 ≤ n ≤ 240. Fill must work in the goroutine of the caller, be safe for
// concurrent use, allocate nothing after the first calls, and give a row the same bits
// in any batch. Block.Select packs the selected rows anew, so its columns have the
// same bits only if a value depends on no other row of Z.
type Tile[F gram.Float] interface {
	Fill(dst gram.Rows[F], x gram.Samples[F])
}

// tileOf returns the Tile of k for z: that of a Packer, or one that calls Eval.
func tileOf[F gram.Float](k Kernel, z gram.Samples[float64]) Tile[F] {
	p, ok := k.(Packer)
	if !ok {
		t := &pairs[F]{kernel: k, z: z}
		t.rows.New = func() any { return new([]float64) }
		return t
	}
	var t any
	if sizeof[F]() == 8 {
		t = p.Pack64(z)
	} else {
		t = p.Pack32(z)
	}
	return t.(Tile[F])
}

// pairs is the Tile of a kernel that has only Eval.
type pairs[F gram.Float] struct {
	kernel Kernel
	z      gram.Samples[float64]
	rows   sync.Pool // *[]float64
}

func (t *pairs[F]) Fill(dst gram.Rows[F], x gram.Samples[F]) {
	_, d := t.z.Dims()
	buffer := t.rows.Get().(*[]float64)
	*buffer = grow(*buffer, 2*d)
	u, v := (*buffer)[:d], (*buffer)[d:]
	for i := range dst.N {
		x.CopyRow(u, i)
		row := dst.Row(i)
		for j := range row {
			row[j] = F(t.kernel.Eval(u, t.z.Row(v, j)))
		}
	}
	t.rows.Put(buffer)
}

// tileRows returns the number of rows that a Tile gets at a time when there are n
// rows.
func tileRows(n int) int { return min(most, max(16, n/16)) }

// fillTile fills rows lo … hi−1 of dst by the Tile.
func (b *Block[F]) fillTile(dst gram.Rows[F], x gram.Samples[F], lo, hi int) {
	if b.m > 0 {
		b.shared.tile.Fill(dst.Slice(lo, hi), x.Slice(lo, hi))
	}
}

// tileNumbers is about the number of values of a Tile that are held at a time when
// they are used in a product.
const tileNumbers = 1 << 17

// tileStrips does for a Tile what values does: it calls use with the values.
func (b *Block[F]) tileStrips(w *workspace[F], x *gram.Samples[F], lo, hi int, use func(i, rows, j, cols, lds int)) {
	if b.m == 0 {
		return
	}
	step := min(hi-lo, most, max(16, tileNumbers/b.m))
	w.strip = grow(w.strip, step*b.m)
	for i := lo; i < hi; i += step {
		rows := min(step, hi-i)
		b.shared.tile.Fill(gram.Rows[F]{Data: w.strip, N: rows, D: b.m, Stride: b.m}, x.Slice(i, i+rows))
		use(i-lo, rows, 0, b.m, b.m)
	}
}
