//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

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

#define ROW(A, PTR, T, S0, S1, S2, S3, S4, S5) \
	VLD1R.P (PTR)(R3), [T.A]    \ // T = a[i,p], next column
	VFMLA   V24.A, T.A, S0.A    \ // S += T*b[p,:]
	VFMLA   V25.A, T.A, S1.A    \
	VFMLA   V26.A, T.A, S2.A    \
	VFMLA   V27.A, T.A, S3.A    \
	VFMLA   V28.A, T.A, S4.A    \
	VFMLA   V29.A, T.A, S5.A

// One row of C; s is the number of its first sum.
#define SCALE(MUL, A, s, S0, S1, S2, S3, S4, S5) \
	MUL(30, s, s)                            \
	MUL(30, (s)+1, (s)+1)                    \
	MUL(30, (s)+2, (s)+2)                    \
	MUL(30, (s)+3, (s)+3)                    \
	MUL(30, (s)+4, (s)+4)                    \
	MUL(30, (s)+5, (s)+5)                    \
	ADD  $64, R11, R9                        \
	VST1 [S0.A, S1.A, S2.A, S3.A], (R11)     \
	VST1 [S4.A, S5.A], (R9)                  \
	ADD  R12, R11, R11

#define BLEND(MUL, A, S0, S1, S2, S3, S4, S5)   \
	ADD   $64, R11, R9                          \
	VLD1  (R11), [V24.A, V25.A, V26.A, V27.A]   \
	VLD1  (R9), [V28.A, V29.A]                  \
	MUL(31, 24, 24)                             \
	MUL(31, 25, 25)                             \
	MUL(31, 26, 26)                             \
	MUL(31, 27, 27)                             \
	MUL(31, 28, 28)                             \
	MUL(31, 29, 29)                             \
	VFMLA S0.A, V30.A, V24.A                    \
	VFMLA S1.A, V30.A, V25.A                    \
	VFMLA S2.A, V30.A, V26.A                    \
	VFMLA S3.A, V30.A, V27.A                    \
	VFMLA S4.A, V30.A, V28.A                    \
	VFMLA S5.A, V30.A, V29.A                    \
	VST1  [V24.A, V25.A, V26.A, V27.A], (R11)   \
	VST1  [V28.A, V29.A], (R9)                  \
	ADD   R12, R11, R11

// func gemm64NEON(k int, a *float64, ras, cas int, b *float64, bs int, c *float64, cs int, alpha, beta float64)
TEXT ·gemm64NEON(SB), NOSPLIT, $0-80
	MOVD k+0(FP), R2
	MOVD a+8(FP), R5
	MOVD ras+16(FP), R9
	MOVD cas+24(FP), R3
	MOVD b+32(FP), R4
	MOVD bs+40(FP), R10
	MOVD c+48(FP), R11
	MOVD cs+56(FP), R12
	LSL  $3, R9, R9
	LSL  $3, R3, R3
	LSL  $3, R10, R10
	LSL  $3, R12, R12
	ADD  R9, R5, R6
	ADD  R9, R6, R7
	ADD  R9, R7, R8
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	VEOR V6.B16, V6.B16, V6.B16
	VEOR V7.B16, V7.B16, V7.B16
	VEOR V8.B16, V8.B16, V8.B16
	VEOR V9.B16, V9.B16, V9.B16
	VEOR V10.B16, V10.B16, V10.B16
	VEOR V11.B16, V11.B16, V11.B16
	VEOR V12.B16, V12.B16, V12.B16
	VEOR V13.B16, V13.B16, V13.B16
	VEOR V14.B16, V14.B16, V14.B16
	VEOR V15.B16, V15.B16, V15.B16
	VEOR V16.B16, V16.B16, V16.B16
	VEOR V17.B16, V17.B16, V17.B16
	VEOR V18.B16, V18.B16, V18.B16
	VEOR V19.B16, V19.B16, V19.B16
	VEOR V20.B16, V20.B16, V20.B16
	VEOR V21.B16, V21.B16, V21.B16
	VEOR V22.B16, V22.B16, V22.B16
	VEOR V23.B16, V23.B16, V23.B16

loop:
	ADD  $64, R4, R9
	VLD1 (R4), [V24.D2, V25.D2, V26.D2, V27.D2]
	VLD1 (R9), [V28.D2, V29.D2]
	ADD  R10, R4, R4
	ROW(D2, R5, V30, V0, V1, V2, V3, V4, V5)
	ROW(D2, R6, V31, V6, V7, V8, V9, V10, V11)
	ROW(D2, R7, V30, V12, V13, V14, V15, V16, V17)
	ROW(D2, R8, V31, V18, V19, V20, V21, V22, V23)
	SUBS $1, R2, R2
	BNE  loop

	MOVD  $alpha+64(FP), R9
	VLD1R (R9), [V30.D2]
	MOVD  $beta+72(FP), R9
	VLD1R (R9), [V31.D2]
	MOVD  beta+72(FP), R13
	LSL   $1, R13, R13 // ±0 is 0
	CBZ   R13, scale
	BLEND(VFMUL_D2, D2, V0, V1, V2, V3, V4, V5)
	BLEND(VFMUL_D2, D2, V6, V7, V8, V9, V10, V11)
	BLEND(VFMUL_D2, D2, V12, V13, V14, V15, V16, V17)
	BLEND(VFMUL_D2, D2, V18, V19, V20, V21, V22, V23)
	RET

scale:
	SCALE(VFMUL_D2, D2, 0, V0, V1, V2, V3, V4, V5)
	SCALE(VFMUL_D2, D2, 6, V6, V7, V8, V9, V10, V11)
	SCALE(VFMUL_D2, D2, 12, V12, V13, V14, V15, V16, V17)
	SCALE(VFMUL_D2, D2, 18, V18, V19, V20, V21, V22, V23)
	RET

// func gemm32NEON(k int, a *float32, ras, cas int, b *float32, bs int, c *float32, cs int, alpha, beta float32)
TEXT ·gemm32NEON(SB), NOSPLIT, $0-72
	MOVD k+0(FP), R2
	MOVD a+8(FP), R5
	MOVD ras+16(FP), R9
	MOVD cas+24(FP), R3
	MOVD b+32(FP), R4
	MOVD bs+40(FP), R10
	MOVD c+48(FP), R11
	MOVD cs+56(FP), R12
	LSL  $2, R9, R9
	LSL  $2, R3, R3
	LSL  $2, R10, R10
	LSL  $2, R12, R12
	ADD  R9, R5, R6
	ADD  R9, R6, R7
	ADD  R9, R7, R8
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	VEOR V6.B16, V6.B16, V6.B16
	VEOR V7.B16, V7.B16, V7.B16
	VEOR V8.B16, V8.B16, V8.B16
	VEOR V9.B16, V9.B16, V9.B16
	VEOR V10.B16, V10.B16, V10.B16
	VEOR V11.B16, V11.B16, V11.B16
	VEOR V12.B16, V12.B16, V12.B16
	VEOR V13.B16, V13.B16, V13.B16
	VEOR V14.B16, V14.B16, V14.B16
	VEOR V15.B16, V15.B16, V15.B16
	VEOR V16.B16, V16.B16, V16.B16
	VEOR V17.B16, V17.B16, V17.B16
	VEOR V18.B16, V18.B16, V18.B16
	VEOR V19.B16, V19.B16, V19.B16
	VEOR V20.B16, V20.B16, V20.B16
	VEOR V21.B16, V21.B16, V21.B16
	VEOR V22.B16, V22.B16, V22.B16
	VEOR V23.B16, V23.B16, V23.B16

loop:
	ADD  $64, R4, R9
	VLD1 (R4), [V24.S4, V25.S4, V26.S4, V27.S4]
	VLD1 (R9), [V28.S4, V29.S4]
	ADD  R10, R4, R4
	ROW(S4, R5, V30, V0, V1, V2, V3, V4, V5)
	ROW(S4, R6, V31, V6, V7, V8, V9, V10, V11)
	ROW(S4, R7, V30, V12, V13, V14, V15, V16, V17)
	ROW(S4, R8, V31, V18, V19, V20, V21, V22, V23)
	SUBS $1, R2, R2
	BNE  loop

	MOVD  $alpha+64(FP), R9
	VLD1R (R9), [V30.S4]
	MOVD  $beta+68(FP), R9
	VLD1R (R9), [V31.S4]
	MOVWU beta+68(FP), R13
	LSLW  $1, R13, R13 // ±0 is 0
	CBZ   R13, scale
	BLEND(VFMUL_S4, S4, V0, V1, V2, V3, V4, V5)
	BLEND(VFMUL_S4, S4, V6, V7, V8, V9, V10, V11)
	BLEND(VFMUL_S4, S4, V12, V13, V14, V15, V16, V17)
	BLEND(VFMUL_S4, S4, V18, V19, V20, V21, V22, V23)
	RET

scale:
	SCALE(VFMUL_S4, S4, 0, V0, V1, V2, V3, V4, V5)
	SCALE(VFMUL_S4, S4, 6, V6, V7, V8, V9, V10, V11)
	SCALE(VFMUL_S4, S4, 12, V12, V13, V14, V15, V16, V17)
	SCALE(VFMUL_S4, S4, 18, V18, V19, V20, V21, V22, V23)
	RET
