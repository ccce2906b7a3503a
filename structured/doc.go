// Package structured computes products with structured landmarks: U·X for the rows u
// = H_q ∘ v of U, H a Haar or Hadamard matrix, v one of s seeds and q the b
// leading rows of H for each. The m = s·b landmarks are never formed.
//
// # The matrix
//
// The row of U for seed g and row q of H is number g·b+q and is H_q ∘ v_g, so
//
//	U·x = [H_b(v₁∘x); H_b(v₂∘x); …; H_b(v_s∘x)]
//
// with H_b the b leading rows of H. H is of order D = Pad(d), the least power of
// two that is at least d; seeds and rows are continued by zeros, which is to
// say that only the first d columns of H count. Haar is package haar's matrix
// with entries 0 and ±1, rows from coarse to fine; Hadamard is package fwht's in
// sequency order: row q changes sign q times.
//
// The b leading rows of both are constant on the b ranges of D/b columns, so
// that one needs, for each seed, only the b sums of v∘x over the ranges, and a
// transform of length b of them. That makes U·x b times cheaper than a product
// with m dense rows, up to the width of registers. All rows (b = D) take a
// transform of length D for each seed, the first level of it fused with the
// product v∘x.
//
// # Use
//
// A Set is made once from the seeds and is safe for concurrent use. Forward gives
// the inner products, SquaredNorms the ‖u‖² that turn them into distances, and
// Update the least-squares step by which seeds are learned: [S16] Algorithm 3
// alternates t_i = argmin_q ‖u_q‖²−2·u_qᵀx_i with
//
//	v_gj = Σ_i H_q(i)j·x_ij / Σ_i H_q(i)j²
//
// over the rows i assigned to landmarks of seed g.
//
// # Accuracy class: reassociated
//
// |error| ≤ (D+1)·u·Σ_j |H_qj·v_j·x_j|, u the unit round-off; on integers the
// result is exact as long as the sums stay below 2²⁴ (float32) or 2⁵³ (float64).
// Levels of package asm/cpu other than Generic round only the sum of a product
// and what it is added to, so their results differ from Generic's in the last
// bits. A row gets the same bits in any batch and with any number of workers.
//
// References:
//
// [S16] S. Si, Large-scale non-linear prediction with applications, PhD
// thesis, The University of Texas at Austin, 2016, section 4.2.
package structured
