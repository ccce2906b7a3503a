// Package num holds the number types and the row views on which every layer of
// the module works. It imports nothing but unsafe, so a program that uses one transform
// links little more than that transform. Package gram has aliases of these
// types. A Tree merges values in an order that depends on their number alone, so that sums in pieces
// have the bits of the whole.
package num

import "unsafe"

// Float is the constraint of the number types that the engine works on.
type Float interface{ float32 | float64 }

// Rows is a row-major view of an N×D matrix: row i is Data[i*Stride : i*Stride+D].
// Copying a Rows copies the view, not the numbers.
type Rows[F Float] struct {
	Data         []F
	N, D, Stride int
}

// MakeRows returns a zeroed n×d matrix without gaps between the rows. The stride
// is at least 1, so that rows without columns can be sliced, too.
func MakeRows[F Float](n, d int) Rows[F] {
	stride := max(1, d)
	return Rows[F]{Data: make([]F, n*stride), N: n, D: d, Stride: stride}
}

// Row returns row i as a slice of length D that shares r's memory.
func (r Rows[F]) Row(i int) []F {
	return r.Data[i*r.Stride : i*r.Stride+r.D : i*r.Stride+r.D]
}

// Slice returns the rows lo … hi−1 as a view that shares r's memory.
func (r Rows[F]) Slice(lo, hi int) Rows[F] {
	if lo == hi {
		return Rows[F]{D: r.D, Stride: r.Stride}
	}
	return Rows[F]{Data: r.Data[lo*r.Stride : (hi-1)*r.Stride+r.D], N: hi - lo, D: r.D, Stride: r.Stride}
}

// Valid reports whether the view's shape fits its memory: N, D ≥ 0,
// Stride ≥ max(1, D) and Data long enough for the last row.
func (r Rows[F]) Valid() bool {
	if r.N < 0 || r.D < 0 || r.Stride < max(1, r.D) {
		return false
	}
	return r.N == 0 || len(r.Data) >= (r.N-1)*r.Stride+r.D
}

// Overlap reports whether a and b have numbers in common. Of views with the same stride, such as
// different columns of one matrix, the gaps between rows do not count. Of others they do.
func Overlap[F Float](a, b Rows[F]) bool {
	if a.N == 0 || b.N == 0 || a.D == 0 || b.D == 0 {
		return false
	}
	size := unsafe.Sizeof(a.Data[0])
	from := func(r Rows[F]) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(r.Data))) / size }
	to := func(r Rows[F]) uintptr { return from(r) + uintptr((r.N-1)*r.Stride+r.D) }
	if from(a) >= to(b) || from(b) >= to(a) {
		return false
	}
	stride := a.Stride
	if a.N == 1 {
		stride = b.Stride
	}
	if b.N > 1 && b.Stride != stride {
		return true
	}
	// b begins so many columns behind a, in a matrix whose rows are as long as the stride.
	behind := (int(from(b)-from(a))%stride + stride) % stride
	return behind < a.D || behind+b.D > stride
}
