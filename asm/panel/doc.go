// Package panel has the kernels for blocks of kernel matrices: sums over the
// columns of rows x_r and z_j, and functions of these sums.
//
// The API of this package is not promised and may change in any version: programs link
// package kernel at the top of the module.
//
// # Mathematics
//
// Sums computes, for rows r and j,
//
//	Dot       a_rj = Σ_k x_rk·z_jk
//	Squares   a_rj = Σ_k (x_rk−z_jk)²
//	Absolute  a_rj = Σ_k |x_rk−z_jk|
//
// The functions of a row of sums are
//
//	Distance  max(0, (‖x_r‖²+‖z_j‖²)−2·a_rj)
//	Gauss     exp(−γ·max(0, (‖x_r‖²+‖z_j‖²)−2·a_rj))
//	Exp       exp(−γ·a_rj)
//	Power     (c+a_rj)^p
//
// RowSums and ColSums multiply a strip of values by a vector from either side. GaussSums
// does what Gauss and these two do, for products that need no more of the values than that
// they are accurate.
//
// # Storage
//
// Both operands are packed into panels, column by column. A panel of x has Rows =
// 12 rows, with element (r, k) at k·12+r. A panel of z has Cols rows (16 in
// float64, 32 in float32: two vectors of 64 bytes), with element (j, k) at
// k·Cols+j. If rows are missing in a last panel, numbers of any value take their
// places. The results are strips of 4 or 12 rows and any number of whole panels,
// row-major, which should stay in L1 between Sums and the function that writes the
// destination. Gauss and Exp can write a destination past the caches, which on amd64
// saves reading its lines first; on arm64 it is a hint, which a CPU may ignore. The
// functions write exactly the columns asked for, with any stride. dst and s may be the
// same, with the same stride, but not past the caches. No other destination overlaps an
// operand.
//
// # Order of summation
//
// Columns are divided into chunks of Chunk columns (128 in float64, 64 in
// float32). A chunk is summed from 0 in ascending order, with one fused
// multiply-add per column if the level has it; the sums of the chunks are then
// added in ascending order. Every tile size and Norms use this order. Hence, at
// any level, a_rj does not depend on the positions of the rows in their panels;
// equal rows give a_rj = ‖x_r‖² in all bits, so that Distance is 0 and Gauss is 1;
// and exchanging x and z transposes the results.
//
// # Accuracy class
//
// Sums, Norms, RowSums and ColSums are reassociated. With u half the distance from
// 1 to the next number, c = Chunk and q the number of chunks,
//
//	|error of Dot| ≤ (min(d, c)+q+1)·u·Σ_k|x_rk·z_jk|
//
// For Squares and Absolute the bound has two more roundings of each term and is
// relative to the result. Levels with fused multiply-add agree in all bits;
// Generic rounds twice.
//
// Distance takes two roundings (one with fused multiply-add) of its arguments.
// Power takes ⌊log2 p⌋ squarings and at most as many products, in an order that is
// the same on all levels.
//
// Gauss and Exp are the exponential of the exact product −γ·a. They have, at the
// same level, the bits of vec.ExpScale for the scale −γ. The error is at most
// ExpULP units in the last place; the result is 1 for 0 and never more than 1.
// Results below the least normal number are 0, because subnormal numbers are slow
// on many CPUs. NaN gives NaN, and a sum of +Inf gives 0. The kernels take γ from
// 2^−900 to 2^900 (float32 2^−90 to 2^90). Other γ are computed in Go, slowly;
// with γ = 0 a sum of +Inf gives NaN, and a negative γ may overflow.
//
// GaussSums has values with a relative error of at most 4u·γ·(‖x_r‖²+‖z_j‖²+2|a_rj|)+3u,
// as rounding the terms of the distance may cost; they are never above 1 and, on levels
// with a routine for GaussSums, never below the least normal number. Equal rows may give
// less than 1 by that error.
//
// # Source
//
// The tiles follow [Goto van de Geijn 2008] K. Goto and R. A. van de Geijn,
// Anatomy of high-performance matrix multiplication, ACM Transactions on
// Mathematical Software 34 (2008) 12. The exponential is that of package vec, of
// whose headers this package has copies.
package panel
