// Package haar holds the kernels of the Haar transform: forward and backward,
// for one row or a batch of rows with a stride, float32 and float64.
//
// # Mathematics
//
// H₁ = (1) and
//
//	H₂ₙ = | Hₙ ⊗ (1  1) |
//	      | Iₙ ⊗ (1 −1) |
//
// so the entries are 0 and ±1 and the rows go from coarse to fine: row 0 is all
// ones; row q ≥ 1 with l = ⌊log₂q⌋ is nonzero on the d/2ˡ columns from
// (q−2ˡ)·d/2ˡ on, +1 in the first half of them and −1 in the second. H·Hᵀ is
// diagonal: d for row 0 and d/2ˡ for the others.
//
// Forward computes y = diag(c)·H·x and Backward x = Hᵀ·diag(c)·y with one of
// three diagonals c (see Scaling): ones, (H·Hᵀ)^−½, which makes the transform
// orthonormal, and (H·Hᵀ)⁻¹, which makes Backward the inverse of Forward with
// ones. One row takes 2(d−1) additions, and d multiplications unless c is ones.
//
// # Storage
//
// A batch is n rows of length d, row i at elements i·stride … i·stride+d−1. d
// is a power of two. Source and destination are the same rows, or do not
// overlap. Nothing outside the rows is read or written, not even between them.
//
// # How it is computed
//
// In place, the first level of a row writes its differences to their final place in the
// upper half and its sums to a scratch area of half a row, from the end of the
// row to the start: differences from elements 2i, 2i+1 go to d/2+i ≥ 2i. All later levels go from the scratch
// area to the lower half of the row, several levels in registers before
// anything is stored. Backward is the same in the other direction.
//
// # Accuracy class: exact
//
// Every level of every variant forms the same sums of the same two numbers and
// rounds the product with c after the difference (Forward) or before the sum
// (Backward), so all variants give the same bits (NaN for NaN, whatever its
// payload). On integers the sums are exact as long as they stay below 2²⁴ or
// 2⁵³. The error of a sum of 2ᵏ elements is at most k·u·Σ|xⱼ|, u the unit
// round-off; products with c add one rounding, none where c is a power of two
// and nothing underflows. The sums are not scaled on the way: they overflow
// where a sum of elements does, although the orthonormal result may be finite.
//
// Source: [S16] S. Si, Large-scale non-linear prediction with applications,
// PhD thesis, The University of Texas at Austin, 2016, section 4.2 (the matrix);
// A. Haar, Zur Theorie der orthogonalen Funktionensysteme, Math. Ann. 69, 1910.
package haar
