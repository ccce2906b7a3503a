// Package widths learns the widths of a kernel for a regression: one for each column, and λ, by the
// gradient of a criterion. The configurations of the methods ask for it: gp.Config by its field ARD, krr.Config and
// falkon.Config by their method WithWidths, whose result is fitted like any other.
//
// The kernel is φ(r²) with r² = Σ_c s_c²·(x_c − z_c)², where φ is that of kernel.Gaussian,
// kernel.Matern or kernel.RationalQuadratic, or of a kernel.Composite of these. Its width in column c is that of φ divided by s_c
// ("automatic relevance determination", [N96], [RW06] 5.1). A column that says nothing about the targets gets a wide one.
// The factors s of all columns and λ have the largest value of a criterion. With C =
// K + diag(λ/w) for weights w, α = P·y and
//
//	P = C⁻¹ − C⁻¹11ᵀC⁻¹/1ᵀC⁻¹1  (C⁻¹ without a bias),  ν = n − 1  (n),
//
// two of them are, summed over the outputs,
//
//	Likelihood   −½·(ν·ln(2πe·yᵀα/ν) + ln|C| + ln 1ᵀC⁻¹1)
//	LeaveOneOut  −½·n·ln(Σ_i w_i·(α_i/P_ii)²/Σw)  with the sum over the outputs inside
//
// The third criterion, Laplace, is for targets ±1 that stand for classes: the logarithm of the marginal likelihood of a Gaussian process of
// covariance K/λ under the logistic likelihood, by Laplace's approximation ([RW06] (3.32)), without a bias.
//
// Likelihood is the logarithm of the marginal likelihood of a Gaussian process ([RW06] (5.8)) at its best
// amplitude, with a flat prior on the bias as in package gp. α_i/P_ii is what the function fitted to the other rows
// is off at row i ([RW06] (5.12)), so LeaveOneOut is the error that package krr chooses λ by.
//
// # Gradient
//
// Each criterion has a symmetric matrix W with d = Σ_ij W_ij·dC_ij. Since
//
//	dK_ij/d ln s_c = 2·φ'(r²_ij)·(a_ic − a_jc)²,  a = s∘x,
//
// the derivatives by all columns need only V = W∘φ'(r²) and the product V·A, whatever the number of columns:
//
//	Σ_ij V_ij·(a_ic − a_jc)² = 2·(Σ_i a_ic²·Σ_j V_ij − Σ_i a_ic·(V·A)_ic).
//
// V is computed in blocks of rows and not stored. A step takes n³ flops for Likelihood, 2n³ for LeaveOneOut,
// 4n²d beside, and n² or 2n² numbers.
//
// With inducing points u, Likelihood is replaced by a bound from below ([T09]): that of the covariance Q = K(x,u)K(u,u)⁻¹K(u,x) in
// place of K, less ½·Σ_i w_i·(K_ii − Q_ii)/λ for each output. 10⁻⁹ times the number of points is added to the diagonal of
// K(u,u). A step with m points takes 8nm² flops, and no memory that grows with n·m. The points stay where they are.
//
// # Start and end
//
// Columns are divided by their standard deviations, so that results do not depend on units, and a constant column has the
// factor 0. All factors start as the one of a grid about the inverse of the median distance, and λ as one of
// a grid, of the largest criterion on few rows. Quasi-Newton steps (L-BFGS) in ln s and ln λ follow. A criterion has several
// maxima; this finds one of them.
//
// The criterion is that of all rows up to Config.Rows, and of so many drawn at random beyond. λ carries over to all rows, because it
// stands for the variance of the noise of a row in units of the amplitude.
//
// With few rows and many columns, Likelihood fits the targets by chance: with fewer than some ten rows for
// each column, compare with one width for all by held-out rows.
//
// # References
//
// [N96] R. M. Neal. Bayesian Learning for Neural Networks. Springer, 1996.
//
// [RW06] C. E. Rasmussen and C. K. I. Williams. Gaussian Processes for Machine Learning. MIT
// Press, 2006.
//
// [T09] M. Titsias. Variational learning of inducing variables in sparse Gaussian processes. AISTATS 2009.
package widths
