// for r := range 8 { b[k+r] = (b[k+r] - sum of t[r*rs+q*cs] * b[q], q < k+r) * d[r] } for rows b[i] of n elements at distance ldb
//   in the order of q; t, d apart from b; any alignment; ldb, rs and cs may be negative
//   in: R0 b, R3 ldb, R4 k, R20 rs, R6 cs, R19 t, R5 d, R2 n; distances in elements, then in bytes
//   R0 row 0 and R1 row k at the column, R2 bytes left of a row; R7-R14 the rest of the eight rows of t, R15 row of b, then d;
//   R21 rows left; V16, V18, … V30 the rows, V17, V19, … V31 their second vectors, V0 and V1 a row that is solved, V2 an
//   element of t
// Invariant at pairs, elements: R0, R1 at the first column not done. Sixteen sums are 4 FMA ports × latency 4. Tail: one
// vector, then single elements in lane 0.
	LSL  $SHIFT, R3, R3
	LSL  $SHIFT, R6, R6
	LSL  $SHIFT, R20, R20
	LSL  $SHIFT, R2, R2
	MUL  R3, R4, R1
	ADD  R0, R1, R1
	SUBS $32, R2, R2
	BLT  one

pairs:
#define LOAD(x, x1) VLD1 (R15), [x.T, x1.T]
#define STORE(x, x1) VST1 [x.T, x1.T], (R15)
#define NMADD(row, x, x1, y, y1) \
	VLD1R.P (row)(R6), [V2.T]; \
	VFMLS V2.T, x.T, y.T; \
	VFMLS V2.T, x1.T, y1.T
#define SCALEROW(x, x1) \
	VLD1R.P SIZE(R15), [V2.T]; \
	TIMES(2, x, x); \
	TIMES(2, x1, x1)
#define SOLVED solved2
#define TRIANGLE triangle2
#include "solverows_arm64.h"
#undef LOAD
#undef STORE
#undef NMADD
#undef SCALEROW
#undef SOLVED
#undef TRIANGLE
	ADD  $32, R0, R0
	ADD  $32, R1, R1
	SUBS $32, R2, R2
	BGE  pairs

#define NMADD(row, x, x1, y, y1) \
	VLD1R.P (row)(R6), [V2.T]; \
	VFMLS V2.T, x.T, y.T
#define SCALEROW(x, x1) \
	VLD1R.P SIZE(R15), [V2.T]; \
	TIMES(2, x, x)

one:
	ADDS $16, R2, R2
	BLT  last
#define LOAD(x, x1) VLD1 (R15), [x.T]
#define STORE(x, x1) VST1 [x.T], (R15)
#define SOLVED solved1
#define TRIANGLE triangle1
#include "solverows_arm64.h"
#undef LOAD
#undef STORE
#undef SOLVED
#undef TRIANGLE
	ADD  $16, R0, R0
	ADD  $16, R1, R1
	SUB  $16, R2, R2

last:
	ADDS $16, R2, R2
	BEQ  done

elements:
#define LOAD(x, x1) VLD1 (R15), x.E[0]
#define STORE(x, x1) VST1 x.E[0], (R15)
#define SOLVED solvede
#define TRIANGLE trianglee
#include "solverows_arm64.h"
#undef LOAD
#undef STORE
#undef SOLVED
#undef TRIANGLE
	ADD  $SIZE, R0, R0
	ADD  $SIZE, R1, R1
	SUBS $SIZE, R2, R2
	BNE  elements

#undef NMADD
#undef SCALEROW

done:
