// Package haar computes Haar transforms of vectors, of the rows and columns of matrices and of matrices, in
// float64 and float32. They split a signal into its mean and its differences at scales that are powers
// of two, in a time proportional to its length. There are H·x for the unnormalized matrix with
// entries 0 and ±1, the orthonormal transform, both inverses and the transpose. The same
// input gives the same bits on every machine.
//
// # The matrix
//
// H₁ = (1) and
//
//	H₂ₙ = | Hₙ ⊗ (1  1) |
//	      | Iₙ ⊗ (1 −1) |
//
// as in [S16], with rows from coarse to fine. Row 0 is all ones. Row q ≥ 1 with l
// = ⌊log₂q⌋ has its nonzero elements in the d/2ˡ columns from (q−2ˡ)·d/2ˡ on: +1
// in the first half of them and −1 in the second half. So
//
//	H·Hᵀ = diag(d, d/2^⌊log₂q⌋),   H⁻¹ = Hᵀ·(H·Hᵀ)⁻¹,   Q = (H·Hᵀ)^−½·H is orthonormal.
//
//	H₄ = | 1  1  1  1 |
//	     | 1  1 −1 −1 |
//	     | 1 −1  0  0 |
//	     | 0  0  1 −1 |
//
// Q is what other libraries call the Haar wavelet decomposition to the last
// level, with coefficients from coarse to fine (PyWavelets: wavedec(x, 'haar')).
//
// # Lengths, levels and matrices
//
// The functions take lengths that are powers of two and do all levels. Rows of other lengths are continued by zeros to
// Pad(d) elements; the zeros change neither inner products nor norms, and the orthonormal transform keeps both. A
// Decomposition takes any length, does a given number of levels, and says what continues odd lengths, for
// vectors, rows and columns (PyWavelets: wavedec). A Pyramid is the nonstandard decomposition of a matrix (wavedec2), of rows
// and columns level by level; the standard one (fswavedecn) is a Decomposition of the rows and one of the columns.
//
// # Cost
//
// A row takes 2(d−1) additions, and d multiplications where the result is scaled.
// Vectors and rows are transformed in place with a scratch area of half a row,
// which is kept between calls, as is that of decompositions and pyramids: 3/4 of a row, 3/2 of a panel of columns or 5/16 of
// a matrix.
//
// # Accuracy class: exact
//
// All levels of package asm/cpu, all architectures and any number of workers give the
// same bits. On integers the results of Transform, Transpose and, after Transform,
// Inverse are exact as long as sums stay below 2²⁴ (float32) or 2⁵³ (float64).
// Otherwise the error of element q is at most (log₂d+2)·u·c·Σ|xⱼ| over the columns in
// which row q is not zero, where u is the unit round-off and c the scale factor of the
// row.
//
// # References
//
// [S16] S. Si, Large-scale non-linear prediction with applications, PhD
// thesis, The University of Texas at Austin, 2016, section 4.2.
package haar
