// Package peak holds the loops that measure what a CPU can do at each level:
// additions, multiply-adds and a mix of both from registers, and reading, copying, updating
// and filling memory. The benchmarks divide the speed of the other kernels by
// the speed of these.
//
// The loops are ordinary functions with results, so that they can be tested
// like any other family, and so that no compiler can drop them:
//
//	FMA     x[i] += a·b    rounds times, everything in registers
//	Add     x[i] += b      rounds times, everything in registers
//	Mix     x[i] += b and x[i] += a·b, in any order, rounds times, everything in registers
//	Sum     Σ x[i]         one read per element
//	Copy    dst[i] = src[i]
//	Shift   x[i] += b      once, in place: one read and one write of the same line
//	Fill    dst[i] = v     ordinary stores
//	Stream  dst[i] = v     stores that go around the caches (amd64; else Fill)
//
// # Accuracy
//
// Copy, Fill, Stream, Shift and Add are exact: every level gives the same
// bits. FMA is bounded: assembly rounds once per step, the generic version
// twice, so they differ by at most rounds·eps·(|a·b| + max|x|) and agree where
// a·b is exact. Mix is bounded likewise, by 2·rounds·eps·(rounds·(|a·b|+|b|) +
// max|x|). Sum is reassociated: the order of the additions is that of the
// level's registers, error at most n·eps·Σ|x[i]|.
//
// # Preconditions
//
// For FMA, Add and Mix the length is a multiple of Width, which is what 24
// registers of 64 bytes hold: enough independent chains to cover the latency
// of two units at every level. Nothing else has preconditions but equal
// lengths; dst and src of Copy do not overlap. No alignment is assumed.
package peak
