// Rows of a triangle of a symmetric matrix A of order n, row i = first … first+rows-1 from column 0 on:
// for i, and j > i in the upper or j < i in the lower triangle: { y[i] += a[i][j] * x[j]; y[j] += a[i][j] * x[i] };
// y[i] += a[i][i] * x[i]
//   rows > 0 and first multiples of 4; first is 0 for the upper triangle; n >= 1, upper: n >= rows; lda >= n, or one row
//   of n; y apart from a and x; any alignment
//   in: R0 row first, R3 lda, R4 x, R5 y, R6 n, R7 rows left, R8 first, R9 0 (upper) or 1 (lower)
//   R3 in bytes; R10-R13 four rows of a, R14 x and R15 y at the next columns, R16 columns left, R8 i; V0-V7 two sums a row,
//   V8-V11 x[i] in every lane, V12, V13 x, V14, V15 y, V16-V23 a
// Invariant at block: R0 is row R8, R7 >= 1; at loop: R10-R15 at the first column not done, which R16 + 32 bytes are left of.
// Four rows at a time, and two vectors of columns a turn: 16 products, of which eight wait for none of the others. Then
// one vector, and single columns in lane 0. The columns of the diagonal's block come last: the block is completed to a
// whole symmetric matrix in registers, so that what stands in the other triangle does not matter.
#define PRODUCTS2(r, a0, a1, s0, s1) \
	VFMLA V12.T, a0.T, s0.T; \
	VFMLA V13.T, a1.T, s1.T; \
	VFMLA r.T, a0.T, V14.T; \
	VFMLA r.T, a1.T, V15.T

#define PRODUCTS1 \
	VFMLA V12.T, V16.T, V0.T; \
	VFMLA V8.T, V16.T, V14.T; \
	VFMLA V12.T, V18.T, V2.T; \
	VFMLA V9.T, V18.T, V14.T; \
	VFMLA V12.T, V20.T, V4.T; \
	VFMLA V10.T, V20.T, V14.T; \
	VFMLA V12.T, V22.T, V6.T; \
	VFMLA V11.T, V22.T, V14.T

	LSL  $SHIFT, R3, R3

block:
	ADD  R8<<SHIFT, R4, R14
	VLD4R (R14), [V8.T, V9.T, V10.T, V11.T]
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	VEOR V6.B16, V6.B16, V6.B16
	VEOR V7.B16, V7.B16, V7.B16
	MOVD R0, R10
	MOVD R4, R14
	MOVD R5, R15
	MOVD R8, R16
	CBNZ R9, beside  // lower: the columns before the diagonal
	ADD  $4, R8, R17 // upper: those behind it
	ADD  R17<<SHIFT, R10, R10
	ADD  R17<<SHIFT, R14, R14
	ADD  R17<<SHIFT, R15, R15
	SUB  R17, R6, R16

beside:
	ADD  R3, R10, R11
	ADD  R3, R11, R12
	ADD  R3, R12, R13
	SUBS $(32/SIZE), R16, R16
	BLT  single

loop:
	VLD1.P 32(R14), [V12.T, V13.T]
	VLD1 (R15), [V14.T, V15.T]
	VLD1.P 32(R10), [V16.T, V17.T]
	VLD1.P 32(R11), [V18.T, V19.T]
	VLD1.P 32(R12), [V20.T, V21.T]
	VLD1.P 32(R13), [V22.T, V23.T]
	PRODUCTS2(V8, V16, V17, V0, V1)
	PRODUCTS2(V9, V18, V19, V2, V3)
	PRODUCTS2(V10, V20, V21, V4, V5)
	PRODUCTS2(V11, V22, V23, V6, V7)
	VST1.P [V14.T, V15.T], 32(R15)
	SUBS $(32/SIZE), R16, R16
	BGE  loop

single:
	ADDS $(32/SIZE), R16, R16
	BEQ  diagonal
	SUBS $(16/SIZE), R16, R16
	BLT  few
	VLD1.P 16(R14), [V12.T]
	VLD1 (R15), [V14.T]
	VLD1.P 16(R10), [V16.T]
	VLD1.P 16(R11), [V18.T]
	VLD1.P 16(R12), [V20.T]
	VLD1.P 16(R13), [V22.T]
	PRODUCTS1
	VST1.P [V14.T], 16(R15)
	CBZ  R16, diagonal
	SUB  $(16/SIZE), R16, R16

few:
	ADD  $(16/SIZE), R16, R16

one:
	FMOV.P SIZE(R14), F12 // the other lanes become 0
	FMOV (R15), F14
	FMOV.P SIZE(R10), F16
	FMOV.P SIZE(R11), F18
	FMOV.P SIZE(R12), F20
	FMOV.P SIZE(R13), F22
	PRODUCTS1
	FMOV.P F14, SIZE(R15)
	SUBS $1, R16, R16
	BNE  one

diagonal:
	ADD  R8<<SHIFT, R0, R10
	ADD  R3, R10, R11
	ADD  R3, R11, R12
	ADD  R3, R12, R13
	ADD  R8<<SHIFT, R5, R15
	PLUS(1, 0, 0)
	PLUS(3, 2, 2)
	PLUS(5, 4, 4)
	PLUS(7, 6, 6)
	FOURSUMS
	LOADBLOCK
	CBNZ R9, low
	UPPERBLOCK
	B    put
low:
	LOWERBLOCK
put:
	BLOCKPRODUCTS
	ADD  R3<<2, R0, R0
	ADD  $4, R8, R8
	SUBS $4, R7, R7
	BNE  block

#undef PRODUCTS2
#undef PRODUCTS1
