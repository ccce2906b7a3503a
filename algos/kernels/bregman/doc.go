// Package bregman learns low-rank kernel matrices from distances and
// similarities by Bregman projections ([K06]). Given K₀ = G₀G₀ᵀ, G₀ n×r, it
// solves
//
//	min D(K, K₀)   subject to   tr(K·A_c) ≤, ≥ or = b_c,   K ⪰ 0, range(K) ⊆ range(K₀)
//
// for one of two divergences that are finite only where the rank does not grow:
//
//	Burg (LogDet)   D(K, K₀) = tr(KK₀†) − log det(KK₀†) − r
//	von Neumann     D(K, K₀) = tr(K log K − K log K₀ − K + K₀)
//
// K = F·X·Fᵀ, where F is G₀ (Burg) or an orthonormal basis of its columns
// (von Neumann), is known by the r×r matrix X alone: a projection costs O(r²) or,
// for von Neumann, O(r²) and one product of r×r matrices, whatever n is. Only the
// final factor G = G₀·T, which Model.Map computes, costs O(n·r²).
//
// # The method
//
// Cyclic projections with one signed dual variable per constraint, y_c ≤ 0 for
// "≤" and y_c ≥ 0 for "≥". With H_c = FᵀA_cF the iterates are
//
//	Burg          X⁻¹   = I − Σ y_c·H_c
//	von Neumann   log X = log X₀ + Σ y_c·H_c
//
// and a projection is the step a, y_c ← y_c + a, for which tr(K(a)·A_c) = ξ_c, cut
// off where y_c changes sign ([K06] Algorithms 1 and 2; its λ_c is |y_c|). tr(K(a)A)
// increases with a, so there is exactly one such step wherever the bound can be
// met at all.
//
// Every A_c is held as Σ_k w_k·z_kz_kᵀ, so H_c has rank s, the number of terms,
// and one code projects on constraints of every kind: with the eigenpairs
// (μ_k, q_k) of H_c in the coordinates of the current iterate,
//
//	Burg          tr(K(a)A) = Σ μ_k/(1−aμ_k),   X ← B(I + Σ β_k q_kq_kᵀ)Bᵀ,  1+β_k = 1/(1−aμ_k),
//
// X = BBᵀ, by s factors of package cholupdate, and for von Neumann s rank-one
// changes of the eigendecomposition of log X by package eig. The margins 1/(1−aμ_k) come from
// the bounds and never from the difference 1 − aμ_k, so that a projection to a bound 10¹²
// times the value, or 10⁻¹² of it, has an error of rounding. [K06] prints Λ where
// the decomposition must be that of log Λ + αwwᵀ; that is what is done here.
//
// Projections forget the far end of bounds that contradict each other nearly, and need
// thousands of sweeps there. Where the rate of the last sweeps says so, Newton's method on
// the dual problem goes on from their duals; Config.Cyclic leaves it out. Package dual holds both
// methods, which package itml uses too.
//
// With slack the bound ξ_c itself moves, at the price γ·d(ξ_c, b_c) with the
// divergence d of numbers that belongs to D. Then ξ_c is a function of y_c alone:
//
//	Burg          1/ξ = 1/b + y/γ
//	von Neumann   log ξ = log b − y/γ
//	b ≤ 0, or A indefinite: ξ = b − y·s²/γ (Burg) or b − y·s/γ (von Neumann),
//	              the quadratic price γ(ξ−b)²/(2s²) or /(2s), s = tr(K₀|A|)
//
// # Stopping
//
// When the largest violation of a constraint, relative to its bound (for an indefinite A,
// whose value may be small by cancellation, to max(|ξ_c|, tr(K|A_c|))), and the gap
// Σ|y_c·(tr(KA_c) − ξ_c)|, relative to the divergence with the price of the bounds that have moved, plus r (Burg) or
// plus tr K₀ (von Neumann), are at most Tol, both measured at one and the same
// iterate, which has been computed anew from the dual variables. The relative
// change of the duals, which [K06] looks at, can be small far from feasibility.
//
// X of the duals is computed in twice the precision where Burg's X⁻¹ = I − Σ y_c·H_c is
// so ill-conditioned that float64 would lose the tolerance; the duals of projections
// are summed so. Stats has violation and gap of the model that is returned, whatever
// ended the fit.
//
// # Constraints that cannot hold
//
// If Σ d_c·H_c has no positive eigenvalue while Σ d_c·b_c > 0, for d_c of the
// right signs, no kernel in the range of K₀ keeps the constraints. For contradictory
// constraints the duals grow for ever and their growth tends to such a d. Only a d that
// keeps both conditions makes an *constraint.InfeasibleError, which has it as its Farkas
// vector; a problem that is neither solved nor refuted ends with a
// *gram.ConvergenceError. A kernel that must become singular, as for a distance of at most
// 0, counts as none.
//
// # References
//
// [K06] B. Kulis, M. Sustik and I. Dhillon. Learning low-rank kernel matrices.
// ICML 2006.
//
// [TRW05] K. Tsuda, G. Rätsch and M. K. Warmuth. Matrix exponentiated gradient
// updates for on-line learning and Bregman projection. JMLR 6 (2005).
//
// [CZ97] Y. Censor and S. Zenios. Parallel optimization. Oxford University Press,
// 1997.
//
// [WSS04] K. Q. Weinberger, F. Sha and L. K. Saul. Learning a kernel matrix for
// nonlinear dimensionality reduction. ICML 2004.
package bregman
