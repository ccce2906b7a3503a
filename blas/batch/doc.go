// Package batch works on many small matrices of one shape, of up to 32 rows and columns, in one call: products,
// Cholesky and LU factors, systems, inverses, determinants, and symmetric eigenproblems.
//
// A call for each matrix spends its time on arguments and on vectors that are not full. Mul here is one loop of
// assembly over all matrices; the other functions work on eight matrices at a time, each in a lane of the
// vectors (package asm/lanes). The matrices stand in one slice at a fixed distance, or in slices of their own (Matrices.Each):
// then Mul calls the assembly for each product.
//
// # Limits
//
// Numbers are float64. A call runs on the goroutine that makes it and cannot be interrupted: divide a batch with
// Slice to use several goroutines or to look at a context in between.
//
// # Which bits
//
// The result for a matrix depends on this matrix alone, not on the others nor on its place, so that a batch of one gives
// the same bits. Those of Mul are the bits of Dgemm of package blas's Native. The other functions round
// differently from LAPACK's. Results are the same at AVX2 and AVX-512, and differ from those in pure Go by rounding.
//
// # Accuracy
//
// Cholesky and LU factors and solutions have the backward errors of the usual algorithms, some n units in the last place.
// Eigenvectors come from rotations (C. G. J. Jacobi's method), which stop when every element off the diagonal is less than 2⁻⁵⁴
// of the smaller of its diagonal elements: small eigenvalues of positive definite matrices with rows of different scale, D·B·D
// for a diagonal D and a well conditioned B, are right to about n units in their last place, which those of LAPACK's
// dsyev are not (J. Demmel, K. Veselić. Jacobi's method is more accurate than QR. SIAM J. Matrix Anal. Appl. 13, 1992).
package batch
