//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// Functions of the sums of a strip, row by row, and sums over the strip with
// weights. See doc.go. Groups of four vectors first, so that four independent
// chains of exp are in flight; then one number at a time in a vector whose other
// lanes are 0. Nothing outside the rows is read or written.

// Constants of exp, two or four times each: the least exponent n of a result
// (below it the result is 0), log2(e), ln 2 as a sum of two (in even
// and odd lanes), the coefficients of r², r³, …, 1, and an argument that is surely too small.
DATA exp64v<>+0(SB)/8, $0xc08fe80000000000 // -1021
DATA exp64v<>+8(SB)/8, $0xc08fe80000000000
DATA exp64v<>+16(SB)/8, $0x3ff71547652b82fe // log2(e) 1.4426950408889634
DATA exp64v<>+24(SB)/8, $0x3ff71547652b82fe
DATA exp64v<>+32(SB)/8, $0x3fe62e42fee00000 // ln 2, high 33 bits 0.6931471803691238 and ln 2, rest 1.9082149292705877e-10
DATA exp64v<>+40(SB)/8, $0x3dea39ef35793c76
DATA exp64v<>+48(SB)/8, $0x3fe000000000000a // 0.5000000000000011
DATA exp64v<>+56(SB)/8, $0x3fe000000000000a
DATA exp64v<>+64(SB)/8, $0x3fc55555555554fa // 0.16666666666666413
DATA exp64v<>+72(SB)/8, $0x3fc55555555554fa
DATA exp64v<>+80(SB)/8, $0x3fa555555555086d // 0.04166666666653005
DATA exp64v<>+88(SB)/8, $0x3fa555555555086d
DATA exp64v<>+96(SB)/8, $0x3f81111111127c30 // 0.008333333333494591
DATA exp64v<>+104(SB)/8, $0x3f81111111127c30
DATA exp64v<>+112(SB)/8, $0x3f56c16c1842db78 // 0.0013888888943662508
DATA exp64v<>+120(SB)/8, $0x3f56c16c1842db78
DATA exp64v<>+128(SB)/8, $0x3f2a01a012a4562c // 0.00019841269506375278
DATA exp64v<>+136(SB)/8, $0x3f2a01a012a4562c
DATA exp64v<>+144(SB)/8, $0x3efa0199a01ea9df // 2.4801493061646598e-05
DATA exp64v<>+152(SB)/8, $0x3efa0199a01ea9df
DATA exp64v<>+160(SB)/8, $0x3ec71df256aea285 // 2.7557586483493946e-06
DATA exp64v<>+168(SB)/8, $0x3ec71df256aea285
DATA exp64v<>+176(SB)/8, $0x3e928ad7cf7b0e73 // 2.763026283154073e-07
DATA exp64v<>+184(SB)/8, $0x3e928ad7cf7b0e73
DATA exp64v<>+192(SB)/8, $0x3e5ad7f6234010ea // 2.5000050210569507e-08
DATA exp64v<>+200(SB)/8, $0x3e5ad7f6234010ea
DATA exp64v<>+208(SB)/8, $0x3ff0000000000000 // 1
DATA exp64v<>+216(SB)/8, $0x3ff0000000000000
DATA exp64v<>+224(SB)/8, $0xc08f400000000000 // -1000
DATA exp64v<>+232(SB)/8, $0xc08f400000000000
GLOBL exp64v<>(SB), RODATA|NOPTR, $240

DATA exp32v<>+0(SB)/8, $0xc2fa0000c2fa0000 // -125
DATA exp32v<>+8(SB)/8, $0xc2fa0000c2fa0000
DATA exp32v<>+16(SB)/8, $0x3fb8aa3b3fb8aa3b // log2(e) 1.44269504
DATA exp32v<>+24(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA exp32v<>+32(SB)/8, $0xb95e80833f318000 // ln 2, high 10 bits 0.693359375 and ln 2, rest -0.00021219444005469057
DATA exp32v<>+40(SB)/8, $0xb95e80833f318000
DATA exp32v<>+48(SB)/8, $0x3efffffe3efffffe // 0.49999994
DATA exp32v<>+56(SB)/8, $0x3efffffe3efffffe
DATA exp32v<>+64(SB)/8, $0x3e2aaa493e2aaa49 // 0.16666521
DATA exp32v<>+72(SB)/8, $0x3e2aaa493e2aaa49
DATA exp32v<>+80(SB)/8, $0x3d2aac793d2aac79 // 0.041668389
DATA exp32v<>+88(SB)/8, $0x3d2aac793d2aac79
DATA exp32v<>+96(SB)/8, $0x3c091cf93c091cf9 // 0.0083687240
DATA exp32v<>+104(SB)/8, $0x3c091cf93c091cf9
DATA exp32v<>+112(SB)/8, $0x3ab512153ab51215 // 0.0013814593
DATA exp32v<>+120(SB)/8, $0x3ab512153ab51215
DATA exp32v<>+128(SB)/8, $0x3f8000003f800000 // 1
DATA exp32v<>+136(SB)/8, $0x3f8000003f800000
DATA exp32v<>+144(SB)/8, $0xc3480000c3480000 // -200
DATA exp32v<>+152(SB)/8, $0xc3480000c3480000
GLOBL exp32v<>(SB), RODATA|NOPTR, $160

// Registers: R0 row of dst, R1 row of s, R2, R3 their distances in bytes, R4 xn,
// R5 zn, R6 rows left, R7 columns left, R8, R9, R10 place in dst, s and zn.
// V0–V3 arguments, V4–V7 n and then the scale, V8–V15 the polynomial, V16…
// constants, V31 −γ and xn in its first two lanes.

// float64

#define CONST64 \
	MOVD $exp64v<>(SB), R11 \
	FMOVQ (R11), F16        \
	FMOVQ 16(R11), F17      \
	FMOVQ 32(R11), F18      \
	FMOVQ 48(R11), F19      \
	FMOVQ 64(R11), F20      \
	FMOVQ 80(R11), F21      \
	FMOVQ 96(R11), F22      \
	FMOVQ 112(R11), F23     \
	FMOVQ 128(R11), F24     \
	FMOVQ 144(R11), F25     \
	FMOVQ 160(R11), F26     \
	FMOVQ 176(R11), F27     \
	FMOVQ 192(R11), F28     \
	FMOVQ 208(R11), F29     \
	FMOVQ 224(R11), F30

// V0… = exp(−γ·V0…) for numbers ≥ 0. The maximum keeps infinite sums from
// becoming NaN and passes NaN on, which the product then keeps.
#define EXP64X4 \
	VFMULE_D2(0, 31, 0, 0)       \
	VFMULE_D2(0, 31, 1, 1)       \
	VFMULE_D2(0, 31, 2, 2)       \
	VFMULE_D2(0, 31, 3, 3)       \
	VFMAX_D2(30, 0, 0)           \
	VFMAX_D2(30, 1, 1)           \
	VFMAX_D2(30, 2, 2)           \
	VFMAX_D2(30, 3, 3)           \
	VFMUL_D2(17, 0, 4)           \
	VFMUL_D2(17, 1, 5)           \
	VFMUL_D2(17, 2, 6)           \
	VFMUL_D2(17, 3, 7)           \
	VFRINTN_D2(4, 4)             \
	VFRINTN_D2(5, 5)             \
	VFRINTN_D2(6, 6)             \
	VFRINTN_D2(7, 7)             \
	VFMLSE_D2(0, 18, 4, 0)       \
	VFMLSE_D2(0, 18, 5, 1)       \
	VFMLSE_D2(0, 18, 6, 2)       \
	VFMLSE_D2(0, 18, 7, 3)       \
	VFMLSE_D2(1, 18, 4, 0)       \
	VFMLSE_D2(1, 18, 5, 1)       \
	VFMLSE_D2(1, 18, 6, 2)       \
	VFMLSE_D2(1, 18, 7, 3)       \
	VFCMGE_D2(16, 4, 8)          \
	VFCMGE_D2(16, 5, 9)          \
	VFCMGE_D2(16, 6, 10)         \
	VFCMGE_D2(16, 7, 11)         \
	VFCVTZS_D2(4, 4)             \
	VFCVTZS_D2(5, 5)             \
	VFCVTZS_D2(6, 6)             \
	VFCVTZS_D2(7, 7)             \
	VSHL $52, V4.D2, V4.D2       \
	VSHL $52, V5.D2, V5.D2       \
	VSHL $52, V6.D2, V6.D2       \
	VSHL $52, V7.D2, V7.D2       \
	VADD V29.D2, V4.D2, V4.D2    \
	VADD V29.D2, V5.D2, V5.D2    \
	VADD V29.D2, V6.D2, V6.D2    \
	VADD V29.D2, V7.D2, V7.D2    \
	VAND V8.B16, V4.B16, V4.B16  \
	VAND V9.B16, V5.B16, V5.B16  \
	VAND V10.B16, V6.B16, V6.B16 \
	VAND V11.B16, V7.B16, V7.B16 \
	VMOV V27.B16, V12.B16        \
	VMOV V27.B16, V13.B16        \
	VMOV V27.B16, V14.B16        \
	VMOV V27.B16, V15.B16        \
	VFMLA V28.D2, V0.D2, V12.D2  \
	VFMLA V28.D2, V1.D2, V13.D2  \
	VFMLA V28.D2, V2.D2, V14.D2  \
	VFMLA V28.D2, V3.D2, V15.D2  \
	VMOV V26.B16, V8.B16         \
	VMOV V26.B16, V9.B16         \
	VMOV V26.B16, V10.B16        \
	VMOV V26.B16, V11.B16        \
	VFMLA V12.D2, V0.D2, V8.D2   \
	VFMLA V13.D2, V1.D2, V9.D2   \
	VFMLA V14.D2, V2.D2, V10.D2  \
	VFMLA V15.D2, V3.D2, V11.D2  \
	VMOV V25.B16, V12.B16        \
	VMOV V25.B16, V13.B16        \
	VMOV V25.B16, V14.B16        \
	VMOV V25.B16, V15.B16        \
	VFMLA V8.D2, V0.D2, V12.D2   \
	VFMLA V9.D2, V1.D2, V13.D2   \
	VFMLA V10.D2, V2.D2, V14.D2  \
	VFMLA V11.D2, V3.D2, V15.D2  \
	VMOV V24.B16, V8.B16         \
	VMOV V24.B16, V9.B16         \
	VMOV V24.B16, V10.B16        \
	VMOV V24.B16, V11.B16        \
	VFMLA V12.D2, V0.D2, V8.D2   \
	VFMLA V13.D2, V1.D2, V9.D2   \
	VFMLA V14.D2, V2.D2, V10.D2  \
	VFMLA V15.D2, V3.D2, V11.D2  \
	VMOV V23.B16, V12.B16        \
	VMOV V23.B16, V13.B16        \
	VMOV V23.B16, V14.B16        \
	VMOV V23.B16, V15.B16        \
	VFMLA V8.D2, V0.D2, V12.D2   \
	VFMLA V9.D2, V1.D2, V13.D2   \
	VFMLA V10.D2, V2.D2, V14.D2  \
	VFMLA V11.D2, V3.D2, V15.D2  \
	VMOV V22.B16, V8.B16         \
	VMOV V22.B16, V9.B16         \
	VMOV V22.B16, V10.B16        \
	VMOV V22.B16, V11.B16        \
	VFMLA V12.D2, V0.D2, V8.D2   \
	VFMLA V13.D2, V1.D2, V9.D2   \
	VFMLA V14.D2, V2.D2, V10.D2  \
	VFMLA V15.D2, V3.D2, V11.D2  \
	VMOV V21.B16, V12.B16        \
	VMOV V21.B16, V13.B16        \
	VMOV V21.B16, V14.B16        \
	VMOV V21.B16, V15.B16        \
	VFMLA V8.D2, V0.D2, V12.D2   \
	VFMLA V9.D2, V1.D2, V13.D2   \
	VFMLA V10.D2, V2.D2, V14.D2  \
	VFMLA V11.D2, V3.D2, V15.D2  \
	VMOV V20.B16, V8.B16         \
	VMOV V20.B16, V9.B16         \
	VMOV V20.B16, V10.B16        \
	VMOV V20.B16, V11.B16        \
	VFMLA V12.D2, V0.D2, V8.D2   \
	VFMLA V13.D2, V1.D2, V9.D2   \
	VFMLA V14.D2, V2.D2, V10.D2  \
	VFMLA V15.D2, V3.D2, V11.D2  \
	VMOV V19.B16, V12.B16        \
	VMOV V19.B16, V13.B16        \
	VMOV V19.B16, V14.B16        \
	VMOV V19.B16, V15.B16        \
	VFMLA V8.D2, V0.D2, V12.D2   \
	VFMLA V9.D2, V1.D2, V13.D2   \
	VFMLA V10.D2, V2.D2, V14.D2  \
	VFMLA V11.D2, V3.D2, V15.D2  \
	VMOV V29.B16, V8.B16         \
	VMOV V29.B16, V9.B16         \
	VMOV V29.B16, V10.B16        \
	VMOV V29.B16, V11.B16        \
	VFMLA V12.D2, V0.D2, V8.D2   \
	VFMLA V13.D2, V1.D2, V9.D2   \
	VFMLA V14.D2, V2.D2, V10.D2  \
	VFMLA V15.D2, V3.D2, V11.D2  \
	VMOV V29.B16, V12.B16        \
	VMOV V29.B16, V13.B16        \
	VMOV V29.B16, V14.B16        \
	VMOV V29.B16, V15.B16        \
	VFMLA V8.D2, V0.D2, V12.D2   \
	VFMLA V9.D2, V1.D2, V13.D2   \
	VFMLA V10.D2, V2.D2, V14.D2  \
	VFMLA V11.D2, V3.D2, V15.D2  \
	VFMUL_D2(4, 12, 0)           \
	VFMUL_D2(5, 13, 1)           \
	VFMUL_D2(6, 14, 2)           \
	VFMUL_D2(7, 15, 3)

// V0… = exp(−γ·V0…) for numbers ≥ 0. The maximum keeps infinite sums from
// becoming NaN and passes NaN on, which the product then keeps.
#define EXP64X1 \
	VFMULE_D2(0, 31, 0, 0)      \
	VFMAX_D2(30, 0, 0)          \
	VFMUL_D2(17, 0, 4)          \
	VFRINTN_D2(4, 4)            \
	VFMLSE_D2(0, 18, 4, 0)      \
	VFMLSE_D2(1, 18, 4, 0)      \
	VFCMGE_D2(16, 4, 8)         \
	VFCVTZS_D2(4, 4)            \
	VSHL $52, V4.D2, V4.D2      \
	VADD V29.D2, V4.D2, V4.D2   \
	VAND V8.B16, V4.B16, V4.B16 \
	VMOV V27.B16, V12.B16       \
	VFMLA V28.D2, V0.D2, V12.D2 \
	VMOV V26.B16, V8.B16        \
	VFMLA V12.D2, V0.D2, V8.D2  \
	VMOV V25.B16, V12.B16       \
	VFMLA V8.D2, V0.D2, V12.D2  \
	VMOV V24.B16, V8.B16        \
	VFMLA V12.D2, V0.D2, V8.D2  \
	VMOV V23.B16, V12.B16       \
	VFMLA V8.D2, V0.D2, V12.D2  \
	VMOV V22.B16, V8.B16        \
	VFMLA V12.D2, V0.D2, V8.D2  \
	VMOV V21.B16, V12.B16       \
	VFMLA V8.D2, V0.D2, V12.D2  \
	VMOV V20.B16, V8.B16        \
	VFMLA V12.D2, V0.D2, V8.D2  \
	VMOV V19.B16, V12.B16       \
	VFMLA V8.D2, V0.D2, V12.D2  \
	VMOV V29.B16, V8.B16        \
	VFMLA V12.D2, V0.D2, V8.D2  \
	VMOV V29.B16, V12.B16       \
	VFMLA V8.D2, V0.D2, V12.D2  \
	VFMUL_D2(4, 12, 0)

// dst = exp(−γ·max(0, (xn+zn)−2s)). Doubling is exact; the maximum passes NaN on.
// func gauss64NEON(dst *float64, ldd int, s *float64, lds int, xn *float64, zn *float64, rows int, cols int, gamma float64)
TEXT ·gauss64NEON(SB), NOSPLIT, $0-72
	MOVD dst+0(FP), R0
	MOVD ldd+8(FP), R2
	MOVD s+16(FP), R1
	MOVD lds+24(FP), R3
	LSL $3, R2
	LSL $3, R3
	MOVD rows+48(FP), R6
	MOVD xn+32(FP), R4
	FMOVD gamma+64(FP), F31
	FNEGD F31, F31 // −γ
	CONST64

row:
	MOVD cols+56(FP), R7
	MOVD R0, R8
	MOVD R1, R9
	MOVD zn+40(FP), R10
	FMOVD (R4), F0
	VMOV V0.D[0], V31.D[1]
	ADD $8, R4
	SUBS $8, R7
	BLT tail

four:
	FMOVQ (R10), F0
	FMOVQ 16(R10), F1
	FMOVQ 32(R10), F2
	FMOVQ 48(R10), F3
	FMOVQ (R9), F4
	FMOVQ 16(R9), F5
	FMOVQ 32(R9), F6
	FMOVQ 48(R9), F7
	ADD $64, R10
	ADD $64, R9
	VDUP V31.D[1], V8.D2
	VEOR V9.B16, V9.B16, V9.B16
	VFADD_D2(4, 4, 4)
	VFADD_D2(5, 5, 5)
	VFADD_D2(6, 6, 6)
	VFADD_D2(7, 7, 7)
	VFADD_D2(0, 8, 0)
	VFADD_D2(1, 8, 1)
	VFADD_D2(2, 8, 2)
	VFADD_D2(3, 8, 3)
	VFSUB_D2(4, 0, 0)
	VFSUB_D2(5, 1, 1)
	VFSUB_D2(6, 2, 2)
	VFSUB_D2(7, 3, 3)
	VFMAX_D2(9, 0, 0)
	VFMAX_D2(9, 1, 1)
	VFMAX_D2(9, 2, 2)
	VFMAX_D2(9, 3, 3)
	EXP64X4
	FMOVQ F0, (R8)
	FMOVQ F1, 16(R8)
	FMOVQ F2, 32(R8)
	FMOVQ F3, 48(R8)
	ADD $64, R8
	SUBS $8, R7
	BGE four

tail:
	ADDS $8, R7
	BEQ next

one:
	FMOVD (R10), F0
	FMOVD (R9), F4
	ADD $8, R10
	ADD $8, R9
	VDUP V31.D[1], V8.D2
	VEOR V9.B16, V9.B16, V9.B16
	VFADD_D2(4, 4, 4)
	VFADD_D2(0, 8, 0)
	VFSUB_D2(4, 0, 0)
	VFMAX_D2(9, 0, 0)
	EXP64X1
	FMOVD F0, (R8)
	ADD $8, R8
	SUBS $1, R7
	BNE one

next:
	ADD R2, R0
	ADD R3, R1
	SUBS $1, R6
	BNE row
	RET

// dst = exp(−γ·s), s ≥ 0.
// func exp64NEON(dst *float64, ldd int, s *float64, lds int, rows int, cols int, gamma float64)
TEXT ·exp64NEON(SB), NOSPLIT, $0-56
	MOVD dst+0(FP), R0
	MOVD ldd+8(FP), R2
	MOVD s+16(FP), R1
	MOVD lds+24(FP), R3
	LSL $3, R2
	LSL $3, R3
	MOVD rows+32(FP), R6
	FMOVD gamma+48(FP), F31
	FNEGD F31, F31 // −γ
	CONST64

row:
	MOVD cols+40(FP), R7
	MOVD R0, R8
	MOVD R1, R9
	SUBS $8, R7
	BLT tail

four:
	FMOVQ (R9), F0
	FMOVQ 16(R9), F1
	FMOVQ 32(R9), F2
	FMOVQ 48(R9), F3
	ADD $64, R9
	EXP64X4
	FMOVQ F0, (R8)
	FMOVQ F1, 16(R8)
	FMOVQ F2, 32(R8)
	FMOVQ F3, 48(R8)
	ADD $64, R8
	SUBS $8, R7
	BGE four

tail:
	ADDS $8, R7
	BEQ next

one:
	FMOVD (R9), F0
	ADD $8, R9
	EXP64X1
	FMOVD F0, (R8)
	ADD $8, R8
	SUBS $1, R7
	BNE one

next:
	ADD R2, R0
	ADD R3, R1
	SUBS $1, R6
	BNE row
	RET

// float32

#define CONST32 \
	MOVD $exp32v<>(SB), R11 \
	FMOVQ (R11), F16        \
	FMOVQ 16(R11), F17      \
	FMOVQ 32(R11), F18      \
	FMOVQ 48(R11), F19      \
	FMOVQ 64(R11), F20      \
	FMOVQ 80(R11), F21      \
	FMOVQ 96(R11), F22      \
	FMOVQ 112(R11), F23     \
	FMOVQ 128(R11), F24     \
	FMOVQ 144(R11), F25

// V0… = exp(−γ·V0…) for numbers ≥ 0. The maximum keeps infinite sums from
// becoming NaN and passes NaN on, which the product then keeps.
#define EXP32X4 \
	VFMULE_S4(0, 31, 0, 0)       \
	VFMULE_S4(0, 31, 1, 1)       \
	VFMULE_S4(0, 31, 2, 2)       \
	VFMULE_S4(0, 31, 3, 3)       \
	VFMAX_S4(25, 0, 0)           \
	VFMAX_S4(25, 1, 1)           \
	VFMAX_S4(25, 2, 2)           \
	VFMAX_S4(25, 3, 3)           \
	VFMUL_S4(17, 0, 4)           \
	VFMUL_S4(17, 1, 5)           \
	VFMUL_S4(17, 2, 6)           \
	VFMUL_S4(17, 3, 7)           \
	VFRINTN_S4(4, 4)             \
	VFRINTN_S4(5, 5)             \
	VFRINTN_S4(6, 6)             \
	VFRINTN_S4(7, 7)             \
	VFMLSE_S4(0, 18, 4, 0)       \
	VFMLSE_S4(0, 18, 5, 1)       \
	VFMLSE_S4(0, 18, 6, 2)       \
	VFMLSE_S4(0, 18, 7, 3)       \
	VFMLSE_S4(1, 18, 4, 0)       \
	VFMLSE_S4(1, 18, 5, 1)       \
	VFMLSE_S4(1, 18, 6, 2)       \
	VFMLSE_S4(1, 18, 7, 3)       \
	VFCMGE_S4(16, 4, 8)          \
	VFCMGE_S4(16, 5, 9)          \
	VFCMGE_S4(16, 6, 10)         \
	VFCMGE_S4(16, 7, 11)         \
	VFCVTZS_S4(4, 4)             \
	VFCVTZS_S4(5, 5)             \
	VFCVTZS_S4(6, 6)             \
	VFCVTZS_S4(7, 7)             \
	VSHL $23, V4.S4, V4.S4       \
	VSHL $23, V5.S4, V5.S4       \
	VSHL $23, V6.S4, V6.S4       \
	VSHL $23, V7.S4, V7.S4       \
	VADD V24.S4, V4.S4, V4.S4    \
	VADD V24.S4, V5.S4, V5.S4    \
	VADD V24.S4, V6.S4, V6.S4    \
	VADD V24.S4, V7.S4, V7.S4    \
	VAND V8.B16, V4.B16, V4.B16  \
	VAND V9.B16, V5.B16, V5.B16  \
	VAND V10.B16, V6.B16, V6.B16 \
	VAND V11.B16, V7.B16, V7.B16 \
	VMOV V22.B16, V12.B16        \
	VMOV V22.B16, V13.B16        \
	VMOV V22.B16, V14.B16        \
	VMOV V22.B16, V15.B16        \
	VFMLA V23.S4, V0.S4, V12.S4  \
	VFMLA V23.S4, V1.S4, V13.S4  \
	VFMLA V23.S4, V2.S4, V14.S4  \
	VFMLA V23.S4, V3.S4, V15.S4  \
	VMOV V21.B16, V8.B16         \
	VMOV V21.B16, V9.B16         \
	VMOV V21.B16, V10.B16        \
	VMOV V21.B16, V11.B16        \
	VFMLA V12.S4, V0.S4, V8.S4   \
	VFMLA V13.S4, V1.S4, V9.S4   \
	VFMLA V14.S4, V2.S4, V10.S4  \
	VFMLA V15.S4, V3.S4, V11.S4  \
	VMOV V20.B16, V12.B16        \
	VMOV V20.B16, V13.B16        \
	VMOV V20.B16, V14.B16        \
	VMOV V20.B16, V15.B16        \
	VFMLA V8.S4, V0.S4, V12.S4   \
	VFMLA V9.S4, V1.S4, V13.S4   \
	VFMLA V10.S4, V2.S4, V14.S4  \
	VFMLA V11.S4, V3.S4, V15.S4  \
	VMOV V19.B16, V8.B16         \
	VMOV V19.B16, V9.B16         \
	VMOV V19.B16, V10.B16        \
	VMOV V19.B16, V11.B16        \
	VFMLA V12.S4, V0.S4, V8.S4   \
	VFMLA V13.S4, V1.S4, V9.S4   \
	VFMLA V14.S4, V2.S4, V10.S4  \
	VFMLA V15.S4, V3.S4, V11.S4  \
	VMOV V24.B16, V12.B16        \
	VMOV V24.B16, V13.B16        \
	VMOV V24.B16, V14.B16        \
	VMOV V24.B16, V15.B16        \
	VFMLA V8.S4, V0.S4, V12.S4   \
	VFMLA V9.S4, V1.S4, V13.S4   \
	VFMLA V10.S4, V2.S4, V14.S4  \
	VFMLA V11.S4, V3.S4, V15.S4  \
	VMOV V24.B16, V8.B16         \
	VMOV V24.B16, V9.B16         \
	VMOV V24.B16, V10.B16        \
	VMOV V24.B16, V11.B16        \
	VFMLA V12.S4, V0.S4, V8.S4   \
	VFMLA V13.S4, V1.S4, V9.S4   \
	VFMLA V14.S4, V2.S4, V10.S4  \
	VFMLA V15.S4, V3.S4, V11.S4  \
	VFMUL_S4(4, 8, 0)            \
	VFMUL_S4(5, 9, 1)            \
	VFMUL_S4(6, 10, 2)           \
	VFMUL_S4(7, 11, 3)

// V0… = exp(−γ·V0…) for numbers ≥ 0. The maximum keeps infinite sums from
// becoming NaN and passes NaN on, which the product then keeps.
#define EXP32X1 \
	VFMULE_S4(0, 31, 0, 0)      \
	VFMAX_S4(25, 0, 0)          \
	VFMUL_S4(17, 0, 4)          \
	VFRINTN_S4(4, 4)            \
	VFMLSE_S4(0, 18, 4, 0)      \
	VFMLSE_S4(1, 18, 4, 0)      \
	VFCMGE_S4(16, 4, 8)         \
	VFCVTZS_S4(4, 4)            \
	VSHL $23, V4.S4, V4.S4      \
	VADD V24.S4, V4.S4, V4.S4   \
	VAND V8.B16, V4.B16, V4.B16 \
	VMOV V22.B16, V12.B16       \
	VFMLA V23.S4, V0.S4, V12.S4 \
	VMOV V21.B16, V8.B16        \
	VFMLA V12.S4, V0.S4, V8.S4  \
	VMOV V20.B16, V12.B16       \
	VFMLA V8.S4, V0.S4, V12.S4  \
	VMOV V19.B16, V8.B16        \
	VFMLA V12.S4, V0.S4, V8.S4  \
	VMOV V24.B16, V12.B16       \
	VFMLA V8.S4, V0.S4, V12.S4  \
	VMOV V24.B16, V8.B16        \
	VFMLA V12.S4, V0.S4, V8.S4  \
	VFMUL_S4(4, 8, 0)

// dst = exp(−γ·max(0, (xn+zn)−2s)). Doubling is exact; the maximum passes NaN on.
// func gauss32NEON(dst *float32, ldd int, s *float32, lds int, xn *float32, zn *float32, rows int, cols int, gamma float32)
TEXT ·gauss32NEON(SB), NOSPLIT, $0-68
	MOVD dst+0(FP), R0
	MOVD ldd+8(FP), R2
	MOVD s+16(FP), R1
	MOVD lds+24(FP), R3
	LSL $2, R2
	LSL $2, R3
	MOVD rows+48(FP), R6
	MOVD xn+32(FP), R4
	FMOVS gamma+64(FP), F31
	FNEGS F31, F31 // −γ
	CONST32

row:
	MOVD cols+56(FP), R7
	MOVD R0, R8
	MOVD R1, R9
	MOVD zn+40(FP), R10
	FMOVS (R4), F0
	VMOV V0.S[0], V31.S[1]
	ADD $4, R4
	SUBS $16, R7
	BLT tail

four:
	FMOVQ (R10), F0
	FMOVQ 16(R10), F1
	FMOVQ 32(R10), F2
	FMOVQ 48(R10), F3
	FMOVQ (R9), F4
	FMOVQ 16(R9), F5
	FMOVQ 32(R9), F6
	FMOVQ 48(R9), F7
	ADD $64, R10
	ADD $64, R9
	VDUP V31.S[1], V8.S4
	VEOR V9.B16, V9.B16, V9.B16
	VFADD_S4(4, 4, 4)
	VFADD_S4(5, 5, 5)
	VFADD_S4(6, 6, 6)
	VFADD_S4(7, 7, 7)
	VFADD_S4(0, 8, 0)
	VFADD_S4(1, 8, 1)
	VFADD_S4(2, 8, 2)
	VFADD_S4(3, 8, 3)
	VFSUB_S4(4, 0, 0)
	VFSUB_S4(5, 1, 1)
	VFSUB_S4(6, 2, 2)
	VFSUB_S4(7, 3, 3)
	VFMAX_S4(9, 0, 0)
	VFMAX_S4(9, 1, 1)
	VFMAX_S4(9, 2, 2)
	VFMAX_S4(9, 3, 3)
	EXP32X4
	FMOVQ F0, (R8)
	FMOVQ F1, 16(R8)
	FMOVQ F2, 32(R8)
	FMOVQ F3, 48(R8)
	ADD $64, R8
	SUBS $16, R7
	BGE four

tail:
	ADDS $16, R7
	BEQ next

one:
	FMOVS (R10), F0
	FMOVS (R9), F4
	ADD $4, R10
	ADD $4, R9
	VDUP V31.S[1], V8.S4
	VEOR V9.B16, V9.B16, V9.B16
	VFADD_S4(4, 4, 4)
	VFADD_S4(0, 8, 0)
	VFSUB_S4(4, 0, 0)
	VFMAX_S4(9, 0, 0)
	EXP32X1
	FMOVS F0, (R8)
	ADD $4, R8
	SUBS $1, R7
	BNE one

next:
	ADD R2, R0
	ADD R3, R1
	SUBS $1, R6
	BNE row
	RET

// dst = exp(−γ·s), s ≥ 0.
// func exp32NEON(dst *float32, ldd int, s *float32, lds int, rows int, cols int, gamma float32)
TEXT ·exp32NEON(SB), NOSPLIT, $0-52
	MOVD dst+0(FP), R0
	MOVD ldd+8(FP), R2
	MOVD s+16(FP), R1
	MOVD lds+24(FP), R3
	LSL $2, R2
	LSL $2, R3
	MOVD rows+32(FP), R6
	FMOVS gamma+48(FP), F31
	FNEGS F31, F31 // −γ
	CONST32

row:
	MOVD cols+40(FP), R7
	MOVD R0, R8
	MOVD R1, R9
	SUBS $16, R7
	BLT tail

four:
	FMOVQ (R9), F0
	FMOVQ 16(R9), F1
	FMOVQ 32(R9), F2
	FMOVQ 48(R9), F3
	ADD $64, R9
	EXP32X4
	FMOVQ F0, (R8)
	FMOVQ F1, 16(R8)
	FMOVQ F2, 32(R8)
	FMOVQ F3, 48(R8)
	ADD $64, R8
	SUBS $16, R7
	BGE four

tail:
	ADDS $16, R7
	BEQ next

one:
	FMOVS (R9), F0
	ADD $4, R9
	EXP32X1
	FMOVS F0, (R8)
	ADD $4, R8
	SUBS $1, R7
	BNE one

next:
	ADD R2, R0
	ADD R3, R1
	SUBS $1, R6
	BNE row
	RET
