// transpose: four rows of t at a time become columns of dst.
//   R0 dst, R1 the next row of t, R2 its stride, R3 rows left, R4 columns; R10, R5, R6, R7 the four rows, R11 row of dst, R9
//   its stride, R12 columns left; strides in bytes
// Invariant at block: R0, R1 at the first row that is not done. The last four rows end where t does.
	LSL $SHIFT, R2, R2
	LSL $SHIFT, R3, R9

block:
	MOVD R1, R10
	ADD  R2, R10, R5
	ADD  R2, R5, R6
	ADD  R2, R6, R7
	ADD  R2, R7, R1
	MOVD R0, R11
	ADD  $(4<<SHIFT), R0, R0
	MOVD R4, R12

columns:
	COLUMNS
	BNE  columns
	SUBS $4, R3, R3
	BNE  block
