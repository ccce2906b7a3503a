// Three levels of split of 8m elements of x, m a positive multiple of a vector, in
// ascending order: d1 gets 4m differences times c[0], d2 2m times c[1], d3 m
// times c[2], s m sums. s may be at x or before it.
//   R0-R4 d1, d2, d3, s, x; R5 end of x
	VLD1R (R6), [V16.T]
	ADD   $BYTES, R6
	VLD1R (R6), [V17.T]
	ADD   $BYTES, R6
	VLD1R (R6), [V18.T]
	LSL   $SHIFT, R5, R5
	ADD   R5<<3, R4, R5

loop:
	VLD4.P 64(R4), [V0.T, V1.T, V2.T, V3.T]
	VLD4.P 64(R4), [V4.T, V5.T, V6.T, V7.T]
	FADD(1, 0, 8)
	FADD(3, 2, 9)
	FADD(5, 4, 10)
	FADD(7, 6, 11)
	FSUB(1, 0, 20)
	FSUB(3, 2, 21)
	FSUB(5, 4, 22)
	FSUB(7, 6, 23)
	FADD(9, 8, 12)
	FADD(11, 10, 13)
	FSUB(9, 8, 24)
	FSUB(11, 10, 25)
	FMUL(16, 20, 20)
	FMUL(16, 21, 21)
	FMUL(16, 22, 22)
	FMUL(16, 23, 23)
	FMUL(17, 24, 24)
	FMUL(17, 25, 25)
	VUZP1  V13.T, V12.T, V14.T // evens of the sums of four
	VUZP2  V13.T, V12.T, V15.T // odds
	FADD(15, 14, 26)
	FSUB(15, 14, 27)
	FMUL(18, 27, 27)
	VST2.P [V20.T, V21.T], 32(R0)
	VST2.P [V22.T, V23.T], 32(R0)
	VST1.P [V24.T, V25.T], 32(R1)
	VST1.P [V27.T], 16(R2)
	VST1.P [V26.T], 16(R3)
	CMP    R5, R4
	BNE    loop
