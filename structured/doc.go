// Package structured multiplies rows by many landmarks in a fraction of the time that a
// product with a dense matrix takes. It is for kernel approximations with thousands of
// landmarks: their inner products with the data, and hence kernel values, cost up to b
// times less where b landmarks share a seed.
//
// The landmarks are the rows H_q ∘ v of a matrix U, which is never formed. H is a Haar or
// Hadamard matrix, v is one of s seeds, and q is one of the b leading rows of H, so that
// there are m = s·b landmarks. New makes a Stack from the seeds. Its method Forward computes inner products,
// SquaredNorms gives the ‖u‖² that turn inner products into distances, and Update is the step of
// least squares by which seeds are learned from data.
//
// # Cost
//
// Forward takes about s·d multiply-adds a row for b < D, where D = Pad(d) is the least
// power of two that is at least the length d of rows. A dense product takes s·b·d of them. For b = D each seed takes a
// transform of length D: 2D additions with Haar, D·log₂D with Hadamard. A Stack holds about
// 2·s·D numbers.
//
// # Accuracy and reproducibility
//
// A row gets the same bits in any batch and with any number of workers. The class of accuracy is
// "reassociated": |error| ≤ (D+1)·u·Σ_j |H_qj·v_j·x_j|, where u is the unit round-off. The levels of
// package asm/cpu other than Generic use fused multiply-adds, so that their results differ from those
// of Generic in the last bits. On integers the result is exact as long as the sums stay
// below 2²⁴ (float32) or 2⁵³ (float64).
//
// # The matrix
//
// Row g·b+q of U belongs to seed g and row q of H and is H_q ∘ v_g. Therefore
//
//	U·x = [H_b(v₁∘x); H_b(v₂∘x); …; H_b(v_s∘x)],
//
// where H_b has the b leading rows of H. H is of order D. Seeds and rows are continued by
// zeros, so that only the first d columns of H count. The matrix Haar is that of package haar with
// entries 0 and ±1; its rows go from coarse to fine. The matrix Hadamard is that of
// package fwht in sequency order: row q changes its sign q times.
//
// The b leading rows of either matrix are constant on b ranges of D/b columns. A
// product therefore needs, for each seed, only the b sums of v∘x over the ranges
// and a transform of length b of these sums. With all rows (b = D) each seed takes a
// transform of length D, whose first level is fused with the product v∘x.
//
// # Learning seeds
//
// [S16] Algorithm 3 alternates the assignment of rows to landmarks,
// t_i = argmin_q ‖u_q‖² − 2·u_qᵀx_i, with
//
//	v_gj = Σ_i H_q(i)j·x_ij / Σ_i H_q(i)j²
//
// over the rows i that are assigned to landmarks of seed g. Update computes the latter.
//
// # References
//
//   - [S16] S. Si, Large-scale non-linear prediction with applications, PhD thesis,
//     The University of Texas at Austin, 2016, section 4.2.
package structured
