// Package gemm has the micro-kernels of matrix products and the packing of
// their operands. The division into blocks, threads, and the choice between
// packed and unpacked operands belong to package blas (products) and package
// kernel (products with an epilogue).
//
// The API of this package is not promised and may change in any version: programs link
// package blas at the top of the module.
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
// A is read element by element with any row and column stride, B in vectors
// along its rows. A tile can therefore work on matrices in place or on packed
// panels, which Pack makes. A matrix is packed into panels of w lines, which
// are rows of A (w = mr) or columns of B (w = nr):
//
//	dst[(i/w)·w·k + p·w + i%w] = x[i·is + p·ps]    0 ≤ i < m, 0 ≤ p < k
//
// where the last panel is filled up with zeros. For a packed panel of A the
// strides in the call of Tile are 1 and mr; for a packed panel of B the row
// stride is nr.
//
// # Order of summation
//
// The order of summation is part of the result. K products are summed in one
// block, 256 for float64 and 512 for float32; this number is the same at every
// level and is never tuned. Within a block an element of the tile is the chain
//
//	s = 0;  s = fma(a[i,p], b[p,j], s)   for p = 0, 1, …, k−1
//
// and then c = fma(alpha, s, beta·c), or alpha·s if beta is 0, in which case C
// is not read. The generic kernel rounds each product before it adds it. The
// caller adds blocks of k in ascending order. An element therefore depends only
// on its row of A, its column of B and on k, and not on the tile, its position
// in the tile, packing or threads. The levels with assembly agree with each
// other bit for bit. Products with a zero factor are not skipped, so NaN and
// Inf propagate.
//
// Accuracy class: reassociated (n·eps·Σ|aᵢbᵢ|) compared with the exact sum;
// exact among the levels that have assembly.
//
// The blocking follows K. Goto, R. van de Geijn, "Anatomy of High-Performance
// Matrix Multiplication", ACM TOMS 34 (2008), with the roles of A and B
// exchanged for row-major C: the panel of A stays in L1, and the panels of B
// are read from L2.
package gemm
