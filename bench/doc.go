// Package bench measures every kernel of the module at every level the CPU
// has, next to the pure-Go version and to the ceilings of the same run.
//
// # Method
//
// A case is one kernel at one size. All its variants (levels, numbers of threads) are measured in turn,
// A B C A B C …, together with the ceilings they are compared with, so that a change of clock or load
// affects all of them alike. The figure of a variant is the median of its runs: eleven, five with Quick, or
// three if a single call takes half a second. Each run repeats the call until it lasts long enough for the
// clock. Kernels that divide their work run on one thread and on GOMAXPROCS threads; with Quick, those that
// sweep over memory in place run on one thread only.
//
// # Ceilings
//
// A call that does f operations and moves b bytes takes at least f/peak and at least b/bandwidth seconds;
// the longer time is its ceiling. The peak is that of multiply-adds in registers or, for kernels that only
// add, of additions. On CPUs with separate units for additions and multiply-adds, a mix of both does more
// additions if a multiplication by one serves as an addition; the mix is then the ceiling of additions. The
// bandwidth is that of reading, copying, updating in place or filling memory of the size of the case. Both
// are measured by package asm/peak at the level and number of threads of the variant, and also by the copy
// and clear routines of the Go runtime, which can be faster. A ceiling is the best of all its runs, not
// their median.
//
// A kernel above its ceiling therefore indicates a failed measurement. It is repeated, and if the excess is
// still more than Tolerance, the run fails. If the runs of the kernel or of the ceiling differ by as much
// among themselves, as they do on a busy machine, the row says "noisy, repeat" instead.
//
// A level that takes longer than the next lower one is a defect of the kernel, or of the choice between
// levels. It is measured again, too. If it is still slower by more than Tolerance, according to the least
// and to the median of the runs, the row says so.
//
// Bytes count what a call must move at least once: each operand read and each
// result written. Flops count what the definition needs, n·log₂n for a
// Hadamard transform, 2mnk for a product. Functions such as exp have no such
// count and no flops here.
package bench
