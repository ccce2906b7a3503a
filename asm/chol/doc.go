// Package chol has the inner loops of rank-one changes to a Cholesky factor.
//
// The API of this package is not promised and may change in any version: programs link
// package cholupdate at the top of the module.
//
// # Rotations
//
// The factor is an upper triangular U with contiguous rows, A = UᵀU; row k of U is
// column k of L = Uᵀ. A change by ±xxᵀ carries a vector w, which starts as x, down
// the rows. The rotation of row k takes w_k to zero against the pivot U_kk and is
// applied to the rest of the row and of w,
//
//	Update    l' = c·l + s·w       w' = c·w − s·l        c² + s² = 1
//	Downdate  l' = (l − s·w)/c     w' = c·w − s·l'       c² = (1 − s)(1 + s)
//
// where l runs over the elements of the row to the right of the pivot. The downdate
// has the mixed hyperbolic form, whose backward error is that of an orthogonal
// method. The backward error of the plain hyperbolic form (w' = (w − s·l)/c) is not
// bounded in this way. The kernels apply the rotations of four rows in one pass over
// w: w stays in registers, and every row is read and written once.
//
// Where p = L⁻¹x is known, the change is a product, A ± xxᵀ = L(I ± ppᵀ)Lᵀ, and the factor
// of I ± ppᵀ is known, too. With s₀ = 1 and s_k = s_{k−1} ± p_k²,
//
//	Solved    w' = w − p·l         l' = d·l + c·w'       d = √(s_k/s_{k−1}), c = ±p_k/√(s_{k−1}s_k)
//
// in which the chain of operations on w is a third of that of a downdate, and all
// coefficients are known before the first element changes. Its errors grow with 1/√s_k for
// downdates and √s_k for updates ([GGMS74], method C1).
//
// RotateLower does the same for a lower triangular L with contiguous rows: four
// neighboring columns of L and w change row by row. RotatePanel applies the
// rotations of many columns to a few rows.
//
// # Identity plus rank one
//
// Sweep multiplies rows b of a matrix by the Cholesky factor L of I + β·wwᵀ from the
// right, b ← bL. With L_jj = d_j and L_ij = c_j·w_i (i > j), it computes
//
//	b_j ← d_j·b_j + c_j·Σ_{i>j} w_i·b_i,
//
// with a running sum from the right.
//
// # Preconditions and accuracy
//
// Only slice bounds are checked. Operands must not overlap, but for rows and vectors
// that a routine changes in place. No alignment is assumed. Levels differ only in
// rounding: accuracy class reassociated. For rotations assembly uses fused
// multiply-adds and Go does not. Sweep adds the products within a register pairwise,
// except for float64 at AVX2, where it adds them one after the other.
//
// # Levels
//
// All routines have variants for AVX2, AVX-512 and NEON, with three exceptions in
// which level AVX512 runs the variants of AVX2. The first are RotateLower and
// RotatePanel for float32: the eight rows of a panel fill a register of AVX2, and
// sixteen rows in a register of AVX-512 gained nothing in RotateLower. The second
// are the rotations of RotatePanel for float64, which are rare: cholupdate uses Solved
// wherever that is accurate. The third is Rotate of few
// columns: all its chains overlap, and a load with a mask waits for the store with a
// mask before it. If the rows do not begin at the same place in a cache line, most
// wide loads and stores cross two lines, so that AVX2 is better for more columns. So it is
// for Update and Solved of 256 and more columns of float64.
//
// RotatePanel for Solved on AVX-512 does not transpose the rows. It scans products along
// two rows at a time, which takes fewer operations between lanes, and what it carries
// from eight columns to the next is one subtraction and one broadcast.
//
// Sources: [GVL13] G. H. Golub, C. F. Van Loan. Matrix Computations, 4th ed.,
// §6.5.4; [Bojanczyk Brent Van Dooren de Hoog 1987] A note on downdating the
// Cholesky factorization, SIAM J. Sci. Stat. Comput. 8(3) for the mixed form;
// [GGMS74] P. E. Gill, G. H. Golub, W. Murray, M. A. Saunders. Methods for modifying matrix
// factorizations. Math. Comp. 28 (126), 505–535;
// [KSD06] B. Kulis, M. Sustik, I. S. Dhillon. Learning low-rank kernel matrices,
// ICML, for the sweep.
package chol
