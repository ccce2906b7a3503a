// Package level2 has the kernels of vector and matrix-vector algebra: dot, axpy,
// scale, rank-one update, matrix-vector products, and the product of a symmetric
// matrix, of which one triangle is stored, or of four rows of it, with a vector. The
// last two read each element of the triangle once and use it twice. RotateRows
// applies the rotations of one sweep of QR iterations to eigenvectors, rows of a
// matrix: a row stays in registers between the two rotations that change it.
//
// The API of this package is not promised and may change in any version: programs link
// the packages vec and blas at the top of the module.
//
// Matrices are row-major with stride lda ≥ columns. Vectors are contiguous.
// Results must not overlap inputs. Slices have any alignment and at least the
// stated lengths; nothing beyond them is touched.
//
// Products with a zero factor are not skipped, so NaN and Inf propagate as in
// the formulas. The cases alpha = 0 and beta = 0 are left to the caller.
//
// # Accuracy class: reassociated
//
// Scale is exact: it rounds once per element, with the same bits on every level.
// In the other functions the level decides the order of the sum, and whether
// products are rounded before the sum. The error is at most n·u/(1−n·u)·Σ|aᵢbᵢ|
// for n terms, where u is half the distance from 1 to the next number. The order
// depends only on the lengths and the level: not on the alignment, on lda or on
// the position of a row. A row of GemvN gives the same bits for any number of
// rows.
//
// Several partial sums hide the latency of the additions, as in [L79] C. L.
// Lawson, R. J. Hanson, D. R. Kincaid and F. T. Krogh, Basic linear algebra
// subprograms for Fortran usage, ACM TOMS 5 (1979) 308–323, and its successors.
package level2
