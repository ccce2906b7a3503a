// Package hadamard holds the kernels of the Walsh–Hadamard transform.
//
// The transform of a vector of length n = 2^k is x ← H_n x with H_1 = (1) and
//
//	H_2n = [ H_n  H_n ]
//	       [ H_n −H_n ]
//
// (natural order, unnormalized, H_n·H_n = n·I). It is k stages of n/2
// butterflies (a, b) ← (a+b, a−b) between elements at distance h, one stage for
// each h = 1, 2, 4 … n/2, in any order.
//
// # Accuracy class: exact
//
// The order of the stages is fixed, so that every level gives the same bits:
// first those inside 64 bytes (L = 8 float64 or 16 float32) from the widest
// down, h = min(n, L)/2 … 2, 1, then h = L, 2L … n/2 upwards. Only which NaN
// comes out where several go in is not defined. The order puts the stages that
// need shuffles next to each other and lets the widest of them read its
// operands with broadcasting loads, which are free of shuffles.
//
// Integers stay exact as long as n·max|x| fits the significand. Otherwise the
// result has a relative error of at most k·u/(1−k·u) in the 2-norm, u being
// half the distance from 1 to the next number.
//
// # Storage
//
// A vector is contiguous, any alignment. Rows of a batch lie at any distance
// of at least their length. Everything happens in place, without allocation.
//
// Source: [FA76] B. J. Fino and V. R. Algazi, Unified matrix
// treatment of the fast Walsh–Hadamard transform, IEEE Transactions on
// Computers C-25 (1976) 1142–1146.
package hadamard
