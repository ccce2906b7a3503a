// Package chol holds the inner loops of rank-one changes to a Cholesky factor.
//
// # Rotations
//
// The factor is handed over as an upper triangular U with rows in contiguous
// memory, A = UᵀU (so row k of U is column k of L = Uᵀ). A change by ±xxᵀ
// carries a vector w, at first x, down the rows: the rotation of row k zeroes
// w_k against the pivot U_kk and is applied to the rest of both,
//
//	Update    l' = c·l + s·w       w' = c·w − s·l        c² + s² = 1
//	Downdate  l' = (l − s·w)/c     w' = c·w − s·l'       c² = (1 − s)(1 + s)
//
// with l running over the row right of the pivot. The second is the mixed
// hyperbolic form: its backward error is that of an orthogonal method, that of
// the plain hyperbolic form (w' = (w − s·l)/c) is not. The kernels apply the
// rotations of four rows in one pass over w: w stays in registers and a row is
// read and written once.
//
// RotateLower does the same to a lower triangular L with rows in contiguous
// memory: four neighboring columns of L and w change row by row. RotatePanel
// applies the rotations of many columns to a few rows.
//
// # Identity plus rank one
//
// Sweep multiplies rows b of a matrix by the Cholesky factor L of
// I + β·wwᵀ from the right, b ← bL. With L_jj = d_j and L_ij = c_j·w_i (i > j),
//
//	b_j ← d_j·b_j + c_j·Σ_{i>j} w_i·b_i,
//
// a running sum from the right.
//
// # Preconditions and accuracy
//
// Nothing is checked beyond slice bounds. No alignment is assumed. Levels
// differ in rounding only: accuracy class reassociated. Rotations fuse a
// product with a sum in assembly and do not in Go; Sweep adds in trees within
// a register, for float64 on AVX2 one after the other.
//
// # Levels
//
// All routines have variants for AVX2, AVX-512 and NEON, with three exceptions, for
// which AVX-512 runs those of AVX2. RotateLower and RotatePanel for float32: eight
// rows, the most of a panel, fill a register of AVX2, and sixteen rows in one of
// AVX-512 gained nothing in RotateLower. The downdates of RotatePanel for float64:
// they wait for the chain of operations on w, which is no shorter in a wide
// register, and two chains of four rows took 10 % less time than one of eight.
// Rotate of few columns: all chains overlap there, and a load under a mask waits for
// the store under a mask before it; and where the rows do not lie alike on cache
// lines, so that most wide loads and stores cross two lines, of more of them.
//
// Sources: [GVL13] G. H. Golub, C. F. Van Loan. Matrix Computations, 4th ed., §6.5.4;
// [Bojanczyk Brent Van Dooren de Hoog 1987] A note on downdating the Cholesky
// factorization, SIAM J. Sci. Stat. Comput. 8(3) for the mixed form;
// [KSD06] B. Kulis, M. Sustik, I. S. Dhillon. Learning low-rank kernel matrices, ICML, for
// the sweep.
package chol
