// Package gemm holds the micro-kernels of matrix products and the packing they
// work on. It decides nothing: cutting into blocks, threads and the choice
// between packed and unpacked operands belong to package blas (products) and
// package kernel (products with an epilogue).
//
// # Tiles
//
// Matrices are row-major. Tile computes one mr×nr tile of
//
//	C = alpha·A·B + beta·C
//
// over one block of k. Shape gives mr and nr for the level in force:
//
//	           float64   float32
//	generic      4×4       4×4
//	avx2         4×12      4×24
//	avx512       8×24      8×48
//	neon         4×12      4×24
//
// A is read element by element at any row and column stride, B in vectors
// along its rows, so a tile may work on matrices where they lie or on packed
// panels (Pack). One matrix is packed into panels of w lines (w = mr for A's
// rows, w = nr for B's columns):
//
//	dst[(i/w)·w·k + p·w + i%w] = x[i·is + p·ps]    0 ≤ i < m, 0 ≤ p < k
//
// the last panel filled up with zeros. For a packed panel of A the strides in
// the call of Tile are 1 and mr, for one of B the row stride is nr.
//
// # Order of summation
//
// The order of summation is part of the result. K[F] products make one block:
// it is 256 for float64 and 512 for float32 at every level and is never tuned.
// Within a block an element of the tile is the chain
//
//	s = 0;  s = fma(a[i,p], b[p,j], s)   for p = 0, 1, …, k−1
//
// and then c = fma(alpha, s, beta·c), or alpha·s where beta is 0 and C is not
// read. The generic kernel rounds the product before the sum instead. Blocks of
// k are added in ascending order by the caller. So an element depends on its
// row of A, its column of B and on k only, not on the tile, the edge it lies
// at, on packing or on threads; the levels with assembly agree bit for bit with
// each other. No product is skipped because a factor is zero: NaN and Inf
// propagate.
//
// Accuracy class: reassociated (n·eps·Σ|aᵢbᵢ|) against the exact sum; the same
// bits within the levels that have assembly.
//
// The blocking follows K. Goto, R. van de Geijn, "Anatomy of High-Performance
// Matrix Multiplication", ACM TOMS 34 (2008), with the roles of A and B changed
// for row-major C: the panel of A stays in L1, B's panels stream from L2.
package gemm
