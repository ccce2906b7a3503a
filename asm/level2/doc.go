// Package level2 holds the kernels of vector and matrix-vector algebra: dot,
// axpy, scale, rank-one update, matrix-vector products and four rows of the
// product of a symmetric matrix, of which one triangle is stored, with a vector:
// each element of the triangle is read once and used twice.
//
// Matrices are row-major with rows at distance lda ≥ columns. Vectors are
// contiguous. Results may not overlap inputs. Slices have any alignment and at
// least the lengths stated; nothing beyond them is touched.
//
// Nothing is skipped because a factor is zero: NaN and Inf propagate as the
// formulas say. It is for the caller to treat alpha = 0 or beta = 0.
//
// # Accuracy class: reassociated
//
// Scale is exact (one rounding per element, the same bits on every level). In
// the others a level chooses the order of the sum, so that an error is at most
// n·u/(1−n·u)·Σ|aᵢbᵢ| for n terms, u being half the distance from 1 to the next
// number, and products may or may not be rounded before the sum. The order
// depends on the lengths and the level alone: not on the alignment, on lda or on
// the position of a row, and a row of GemvN gives the same bits whatever the
// number of rows.
//
// The sums follow no single paper; several partial sums hide the latency of the
// additions, as in [L79] C. L. Lawson, R. J. Hanson, D. R. Kincaid and
// F. T. Krogh, Basic linear algebra subprograms for Fortran usage, ACM TOMS 5
// (1979) 308–323, and their successors.
package level2
