// Package fwht computes fast Walsh–Hadamard transforms, in place.
//
// # Matrix
//
// H_1 = (1), H_2n = [H_n H_n; H_n −H_n]: the natural (Hadamard, Sylvester)
// order, entries ±1, unnormalized, H·Hᵀ = n·I. Lengths are n = m·2^k with m = 1,
// 12, 20 or 28: for the last three H_n = H_m ⊗ H_2^k, where H_m is Paley's
// symmetric matrix (second construction over the fields of 5, 9 and 13
// elements). All matrices are symmetric, so each transform is its own inverse up
// to the factor n.
//
// What is scaled or reordered says so in its name: Orthonormal is H/√n, Inverse
// is H/n, Sequency has the rows sorted by the number of sign changes (Walsh
// order). For other lengths pad with zeros to Pad(n), or to NextLength(n), which
// is often nearer.
//
// # Accuracy class: exact
//
// The order of the additions is fixed: every level of assembly, number of
// workers and split into rows gives the same bits. Integers are transformed
// without error as long as n·max|x| fits the significand; otherwise the relative
// error in the 2-norm is at most about log₂(n)·2⁻⁵³ (float64) or log₂(n)·2⁻²⁴
// (float32), with m/2 more for m > 1. The scaled ones round once more per
// element.
//
// # Cost
//
// n·log₂n additions for n = 2^k, n·(k + m/2) for the others. Nothing is
// allocated, but for a vector of scratch that Sequency keeps for later calls.
// Single vectors of 4 MiB and more, and batches of rows, run on several
// goroutines.
//
// # Sources
//
// [FA76] B. J. Fino and V. R. Algazi, Unified matrix treatment of
// the fast Walsh–Hadamard transform, IEEE Transactions on Computers C-25 (1976)
// 1142–1146. [P33] R. E. A. C. Paley, On orthogonal matrices, Journal of
// Mathematics and Physics 12 (1933) 311–320.
package fwht
