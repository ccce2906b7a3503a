// The inverse of split3 in descending order: c[0], c[1], c[2] multiply d1, d2,
// d3 before the sums. s may be at x or before it.
//   R0-R4 ends of what is left of x, d1, d2, d3, s; R5 start of s
	VLD1R (R7), [V16.T]
	ADD   $BYTES, R7
	VLD1R (R7), [V17.T]
	ADD   $BYTES, R7
	VLD1R (R7), [V18.T]
	MOVD  R4, R5
	LSL   $SHIFT, R6, R6
	ADD   R6, R4
	ADD   R6, R3
	ADD   R6<<1, R2, R2
	ADD   R6<<2, R1, R1
	ADD   R6<<3, R0, R0

loop:
	SUB    $16, R4
	SUB    $16, R3
	SUB    $32, R2
	SUB    $64, R1
	SUB    $128, R0
	VLD1   (R4), [V0.T]
	VLD1   (R3), [V1.T]
	VLD1   (R2), [V2.T, V3.T]
	MOVD   R1, R8
	VLD2.P 32(R8), [V4.T, V5.T]
	VLD2   (R8), [V6.T, V7.T]
	FMUL(18, 1, 1)
	FMUL(17, 2, 2)
	FMUL(17, 3, 3)
	FMUL(16, 4, 4)
	FMUL(16, 5, 5)
	FMUL(16, 6, 6)
	FMUL(16, 7, 7)
	FADD(1, 0, 8)
	FSUB(1, 0, 9)
	VZIP1  V9.T, V8.T, V10.T
	VZIP2  V9.T, V8.T, V11.T
	FADD(2, 10, 12)
	FSUB(2, 10, 13)
	FADD(3, 11, 14)
	FSUB(3, 11, 15)
	FADD(4, 12, 20)
	FSUB(4, 12, 21)
	FADD(5, 13, 22)
	FSUB(5, 13, 23)
	FADD(6, 14, 24)
	FSUB(6, 14, 25)
	FADD(7, 15, 26)
	FSUB(7, 15, 27)
	MOVD   R0, R8
	VST4.P [V20.T, V21.T, V22.T, V23.T], 64(R8)
	VST4   [V24.T, V25.T, V26.T, V27.T], (R8)
	CMP    R5, R4
	BNE    loop
