// Rotations of four rows of U and w, see chol.go.
//   in: R0 row 0 of u, R7 stride, R4 w, R5 columns left, a multiple of the lanes, R6 coefficients, R8 kind
//   R0-R3 rows of u, R7 in bytes; V16-V27 coefficients; V0 w, V1 l, V2 scratch
// Invariant at the loops: the pointers stand at the first column not done, R5 > 0. One vector a turn. Returns.
#define LOOP(label, ROW) \
label:                           \
	VLD1 (R4), [V0.T]            \
	ROW(R0, 16, 20, 24, V16, V20) \
	ROW(R1, 17, 21, 25, V17, V21) \
	ROW(R2, 18, 22, 26, V18, V22) \
	ROW(R3, 19, 23, 27, V19, V23) \
	VST1.P [V0.T], 16(R4)        \
	SUBS $(16/SIZE), R5, R5      \
	BNE  label

	LSL  $SHIFT, R7, R7
	ADD  R7, R0, R1
	ADD  R7, R1, R2
	ADD  R7, R2, R3
	COEFFICIENTS
	CMP  $1, R8
	BEQ  down
	BGT  solved
	LOOP(update, UPDATEROW)
	RET
	LOOP(down, DOWNROW)
	RET
	LOOP(solved, SOLVEDROW)

#undef LOOP
