// Package blas chooses the implementation of BLAS and LAPACK that gonum and
// this module run on, and holds the default one, Native.
//
// # Backends
//
// A Backend is a set of gonum interfaces: blas.Float64, blas.Float32 and
// lapack.Float64. Use installs one in gonum's blas64, blas32 and lapack64, so
// that all of gonum/mat and everything built on it follows. Importing this
// package installs Native unless the program has chosen another implementation
// before; Use(Gonum) undoes that. OpenBLAS is in package blas/openblas.
//
// # Native
//
// Native is gonum's implementation with the level-3 routines replaced by packed
// and parallel ones on the micro-kernels of asm/gemm, for float64 and float32:
// GEMM, SYRK, SYR2K, SYMM, TRMM and TRSM. Of level 2, GEMV, GER, SYR and SYMV run
// on asm/level2, and of level 1, DOT, AXPY and SCAL of contiguous vectors. The
// symmetric eigenproblem (Dsyev) uses divide and conquer; at AVX-512 the last bits
// of its results can differ between CPUs of different vendors (see asm/secular).
// What is not replaced is gonum's.
//
// Results of the replaced routines depend on the level (asm/cpu) and the
// operands, never on the number of threads: an element of a product is a chain
// of fused multiply-adds over blocks of k that are constants (see asm/gemm), so
// a block of a product has the same bits as the product of the blocks. No
// product with a zero is skipped: NaN and Inf in a factor reach the result as
// the formulas say. (gonum's own GEMM skips zeros where A is not transposed.)
// C is not read where beta is zero, A and B are not where alpha is zero.
// Only level 3 and large GEMV use more than one goroutine.
//
// Arguments are checked as in gonum; a wrong one panics before anything is
// written.
package blas
