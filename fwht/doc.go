// Package fwht computes fast Walsh–Hadamard transforms of vectors and of the rows and columns of
// matrices, in place, in float64 and float32. They are products with a matrix of entries ±1
// that take n·log₂n additions instead of n². Random rotations, projections and features of
// kernels are made of them. The same input gives the same bits on every machine.
//
// # Matrix
//
// H_1 = (1), H_2n = [H_n H_n; H_n −H_n]. This is the natural (Hadamard,
// Sylvester) order with entries ±1, unnormalized: H·Hᵀ = n·I. Lengths are n =
// m·2^k with m = 1, 12, 20 or 28. For the last three H_n = H_m ⊗ H_2^k, where
// H_m is Paley's symmetric matrix (second construction, over the fields of 5, 9
// and 13 elements). All matrices are symmetric, so each transform is its own
// inverse up to the factor n.
//
// A Matrix has further lengths, with m = 36, 52, 60, 108, 140, 148, 156 or 172. It holds H_m, takes 2m operations for
// each element, and is not always symmetric.
//
// Functions that scale or reorder say so in their names: Orthonormal computes
// H/√n, Inverse computes H/n, and Sequency sorts the rows of H by their number
// of sign changes (Walsh order). Rows of other lengths are padded with zeros to
// Pad(n), or to NextLength(n), which is often smaller.
//
// # Accuracy class: exact
//
// The order of the additions is fixed: every level of assembly, every architecture,
// any number of workers and any split into rows give the same bits. Integers are transformed
// without error as long as n·max|x| fits the significand. Otherwise the relative
// error in the 2-norm is at most about log₂(n)·2⁻⁵³ (float64) or log₂(n)·2⁻²⁴
// (float32); for m > 1 add m/2 to log₂(n). Functions that scale round each
// element once more.
//
// # Cost
//
// A transform takes n·log₂n additions for n = 2^k and n·(k + m/2) for the other
// lengths. It allocates nothing, except that Sequency keeps a scratch vector for
// later calls. Single vectors of 2¹⁹ elements and more, and batches of rows, run
// on several goroutines.
//
// # Sources
//
// [FA76] B. J. Fino and V. R. Algazi, Unified matrix treatment of the fast
// Walsh–Hadamard transform, IEEE Transactions on Computers C-25 (1976)
// 1142–1146. [P33] R. E. A. C. Paley, On orthogonal matrices, Journal of
// Mathematics and Physics 12 (1933) 311–320. [W44] J. Williamson, Hadamard's determinant theorem and the sum of four
// squares, Duke Mathematical Journal 11 (1944) 65–81.
package fwht
