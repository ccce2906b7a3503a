// Package eig computes eigenvalues and eigenvectors of symmetric matrices where more is known than
// their elements: a few of the pairs are enough, the matrix is given by its products, or it differs
// from a decomposed one by rank one.
//
//   - RankOne decomposes a diagonal plus a rank-one matrix, and UpdateSym updates a full
//     factorization after such a change. Both take O(n²) and one matrix product. Pairs are a
//     factorization that is changed again and again.
//   - TopK computes the k largest eigenvalues of an operator that is only known by its products, by
//     Lanczos' method up to a given residual. Randomized does the same with a few products with many
//     vectors. RandomizedSVD computes singular values of a matrix.
//   - SymAll computes all eigenvalues of a stored matrix, and ProjectPSD its nearest positive
//     semidefinite matrix. Generalized solves Ax = λBx. Orthonormal orthonormalizes columns.
//
// # Applying the eigenvectors of a rank-one change
//
// The eigenvectors of RankOne form a Cauchy-like matrix. MulRight computes it in tiles of 128 columns
// within the product: it takes O(n) memory instead of n², and 2·r·n² flops for an r×n matrix. A fast
// multipole method would take O(r·n·log(1/eps)). In double precision, one-dimensional multipole codes
// take some 300 to 500 flops for each element at a tenth of the speed of a matrix product. From these
// counts (not from measurements) such a method would pay from n of about 4000 for a single row, and from
// about 10 000 for blocked products of many rows. It is not provided.
//
// # References
//
//   - [BNS78] J. R. Bunch, C. P. Nielsen, D. C. Sorensen. Rank-one modification of the symmetric
//     eigenproblem. Numer. Math. 31, 31–48.
//   - [GE94] M. Gu, S. C. Eisenstat. A stable and efficient algorithm for the rank-one
//     modification of the symmetric eigenproblem. SIAM J. Matrix Anal. Appl. 15,
//     1266–1276.
//   - [GE95] M. Gu, S. C. Eisenstat. A divide-and-conquer algorithm for the bidiagonal SVD.
//     SIAM J. Matrix Anal. Appl. 16, 79–92.
//   - [L93] R.-C. Li. Solving secular equations stably and efficiently. LAPACK Working
//     Note 89.
//   - [HMT11] N. Halko, P. G. Martinsson, J. A. Tropp. Finding structure with randomness:
//     probabilistic algorithms for constructing approximate matrix
//     decompositions. SIAM Review 53, 217–288.
//   - [WS00] K. Wu, H. Simon. Thick-restart Lanczos method for large symmetric eigenvalue
//     problems. SIAM J. Matrix Anal. Appl. 22, 602–616.
//   - [ZS08] Y. Zhou, Y. Saad. Block Krylov–Schur method for large symmetric eigenvalue
//     problems. Numer. Algorithms 47, 341–359.
package eig
