package peak

import "github.com/gramworks/gram/num"

// fmaGeneric keeps four chains. An addition takes four cycles on current CPUs,
// so a multiplication and an addition per step are enough to keep two units
// busy, and the compiler, which puts the products first, has no registers for
// more chains. The factors are read from memory whose values the compiler
// cannot know to be equal; otherwise it would multiply once for all chains.
func fmaGeneric[F num.Float](x []F, a F, b *[4]F, rounds int) {
	b0, b1, b2, b3 := b[0], b[1], b[2], b[3]
	for ; len(x) >= 4; x = x[4:] {
		x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
		for range rounds {
			x0 += F(a * b0)
			x1 += F(a * b1)
			x2 += F(a * b2)
			x3 += F(a * b3)
		}
		x[0], x[1], x[2], x[3] = x0, x1, x2, x3
	}
}

func addGeneric[F num.Float](x []F, b F, rounds int) {
	for ; len(x) >= 12; x = x[12:] {
		x0, x1, x2, x3, x4, x5 := x[0], x[1], x[2], x[3], x[4], x[5]
		x6, x7, x8, x9, xa, xb := x[6], x[7], x[8], x[9], x[10], x[11]
		for range rounds {
			x0 += b
			x1 += b
			x2 += b
			x3 += b
			x4 += b
			x5 += b
			x6 += b
			x7 += b
			x8 += b
			x9 += b
			xa += b
			xb += b
		}
		x[0], x[1], x[2], x[3], x[4], x[5] = x0, x1, x2, x3, x4, x5
		x[6], x[7], x[8], x[9], x[10], x[11] = x6, x7, x8, x9, xa, xb
	}
}

// mixGeneric keeps four chains for the same reason as fmaGeneric.
func mixGeneric[F num.Float](x []F, a F, b *[4]F, rounds int) {
	b0, b1, b2, b3 := b[0], b[1], b[2], b[3]
	for ; len(x) >= 4; x = x[4:] {
		x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
		for range rounds {
			x0 += b0
			x1 += b1
			x2 += b2
			x3 += b3
			x0 += F(a * b0)
			x1 += F(a * b1)
			x2 += F(a * b2)
			x3 += F(a * b3)
		}
		x[0], x[1], x[2], x[3] = x0, x1, x2, x3
	}
}

func sumGeneric[F num.Float](x []F) F {
	var s0, s1, s2, s3, s4, s5, s6, s7 F
	for ; len(x) >= 8; x = x[8:] {
		s0 += x[0]
		s1 += x[1]
		s2 += x[2]
		s3 += x[3]
		s4 += x[4]
		s5 += x[5]
		s6 += x[6]
		s7 += x[7]
	}
	for _, v := range x {
		s0 += v
	}
	return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
}

func moveGeneric[F num.Float](dst, src []F) {
	for ; len(src) >= 4 && len(dst) >= 4; dst, src = dst[4:], src[4:] {
		dst[0], dst[1], dst[2], dst[3] = src[0], src[1], src[2], src[3]
	}
	copy(dst, src)
}

func shiftGeneric[F num.Float](x []F, b F) {
	for ; len(x) >= 4; x = x[4:] {
		x[0] += b
		x[1] += b
		x[2] += b
		x[3] += b
	}
	for i := range x {
		x[i] += b
	}
}

func fillGeneric[F num.Float](dst []F, v F) {
	for ; len(dst) >= 4; dst = dst[4:] {
		dst[0], dst[1], dst[2], dst[3] = v, v, v, v
	}
	for i := range dst {
		dst[i] = v
	}
}

func four[F num.Float](b F) *[4]F { return &[4]F{b, b, b, b} }
