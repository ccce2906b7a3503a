// Package hadamard has the kernels of the Walsh–Hadamard transform.
//
// The API of this package is not promised and may change in any version: programs link
// package fwht at the top of the module.
//
// The transform of a vector of length n = 2^k is x ← H_n x with H_1 = (1) and
//
//	H_2n = [ H_n  H_n ]
//	       [ H_n −H_n ]
//
// (natural order, unnormalized, H_n·H_n = n·I). The transform consists of k
// stages of n/2 butterflies (a, b) ← (a+b, a−b) between elements at distance h,
// one stage for each h = 1, 2, 4 … n/2. The stages may be done in any order.
//
// # Accuracy class: exact
//
// The order of the stages is fixed, so that every level gives the same bits.
// The stages within 64 bytes (L = 8 float64 or 16 float32) come first, from the
// widest down: h = min(n, L)/2 … 2, 1. Then come h = L, 2L … n/2. Only the
// payload of a NaN that results from several NaNs is not defined. This order
// puts the stages that need shuffles next to each other, and the widest of them
// reads its operands by broadcasting loads, which need no shuffle.
//
// Integers stay exact as long as n·max|x| fits the significand. Otherwise the
// result has a relative error of at most k·u/(1−k·u) in the 2-norm, where u is
// half the distance from 1 to the next number.
//
// Signed multiplies the vector by factors first, each product rounded once. With
// random signs and powers of two as factors this is a round of a random rotation
// without any rounding but that of the transform.
//
// # Storage
//
// A vector is contiguous and has any alignment. The stride of the rows of a
// batch is at least their length. All functions work in place and allocate
// nothing.
//
// Source: [FA76] B. J. Fino and V. R. Algazi, Unified matrix treatment of the
// fast Walsh–Hadamard transform, IEEE Transactions on Computers C-25 (1976)
// 1142–1146.
package hadamard
