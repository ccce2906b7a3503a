// Rotations of four columns of a lower factor and w, see chol.go.
//   in: R0 row 0 of l, R1 stride, R2 w, R5 rows left, a multiple of the lanes, R6 coefficients, R8 kind
//   R0, R3, R4, R7 rows of l, R1 in bytes; V16-V27 coefficients; V0 w, V4-V7 columns, the rest scratch
// Invariant at the loops: R0, R2 at the first row not done, R5 > 0. Two (float64) or four rows (float32) are
// transposed in registers, rotated and transposed back. Returns.
#define LOOP(label, ROTATE, PUT) \
label:                           \
	POINTERS                     \
	TOCOLUMNS(R0, R3, R4, R7)    \
	VLD1 (R2), [V0.T]            \
	COLUMNS(ROTATE)              \
	PUT(R0, R3, R4, R7)          \
	VST1.P [V0.T], 16(R2)        \
	ADD  R1<<(4-SHIFT), R0, R0   \
	SUBS $(16/SIZE), R5, R5      \
	BNE  label

	LSL  $SHIFT, R1, R1
	COEFFICIENTS
	CMP  $1, R8
	BEQ  down
	BGT  solved
	LOOP(update, UPDATECOL, TOROWS)
	RET
	LOOP(down, DOWNCOL, TOROWS)
	RET
	LOOP(solved, SOLVEDCOL, TOROWS)

#undef LOOP
