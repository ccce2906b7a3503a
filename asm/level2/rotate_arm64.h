// for k := range c { for j := range n { x, y := r[k][j], r[k+1][j]; r[k][j], r[k+1][j] = c[k]*x + s[k]*y, c[k]*y - s[k]*x } }
//   rows r[k] at distance lda, which may be negative; n > 0; len(c) == len(s) > 0; any alignment
//   in: R0 row 0, R3 lda, R2 columns, R4 c, R5 s, R6 rotations
//   R2 and R3 in bytes; R9 row k, R11 row k+1, R10 rotations left, R7 and R8 the rest of c and s; V0-V3 row k as it is by
//   now, V4-V7 row k+1, V8 c, V9 s, V10-V13 results
// Invariant at fours, ones, elements: R0 at the first column not done.
// Four vectors of columns a turn, because each row waits for the one before. Tail: single vectors, then single elements.
#define ROTATE(x, y, out, yn, outn) \
	TIMES(9, yn, outn); \
	VFMLA x.T, V8.T, out.T; \
	TIMES(8, yn, yn); \
	VFMLS x.T, V9.T, y.T; \
	VMOV  y.B16, x.B16

#define COEFFICIENTS \
	VLD1R.P SIZE(R7), [V8.T]; \
	VLD1R.P SIZE(R8), [V9.T]

#define FIRSTROW \
	MOVD R0, R9; \
	MOVD R4, R7; \
	MOVD R5, R8; \
	MOVD R6, R10

	LSL  $SHIFT, R3, R3
	LSL  $SHIFT, R2, R2
	SUBS $64, R2, R2
	BLT  few

fours:
	FIRSTROW
	VLD1 (R0), [V0.T, V1.T, V2.T, V3.T]

loop4:
	COEFFICIENTS
	ADD  R3, R9, R11
	VLD1 (R11), [V4.T, V5.T, V6.T, V7.T]
	ROTATE(V0, V4, V10, 4, 10)
	ROTATE(V1, V5, V11, 5, 11)
	ROTATE(V2, V6, V12, 6, 12)
	ROTATE(V3, V7, V13, 7, 13)
	VST1 [V10.T, V11.T, V12.T, V13.T], (R9)
	MOVD R11, R9
	SUBS $1, R10, R10
	BNE  loop4
	VST1 [V0.T, V1.T, V2.T, V3.T], (R9)
	ADD  $64, R0, R0
	SUBS $64, R2, R2
	BGE  fours

few:
	ADDS $48, R2, R2
	BLT  last

ones:
	FIRSTROW
	VLD1 (R0), [V0.T]

loop1:
	COEFFICIENTS
	ADD  R3, R9, R11
	VLD1 (R11), [V4.T]
	ROTATE(V0, V4, V10, 4, 10)
	VST1 [V10.T], (R9)
	MOVD R11, R9
	SUBS $1, R10, R10
	BNE  loop1
	VST1 [V0.T], (R9)
	ADD  $16, R0, R0
	SUBS $16, R2, R2
	BGE  ones

last:
	ADDS $16, R2, R2
	BEQ  done

elements:
	FIRSTROW
	FMOV (R0), F0

loope:
	COEFFICIENTS
	ADD  R3, R9, R11
	FMOV (R11), F4
	ROTATE(V0, V4, V10, 4, 10)
	FMOV F10, (R9)
	MOVD R11, R9
	SUBS $1, R10, R10
	BNE  loope
	FMOV F0, (R9)
	ADD  $SIZE, R0, R0
	SUBS $SIZE, R2, R2
	BNE  elements

done:
#undef ROTATE
#undef COEFFICIENTS
#undef FIRSTROW
