// Package panel holds the kernels behind blocks of kernel matrices: sums over
// the columns of rows x_r and z_j, and functions of these sums.
//
// # Mathematics
//
// Sums computes, for rows r and j,
//
//	Dot       a_rj = Σ_k x_rk·z_jk
//	Squares   a_rj = Σ_k (x_rk−z_jk)²
//	Absolute  a_rj = Σ_k |x_rk−z_jk|
//
// and the functions of a row of sums are
//
//	Distance  max(0, (‖x_r‖²+‖z_j‖²)−2·a_rj)
//	Gauss     exp(−γ·max(0, (‖x_r‖²+‖z_j‖²)−2·a_rj))
//	Exp       exp(−γ·a_rj)
//	Power     (c+a_rj)^p
//
// RowSums and ColSums multiply a strip of values by a vector from either side.
//
// # Storage
//
// Both operands are packed into panels, column by column: a panel of x has
// Rows = 12 rows, element (r, k) at k·12+r; a panel of z has Cols rows (16 in
// float64, 32 in float32: two vectors of 64 bytes), element (j, k) at k·Cols+j.
// Rows that a last panel lacks are there as numbers of any value. The results
// are strips: 4 or 12 rows of any number of whole panels, row-major, meant to
// stay in L1 between Sums and the function that writes the destination. The
// functions write exactly the columns asked for, at any row distance, and allow
// dst and s to be the same.
//
// # Order of summation
//
// Columns are cut into chunks of Chunk (128 in float64, 64 in float32). A chunk
// is summed from 0 in ascending order, by one multiply-add per column where the
// level has it; the chunks' sums are then added in ascending order. This is so
// for every tile size and for Norms. Hence, at any level: a_rj does not depend
// on where in a panel the rows lie; equal rows give a_rj = ‖x_r‖² in all bits,
// so that Distance is 0 and Gauss 1; and swapping x and z swaps the results.
//
// # Accuracy class
//
// Sums, Norms, RowSums and ColSums: reassociated. With u half the distance from
// 1 to the next number, c = Chunk and q the number of chunks,
//
//	|error of Dot| ≤ (min(d, c)+q+1)·u·Σ_k|x_rk·z_jk|
//
// and for Squares and Absolute the same with two more roundings of each term,
// relative to the result. Levels with multiply-add agree in all bits; Generic
// rounds twice.
//
// Distance and Power: Distance is two roundings (one with multiply-add) of its
// arguments; Power is ⌊log2 p⌋ squarings and at most as many products in an
// order that is the same on all levels.
//
// Gauss and Exp: the exponential of the exact product −γ·a has, at the same level,
// the bits of vec.ExpScale for the scale −γ. It is within ExpULP units in the last
// place, is 1 for 0 and never more than 1. Results below the least normal number
// are 0: subnormal numbers, which are slow on many CPUs, do not occur. NaN gives
// NaN; a sum of +Inf gives 0. The kernels take γ from 2^−900 to 2^900 (float32
// 2^−90 to 2^90). Other γ are served in Go, slowly; with γ = 0 a sum of +Inf gives
// NaN, and a negative γ may overflow.
//
// # Source
//
// The tiles are those of [Goto van de Geijn 2008] K. Goto and R. A. van de
// Geijn, Anatomy of high-performance matrix multiplication, ACM Transactions on
// Mathematical Software 34 (2008) 12. The exponential is that of package vec,
// whose headers this package has copies of.
package panel
