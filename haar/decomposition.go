package haar

import (
	"context"

	kernels "github.com/gramworks/gram/asm/haar"
	"github.com/gramworks/gram/asm/hadamard"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/num"
)

// An Edge says what stands behind the last element of a vector of odd length n, which has no partner.
type Edge uint8

// The values of Edge. For the Haar wavelet all modes of PyWavelets but smooth, antisymmetric and antireflect are among
// them.
const (
	Symmetric Edge = iota // x_{n−1} again, so that the difference is 0; in PyWavelets symmetric, constant and periodization
	Zero                  // 0; zero
	Periodic              // x_0; periodic
	Reflect               // x_{n−2}; reflect
)

// A Decomposition is the orthonormal Haar transform of vectors of any length to a given number of levels. A level replaces a
// vector by the sums of its pairs and their differences, both divided by √2, and the next level takes the sums, which are called
// approximations. A vector of odd length is continued by one element first, as its Edge says.
//
// The coefficients stand from coarse to fine: the approximations of the last level, its differences (details), then those of the level
// before. This is what wavedec(x, 'haar', mode, level) of PyWavelets returns, in one array. There are n of them if 2^levels divides
// n, or if n is a power of two; then Inverse is the transpose. Else there is one more for each level of odd length, and the
// transform is orthonormal for the continued vectors only.
//
// Decomposed columns of decomposed rows are the standard decomposition of a matrix (PyWavelets: fswavedecn); for the
// nonstandard one there is a Pyramid.
//
// Methods panic if shapes do not fit, before anything is written. A Decomposition does not change and is safe for concurrent use. It is as
// exact as the other transforms: the same bits at every level of package asm/cpu and for any number of workers, for vectors, rows and
// columns, and those of Orthonormal where that takes the length and all levels are done.
type Decomposition[F num.Float] struct {
	lengths []int // of the approximations: n, ⌈n/2⌉, ⌈n/4⌉ …
	edge    Edge
	size    int
}

// AllLevels is the number of levels for as many as there are.
const AllLevels = -1

// NewDecomposition returns the decomposition of vectors of n elements to the given number of levels, from 0, or AllLevels for
// ⌈log₂n⌉, after which one approximation is left. It panics if n is less than one, if there are not as many levels,
// or if there is no such edge.
func NewDecomposition[F num.Float](n, levels int, edge Edge) *Decomposition[F] {
	if n < 1 {
		panic("haar: length is out of range")
	}
	if edge > Reflect {
		panic("haar: there is no such edge")
	}
	d := &Decomposition[F]{lengths: []int{n}, edge: edge}
	for l := n; l > 1 && (levels < 0 || d.Levels() < levels); {
		l = l/2 + l%2
		d.lengths = append(d.lengths, l)
		d.size += l
	}
	if d.Levels() < levels {
		panic("haar: there are not as many levels")
	}
	d.size += d.lengths[d.Levels()]
	return d
}

// Levels returns the number of levels that are done, also if it was given as AllLevels.
func (d *Decomposition[F]) Levels() int { return len(d.lengths) - 1 }

// Len returns the number of coefficients: n, and one more for each level of odd length.
func (d *Decomposition[F]) Len() int { return d.size }

// Approximations returns the number of approximations: coefficients 0 … Approximations()−1 are those of the last level.
func (d *Decomposition[F]) Approximations() int { return d.lengths[d.Levels()] }

// Details returns where the details of a level are: coefficients lo … hi−1. Level 1 is the finest. Details panics unless 1 ≤ level
// ≤ Levels().
func (d *Decomposition[F]) Details(level int) (lo, hi int) {
	if level < 1 || level > d.Levels() {
		panic("haar: the level is out of range")
	}
	hi = d.size
	for _, l := range d.lengths[1:level] {
		hi -= l
	}
	return hi - d.lengths[level], hi
}

// Forward sets dst, of length Len, to the coefficients of src, of length n. dst and src are the same slice, if their lengths
// are, or do not overlap. Cost: 2n additions and n multiplications.
func (d *Decomposition[F]) Forward(dst, src []F) {
	d.rows(oneRow(dst), oneRow(src), 1, false)
}

// Inverse sets dst, of length n, to the vector that has the coefficients src, of length Len. Of vectors that were
// continued the last element is left out. dst and src overlap as in Forward. Cost: that of Forward.
func (d *Decomposition[F]) Inverse(dst, src []F) {
	d.rows(oneRow(dst), oneRow(src), 1, true)
}

// ForwardRows computes Forward of every row: src is N×n and dst N×Len. dst and src are the same rows, if their shapes are, or do not
// overlap. The rows are shared by up to workers goroutines (≤ 0: GOMAXPROCS). With one worker nothing is allocated.
func (d *Decomposition[F]) ForwardRows(dst, src num.Rows[F], workers int) {
	d.rows(dst, src, workers, false)
}

// InverseRows computes Inverse of every row: src is N×Len and dst N×n. Else it is as ForwardRows.
func (d *Decomposition[F]) InverseRows(dst, src num.Rows[F], workers int) {
	d.rows(dst, src, workers, true)
}

// ForwardColumns computes Forward of every column: src is n×D and dst Len×D. Else it is as ForwardRows. Panels of some columns are
// copied to memory that is kept between calls, and no row is transposed.
func (d *Decomposition[F]) ForwardColumns(dst, src num.Rows[F], workers int) {
	d.columns(dst, src, workers, false)
}

// InverseColumns computes Inverse of every column: src is Len×D and dst n×D. Else it is as ForwardColumns.
func (d *Decomposition[F]) InverseColumns(dst, src num.Rows[F], workers int) {
	d.columns(dst, src, workers, true)
}

func oneRow[F num.Float](x []F) num.Rows[F] {
	return num.Rows[F]{Data: x, N: 1, D: len(x), Stride: max(1, len(x))}
}

// accept panics unless dst and src are valid and the same rows or apart.
func accept[F num.Float](dst, src num.Rows[F]) {
	if !dst.Valid() || !src.Valid() {
		panic("haar: rows do not fit their memory")
	}
	same := dst.N == src.N && dst.D == src.D && dst.Stride == src.Stride && dst.N*dst.D > 0 && &dst.Data[0] == &src.Data[0]
	if !same && num.Overlap(dst, src) {
		panic("haar: destination and source overlap")
	}
}

// shapes returns the numbers of elements of destination and source.
func (d *Decomposition[F]) shapes(back bool) (dst, src int) {
	if back {
		return d.lengths[0], d.size
	}
	return d.size, d.lengths[0]
}

func (d *Decomposition[F]) rows(dst, src num.Rows[F], workers int, back bool) {
	accept(dst, src)
	if to, from := d.shapes(back); dst.D != to || src.D != from || dst.N != src.N {
		panic("haar: the rows have not the shape of the decomposition")
	}
	grain := max(1, block/d.size)
	if workers == 1 || dst.N <= grain {
		d.someRows(dst, src, back)
		return
	}
	_ = par.Compute(context.Background(), workers, dst.N, grain, func(lo, hi int) {
		d.someRows(dst.Slice(lo, hi), src.Slice(lo, hi), back)
	})
}

func (d *Decomposition[F]) someRows(dst, src num.Rows[F], back bool) {
	n := d.lengths[0]
	if dst.N == 0 {
		return
	}
	if powerOfTwo(n) && d.Approximations() == 1 {
		scratch := get[F](kernels.Scratch(n))
		if back {
			kernels.Backward(dst.Data, dst.Stride, src.Data, src.Stride, dst.N, n, kernels.Orthonormal, *scratch)
		} else {
			kernels.Forward(dst.Data, dst.Stride, src.Data, src.Stride, dst.N, n, kernels.Orthonormal, *scratch)
		}
		put(scratch)
		return
	}
	scratch := get[F](d.scratchLength())
	for i := range dst.N {
		if back {
			d.join(dst.Row(i), src.Row(i), *scratch)
		} else {
			d.split(dst.Row(i), src.Row(i), *scratch)
		}
	}
	put(scratch)
}

// factor returns the factor of the differences of a level.
func factor[F num.Float](level int) F { return F(kernels.LevelFactor(kernels.Orthonormal, level)) }

// area returns the part of scratch, of width elements for each coefficient, for the sums of a level. The levels take turns in two parts.
func (d *Decomposition[F]) area(scratch []F, level, width int) []F {
	if level%2 == 0 {
		scratch = scratch[d.lengths[1]*width:]
	}
	return scratch[:d.lengths[level]*width]
}

// split does the levels of a row, three at a time where that is possible. Sums are multiplied at the end, differences at once.
func (d *Decomposition[F]) split(dst, src, scratch []F) {
	x, hi, inPlace := src, len(dst), &dst[0] == &src[0]
	for level := 1; level <= d.Levels(); level++ {
		if level+2 <= d.Levels() && kernels.Whole3(len(x)) && !(inPlace && level == 1) {
			sums := d.area(scratch, level+2, 1)
			d3, d2, d1 := d.details3(dst, level)
			c := factors[F](level)
			kernels.Split3(d1, d2, d3, sums, x, &c)
			x, hi, level = sums, hi-7*len(sums), level+2
			continue
		}
		sums := d.area(scratch, level, 1)
		lo := hi - len(sums)
		splitLevel(dst[lo:hi], sums, x, factor[F](level), d.edge)
		x, hi = sums, lo
	}
	c := factor[F](d.Levels())
	for i, v := range x {
		dst[i] = v * c
	}
}

// join does the levels of a row in the other direction.
func (d *Decomposition[F]) join(dst, src, scratch []F) {
	lo := d.Approximations()
	x, c := dst, factor[F](d.Levels())
	if d.Levels() > 0 {
		x = d.area(scratch, d.Levels(), 1)
	}
	for i, v := range src[:lo] {
		x[i] = v * c
	}
	inPlace := &dst[0] == &src[0]
	for level := d.Levels(); level > 0; level-- {
		first, hi := level, lo+d.lengths[level]
		three := level > 2 && kernels.Whole3(d.lengths[level-3]) && !(inPlace && level == 3)
		if three {
			first = level - 2
		}
		to := dst
		if first > 1 {
			to = d.area(scratch, first-1, 1)
		}
		if three {
			d3, d2, d1 := d.details3(src, first)
			c := factors[F](first)
			kernels.Join3(to, d1, d2, d3, x, &c)
			hi = lo + 7*len(x)
		} else {
			joinLevel(to, src[lo:hi], x, factor[F](level))
		}
		x, lo, level = to, hi, first
	}
}

// details3 returns the details of a level and of the two before that, in the order of memory.
func (d *Decomposition[F]) details3(y []F, level int) (d3, d2, d1 []F) {
	lo, hi := d.Details(level)
	n := (hi - lo) / 4
	return y[lo-3*n : lo-2*n], y[lo-2*n : lo], y[lo:hi]
}

// factors returns the factors of the differences of three levels, the given one first.
func factors[F num.Float](level int) [3]F {
	return [3]F{factor[F](level), factor[F](level + 1), factor[F](level + 2)}
}

// splitLevel does one level of x, which is continued if its length is odd.
func splitLevel[F num.Float](d, s, x []F, c F, edge Edge) {
	h := len(x) / 2
	kernels.Split(d[:h], s[:h], x, c)
	if h < len(s) {
		last, next := x[2*h], F(0)
		if i := edge.index(len(x)); i >= 0 {
			next = x[i]
		}
		s[h], d[h] = last+next, (last-next)*c
	}
}

// joinLevel does one level in the other direction.
func joinLevel[F num.Float](x, d, s []F, c F) {
	h := len(x) / 2
	kernels.Join(x, d[:h], s[:h], c)
	if h < len(s) {
		x[2*h] = s[h] + F(d[h]*c)
	}
}

// index returns the place of the element that continues a vector of odd length n, or −1 for zero. Lengths of one are not continued.
func (e Edge) index(n int) int {
	switch e {
	case Symmetric:
		return n - 1
	case Periodic:
		return 0
	case Reflect:
		return n - 2
	}
	return -1
}

// panelLength is the number of elements of the columns that are decomposed together: half of a usual L2.
const panelLength = 1 << 15

func (d *Decomposition[F]) columns(dst, src num.Rows[F], workers int, back bool) {
	accept(dst, src)
	if to, from := d.shapes(back); dst.N != to || src.N != from || dst.D != src.D {
		panic("haar: the columns have not the shape of the decomposition")
	}
	width := max(16, panelLength/d.size&^15)
	if workers == 1 || dst.D <= width {
		for j := 0; j < dst.D; j += width {
			d.panel(dst, src, j, min(j+width, dst.D), back)
		}
		return
	}
	_ = par.Compute(context.Background(), workers, dst.D, width, func(lo, hi int) {
		d.panel(dst, src, lo, hi, back)
	})
}

// panel does all levels of columns from … to−1.
func (d *Decomposition[F]) panel(dst, src num.Rows[F], from, to int, back bool) {
	y, x := columnsOf(dst, from, to), columnsOf(src, from, to)
	scratch := get[F](2 * y.D * d.scratchLength())
	if back {
		d.joinColumns(y, x, *scratch)
	} else {
		d.splitColumns(y, x, *scratch)
	}
	put(scratch)
}

// scratchLength is the number of elements of both parts of area.
func (d *Decomposition[F]) scratchLength() int {
	n := 0
	for _, l := range d.lengths[1:min(3, len(d.lengths))] {
		n += l
	}
	return n
}

func columnsOf[F num.Float](x num.Rows[F], from, to int) num.Rows[F] {
	return num.Rows[F]{Data: x.Data[from:], N: x.N, D: to - from, Stride: x.Stride}
}

// splitColumns is split for columns. The rows of a level are copied to its area, those with even numbers before the others, which are
// then one butterfly.
func (d *Decomposition[F]) splitColumns(dst, src num.Rows[F], scratch []F) {
	x, hi, width := src, dst.N, dst.D
	for level := 1; level <= d.Levels(); level++ {
		h, area := d.lengths[level], d.area(scratch, level, 2*width)
		even, odd := area[:h*width], area[h*width:]
		for i := range h {
			copy(even[i*width:], x.Row(2*i))
			partner := 2*i + 1
			if partner == x.N {
				partner = d.edge.index(x.N)
			}
			if partner < 0 {
				clear(odd[i*width : (i+1)*width])
			} else {
				copy(odd[i*width:], x.Row(partner))
			}
		}
		hadamard.Columns(area, 2, h*width, 0, h*width)
		hadamard.Scale(odd, factor[F](level))
		hi -= h
		for i := range h {
			copy(dst.Row(hi+i), odd[i*width:])
		}
		x = num.Rows[F]{Data: even, N: h, D: width, Stride: width}
	}
	c := factor[F](d.Levels())
	for i := range x.N {
		row := dst.Row(i)
		for j, v := range x.Row(i) {
			row[j] = v * c
		}
	}
}

// joinColumns is join for columns. It undoes splitColumns level by level, with one butterfly of all rows for each level.
func (d *Decomposition[F]) joinColumns(dst, src num.Rows[F], scratch []F) {
	lo, width, c := d.Approximations(), dst.D, factor[F](d.Levels())
	x := dst
	if d.Levels() > 0 {
		x = num.Rows[F]{Data: d.area(scratch, d.Levels(), 2*width), N: lo, D: width, Stride: width}
	}
	for i := range lo {
		row := x.Row(i)
		for j, v := range src.Row(i) {
			row[j] = v * c
		}
	}
	for level := d.Levels(); level > 0; level-- {
		h, area := d.lengths[level], d.area(scratch, level, 2*width)
		odd := area[h*width:]
		for i := range h {
			copy(odd[i*width:(i+1)*width], src.Row(lo+i))
		}
		hadamard.Scale(odd, factor[F](level))
		hadamard.Columns(area, 2, h*width, 0, h*width)
		to := dst
		if level > 1 {
			to = num.Rows[F]{Data: d.area(scratch, level-1, 2*width), N: d.lengths[level-1], D: width, Stride: width}
		}
		for i := range to.N {
			copy(to.Row(i), area[(i/2+i%2*h)*width:][:width])
		}
		lo += h
	}
}
