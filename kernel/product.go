package kernel

import (
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/panel"
	"github.com/gramworks/gram/internal/tuning"
)

// Product computes K(X,Z)·V for fixed Z and V, for prediction: with the bits of
// Block.Mul, and without allocating anything once its workspaces exist (one for each
// call at a time; a kernel known by its columns, or by Eval that allocates, goes on
// doing so). Mul and Each use the goroutines of the block, all other methods the one
// of the caller. It is safe for concurrent use.
type Product[F gram.Float] struct {
	block *Block[F]
	v     factor[F]
}

// factor is V, m×s, as products with kernel values take it.
type factor[F gram.Float] struct {
	s    int
	v    gram.Rows[F] // V, or what TimesGroups gets; without data where vt suffices
	vt   []F          // the columns of v, one after the other
	ends []int        // of each group, the row after its last
	to   [][]int      // the columns of V of each group; nil: v is V
}

// Group is a run of rows of a matrix V that have numbers other than 0 in the same
// columns.
type Group struct {
	Rows    int   // how many rows there are
	Columns []int // the columns of V, each once
}

// Times prepares products with the m×s matrix v, which is copied.
func (b *Block[F]) Times(v gram.Rows[F]) *Product[F] {
	checkV(v, b.m)
	return b.times(factor[F]{s: v.D, v: v})
}

// TimesGroups is Times for an m×s matrix V most of whose numbers are 0. groups cut
// the rows of V into runs. Row i of v holds the numbers of row i of V, in the order
// of the columns of its group, and perhaps more, which are not used. Products cost
// O(n·m·(d+w)) for groups of w columns. v is copied, groups are not and must not
// change.
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
	if b.shared.path == columns {
		f = factor[F]{s: s, v: f.whole()} // Eval takes longer than sums of zeros
	}
	return b.times(f)
}

const panicGroups = "kernel: the groups do not fit the matrices"

// times makes a product with a copy of f.
func (b *Block[F]) times(f factor[F]) *Product[F] {
	if b.shared.path == columns {
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

// whole returns V with its zeros.
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

// Mul is Rows on the goroutines of the block.
func (p *Product[F]) Mul(dst gram.Rows[F], x gram.Samples[F]) {
	checkDst(dst, p.block.check(x), p.v.s)
	p.block.mul(dst, x, &p.v)
}

// Each calls use with blocks of the rows of K(X,Z)·V, from the goroutines of the block:
// values are those of rows lo, lo+1, … and may be used until use returns. A kernel
// known by its columns has a single block.
func (p *Product[F]) Each(x gram.Samples[F], use func(lo int, values gram.Rows[F])) {
	p.block.check(x)
	p.block.mulEach(x, &p.v, use)
}

// Rows sets dst = K(X,Z)·V. x is n×d and dst n×s, at any stride; they may not
// overlap. O(n·m·(d+s)).
func (p *Product[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	checkDst(dst, p.block.check(x), p.v.s)
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
		b.load(w, &b.shared.points, &x, lo, hi)
		b.strips(w, &b.shared.points, hi-lo, 0, b.m, tuning.Current()[tuning.KernelColumns], func(i, rows, j, cols, lds int) {
			b.finish(w, &b.shared.points, dst.Data[(lo+i)*dst.Stride+j:], dst.Stride, i, rows, j, cols, lds)
		})
	}
}
