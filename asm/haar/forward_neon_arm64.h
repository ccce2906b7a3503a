// Body of forward64NEON and of its float32 and scaled versions:
// func(dst, src *F, n, d, ds, ss int, scratch, f *F), d of at least 16 bytes.
// Lengths are counted in bytes, so that both types share it.
//   R0, R1 next row of dst and src; R2 rows left; R3 length of a row; R4, R5 strides
//   R6 scratch; R7 factors; R8 source of the next level, R9 its length, R10 its factor
//   V0-V7 evens, odds, sums; V20-V27 results; V16, V17 factors
// Invariant at row: R2 >= 1 rows are left, R0 and R1 point to the next.
// Loads of two and four interleaved vectors take the place of shuffles. The
// first level of a row of 128 bytes or more runs from its end to its start, all
// others two levels at a time from scratch. The last 16 bytes are scalar.

	LSL  $SHIFT, R3, R3
	LSL  $SHIFT, R4, R4
	LSL  $SHIFT, R5, R5

row:
	MOVD R1, R8
	MOVD R3, R9
	ADD  $(17<<SHIFT), R7, R10
	CMP  $128, R9
	BLT  rest

	VLD1R (R10), [V16.T]
	ADD   $BYTES, R10
	ADD   R1, R9, R11
	ADD   R0, R9, R12
	LSR   $1, R9, R9
	ADD   R6, R9, R13

first: // differences to the upper half of dst, sums to scratch
	SUB    $128, R11
	SUB    $64, R12
	SUB    $64, R13
	MOVD   R11, R14
	VLD2.P 32(R14), [V0.T, V1.T]
	VLD2.P 32(R14), [V2.T, V3.T]
	VLD2.P 32(R14), [V4.T, V5.T]
	VLD2.P 32(R14), [V6.T, V7.T]
	FADD(1, 0, 20)
	FADD(3, 2, 21)
	FADD(5, 4, 22)
	FADD(7, 6, 23)
	FSUB(1, 0, 24)
	FSUB(3, 2, 25)
	FSUB(5, 4, 26)
	FSUB(7, 6, 27)
	SCALE(16, 24)
	SCALE(16, 25)
	SCALE(16, 26)
	SCALE(16, 27)
	VST1   [V24.T, V25.T, V26.T, V27.T], (R12)
	VST1   [V20.T, V21.T, V22.T, V23.T], (R13)
	CMP    R6, R13
	BNE    first
	MOVD   R6, R8

rest: // R9 bytes at R8 are left, in scratch or (below 128 bytes) in src
	CMP   $64, R9
	BLT   small
	VLD1R (R10), [V16.T]
	ADD   $BYTES, R10
	VLD1R (R10), [V17.T]
	ADD   $BYTES, R10
	ADD   R8, R9, R15
	LSR   $1, R9, R9
	ADD   R0, R9, R12
	LSR   $1, R9, R9
	ADD   R0, R9, R13
	MOVD  R6, R14

quads:
	VLD4.P 64(R8), [V0.T, V1.T, V2.T, V3.T]
	FADD(1, 0, 4)
	FADD(3, 2, 5)
	FSUB(1, 0, 20)
	FSUB(3, 2, 21)
	FADD(5, 4, 6)
	FSUB(5, 4, 7)
	SCALE(16, 20)
	SCALE(16, 21)
	SCALE(17, 7)
	VST2.P [V20.T, V21.T], 32(R12)
	VST1.P [V7.T], 16(R13)
	VST1.P [V6.T], 16(R14)
	CMP    R15, R8
	BNE    quads
	MOVD   R6, R8
	B      rest

small: // 32 or 16 bytes
	CMP  $32, R9
	BLT  top
	VLD2 (R8), [V0.T, V1.T]
	FADD(1, 0, 2)
	FSUB(1, 0, 3)
	LOADSCALE(R10, V16)
	SCALE(16, 3)
	ADD  $16, R0, R12
	VST1 [V3.T], (R12)
	VST1 [V2.T], (R6)
	MOVD R6, R8

top:
	DOWNTOP
	ADD  R4, R0
	ADD  R5, R1
	SUBS $1, R2
	BNE  row
