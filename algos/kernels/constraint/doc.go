// Package constraint holds what methods that learn kernels are told about rows:
// linear constraints on the kernel matrix K of n rows,
//
//	tr(K·A) ≤, ≥ or = b,   A = Σ_k weight_k·z_kz_kᵀ + identity·I,
//
// builders of the usual ones (distances, similarities, comparisons), pairs of rows
// that belong together or do not, ways to draw both from labels, and what a learned
// kernel answers for: a Certificate, or an InfeasibleError with a proof. Distances
// are squared throughout.
//
// # Signs
//
// A constraint has one dual variable y: y ≤ 0 for "≤", y ≥ 0 for "≥", any sign for
// "=", and 0 where the constraint does not bind. A Farkas vector d has the same
// signs. If
//
//	Σ d_c·A_c has no positive eigenvalue on the range of K and Σ d_c·b_c > 0,
//
// no K ⪰ 0 keeps the constraints: such a K would have 0 < Σ d_c·b_c ≤ tr(K·Σ d_cA_c) ≤ 0.
//
// # References
//
// [DKJSD07] J. V. Davis, B. Kulis, P. Jain, S. Sra and I. S. Dhillon.
// Information-theoretic metric learning. ICML 2007.
//
// [K06] B. Kulis, M. Sustik and I. Dhillon. Learning low-rank kernel matrices.
// ICML 2006.
//
// [J10] P. Jain, B. Kulis and I. Dhillon. Inductive regularized learning of
// kernel functions. NIPS 2010.
package constraint
