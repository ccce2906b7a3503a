// Package vec has elementwise functions: exp, log, and sine with cosine.
//
// The API of this package is not promised and may change in any version: programs link
// the package vec at the top of the module.
//
// Each function works on contiguous slices of any alignment, out of place or in
// place (on the same slice; partial overlap is not allowed), and allocates
// nothing.
//
// # Accuracy class: ULP bound
//
// The result for an element depends only on the element and the level, not on
// its position, the length or the other elements. Levels differ within the
// bound. One ULP is the distance from the exact result to the next number.
//
//	function     bound (ULP)   arguments
//	Exp              0.75      results from 2^-1022 (float32 2^-126) to overflow
//	ExpScale         0.75      of the exact product
//	Log              0.85      all positive numbers, denormals too; float32 1.0
//	SinCos           1.0       |x| <= 2^29 (float32 2^17); next to zeros of either function too
//
// The largest errors seen at AVX-512 for Exp, Log and SinCos are 0.59, 0.63 and
// 0.83 ULP in float64 (samples) and 0.57, 0.954 and 0.97 ULP in float32 (every
// argument). The bounds hold at every level. U10 in the name of a routine means
// an error below one ULP.
//
// # Special values
//
//	exp(NaN) = NaN, exp(±0) = 1, exp(+Inf) = +Inf, exp(-Inf) = 0
//	exp(x) = +Inf where the exact result rounds to it: x > 709.7827128933840 (float32 88.722839)
//	exp(x) = 0 for x < -708.3964185322641 (float32 -87.33654475), where the result would be denormal:
//	  no denormals come out and none slow the loop down
//
//	log(NaN) = NaN, log(±0) = -Inf, log(+Inf) = +Inf, log(x) = NaN for x < 0
//	sin(NaN) = sin(±Inf) = NaN, the same for cos, sin(±0) = ±0
//
// For arguments beyond its limits SinCos calls math.Sincos, which uses as many
// digits of π as it needs (Payne–Hanek) but is some thirty times slower; its
// error is a few ULP at most.
//
// With a factor the thresholds hold for scale·x, up to one rounding of the
// quotient. The kernels of ExpScale take 2^-900 <= |scale| <= 2^900 (float32
// 2^-90 … 2^90); other factors go through math.Exp, slowly and with a rounded
// product.
//
// # Algorithms
//
// exp: x·log2(e) = k + f with k a multiple of 1/N. 2^k comes from a table of N
// values and the exponent field, 2^f − 1 from a minimax polynomial (computed for
// this package by Lawson's algorithm). The rounding error of the table entry is
// added to it, so that only the last rounding and a few percent of an ULP
// remain. In float64 N is 16 with degree 6 (AVX-512, NEON, generic) or 4 with
// degree 8 (AVX2); in float32 N is 16 with degree 3 (AVX-512) or 8 with degree 4
// (AVX2, NEON). [T89] P. T. P. Tang, Table-driven implementation of the
// exponential function in IEEE floating-point arithmetic, ACM TOMS 15 (1989)
// 144–157. The macros in exp_*.h take registers; package panel has copies of
// these files for its kernels.
//
// log: x = 2^e·m with m in [3/4, 3/2), and m = c·(1+r), where 1/c and log(c)
// come from a table of 16 entries (8 in float32 on AVX2 and NEON) and c = 1
// around 1. A minimax polynomial gives log1p(r), and the sum e·ln 2 + log(c) + r
// is formed with its rounding error. The c are chosen so that rounding log(c)
// loses much less than the precision of the type allows: [G86] S. Gal, Computing
// elementary functions: a new approach for achieving high accuracy and good
// performance, LNCS 235 (1986) 1–16.
//
// sin, cos: r = x − k·π/2 with π/2 in three parts (Cody–Waite). The first
// product is exact by fused operations, and the rounding errors of the others
// are kept in a second number that enters both polynomials. k mod 4 exchanges
// the results and changes their signs. All levels do the same, except generic
// float32, which works in float64.
package vec

// These constants are the bounds above in ULP, to which the tests hold each level.
const (
	expULP    = 0.75
	log64ULP  = 0.85
	log32ULP  = 1.0
	sincosULP = 1.0
)
