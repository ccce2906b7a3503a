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
// GEMM, SYRK, SYR2K, SYMM, TRMM and TRSM. Level 2 runs on asm/level2, the triangular,
// packed and band routines of it from 64 rows or diagonals on, and of level 1 DOT,
// AXPY and SCAL of contiguous vectors.
//
// Of LAPACK, these are the module's own: the singular value decomposition (Dgesvd,
// by divide and conquer), symmetric (Dsyev, by divide and conquer) and general
// eigenproblems (Dgeev, by sweeps with many shifts and early deflation), LU (Dgetrf),
// QR and LQ (Dgeqrf, Dgelqf and what forms and applies their Q), QR with column
// pivoting (Dgeqp3, whose pivots come from a sketch), Cholesky of
// upper triangles (Dpotrf), and estimates of condition numbers (Dpocon, Dgecon,
// Dtrcon). At AVX-512 the last bits of Dgesvd and Dsyev can differ
// between CPUs of different vendors (see asm/secular). What is not replaced is
// gonum's.
//
// Eigenvectors and singular vectors are determined up to their sign, or up to a rotation of
// those of equal values, and the signs of Native are not those of gonum: results that depend
// on them change with the backend. Problems of up to about sixteen rows are left to gonum.
//
// No call can be interrupted. The longest ones are Dgeev, Dgesvd and Dsyev with
// vectors: docs/performance.md has their times.
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
