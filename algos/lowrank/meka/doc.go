// Package meka implements MEKA, memory efficient kernel approximation ([S16] Algorithm 1). It divides
// the n rows into c clusters by k-means. Each cluster has a basis of its own, and small link matrices
// connect the bases:
//
//	G ≈ W·L·Wᵀ,   W = W⁽¹⁾ ⊕ … ⊕ W⁽ᶜ⁾,   L⁽ˢˢ⁾ = I,   L⁽ˢᵗ⁾ = L⁽ᵗˢ⁾ᵀ.
//
// W⁽ˢ⁾, n_s×k_s, holds the Nyström features of the rows of cluster s (package nystrom) from twice as
// many landmarks, rotated so that its columns are orthogonal: W⁽ˢ⁾ = Q⁽ˢ⁾Σ⁽ˢ⁾. The approximation has
// rank c·k and takes n·k+(c·k)² numbers, whereas a low-rank approximation of the same rank takes n·c·k
// numbers. It pays if the clusters are far apart compared with the width of the kernel.
//
// # Links
//
// L⁽ˢᵗ⁾ is the least-squares fit to a sample of (1+ρ)k_s rows and (1+ρ)k_t
// columns of the block G⁽ˢᵗ⁾, L⁽ˢᵗ⁾ = W_v⁽ˢ⁾†·G_v⁽ˢᵗ⁾·(W_v⁽ᵗ⁾†)ᵀ. A cluster has one
// sample for all its links, so there are c pseudo-inverses, by singular value
// decomposition with a relative cut-off of 10⁻². [S16] solves normal equations
// without a cut-off; then the error varies threefold with the sample. Columns of
// W⁽ˢ⁾ below the same cut-off have no links: the rows of L that belong to them
// are those of the identity and are not stored.
//
// # Positive semi-definite repair
//
// The blocks of L come from different least-squares problems, so W·L·Wᵀ is usually indefinite. As
// W = QΣ with orthonormal Q, the nearest positive semi-definite matrix with the same range is
// Q(ΣLΣ)₊Qᵀ, which takes one eigendecomposition of order at most c·k. The repair never increases the
// error: G is positive semi-definite, and projecting onto a convex set brings no point farther from the
// elements of the set. L = FFᵀ is then positive semi-definite. A row x that is nearest to the center of
// cluster s has the features w·F⁽ˢ⁾, where w are its Nyström features in that cluster; the inner
// products of these features are the values of the approximation.
//
// # Cost
//
// n·m·(d+k) + c·m³ for the bases with m = 2k landmarks for each, and n·k² to
// turn them; c²·((1+ρ)k)²·(d+k) for the links; 9·(ck)³ for the repair. A product
// with a vector takes 4·n·k + 2·(ck)² flops.
//
// docs/conventions.md states how matrices lie and how λ, C and seeds are counted.
//
// # References
//
// [S16] S. Si. Large-scale non-linear prediction with applications. PhD thesis,
// The University of Texas at Austin, 2016. §3.2.
//
// [DMMS11] P. Drineas, M. W. Mahoney, S. Muthukrishnan and T. Sarlós. Faster least
// squares approximation. Numerische Mathematik 117 (2011).
//
// [SHD14] S. Si, C.-J. Hsieh and I. S. Dhillon. Memory efficient kernel
// approximation. ICML 2014.
//
// [HMS21] S. Heilig, M. Münch and F.-M. Schleif. Memory-efficient kernel
// approximation for indefinite similarities. arXiv 2112.09893.
package meka
