// Body of backward64NEON and of its float32 and scaled versions:
// func(dst, src *F, n, d, ds, ss int, scratch, f *F), d of at least 16 bytes.
// Lengths are counted in bytes, so that both types share it.
//   R0, R1 next row of dst and src; R2 rows left; R3 length of a row; R4, R5 strides
//   R6 scratch; R7 factors; R10 factor of the next level
//   R11 length of the sums so far, R9 their length to reach at R8
//   V0-V5 sums and differences; V20-V27 results; V16, V17 factors
// Invariant at row: R2 >= 1 rows are left, R0 and R1 point to the next.
// Passes of two levels in scratch make the sums four times as long and so run
// from the end to the start; the last level of a long row runs from its start
// to its end, which is what makes it possible in place. Rows below 128 bytes
// are read completely before they are written.

	LSL  $SHIFT, R3, R3
	LSL  $SHIFT, R4, R4
	LSL  $SHIFT, R5, R5

row:
	CMP  $16, R3
	BNE  long
	MOVD R0, R8
	UPTOP
	B    next

long:
	MOVD R6, R8
	UPTOP
	CLZ  R3, R10
	MOVD $(63-4+16), R11
	SUB  R10, R11, R10
	LSL  $SHIFT, R10, R10
	ADD  R7, R10, R10
	MOVD $16, R11
	MOVD R3, R9
	CMP  $128, R3
	BGE  half
	MOVD R0, R8
	B    levels

half:
	LSR $1, R9, R9

levels: // one level from scratch if their number is odd
	TST  $0x2aaa0, R9
	BEQ  pass
	VLD1 (R6), [V0.T]
	ADD  $16, R1, R12
	VLD1 (R12), [V1.T]
	LOADSCALE(R10, V16)
	SCALE(16, 1)
	FADD(1, 0, 20)
	FSUB(1, 0, 21)
	VST2 [V20.T, V21.T], (R8)
	SUB  $BYTES, R10
	MOVD $32, R11

pass:
	CMP   R9, R11
	BEQ   last
	VLD1R (R10), [V17.T]
	SUB   $BYTES, R10
	VLD1R (R10), [V16.T]
	SUB   $BYTES, R10
	MOVD  R11, R12

quads:
	SUB  $16, R12
	ADD  R6, R12, R13
	VLD1 (R13), [V0.T]
	ADD  R11, R12, R13
	ADD  R1, R13, R14
	VLD1 (R14), [V1.T]
	ADD  R14, R13, R14
	VLD2 (R14), [V2.T, V3.T]
	SCALE(17, 1)
	SCALE(16, 2)
	SCALE(16, 3)
	FADD(1, 0, 4)
	FSUB(1, 0, 5)
	FADD(2, 4, 20)
	FSUB(2, 4, 21)
	FADD(3, 5, 22)
	FSUB(3, 5, 23)
	ADD  R12<<2, R8, R13
	VST4 [V20.T, V21.T, V22.T, V23.T], (R13)
	CBNZ R12, quads
	LSL  $2, R11, R11
	B    pass

last: // from scratch and the upper half of src to dst
	CMP   R8, R6
	BNE   next
	VLD1R (R10), [V16.T]
	ADD   R1, R9, R12
	ADD   R6, R9, R15
	MOVD  R6, R13
	MOVD  R0, R14

final:
	VLD1.P 64(R13), [V0.T, V1.T, V2.T, V3.T]
	VLD1.P 64(R12), [V4.T, V5.T, V6.T, V7.T]
	SCALE(16, 4)
	SCALE(16, 5)
	SCALE(16, 6)
	SCALE(16, 7)
	FADD(4, 0, 20)
	FSUB(4, 0, 21)
	FADD(5, 1, 22)
	FSUB(5, 1, 23)
	FADD(6, 2, 24)
	FSUB(6, 2, 25)
	FADD(7, 3, 26)
	FSUB(7, 3, 27)
	VST2.P [V20.T, V21.T], 32(R14)
	VST2.P [V22.T, V23.T], 32(R14)
	VST2.P [V24.T, V25.T], 32(R14)
	VST2.P [V26.T, V27.T], 32(R14)
	CMP    R15, R13
	BNE    final

next:
	ADD  R4, R0
	ADD  R5, R1
	SUBS $1, R2
	BNE  row
