//	for i := range pairs { x[2i], x[2i+1] = s[i]+d[i]*c[0], s[i]-d[i]*c[0] }
// pairs fills a positive multiple of four vectors. d may be the upper half of x, or lie behind x.
//   R0, R1, R2 x, d, s; R3 end of s
	VLD1R (R5), [V16.T]
	LSL   $SHIFT, R3, R3
	ADD   R2, R3

loop:
	VLD1.P 64(R2), [V0.T, V1.T, V2.T, V3.T]
	VLD1.P 64(R1), [V4.T, V5.T, V6.T, V7.T]
	FMUL(16, 4, 4)
	FMUL(16, 5, 5)
	FMUL(16, 6, 6)
	FMUL(16, 7, 7)
	FADD(4, 0, 20)
	FSUB(4, 0, 21)
	FADD(5, 1, 22)
	FSUB(5, 1, 23)
	FADD(6, 2, 24)
	FSUB(6, 2, 25)
	FADD(7, 3, 26)
	FSUB(7, 3, 27)
	VST2.P [V20.T, V21.T], 32(R0)
	VST2.P [V22.T, V23.T], 32(R0)
	VST2.P [V24.T, V25.T], 32(R0)
	VST2.P [V26.T, V27.T], 32(R0)
	CMP    R3, R2
	BNE    loop
