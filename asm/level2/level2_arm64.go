//go:build !noasm

package level2

import "github.com/gramworks/gram/num"

// gerNEON adds (alpha·x[i])·y to row i of A, with one call of axpy for each row.
func gerNEON[F num.Float](a []F, lda int, x, y []F, alpha F) {
	for i, v := range x {
		axpyNEON(a[i*lda:][:len(y)], y, alpha*v)
	}
}

func substituteNEON[F num.Float](b []F, ldb, n, k int, t []F, rs, cs int, d *[8]F, back bool) {
	if back {
		r := reversed(d)
		solveNEON(&b[(k+7)*ldb], -ldb, n, k, &t[7*rs+(k+7)*cs], -rs, -cs, &r[0])
		return
	}
	solveNEON(&b[0], ldb, n, k, &t[0], rs, cs, &d[0])
}

func rotateRowsNEON[F num.Float](a []F, lda, n int, c, s []F, back bool) {
	first, lda := firstRow(len(c), lda, back)
	rotateNEON(&a[first], lda, n, c, s)
}
