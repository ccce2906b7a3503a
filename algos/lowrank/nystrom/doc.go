// Package nystrom approximates kernel matrices by the Nyström method. For landmarks U, C = K(X,U)
// and W = K(U,U) it computes
//
//	G ≈ C·W†_k·Cᵀ = Φ·Φᵀ,   Φ = C·V_kΛ_k^{−1/2},   W = VΛVᵀ.
//
// The model maps any row to its k features, so that a linear method on these features is a kernel
// method. Its Operator multiplies by the approximation for given rows. W†_k uses the k largest
// eigenvalues that are above a relative cut-off; their number is the effective rank.
//
// A landmark.Selector selects the landmarks. The core W can be decomposed by a randomized method.
// An Ensemble combines several small approximations.
//
// # Cost
//
// Besides the choice of landmarks, m landmarks take m²·d flops for W and 9·m³ for its
// decomposition, n rows n·m·d for C and 2·n·m·k for the features. Memory is
// O(m² + m·d) numbers and, where the features are stored, n·k.
//
// docs/conventions.md states how matrices lie and how λ, C and seeds are counted.
//
// # References
//
// [WS01] C. K. I. Williams and M. Seeger. Using the Nyström method to speed up
// kernel machines. NIPS 2001.
//
// [ZTK08] K. Zhang, I. W. Tsang and J. T. Kwok. Improved Nyström low-rank
// approximation and error analysis. ICML 2008.
//
// [LKL10] M. Li, J. T. Kwok and B.-L. Lu. Making large-scale Nyström
// approximation possible. ICML 2010.
//
// [KMT09] S. Kumar, M. Mohri and A. Talwalkar. Ensemble Nyström method. NIPS
// 2009.
//
// [HMT11] N. Halko, P. G. Martinsson and J. A. Tropp. Finding structure with
// randomness. SIAM Review 53 (2011).
package nystrom
