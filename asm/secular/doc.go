// Package secular holds the inner loops of the eigenproblem of a diagonal plus a
// rank-one matrix.
//
// With poles d, squared weights z² and a point λ = base + τ, given by its offset
// from the pole base so that no digits are lost next to it,
//
//	Sums     Σ z_i²/((d_i−base)−τ)  and  Σ z_i²/((d_i−base)−τ)²  on both sides of a root
//	Ratios   Π_j ((base_j−p)+τ_j)/(d_j−p), which recomputes one weight from all roots
//	Cauchy   w/((base_j−p)+τ_j)·scale_j, a row of the matrix of eigenvectors
//
// # Preconditions and accuracy
//
// Nothing is checked beyond slice lengths. No alignment is assumed. Differences
// that are divided by have absolute values between 1e−70 and 1e70: Ratios
// multiplies four of them before it divides, and a reciprocal must not leave
// the range. Callers scale their problem; outside the range results are
// unspecified numbers, infinities or NaN, never a fault.
//
// A quotient is a division on AVX2, NEON and in Go. On AVX-512 it is a product
// with a reciprocal, an estimate of 14 bits improved by (1+e)(1+e²) with its
// residual e to a relative error below 2 units of 2⁻⁵². The estimate is the
// instruction VRCP14PD, whose last bits AMD and Intel choose differently: at
// AVX-512 the last bits of eigenvalues and eigenvectors can differ from one vendor
// to the other. Division, which could not, makes RankOne 1.2 times as slow at n =
// 256 and 1.4 times at n = 1024 on an Intel Sapphire Rapids. Levels differ in
// rounding and order of summation: accuracy class reassociated, with 8 ulps a
// term for Sums, 3 ulps a factor for Ratios and 6 ulps for Cauchy.
//
// Sources: [L93] R.-C. Li. Solving secular equations stably and efficiently, LAPACK
// Working Note 89; [GE94] M. Gu, S. C. Eisenstat. A stable and efficient algorithm for the
// rank-one modification of the symmetric eigenproblem, SIAM J. Matrix Anal.
// Appl. 15.
package secular
