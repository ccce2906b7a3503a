package blas

import gblas "gonum.org/v1/gonum/blas"

// inverseColumns is how many columns of the inverse are solved for at a time.
const inverseColumns = 64

// Dgetri overwrites the factors of Dgetrf in a with the inverse of A: X·L = U⁻¹ is solved
// for X, block of columns by block, and the interchanges are undone (LAPACK's method; N. J.
// Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 14.3, method B).
// It returns false, and leaves a as it is, if an element on the diagonal of U is zero.
// It takes 4n³/3 flops and cannot be interrupted.
func (l nativeLapack) Dgetri(n int, a []float64, lda int, ipiv []int, work []float64, lwork int) (ok bool) {
	if n <= 0 || !hasWork(n, work, lwork) || len(ipiv) != n || !fits(n, n, a, lda) {
		return l.Implementation.Dgetri(n, a, lda, ipiv, work, lwork)
	}
	for i := range n {
		if a[i*lda+i] == 0 {
			return false
		}
	}
	f := implementation{b: l.b}
	invertUpper(f, n, a, lda)
	nb := min(n, inverseColumns)
	buf := take[float64](n * nb)
	defer give(buf)
	low := *buf // the columns of L
	for j := (n - 1) / nb * nb; j >= 0; j -= nb {
		w := min(nb, n-j)
		for i := j + 1; i < n; i++ {
			row := a[i*lda+j:][:min(w, i-j)]
			copy(low[i*nb:], row)
			clear(row)
		}
		if next := j + w; next < n {
			f.Dgemm(gblas.NoTrans, gblas.NoTrans, n, w, n-next, -1, a[next:], lda, low[next*nb:], nb, 1, a[j:], lda)
		}
		f.Dtrsm(gblas.Right, gblas.Lower, gblas.NoTrans, gblas.Unit, n, w, 1, low[j*nb:], nb, a[j:], lda)
	}
	for i := range n {
		row := a[i*lda:][:n]
		for j := n - 2; j >= 0; j-- {
			p := ipiv[j]
			row[j], row[p] = row[p], row[j]
		}
	}
	work[0] = float64(lwork)
	return true
}

// invertUpper overwrites the upper triangle of A, without zeros on the diagonal, with its
// inverse, by halves.
func invertUpper(f implementation, n int, a []float64, lda int) {
	if n > triBase {
		n1 := half(n)
		corner, rest := a[n1:], a[n1*lda+n1:]
		f.Dtrsm(gblas.Right, gblas.Upper, gblas.NoTrans, gblas.NonUnit, n1, n-n1, -1, rest, lda, corner, lda)
		invertUpper(f, n1, a, lda)
		invertUpper(f, n-n1, rest, lda)
		f.Dtrmm(gblas.Left, gblas.Upper, gblas.NoTrans, gblas.NonUnit, n1, n-n1, 1, a, lda, corner, lda)
		return
	}
	// From the last row to the first, row i of U·X = I.
	for i := n - 1; i >= 0; i-- {
		row := a[i*lda:][:n]
		inverse := 1 / row[i]
		var sum [triBase]float64
		for k := i + 1; k < n; k++ {
			u := row[k]
			for j, x := range a[k*lda+k : k*lda+n] {
				sum[k+j] += float64(u * x)
			}
		}
		row[i] = inverse
		for j := i + 1; j < n; j++ {
			row[j] = -inverse * sum[j]
		}
	}
}
