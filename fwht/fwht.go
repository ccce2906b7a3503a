package fwht

import (
	"math"
	"math/bits"
	"runtime"

	"github.com/gramworks/gram/asm/hadamard"
	"github.com/gramworks/gram/num"
)

// Transform replaces x by H·x.
//
// len(x) = n = m·2^k with m = 1, 12, 20 or 28. It panics for any other length.
// Cost: n·log₂n additions for m = 1, n·(k + m/2) for the others. Vectors of at
// least 2¹⁹ elements run on up to GOMAXPROCS goroutines. Accuracy class: exact.
func Transform[F num.Float](x []F) {
	vector(x, 1, false)
}

// TransformRows replaces every row of x by H·row.
//
// x is N×D with any Stride ≥ D = m·2^k; elements between the rows are not
// touched. The rows are shared by up to workers goroutines (≤ 0: GOMAXPROCS). It
// panics if D is not a length that Transform takes or if the rows do not fit
// their memory. Cost: N times that of Transform. Accuracy class: exact; a row
// gets the same bits as from Transform.
func TransformRows[F num.Float](x num.Rows[F], workers int) { rows(x, workers, 1, false) }

// Inverse replaces x by H⁻¹·x = H·x/n. It undoes Transform, without error if x
// holds integers, n is a power of two and n²·max|x| fits the significand.
//
// Lengths, panics and cost are as for Transform, plus n multiplications.
func Inverse[F num.Float](x []F) { vector(x, 1/float64(len(x)), false) }

// InverseRows replaces every row of x by H⁻¹·row = H·row/D. Shapes, workers and panics are as for TransformRows.
func InverseRows[F num.Float](x num.Rows[F], workers int) {
	rows(x, workers, 1/float64(x.D), false)
}

// Orthonormal replaces x by H·x/√n. This transform keeps the 2-norm and is its
// own inverse.
//
// Lengths, panics and cost are as for Transform, plus n multiplications.
func Orthonormal[F num.Float](x []F) { vector(x, 1/math.Sqrt(float64(len(x))), false) }

// OrthonormalRows replaces every row of x by H·row/√D. Shapes, workers and panics are as for TransformRows.
func OrthonormalRows[F num.Float](x num.Rows[F], workers int) {
	rows(x, workers, 1/math.Sqrt(float64(x.D)), false)
}

// Sequency replaces x by W·x, where W has the rows of H in the order of their
// number of sign changes: row s changes its sign s times. W is symmetric, so
// Sequency is its own inverse up to the factor n.
//
// len(x) is a power of two; it panics for any other length, also for m·2^k with
// m > 1. Cost: that of Transform and one pass of scattered reads. A scratch
// vector of n elements is kept for later calls.
func Sequency[F num.Float](x []F) { vector(x, 1, true) }

// SequencyRows replaces every row of x by W·row, with the W of Sequency. Shapes, workers and panics are as for TransformRows, but
// D must be a power of two.
func SequencyRows[F num.Float](x num.Rows[F], workers int) { rows(x, workers, 1, true) }

// SequencyRow returns the index in the natural order of row s of the sequency
// order: W[s] = H[SequencyRow(n, s)]. It panics unless n is a power of two and 0
// ≤ s < n.
func SequencyRow(n, s int) int {
	if !powerOfTwo(n) {
		panic("fwht: length is not a power of two")
	}
	if s < 0 || s >= n {
		panic("fwht: row is out of range")
	}
	return walshRow(bits.Len(uint(n))-1, s)
}

// walshRow reverses the k bits of the Gray code of s.
func walshRow(k, s int) int {
	return int(bits.Reverse64(uint64(s^s>>1)) >> 1 >> (63 - k))
}

// Supported reports whether Transform takes vectors of length n.
func Supported(n int) bool {
	_, ok := base(n)
	return ok
}

// Pad returns the smallest power of two that is at least n: the length to which
// rows are padded for H in Sylvester's construction alone. It panics if n < 1 or
// if the result does not fit an int.
func Pad(n int) int {
	if n < 1 || n > 1<<(bits.UintSize-2) {
		panic("fwht: length is out of range")
	}
	return 1 << bits.Len(uint(n-1))
}

// NextLength returns the smallest length of Transform that is at least n. For n
// > 8 it adds at most a third of n, where Pad may add almost n. It panics as Pad
// does.
func NextLength(n int) int {
	best := Pad(n)
	for _, m := range []int{12, 20, 28} {
		if l := m << bits.Len(uint((n-1)/m)); l >= n && l < best {
			best = l
		}
	}
	return best
}

// PadRows copies the rows of src into dst and fills them up with zeros.
//
// dst has as many rows as src and at least as many columns. It panics if the
// shapes differ otherwise, if rows do not fit their memory, or if dst and src
// overlap.
func PadRows[F num.Float](dst, src num.Rows[F]) {
	if !dst.Valid() || !src.Valid() {
		panic("fwht: rows do not fit their memory")
	}
	if dst.N != src.N || dst.D < src.D {
		panic("fwht: destination has the wrong shape")
	}
	if num.Overlap(dst, src) {
		panic("fwht: destination and rows overlap")
	}
	for i := range src.N {
		row := dst.Row(i)
		clear(row[copy(row, src.Row(i)):])
	}
}

func powerOfTwo(n int) bool { return n > 0 && n&(n-1) == 0 }

// base returns the factor m of n = m·2^k; ok is false if Transform does not take
// n.
func base(n int) (m int, ok bool) {
	k := bits.TrailingZeros(uint(n))
	switch odd := n >> k; { // odd is 0 for n = 0
	case odd == 1:
		return 1, true
	case k >= 2 && (odd == 3 || odd == 5 || odd == 7):
		return 4 * odd, true
	default:
		return 0, false
	}
}

// check returns the factor m of the length n. It panics if the transform does
// not take n.
func check(n int, sequency bool) int {
	m, ok := base(n)
	if sequency && m != 1 {
		panic("fwht: length is not a power of two")
	}
	if !ok {
		panic("fwht: length is not 1, 12, 20 or 28 times a power of two")
	}
	return m
}

// vector applies H to x, then scales the result or brings it into sequency
// order.
func vector[F num.Float](x []F, scale float64, sequency bool) {
	if powerOfTwo(len(x)) && len(x) < parallelLength && !sequency {
		hadamard.Transform(x) // for short vectors the general path costs more than the transform
		if scale != 1 {
			hadamard.Scale(x, F(scale))
		}
		return
	}
	m := check(len(x), sequency)
	long(x, m, runtime.GOMAXPROCS(0))
	if scale != 1 || sequency {
		finish(num.Rows[F]{Data: x, N: 1, D: len(x), Stride: len(x)}, F(scale), sequency)
	}
}

// rows applies H to every row, then scales the rows or brings them into sequency
// order.
func rows[F num.Float](x num.Rows[F], workers int, scale float64, sequency bool) {
	if !x.Valid() {
		panic("fwht: rows do not fit their memory")
	}
	m := check(x.D, sequency)
	if x.N == 0 {
		return
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if x.N < workers && x.D >= parallelLength {
		for i := range x.N {
			long(x.Row(i), m, workers)
		}
		if scale != 1 || sequency {
			finish(x, F(scale), sequency)
		}
		return
	}
	batch(x, m, workers, F(scale), sequency)
}
