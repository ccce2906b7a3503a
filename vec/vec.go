package vec

import (
	"unsafe"

	"github.com/gramworks/gram/asm/codes"
	"github.com/gramworks/gram/asm/level2"
	kernels "github.com/gramworks/gram/asm/vec"
	"github.com/gramworks/gram/num"
)

// Exp sets dst[i] = exp(src[i]). dst is the slice src itself or does not overlap it. Exp panics
// if the lengths differ or the slices overlap otherwise, before anything is written.
func Exp[F num.Float](dst, src []F) {
	check(dst, src)
	kernels.Exp(dst, src)
}

// Log sets dst[i] = ln(src[i]). dst is the slice src itself or does not overlap it. Log panics
// if the lengths differ or the slices overlap otherwise, before anything is written.
func Log[F num.Float](dst, src []F) {
	check(dst, src)
	kernels.Log(dst, src)
}

// SinCos sets sin[i] and cos[i] to the sine and the cosine of src[i], an angle in
// radians. One of sin and cos may be the slice src itself. SinCos panics if the
// lengths differ or the slices overlap otherwise, before anything is written.
func SinCos[F num.Float](sin, cos, src []F) {
	check(sin, src)
	check(cos, src)
	if overlap(sin, cos) {
		panic("vec: slices overlap")
	}
	kernels.SinCos(sin, cos, src)
}

// Dot returns Σ x[i]·y[i], which is 0 for vectors without elements. x and y are only read and may
// overlap. Dot panics if the lengths differ.
func Dot[F num.Float](x, y []F) F {
	if len(x) != len(y) {
		panic("vec: lengths differ")
	}
	return level2.Dot(x, y)
}

// SquaredDistance returns the square of the Euclidean distance, Σ (x[i] − y[i])², which is 0 for
// vectors without elements. The differences are taken first, so that nothing cancels for vectors
// that are close to each other. x and y are only read and may overlap.
// SquaredDistance panics if the lengths differ.
func SquaredDistance[F num.Float](x, y []F) F {
	if len(x) != len(y) {
		panic("vec: lengths differ")
	}
	var sum F
	if len(x) < short {
		for i, v := range x {
			d := v - y[i]
			sum += F(d * d)
		}
		return sum
	}
	var room [block]F
	for len(x) > 0 {
		n := min(len(x), block)
		d := room[:n]
		copy(d, x)
		level2.Axpy(-1, y[:n], d) // x − y, rounded once whether or not the product is fused
		sum += level2.Dot(d, d)
		x, y = x[n:], y[n:]
	}
	return sum
}

// DotInt8 returns Σ x[i]·y[i] of numbers of 8 bits, without rounding, which is 0 for vectors without elements. x and y are only
// read and may overlap. DotInt8 panics if the lengths differ.
func DotInt8(x, y []int8) int {
	if len(x) != len(y) {
		panic("vec: lengths differ")
	}
	return codes.DotSigned(x, y)
}

// SquaredDistanceInt8 returns Σ (x[i] − y[i])² of numbers of 8 bits, without rounding. It is otherwise as DotInt8.
func SquaredDistanceInt8(x, y []int8) int {
	if len(x) != len(y) {
		panic("vec: lengths differ")
	}
	return codes.SquaresSigned(x, y)
}

const (
	short = 16  // below this length the calls of assembly cost more than they save
	block = 128 // differences that are kept on the stack
)

// check panics unless dst and src have one length and are one slice or do not overlap.
func check[F num.Float](dst, src []F) {
	if len(dst) != len(src) {
		panic("vec: lengths differ")
	}
	if len(dst) > 0 && &dst[0] != &src[0] && overlap(dst, src) {
		panic("vec: slices overlap")
	}
}

// overlap reports whether a and b, of one length, have an element in common.
func overlap[F num.Float](a, b []F) bool {
	if len(a) == 0 {
		return false
	}
	from, to := uintptr(unsafe.Pointer(&a[0])), uintptr(unsafe.Pointer(&b[0]))
	size := unsafe.Sizeof(a[0]) * uintptr(len(a))
	return from < to+size && to < from+size
}
