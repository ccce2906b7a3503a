// Package kpca implements kernel principal component analysis [SSM98]: the coordinates of rows along the directions
// in which their images in the feature space of a kernel spread most.
//
// With the kernel matrix G = UΛUᵀ of the rows of a fit, the first r eigenvectors U_r and eigenvalues Λ_r give the
// features
//
//	f(x) = Λ_r^{−½}·U_rᵀ·k_x,   k_x = (κ(x,x_1), …, κ(x,x_n)),
//
// of any row. Their inner products are a kernel of rank r, and on the rows of the fit it is the best approximation
// of G of that rank in every unitarily invariant norm. With Config.Center the mean of the images is subtracted: the
// eigenvectors are those of HGH, H = I − 11ᵀ/n, and f(x) = Λ_r^{−½}·U_rᵀ·H·k_x. These are the usual components but
// for a constant vector, which distances do not see.
//
// What Fit returns is an itml.Function with α = 0: a kernel, whose Features are the components and whose Embedding
// is a gram.FeatureMap. A kernel can be learned from it (ITML LR-pre of [J10]), and the components of a kernel that
// was learned are ITML LR-post.
//
// # Limits
//
// The kernel matrix of all rows is formed and decomposed, n² numbers and 9n³ flops, and the features of a row take n
// values of κ. For more than a few thousand rows use the features of package nystrom or rff instead.
//
// # References
//
// [SSM98] B. Schölkopf, A. Smola and K.-R. Müller. Nonlinear component analysis as a kernel eigenvalue problem.
// Neural Computation 10 (1998).
//
// [J10] P. Jain, B. Kulis and I. Dhillon. Inductive regularized learning of kernel functions. NIPS 2010.
package kpca
