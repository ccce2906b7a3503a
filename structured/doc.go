// Package structured computes products with structured landmarks. The landmarks
// are the rows u = H_q ∘ v of a matrix U, where H is a Haar or Hadamard matrix, v
// is one of s seeds and q is one of the b leading rows of H. The m = s·b
// landmarks are never formed.
//
// # The matrix
//
// Row g·b+q of U belongs to seed g and row q of H and is H_q ∘ v_g, so
//
//	U·x = [H_b(v₁∘x); H_b(v₂∘x); …; H_b(v_s∘x)]
//
// where H_b has the b leading rows of H. H is of order D = Pad(d), the least
// power of two that is at least d. Seeds and rows are continued by zeros, so only
// the first d columns of H count. The matrix Haar is that of package haar with
// entries 0 and ±1, rows from coarse to fine. The matrix Hadamard is that of
// package fwht in sequency order: row q changes its sign q times.
//
// The b leading rows of both matrices are constant on b ranges of D/b columns. A
// product therefore needs, for each seed, only the b sums of v∘x over the ranges
// and a transform of length b of these sums. This makes U·x up to b times cheaper
// than a product with m dense rows. With all rows (b = D) each seed takes a
// transform of length D, whose first level is fused with the product v∘x.
// # Use
//
// New makes a Set from the seeds; a Set is safe for concurrent use. Forward
// computes inner products, SquaredNorms the ‖u‖² that turn them into distances,
// and Update the least-squares step by which seeds are learned: [S16] Algorithm 3
// alternates t_i = argmin_q ‖u_q‖²−2·u_qᵀx_i with
//
//	v_gj = Σ_i H_q(i)j·x_ij / Σ_i H_q(i)j²
//
// over the rows i assigned to landmarks of seed g.
//
// # Accuracy class: reassociated
//
// |error| ≤ (D+1)·u·Σ_j |H_qj·v_j·x_j|, where u is the unit round-off. On
// integers the result is exact as long as the sums stay below 2²⁴ (float32) or
// 2⁵³ (float64). The levels of package asm/cpu other than Generic use fused
// multiply-adds, so their results differ from those of Generic in the last bits.
// A row gets the same bits in any batch and with any number of workers.
//
// References:
//
// [S16] S. Si, Large-scale non-linear prediction with applications, PhD thesis,
// The University of Texas at Austin, 2016, section 4.2.
package structured
