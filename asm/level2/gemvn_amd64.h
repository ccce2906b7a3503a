// for i := range y { s := 0; for j := range x { s += a[i*lda+j] * x[j] }; y[i] += alpha * s }
//   rows of a hold x: lda >= len(x), or one row; y apart from a and x; any alignment
//   in: SI row of a, R8 lda, DI y, BX rows left, DX x, CX columns, X11 alpha
//   R8 and CX in bytes, R13 offset in a row, R9, R10 its bounds, R11, R12 rows 0, 2 of four at the offset;
//   V0-V7 two sums a row, V8, V9 x, V10 a of the tail; SUMSV the sums of four rows, TERMV y, ALPHAV alpha
// Invariant at rows4, rows1: SI, DI at the first row not done; at the inner loops: R13 at the first element.
// Four rows share the loads of x. Every row is summed alike, whether one of four or alone: sums of even and
// odd vectors, an odd last vector to the first, the masked rest to the second.
	SHLQ $SHIFT, R8
	SHLQ $SHIFT, CX
	TAILMASK
	MOVQ CX, R9
	SUBQ $(2*W), R9   // last offset of two vectors
	MOVQ CX, R10
	SUBQ $W, R10   // last offset of one
	BROADCAST X11, ALPHAV
	SUBQ $4, BX
	JLT  rest

rows4:
	VXORPD X0, X0, X0
	VXORPD X1, X1, X1
	VXORPD X2, X2, X2
	VXORPD X3, X3, X3
	VXORPD X4, X4, X4
	VXORPD X5, X5, X5
	VXORPD X6, X6, X6
	VXORPD X7, X7, X7
	XORL R13, R13
	MOVQ SI, R11
	LEAQ (SI)(R8*2), R12
	CMPQ R13, R9
	JGT  one4

loop4:
	MOVU (DX)(R13*1), V8
	MOVU W(DX)(R13*1), V9
	FMA (R11), V8, V0
	FMA W(R11), V9, V1
	FMA (R11)(R8*1), V8, V2
	FMA W(R11)(R8*1), V9, V3
	FMA (R12), V8, V4
	FMA W(R12), V9, V5
	FMA (R12)(R8*1), V8, V6
	FMA W(R12)(R8*1), V9, V7
	ADDQ $(2*W), R11
	ADDQ $(2*W), R12
	ADDQ $(2*W), R13
	CMPQ R13, R9
	JLE  loop4

one4:
	CMPQ R13, R10
	JGT  last4
	MOVU (DX)(R13*1), V8
	FMA (R11), V8, V0
	FMA (R11)(R8*1), V8, V2
	FMA (R12), V8, V4
	FMA (R12)(R8*1), V8, V6
	ADDQ $W, R11
	ADDQ $W, R12
	ADDQ $W, R13

last4:
	CMPQ R13, CX
	JGE  sum4
	LOADTAIL((DX)(R13*1), V8)
	LOADTAIL((R11), V10)
	FMA V10, V8, V1
	LOADTAIL((R11)(R8*1), V10)
	FMA V10, V8, V3
	LOADTAIL((R12), V10)
	FMA V10, V8, V5
	LOADTAIL((R12)(R8*1), V10)
	FMA V10, V8, V7

sum4:
	ADD V1, V0, V0
	ADD V3, V2, V2
	ADD V5, V4, V4
	ADD V7, V6, V6
	SUMS
	MOVU (DI), TERMV
	FMA SUMSV, ALPHAV, TERMV
	MOVU TERMV, (DI)
	LEAQ (SI)(R8*4), SI
	ADDQ $(4*SIZE), DI
	SUBQ $4, BX
	JGE  rows4

rest:
	ADDQ $4, BX
	JEQ  end

rows1:
	VXORPD X0, X0, X0
	VXORPD X1, X1, X1
	XORL R13, R13
	CMPQ R13, R9
	JGT  one1

loop1:
	MOVU (DX)(R13*1), V8
	MOVU W(DX)(R13*1), V9
	FMA (SI)(R13*1), V8, V0
	FMA W(SI)(R13*1), V9, V1
	ADDQ $(2*W), R13
	CMPQ R13, R9
	JLE  loop1

one1:
	CMPQ R13, R10
	JGT  last1
	MOVU (DX)(R13*1), V8
	FMA (SI)(R13*1), V8, V0
	ADDQ $W, R13

last1:
	CMPQ R13, CX
	JGE  sum1
	LOADTAIL((DX)(R13*1), V8)
	LOADTAIL((SI)(R13*1), V10)
	FMA V10, V8, V1

sum1:
	ADD V1, V0, V0
	SUM(V0, Y0, X0, Y9, X9)
	MOVS (DI), X9
	FMAS X0, X11, X9
	MOVS X9, (DI)
	ADDQ R8, SI
	ADDQ $SIZE, DI
	DECQ BX
	JNE  rows1

end:
