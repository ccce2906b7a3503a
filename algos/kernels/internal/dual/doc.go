// Package dual minimizes spectral functions of a positive semidefinite matrix under
// linear constraints: the problem that all learned kernels come down to. For r×r matrices
//
//	min Σ f(λ_j(X)) − tr(X·Base)  over X ⪰ 0 with  Offset_c + tr(X·H_c) ≤, ≥ or = ξ_c,
//
// where every H_c = Σ_k w_k·t_kt_kᵀ has few terms and the bounds ξ_c are given or may
// move at a price. Package itml has f of its regularizers, with X in coordinates of the
// span of the constraints' vectors.
//
// # The dual problem
//
// With one dual variable y_c for each row, of the signs of package constraint, and
// M(y) = Base + Σ y_cH_c = UΣUᵀ, the best X is U·diag(f*′(σ))·Uᵀ, and
//
//	D(y) = −Σ f*(σ_j) + Σ_c (φ_c(y_c) − y_c·Offset_c),   φ_c(y) = min over ξ of price_c(ξ) + yξ,
//
// is a concave lower bound with the gradient ξ_c − value_c. Its Hessian has the elements
// Σ_ab Ω_ab(UᵀH_cU)_ab(UᵀH_dU)_ab with the divided differences Ω of f*′ ([ZST10]), and
// for LogDet Σ w_kw_l(t_kᵀXt_l)².
//
// # Sweeps
//
// Problem.Sweep makes cyclic Bregman projections, for LogDet and VonNeumann ([K06] Algorithms 1 and 2): a projection
// on a row is the step a of its dual, y_c ← y_c + a, for which the value is ξ_c, cut off where y_c would change sign.
// With the eigenpairs (μ_k, q_k) of H_c in the coordinates of X = BBᵀ it multiplies B by one factor of package
// cholupdate for every term, or changes the eigendecomposition of log X by package eig. [K06] prints Λ where the
// decomposition must be that of log Λ + αwwᵀ. Where the rate of the sweeps says that they would take longer, Newton's
// method goes on from their duals.
//
// # Accuracy
//
// All tests are relative to the bound of each row. Nothing depends on the units of a row:
// the quadratic models are scaled to a diagonal of 1, and their ridge is that of rounding. X of
// LogDet is kept as a factor that steps multiply, so that its eigenvalues may be 12 orders
// of magnitude apart; where that many are needed between rows that are almost the same,
// Newton's equations lose their digits, and the solution ends above a small tolerance with a
// *gram.ConvergenceError.
//
// # Rows that contradict each other
//
// Only a Farkas vector that has been checked makes a *constraint.InfeasibleError. The
// directions in which duals grow tend to one, from near the center of the domain within few
// steps.
//
// # References
//
// [K06] B. Kulis, M. Sustik and I. Dhillon. Learning low-rank kernel matrices. ICML 2006.
//
// [NN94] Y. Nesterov and A. Nemirovskii. Interior-point polynomial algorithms in convex
// programming. SIAM, 1994.
//
// [ZST10] X.-Y. Zhao, D. Sun and K.-C. Toh. A Newton-CG augmented Lagrangian method for
// semidefinite programming. SIAM J. Optim. 20 (2010).
package dual
