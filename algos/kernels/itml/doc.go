// Package itml learns kernel functions from side information about some
// rows: which pairs are similar, how far apart they are, which are nearer than
// others. The learned kernel is defined for new rows [J10].
//
// # The problem
//
// For a kernel κ with feature map φ, Φ the features of the training rows and
// K = ΦᵀΦ, W is learned in κ_W(x,y) = φ(x)ᵀWφ(y):
//
//	min f(W)  over W ⪰ 0 with  Tr(C_i·K_W) ≤, ≥ or = b_i,   K_W = ΦᵀWΦ,
//
// for the constraints of package constraint and a spectral function
// f(W) = Σ f_s(λ_j) that is least at W = αI: LogDet (λ − log λ, ITML), ½‖W‖² (POLA), ½‖W − I‖² or τ·Tr W + ½‖W‖² (Trace-SSIKDR).
// By Theorem 1 of [J10] the optimum is W = αI + ΦSΦᵀ, so that
//
//	κ_W(x,y) = α·κ(x,y) + k_xᵀSk_y.
//
// # How it is computed
//
// With dual variables y, C(y) = Σ y_iC_i and h = (f_s')⁻¹ the optimum is
// W = h(ΦC(y)Φᵀ). An eigenpair σ ≠ 0 of ΦCΦᵀ has the eigenvector Φv with
// σv = CKv and vᵀKv = 1, and S = V·diag(h(σ)−α)·Vᵀ: that is how S is computed,
// from C and a factor of K (or of the Gram matrix of the constraints' vectors).
// No inverse or root of K is formed, so accuracy on new rows does not suffer
// where K is close to singular, as it does from S = K⁻¹(K_W − αK)K⁻¹.
//
// The dual problem is that of package dual, whose Newton method solves it; for few
// eigenvalues above τ these come from Lanczos. For LogDet there are also the cyclic
// Bregman projections of ITML on a factor of W, O(r²) each in r dimensions; the step with
// slack is the one that follows from the optimality conditions (γ/(γ+1)·(1/p − 1/ξ); the
// article on ITML prints another one). [J10] (9) prints ‖W‖²
// without the ½ that Algorithm 1 belongs to, and steps that never make a
// multiplier smaller; both are corrected here.
//
// The number of parameters is reduced by W = αI + ΦJLJᵀΦᵀ for an n×M matrix J
// [J10, Theorem 2]: landmarks, random combinations, sums over clusters, or a J that is given.
//
// # Other kernels
//
// Manifold and package kpca make kernels of the same form, which can be the base of a fit:
// ITML LR-pre learns on the principal components of κ, ITML LR-post is what LogDet learned
// on its principal components, Frob LR is Config.Rank for Frobenius.
//
// # Cost
//
// m constraints with q terms of two rows, n' ≤ 2mq rows in them, r ≤ min(n', mq)
// dimensions: n'²·d for K, of which all is stored only if n' ≤ mq, r³ for its factor, 7r²
// for a projection, and for a Newton step 6mqr² + (mq)²r + m³ with LogDet, 9r³ + 4mqr² for
// the others and 4mqr² for each of its conjugate-gradient steps, if there are any. A value of
// κ_W takes n' values of κ.
//
// # References
//
// [J10] P. Jain, B. Kulis and I. Dhillon. Inductive regularized learning of
// kernel functions. NIPS 2010.
//
// [DKJSD07] J. V. Davis, B. Kulis, P. Jain, S. Sra, I. S. Dhillon. Information-theoretic metric learning.
// ICML 2007.
//
// [KSD06] B. Kulis, M. Sustik, I. S. Dhillon. Learning low-rank kernel matrices. ICML 2006.
//
// [SNB05] V. Sindhwani, P. Niyogi, M. Belkin. Beyond the point cloud: from transductive to
// semi-supervised learning. ICML 2005.
package itml
