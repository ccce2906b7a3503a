// Package eig computes eigenvalues and eigenvectors of symmetric matrices.
//
//   - RankOne: a diagonal plus a rank-one matrix; UpdateSym: a full factorization
//     that changes by one. O(n²) and one matrix product.
//   - TopK: the k largest of an operator that is only known by its products, by
//     Lanczos to a given residual; Randomized: the same by a few products with
//     many vectors; RandomizedSVD: singular values of a matrix.
//   - SymAll: all of a stored matrix; ProjectPSD and PowerPinv: functions of it.
//
// # Applying the eigenvectors of a rank-one change
//
// The eigenvectors of RankOne are a Cauchy-like matrix. MulRight generates it in
// tiles of 128 columns inside the product: O(n) memory where the matrix would
// take n², 2·r·n² flops for an r×n matrix. A fast-multipole application takes
// O(r·n·log(1/eps)) instead. At double precision one-dimensional multipole codes
// spend some 300 to 500 flops an element, at a tenth of the speed of a matrix
// product, so that it would pay from n of about 4000 on for one row and, against
// blocked products of many rows, from about 10 000: an estimate from flop
// counts, not a measurement. It is not provided.
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
