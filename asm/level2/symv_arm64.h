// for j := range x { for r := range 4 { s[r] += a[r*lda+j] * x[j]; y[j] += xr[r] * a[r*lda+j] } }
//   len(x) == len(y) > 0; a, x and y apart; any alignment
//   in: R0 row 0 of a, R3 lda, R4 x, R5 y, R6 columns left, R7 xr, R8 s
//   R0-R3 rows of a; V0-V7 two sums a row, V8-V11 xr in every lane, V12, V13 x, V14, V15 y, V16-V23 a
// Invariant at loop: R0-R5 at the first column not done. Two vectors of columns a turn: 16 products, of which
// eight wait for none of the others. Tail: single columns into lane 0 of the first sums.
	ADD  R3<<SHIFT, R0, R1
	ADD  R3<<SHIFT, R1, R2
	ADD  R3<<SHIFT, R2, R3
	VLD4R (R7), [V8.T, V9.T, V10.T, V11.T]
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	VEOR V6.B16, V6.B16, V6.B16
	VEOR V7.B16, V7.B16, V7.B16

loop:
	CMP  $(32/SIZE), R6
	BLT  sum
	VLD1.P 32(R4), [V12.T, V13.T]
	VLD1 (R5), [V14.T, V15.T]
	VLD1.P 32(R0), [V16.T, V17.T]
	VLD1.P 32(R1), [V18.T, V19.T]
	VLD1.P 32(R2), [V20.T, V21.T]
	VLD1.P 32(R3), [V22.T, V23.T]
	VFMLA V12.T, V16.T, V0.T
	VFMLA V13.T, V17.T, V1.T
	VFMLA V8.T, V16.T, V14.T
	VFMLA V8.T, V17.T, V15.T
	VFMLA V12.T, V18.T, V2.T
	VFMLA V13.T, V19.T, V3.T
	VFMLA V9.T, V18.T, V14.T
	VFMLA V9.T, V19.T, V15.T
	VFMLA V12.T, V20.T, V4.T
	VFMLA V13.T, V21.T, V5.T
	VFMLA V10.T, V20.T, V14.T
	VFMLA V10.T, V21.T, V15.T
	VFMLA V12.T, V22.T, V6.T
	VFMLA V13.T, V23.T, V7.T
	VFMLA V11.T, V22.T, V14.T
	VFMLA V11.T, V23.T, V15.T
	VST1.P [V14.T, V15.T], 32(R5)
	SUB  $(32/SIZE), R6
	B    loop

sum:
	PLUS(1, 0, 0)
	SUM(0)
	PLUS(3, 2, 2)
	SUM(2)
	PLUS(5, 4, 4)
	SUM(4)
	PLUS(7, 6, 6)
	SUM(6)

tail:
	CBZ  R6, done
	FMOV.P SIZE(R4), F12
	FMOV (R5), F14
	FMOV.P SIZE(R0), F16
	FMOV.P SIZE(R1), F18
	FMOV.P SIZE(R2), F20
	FMOV.P SIZE(R3), F22
	FMADD F12, F0, F16, F0
	FMADD F8, F14, F16, F14
	FMADD F12, F2, F18, F2
	FMADD F9, F14, F18, F14
	FMADD F12, F4, F20, F4
	FMADD F10, F14, F20, F14
	FMADD F12, F6, F22, F6
	FMADD F11, F14, F22, F14
	FMOV.P F14, SIZE(R5)
	SUB  $1, R6
	B    tail

done:
	FMOV F0, 0*SIZE(R8)
	FMOV F2, 1*SIZE(R8)
	FMOV F4, 2*SIZE(R8)
	FMOV F6, 3*SIZE(R8)
