// The transpose of B for few_arm64.h: B has n rows of k elements, and its transpose k rows of 32 bytes.
//
//   for j < n, p < k:  space[4*p+j] = b[j*bs+p]
//
// Preconditions: 1 <= k <= 16; 1 <= n <= 4, float64. What lies behind the n elements of a row of the transpose is anything,
// which nothing reads.
//
// Registers: R4 rows of B, R10 bs, R14 n, R2 k; R16 column of the transpose, R17 row of it, R20 rows left, R6, R7 terms of
// two rows, R8 terms left. Two rows at a time, and two terms; then single ones.
	LSL  $3, R10
	MOVD $space-512(SP), R16
	MOVD R14, R20

pairs:
	SUBS $2, R20, R20
	BLT  lastrow
	MOVD R4, R6
	ADD  R10, R4, R7
	ADD  R10, R7, R4
	MOVD R16, R17
	SUBS $2, R2, R8
	BLT  lastterm

terms:
	VLD1.P 16(R6), [V0.D2]
	VLD1.P 16(R7), [V1.D2]
	VZIP1 V1.D2, V0.D2, V2.D2
	VZIP2 V1.D2, V0.D2, V3.D2
	FMOVQ F2, (R17)
	FMOVQ F3, 32(R17)
	ADD  $64, R17
	SUBS $2, R8, R8
	BGE  terms

lastterm:
	ADD  $16, R16
	TBZ  $0, R2, pairs
	FMOVD (R6), F0
	FMOVD (R7), F1
	FMOVD F0, (R17)
	FMOVD F1, 8(R17)
	B    pairs

lastrow:
	TBZ  $0, R14, turned
	MOVD R2, R8

single:
	FMOVD.P 8(R4), F0
	FMOVD F0, (R16)
	ADD  $32, R16
	SUBS $1, R8, R8
	BNE  single

turned:
	MOVD $space-512(SP), R4
	MOVD $4, R10
