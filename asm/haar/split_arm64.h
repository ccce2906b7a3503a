//	for i := pairs-1; i >= 0; i-- { s[i], d[i] = x[2i]+x[2i+1], (x[2i]-x[2i+1])*c[0] }
// pairs fills a positive multiple of four vectors. d may be the upper half of x, or lie behind x.
//   R0, R1, R2 ends of what is left of d, s, x; R3 start of s
	VLD1R (R5), [V16.T]
	MOVD  R1, R3
	LSL   $SHIFT, R4, R4
	ADD   R4, R0
	ADD   R4, R1
	ADD   R4<<1, R2, R2

loop:
	SUB    $64, R0
	SUB    $64, R1
	SUB    $128, R2
	MOVD   R2, R5
	VLD2.P 32(R5), [V0.T, V1.T]
	VLD2.P 32(R5), [V2.T, V3.T]
	VLD2.P 32(R5), [V4.T, V5.T]
	VLD2.P 32(R5), [V6.T, V7.T]
	FADD(1, 0, 20)
	FADD(3, 2, 21)
	FADD(5, 4, 22)
	FADD(7, 6, 23)
	FSUB(1, 0, 24)
	FSUB(3, 2, 25)
	FSUB(5, 4, 26)
	FSUB(7, 6, 27)
	FMUL(16, 24, 24)
	FMUL(16, 25, 25)
	FMUL(16, 26, 26)
	FMUL(16, 27, 27)
	VST1   [V24.T, V25.T, V26.T, V27.T], (R0)
	VST1   [V20.T, V21.T, V22.T, V23.T], (R1)
	CMP    R3, R1
	BNE    loop
