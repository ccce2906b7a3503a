package gemm

import (
	"unsafe"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
)

// Many computes what Tile computes for count products of one shape: matrix q of A begins at a[q·am], of B at
// b[q·bm] and of C at c[q·cm]. Any m, n and k ≥ 1 are possible, count ≥ 0, and nothing beyond the elements is read.
// It is for up to some 32 rows and columns, and k up to K. The matrices of C must not overlap each other, nor A or
// B; those of A, and those of B, may. No bit depends on which of the functions of this package computes a product.
func Many[F num.Float](count, k int, a []F, ras, cas, am int, b []F, bs, bm int, c []F, cs, cm, m, n int, alpha, beta F) {
	if m < 1 || n < 1 || k < 1 || count < 0 {
		panic("gemm: bad size of a product")
	}
	if count == 0 {
		return
	}
	_ = a[(count-1)*am+(m-1)*ras+(k-1)*cas]
	_ = b[(count-1)*bm+(k-1)*bs+n-1]
	_ = c[(count-1)*cm+(m-1)*cs+n-1]
	if race.Enabled {
		for q := range count {
			if ras == 1 {
				race.ReadRows(a[q*am:], k, cas, m)
			} else {
				race.ReadRows(a[q*am:], m, ras, (k-1)*cas+1) // and the elements between them
			}
			race.ReadRows(b[q*bm:], k, bs, n)
			race.WriteRows(c[q*cm:], m, cs, n)
		}
	}
	put := 2 // what the assembly does with a sum: it is stored, multiplied by alpha, or added to beta·C
	switch {
	case beta == 0 && alpha == 1:
		put = 0
	case beta == 0:
		put = 1
	}
	w := 64 / int(unsafe.Sizeof(F(0))) // two vectors of AVX2, one of AVX-512 or two
	if n > w && cpu.Current() == cpu.AVX512 {
		w *= 2
	}
	if n <= w && count*m*n*k <= manyTogether {
		many(count, k, a, ras, cas, am, b, bs, bm, c, cs, cm, m, n, put, alpha, beta)
		return
	}
	together := max(1, manyTogether/(m*n*k))
	for q := 0; q < count; q += together {
		some := min(together, count-q)
		for j := 0; j < n; j += w {
			many(some, k, a[q*am:], ras, cas, am, b[q*bm+j:], bs, bm, c[q*cm+j:], cs, cm, m, min(w, n-j), put, alpha, beta)
		}
	}
}

// manyTogether is how many multiply-adds with one vector of columns are done in one call of assembly, before the next
// vector: A and B are still near then.
const manyTogether = 1 << 14

// manyGeneric defines Many, except that assembly uses fused multiply-adds.
func manyGeneric[F num.Float](count, k int, a []F, ras, cas, am int, b []F, bs, bm int, c []F, cs, cm, m, n, put int, alpha, beta F) {
	for q := range count {
		for i := range m {
			row := c[q*cm+i*cs:][:n]
			for j := range row {
				var s F
				for p := range k {
					s += F(a[q*am+i*ras+p*cas] * b[q*bm+p*bs+j])
				}
				if put == 2 {
					row[j] = F(alpha*s) + F(beta*row[j])
				} else {
					row[j] = alpha * s
				}
			}
		}
	}
}
