// for i := range x { for j := range y { a[i*lda+j] += (alpha*x[i]) * y[j] } }
//   rows of a hold y: lda >= len(y), or one row; no overlap; any alignment
//   in: SI row of a, R8 lda, DX x, BX rows left, DI y, CX columns, X0 alpha
//   R8 and CX in bytes, R13 offset in a row, R9, R10 its bounds; V1 alpha*x[i], V2-V5 a
// Invariant at row: SI, DX at the first row not done, BX > 0; at loop: R13 at the first element not done.
// Unroll 4 vectors: one store a cycle is the limit. Tail: single vectors, then a half, a
// quarter, … of one: the loads of the next row or call would wait for a store under a mask that overlaps them.
	SHLQ $SHIFT, R8
	SHLQ $SHIFT, CX
	MOVQ CX, R9
	SUBQ $(4*W), R9   // last offset of four vectors
	MOVQ CX, R10
	SUBQ $W, R10   // last offset of one
	TESTQ BX, BX
	JEQ  end

row:
	MULS (DX), X0, X1
	BROADCAST X1, V1
	XORL R13, R13
	CMPQ R13, R9
	JGT  single

loop:
	MOVU 0*W(SI)(R13*1), V2
	MOVU W(SI)(R13*1), V3
	MOVU 2*W(SI)(R13*1), V4
	MOVU 3*W(SI)(R13*1), V5
	FMA 0*W(DI)(R13*1), V1, V2
	FMA W(DI)(R13*1), V1, V3
	FMA 2*W(DI)(R13*1), V1, V4
	FMA 3*W(DI)(R13*1), V1, V5
	MOVU V2, 0*W(SI)(R13*1)
	MOVU V3, W(SI)(R13*1)
	MOVU V4, 2*W(SI)(R13*1)
	MOVU V5, 3*W(SI)(R13*1)
	ADDQ $(4*W), R13
	CMPQ R13, R9
	JLE  loop

single:
	CMPQ R13, R10
	JGT  last

one:
	MOVU (SI)(R13*1), V2
	FMA (DI)(R13*1), V1, V2
	MOVU V2, (SI)(R13*1)
	ADDQ $W, R13
	CMPQ R13, R10
	JLE  one

last:
	CMPQ R13, CX
	JGE  next
	HALFROW

tail16:
	TESTQ $16, CX
	JEQ  tail8
	MOVU (SI)(R13*1), X2
	FMA (DI)(R13*1), X1, X2
	MOVU X2, (SI)(R13*1)
	ADDQ $16, R13

tail8:
	TESTQ $8, CX
	JEQ  tail4
	VMOVSD (SI)(R13*1), X2
	VMOVSD (DI)(R13*1), X3
	FMA X3, X1, X2
	VMOVSD X2, (SI)(R13*1)
	ADDQ $8, R13

tail4:
	TESTQ $4, CX
	JEQ  next
	VMOVSS (SI)(R13*1), X2
	VMOVSS (DI)(R13*1), X3
	FMA X3, X1, X2
	VMOVSS X2, (SI)(R13*1)

next:
	ADDQ R8, SI
	ADDQ $SIZE, DX
	DECQ BX
	JNE  row

end:
