// Package vec computes elementary functions, inner products and distances of vectors. It
// is for programs that evaluate exp, log, sine and cosine for thousands of
// numbers, or compare a query with thousands of vectors: loops over package math take
// several times as long.
//
// The elements are float64 or float32 numbers, and for DotInt8 and SquaredDistanceInt8 int8. Slices have any alignment, nothing
// is allocated, and every function works in the calling goroutine.
//
// # Reproducibility
//
// The instruction set is chosen once, by package asm/cpu. There is assembly of AVX2, AVX-512 and NEON for
// all functions, and pure Go for other machines. At a given level the same arguments always
// give the same bits: an element's exp, log, sine and cosine do not depend on its
// position, on the length or on the other elements, and a sum depends only on the
// elements and their number. Levels differ within the bounds below.
//
// # Accuracy
//
// Exp, Log and SinCos have the class "ULP bound". One ULP is the distance from the exact result
// to the next number.
//
//	function   bound (ULP)             arguments
//	Exp        0.75                    results from 2^-1022 (float32 2^-126) to overflow
//	Log        0.85 (float32 1.0)      all positive numbers, denormals too
//	SinCos     1.0                     |x| ≤ 2^29 (float32 2^17), next to zeros of either function too
//
// Beyond its limit SinCos is some thirty times slower and has an error of a few ULP.
//
// Dot and SquaredDistance have the class "reassociated": the level decides in which
// order n terms are added and whether products are rounded before. With the unit round-off
// u = 2⁻⁵³ (float32 2⁻²⁴) the errors are at most
//
//	Dot                n·u/(1−n·u)·Σ|x_i·y_i|
//	SquaredDistance    (n+2)·u/(1−(n+2)·u)·Σ(x_i−y_i)²
//
// so that a distance, whose terms are positive, has a small relative error. Products that underflow
// add at most half of the least positive number each. The sums are in the type of the
// elements: a float32 sum overflows beyond 3.4e38.
//
// DotInt8 and SquaredDistanceInt8 have the class "exact": their results are integers, the same at every level. On 32-bit systems an int holds those
// of up to 33,000 elements.
//
// # Special values
//
//	exp(NaN) = NaN, exp(±0) = 1, exp(+Inf) = +Inf, exp(−Inf) = 0
//	exp(x) = +Inf for x > 709.7827128933840 (float32 88.722839)
//	exp(x) = 0 for x < −708.3964185322641 (float32 −87.33654475), where the result would be denormal
//	log(NaN) = NaN, log(±0) = −Inf, log(+Inf) = +Inf, log(x) = NaN for x < 0
//	sin(NaN) = sin(±Inf) = NaN, the same for cos; sin(±0) = ±0
//
// In sums NaN and infinities propagate as in the formulas.
//
// The algorithms and their sources are those of package asm/vec.
package vec
