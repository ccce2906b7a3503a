package kernel

import (
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/panel"
	"github.com/gramworks/gram/internal/tuning"
)

// Product computes K(X,Z)·V for fixed Z and V, for prediction. Its results have the
// same bits as those of Block.Mul, and it allocates nothing once its workspaces exist,
// one for each concurrent call. Only kernels by Columns, and kernels whose Eval
// allocates, allocate in every call. Mul and Each run on the goroutines of the block,
// all other methods in the goroutine of the caller. A Product is safe for concurrent
// use.
type Product[F gram.Float] struct {
	block *Block[F]
	v     factor[F]
}

// factor is V, m×s, in the form that products with kernel values take.
type factor[F gram.Float] struct {
	s    int
	v    gram.Rows[F] // V, or the v of TimesGroups; without data if vt is enough
	vt   []F          // the columns of v, one after the other
	ends []int        // for each group the row after its last
	to   [][]int      // the columns of V of each group; nil: v is V itself
}

// Group is a run of rows of a matrix V whose nonzero elements lie in the same columns.
type Group struct {
	Rows    int   // number of rows
	Columns []int // the columns of V, each once
}

// Times prepares products with the m×s matrix v, which is copied.
func (b *Block[F]) Times(v gram.Rows[F]) *Product[F] {
	checkV(v, b.m)
	return b.times(factor[F]{s: v.D, v: v})
}

// TimesGroups prepares products with an m×s matrix V most of whose elements are 0.
// groups divide the rows of V into runs. Row i of v holds the elements of row i of V
// in the columns of its group, in that order; further elements of the row are not
// used. Products cost O(n·m·(d+w)) for groups of w columns. v is copied. groups is
// kept and must not change.
func (b *Block[F]) TimesGroups(v gram.Rows[F], s int, groups []Group) *Product[F] {
	checkV(v, b.m)
	f := factor[F]{s: s, v: v, to: make([][]int, 0, len(groups))}
	end := 0
	for _, g := range groups {
		bad := g.Rows < 0 || g.Rows > b.m-end || len(g.Columns) > v.D
		for _, c := range g.Columns {
			bad = bad || c < 0 || c >= s
		}
		if bad {
			panic(panicGroups)
		}
		end += g.Rows
		f.ends, f.to = append(f.ends, end), append(f.to, g.Columns)
	}
	if end != b.m {
		panic(panicGroups)
	}
	if b.shared.path == columnsPath {
		f = factor[F]{s: s, v: f.whole()} // Eval takes longer than adding zeros
	}
	return b.times(f)
}

const panicGroups = "kernel: the groups do not fit the matrices"

// times makes a product with a copy of f.
func (b *Block[F]) times(f factor[F]) *Product[F] {
	if b.shared.path == columnsPath {
		v := gram.MakeRows[F](f.v.N, f.v.D)
		for i := range v.N {
			copy(v.Row(i), f.v.Row(i))
		}
		f.v = v
	} else {
		f.vt = transposed(nil, f.v)
		f.v.Data = nil
	}
	return &Product[F]{block: b, v: f}
}

// whole returns V as a dense matrix, with the zeros that a sparse V leaves out.
func (f *factor[F]) whole() gram.Rows[F] {
	v := gram.MakeRows[F](f.v.N, f.s)
	g := 0
	for i := range v.N {
		for f.ends[g] <= i {
			g++
		}
		for k, c := range f.to[g] {
			v.Row(i)[c] = f.v.Row(i)[k]
		}
	}
	return v
}

// add adds the products of a strip with V to sums, whose columns have n numbers
// each. The strip is columns j … j+cols−1 of rows i … i+rows−1 of K.
func (f *factor[F]) add(sums []F, n int, strip []F, lds, i, rows, j, cols int) {
	m := f.v.N
	if f.to == nil {
		for c := range f.s {
			panel.RowSums(sums[c*n+i:], strip, lds, f.vt[c*m+j:], rows, cols)
		}
		return
	}
	g, _ := slices.BinarySearch(f.ends, j+1)
	for from := j; from < j+cols; g++ {
		to := min(f.ends[g], j+cols)
		for k, c := range f.to[g] {
			panel.RowSums(sums[c*n+i:], strip[from-j:], lds, f.vt[k*m+from:], rows, to-from)
		}
		from = to
	}
}

// Dims returns the number of columns of X and of V.
func (p *Product[F]) Dims() (d, s int) { return p.block.d, p.v.s }

// Mul does what Rows does, on the goroutines of the block.
func (p *Product[F]) Mul(dst gram.Rows[F], x gram.Samples[F]) {
	checkDst(dst, p.block.check(x), p.v.s)
	checkApart(dst, x)
	p.block.mul(dst, x, &p.v)
}

// Each calls use with blocks of the rows of K(X,Z)·V, from the goroutines of the
// block. values holds rows lo, lo+1, … and must not be used after use returns. A
// kernel by Columns has a single block.
func (p *Product[F]) Each(x gram.Samples[F], use func(lo int, values gram.Rows[F])) {
	p.block.check(x)
	p.block.mulEach(x, &p.v, use)
}

// Rows sets dst = K(X,Z)·V. x is n×d and dst is n×s, with any stride; it panics if they
// overlap. Cost: O(n·m·(d+s)).
func (p *Product[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	checkDst(dst, p.block.check(x), p.v.s)
	checkApart(dst, x)
	p.rows(dst, x)
}

// Row sets dst to the s results for a single row x of d numbers.
func (p *Product[F]) Row(dst, x []F) {
	p.Rows(
		gram.Rows[F]{Data: dst, N: 1, D: len(dst), Stride: max(1, len(dst))},
		gram.Dense(gram.Rows[F]{Data: x, N: 1, D: len(x), Stride: max(1, len(x))}))
}

func (p *Product[F]) rows(dst gram.Rows[F], x gram.Samples[F]) {
	b := p.block
	if b.shared.path == columnsPath {
		b.mulColumns(dst, x, p.v.v)
		return
	}
	w := b.get()
	defer b.put(w)
	step := b.mulRows(x.N(), p.v.s)
	for lo := 0; lo < x.N(); lo += step {
		hi := min(lo+step, x.N())
		b.mulBlock(w, dst.Slice(lo, hi), &x, &p.v, lo, hi)
	}
}

// FillSerial computes what Fill computes in the goroutine of the caller. It allocates
// nothing in the cases in which Product allocates nothing.
func (b *Block[F]) FillSerial(dst gram.Rows[F], x gram.Samples[F]) {
	checkDst(dst, b.check(x), b.m)
	checkApart(dst, x)
	b.fillSerial(dst, x)
}

func (b *Block[F]) fillSerial(dst gram.Rows[F], x gram.Samples[F]) {
	switch b.shared.path {
	case tilesPath:
		for lo := 0; lo < x.N(); lo += most {
			b.fillTile(dst, x, lo, min(lo+most, x.N()))
		}
		return
	case columnsPath:
		b.Limit(1).fill(dst, x)
		return
	}
	w := b.get()
	defer b.put(w)
	step := b.rowBlock(x.N())
	for lo := 0; lo < x.N(); lo += step {
		hi := min(lo+step, x.N())
		b.load(w, &b.shared.points, &x, lo, hi)
		b.strips(w, &b.shared.points, hi-lo, 0, b.m, tuning.Current()[tuning.KernelColumns], func(i, rows, j, cols, lds int) {
			b.finish(w, &b.shared.points, dst.Data[(lo+i)*dst.Stride+j:], dst.Stride, i, rows, j, cols, lds, false)
		})
	}
}
