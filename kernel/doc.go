// Package kernel computes values of kernel functions: blocks K(X,Z) of kernel matrices and
// their products with vectors, for dense or sparse rows, in float64 and float32. Methods on
// kernels spend their time here.
//
// A kernel is a small struct such as Gaussian{Gamma: 0.5}; its method Eval defines
// it. Against(k, z) packs the rows of z once. The Block that it returns has the
// methods Fill, Mul and MulT for any x and is safe for concurrent use. Mul and MulT
// never store K(X,Z). MulSelf multiplies by K(Z,Z) and computes each value once.
//
// A value costs about 2·d operations for rows of d numbers, and an exponential where the kernel
// has one. An entry of a block has the same bits wherever it stands and whatever computes it:
// see Same bits.
//
// # What is fast
//
// Gaussian, Laplacian, Polynomial, Homogeneous and Linear run in assembly from the
// columns to the values. They are computed in strips that stay in L1, so that a
// block is written once. For every other kernel with a method Radial or Inner, also
// for one of yours, assembly computes the sums and the method turns them into
// values, a row of a strip at a time. A Packer has its own Tile. All other kernels
// call Eval for every pair. Columns makes a kernel of a matrix that exists already.
//
// Sparse rows cost as much as their nonzeros if the values come from inner products
// and Z has no center (see below); otherwise they cost as much as dense rows. So do
// dense rows more than half of whose numbers are zeros, if the same holds for Z. The bits
// of the results are the same.
//
// A sparse Z of which fewer than one number in 32 is stored is kept as lists of its
// nonzeros, for every kernel of this package: it takes memory for the nonzeros, 40 bytes
// for each at most, and none for the columns, and a row of X costs as much as the nonzeros
// of Z in its columns; with Laplacian, as much as its nonzeros and all those of Z. A denser
// Z is kept as panels of all columns. The bits of the results are the same.
//
// # Same bits
//
// An entry of a block depends on its two rows, on the center of Z and on the level.
// It does not depend on its position, the number of rows, the stride or the number
// of goroutines. For the kernels in assembly and those with Radial or Inner:
//
//   - K(x,z) = K(z,x) for blocks with the same center, so K(X,X) is symmetric.
//   - Equal rows of X and Z have squared distance 0: K = 1 for Gaussian,
//     Laplacian, Matern and RationalQuadratic.
//   - Gaussian and Laplacian are never above 1.
//
// # Accuracy
//
// Let u be half the distance from 1 to the next number of the type, and k = min(d,
// c)+⌈d/c⌉+1 with c = 128 columns in float64 and 64 in float32:
//
//	Laplacian   Σ|x−z| has a relative error of at most (k+2)·u
//	‖x−z‖²      d ≤ 8: summed as such, relative error at most (k+3)·u
//	            d > 8: ‖x‖²+‖z‖²−2⟨x,z⟩ after centering, absolute error at most
//	            (2k+6)·u·(‖x−c‖²+‖z−c‖²), and never below 0
//	⟨x,z⟩       absolute error at most (k+1)·u·Σ|x_k·z_k|
//
// An error of δ in the sum changes exp(−γ·s) by the factor exp(±γδ). Rounding γ,
// the product γ·s and exp itself adds a relative error of 3u·γ·s+3u. Values below
// the normal numbers (2^−1021.5, in float32 2^−125.5) are 0. (c+⟨x,z⟩)^p multiplies
// the relative error of its base by p and adds 2p·u. The tests check these bounds
// against sums in 300 bits for rows that are far from the origin, equal, almost
// equal or of mixed sizes, for γ from 1e−300 to 1e300 and d from 1 to 2000.
//
// The center c is the mean of the rows of Z. It is subtracted because kernels that
// depend on x−z do not change when both rows move, and because otherwise a large
// common offset would cost digits. It is not used if it would gain less than one
// bit (it is shorter than the rows' root mean square distance from it), less than two
// bits where more than half of the numbers of Z are zeros, or if Z is sparse. The squared norms of rows, after centering, may be as large as the
// largest finite number.
//
// In float32, Z and X−c are rounded to float32 and distances are summed in chunks.
// The root mean square error is 1 to 2.5 times that of summing in float64 and
// rounding once (measured for standard normal rows, d from 2 to 2000).
//
// NaN in a row of X makes its row of the block NaN and changes no other row.
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
