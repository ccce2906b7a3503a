// Rotations of many columns of eight rows of a lower factor and w, see RotatePanel.
//   in: R0 row 0 of l, R1 stride, R6 coefficients, R9 those left, four columns each, R8 kind, V28-V31 w
//   R0, R11-R17 rows of l; V16-V27 coefficients; V0 w, V4-V7 columns of a part of the rows, the rest scratch
// Invariant at the loops: the pointers stand at the first column not done. Four columns a turn: two
// (float32) or four parts (float64), whose chains overlap out of order.
#define PART(ROTATE, PUT, p, q, r, s, w) \
	TOCOLUMNS(p, q, r, s) \
	COPY(w, V0)           \
	COLUMNS(ROTATE)       \
	COPY(V0, w)           \
	PUT(p, q, r, s)

#define LOOP(label, ROTATE, PUT) \
label:                       \
	CBZ  R9, done            \
	COEFFICIENTS             \
	EIGHT(ROTATE, PUT)       \
	ADD  $(4*SIZE), R0, R0   \
	ADD  $(4*SIZE), R11, R11 \
	ADD  $(4*SIZE), R12, R12 \
	ADD  $(4*SIZE), R13, R13 \
	ADD  $(4*SIZE), R14, R14 \
	ADD  $(4*SIZE), R15, R15 \
	ADD  $(4*SIZE), R16, R16 \
	ADD  $(4*SIZE), R17, R17 \
	SUB  $1, R9, R9          \
	B    label

	GETW
	ADD  R1<<SHIFT, R0, R11
	ADD  R1<<SHIFT, R11, R12
	ADD  R1<<SHIFT, R12, R13
	ADD  R1<<SHIFT, R13, R14
	ADD  R1<<SHIFT, R14, R15
	ADD  R1<<SHIFT, R15, R16
	ADD  R1<<SHIFT, R16, R17
	CMP  $1, R8
	BEQ  down
	BGT  solved
	LOOP(update, UPDATECOL, TOROWS)
	LOOP(down, DOWNCOL, TOROWS)
	LOOP(solved, SOLVEDCOL, TOROWS)
done:
	PUTW

#undef LOOP
#undef PART
