// Package sideinfo learns low-rank kernels from labels or from pairs that belong
// together or apart, by the generalized Nyström method ([Z12]): with landmarks U,
// E = K(X,U) and W = K(U,U) the kernel is E·S·Eᵀ, where Nyström's S₀ = W† gives way
// to the solution of
//
//	min  λ‖S − S₀‖² + ‖E_l·S·E_lᵀ − K*‖²   over S ⪰ 0
//
// for the rows E_l that have labels and K*_ij = 1 for two rows of one class, else 0.
// With P = E_lᵀE_l and R = E_lᵀK*E_l, a product of thin matrices, everything is m×m.
// For pairs the second term is summed over them only, both orders.
//
// # The solver
//
// The Hessian 2(λI⊗I + P⊗P) has the condition number ‖P‖²/λ, 1e9 for a common λ. In the
// variables S̃ with S = QT·S̃·TQᵀ, P = QΠQᵀ and T = (λ+Π²)^−¼ its diagonal is constant,
// its condition number at most ‖P‖/√λ, and the cone the same. There a semismooth Newton
// method solves S̃ = (S̃ − γ∇)₊ with the envelope of Moreau and Yosida as merit function
// ([PSB14]), from the solution without S ⪰ 0, S̃_ij = B_ij/H_ij, which is the
// optimum where it is semidefinite; for pairs, whose Hessian the scaling makes no better,
// from S₀, along the solutions for decreasing λ. A step takes an eigendecomposition of an m×m matrix and, for more than some
// hundred free elements, conjugate gradients.
//
// A fit says how far it is from the optimum S*. For r = S̃ − (S̃ − γ∇)₊ the point
// (S̃ − γ∇)₊ is within ‖r − γHr‖_{H⁻¹}/γ of it in the norm
// (λ‖S−S*‖² + ‖E_l(S−S*)E_lᵀ‖²)^½. That bound, relative to √λ‖S‖ and to the
// largest of ‖E_lSE_lᵀ‖, ‖K*‖ and ‖E_lS₀E_lᵀ‖, whichever is less, is Stats.Residual, and
// Config.Tol is what it must reach; else Fit returns a *gram.ConvergenceError with the model.
// (A ‖S‖ of less than 1e-6·‖S₀‖ counts as that.)
//
// [Z12] (7) has projected gradients with steps found by the rule of Armijo and Goldstein,
// S ← (S − η∇)₊ (it prints a plus), optionally accelerated, from the solution without
// S ⪰ 0, projected: P/√λ = VΛVᵀ, S̃_ij = Q̃_ij/(1+Λ_iΛ_j), Q = S₀ + R/λ. They are there
// as Gradient and Accelerated, and need thousands of steps where λ is small.
//
// # Cost
//
// n_l·m·d flops for E_l and n_l·m² for P, of n_l rows with labels or in pairs; a step of Newton's
// method takes 9·m³ for an eigendecomposition and O(m³) for each step of its conjugate gradients.
// A row takes m·(d+m) for its features. Memory is O(n_l·m + m²) numbers.
//
// # The choice of λ
//
// λ is in units of ‖P‖_F² and chosen, if it is not given, from a grid by
// cross-validation over the labeled rows: S is learned without one part of them (the
// start alone), the one-hot classes are regressed on the features, and the squared
// error on the part left out counts, with the best of six ridges. Of equals the
// largest λ wins. With small λ all directions of E_l fit the classes, with a large one
// none, and in between only the leading ones, which can be worse than either.
//
// [Z12] (12) chooses by the product of two alignments, ρ(S, S₀)·ρ(E_lSE_lᵀ, K*), on the
// rows that S was fitted to: Config.ByAlignment, and always for pairs and for labels
// of one class. ρ is 0 where one of the centered matrices is 0. Alignment
// weighs directions by their share in the kernel, which a linear machine on the
// features does not: it can be largest where the machine is bad, also
// on rows held out, and its first factor is near 1 for every λ where W is
// ill-conditioned, as then the largest eigenvalues of S₀ are all of ‖S₀‖. A λ for which
// the fit does not reach Tol is left out, unless none does. For pairs the number of steps
// rises steeply where λ is below 1e-6: the grid ends there, and a grid that goes on is left
// after two λ in turn that do not converge, as solutions are found along those of larger λ.
//
// The model maps any row to features E·S^½ for a linear method. What the paper
// compares with is here too, a file each: CSI gives features of any row as well,
// TwoStage a kernel, and ClusterKernel and Spectral features of the rows at hand
// alone.
//
// # References
//
// [Z12] K. Zhang, L. Lan, J. Liu, A. Rauber and F. Moerchen. Inductive kernel
// low-rank decomposition with priors: a generalized Nyström method. ICML 2012.
//
// [BJ05] F. R. Bach and M. I. Jordan. Predictive low-rank decomposition for kernel
// methods. ICML 2005.
//
// [CWS03] O. Chapelle, J. Weston and B. Schölkopf. Cluster kernels for
// semi-supervised learning. NIPS 2003.
//
// [PSB14] P. Patrinos, L. Stella and A. Bemporad. Forward-backward truncated Newton
// methods for convex composite optimization. arXiv 1402.6655 (2014).
//
// [ZKGL04] X. Zhu, J. Kandola, Z. Ghahramani and J. Lafferty. Nonparametric
// transforms of graph kernels for semi-supervised learning. NIPS 2004.
//
// [CMR10] C. Cortes, M. Mohri and A. Rostamizadeh. Two-stage learning kernel
// algorithms. ICML 2010.
package sideinfo
