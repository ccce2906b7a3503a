// Package alacarte learns the kernel of a Gaussian process regression together with the
// regression: the factors of Fastfood that make its frequencies maximize the marginal likelihood
// ([YSSW15], FSARD and FSGBARD).
//
// Targets are y_i = b + a·⟨w,φ(x_i)⟩ + ε_i with w ~ N(0, I) and ε_i ~ N(0, σ²/w_i) for weights w_i, and
// features
//
//	φ(x) = m^{−1/2}·[cos Vx, sin Vx],
//	V = (1/√D)·S·H·G·Π·H·B·diag(ℓ)^{−1} in blocks of D = 2^k ≥ d rows,
//
// with diagonal S, G and B, a permutation Π and the Hadamard matrix H. They start as those of
// Fastfood for the Gaussian kernel (package rff), whose feature products they estimate. Then
// quasi-Newton steps (L-BFGS) maximize
//
//	log p(y) = −½·(yᵀK⁻¹y + log det K + n·log 2π),   K = a²·ΦΦᵀ + σ²·diag(w)^{−1},
//
// for the targets minus their mean, in the logarithms of a, σ and the length scales ℓ, and in
// S (FSARD) or S, G and B (FSGBARD). The model is the mean of the posterior: ridge regression on the
// features with λ = σ²/a² and a constant. It holds the frequencies as a matrix.
//
// # When to take it
//
// Package widths learns one width for each column of a kernel, by gradients of the exact criterion on up to 2000 rows, after which a fit of gp, krr or
// falkon has the kernel on all rows. That is the first choice for a smooth function of the columns: it has d parameters, takes Matérn kernels and sums
// and products too, and its model is no approximation. This package is for many rows of a function whose kernel is not known, such as one with periods or
// with directions across columns: FSARD and FSGBARD learn frequencies beside the widths, from all rows, in time proportional to their number.
// It takes the Gaussian kernel alone, its model is on m features, and it needs many more rows than parameters.
//
// # Cost
//
// A step takes about 3np² + p³ flops for p = 2m features, one or two likelihoods of them, and O(n·m·log d)
// for the derivative by the factors. Memory is 8·(3np + 4p²) bytes. A product or factorization is computed in
// one piece between two looks at the context.
//
// With S free, there are m parameters more than kernels of few rows can bear: the likelihood of few rows
// is maximized by frequencies that fit them and no others.
//
// docs/conventions.md states how matrices lie and how λ and seeds are counted.
//
// # References
//
// [YSSW15] Z. Yang, A. J. Smola, L. Song and A. G. Wilson. À la carte – learning fast kernels. AISTATS 2015.
package alacarte
