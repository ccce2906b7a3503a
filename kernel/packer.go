package kernel

import (
	"sync"

	"github.com/gramworks/gram"
)

// Packer is a kernel that brings its own speed: it packs the rows of z once, and the
// Tile computes K(X,Z) for any X. Against asks for it first. Block adds the workers,
// the products and the selection of rows, so that a method runs on such a kernel as
// it does on those of this package. The methods pack for float64 and float32. z does
// not change and may be kept.
type Packer interface {
	Kernel
	Pack64(z gram.Samples[float64]) Tile[float64]
	Pack32(z gram.Samples[float64]) Tile[float32]
}

// Tile computes K(X,Z) for the m rows of Z that it was packed for. Fill sets dst, n×m,
// to the values for the n rows of x, 1 ≤ n ≤ 240, which are dense or sparse and as
// long as those of Z. It works in the goroutine of the caller, may be called from
// any number of them, allocates nothing after the first calls, and gives a row the
// same bits in any batch. What depends on a row of Z alone has the same bits after
// Block.Select, which packs the rows that it takes.
type Tile[F gram.Float] interface {
	Fill(dst gram.Rows[F], x gram.Samples[F])
}

// tileOf packs z for kernel k, which is a Packer or known by Eval alone.
func tileOf[F gram.Float](k Kernel, z gram.Samples[float64]) Tile[F] {
	p, ok := k.(Packer)
	if !ok {
		t := &pairs[F]{kernel: k}
		t.z, _ = z.Dense()
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

// pairs is the Tile of a kernel that is known by Eval.
type pairs[F gram.Float] struct {
	kernel Kernel
	z      gram.Rows[float64]
	rows   sync.Pool // *[]float64
}

func (t *pairs[F]) Fill(dst gram.Rows[F], x gram.Samples[F]) {
	buffer := t.rows.Get().(*[]float64)
	*buffer = grow(*buffer, t.z.D)
	for i := range dst.N {
		x.CopyRow(*buffer, i)
		row := dst.Row(i)
		for j := range row {
			row[j] = F(t.kernel.Eval(*buffer, t.z.Row(j)))
		}
	}
	t.rows.Put(buffer)
}

// tileRows is the number of rows of n that a Tile gets at a time.
func tileRows(n int) int { return min(most, max(16, n/16)) }

// fillTile is Fill by the Tile for rows lo … hi−1.
func (b *Block[F]) fillTile(dst gram.Rows[F], x gram.Samples[F], lo, hi int) {
	if b.m > 0 {
		b.shared.tile.Fill(dst.Slice(lo, hi), x.Slice(lo, hi))
	}
}

// tileNumbers is about how many values of a Tile are held when they are used up at
// once.
const tileNumbers = 1 << 17

// tileStrips is values by the Tile.
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
