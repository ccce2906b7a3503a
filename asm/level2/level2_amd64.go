//go:build !noasm

package level2

import "github.com/gramworks/gram/num"

func substituteAVX512[F num.Float](b []F, ldb, n, k int, t []F, rs, cs int, d *[8]F, back bool) {
	if back {
		r := reversed(d)
		solveAVX512(&b[(k+7)*ldb], -ldb, n, k, &t[7*rs+(k+7)*cs], -rs, -cs, &r[0])
		return
	}
	solveAVX512(&b[0], ldb, n, k, &t[0], rs, cs, &d[0])
}

func substituteAVX2[F num.Float](b []F, ldb, n, k int, t []F, rs, cs int, d *[8]F, back bool) {
	if back {
		r := reversed(d)
		solveAVX2(&b[(k+7)*ldb], -ldb, n, k, &t[7*rs+(k+7)*cs], -rs, -cs, &r[0])
		return
	}
	solveAVX2(&b[0], ldb, n, k, &t[0], rs, cs, &d[0])
}

func rotateRowsAVX512[F num.Float](a []F, lda, n int, c, s []F, back bool) {
	first, lda := firstRow(len(c), lda, back)
	rotateAVX512(&a[first], lda, n, c, s)
}

func rotateRowsAVX2[F num.Float](a []F, lda, n int, c, s []F, back bool) {
	first, lda := firstRow(len(c), lda, back)
	rotateAVX2(&a[first], lda, n, c, s)
}
