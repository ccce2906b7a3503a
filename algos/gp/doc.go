// Package gp is Gaussian process regression: kernel ridge regression that also says how
// uncertain its values are.
//
// The model of the data is y_i = b + f(x_i) + ε_i. f is a Gaussian process with mean 0 and
// covariance a·K, b has a flat prior, and ε_i is normal with variance a·λ/w_i for a row of
// weight w_i. λ is what kernel ridge regression adds to the diagonal of its kernel matrix,
// so the mean of the posterior is the function of krr.Config with the same λ. With C = K +
// diag(λ/w), s = C⁻¹1 and the row k of kernel values of x with the rows of the fit,
//
//	mean(x) = b + kᵀC⁻¹(y − b·1),  b = sᵀy / sᵀ1
//	var(x)  = a·(K(x,x) − kᵀC⁻¹k + (1 − kᵀs)²/sᵀ1)
//
// ([RW06] (2.25), (2.26), (2.41), (2.42)). Without a bias, b is 0 and the last term is not
// there. var(x) is the variance of b + f(x); a target has a·λ more. Var(x) does not depend
// on the targets but for the factor a.
//
// # Choice of the amplitude and of λ
//
// The logarithm of the marginal likelihood of the targets is, with n rows,
//
//	L = −½·(n·ln 2πa + ln|C| + yᵀC⁻¹y/a)
//
// and with a bias, whose flat prior takes one degree of freedom,
//
//	L = −½·((n−1)·ln 2πa + ln|C| + ln sᵀ1 + (y−b1)ᵀC⁻¹(y−b1)/a).
//
// a is where L is largest, yᵀC⁻¹y/n or (y−b1)ᵀC⁻¹(y−b1)/(n−1). Unless λ is given it, too, is
// where L is largest. Stats has L, which can be compared between kernels that are fitted to
// the same rows. L is a criterion for λ beside the leave-one-out error of krr.Path, whose LogLikelihoods has it on the spectral path.
//
// With ARD the kernel has a width for each column: package widths finds them with λ, at the largest likelihood of up to
// 2000 rows. The kernel of the model is then a kernel.Scaled. λ is not chosen anew for all rows, except for the approximations
// below, whose best λ also makes up for what they leave out.
//
// # Landmarks
//
// C takes n² numbers and n³/3 flops for each λ. With m landmarks u and Q = K(x,u) K(u,u)⁻¹
// K(u,x), DTC replaces K by Q in C, and FITC by Q with the diagonal of K ([QR05]). Both take
// n·m numbers and n·m² flops for each λ. In var(x), K(x,x) stays, so the variance far from all
// landmarks is that of the prior. The mean of DTC is that of ridge regression on Nyström
// features. A multiple of the identity, 10⁻¹² times m and the mean of the diagonal, is added
// to K(u,u).
//
// # Streams
//
// A Window is the exact posterior on the last m rows of a stream, for a given λ. A new row takes O(m²) operations.
//
// # References
//
// [QR05] J. Quiñonero-Candela and C. E. Rasmussen. A unifying view of sparse approximate
// Gaussian process regression. JMLR 6, 2005.
//
// [RW06] C. E. Rasmussen and C. K. I. Williams. Gaussian Processes for Machine Learning. MIT
// Press, 2006.
package gp
