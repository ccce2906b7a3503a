// Package vec holds the elementwise functions: exp, log, sine with cosine.
//
// Each works on contiguous slices of any alignment, out of place or in place
// (the same slice; partial overlap is not allowed), without allocation.
//
// # Accuracy class: ULP bound
//
// The result of an element depends on the element and the level alone: not on
// its position, the length or what else is in the slice. Levels differ within
// the bound. One ULP is the distance from the exact result to the next number.
//
//	function     bound (ULP)   arguments
//	Exp              0.75      results from 2^-1022 (float32 2^-126) to overflow
//	ExpScale         0.75      of the exact product
//	Log              0.85      all positive numbers, denormals too; float32 1.0
//	SinCos           1.0       |x| <= 2^29 (float32 2^17); next to zeros of either function too
//
// The largest errors seen are, at AVX-512, in float64 (samples) 0.59, 0.63 and
// 0.83, in float32 (every argument) 0.57, 0.954 and 0.97 ULP, in this order. The
// bound holds at every level; U10 in the name of a variant says that it is
// below one ULP.
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
// Beyond its limits SinCos calls math.Sincos for those elements, which reduces by
// as many digits of π as it takes (Payne–Hanek) but is some thirty times slower;
// its error is a few ULP at most.
//
// With a factor the thresholds apply to scale·x, up to one rounding of the
// quotient. ExpScale takes 2^-900 <= |scale| <= 2^900 (float32 2^-90 … 2^90) to the
// kernels; other factors go through math.Exp, slowly and with a rounded product.
//
// # Algorithms
//
// exp: x·log2(e) = k + f with k a multiple of 1/N; 2^k from a table of N values
// and the exponent field, 2^f − 1 from a minimax polynomial (own, by Lawson's
// algorithm), the rounding error of the table entry added to it, so that only
// the last rounding and a few percent of an ULP remain. N is 16 with degree 6
// (AVX-512, NEON, generic), 4 with degree 8 (AVX2) in float64; 16 with degree 3
// (AVX-512), 8 with degree 4 (AVX2, NEON) in float32. [T89] P. T. P. Tang,
// Table-driven implementation of the exponential function in IEEE
// floating-point arithmetic, ACM TOMS 15 (1989) 144–157. The macros in
// exp_*.h take registers; package gauss has copies for its kernels.
//
// log: x = 2^e·m with m in [3/4, 3/2), m = c·(1+r) with 1/c and log(c) from a
// table of 16 (8 in float32 on AVX2 and NEON) and c = 1 around 1, a minimax
// polynomial for log1p(r), and the sum e·ln 2 + log(c) + r with its rounding
// error kept. The table's c are chosen so that log(c) is a number to many more
// bits than it has: [G86] S. Gal, Computing elementary functions: a new
// approach for achieving high accuracy and good performance, LNCS 235 (1986)
// 1–16.
//
// sin, cos: x − k·π/2 with π/2 in three parts (Cody–Waite), the first product
// exact by fused operations, the rounding errors of the rest kept in a second
// number that enters both polynomials; k mod 4 swaps and changes signs. The
// levels differ in nothing but the generic float32, which works in float64.
package vec

// The bounds above, as the tests use them.
const (
	expULP    = 0.75
	log64ULP  = 0.85
	log32ULP  = 1.0
	sincosULP = 1.0
)
