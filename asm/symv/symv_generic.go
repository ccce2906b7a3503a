package symv

import (
	"unsafe"

	"github.com/gramworks/gram/num"
)

// panelGeneric is the definition of Panel; it adds to s.
func panelGeneric[F num.Float](n int, a *F, lda int, x, y *F, xr, s *[4]F) {
	all := unsafe.Slice(a, 3*lda+n)
	a0, a1, a2, a3 := all[:n], all[lda:lda+n], all[2*lda:2*lda+n], all[3*lda:3*lda+n]
	xs, ys := unsafe.Slice(x, n), unsafe.Slice(y, n)
	x0, x1, x2, x3 := xr[0], xr[1], xr[2], xr[3]
	var s0, s1, s2, s3 F
	for j, v := range xs {
		s0 += F(a0[j] * v)
		s1 += F(a1[j] * v)
		s2 += F(a2[j] * v)
		s3 += F(a3[j] * v)
		ys[j] += F(x0*a0[j]) + F(x1*a1[j]) + F(x2*a2[j]) + F(x3*a3[j])
	}
	s[0] += s0
	s[1] += s1
	s[2] += s2
	s[3] += s3
}
