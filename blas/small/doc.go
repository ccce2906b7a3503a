// Package small has linear algebra for single matrices of two, three and four rows, which are values: symmetric
// eigenproblems, singular values, systems and inverses, without allocation. Many such matrices of one shape are faster in package batch.
//
// A matrix is an array of its rows. Results are the same bits at every level and on every architecture, up to the sign of zeros.
//
// # Accuracy
//
// Functions of this package trade some speed for results that are right to a few units in the last place also
// where LAPACK's are not.
//
// Eigenvectors and singular vectors come from rotations (C. G. J. Jacobi's method, two-sided and, for singular values, one-sided), and are
// orthogonal to 2⁻⁴⁸. Eigenvalues are right to 2⁻⁴⁸ of the largest, those of positive definite matrices D·B·D, and
// singular values of matrices B·D, with a diagonal D and a well conditioned B, to some 2⁻⁴⁸ of themselves. Singular values
// of less than 2⁻⁴⁸⁰ of the largest are given as zero.
// (J. Demmel, K. Veselić. Jacobi's method is more accurate than QR. SIAM J. Matrix Anal. Appl. 13, 1992.)
//
// Solutions and inverses come from LU factors of the matrix, with rows and columns scaled by powers of two, and are
// refined by residuals in twice the precision. Where the condition number of the scaled matrix is below 10¹², a solution is right to
// about a unit in the last place of its largest scaled element, whatever the scales of rows and columns are
// (N. J. Higham. Accuracy and Stability of Numerical Algorithms, 2nd edition, SIAM 2002, section 12.1).
package small
