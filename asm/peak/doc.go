// Package peak has the loops that measure the limits of a CPU at each level:
// additions, multiply-adds and a mix of both from registers, and reading,
// copying, updating and filling memory. The benchmarks divide the speed of the
// other kernels by the speed of these loops.
//
// The API of this package is not promised and may change in any version.
//
// The loops are ordinary functions with results, so that they can be tested
// like the other kernels and no compiler can drop them:
//
//	FMA     x[i] += a·b    rounds times, everything in registers
//	Add     x[i] += b      rounds times, everything in registers
//	Mix     x[i] += b and x[i] += a·b, in any order, rounds times, everything in registers
//	Sum     Σ x[i]         one read per element
//	Copy    dst[i] = src[i]
//	Shift   x[i] += b      once, in place: one read and one write of the same line
//	Fill    dst[i] = v     ordinary stores
//	Stream  dst[i] = v     stores that bypass the caches (amd64; elsewhere as Fill)
//
// # Accuracy
//
// Copy, Fill, Stream, Shift and Add are exact: every level gives the same
// bits. FMA is bounded: assembly rounds once per step and the generic version
// twice, so they differ by at most rounds·eps·(|a·b| + max|x|) and agree if
// a·b is exact. Mix is bounded by 2·rounds·eps·(rounds·(|a·b|+|b|) + max|x|).
// Sum is reassociated: the level decides the order of the additions, and the
// error is at most n·eps·Σ|x[i]|.
//
// # Preconditions
//
// For FMA, Add and Mix the length is a multiple of Width, the number of
// elements in 24 registers of 64 bytes. These are enough independent chains to
// cover the latency of two units at every level. Copy needs equal lengths, and
// its dst and src must not overlap. No alignment is assumed.
package peak
