package sketch

import "math"

// FromFloat16 converts numbers of IEEE 754 binary16, as their bits, to float32, without
// error. dst is as long as src; it panics if not.
// It is not promised: see Codes for vector search in the package comment.
func FromFloat16(dst []float32, src []uint16) {
	checkHalf(len(dst), len(src))
	for i, h := range src {
		sign, magnitude := uint32(h&0x8000)<<16, uint32(h&0x7fff)
		switch {
		case magnitude >= 0x7c00: // infinite, or NaN, which keeps its bits
			magnitude = magnitude<<13 | 0x7f800000
		case magnitude >= 0x0400:
			magnitude = magnitude<<13 + (127-15)<<23
		default: // a multiple of the least denormal, 2⁻²⁴
			magnitude = math.Float32bits(float32(magnitude) * 0x1p-24)
		}
		dst[i] = math.Float32frombits(sign | magnitude)
	}
}

// ToFloat16 rounds float32 numbers to the nearest of IEEE 754 binary16, ties to even, and
// returns their bits in dst. Numbers of magnitude 65 520 and more become infinite; NaN
// stays NaN. dst is as long as src; it panics if not.
// It is not promised: see Codes for vector search in the package comment.
func ToFloat16(dst []uint16, src []float32) {
	checkHalf(len(dst), len(src))
	for i, v := range src {
		b := math.Float32bits(v)
		sign, magnitude := uint16(b>>16)&0x8000, b&0x7fffffff
		var h uint16
		switch {
		case magnitude > 0x7f800000:
			h = 0x7e00 | uint16(magnitude>>13)&0x03ff
		case magnitude >= 0x477ff000: // 65 520
			h = 0x7c00
		case magnitude >= 0x38800000: // 2⁻¹⁴, the least normal number
			// The exponent is part of the integer that is rounded, so that a carry raises it.
			h = uint16((magnitude - (127-15)<<23 + 0x0fff + magnitude>>13&1) >> 13)
		default:
			// Adding 1/2 rounds to multiples of 2⁻²⁴, which are the last bits of the sum.
			h = uint16(math.Float32bits(math.Float32frombits(magnitude)+.5) - math.Float32bits(.5))
		}
		dst[i] = sign | h
	}
}

// FromBFloat16 converts numbers of bfloat16, the upper half of a float32, to float32. dst
// is as long as src; it panics if not.
// It is not promised: see Codes for vector search in the package comment.
func FromBFloat16(dst []float32, src []uint16) {
	checkHalf(len(dst), len(src))
	for i, h := range src {
		dst[i] = math.Float32frombits(uint32(h) << 16)
	}
}

// ToBFloat16 rounds float32 numbers to the nearest of bfloat16, ties to even, and returns
// their bits in dst. NaN stays NaN. dst is as long as src; it panics if not.
// It is not promised: see Codes for vector search in the package comment.
func ToBFloat16(dst []uint16, src []float32) {
	checkHalf(len(dst), len(src))
	for i, v := range src {
		b := math.Float32bits(v)
		if v != v {
			dst[i] = uint16(b>>16) | 0x40
			continue
		}
		dst[i] = uint16((b + 0x7fff + b>>16&1) >> 16)
	}
}

func checkHalf(dst, src int) {
	if dst != src {
		panic("sketch: the rows of two number types have not the same length")
	}
}
