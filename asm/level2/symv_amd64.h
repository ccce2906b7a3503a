// for j := range x { for r := range 4 { s[r] += a[r*lda+j] * x[j]; y[j] += xr[r] * a[r*lda+j] } }
//   len(x) == len(y) > 0; a, x and y apart; any alignment
//   in: SI row 0 of a, R8 lda, DX x, DI y, CX columns, BX xr, R10 s
//   R8 and CX in bytes, R9 three rows; V0-V3 sums, V4-V7 xr, V8 x, V9 y, V10-V13 a
// Invariant at loop: SI, DX and DI at the first column not done, W bytes left or more.
// One vector of columns a turn: 8 products take 4 cycles, the latency of the sums. Tail: the same under a mask.
#define PRODUCTS \
	FMA V8, V10, V0; \
	FMA V4, V10, V9; \
	FMA V8, V11, V1; \
	FMA V5, V11, V9; \
	FMA V8, V12, V2; \
	FMA V6, V12, V9; \
	FMA V8, V13, V3; \
	FMA V7, V13, V9

	SHLQ $SHIFT, R8
	SHLQ $SHIFT, CX
	TAILMASK
	LEAQ (R8)(R8*2), R9
	BROADCAST 0*SIZE(BX), V4
	BROADCAST 1*SIZE(BX), V5
	BROADCAST 2*SIZE(BX), V6
	BROADCAST 3*SIZE(BX), V7
	VXORPD X0, X0, X0
	VXORPD X1, X1, X1
	VXORPD X2, X2, X2
	VXORPD X3, X3, X3
	SUBQ $W, CX
	JLT  last

loop:
	MOVU (DX), V8
	MOVU (DI), V9
	MOVU (SI), V10
	MOVU (SI)(R8*1), V11
	MOVU (SI)(R8*2), V12
	MOVU (SI)(R9*1), V13
	PRODUCTS
	MOVU V9, (DI)
	ADDQ $W, SI
	ADDQ $W, DX
	ADDQ $W, DI
	SUBQ $W, CX
	JGE  loop

last:
	ADDQ $W, CX
	JEQ  sum
	LOADTAIL((DX), V8)
	LOADTAIL((DI), V9)
	LOADTAIL((SI), V10)
	LOADTAIL((SI)(R8*1), V11)
	LOADTAIL((SI)(R8*2), V12)
	LOADTAIL((SI)(R9*1), V13)
	PRODUCTS
	STORETAIL(V9, (DI))

sum:
	SUM(V0, Y0, X0, Y8, X8)
	MOVS X0, 0*SIZE(R10)
	SUM(V1, Y1, X1, Y8, X8)
	MOVS X1, 1*SIZE(R10)
	SUM(V2, Y2, X2, Y8, X8)
	MOVS X2, 2*SIZE(R10)
	SUM(V3, Y3, X3, Y8, X8)
	MOVS X3, 3*SIZE(R10)

#undef PRODUCTS
