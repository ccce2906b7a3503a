// Package lanes has the inner loops of algorithms for many small matrices, of which eight are worked on at
// once: each matrix has a lane of the vectors.
//
// The API of this package is not promised and may change in any version: programs link
// package batch at the top of the module.
//
// # Storage
//
// Eight matrices of one shape are interleaved: element e of the matrix of lane l is x[e·Width+l]. Strides
// count elements of a matrix, so that the next element lies Width numbers further.
//
// # Mathematics
//
// All formulas hold for each lane by itself:
//
//	Reduce   x_c −= Σₚ u_p·b_pc; then x_c /= d, or x_0 = √x_0 and x_c /= x_0 for c > 0 (as x_c·(1/x_0))
//	Angle    the rotation that makes the element (p,q) of a symmetric matrix zero, [GV] section 8.5.2
//	Turn     (x, y) = (c·x − s·y, s·x + c·y)
//	Eliminate  x_ic −= (x_i0/x_00)·x_0c, where the quotient takes the place of x_i0
//	Largest    the first i with the largest |x_i|
//
// Reduce is a row of a Cholesky factor or of a substitution, Angle and Turn are the method of Jacobi, Largest and Eliminate are
// steps of an LU factorization.
//
// # Accuracy class
//
// Reassociated. The levels with assembly, AVX2, AVX-512 and NEON, give the same bits: they fuse multiply-adds, and the
// version in pure Go rounds each product. Angle gives the same bits everywhere, but that −0 may become 0, and Largest the same numbers. No number of
// a lane depends on another lane: a rotation by nothing, which Turn applies to a lane while others are not done, changes
// nothing but −0 to 0.
//
// # Source
//
// [GV] G. H. Golub, C. F. Van Loan. Matrix Computations, 4th edition. Johns Hopkins, 2013.
package lanes
