package gemm

import (
	"unsafe"

	"github.com/gramworks/gram/num"
)

const genericRows, genericCols = 4, 4

// tileGeneric defines Tile, except that assembly uses fused multiply-adds.
func tileGeneric[F num.Float](k int, a *F, ras, cas int, b *F, bs int, c *F, cs, m, n int, alpha, beta F) {
	as := unsafe.Slice(a, (genericRows-1)*ras+(k-1)*cas+1)
	bb := unsafe.Slice(b, (k-1)*bs+genericCols)
	cc := unsafe.Slice(c, (m-1)*cs+n)
	for i := 0; i < m; i += 2 {
		a0, a1 := as[i*ras:], as[(i+1)*ras:]
		var s00, s01, s02, s03, s10, s11, s12, s13 F
		for p := range k {
			x, y := a0[p*cas], a1[p*cas]
			r := (*[4]F)(bb[p*bs:])
			s00 += F(x * r[0])
			s01 += F(x * r[1])
			s02 += F(x * r[2])
			s03 += F(x * r[3])
			s10 += F(y * r[0])
			s11 += F(y * r[1])
			s12 += F(y * r[2])
			s13 += F(y * r[3])
		}
		s := [2][4]F{{s00, s01, s02, s03}, {s10, s11, s12, s13}}
		for q := range min(2, m-i) {
			row := cc[(i+q)*cs:]
			if beta == 0 {
				for j := range n {
					row[j] = alpha * s[q][j]
				}
				continue
			}
			for j := range n {
				row[j] = F(alpha*s[q][j]) + F(beta*row[j])
			}
		}
	}
}

// packRowsGeneric packs a panel of m ≤ w lines whose elements are contiguous
// for each p.
func packRowsGeneric[F num.Float](dst, x []F, ps, m, k, w int) {
	for p := range k {
		d := dst[p*w : p*w+w]
		clear(d[copy(d, x[p*ps:p*ps+m]):])
	}
}
