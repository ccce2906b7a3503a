package blas

import gblas "gonum.org/v1/gonum/blas"

// The checks of arguments that gonum's BLAS makes, with its messages.

func check(ok bool, message string) {
	if !ok {
		panic(message)
	}
}

func checkTrans(t gblas.Transpose) bool {
	check(t == gblas.NoTrans || t == gblas.Trans || t == gblas.ConjTrans, "blas: illegal transpose")
	return t != gblas.NoTrans
}

func checkUplo(u gblas.Uplo) triangle {
	check(u == gblas.Lower || u == gblas.Upper, "blas: illegal triangle")
	if u == gblas.Lower {
		return lower
	}
	return upper
}

func checkSide(s gblas.Side) (left bool) {
	check(s == gblas.Left || s == gblas.Right, "blas: illegal side")
	return s == gblas.Left
}

func checkDiag(d gblas.Diag) (unit bool) {
	check(d == gblas.NonUnit || d == gblas.Unit, "blas: illegal diagonal")
	return d == gblas.Unit
}

func checkM(m int) { check(m >= 0, "blas: m < 0") }
func checkN(n int) { check(n >= 0, "blas: n < 0") }
func checkK(k int) { check(k >= 0, "blas: k < 0") }

func checkInc(incX, incY int) {
	check(incX != 0, zeroIncX)
	check(incY != 0, zeroIncY)
}

func checkLd(ld, cols int, name string) {
	check(ld >= max(1, cols), name)
}

const (
	badLdA  = "blas: bad leading dimension of A"
	badLdB  = "blas: bad leading dimension of B"
	badLdC  = "blas: bad leading dimension of C"
	shortA  = "blas: insufficient length of a"
	shortB  = "blas: insufficient length of b"
	shortC  = "blas: insufficient length of c"
	shortAP = "blas: insufficient length of ap"
	shortX  = "blas: insufficient length of x"
	shortY  = "blas: insufficient length of y"

	zeroIncX = "blas: zero x index increment"
	zeroIncY = "blas: zero y index increment"
)

// checkLen panics with the message name unless rows×cols elements at distance ld fit the length.
func checkLen(length, rows, cols, ld int, name string) {
	check(rows == 0 || cols == 0 || length >= (rows-1)*ld+cols, name)
}
