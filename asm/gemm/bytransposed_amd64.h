// The transpose of B for rows_amd64.h, at AVX-512: B has n rows of k elements, and its transpose k rows of ROW bytes.
//
//   for j < n, p < k:  (p*ROW)(SP)[j] = b[j*bs+p]
//
// Preconditions: 1 <= k <= 16; 1 <= n, and n elements are at most ROW bytes. What lies behind the n elements of a row of the
// transpose is 0 or anything.
//
// Registers: R14 rows of B, SI columns of them, R13 bs in bytes, CX n, R9 rows left, BX terms left; R11 column of the
// transpose, R10 row of it; AX address of the last row of a block. Z0-Z7 rows of a block, Z8-Z15 its columns on the way; K2
// the terms of a block.
//
// Blocks of eight rows and eight terms, of which those that are not there are zeros. Up to four rows of up to four terms take
// a third of the shuffles; they are stored as whole vectors, as they are loaded, or the load would wait for the store.
	SHLQ $3, R13
	MOVQ SP, R11
	MOVQ CX, R9
blockrow:
	MOVQ k+0(FP), BX
	MOVQ R14, SI
	MOVQ R11, R10
block:
	MOVL $-1, DI
	BZHIL BX, DI, DI
	KMOVW DI, K2
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7
	LEAQ -1(R9), AX
	IMULQ R13, AX
	ADDQ SI, AX
	CMPQ R9, $4
	JEQ  row4
	JLT  below4
	CMPQ R9, $6
	JEQ  row6
	JLT  row5
	CMPQ R9, $7
	JEQ  row7
	LEAQ (R13)(R13*2), AX
	LEAQ (AX)(R13*4), AX
	ADDQ SI, AX
	VMOVUPD.Z (AX), K2, Z7
	SUBQ R13, AX
row7:
	VMOVUPD.Z (AX), K2, Z6
	SUBQ R13, AX
row6:
	VMOVUPD.Z (AX), K2, Z5
	SUBQ R13, AX
row5:
	VMOVUPD.Z (AX), K2, Z4
	SUBQ R13, AX
row4:
	VMOVUPD.Z (AX), K2, Z3
	SUBQ R13, AX
row3:
	VMOVUPD.Z (AX), K2, Z2
	SUBQ R13, AX
row2:
	VMOVUPD.Z (AX), K2, Z1
	SUBQ R13, AX
row1:
	VMOVUPD.Z (AX), K2, Z0
	JMP  columns
below4:
	CMPQ R9, $2
	JEQ  row2
	JLT  row1
	JMP  row3
columns:
	CMPQ BX, $4
	JGT  eightcolumns
	CMPQ CX, $4
	JGT  eightcolumns
	VUNPCKLPD Y1, Y0, Y4
	VUNPCKHPD Y1, Y0, Y5
	VUNPCKLPD Y3, Y2, Y6
	VUNPCKHPD Y3, Y2, Y7
	VPERM2F128 $0x20, Y6, Y4, Y8
	VPERM2F128 $0x20, Y7, Y5, Y9
	VPERM2F128 $0x31, Y6, Y4, Y10
	VPERM2F128 $0x31, Y7, Y5, Y11
	VMOVUPD Z8, (R10)
	VMOVUPD Z9, ROW(R10)
	VMOVUPD Z10, (2*ROW)(R10)
	VMOVUPD Z11, (3*ROW)(R10)
	JMP  turned
eightcolumns:
	VUNPCKLPD Z1, Z0, Z8
	VUNPCKHPD Z1, Z0, Z9
	VUNPCKLPD Z3, Z2, Z10
	VUNPCKHPD Z3, Z2, Z11
	VUNPCKLPD Z5, Z4, Z12
	VUNPCKHPD Z5, Z4, Z13
	VUNPCKLPD Z7, Z6, Z14
	VUNPCKHPD Z7, Z6, Z15
	VSHUFF64X2 $0x88, Z10, Z8, Z0
	VSHUFF64X2 $0xdd, Z10, Z8, Z1
	VSHUFF64X2 $0x88, Z14, Z12, Z2
	VSHUFF64X2 $0xdd, Z14, Z12, Z3
	VSHUFF64X2 $0x88, Z11, Z9, Z4
	VSHUFF64X2 $0xdd, Z11, Z9, Z5
	VSHUFF64X2 $0x88, Z15, Z13, Z6
	VSHUFF64X2 $0xdd, Z15, Z13, Z7
	VSHUFF64X2 $0x88, Z2, Z0, Z8
	VSHUFF64X2 $0x88, Z3, Z1, Z10
	VSHUFF64X2 $0xdd, Z2, Z0, Z12
	VSHUFF64X2 $0xdd, Z3, Z1, Z14
	VSHUFF64X2 $0x88, Z6, Z4, Z9
	VSHUFF64X2 $0x88, Z7, Z5, Z11
	VSHUFF64X2 $0xdd, Z6, Z4, Z13
	VSHUFF64X2 $0xdd, Z7, Z5, Z15
	VMOVUPD Z8, (0*ROW)(R10)
	VMOVUPD Z9, (1*ROW)(R10)
	VMOVUPD Z10, (2*ROW)(R10)
	VMOVUPD Z11, (3*ROW)(R10)
	VMOVUPD Z12, (4*ROW)(R10)
	VMOVUPD Z13, (5*ROW)(R10)
	VMOVUPD Z14, (6*ROW)(R10)
	VMOVUPD Z15, (7*ROW)(R10)
	ADDQ $64, SI
	ADDQ $(8*ROW), R10
	SUBQ $8, BX
	JG   block
	LEAQ (R14)(R13*8), R14
	ADDQ $64, R11
	SUBQ $8, R9
	JG   blockrow
turned:
	MOVQ SP, R14
	MOVQ $(ROW/8), R13
