// Package openblas is the optional OpenBLAS backend of package blas. It is
// compiled in with
//
//	go build -tags openblas
//
// and needs cgo, OpenBLAS and LAPACKE (Debian, Ubuntu: libopenblas-dev and
// liblapacke-dev). Without the tag New returns an error that says so.
//
// Level 3, the hot routines of level 2, Cholesky, LU with the inverse, QR, the
// symmetric (dsyevd) and the general eigenproblem (dgeev), the SVD (dgesdd) and
// triangular inverses are OpenBLAS's; level 1 and the band and packed routines,
// which are over before a call into C returns, are gonum's. LAPACK is called with
// column-major matrices: a symmetric or triangular matrix by its other triangle,
// an SVD by the transposed problem, QR as LQ, so nothing is copied to transpose it.
// For LU and the general eigenproblem LAPACKE transposes a copy.
//
// # Threads
//
// Many released versions of OpenBLAS give wrong results when their threaded
// routines run concurrently. Therefore one lock is held during each call, so
// OpenBLAS's own threads are the only ones at work in it, and New compares
// concurrent SYRK, POTRF and GEMM with serial results and fails when they
// differ. SetThreads sets OpenBLAS's number of threads.
//
// The same program may get different bits from another version, CPU or number
// of threads. NaN and Inf are not promised to pass factors of zero.
//
// # Core
//
// OpenBLAS picks kernels by CPU; an old version may not know a new CPU and pick
// slow ones. The environment variable GRAM_OPENBLAS_CORE or NewCore names
// others (Haswell, SkylakeX, Zen, …; for builds with DYNAMIC_ARCH). The choice
// must come before other goroutines use OpenBLAS. Describe tells which core is
// in use and whether another one would help.
package openblas
