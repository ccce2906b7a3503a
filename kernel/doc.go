// Package kernel holds kernel functions and computes blocks K(X,Z) of kernel
// matrices, and their products with vectors, from dense or sparse rows in
// float64 and float32.
//
// A kernel is a small struct such as Gaussian{Gamma: 0.5}; its Eval is its
// definition. Against(k, z) packs the rows of z once; Fill, Mul and MulT of the
// Block then serve any x, from any number of goroutines. Mul and MulT never
// store the block.
//
// # What is fast
//
// Gaussian, Laplacian, Polynomial, Homogeneous and Linear run in assembly from
// the columns to the values, in strips that stay in L1, so that a block is
// written once. Every other Radial or Inner kernel, those of the user among
// them, gets a row of a strip at a time from the same sums. A Packer brings a Tile
// of its own; any other kernel runs through Eval. A matrix that exists already is a
// kernel by Columns.
//
// Sparse rows cost their nonzeros where the values come from inner products and Z
// has no center (see below), else as much as dense ones. The results are the same
// bits either way.
//
// # Same bits
//
// An entry of a block depends on its two rows, on Z's center and on the level,
// not on its place, the number of rows, the distance of rows in memory or the
// number of goroutines. For the fused kernels and for Radial and Inner ones:
//
//   - K(x,z) = K(z,x) for blocks with the same center, so K(X,X) is symmetric.
//   - Equal rows of X and Z have squared distance 0: K = 1 for Gaussian,
//     Laplacian, Matern and RationalQuadratic.
//   - Gaussian and Laplacian are never above 1.
//
// # Accuracy
//
// With u half the distance from 1 to the next number of the type, k =
// min(d, c)+⌈d/c⌉+1 and c = 128 columns in float64 and 64 in float32:
//
//	Laplacian   Σ|x−z| has a relative error of at most (k+2)·u
//	‖x−z‖²      d ≤ 8: summed as such, relative error at most (k+3)·u
//	            d > 8: ‖x‖²+‖z‖²−2⟨x,z⟩ after centering, absolute error at most
//	            (2k+6)·u·(‖x−c‖²+‖z−c‖²), and never below 0
//	⟨x,z⟩       absolute error at most (k+1)·u·Σ|x_k·z_k|
//
// An error of δ in the sum changes exp(−γ·s) by the factor exp(±γδ); rounding γ,
// the product γ·s and exp itself adds a relative 3u·γ·s+3u. Values below the
// normal numbers (2^−1021.5, in float32 2^−125.5) are 0. (c+⟨x,z⟩)^p multiplies the
// relative error of its base by p and adds 2p·u. The tests hold these bounds
// against sums in 300 bits, for rows far from the origin, equal, almost equal
// and of mixed sizes, γ from 1e−300 to 1e300 and d from 1 to 2000.
//
// The center c is the mean of Z's rows: kernels that depend on x−z do not change
// when both move, and digits lost to a large offset come back. It is left out
// where it would gain less than a bit (it is shorter than the rows' root mean
// square distance from it) and where Z is sparse. Rows may have squared norms,
// after centering, up to the largest finite number.
//
// In float32, Z and X−c are rounded to float32, distances are summed in chunks
// and the root mean square error is 1 to 2.5 times that of summing in float64
// and rounding once (measured for standard normal rows, d from 2 to 2000).
//
// NaN in a row of X gives NaN in its row of the block and changes no other.
//
// # References
//
//   - [Goto van de Geijn 2008] K. Goto, R. A. van de Geijn. Anatomy of
//     high-performance matrix multiplication. ACM Transactions on Mathematical
//     Software 34 (2008) 12: the blocking.
//   - [RW06] C. E. Rasmussen, C. K. I. Williams. Gaussian
//     Processes for Machine Learning. MIT Press, 2006: Matérn and rational
//     quadratic kernels.
//   - [Z12] K. Zhang, L. Lan, J. Liu, A. Rauber, F. Moerchen. Inductive
//     kernel low-rank decomposition with priors: a generalized Nyström method.
//     ICML 2012: the width of MeanGamma.
package kernel
