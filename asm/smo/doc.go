// Package smo holds the two passes over all variables that an iteration of
// sequential minimal optimization with second-order working-set selection makes.
//
// # Mathematics
//
// The variables β_t have a gradient g_t and offsets u_t and d_t: raising β_t
// changes the objective at the rate g_t+u_t, lowering it at the rate −(g_t+d_t).
// A variable that cannot be raised has u_t = +Inf, one that cannot be lowered
// d_t = −Inf. With rows k, l of the kernel matrix,
//
//	Step   g_t += a·k_t + b·l_t; then the least g_t+u_t and the largest g_t+d_t
//	Pair   the largest max(0, g_t+d_t−m)² / max(Tau, (kii+diag_t)−2·k_t)
//
// # Lanes
//
// The best value is kept for each of Lanes interleaved parts of the variables, t
// mod Lanes, the first of equals in each. The best of these is the best of all;
// the others are near it, and are what the next iterations are likely to want.
//
// # Accuracy class
//
// Step: a product and two multiply-adds for g_t where the level has it, else
// every operation rounds. Pair: exact, the same bits on every level, for the same
// g. NaN is never the best.
//
// # Source
//
// [FCL05] R.-E. Fan, P.-H. Chen, C.-J. Lin. Working set selection
// using second order information for training support vector machines. Journal of
// Machine Learning Research 6 (2005): WSS 2, here with one sign for all variables.
package smo
