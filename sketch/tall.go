package sketch

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"unsafe"

	"github.com/gramworks/gram/asm/hadamard"
	"github.com/gramworks/gram/asm/level2"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

// A Tall is a random s×n matrix S that makes a tall matrix A, n×d, smaller: SRHT or
// CountSketch. With enough rows S keeps the lengths of all vectors of the column
// space of A: (1−ε)·‖Ax‖ ≤ ‖SAx‖ ≤ (1+ε)·‖Ax‖ for all x.
type Tall[F num.Float] interface {
	// Dims returns the shape of S: s rows and n columns.
	Dims() (s, n int)
	// Apply computes dst = S·a, s×d, for an n×d matrix a, on up to workers goroutines
	// (≤ 0: GOMAXPROCS), with the same bits for any number of them. It panics if the
	// shapes differ, if rows do not fit their memory or if dst and a overlap.
	Apply(dst, a num.Rows[F], workers int)
}

// groups is the number of parts of the rows of a tall matrix whose sketches are added.
const groups = 4

// SRHT is a subsampled randomized Hadamard transform, by blocks of rows:
//
//	S = [S_1 S_2 … S_p],   S_b = √(1/s) · D̃_b · P · H_r · D_b,
//
// where the block length r is a power of two, H_r the Hadamard matrix, D_b and D̃_b are
// random signs and P, the same for all blocks, samples s of the r rows. With a single
// block this is the SRHT; with several it reads A once, in parts that stay in cache,
// and keeps its error bounds [BBGL22]. For s = O(ε⁻²·(d + ln n)·ln d) the lengths of all
// vectors of a d-dimensional space are kept within 1 ± ε [Tropp 2011]; in practice ε
// is about √(d/s).
//
// Cost: n·d·log₂r additions.
type SRHT[F num.Float] struct {
	s, n, r int
	sample  []int
	inner   []uint64 // signs of the rows of A
	outer   []uint64 // signs of the rows of each block's sketch
	scale   F
}

// NewSRHT returns a transform that makes n rows of s, drawn from seed. It panics unless
// 1 ≤ s ≤ n. Blocks have at least s rows and at least 2 048.
func NewSRHT[F num.Float](s, n int, seed uint64) *SRHT[F] {
	if s < 1 || s > n {
		panic("sketch: a sketch has from 1 to n rows")
	}
	r := max(2048, 1<<bits.Len(uint(s-1)))
	for r/2 >= n && r/2 >= s {
		r /= 2
	}
	blocks := (n + r - 1) / r
	t := &SRHT[F]{s: s, n: n, r: r, scale: F(1 / math.Sqrt(float64(s)))}
	random := rng.New(seed, 0)
	t.sample = random.Perm(r)[:s]
	slices.Sort(t.sample)
	t.inner, t.outer = randomWords(random, n), randomWords(random, s*blocks)
	return t
}

// randomWords returns random bits, at least n of them.
func randomWords(r *rand.Rand, n int) []uint64 {
	w := make([]uint64, (n+63)/64)
	for i := range w {
		w[i] = r.Uint64()
	}
	return w
}

// sign returns −1 where bit i is set and 1 elsewhere.
func sign[F num.Float](words []uint64, i int) F {
	return 1 - 2*F(words[i/64]>>(i%64)&1)
}

// Dims returns the shape of S: s rows and n columns.
func (t *SRHT[F]) Dims() (s, n int) { return t.s, t.n }

// Apply computes dst = S·a, as Tall says. Memory: a block of a, and up to three
// matrices of the shape of dst.
func (t *SRHT[F]) Apply(dst, a num.Rows[F], workers int) {
	checkTall(t, dst, a)
	if a.D > 0 {
		t.apply(dst, a, nil, workers)
	}
}

// apply computes S·[a extra], where extra is one more column unless it is nil.
func (t *SRHT[F]) apply(dst, a num.Rows[F], extra []F, workers int) {
	blocks := (t.n + t.r - 1) / t.r
	byGroups(dst, blocks, workers, func(dst num.Rows[F], lo, hi int) {
		// Whole lines of 64 bytes leave no columns to slow code.
		line := 64 / int(unsafe.Sizeof(F(0)))
		stride := (dst.D + line - 1) &^ (line - 1)
		block := num.Rows[F]{Data: make([]F, t.r*stride), N: t.r, D: stride, Stride: stride}
		minus := make([]F, a.D)
		for j := range minus {
			minus[j] = -1
		}
		fit := max(1, leafBytes/64*line/stride)
		leaf := min(t.r, 1<<(bits.Len(uint(fit))-1))
		for b := lo; b < hi; b++ {
			rows := min(t.r, t.n-b*t.r)
			clear(block.Data[rows*stride:])
			// The first stages are done while their rows are in L1.
			for i := range t.r {
				if i < rows {
					row, src := block.Row(i)[:a.D], a.Row(b*t.r+i)
					if sign[F](t.inner, b*t.r+i) > 0 {
						copy(row, src)
					} else {
						hadamard.Product(row, src, minus)
					}
					if extra != nil {
						block.Row(i)[a.D] = sign[F](t.inner, b*t.r+i) * extra[b*t.r+i]
					}
				}
				if (i+1)%leaf == 0 {
					hadamard.Columns(block.Data[(i+1-leaf)*stride:], leaf, stride, 0, stride)
				}
			}
			for i := range leaf {
				hadamard.Columns(block.Data[i*stride:], t.r/leaf, leaf*stride, 0, stride)
			}
			for i, at := range t.sample {
				addRow(dst.Row(i), block.Row(at), t.scale*sign[F](t.outer, b*t.s+i))
			}
		}
	})
}

// CountSketch adds every row of A, with a random sign, to a row of SA that is drawn at
// random. This reads A once and takes n·d additions, but needs more rows than SRHT to
// keep lengths: s = d·(d+1)/(ε²·δ) keep all vectors of a d-dimensional space within 1 ±
// ε with probability at least 1 − δ [CW13].
type CountSketch[F num.Float] struct {
	s    int
	row  []int32
	sign []uint64
}

// NewCountSketch returns a sketch that makes n rows of s, drawn from seed. It panics
// unless s and n are positive and s fits an int32.
func NewCountSketch[F num.Float](s, n int, seed uint64) *CountSketch[F] {
	if s < 1 || n < 1 || s > math.MaxInt32 {
		panic("sketch: a sketch has at least one row")
	}
	random := rng.New(seed, 0)
	c := &CountSketch[F]{s: s, row: make([]int32, n)}
	for i := range c.row {
		c.row[i] = random.Int32N(int32(s))
	}
	c.sign = randomWords(random, n)
	return c
}

// Dims returns the shape of S: s rows and n columns.
func (c *CountSketch[F]) Dims() (s, n int) { return c.s, len(c.row) }

// Apply computes dst = S·a, as Tall says. Memory: up to three matrices of the shape of
// dst.
func (c *CountSketch[F]) Apply(dst, a num.Rows[F], workers int) {
	checkTall(c, dst, a)
	byGroups(dst, a.N, workers, func(dst num.Rows[F], lo, hi int) {
		for i := lo; i < hi; i++ {
			addRow(dst.Row(int(c.row[i])), a.Row(i), sign[F](c.sign, i))
		}
	})
}

// leafBytes is the memory of the rows that a block's first stages work on.
const leafBytes = 32 << 10

// addRow adds by·x to y, which is not longer than x.
func addRow[F num.Float](y, x []F, by F) { level2.Axpy(by, x[:len(y)], y) }

func checkTall[F num.Float](t Tall[F], dst, a num.Rows[F]) {
	if !dst.Valid() || !a.Valid() {
		panic("sketch: rows do not fit their memory")
	}
	if s, n := t.Dims(); a.N != n || dst.N != s || dst.D != a.D {
		panic("sketch: the matrices have not the shape of the sketch")
	}
	if num.Overlap(dst, a) {
		panic("sketch: the matrices overlap")
	}
}

// byGroups clears dst and lets add add parts of the result to it, for ranges of n units
// that do not depend on the number of workers. The sums of the ranges are added in
// their order.
func byGroups[F num.Float](dst num.Rows[F], n, workers int, add func(dst num.Rows[F], lo, hi int)) {
	for i := range dst.N {
		clear(dst.Row(i))
	}
	size := (n + groups - 1) / groups
	parts := make([]num.Rows[F], (n+size-1)/size)
	eachRange(workers, n, size, func(lo, hi int) {
		part := dst
		if lo > 0 {
			part = num.MakeRows[F](dst.N, dst.D)
			parts[lo/size] = part
		}
		add(part, lo, hi)
	})
	for _, p := range parts[1:] {
		for i := range dst.N {
			addRow(dst.Row(i), p.Row(i), 1)
		}
	}
}
