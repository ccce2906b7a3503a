// for i := range x { for j := range y { y[j] += a[i*lda+j] * (alpha*x[i]) } }
//   rows of a hold y: lda >= len(y), or one row; y apart from a and x; any alignment
//   in: R0 row of a, R3 lda, R4 x, R7 rows left, R5 y, R6 columns, F24 alpha
//   R3 in bytes; R10-R13 four rows of a, R15 y at the next columns, R16 columns left; V8-V11 alpha*x in every lane, V14, V15 y,
//   V16-V23 a, V24 alpha in every lane
// Invariant at rows4, rows1: R0, R4 at the first row not done; at the loops: R10-R13, R15 at the first column not done.
// Four rows share the loads and stores of y; rows are added in order, so that grouping does not matter. Two vectors of
// columns a turn, then one, and single columns in lane 0.
#define ROW2(p, r, a0, a1) \
	VLD1.P 32(p), [a0.T, a1.T]; \
	VFMLA r.T, a0.T, V14.T; \
	VFMLA r.T, a1.T, V15.T
#define ROW1(p, r, a) \
	VLD1.P 16(p), [a.T]; \
	VFMLA r.T, a.T, V14.T
#define ROWONE(p, r, f, a) \
	FMOV.P SIZE(p), f; \
	VFMLA r.T, a.T, V14.T

	LSL  $SHIFT, R3, R3
	VDUP V24.E[0], V24.T
	CBZ  R6, done

rows4:
	CMP  $4, R7
	BLT  rows1
	VLD4R (R4), [V8.T, V9.T, V10.T, V11.T]
	ADD  $(4*SIZE), R4, R4
	TIMES(24, 8, 8)
	TIMES(24, 9, 9)
	TIMES(24, 10, 10)
	TIMES(24, 11, 11)
	MOVD R0, R10
	ADD  R3, R10, R11
	ADD  R3, R11, R12
	ADD  R3, R12, R13
	MOVD R5, R15
	SUBS $(32/SIZE), R6, R16
	BLT  single4

loop4:
	VLD1 (R15), [V14.T, V15.T]
	ROW2(R10, V8, V16, V17)
	ROW2(R11, V9, V18, V19)
	ROW2(R12, V10, V20, V21)
	ROW2(R13, V11, V22, V23)
	VST1.P [V14.T, V15.T], 32(R15)
	SUBS $(32/SIZE), R16, R16
	BGE  loop4

single4:
	TBZ  $(4-SHIFT), R16, few4
	VLD1 (R15), [V14.T]
	ROW1(R10, V8, V16)
	ROW1(R11, V9, V18)
	ROW1(R12, V10, V20)
	ROW1(R13, V11, V22)
	VST1.P [V14.T], 16(R15)

few4:
	ANDS $(16/SIZE-1), R16, R16
	BEQ  next4

one4:
	FMOV (R15), F14
	ROWONE(R10, V8, F16, V16)
	ROWONE(R11, V9, F18, V18)
	ROWONE(R12, V10, F20, V20)
	ROWONE(R13, V11, F22, V22)
	FMOV.P F14, SIZE(R15)
	SUBS $1, R16, R16
	BNE  one4

next4:
	ADD  R3<<2, R0, R0
	SUB  $4, R7, R7
	B    rows4

rows1:
	CBZ  R7, done
	VLD1R.P SIZE(R4), [V8.T]
	TIMES(24, 8, 8)
	MOVD R0, R10
	MOVD R5, R15
	SUBS $(32/SIZE), R6, R16
	BLT  single1

loop1:
	VLD1 (R15), [V14.T, V15.T]
	ROW2(R10, V8, V16, V17)
	VST1.P [V14.T, V15.T], 32(R15)
	SUBS $(32/SIZE), R16, R16
	BGE  loop1

single1:
	TBZ  $(4-SHIFT), R16, few1
	VLD1 (R15), [V14.T]
	ROW1(R10, V8, V16)
	VST1.P [V14.T], 16(R15)

few1:
	ANDS $(16/SIZE-1), R16, R16
	BEQ  next1

one1:
	FMOV (R15), F14
	ROWONE(R10, V8, F16, V16)
	FMOV.P F14, SIZE(R15)
	SUBS $1, R16, R16
	BNE  one1

next1:
	ADD  R3, R0, R0
	SUB  $1, R7, R7
	B    rows1

done:
#undef ROW2
#undef ROW1
#undef ROWONE
