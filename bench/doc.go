// Package bench measures every kernel of the module at every level the CPU
// has, next to the pure-Go version and to the ceilings of the same run.
//
// # Method
//
// A case is one kernel at one size. All its variants (levels, numbers of
// threads) are measured in turn, A B C A B C …, together with the ceilings
// they are compared with, so that a change of clock or load meets all alike.
// The figure of a variant is the median of its runs (eleven, five with Quick,
// three where a single call takes half a second), each of which repeats the
// call until it lasts long enough for the clock. Kernels that share their work
// run on one thread and on GOMAXPROCS; with Quick, those that sweep over memory
// in place run on one alone.
//
// # Ceilings
//
// A call that does flops operations and moves bytes bytes cannot be faster
// than flops/peak or bytes/bandwidth, whichever takes longer: that one is its
// ceiling. The peak is that of multiply-adds from registers or, for kernels that
// only add, of additions; where additions and multiply-adds have units of their
// own, a mix of both does more, if a multiply-add by one is taken for an addition,
// and then that is the ceiling of additions. The bandwidth is that of reading, copying,
// updating in place or filling memory of the case's size. Both are measured by
// package asm/peak at the variant's own level and number of threads, and by
// the copy and clear routines of the Go runtime, which may be better. A
// ceiling is the best of all its runs, not their median.
//
// So a kernel above its ceiling is a failed measurement. It is repeated, and if
// more than Tolerance remains the run fails, unless the runs of the kernel or of
// the ceiling differ among themselves by as much: on a busy machine they do, and
// the row says "noisy, repeat" instead.
//
// A level that takes longer than the next lower one is a defect of a kernel, or
// of the choice between them. It is measured again, too, and if it is still
// slower by more than Tolerance, by the least and by the median of the runs, the
// row says so.
//
// Bytes count what a call must move at least once: each operand read and each
// result written. Flops count what the definition needs, n·log₂n for a
// Hadamard transform, 2mnk for a product. Functions such as exp have no such
// count and no flops here.
package bench
