// for i := range 4 { for l := range 4 vectors { t[i*ts+l] += Σ_j x[i*xs+j]*v[j*vs+l] } }
// with one accumulator for each element and j ascending, so that a row gets the
// same bits as from the kernel for one row. w >= 1; ts == vs and c == 1.
//   in: R0 t, R1 ts, R2 x, R8 xs, R6 v, R7 w
//   R1 stride of t and v in bytes; R2-R5 rows of x at column j; R6 row j of v; R7 columns left
//   V0-V15 accumulators, four a row; V16-V19 row of v; V20 element of x
	LSL  $SHIFT, R1, R1
	LSL  $SHIFT, R8, R8
	ADD  R8, R2, R3
	ADD  R8, R3, R4
	ADD  R8, R4, R5
	ADD  R1, R0, R9
	ADD  R1, R9, R10
	ADD  R1, R10, R11
	VLD1 (R0), [V0.T, V1.T, V2.T, V3.T]
	VLD1 (R9), [V4.T, V5.T, V6.T, V7.T]
	VLD1 (R10), [V8.T, V9.T, V10.T, V11.T]
	VLD1 (R11), [V12.T, V13.T, V14.T, V15.T]

loop:
	VLD1 (R6), [V16.T, V17.T, V18.T, V19.T]
	ADD  R1, R6
	ROW(R2, V0, V1, V2, V3)
	ROW(R3, V4, V5, V6, V7)
	ROW(R4, V8, V9, V10, V11)
	ROW(R5, V12, V13, V14, V15)
	SUBS $1, R7
	BNE  loop
	VST1 [V0.T, V1.T, V2.T, V3.T], (R0)
	VST1 [V4.T, V5.T, V6.T, V7.T], (R9)
	VST1 [V8.T, V9.T, V10.T, V11.T], (R10)
	VST1 [V12.T, V13.T, V14.T, V15.T], (R11)
