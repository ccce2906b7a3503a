// Package haar computes Haar transforms of vectors and of the rows of matrices,
// float32 and float64: H·x for the unnormalized matrix with entries 0 and ±1,
// the orthonormal transform, both inverses and the transpose.
//
// # The matrix
//
// H₁ = (1) and
//
//	H₂ₙ = | Hₙ ⊗ (1  1) |
//	      | Iₙ ⊗ (1 −1) |
//
// as in [S16]: rows from coarse to fine. Row 0 is all ones; row q ≥ 1 with
// l = ⌊log₂q⌋ is +1 on the first half and −1 on the second half of the d/2ˡ
// columns from (q−2ˡ)·d/2ˡ on, and 0 elsewhere. So
//
//	H·Hᵀ = diag(d, d/2^⌊log₂q⌋),   H⁻¹ = Hᵀ·(H·Hᵀ)⁻¹,   Q = (H·Hᵀ)^−½·H is orthonormal.
//
//	H₄ = | 1  1  1  1 |
//	     | 1  1 −1 −1 |
//	     | 1 −1  0  0 |
//	     | 0  0  1 −1 |
//
// The transform that other libraries call Haar wavelet decomposition to the last
// level, coefficients from coarse to fine, is Q (PyWavelets: wavedec(x, 'haar')).
//
// # Lengths
//
// Lengths are powers of two. For others, the row is continued by zeros to Pad(d)
// elements; there are no other boundary modes. Zeros change none of the inner
// products and none of the norms of what is transformed orthonormally.
//
// # Cost
//
// 2(d−1) additions a row, and d multiplications where the result is scaled; one
// sweep over a row that fits the cache. Vectors and rows are transformed in
// place with a scratch area of half a row, which is kept between calls.
//
// # Accuracy class: exact
//
// All levels of package asm/cpu and any number of workers give the same bits,
// and on integers (as long as sums stay below 2²⁴ for float32, 2⁵³ for float64)
// the result of Transform, Transpose and, after Transform, Inverse is exact.
// Otherwise the error of an element is at most (log₂d+2)·u·c·Σ|xⱼ| over the
// columns of its row, u being the unit round-off and c its scale factor.
//
// References:
//
// [S16] S. Si, Large-scale non-linear prediction with applications, PhD
// thesis, The University of Texas at Austin, 2016, section 4.2.
package haar
