// Products of one shape, one after the other, with up to four vectors of columns; the formula is that of many_amd64.h.
//
// Preconditions: 1 <= count, 1 <= k, 1 <= m; no alignment. The columns are one or more vectors, of which the last one ends
// with the columns: it may have some of the one before, which become the same. Nothing beyond the elements is read or
// written. The entry says what a vector is: UNIT bytes, and how many there are.
//
// Registers: R0 matrices left, R1 k, R2 A, R9 ras, R3 cas, R4 B, R10 bs, R21 C, R12 cs, R23-R25 to the next A, B and C,
// R14 put: 0 stores the sums, 1 alpha times them, 2 beta times C with them; R15 columns before the last vector; R5-R8
// column p of a group's rows of A, R19 the next group's first row; R16, R20 row p of B and its last vector, R17 terms
// left; R11, R22 row of C and its last vector; R13 rows left; strides in bytes. V0-V15 sums, row r from V(4r) on; V24-V27
// the row of B, then of C; V28 alpha, V29 beta, V30 broadcast of A.
//
// Four rows, then two and one. The sums of a group do not wait for those of the group or the matrix before.
	LSL  $SHIFT, R9, R9
	LSL  $SHIFT, R3, R3
	LSL  $SHIFT, R10, R10
	LSL  $SHIFT, R12, R12
	LSL  $SHIFT, R23, R23
	LSL  $SHIFT, R24, R24
	LSL  $SHIFT, R25, R25
	LSL  $SHIFT, R15, R15
	SUB  $UNIT, R15, R15

matrix:
	MOVD R21, R11
	ADD  R15, R11, R22
	MOVD R2, R5
	MOVD m+96(FP), R13

four:
	CMP  $4, R13
	BLT  two
	ADD  R9, R5, R6
	ADD  R9, R6, R7
	ADD  R9, R7, R8
	ADD  R9, R8, R19
	BEGINTERMS
	ZEROROW(V0, V1, V2, V3)
	ZEROROW(V4, V5, V6, V7)
	ZEROROW(V8, V9, V10, V11)
	ZEROROW(V12, V13, V14, V15)
loop4:
	LOADB
	FMAROW(R5, V0, V1, V2, V3)
	FMAROW(R6, V4, V5, V6, V7)
	FMAROW(R7, V8, V9, V10, V11)
	FMAROW(R8, V12, V13, V14, V15)
	SUBS $1, R17, R17
	BNE  loop4
	CMP  $1, R14
	BEQ  scale4
	BHI  blend4
	PUTROW(V0, V1, V2, V3)
	PUTROW(V4, V5, V6, V7)
	PUTROW(V8, V9, V10, V11)
	PUTROW(V12, V13, V14, V15)
	B    done4
scale4:
	SCALEROW(0, V0, V1, V2, V3)
	SCALEROW(4, V4, V5, V6, V7)
	SCALEROW(8, V8, V9, V10, V11)
	SCALEROW(12, V12, V13, V14, V15)
	B    done4
blend4:
	BLENDROW(V0, V1, V2, V3)
	BLENDROW(V4, V5, V6, V7)
	BLENDROW(V8, V9, V10, V11)
	BLENDROW(V12, V13, V14, V15)
done4:
	MOVD R19, R5
	SUB  $4, R13, R13
	B    four

two:
	TBZ  $1, R13, one
	ADD  R9, R5, R6
	ADD  R9, R6, R19
	BEGINTERMS
	ZEROROW(V0, V1, V2, V3)
	ZEROROW(V4, V5, V6, V7)
loop2:
	LOADB
	FMAROW(R5, V0, V1, V2, V3)
	FMAROW(R6, V4, V5, V6, V7)
	SUBS $1, R17, R17
	BNE  loop2
	CMP  $1, R14
	BEQ  scale2
	BHI  blend2
	PUTROW(V0, V1, V2, V3)
	PUTROW(V4, V5, V6, V7)
	B    done2
scale2:
	SCALEROW(0, V0, V1, V2, V3)
	SCALEROW(4, V4, V5, V6, V7)
	B    done2
blend2:
	BLENDROW(V0, V1, V2, V3)
	BLENDROW(V4, V5, V6, V7)
done2:
	MOVD R19, R5

one:
	TBZ  $0, R13, next
	BEGINTERMS
	ZEROROW(V0, V1, V2, V3)
loop1:
	LOADB
	FMAROW(R5, V0, V1, V2, V3)
	SUBS $1, R17, R17
	BNE  loop1
	CMP  $1, R14
	BEQ  scale1
	BHI  blend1
	PUTROW(V0, V1, V2, V3)
	B    done1
scale1:
	SCALEROW(0, V0, V1, V2, V3)
	B    done1
blend1:
	BLENDROW(V0, V1, V2, V3)
done1:

next:
	ADD  R23, R2, R2
	ADD  R24, R4, R4
	ADD  R25, R21, R21
	SUBS $1, R0, R0
	BNE  matrix
