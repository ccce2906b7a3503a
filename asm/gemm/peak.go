package gemm

import "math"

// Peak performs n ≥ 1 rounds of independent float64 multiply-adds in registers
// and returns the number of floating-point operations: timed, it is the ceiling
// of the products at the level in force. The ceiling of float32 is twice as
// high with assembly. n = 10 000 takes about 50 µs.
func Peak(n int) (flops float64) {
	if n < 1 {
		panic("gemm: no rounds")
	}
	return peak(n)
}

// peakGeneric adds and multiplies in eight chains.
func peakGeneric(n int) float64 {
	var s [8]float64
	x := 1 / float64(n)
	s0, s1, s2, s3, s4, s5, s6, s7 := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
	for range n {
		s0 += float64(x * s0)
		s1 += float64(x * s1)
		s2 += float64(x * s2)
		s3 += float64(x * s3)
		s4 += float64(x * s4)
		s5 += float64(x * s5)
		s6 += float64(x * s6)
		s7 += float64(x * s7)
	}
	if math.IsNaN(s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7) {
		panic("gemm: peak") // keeps the sums alive
	}
	return 16 * float64(n)
}
