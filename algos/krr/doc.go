// Package krr implements kernel ridge regression. For rows x_i with targets y_i and
// weights w_i (default: ones) it computes the function f = Σ_j α_j·K(x_j,·) + b that
// minimizes
//
//	Σ_i w_i·(y_i − f(x_i))² + λ·‖f‖².
//
// The constant b is not penalized; it is 0 if NoBias is set. With S = diag(√w)
// the coefficients are α = Sβ, where
//
//	(S·G·S + λI)·β = S·(y − b·1),
//
// and 1ᵀα = 0 determines b. Two conventions for λ are in use; they differ by a factor
// n. Penalty solve.Total solves (G+λI)α = y, and solve.PerRow solves (G+nλI)α = y with
// the number n of rows, or the sum of their weights.
//
// # Whole problems
//
// Config solves the problem on all rows by one of four solvers:
//
//   - Cholesky stores G, n² numbers, and takes n³/3 flops. It looks at the context
//     every few milliseconds.
//   - Eigen decomposes G. It takes 9n³ flops, which cannot be interrupted, and 5n²
//     numbers. On two cores with AVX2 it took 0.3 s for 1000 rows and 2.3 s for 2000,
//     about 16 times as long as a Cholesky factor. Config.Path keeps the decomposition.
//     Every λ then costs O(n²), and the leave-one-out residuals and the score of
//     generalized cross-validation are available in closed form.
//   - CG multiplies by G without storing it. A product with t columns takes n²(d/2+t)
//     multiplications and additions, as each element of G is computed once. Products are
//     in float32, and the residual is replaced by its value in float64 where they are not
//     accurate enough (solve.Rough), so that the tolerance holds in float64. With the
//     preconditioner some tens of products are needed. Memory: M² numbers and some for
//     every row.
//   - ASkotch solves for a random block of coefficients at a time and carries momentum
//     from block to block ([RFG24]). It needs no preconditioner and no more memory than some
//     numbers for every row and two matrices of the order of a block. n/Block steps take
//     n²(d+t) multiplications and additions and count as one product. The products with the
//     blocks are in float32 where they are accurate enough, and the last residual is in
//     float64. ASkotch takes more products than CG: it is for rows whose preconditioner is too
//     large or too weak, and Auto does not choose it.
//
// Solve does the same for any gram.Operator in place of G, such as an approximation.
//
// # Divided problems
//
// If the kernel matrix of all rows is too large, package dckrr divides the rows into
// parts with a problem each. Goodness measures how much a partition loses.
//
// # Classes
//
// Config.FitClasses fits the functions to the signs 1 and −1 of the classes
// (multiclass.Signs). Two classes have one function; more classes have one function each,
// for the class against the rest, and the largest value decides. The scores are values
// of a regression, not probabilities. A row far on the correct side of the boundary
// counts as an error, which is not so for the hinge loss of a support vector machine.
// Every training row stays in the expansion, so a prediction costs n kernel values.
//
// # Preconditioner
//
// The preconditioner of CG is the Nyström approximation of S·G·S from M landmarks with
// kernel values C and W. Its inverse is, up to the factor 1/λ,
//
//	P⁻¹ = I − S·C·(λW + CᵀS²C)⁻¹·Cᵀ·S,
//
// which takes n·M² flops for CᵀS²C and one Cholesky factor. C is computed anew in every
// product, in about the time of reading it from memory, and is not stored. If λ is so
// small that round-off in CᵀS²C would matter, the inverse comes from UΛUᵀ with orthonormal
// U and smallest eigenvalue ℓ ([FTU23]):
//
//	P⁻¹ = U·diag((ℓ+λ)/(Λ+λ))·Uᵀ + I − UUᵀ,
//
// in three times the flops and with two eigendecompositions of order M. As in Falkon
// ([RCR17]) the approximation uses kernel columns. The random combinations of columns
// in [FTU23] would cost a product of G with M columns.
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
// [RFG24] P. Rathore, Z. Frangella, S. Garg, S. Fazliani, M. Dereziński and M. Udell. Have
// ASkotch: a neat solution for large-scale kernel ridge regression. arXiv 2407.10070 (2024).
//
// [FTU23] Z. Frangella, J. A. Tropp and M. Udell. Randomized Nyström
// preconditioning. SIAM J. Matrix Anal. Appl. 44 (2023).
package krr
