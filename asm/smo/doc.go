// Package smo has the two passes over all variables in an iteration of sequential
// minimal optimization with second-order selection of the working set.
//
// The API of this package is not promised and may change in any version: programs link
// package algos/svm.
//
// # Mathematics
//
// The variables β_t have a gradient g_t and offsets u_t and d_t. Raising β_t
// changes the objective at the rate g_t+u_t, lowering it at the rate −(g_t+d_t). A
// variable that cannot be raised has u_t = +Inf, one that cannot be lowered d_t =
// −Inf. With rows k, l of the kernel matrix the passes are
//
//	Step   g_t += a·k_t + b·l_t; then the least g_t+u_t and the largest g_t+d_t
//	Pair   the largest max(0, g_t+d_t−m)² / max(Tau, (kii+diag_t)−2·k_t)
//
// # Lanes
//
// The variables are divided into Lanes interleaved parts by t mod Lanes, and the
// best value of each part is kept, the first of equal values. The best of these is
// the best of all; the others are close to it, and the next iterations are likely
// to need them.
//
// # Preconditions
//
// g, which Step changes, overlaps no other operand; k and l may be the same. No
// alignment is assumed.
//
// # Accuracy class
//
// Step uses a product and two fused multiply-adds for g_t if the level has them;
// otherwise every operation rounds. Pair is exact: for the same g every level
// gives the same bits. NaN is never the best value.
//
// # Source
//
// [FCL05] R.-E. Fan, P.-H. Chen, C.-J. Lin. Working set selection using second
// order information for training support vector machines. Journal of Machine
// Learning Research 6 (2005): WSS 2, here with the same sign for all variables.
package smo
