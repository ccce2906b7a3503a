// Package sketch makes vectors and tall matrices smaller at random, with fast
// transforms instead of products with random matrices. Rotations, projections, sketches and least
// squares are promised; the codes for vector search are not, see there.
//
// # Rotations
//
// A Rotation is a random orthogonal matrix whose product with a vector takes O(n·log
// n) operations. It spreads large elements over all coordinates: the elements of a
// rotated vector of length one are about as large as those of a Gaussian vector, 1/√n
// each. Quantization after a rotation therefore has a known error, whatever the
// vector looks like.
//
// # Sketches
//
// A Projection maps vectors to fewer dimensions and keeps their distances (fast
// Johnson–Lindenstrauss transform). SRHT and CountSketch map tall matrices to fewer
// rows and keep the lengths of all vectors of their column space; LeastSquares solves
// overdetermined systems with them, to a few percent or to working precision. The
// randomized singular value decomposition is in package eig.
//
// # Codes for vector search
//
// RaBitQ stores vectors in 1 to 8 bits a dimension and estimates distances from the codes
// without bias and with a bound; Scalar rounds elements to 4 or 8 bits. The distances
// are sums of small integers, in the assembly of package asm/codes. Rows in float16 and
// bfloat16 are converted by FromFloat16, ToFloat16, FromBFloat16 and ToBFloat16.
//
// These codes are not promised: RaBitQ, Query, Scalar, ScalarQuery and the conversions may change
// or go in any version. They are slower than those of RaBitQ-Library (C++), which is the choice for large
// collections: with 1536 dimensions on one thread of a Zen 4 with AVX-512, a code of four bits takes 262 µs to
// the peer's 3.7 µs, and a distance of codes of one bit 55 ns to 4.9 ns.
//
// # Limits
//
// One round of a rotation is not enough where vectors may be chosen by an adversary who
// knows the seed, and one round of a Kac walk does not mix all elements. Sketches keep
// lengths with high probability, not always. A sketch of d columns needs more than d
// rows: 4·d to precondition, 40·d for an error of one percent.
//
// # Accuracy class
//
// Rotations are exact in the sense of package fwht: the same bits at every level and on
// every architecture. So are projections, which round each element once more. The
// relative error of rotations in the 2-norm is at most about k·log₂(n)·2⁻²⁴ (float32) or
// k·log₂(n)·2⁻⁵³ (float64) for k rounds; orders m > 1 add m/2 to log₂(n).
//
// # Sources
//
//   - [AC09] N. Ailon, B. Chazelle. The fast Johnson–Lindenstrauss transform and approximate
//     nearest neighbors. SIAM J. Comput. 39 (2009) 302–322.
//   - [AMT10] H. Avron, P. Maymounkov, S. Toledo. Blendenpik: supercharging LAPACK's least-squares
//     solver. SIAM J. Sci. Comput. 32 (2010) 1217–1236.
//   - [BBGL22] O. Balabanov, M. Beaupère, L. Grigori, V. Lederer. Block subsampled randomized Hadamard
//     transform for low-rank approximation on distributed architectures. arXiv 2210.11295.
//   - [CW13] K. L. Clarkson, D. P. Woodruff. Low rank approximation and regression in input sparsity
//     time. STOC 2013. The bound with d·(d+1) is that of J. Nelson, H. L. Nguyễn, FOCS 2013.
//   - [Dasgupta Gupta 2003] An elementary proof of a theorem of Johnson and Lindenstrauss. Random
//     Struct. Algorithms 22, 60–65.
//   - [GL24] J. Gao, C. Long. RaBitQ: quantizing high-dimensional vectors with a theoretical error
//     bound for approximate nearest neighbor search. Proc. ACM Manag. Data 2 (2024), SIGMOD.
//   - [GGX25] J. Gao, Y. Gou, Y. Xu, Y. Yang, C. Long, R. C.-W. Wong. Practical and asymptotically
//     optimal quantization of high-dimensional vectors in Euclidean space for approximate nearest
//     neighbor search. Proc. ACM Manag. Data 3 (2025), SIGMOD.
//   - [PS82] C. C. Paige, M. A. Saunders. LSQR: an algorithm for sparse linear equations and sparse
//     least squares. ACM TOMS 8 (1982) 43–71.
//   - [RT08] V. Rokhlin, M. Tygert. A fast randomized algorithm for overdetermined linear
//     least-squares regression. PNAS 105 (2008) 13212–13217.
//   - [Tropp 2011] Improved analysis of the subsampled randomized Hadamard transform. Adv. Adapt. Data
//     Anal. 3, 115–126.
package sketch
