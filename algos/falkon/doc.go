// Package falkon implements kernel ridge regression with inducing points for many rows
// ([RCR17]). For n rows x_i with targets y_i and weights w_i (default: ones), and m
// landmarks u_j, it computes the function f = Σ_j α_j·K(u_j,·) + b that minimizes
//
//	Σ_i w_i·(y_i − f(x_i))² + λ·‖f‖².
//
// The constant b is not penalized; it is 0 if NoBias is set. With W = K(U,U) = TᵀT
// and C = K(X,U), the rows have the features Φ = C·T⁻¹, and α = T⁻¹z for the solution z of
//
//	(Φᵀ·S·Φ + λI)·z = Φᵀ·S·(y − b·1),   S = diag(w).
//
// Features are never stored: a product with ΦᵀSΦ is one pass over the rows, which computes
// C in pieces that stay in the cache. Package nystrom with linear.Ridge computes the same
// function from Φᵀ·S·Φ itself, which takes n·m² flops in place of some tens of passes of
// n·m kernel values.
//
// # Preconditioner
//
// Conjugate gradients are preconditioned with the Cholesky factor of
//
//	(Σw/Σ_R w)·Φ_RᵀS_RΦ_R + λI
//
// for 4m rows R drawn at random, an idea of [AMT10]. In [RCR17] the landmarks
// themselves take the place of these rows, which costs less, and needs many more passes if
// λ is small or if landmarks are not drawn uniformly: functions that are small at the
// landmarks need not be small at other rows. With rows of their own, some tens of passes
// reduce the residual to 10⁻⁶, more if λ is so small that single rows matter. With 4m rows or less the factor is that of the problem itself.
//
// # Cost
//
// A pass takes n·m kernel values and 4·n·m·t flops for t targets. The factors take 9m³
// flops and 3m² numbers. Memory beyond these is 8·n·t bytes for targets and some MB for
// pieces; it does not grow with n otherwise.
//
// # Passes in float32
//
// With Config.Single the kernel values of a pass are in float32, and so are their products, which are summed in float32 over
// 256 landmarks or 128 rows at most, and in float64 beyond these. Conjugate gradients then reduce the residual by stages of
// 2⁻¹⁰. The residual at the end of each stage is that of the problem in float64, from one more pass in float64, and if a stage
// has not halved it, all passes that follow are in float64. Tol and RMSBound therefore mean what they mean without Single. How
// many digits a stage gains depends on how much the coefficients T⁻¹z cancel.
//
// Kernel values in float32 of the first rows stay in memory from pass to pass, as far as CacheBytes allows: 4·m bytes a row. A
// pass over these rows takes 4·n·m·t flops alone. No bit of a model depends on CacheBytes.
//
// # Round-off
//
// Coefficients of landmarks that are close to each other are large and cancel. In float32
// this costs digits: gram compile measures them.
//
// If W is not positive definite in floating-point numbers, as with more landmarks than it
// has eigenvalues above round-off, T is the factor of W + δI for the smallest δ of 2⁻⁵⁰·m,
// 10·2⁻⁵⁰·m, … times the mean of the diagonal for which it exists. Stats.Jitter is δ.
// Then ‖f‖² + δ‖α‖² takes the place of ‖f‖² in the problem above.
//
// # Rows that are not in memory
//
// Passes is a fit whose products others make, in passes over rows that are not in memory together: in one process
// or in many.
//
// docs/conventions.md states how matrices lie and how λ, C and seeds are counted.
//
// # References
//
// [RCR17] A. Rudi, L. Carratino and L. Rosasco. FALKON: an optimal large scale kernel
// method. NIPS 2017.
//
// [AMT10] H. Avron, P. Maymounkov and S. Toledo. Blendenpik: supercharging LAPACK's
// least-squares solver. SIAM J. Sci. Comput. 32 (2010).
package falkon
