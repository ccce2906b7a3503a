package blas

import (
	"github.com/gramworks/gram/asm/level2"
	gblas "gonum.org/v1/gonum/blas"
)

// factorQR overwrites the m×n matrix A with R in and above the diagonal and the
// vectors of the reflectors H₀·H₁·… = Q below it.
func (f implementation) factorQR(m, n int, a []float64, lda int, tau []float64) {
	buf := take[float64](reflectorBlock * (m + 2*n))
	defer give(buf)
	panel, space := (*buf)[:reflectorBlock*m], (*buf)[reflectorBlock*m:]
	r := reflectors{f: f}
	for i := 0; i < min(m, n); i += reflectorBlock {
		k, rows, rest := min(reflectorBlock, min(m, n)-i), m-i, a[i*lda+i:]
		p := panel[:k*rows]
		transpose(rows, k, rest, lda, p, rows)
		panelQR(k, rows, p, tau[i:])
		transpose(k, rows, p, rows, rest, lda)
		if i+k == n {
			break
		}
		for q := range k { // what lies before the vectors is R
			row := p[q*rows:]
			clear(row[:q])
			row[q] = 1
		}
		r.set(k, rows, p, rows, tau[i:])
		r.left(gblas.Trans, n-i-k, rest[k:], lda, space)
	}
}

// panelQR factors the matrix whose k columns of n elements are the rows of p.
func panelQR(k, n int, p []float64, tau []float64) {
	var buf [reflectorBlock]float64
	for q := range k {
		v := p[q*n+q : (q+1)*n]
		beta, t := reflector(v)
		tau[q] = t
		if w := buf[:k-q-1]; len(w) > 0 && t != 0 {
			clear(w)
			others := p[(q+1)*n+q:]
			level2.GemvN(w, others, n, v, 1)
			level2.Ger(others, n, w, v, -t)
		}
		v[0] = beta
	}
}

// rowsTimesQ overwrites the m×n matrix C with C·Qᵀ for the product Q of k
// reflectors in the columns of a. block holds n·reflectorBlock numbers, space
// 2·m·reflectorBlock.
func (f implementation) rowsTimesQ(m, n int, c []float64, ldc, k int, a []float64, lda int, tau, block, space []float64) {
	r := reflectors{f: f}
	for i := (k+reflectorBlock-1)/reflectorBlock*reflectorBlock - reflectorBlock; i >= 0; i -= reflectorBlock {
		r.columns(min(reflectorBlock, k-i), n-i, a[i*lda+i:], lda, tau[i:], block)
		r.right(gblas.Trans, m, c[i:], ldc, space)
	}
}
