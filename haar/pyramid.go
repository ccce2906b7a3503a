package haar

import (
	"context"

	kernels "github.com/gramworks/gram/asm/haar"
	"github.com/gramworks/gram/asm/hadamard"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/num"
)

// A Pyramid is the nonstandard orthonormal Haar decomposition of n×d matrices of any shape: each level does one level of the rows and of the
// columns of the approximations that the level before has left. This is wavedec2(x, 'haar', mode, level) of PyWavelets. The standard
// decomposition, all levels of the rows and then of the columns, is made by a Decomposition.
//
// The matrix of coefficients has its rows and columns in the order of a Decomposition of n and of d elements with as many levels. At level
// l the differences of columns (PyWavelets' cH) stand in its details of the rows and approximations of the columns, those of rows (cV)
// beside them, and those of both (cD) in the details of both, as in coeffs_to_array of PyWavelets. If a level has an odd number of rows or
// columns, some elements are no coefficients; they are 0.
//
// Methods panic if shapes do not fit or memory overlaps, before anything is written. A Pyramid does not change and is safe for concurrent use.
// The results have the same bits at every level of package asm/cpu and for any number of workers. All factors are powers of two, so that
// integers are transformed without error as long as sums stay exact.
type Pyramid[F num.Float] struct {
	columns, rows *Decomposition[F] // of n and d elements
}

// NewPyramid returns the decomposition of n×d matrices to the given number of levels. AllLevels stands for as many as there are until
// one row or one column is left. It panics if n or d is less than one, if there are not as many levels, or if there is no such
// edge.
func NewPyramid[F num.Float](n, d, levels int, edge Edge) *Pyramid[F] {
	if levels < 0 {
		levels = NewDecomposition[F](min(n, d), levels, edge).Levels()
	}
	return &Pyramid[F]{columns: NewDecomposition[F](n, levels, edge), rows: NewDecomposition[F](d, levels, edge)}
}

// Columns returns the decomposition of a column of the matrix, of n elements. It gives the order of the rows of the coefficients:
// Len is their number, and Details says where the differences of a level are.
func (p *Pyramid[F]) Columns() *Decomposition[F] { return p.columns }

// Rows returns the decomposition of a row of the matrix, of d elements. It gives the order of the columns of the coefficients.
func (p *Pyramid[F]) Rows() *Decomposition[F] { return p.rows }

// Forward sets dst, Columns().Len()×Rows().Len(), to the coefficients of src, n×d. Pairs of rows are shared by up to workers goroutines (≤
// 0: GOMAXPROCS). With one worker nothing is allocated. Cost: 8/3·n·d additions and n·d multiplications.
func (p *Pyramid[F]) Forward(dst, src num.Rows[F], workers int) {
	p.accept(dst, src, dst, src)
	if dst.N > src.N || dst.D > src.D { // some are no coefficients
		for i := range dst.N {
			clear(dst.Row(i))
		}
	}
	scratch := get[F](p.scratchLength())
	x := src
	for level := 1; level <= p.rows.Levels(); level++ {
		sums := p.area(*scratch, level)
		if grain := max(1, block/(4*sums.D)); workers == 1 || sums.N <= grain {
			p.split(dst, sums, x, p.buffer(*scratch, level), level, 0, sums.N)
		} else {
			p.splitShared(dst, sums, x, level, grain, workers)
		}
		x = sums
	}
	scaleTo(dst, x, p.rows.Levels())
	put(scratch)
}

// Inverse sets dst, n×d, to the matrix that has the coefficients src. Else it is as Forward.
func (p *Pyramid[F]) Inverse(dst, src num.Rows[F], workers int) {
	p.accept(dst, src, src, dst)
	scratch := get[F](p.scratchLength())
	x := dst
	if p.rows.Levels() > 0 {
		x = p.area(*scratch, p.rows.Levels())
	}
	scaleTo(x, num.Rows[F]{Data: src.Data, N: x.N, D: x.D, Stride: src.Stride}, p.rows.Levels())
	for level := p.rows.Levels(); level > 0; level-- {
		to := dst
		if level > 1 {
			to = p.area(*scratch, level-1)
		}
		if grain := max(1, block/(4*x.D)); workers == 1 || x.N <= grain {
			p.join(to, x, src, p.buffer(*scratch, level), level, 0, x.N)
		} else {
			p.joinShared(to, x, src, level, grain, workers)
		}
		x = to
	}
	put(scratch)
}

// accept panics unless y has the shape of the coefficients and x that of the matrix; they are dst and src in some order.
func (p *Pyramid[F]) accept(dst, src, y, x num.Rows[F]) {
	if !dst.Valid() || !src.Valid() {
		panic("haar: rows do not fit their memory")
	}
	if x.N != p.columns.lengths[0] || x.D != p.rows.lengths[0] || y.N != p.columns.size || y.D != p.rows.size {
		panic("haar: the matrices have not the shape of the pyramid")
	}
	if num.Overlap(dst, src) {
		panic("haar: destination and source overlap")
	}
}

// area returns the memory of the approximations of a level. The levels take turns in two parts of scratch.
func (p *Pyramid[F]) area(scratch []F, level int) num.Rows[F] {
	if level%2 == 0 {
		scratch = scratch[p.columns.lengths[1]*p.rows.lengths[1]:]
	}
	n, d := p.columns.lengths[level], p.rows.lengths[level]
	return num.Rows[F]{Data: scratch, N: n, D: d, Stride: d}
}

// buffer returns the memory of a pair of rows, which is behind the parts of area.
func (p *Pyramid[F]) buffer(scratch []F, level int) []F {
	end := p.scratchLength()
	return scratch[end-4*p.rows.lengths[1]:][:4*p.rows.lengths[level]]
}

// scratchLength is the number of elements of both parts of area and of a pair of rows.
func (p *Pyramid[F]) scratchLength() int {
	n := 0
	if p.rows.Levels() > 0 {
		n = 4 * p.rows.lengths[1]
	}
	for level := 1; level <= min(2, p.rows.Levels()); level++ {
		n += p.columns.lengths[level] * p.rows.lengths[level]
	}
	return n
}

// scaleTo sets the first elements of dst to those of src, multiplied by the factor of sums of 4^level elements.
func scaleTo[F num.Float](dst, src num.Rows[F], level int) {
	c := squareFactor[F](level)
	for i := range src.N {
		row := dst.Row(i)
		for j, v := range src.Row(i) {
			row[j] = v * c
		}
	}
}

// squareFactor is 2^−level, the square of the factor of a level of a vector.
func squareFactor[F num.Float](level int) F { return F(kernels.LevelFactor(kernels.Inverse, level)) }

// splitShared is split of all pairs by several goroutines.
func (p *Pyramid[F]) splitShared(dst, sums, x num.Rows[F], level, grain, workers int) {
	_ = par.Compute(context.Background(), workers, sums.N, grain, func(lo, hi int) {
		b := get[F](4 * sums.D)
		p.split(dst, sums, x, (*b)[:4*sums.D], level, lo, hi)
		put(b)
	})
}

// joinShared is join of all pairs by several goroutines.
func (p *Pyramid[F]) joinShared(to, sums, src num.Rows[F], level, grain, workers int) {
	_ = par.Compute(context.Background(), workers, sums.N, grain, func(lo, hi int) {
		b := get[F](4 * sums.D)
		p.join(to, sums, src, (*b)[:4*sums.D], level, lo, hi)
		put(b)
	})
}

// split does a level for pairs lo … hi−1 of the rows of x. The rows of a pair are split each, and are one butterfly then.
func (p *Pyramid[F]) split(dst, sums, x num.Rows[F], b []F, level, lo, hi int) {
	g, c, edge := sums.D, squareFactor[F](level), p.rows.edge
	top, _ := p.columns.Details(level)
	left, right := p.rows.Details(level)
	for i := lo; i < hi; i++ {
		partner := 2*i + 1
		if partner == x.N {
			partner = edge.index(x.N)
		}
		splitLevel(b[g:2*g], b[:g], x.Row(2*i), 1, edge)
		if partner < 0 {
			clear(b[2*g:])
		} else {
			splitLevel(b[3*g:], b[2*g:3*g], x.Row(partner), 1, edge)
		}
		hadamard.Columns(b, 2, 2*g, 0, 2*g)
		hadamard.Scale(b[g:], c)
		copy(sums.Row(i), b)
		copy(dst.Row(i)[left:right], b[g:])
		copy(dst.Row(top+i), b[2*g:3*g])
		copy(dst.Row(top + i)[left:right], b[3*g:])
	}
}

// join does a level of src in the other direction, for the pairs of rows lo … hi−1.
func (p *Pyramid[F]) join(to, sums, src num.Rows[F], b []F, level, lo, hi int) {
	g, c := sums.D, squareFactor[F](level)
	top, _ := p.columns.Details(level)
	left, right := p.rows.Details(level)
	for i := lo; i < hi; i++ {
		copy(b, sums.Row(i))
		copy(b[g:], src.Row(i)[left:right])
		copy(b[2*g:], src.Row(top + i)[:g])
		copy(b[3*g:], src.Row(top + i)[left:right])
		hadamard.Scale(b[g:], c)
		hadamard.Columns(b, 2, 2*g, 0, 2*g)
		joinLevel(to.Row(2*i), b[g:2*g], b[:g], 1)
		if 2*i+1 < to.N {
			joinLevel(to.Row(2*i+1), b[3*g:], b[2*g:3*g], 1)
		}
	}
}
