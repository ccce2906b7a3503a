// Micro-kernels of Tile for Advanced SIMD: 4×12 float64, 4×24 float32, whole
// tiles only; other tiles go through the wrapper's buffer.
//
//   for i < 4, j < nr:  s = 0;  for p < k: s = fma(a[i*ras+p*cas], b[p*bs+j], s)
//                       c[i*cs+j] = fma(alpha, s, beta*c[i*cs+j])     (alpha*s where beta is ±0)
//
// Preconditions: 1 <= k; A, B and C hold a whole tile; no alignment.
//
// Registers: R2 k left, R3 cas, R4 row of B, R5-R8 rows of A, R10 bs, R11 c,
// R12 cs, R9 and R13 scratch; strides in bytes. V0-V23 sums, row r in V(6r)…V(6r+5);
// V24-V29 the row of B, at the end of C; V30, V31 broadcasts of A, at the end
// alpha and beta.
// Invariant at loop: R4-R8 point at row p of B and column p of A, the sums hold
// the products before p, R2 = k-p > 0.
// 24 sums are enough for 4 FMA pipes × latency 4 with a half to spare; 4×12 has 6
// vector loads and 4 broadcasts for 24 FMAs.

#define ROW(PTR, X, S0, S1, S2, S3, S4, S5) \
	VLD1R.P (PTR)(R3), [X.T]    \ // X = a[i,p], next column
	VFMLA   V24.T, X.T, S0.T    \ // S += X*b[p,:]
	VFMLA   V25.T, X.T, S1.T    \
	VFMLA   V26.T, X.T, S2.T    \
	VFMLA   V27.T, X.T, S3.T    \
	VFMLA   V28.T, X.T, S4.T    \
	VFMLA   V29.T, X.T, S5.T

// One row of C; s is the number of its first sum.
#define SCALE(s, S0, S1, S2, S3, S4, S5) \
	MUL(30, s, s)                            \
	MUL(30, (s)+1, (s)+1)                    \
	MUL(30, (s)+2, (s)+2)                    \
	MUL(30, (s)+3, (s)+3)                    \
	MUL(30, (s)+4, (s)+4)                    \
	MUL(30, (s)+5, (s)+5)                    \
	ADD  $64, R11, R9                        \
	VST1 [S0.T, S1.T, S2.T, S3.T], (R11)     \
	VST1 [S4.T, S5.T], (R9)                  \
	ADD  R12, R11, R11

#define BLEND(S0, S1, S2, S3, S4, S5)   \
	ADD   $64, R11, R9                          \
	VLD1  (R11), [V24.T, V25.T, V26.T, V27.T]   \
	VLD1  (R9), [V28.T, V29.T]                  \
	MUL(31, 24, 24)                             \
	MUL(31, 25, 25)                             \
	MUL(31, 26, 26)                             \
	MUL(31, 27, 27)                             \
	MUL(31, 28, 28)                             \
	MUL(31, 29, 29)                             \
	VFMLA S0.T, V30.T, V24.T                    \
	VFMLA S1.T, V30.T, V25.T                    \
	VFMLA S2.T, V30.T, V26.T                    \
	VFMLA S3.T, V30.T, V27.T                    \
	VFMLA S4.T, V30.T, V28.T                    \
	VFMLA S5.T, V30.T, V29.T                    \
	VST1  [V24.T, V25.T, V26.T, V27.T], (R11)   \
	VST1  [V28.T, V29.T], (R9)                  \
	ADD   R12, R11, R11

// Products of up to two vectors of columns: all rows, four at a time; see gemm_avx2_amd64.h, whose bits they have.
//
// Registers: R5-R8 column p of a group's rows of A, those that it lacks are its last one; R19 its first
// row, R9 ras, R3 cas; R16 row p of B, R4 its first, R10 bs; R11 c, R12 cs; R13 rows left; R2 k, R17 k left;
// R15 bytes of the last vector; R21 bits of beta; R20 scratch. V0-V7 sums, row r in V(2r), V(2r+1); V24,
// V25 the row of B; V28 alpha, V29 beta, V30 broadcast of A.

#define GROUP \
	MOVD R5, R19            \
	ADD  R9, R5, R6         \
	CMP  $2, R13            \
	CSEL LT, R5, R6, R6     \
	ADD  R9, R6, R7         \
	CMP  $3, R13            \
	CSEL LT, R6, R7, R7     \
	ADD  R9, R7, R8         \
	CMP  $4, R13            \
	CSEL LT, R7, R8, R8     \
	MOVD R4, R16            \
	MOVD R2, R17            \
	VEOR V0.B16, V0.B16, V0.B16 \
	VEOR V1.B16, V1.B16, V1.B16 \
	VEOR V2.B16, V2.B16, V2.B16 \
	VEOR V3.B16, V3.B16, V3.B16 \
	VEOR V4.B16, V4.B16, V4.B16 \
	VEOR V5.B16, V5.B16, V5.B16 \
	VEOR V6.B16, V6.B16, V6.B16 \
	VEOR V7.B16, V7.B16, V7.B16

#define NEXTGROUP \
	ADD R9<<2, R19, R5

// V = the R15 bytes at R20, and zeros behind them.
#define GETLAST(V, parts, single, done) \
	CMP    $16, R15              \
	BNE    parts                 \
	VLD1   (R20), [V.B16]        \
	B      done                  \
parts:                               \
	VEOR   V.B16, V.B16, V.B16   \
	TBZ    $3, R15, single       \
	VLD1.P 8(R20), V.D[0]        \
	TBZ    $2, R15, done         \
	VLD1   (R20), V.S[2]         \
	B      done                  \
single:                              \
	VLD1   (R20), V.S[0]         \
done:

#define PUTLAST(V, parts, single, done) \
	CMP    $16, R15              \
	BNE    parts                 \
	VST1   [V.B16], (R20)        \
	B      done                  \
parts:                               \
	TBZ    $3, R15, single       \
	VST1.P V.D[0], 8(R20)        \
	TBZ    $2, R15, done         \
	VST1   V.S[2], (R20)         \
	B      done                  \
single:                              \
	VST1   V.S[0], (R20)         \
done:

#define TWOFMA(PTR, S0, S1) \
	VLD1R.P (PTR)(R3), [V30.T] \
	VFMLA   V24.T, V30.T, S0.T \
	VFMLA   V25.T, V30.T, S1.T

#define ONEFMA(PTR, S1) \
	VLD1R.P (PTR)(R3), [V30.T] \
	VFMLA   V25.T, V30.T, S1.T

// The last vector of a row of C, at R20; s is the number of its sum S.
#define LASTOUT(s, S, scale, gparts, gsingle, gdone, put, parts, single, done) \
	CBZ   R21, scale            \
	MOVD  R20, R22              \
	GETLAST(V25, gparts, gsingle, gdone) \
	MOVD  R22, R20              \
	MUL(29, 25, 25)             \
	VFMLA S.T, V28.T, V25.T     \
	VMOV  V25.B16, S.B16        \
	B     put                   \
scale:                              \
	MUL(28, s, s)               \
put:                                \
	PUTLAST(S, parts, single, done)

#define ENDROW \
	ADD  R12, R11, R11 \
	SUBS $1, R13, R13  \
	BEQ  finished

#define TWOOUT(s, S0, S1, plain, both, scale, gparts, gsingle, gdone, put, parts, single, done) \
	CBZ   R21, plain           \
	VLD1  (R11), [V24.T]       \
	MUL(29, 24, 24)            \
	VFMLA S0.T, V28.T, V24.T   \
	VST1  [V24.T], (R11)       \
	B     both                 \
plain:                             \
	MUL(28, s, s)              \
	VST1  [S0.T], (R11)        \
both:                              \
	ADD   $16, R11, R20        \
	LASTOUT((s)+1, S1, scale, gparts, gsingle, gdone, put, parts, single, done) \
	ENDROW

#define ONEOUT(s, S1, scale, gparts, gsingle, gdone, put, parts, single, done) \
	MOVD R11, R20 \
	LASTOUT(s, S1, scale, gparts, gsingle, gdone, put, parts, single, done) \
	ENDROW

// The next columns of four rows become rows at a distance of R4 from R3, two in float64 and four in float32.
//   R1, R5, R6, R7 the rows, R0 columns left
#define COLUMNS64 \
	VLD1.P 16(R1), [V0.D2]; \
	VLD1.P 16(R5), [V1.D2]; \
	VLD1.P 16(R6), [V2.D2]; \
	VLD1.P 16(R7), [V3.D2]; \
	VZIP1 V1.D2, V0.D2, V4.D2; \
	VZIP1 V3.D2, V2.D2, V5.D2; \
	VZIP2 V1.D2, V0.D2, V6.D2; \
	VZIP2 V3.D2, V2.D2, V7.D2; \
	VST1 [V4.D2, V5.D2], (R3); \
	ADD  R4, R3, R3; \
	VST1 [V6.D2, V7.D2], (R3); \
	ADD  R4, R3, R3; \
	SUBS $2, R0, R0

#define COLUMNS32 \
	VLD1.P 16(R1), [V0.S4]; \
	VLD1.P 16(R5), [V1.S4]; \
	VLD1.P 16(R6), [V2.S4]; \
	VLD1.P 16(R7), [V3.S4]; \
	VZIP1 V2.S4, V0.S4, V4.S4; \
	VZIP1 V3.S4, V1.S4, V5.S4; \
	VZIP2 V2.S4, V0.S4, V6.S4; \
	VZIP2 V3.S4, V1.S4, V7.S4; \
	VZIP1 V5.S4, V4.S4, V0.S4; \
	VZIP2 V5.S4, V4.S4, V1.S4; \
	VZIP1 V7.S4, V6.S4, V2.S4; \
	VZIP2 V7.S4, V6.S4, V3.S4; \
	VST1 [V0.S4], (R3); \
	ADD  R4, R3, R3; \
	VST1 [V1.S4], (R3); \
	ADD  R4, R3, R3; \
	VST1 [V2.S4], (R3); \
	ADD  R4, R3, R3; \
	VST1 [V3.S4], (R3); \
	ADD  R4, R3, R3; \
	SUBS $4, R0, R0

// The steps of many_arm64.h. M is the arrangement of a vector in memory.
#define SCALEROW(s, S0, S1, S2, S3) \
	TIMESALPHA(s) \
	PUTROW(S0, S1, S2, S3)
#define BLENDROW(S0, S1, S2, S3) \
	LOADC \
	PLUSC(S0, S1, S2, S3) \
	PUTROW(V24, V25, V26, V27)
#define BEGINTERMS \
	MOVD R4, R16      \
	ADD  R15, R4, R20 \
	MOVD R1, R17

// A row of one vector.
#define LOADB1 VLD1.P (R16)(R10), [V24.M]
#define LOADC1 VLD1 (R11), [V24.M]
#define STOREC1(S0, S1, S2, S3) VST1.P [S0.M], (R11)(R12)
#define ZEROROW1(S0, S1, S2, S3) \
	VEOR S0.B16, S0.B16, S0.B16
#define FMAROW1(PTR, S0, S1, S2, S3) \
	VLD1R.P (PTR)(R3), [V30.T] \
	VFMLA V24.T, V30.T, S0.T
#define TIMESALPHA1(s) \
	MUL(28, (s)+0, (s)+0)
#define PLUSC1(S0, S1, S2, S3) \
	MUL(29, 24, 24) \
	VFMLA S0.T, V28.T, V24.T
// A row of two vectors.
#define LOADB2 \
	VLD1.P (R16)(R10), [V24.M] \
	VLD1.P (R20)(R10), [V25.M]
#define LOADC2 \
	VLD1 (R11), [V24.M] \
	VLD1 (R22), [V25.M]
#define STOREC2(S0, S1, S2, S3) \
	VST1.P [S0.M], (R11)(R12) \
	VST1.P [S1.M], (R22)(R12)
#define ZEROROW2(S0, S1, S2, S3) \
	VEOR S0.B16, S0.B16, S0.B16 \
	VEOR S1.B16, S1.B16, S1.B16
#define FMAROW2(PTR, S0, S1, S2, S3) \
	VLD1R.P (PTR)(R3), [V30.T] \
	VFMLA V24.T, V30.T, S0.T \
	VFMLA V25.T, V30.T, S1.T
#define TIMESALPHA2(s) \
	MUL(28, (s)+0, (s)+0) \
	MUL(28, (s)+1, (s)+1)
#define PLUSC2(S0, S1, S2, S3) \
	MUL(29, 24, 24) \
	MUL(29, 25, 25) \
	VFMLA S0.T, V28.T, V24.T \
	VFMLA S1.T, V28.T, V25.T
// A row of three vectors.
#define LOADB3 \
	VLD1.P (R16)(R10), [V24.M, V25.M] \
	VLD1.P (R20)(R10), [V26.M]
#define LOADC3 \
	VLD1 (R11), [V24.M, V25.M] \
	VLD1 (R22), [V26.M]
#define STOREC3(S0, S1, S2, S3) \
	VST1.P [S0.M, S1.M], (R11)(R12) \
	VST1.P [S2.M], (R22)(R12)
#define ZEROROW3(S0, S1, S2, S3) \
	VEOR S0.B16, S0.B16, S0.B16 \
	VEOR S1.B16, S1.B16, S1.B16 \
	VEOR S2.B16, S2.B16, S2.B16
#define FMAROW3(PTR, S0, S1, S2, S3) \
	VLD1R.P (PTR)(R3), [V30.T] \
	VFMLA V24.T, V30.T, S0.T \
	VFMLA V25.T, V30.T, S1.T \
	VFMLA V26.T, V30.T, S2.T
#define TIMESALPHA3(s) \
	MUL(28, (s)+0, (s)+0) \
	MUL(28, (s)+1, (s)+1) \
	MUL(28, (s)+2, (s)+2)
#define PLUSC3(S0, S1, S2, S3) \
	MUL(29, 24, 24) \
	MUL(29, 25, 25) \
	MUL(29, 26, 26) \
	VFMLA S0.T, V28.T, V24.T \
	VFMLA S1.T, V28.T, V25.T \
	VFMLA S2.T, V28.T, V26.T
// A row of four vectors.
#define LOADB4 \
	VLD1.P (R16)(R10), [V24.M, V25.M, V26.M] \
	VLD1.P (R20)(R10), [V27.M]
#define LOADC4 \
	VLD1 (R11), [V24.M, V25.M, V26.M] \
	VLD1 (R22), [V27.M]
#define STOREC4(S0, S1, S2, S3) \
	VST1.P [S0.M, S1.M, S2.M], (R11)(R12) \
	VST1.P [S3.M], (R22)(R12)
#define ZEROROW4(S0, S1, S2, S3) \
	VEOR S0.B16, S0.B16, S0.B16 \
	VEOR S1.B16, S1.B16, S1.B16 \
	VEOR S2.B16, S2.B16, S2.B16 \
	VEOR S3.B16, S3.B16, S3.B16
#define FMAROW4(PTR, S0, S1, S2, S3) \
	VLD1R.P (PTR)(R3), [V30.T] \
	VFMLA V24.T, V30.T, S0.T \
	VFMLA V25.T, V30.T, S1.T \
	VFMLA V26.T, V30.T, S2.T \
	VFMLA V27.T, V30.T, S3.T
#define TIMESALPHA4(s) \
	MUL(28, (s)+0, (s)+0) \
	MUL(28, (s)+1, (s)+1) \
	MUL(28, (s)+2, (s)+2) \
	MUL(28, (s)+3, (s)+3)
#define PLUSC4(S0, S1, S2, S3) \
	MUL(29, 24, 24) \
	MUL(29, 25, 25) \
	MUL(29, 26, 26) \
	MUL(29, 27, 27) \
	VFMLA S0.T, V28.T, V24.T \
	VFMLA S1.T, V28.T, V25.T \
	VFMLA S2.T, V28.T, V26.T \
	VFMLA S3.T, V28.T, V27.T
// A row of one number, which is in all lanes.
#define LOADBNUMBER VLD1R.P (R16)(R10), [V24.T]
#define LOADCNUMBER VLD1R (R11), [V24.T]
#define STORECNUMBER(S0, S1, S2, S3) \
	VST1 S0.E[0], (R11) \
	ADD  R12, R11, R11
