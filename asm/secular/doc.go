// Package secular has the inner loops of the eigenproblem of a diagonal plus a
// rank-one matrix.
//
// The API of this package is not promised and may change in any version: programs link
// package eig at the top of the module.
//
// With poles d, squared weights z² and a point λ = base + τ, given by its offset
// from the pole base so that no digits are lost close to it, the functions compute
//
//	Sums     Σ z_i²/((d_i−base)−τ)  and  Σ z_i²/((d_i−base)−τ)²  on both sides of a root
//	Ratios   Π_j ((base_j−p)+τ_j)/(d_j−p), which recomputes one weight from all roots
//	Cauchy   w/((base_j−p)+τ_j)·scale_j, a row of the matrix of eigenvectors
//
// # Preconditions and accuracy
//
// Only slice lengths are checked. No alignment is assumed. Differences that are
// divisors must have absolute values between 1e−70 and 1e70: Ratios multiplies four
// of them before it divides, and a reciprocal must not overflow or underflow.
// Callers have to scale their problem; outside this range results are unspecified
// numbers, infinities or NaN.
//
// A quotient is computed by division on AVX2, on NEON and in Go. On AVX-512 it is a
// product with a reciprocal: an estimate of 14 bits, improved by (1+e)(1+e²) with
// its residual e to a relative error below 2 units of 2⁻⁵². The estimate comes from
// the instruction VRCP14PD, whose last bits differ between AMD and Intel. The last
// bits of eigenvalues and eigenvectors can therefore differ between vendors on
// AVX-512. Division would avoid this, but makes RankOne 1.2 times as slow at n =
// 256 and 1.4 times at n = 1024 on an Intel Sapphire Rapids. Levels differ in
// rounding and order of summation: accuracy class reassociated, with 8 ulps per
// term for Sums, 3 ulps per factor for Ratios and 6 ulps for Cauchy.
//
// Sources: [L93] R.-C. Li. Solving secular equations stably and efficiently, LAPACK
// Working Note 89; [GE94] M. Gu, S. C. Eisenstat. A stable and efficient algorithm
// for the rank-one modification of the symmetric eigenproblem, SIAM J. Matrix Anal.
// Appl. 15.
package secular
