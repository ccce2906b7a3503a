// Package haar has the kernels of the Haar transform, forward and backward, for
// one row or a batch of rows with a stride, in float32 and float64.
//
// The API of this package is not promised and may change in any version: programs link
// the package haar at the top of the module.
//
// # Mathematics
//
// H₁ = (1) and
//
//	H₂ₙ = | Hₙ ⊗ (1  1) |
//	      | Iₙ ⊗ (1 −1) |
//
// The entries are 0 and ±1, and the rows go from coarse to fine. Row 0 is all
// ones. Row q ≥ 1 with l = ⌊log₂q⌋ has its nonzero elements in the d/2ˡ columns
// from (q−2ˡ)·d/2ˡ on: +1 in the first half of them and −1 in the second half.
// H·Hᵀ is diagonal: d for row 0 and d/2ˡ for the other rows.
//
// Forward computes y = diag(c)·H·x and Backward x = Hᵀ·diag(c)·y with one of
// three diagonals c (see Scaling): ones; (H·Hᵀ)^−½, which makes the transform
// orthonormal; and (H·Hᵀ)⁻¹, which makes Backward the inverse of Forward with
// ones. One row takes 2(d−1) additions, and d multiplications unless c is ones.
//
// # Storage
//
// A batch is n rows of length d, where row i consists of elements i·stride …
// i·stride+d−1 and d is a power of two. Source and destination are the same
// rows, or do not overlap. Nothing outside the rows is read or written, not even
// between them.
//
// # How it is computed
//
// In place, the first level of a row goes from the end of the row to its start.
// It writes the differences to their final place in the upper half and the sums
// to a scratch area of half a row; the difference of elements 2i and 2i+1 goes
// to d/2+i ≥ 2i. All later levels read the scratch area and write the lower half
// of the row, several levels in registers before anything is stored. Backward
// does the same in the other direction.
//
// # Accuracy class: exact
//
// Every variant forms sums of the same two numbers at each level of the
// transform and rounds the product with c after the difference (Forward) or
// before the sum (Backward), so all variants give the same bits (a NaN for a
// NaN, of any payload). On integers the sums are exact as long as they stay
// below 2²⁴ (float32) or 2⁵³ (float64). The error of a sum of 2ᵏ elements is at
// most k·u·Σ|xⱼ|, where u is the unit round-off. A product with c adds one
// rounding, and none if c is a power of two and nothing underflows. Sums are
// scaled only at the end: they overflow if a sum of elements does, although the
// orthonormal result may be finite.
//
// Sources: [S16] S. Si, Large-scale non-linear prediction with applications, PhD
// thesis, The University of Texas at Austin, 2016, section 4.2 (the matrix); A.
// Haar, Zur Theorie der orthogonalen Funktionensysteme, Math. Ann. 69, 1910.
package haar
