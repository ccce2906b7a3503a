package peak

import (
	"unsafe"

	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
)

//go:generate go run github.com/gramworks/gram/internal/neon/gen
//go:generate go run github.com/gramworks/gram/asm/gen

const (
	maxRounds = 4096     // in one call of an assembly loop: some 40 µs
	maxBytes  = 64 << 10 // in one call of a loop over memory
)

// Width returns the number of which the length of x in FMA, Add and Mix must be
// a multiple: 192 for float64, 384 for float32.
func Width[F num.Float]() int { return 1536 / int(unsafe.Sizeof(F(0))) }

// FMA adds a·b to every element of x, rounds times: 2·rounds·len(x) flops. It
// panics if len(x) is not a multiple of Width.
func FMA[F num.Float](x []F, a, b F, rounds int) {
	inRegisters(x, rounds, func(x []F, rounds int) { fma(x, a, b, rounds) })
}

// Add adds b to every element of x, rounds times: rounds·len(x) flops. It
// panics if len(x) is not a multiple of Width.
func Add[F num.Float](x []F, b F, rounds int) {
	inRegisters(x, rounds, func(x []F, rounds int) { add(x, b, rounds) })
}

// Mix adds b and a·b to every element of x, rounds times: as many additions as
// multiply-adds, rounds·len(x) of each. If the CPU has separate units for the
// two, Mix does more additions per second than Add, counting a multiply-add as
// an addition. It panics if len(x) is not a multiple of Width.
func Mix[F num.Float](x []F, a, b F, rounds int) {
	inRegisters(x, rounds, func(x []F, rounds int) { mix(x, a, b, rounds) })
}

// inRegisters calls loop for the parts of x that stay in registers.
func inRegisters[F num.Float](x []F, rounds int, loop func(x []F, rounds int)) {
	if len(x)%Width[F]() != 0 {
		panic("peak: length is not a multiple of Width")
	}
	race.Write(x)
	for w := Width[F](); len(x) > 0; x = x[w:] {
		for left := rounds; left > 0; left -= maxRounds {
			loop(x[:w:w], min(left, maxRounds))
		}
	}
}

// Sum returns the sum of x. It measures how fast memory can be read.
func Sum[F num.Float](x []F) F {
	race.Read(x)
	var s F
	for len(x) > 0 {
		c := min(chunk[F](), len(x))
		s += sum(x[:c])
		x = x[c:]
	}
	return s
}

// Copy copies src to dst. It panics if the lengths differ.
func Copy[F num.Float](dst, src []F) {
	if len(dst) != len(src) {
		panic("peak: lengths differ")
	}
	race.Read(src)
	race.Write(dst)
	for len(src) > 0 {
		c := min(chunk[F](), len(src))
		move(dst[:c], src[:c])
		dst, src = dst[c:], src[c:]
	}
}

// Shift adds b to every element of x.
func Shift[F num.Float](x []F, b F) {
	race.Write(x)
	for len(x) > 0 {
		c := min(chunk[F](), len(x))
		shift(x[:c], b)
		x = x[c:]
	}
}

// Fill sets every element of dst to v.
func Fill[F num.Float](dst []F, v F) {
	race.Write(dst)
	for len(dst) > 0 {
		c := min(chunk[F](), len(dst))
		fill(dst[:c], v)
		dst = dst[c:]
	}
}

// Stream sets every element of dst to v with stores that bypass the caches. In pure
// Go it stores as Fill does, and at NEON a CPU may ignore that the caches need not keep
// what they write.
func Stream[F num.Float](dst []F, v F) {
	race.Write(dst)
	size := int(unsafe.Sizeof(v))
	for len(dst) > 0 {
		c := min(chunk[F](), len(dst))
		part := dst[:c]
		dst = dst[c:]
		// The assembly takes whole lines at aligned addresses. If the address is
		// not a multiple of the element size, there are none.
		toLine := int(-uintptr(unsafe.Pointer(&part[0])) % 64)
		head := toLine / size
		if body := (c - head) &^ (256/size - 1); toLine%size == 0 && body > 0 {
			fill(part[:head], v)
			stream(part[head:head+body], v)
			part = part[head+body:]
		}
		fill(part, v)
	}
}

func chunk[F num.Float]() int { return maxBytes / int(unsafe.Sizeof(F(0))) }
