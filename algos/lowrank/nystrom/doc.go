// Package nystrom approximates kernel matrices by the Nyström method: with
// landmarks U, C = K(X,U) and W = K(U,U),
//
//	G ≈ C·W†_k·Cᵀ = Φ·Φᵀ,   Φ = C·V_kΛ_k^{−1/2},   W = VΛVᵀ.
//
// The model maps any row to its k features, so a linear method on them is a
// kernel method; its Operator multiplies by the approximation for given rows.
// W†_k keeps the k largest eigenvalues, and of them only those above a relative
// cut-off: the effective rank.
//
// The landmarks are chosen by a landmark.Selector. The core W can be decomposed
// by a randomized method, and several small approximations can be joined to an
// ensemble.
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
