// Package eig computes eigenvalues and eigenvectors of symmetric matrices that
// have structure: a diagonal plus a rank-one matrix, or a full factorisation
// that changes by one.
//
// # References
//
//   - [Bunch Nielsen Sorensen 1978] Rank-one modification of the symmetric
//     eigenproblem. Numer. Math. 31, 31–48.
//   - [Gu Eisenstat 1994] A stable and efficient algorithm for the rank-one
//     modification of the symmetric eigenproblem. SIAM J. Matrix Anal. Appl. 15,
//     1266–1276.
//   - [Li 1993] Solving secular equations stably and efficiently. LAPACK Working
//     Note 89.
package eig
