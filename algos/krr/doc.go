// Package krr is kernel ridge regression: for rows x_i with targets y_i and
// weights w_i (ones, if none are given) the function f = Σ_j α_j·K(x_j,·) + b
// with the least
//
//	Σ_i w_i·(y_i − f(x_i))² + λ·‖f‖²,
//
// where b is 0 unless Bias asks for it; it is not penalized. With S = diag(√w)
// the coefficients are α = Sβ,
//
//	(S·G·S + λI)·β = S·(y − b·1),
//
// and 1ᵀα = 0 determines b. Two conventions for λ occur, and give results that
// differ by a factor n in λ: the Penalty solve.Total is (G+λI)α = y, solve.PerRow
// is (G+nλI)α = y with n the number of rows, or the sum of their weights.
//
// # Whole problems
//
// Config solves the problem on all rows, one way or another:
//
//   - Cholesky stores G, n² numbers, and takes n³/3 flops. It looks at the context
//     every few milliseconds.
//   - Eigen decomposes G, 9n³ flops that cannot be interrupted (0.3 s for 1000 rows
//     and 2.3 s for 2000 on two cores with AVX2, some 16 times as much as a Cholesky
//     factor) and 5n² numbers. Config.Path keeps the decomposition: every λ then
//     costs O(n²), with the leave-one-out residuals and generalized
//     cross-validation in closed form.
//   - CG multiplies by G without storing it: n²(d+t) flops for a product with t
//     columns, some tens of them with the preconditioner, and n·M numbers for that.
//
// Solve is the same for any gram.Operator that stands for G, such as an
// approximation.
//
// # Divided problems
//
// For more rows than a kernel matrix has room for, package dckrr divides them into parts
// with a problem each. Goodness measures how much is lost by a partition.
//
// # Classes
//
// Config.FitClasses fits the functions to the signs of the classes (gram.Signs), 1 and
// −1: one function for two classes, else one for each class against the rest, of which
// the largest decides. The scores are values of a regression
// and no probabilities. A row far on the right side of the border counts as an error,
// unlike for the hinge loss of a support vector machine, and every training row stays
// in the expansion, so that a prediction costs n kernel values.
//
// # Preconditioner
//
// CG's preconditioner is the Nyström approximation of S·G·S from M landmarks,
// UΛUᵀ with orthonormal U and smallest eigenvalue ℓ ([FTU23]), whose two
// eigendecompositions of order M cannot be interrupted:
//
//	P⁻¹ = U·diag((ℓ+λ)/(Λ+λ))·Uᵀ + I − UUᵀ.
//
// As in Falkon ([RCR17]) its columns are kernel columns, not random combinations of
// them, which would cost a product with M columns.
//
// docs/conventions.md states how matrices lie and how λ, C and seeds are counted.
//
// # References
//
// [S16] S. Si. Large-scale non-linear prediction with applications. PhD thesis,
// University of Texas at Austin, 2016.
//
// [SGV98] C. Saunders, A. Gammerman and V. Vovk. Ridge regression learning
// algorithm in dual variables. ICML 1998.
//
// [GHW79] G. H. Golub, M. Heath and G. Wahba. Generalized cross-validation as a
// method for choosing a good ridge parameter. Technometrics 21 (1979).
//
// [CT07] G. C. Cawley and N. L. C. Talbot. Preventing over-fitting during model
// selection via Bayesian regularization of the hyper-parameters. JMLR 8 (2007).
//
// [RCR17] A. Rudi, L. Carratino and L. Rosasco. FALKON: an optimal large scale
// kernel method. NIPS 2017.
//
// [FTU23] Z. Frangella, J. A. Tropp and M. Udell. Randomized Nyström
// preconditioning. SIAM J. Matrix Anal. Appl. 44 (2023).
package krr
