// for i := range y { y[i] += alpha * sum(a[i*lda+j] * x[j]) }
//   rows of a hold x: lda >= len(x), or one row; y apart from a and x; any alignment
//   in: R0 row of a, R3 lda, R4 x, R6 columns, R5 y, R7 rows left, F24 alpha
//   R3 in bytes; R10-R13 four rows of a, R14 x at the next columns, R16 columns left; V0-V7 two sums a row, V12, V13 x,
//   V16-V23 a, V24 alpha in every lane
// Invariant at rows4, rows1: R0, R5 at the first row not done; at the loops: R10-R14 at the first column not done.
// Four rows share the loads of x. A row alone takes the same steps, so that its sum does not depend on where it is. Two
// vectors of columns a turn, then one, and single columns in lane 0.
#define ROW2(p, a0, a1, s0, s1) \
	VLD1.P 32(p), [a0.T, a1.T]; \
	VFMLA V12.T, a0.T, s0.T; \
	VFMLA V13.T, a1.T, s1.T
#define ROW1(p, a, s) \
	VLD1.P 16(p), [a.T]; \
	VFMLA V12.T, a.T, s.T
#define ROWONE(p, f, a, s) \
	FMOV.P SIZE(p), f; \
	VFMLA V12.T, a.T, s.T

	LSL  $SHIFT, R3, R3
	VDUP V24.E[0], V24.T

rows4:
	CMP  $4, R7
	BLT  rows1
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	VEOR V6.B16, V6.B16, V6.B16
	VEOR V7.B16, V7.B16, V7.B16
	MOVD R0, R10
	ADD  R3, R10, R11
	ADD  R3, R11, R12
	ADD  R3, R12, R13
	MOVD R4, R14
	SUBS $(32/SIZE), R6, R16
	BLT  single4

loop4:
	VLD1.P 32(R14), [V12.T, V13.T]
	ROW2(R10, V16, V17, V0, V1)
	ROW2(R11, V18, V19, V2, V3)
	ROW2(R12, V20, V21, V4, V5)
	ROW2(R13, V22, V23, V6, V7)
	SUBS $(32/SIZE), R16, R16
	BGE  loop4

single4:
	TBZ  $(4-SHIFT), R16, few4
	VLD1.P 16(R14), [V12.T]
	ROW1(R10, V16, V0)
	ROW1(R11, V18, V2)
	ROW1(R12, V20, V4)
	ROW1(R13, V22, V6)

few4:
	ANDS $(16/SIZE-1), R16, R16
	BEQ  sum4

one4:
	FMOV.P SIZE(R14), F12 // the other lanes become 0
	ROWONE(R10, F16, V16, V0)
	ROWONE(R11, F18, V18, V2)
	ROWONE(R12, F20, V20, V4)
	ROWONE(R13, F22, V22, V6)
	SUBS $1, R16, R16
	BNE  one4

sum4:
	PLUS(1, 0, 0)
	PLUS(3, 2, 2)
	PLUS(5, 4, 4)
	PLUS(7, 6, 6)
	FOURSUMS
	ADDSUMS
	ADD  R3<<2, R0, R0
	SUB  $4, R7, R7
	B    rows4

rows1:
	CBZ  R7, done
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	MOVD R0, R10
	MOVD R4, R14
	SUBS $(32/SIZE), R6, R16
	BLT  single1

loop1:
	VLD1.P 32(R14), [V12.T, V13.T]
	ROW2(R10, V16, V17, V0, V1)
	SUBS $(32/SIZE), R16, R16
	BGE  loop1

single1:
	TBZ  $(4-SHIFT), R16, few1
	VLD1.P 16(R14), [V12.T]
	ROW1(R10, V16, V0)

few1:
	ANDS $(16/SIZE-1), R16, R16
	BEQ  sum1

one1:
	FMOV.P SIZE(R14), F12
	ROWONE(R10, F16, V16, V0)
	SUBS $1, R16, R16
	BNE  one1

sum1:
	PLUS(1, 0, 0)
	SUM(0)
	FMOV (R5), F14
	FMADD F0, F14, F24, F14
	FMOV.P F14, SIZE(R5)
	ADD  R3, R0, R0
	SUB  $1, R7, R7
	B    rows1

done:
#undef ROW2
#undef ROW1
#undef ROWONE
