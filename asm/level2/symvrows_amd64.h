// Rows of a triangle of a symmetric matrix A of order n, row i = first … first+rows-1 from column 0 on:
// for i, and j > i in the upper or j < i in the lower triangle: { y[i] += a[i][j] * x[j]; y[j] += a[i][j] * x[i] };
// y[i] += a[i][i] * x[i]
//   rows > 0 and first multiples of 4; first is 0 for the upper triangle; n >= 1, upper: n >= rows; lda >= n, or one row
//   of n; y apart from a and x; any alignment
//   in: SI row first, R8 lda, DX x, DI y, CX n, BX rows, R10 first, R11 0 (upper) or 1 (lower)
//   R8, CX in bytes, R9 three rows, R10 i in bytes, R12 columns done in bytes, R11 what DIAGONAL takes, AX row i at R12;
//   V0, V2, V4, V6 sums of rows, V1, V3, V5, V7 x[i], V8 x, V9 y, V10-V13 a, V14 product
// Four rows at a time. All vectors begin at a multiple of their length, so that a load finds what one store has
// written; only the one that holds the diagonal, and the last one of a row, need a mask.
#define WHOLE(mem, v) MOVU mem, v

#define ROWS4(get) \
	get((DX)(R12*1), V8); \
	get((DI)(R12*1), V9); \
	LEAQ (SI)(R12*1), AX; \
	get((AX), V10); \
	get((AX)(R8*1), V11); \
	get((AX)(R8*2), V12); \
	get((AX)(R9*1), V13)

#define PRODUCTS \
	FMA V8, V10, V0; \
	FMA V1, V10, V9; \
	FMA V8, V11, V2; \
	FMA V3, V11, V9; \
	FMA V8, V12, V4; \
	FMA V5, V12, V9; \
	FMA V8, V13, V6; \
	FMA V7, V13, V9

// The products are masked, not the factors: what stands in the other triangle does not matter.
#define DIAGONAL(row, a, xr, sum) \
	MUL V8, a, V14; \
	VANDPD row(R11), V14, V14; \
	ADD V14, sum, sum; \
	MUL xr, a, V14; \
	VANDPD row(R13), V14, V14; \
	ADD V14, V9, V9

#define DIAGONALS \
	DIAGONAL(0, V10, V1, V0) \
	DIAGONAL(-1*SIZE, V11, V3, V2) \
	DIAGONAL(-2*SIZE, V12, V5, V4) \
	DIAGONAL(-3*SIZE, V13, V7, V6)

	SHLQ $SHIFT, R8
	SHLQ $SHIFT, CX
	SHLQ $SHIFT, R10
	TAILMASK
	LEAQ (R8)(R8*2), R9
	MOVQ R11, R15

block:
	BROADCAST 0*SIZE(DX)(R10*1), V1
	BROADCAST 1*SIZE(DX)(R10*1), V3
	BROADCAST 2*SIZE(DX)(R10*1), V5
	BROADCAST 3*SIZE(DX)(R10*1), V7
	VXORPD X0, X0, X0
	VXORPD X2, X2, X2
	VXORPD X4, X4, X4
	VXORPD X6, X6, X6
	MOVQ R10, R12
	ANDQ $-W, R12  // column of the vector with the diagonal
	MOVQ R10, R13
	SUBQ R12, R13
	LEAQ besides<>+W(SB), R11
	SUBQ R13, R11
	TESTQ R15, R15
	JNE  low
	LEAQ -SIZE(R11), R13 // upper: from the diagonal on, and behind it
	MOVQ CX, AX
	SUBQ R12, AX
	CMPQ AX, $W
	JLT  uppertail
	ROWS4(WHOLE)
	DIAGONALS
	MOVU V9, (DI)(R12*1)
	ADDQ $W, R12
	MOVQ CX, R13
	SUBQ $W, R13 // last place of a whole vector
	CMPQ R12, R13
	JGT  upperlast

upperloop:
	ROWS4(WHOLE)
	PRODUCTS
	MOVU V9, (DI)(R12*1)
	ADDQ $W, R12
	CMPQ R12, R13
	JLE  upperloop

upperlast:
	CMPQ R12, CX
	JEQ  sum
	ROWS4(LOADTAIL)
	PRODUCTS
	STORETAIL(V9, (DI)(R12*1))
	JMP  sum

uppertail:
	ROWS4(LOADTAIL)
	DIAGONALS
	STORETAIL(V9, (DI)(R12*1))
	JMP  sum

low:
	LEAQ W(R11), R13 // lower: before the diagonal, and up to it
	LEAQ (W-SIZE)(R11), R11
	TESTQ R12, R12
	JEQ  lowdiagonal
	XORL R12, R12

lowloop:
	ROWS4(WHOLE)
	PRODUCTS
	MOVU V9, (DI)(R12*1)
	ADDQ $W, R12
	MOVQ R10, AX
	SUBQ R12, AX
	CMPQ AX, $W
	JGE  lowloop

lowdiagonal:
	MOVQ CX, AX
	SUBQ R12, AX
	CMPQ AX, $W
	JLT  lowtail
	ROWS4(WHOLE)
	DIAGONALS
	MOVU V9, (DI)(R12*1)
	JMP  sum

lowtail:
	ROWS4(LOADTAIL)
	DIAGONALS
	STORETAIL(V9, (DI)(R12*1))

sum:
	SUMS
	ADD  (DI)(R10*1), SUMSV, SUMSV
	MOVU SUMSV, (DI)(R10*1)
	LEAQ (SI)(R8*4), SI
	ADDQ $(4*SIZE), R10
	SUBQ $4, BX
	JNE  block

#undef WHOLE
#undef ROWS4
#undef PRODUCTS
#undef DIAGONAL
#undef DIAGONALS
