// for i := range x { for j := range y { y[j] += a[i*lda+j] * (alpha*x[i]) } }
//   rows of a hold y: lda >= len(y), or one row; y apart from a and x; any alignment
//   in: SI row of a, R8 lda, DX x, BX rows left, DI y, CX columns, X7 alpha
//   R8 and CX in bytes, R13 offset in a row, R9, R10 its bounds, R11, R12 rows 0, 2 of four at the offset;
//   V0-V3 alpha*x, V4, V5 y, V6 a of the tail
// Invariant at rows4, rows1: SI, DX at the first row not done; at the inner loops: R13 at the first element.
// Four rows share the loads and stores of y; rows are added in order, so that grouping does not matter.
// Tail: a single vector, then a half, a quarter, … of one as in ger.
	SHLQ $SHIFT, R8
	SHLQ $SHIFT, CX
	MOVQ CX, R9
	SUBQ $(2*W), R9   // last offset of two vectors
	MOVQ CX, R10
	SUBQ $W, R10   // last offset of one
	SUBQ $4, BX
	JLT  rest

rows4:
	MULS 0*SIZE(DX), X7, X0
	BROADCAST X0, V0
	MULS 1*SIZE(DX), X7, X1
	BROADCAST X1, V1
	MULS 2*SIZE(DX), X7, X2
	BROADCAST X2, V2
	MULS 3*SIZE(DX), X7, X3
	BROADCAST X3, V3
	XORL R13, R13
	MOVQ SI, R11
	LEAQ (SI)(R8*2), R12
	CMPQ R13, R9
	JGT  one4

loop4:
	MOVU (DI)(R13*1), V4
	MOVU W(DI)(R13*1), V5
	FMA (R11), V0, V4
	FMA W(R11), V0, V5
	FMA (R11)(R8*1), V1, V4
	FMA W(R11)(R8*1), V1, V5
	FMA (R12), V2, V4
	FMA W(R12), V2, V5
	FMA (R12)(R8*1), V3, V4
	FMA W(R12)(R8*1), V3, V5
	MOVU V4, (DI)(R13*1)
	MOVU V5, W(DI)(R13*1)
	ADDQ $(2*W), R11
	ADDQ $(2*W), R12
	ADDQ $(2*W), R13
	CMPQ R13, R9
	JLE  loop4

one4:
	CMPQ R13, R10
	JGT  last4
	MOVU (DI)(R13*1), V4
	FMA (R11), V0, V4
	FMA (R11)(R8*1), V1, V4
	FMA (R12), V2, V4
	FMA (R12)(R8*1), V3, V4
	MOVU V4, (DI)(R13*1)
	ADDQ $W, R11
	ADDQ $W, R12
	ADDQ $W, R13

last4:
	CMPQ R13, CX
	JGE  next4
	HALF4

tail16x4:
	TESTQ $16, CX
	JEQ  tail8x4
	MOVU (DI)(R13*1), X4
	FMA (R11), X0, X4
	FMA (R11)(R8*1), X1, X4
	FMA (R12), X2, X4
	FMA (R12)(R8*1), X3, X4
	MOVU X4, (DI)(R13*1)
	ADDQ $16, R11
	ADDQ $16, R12
	ADDQ $16, R13

tail8x4:
	TESTQ $8, CX
	JEQ  tail4x4
	FEW4(VMOVSD)
	ADDQ $8, R11
	ADDQ $8, R12
	ADDQ $8, R13

tail4x4:
	TESTQ $4, CX
	JEQ  next4
	FEW4(VMOVSS)

next4:
	LEAQ (SI)(R8*4), SI
	ADDQ $(4*SIZE), DX
	SUBQ $4, BX
	JGE  rows4

rest:
	ADDQ $4, BX
	JEQ  end

rows1:
	MULS (DX), X7, X0
	BROADCAST X0, V0
	XORL R13, R13
	CMPQ R13, R9
	JGT  one1

loop1:
	MOVU (DI)(R13*1), V4
	MOVU W(DI)(R13*1), V5
	FMA (SI)(R13*1), V0, V4
	FMA W(SI)(R13*1), V0, V5
	MOVU V4, (DI)(R13*1)
	MOVU V5, W(DI)(R13*1)
	ADDQ $(2*W), R13
	CMPQ R13, R9
	JLE  loop1

one1:
	CMPQ R13, R10
	JGT  last1
	MOVU (DI)(R13*1), V4
	FMA (SI)(R13*1), V0, V4
	MOVU V4, (DI)(R13*1)
	ADDQ $W, R13

last1:
	CMPQ R13, CX
	JGE  next1
	HALF1

tail16x1:
	TESTQ $16, CX
	JEQ  tail8x1
	MOVU (DI)(R13*1), X4
	FMA (SI)(R13*1), X0, X4
	MOVU X4, (DI)(R13*1)
	ADDQ $16, R13

tail8x1:
	TESTQ $8, CX
	JEQ  tail4x1
	FEW1(VMOVSD)
	ADDQ $8, R13

tail4x1:
	TESTQ $4, CX
	JEQ  next1
	FEW1(VMOVSS)

next1:
	ADDQ R8, SI
	ADDQ $SIZE, DX
	DECQ BX
	JNE  rows1

end:
