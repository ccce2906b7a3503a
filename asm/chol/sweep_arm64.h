// Rows b ← bL, see chol.go.
//   in: R0 row, R1 rows left, R2 stride, R3 w, R4 d, R5 c, R6 columns
//   R2 in bytes; R7 column at hand, R8-R11 addresses
//   V0 zero; V1 running sum (lane 0 in the scalar part, then every lane); V2 b, V3 v = w·b, V4 suffix sums
// Invariant: the columns from R7 on are done, V1 is Σ w_i·b_i over them.
// The right end of a row, shorter than a vector, is scalar.
#define ADDRESSES \
	ADD R7<<SHIFT, R0, R8  \
	ADD R7<<SHIFT, R3, R9  \
	ADD R7<<SHIFT, R4, R10 \
	ADD R7<<SHIFT, R5, R11

	LSL  $SHIFT, R2, R2
	VEOR V0.B16, V0.B16, V0.B16

row:
	VEOR V1.B16, V1.B16, V1.B16
	MOVD R6, R7

scalar:
	ANDS $(16/SIZE-1), R7, R12
	BEQ  vector
	SUB  $1, R7, R7
	ADDRESSES
	FMOV (R8), F2
	FMOV (R9), F3
	FMOV (R10), F6
	FMOV (R11), F7
	FMUL F6, F2, F6
	FMADD F7, F6, F1, F6        // d·b + c·sum
	FMADD F3, F1, F2, F1        // sum += w·b
	FMOV F6, (R8)
	JMP  scalar

vector:
	VDUP V1.E[0], V1.T

next:
	SUBS $(16/SIZE), R7, R7
	BLT  rowdone
	ADDRESSES
	VLD1 (R8), [V2.T]
	VLD1 (R9), [V3.T]
	VLD1 (R10), [V6.T]
	VLD1 (R11), [V7.T]
	TIMES(2, 3, 3)
	SCAN
	PLUS(4, 3, 3)               // lane 0: the vector's sum
	PLUS(1, 4, 4)
	TIMES(6, 2, 2)
	VFMLA V4.T, V7.T, V2.T
	VDUP V3.E[0], V3.T
	PLUS(3, 1, 1)
	VST1 [V2.T], (R8)
	JMP  next

rowdone:
	ADD  R2, R0, R0
	SUBS $1, R1, R1
	BNE  row

#undef ADDRESSES
