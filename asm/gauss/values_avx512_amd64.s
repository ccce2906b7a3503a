//go:build !noasm

#include "textflag.h"

// Functions of the sums of a strip, row by row, and sums over the strip with
// weights. See doc.go. Groups of eight vectors first: eight chains of exp step
// by step, so that every step has as many independent instructions as two
// ports take within the latency of one. (Four chains were 1.3 times slower on
// Skylake-SP: the scheduler does not look far enough ahead for more than five.)
// Then groups of up to four under masks. Nothing outside the rows is read or
// written.

// Constants of exp, one number each: the least exponent n of a result (below it
// the result is 0), log2(e), ln 2 as a sum of two, the coefficients of r², r³, …
// and 1, 2.
DATA exp64<>+0(SB)/8, $0xc08fe80000000000 // -1021
DATA exp64<>+8(SB)/8, $0x3ff71547652b82fe // log2(e) 1.4426950408889634
DATA exp64<>+16(SB)/8, $0x3fe62e42fee00000 // ln 2, high 33 bits 0.6931471803691238
DATA exp64<>+24(SB)/8, $0x3dea39ef35793c76 // ln 2, rest 1.9082149292705877e-10
DATA exp64<>+32(SB)/8, $0x3fe000000000000a // 0.5000000000000011
DATA exp64<>+40(SB)/8, $0x3fc55555555554fa // 0.16666666666666413
DATA exp64<>+48(SB)/8, $0x3fa555555555086d // 0.04166666666653005
DATA exp64<>+56(SB)/8, $0x3f81111111127c30 // 0.008333333333494591
DATA exp64<>+64(SB)/8, $0x3f56c16c1842db78 // 0.0013888888943662508
DATA exp64<>+72(SB)/8, $0x3f2a01a012a4562c // 0.00019841269506375278
DATA exp64<>+80(SB)/8, $0x3efa0199a01ea9df // 2.4801493061646598e-05
DATA exp64<>+88(SB)/8, $0x3ec71df256aea285 // 2.7557586483493946e-06
DATA exp64<>+96(SB)/8, $0x3e928ad7cf7b0e73 // 2.763026283154073e-07
DATA exp64<>+104(SB)/8, $0x3e5ad7f6234010ea // 2.5000050210569507e-08
DATA exp64<>+112(SB)/8, $0x3ff0000000000000 // 1
DATA exp64<>+120(SB)/8, $0x4000000000000000 // 2
GLOBL exp64<>(SB), RODATA|NOPTR, $128

DATA exp32<>+0(SB)/4, $0xc2fa0000 // -125
DATA exp32<>+4(SB)/4, $0x3fb8aa3b // log2(e) 1.44269504
DATA exp32<>+8(SB)/4, $0x3f318000 // ln 2, high 10 bits 0.693359375
DATA exp32<>+12(SB)/4, $0xb95e8083 // ln 2, rest -0.00021219444005469057
DATA exp32<>+16(SB)/4, $0x3efffffe // 0.49999994
DATA exp32<>+20(SB)/4, $0x3e2aaa49 // 0.16666521
DATA exp32<>+24(SB)/4, $0x3d2aac79 // 0.041668389
DATA exp32<>+28(SB)/4, $0x3c091cf9 // 0.0083687240
DATA exp32<>+32(SB)/4, $0x3ab51215 // 0.0013814593
DATA exp32<>+36(SB)/4, $0x3f800000 // 1
DATA exp32<>+40(SB)/4, $0x40000000 // 2
GLOBL exp32<>(SB), RODATA|NOPTR, $44

// Registers: DI row of dst, R9 row of s, R10, R11 their distances in bytes,
// R12 xn, BX zn, R13 rows left, CX columns left, AX offset in bytes, R8 mask.
// Z24 −γ, Z25 log2(e), Z26, Z27 ln 2, Z28 least exponent, Z29 0, Z30 2, Z31 xn.

// float64

#define CONST64 \
	VBROADCASTSD exp64<>+0(SB), Z28 \
	VBROADCASTSD exp64<>+8(SB), Z25 \
	VBROADCASTSD exp64<>+16(SB), Z26 \
	VBROADCASTSD exp64<>+24(SB), Z27 \
	VBROADCASTSD exp64<>+120(SB), Z30

// Z0… = exp(−γ·Z0…) for numbers ≥ 0: Z0… becomes r, Z8… n, Z16… the polynomial.
// The comparison is true for NaN.
#define EXP64X8 \
	VMULPD Z24, Z0, Z0                        \
	VMULPD Z24, Z1, Z1                        \
	VMULPD Z24, Z2, Z2                        \
	VMULPD Z24, Z3, Z3                        \
	VMULPD Z24, Z4, Z4                        \
	VMULPD Z24, Z5, Z5                        \
	VMULPD Z24, Z6, Z6                        \
	VMULPD Z24, Z7, Z7                        \
	VMULPD Z25, Z0, Z8                        \
	VMULPD Z25, Z1, Z9                        \
	VMULPD Z25, Z2, Z10                       \
	VMULPD Z25, Z3, Z11                       \
	VMULPD Z25, Z4, Z12                       \
	VMULPD Z25, Z5, Z13                       \
	VMULPD Z25, Z6, Z14                       \
	VMULPD Z25, Z7, Z15                       \
	VRNDSCALEPD $8, Z8, Z8                    \
	VRNDSCALEPD $8, Z9, Z9                    \
	VRNDSCALEPD $8, Z10, Z10                  \
	VRNDSCALEPD $8, Z11, Z11                  \
	VRNDSCALEPD $8, Z12, Z12                  \
	VRNDSCALEPD $8, Z13, Z13                  \
	VRNDSCALEPD $8, Z14, Z14                  \
	VRNDSCALEPD $8, Z15, Z15                  \
	VFNMADD231PD Z26, Z8, Z0                  \
	VFNMADD231PD Z26, Z9, Z1                  \
	VFNMADD231PD Z26, Z10, Z2                 \
	VFNMADD231PD Z26, Z11, Z3                 \
	VFNMADD231PD Z26, Z12, Z4                 \
	VFNMADD231PD Z26, Z13, Z5                 \
	VFNMADD231PD Z26, Z14, Z6                 \
	VFNMADD231PD Z26, Z15, Z7                 \
	VFNMADD231PD Z27, Z8, Z0                  \
	VFNMADD231PD Z27, Z9, Z1                  \
	VFNMADD231PD Z27, Z10, Z2                 \
	VFNMADD231PD Z27, Z11, Z3                 \
	VFNMADD231PD Z27, Z12, Z4                 \
	VFNMADD231PD Z27, Z13, Z5                 \
	VFNMADD231PD Z27, Z14, Z6                 \
	VFNMADD231PD Z27, Z15, Z7                 \
	VBROADCASTSD exp64<>+104(SB), Z16         \
	VBROADCASTSD exp64<>+104(SB), Z17         \
	VBROADCASTSD exp64<>+104(SB), Z18         \
	VBROADCASTSD exp64<>+104(SB), Z19         \
	VBROADCASTSD exp64<>+104(SB), Z20         \
	VBROADCASTSD exp64<>+104(SB), Z21         \
	VBROADCASTSD exp64<>+104(SB), Z22         \
	VBROADCASTSD exp64<>+104(SB), Z23         \
	VFMADD213PD.BCST exp64<>+96(SB), Z0, Z16  \
	VFMADD213PD.BCST exp64<>+96(SB), Z1, Z17  \
	VFMADD213PD.BCST exp64<>+96(SB), Z2, Z18  \
	VFMADD213PD.BCST exp64<>+96(SB), Z3, Z19  \
	VFMADD213PD.BCST exp64<>+96(SB), Z4, Z20  \
	VFMADD213PD.BCST exp64<>+96(SB), Z5, Z21  \
	VFMADD213PD.BCST exp64<>+96(SB), Z6, Z22  \
	VFMADD213PD.BCST exp64<>+96(SB), Z7, Z23  \
	VFMADD213PD.BCST exp64<>+88(SB), Z0, Z16  \
	VFMADD213PD.BCST exp64<>+88(SB), Z1, Z17  \
	VFMADD213PD.BCST exp64<>+88(SB), Z2, Z18  \
	VFMADD213PD.BCST exp64<>+88(SB), Z3, Z19  \
	VFMADD213PD.BCST exp64<>+88(SB), Z4, Z20  \
	VFMADD213PD.BCST exp64<>+88(SB), Z5, Z21  \
	VFMADD213PD.BCST exp64<>+88(SB), Z6, Z22  \
	VFMADD213PD.BCST exp64<>+88(SB), Z7, Z23  \
	VFMADD213PD.BCST exp64<>+80(SB), Z0, Z16  \
	VFMADD213PD.BCST exp64<>+80(SB), Z1, Z17  \
	VFMADD213PD.BCST exp64<>+80(SB), Z2, Z18  \
	VFMADD213PD.BCST exp64<>+80(SB), Z3, Z19  \
	VFMADD213PD.BCST exp64<>+80(SB), Z4, Z20  \
	VFMADD213PD.BCST exp64<>+80(SB), Z5, Z21  \
	VFMADD213PD.BCST exp64<>+80(SB), Z6, Z22  \
	VFMADD213PD.BCST exp64<>+80(SB), Z7, Z23  \
	VFMADD213PD.BCST exp64<>+72(SB), Z0, Z16  \
	VFMADD213PD.BCST exp64<>+72(SB), Z1, Z17  \
	VFMADD213PD.BCST exp64<>+72(SB), Z2, Z18  \
	VFMADD213PD.BCST exp64<>+72(SB), Z3, Z19  \
	VFMADD213PD.BCST exp64<>+72(SB), Z4, Z20  \
	VFMADD213PD.BCST exp64<>+72(SB), Z5, Z21  \
	VFMADD213PD.BCST exp64<>+72(SB), Z6, Z22  \
	VFMADD213PD.BCST exp64<>+72(SB), Z7, Z23  \
	VFMADD213PD.BCST exp64<>+64(SB), Z0, Z16  \
	VFMADD213PD.BCST exp64<>+64(SB), Z1, Z17  \
	VFMADD213PD.BCST exp64<>+64(SB), Z2, Z18  \
	VFMADD213PD.BCST exp64<>+64(SB), Z3, Z19  \
	VFMADD213PD.BCST exp64<>+64(SB), Z4, Z20  \
	VFMADD213PD.BCST exp64<>+64(SB), Z5, Z21  \
	VFMADD213PD.BCST exp64<>+64(SB), Z6, Z22  \
	VFMADD213PD.BCST exp64<>+64(SB), Z7, Z23  \
	VFMADD213PD.BCST exp64<>+56(SB), Z0, Z16  \
	VFMADD213PD.BCST exp64<>+56(SB), Z1, Z17  \
	VFMADD213PD.BCST exp64<>+56(SB), Z2, Z18  \
	VFMADD213PD.BCST exp64<>+56(SB), Z3, Z19  \
	VFMADD213PD.BCST exp64<>+56(SB), Z4, Z20  \
	VFMADD213PD.BCST exp64<>+56(SB), Z5, Z21  \
	VFMADD213PD.BCST exp64<>+56(SB), Z6, Z22  \
	VFMADD213PD.BCST exp64<>+56(SB), Z7, Z23  \
	VFMADD213PD.BCST exp64<>+48(SB), Z0, Z16  \
	VFMADD213PD.BCST exp64<>+48(SB), Z1, Z17  \
	VFMADD213PD.BCST exp64<>+48(SB), Z2, Z18  \
	VFMADD213PD.BCST exp64<>+48(SB), Z3, Z19  \
	VFMADD213PD.BCST exp64<>+48(SB), Z4, Z20  \
	VFMADD213PD.BCST exp64<>+48(SB), Z5, Z21  \
	VFMADD213PD.BCST exp64<>+48(SB), Z6, Z22  \
	VFMADD213PD.BCST exp64<>+48(SB), Z7, Z23  \
	VFMADD213PD.BCST exp64<>+40(SB), Z0, Z16  \
	VFMADD213PD.BCST exp64<>+40(SB), Z1, Z17  \
	VFMADD213PD.BCST exp64<>+40(SB), Z2, Z18  \
	VFMADD213PD.BCST exp64<>+40(SB), Z3, Z19  \
	VFMADD213PD.BCST exp64<>+40(SB), Z4, Z20  \
	VFMADD213PD.BCST exp64<>+40(SB), Z5, Z21  \
	VFMADD213PD.BCST exp64<>+40(SB), Z6, Z22  \
	VFMADD213PD.BCST exp64<>+40(SB), Z7, Z23  \
	VFMADD213PD.BCST exp64<>+32(SB), Z0, Z16  \
	VFMADD213PD.BCST exp64<>+32(SB), Z1, Z17  \
	VFMADD213PD.BCST exp64<>+32(SB), Z2, Z18  \
	VFMADD213PD.BCST exp64<>+32(SB), Z3, Z19  \
	VFMADD213PD.BCST exp64<>+32(SB), Z4, Z20  \
	VFMADD213PD.BCST exp64<>+32(SB), Z5, Z21  \
	VFMADD213PD.BCST exp64<>+32(SB), Z6, Z22  \
	VFMADD213PD.BCST exp64<>+32(SB), Z7, Z23  \
	VFMADD213PD.BCST exp64<>+112(SB), Z0, Z16 \
	VFMADD213PD.BCST exp64<>+112(SB), Z1, Z17 \
	VFMADD213PD.BCST exp64<>+112(SB), Z2, Z18 \
	VFMADD213PD.BCST exp64<>+112(SB), Z3, Z19 \
	VFMADD213PD.BCST exp64<>+112(SB), Z4, Z20 \
	VFMADD213PD.BCST exp64<>+112(SB), Z5, Z21 \
	VFMADD213PD.BCST exp64<>+112(SB), Z6, Z22 \
	VFMADD213PD.BCST exp64<>+112(SB), Z7, Z23 \
	VFMADD213PD.BCST exp64<>+112(SB), Z0, Z16 \
	VFMADD213PD.BCST exp64<>+112(SB), Z1, Z17 \
	VFMADD213PD.BCST exp64<>+112(SB), Z2, Z18 \
	VFMADD213PD.BCST exp64<>+112(SB), Z3, Z19 \
	VFMADD213PD.BCST exp64<>+112(SB), Z4, Z20 \
	VFMADD213PD.BCST exp64<>+112(SB), Z5, Z21 \
	VFMADD213PD.BCST exp64<>+112(SB), Z6, Z22 \
	VFMADD213PD.BCST exp64<>+112(SB), Z7, Z23 \
	VCMPPD $5, Z28, Z8, K5                    \
	VSCALEFPD.Z Z8, Z16, K5, Z0               \
	VCMPPD $5, Z28, Z9, K6                    \
	VSCALEFPD.Z Z9, Z17, K6, Z1               \
	VCMPPD $5, Z28, Z10, K5                   \
	VSCALEFPD.Z Z10, Z18, K5, Z2              \
	VCMPPD $5, Z28, Z11, K6                   \
	VSCALEFPD.Z Z11, Z19, K6, Z3              \
	VCMPPD $5, Z28, Z12, K5                   \
	VSCALEFPD.Z Z12, Z20, K5, Z4              \
	VCMPPD $5, Z28, Z13, K6                   \
	VSCALEFPD.Z Z13, Z21, K6, Z5              \
	VCMPPD $5, Z28, Z14, K5                   \
	VSCALEFPD.Z Z14, Z22, K5, Z6              \
	VCMPPD $5, Z28, Z15, K6                   \
	VSCALEFPD.Z Z15, Z23, K6, Z7             

// Z0… = exp(−γ·Z0…) for numbers ≥ 0: Z0… becomes r, Z8… n, Z16… the polynomial.
// The comparison is true for NaN.
#define EXP64X4 \
	VMULPD Z24, Z0, Z0                        \
	VMULPD Z24, Z1, Z1                        \
	VMULPD Z24, Z2, Z2                        \
	VMULPD Z24, Z3, Z3                        \
	VMULPD Z25, Z0, Z8                        \
	VMULPD Z25, Z1, Z9                        \
	VMULPD Z25, Z2, Z10                       \
	VMULPD Z25, Z3, Z11                       \
	VRNDSCALEPD $8, Z8, Z8                    \
	VRNDSCALEPD $8, Z9, Z9                    \
	VRNDSCALEPD $8, Z10, Z10                  \
	VRNDSCALEPD $8, Z11, Z11                  \
	VFNMADD231PD Z26, Z8, Z0                  \
	VFNMADD231PD Z26, Z9, Z1                  \
	VFNMADD231PD Z26, Z10, Z2                 \
	VFNMADD231PD Z26, Z11, Z3                 \
	VFNMADD231PD Z27, Z8, Z0                  \
	VFNMADD231PD Z27, Z9, Z1                  \
	VFNMADD231PD Z27, Z10, Z2                 \
	VFNMADD231PD Z27, Z11, Z3                 \
	VBROADCASTSD exp64<>+104(SB), Z16         \
	VBROADCASTSD exp64<>+104(SB), Z17         \
	VBROADCASTSD exp64<>+104(SB), Z18         \
	VBROADCASTSD exp64<>+104(SB), Z19         \
	VFMADD213PD.BCST exp64<>+96(SB), Z0, Z16  \
	VFMADD213PD.BCST exp64<>+96(SB), Z1, Z17  \
	VFMADD213PD.BCST exp64<>+96(SB), Z2, Z18  \
	VFMADD213PD.BCST exp64<>+96(SB), Z3, Z19  \
	VFMADD213PD.BCST exp64<>+88(SB), Z0, Z16  \
	VFMADD213PD.BCST exp64<>+88(SB), Z1, Z17  \
	VFMADD213PD.BCST exp64<>+88(SB), Z2, Z18  \
	VFMADD213PD.BCST exp64<>+88(SB), Z3, Z19  \
	VFMADD213PD.BCST exp64<>+80(SB), Z0, Z16  \
	VFMADD213PD.BCST exp64<>+80(SB), Z1, Z17  \
	VFMADD213PD.BCST exp64<>+80(SB), Z2, Z18  \
	VFMADD213PD.BCST exp64<>+80(SB), Z3, Z19  \
	VFMADD213PD.BCST exp64<>+72(SB), Z0, Z16  \
	VFMADD213PD.BCST exp64<>+72(SB), Z1, Z17  \
	VFMADD213PD.BCST exp64<>+72(SB), Z2, Z18  \
	VFMADD213PD.BCST exp64<>+72(SB), Z3, Z19  \
	VFMADD213PD.BCST exp64<>+64(SB), Z0, Z16  \
	VFMADD213PD.BCST exp64<>+64(SB), Z1, Z17  \
	VFMADD213PD.BCST exp64<>+64(SB), Z2, Z18  \
	VFMADD213PD.BCST exp64<>+64(SB), Z3, Z19  \
	VFMADD213PD.BCST exp64<>+56(SB), Z0, Z16  \
	VFMADD213PD.BCST exp64<>+56(SB), Z1, Z17  \
	VFMADD213PD.BCST exp64<>+56(SB), Z2, Z18  \
	VFMADD213PD.BCST exp64<>+56(SB), Z3, Z19  \
	VFMADD213PD.BCST exp64<>+48(SB), Z0, Z16  \
	VFMADD213PD.BCST exp64<>+48(SB), Z1, Z17  \
	VFMADD213PD.BCST exp64<>+48(SB), Z2, Z18  \
	VFMADD213PD.BCST exp64<>+48(SB), Z3, Z19  \
	VFMADD213PD.BCST exp64<>+40(SB), Z0, Z16  \
	VFMADD213PD.BCST exp64<>+40(SB), Z1, Z17  \
	VFMADD213PD.BCST exp64<>+40(SB), Z2, Z18  \
	VFMADD213PD.BCST exp64<>+40(SB), Z3, Z19  \
	VFMADD213PD.BCST exp64<>+32(SB), Z0, Z16  \
	VFMADD213PD.BCST exp64<>+32(SB), Z1, Z17  \
	VFMADD213PD.BCST exp64<>+32(SB), Z2, Z18  \
	VFMADD213PD.BCST exp64<>+32(SB), Z3, Z19  \
	VFMADD213PD.BCST exp64<>+112(SB), Z0, Z16 \
	VFMADD213PD.BCST exp64<>+112(SB), Z1, Z17 \
	VFMADD213PD.BCST exp64<>+112(SB), Z2, Z18 \
	VFMADD213PD.BCST exp64<>+112(SB), Z3, Z19 \
	VFMADD213PD.BCST exp64<>+112(SB), Z0, Z16 \
	VFMADD213PD.BCST exp64<>+112(SB), Z1, Z17 \
	VFMADD213PD.BCST exp64<>+112(SB), Z2, Z18 \
	VFMADD213PD.BCST exp64<>+112(SB), Z3, Z19 \
	VCMPPD $5, Z28, Z8, K5                    \
	VSCALEFPD.Z Z8, Z16, K5, Z0               \
	VCMPPD $5, Z28, Z9, K6                    \
	VSCALEFPD.Z Z9, Z17, K6, Z1               \
	VCMPPD $5, Z28, Z10, K5                   \
	VSCALEFPD.Z Z10, Z18, K5, Z2              \
	VCMPPD $5, Z28, Z11, K6                   \
	VSCALEFPD.Z Z11, Z19, K6, Z3             

// dst = exp(−γ·max(0, (xn+zn)−2s)). The maximum passes NaN on.
// func gauss64AVX512(dst *float64, ldd int, s *float64, lds int, xn *float64, zn *float64, rows int, cols int, gamma float64)
TEXT ·gauss64AVX512(SB), NOSPLIT, $0-72
	MOVQ dst+0(FP), DI
	MOVQ ldd+8(FP), R10
	MOVQ s+16(FP), R9
	MOVQ lds+24(FP), R11
	SHLQ $3, R10
	SHLQ $3, R11
	MOVQ rows+48(FP), R13
	MOVQ xn+32(FP), R12
	MOVQ zn+40(FP), BX
	VPXORQ Z29, Z29, Z29
	VBROADCASTSD gamma+64(FP), Z24
	VSUBPD Z24, Z29, Z24 // −γ
	CONST64

row:
	MOVQ cols+56(FP), CX
	XORQ AX, AX
	VBROADCASTSD (R12), Z31
	SUBQ $64, CX
	JLT  tail

eight:
	VADDPD (BX)(AX*1), Z31, Z0
	VFNMADD231PD (R9)(AX*1), Z30, Z0
	VMAXPD Z0, Z29, Z0
	VADDPD 64(BX)(AX*1), Z31, Z1
	VFNMADD231PD 64(R9)(AX*1), Z30, Z1
	VMAXPD Z1, Z29, Z1
	VADDPD 128(BX)(AX*1), Z31, Z2
	VFNMADD231PD 128(R9)(AX*1), Z30, Z2
	VMAXPD Z2, Z29, Z2
	VADDPD 192(BX)(AX*1), Z31, Z3
	VFNMADD231PD 192(R9)(AX*1), Z30, Z3
	VMAXPD Z3, Z29, Z3
	VADDPD 256(BX)(AX*1), Z31, Z4
	VFNMADD231PD 256(R9)(AX*1), Z30, Z4
	VMAXPD Z4, Z29, Z4
	VADDPD 320(BX)(AX*1), Z31, Z5
	VFNMADD231PD 320(R9)(AX*1), Z30, Z5
	VMAXPD Z5, Z29, Z5
	VADDPD 384(BX)(AX*1), Z31, Z6
	VFNMADD231PD 384(R9)(AX*1), Z30, Z6
	VMAXPD Z6, Z29, Z6
	VADDPD 448(BX)(AX*1), Z31, Z7
	VFNMADD231PD 448(R9)(AX*1), Z30, Z7
	VMAXPD Z7, Z29, Z7
	EXP64X8
	VMOVUPD Z0, (DI)(AX*1)
	VMOVUPD Z1, 64(DI)(AX*1)
	VMOVUPD Z2, 128(DI)(AX*1)
	VMOVUPD Z3, 192(DI)(AX*1)
	VMOVUPD Z4, 256(DI)(AX*1)
	VMOVUPD Z5, 320(DI)(AX*1)
	VMOVUPD Z6, 384(DI)(AX*1)
	VMOVUPD Z7, 448(DI)(AX*1)
	ADDQ $512, AX
	SUBQ $64, CX
	JGE  eight

tail:
	ADDQ $64, CX
	JZ   next

masked:
	MOVQ    $-1, DX
	MOVQ    $32, R8
	CMPQ    CX, R8
	CMOVQLT CX, R8
	BZHIQ   R8, DX, DX
	KMOVW   DX, K1
	SHRQ    $8, DX
	KMOVW   DX, K2
	SHRQ    $8, DX
	KMOVW   DX, K3
	SHRQ    $8, DX
	KMOVW   DX, K4
	VMOVUPD.Z (BX)(AX*1), K1, Z0
	VMOVUPD.Z (R9)(AX*1), K1, Z8
	VADDPD Z31, Z0, Z0
	VFNMADD231PD Z8, Z30, Z0
	VMAXPD Z0, Z29, Z0
	VMOVUPD.Z 64(BX)(AX*1), K2, Z1
	VMOVUPD.Z 64(R9)(AX*1), K2, Z9
	VADDPD Z31, Z1, Z1
	VFNMADD231PD Z9, Z30, Z1
	VMAXPD Z1, Z29, Z1
	VMOVUPD.Z 128(BX)(AX*1), K3, Z2
	VMOVUPD.Z 128(R9)(AX*1), K3, Z10
	VADDPD Z31, Z2, Z2
	VFNMADD231PD Z10, Z30, Z2
	VMAXPD Z2, Z29, Z2
	VMOVUPD.Z 192(BX)(AX*1), K4, Z3
	VMOVUPD.Z 192(R9)(AX*1), K4, Z11
	VADDPD Z31, Z3, Z3
	VFNMADD231PD Z11, Z30, Z3
	VMAXPD Z3, Z29, Z3
	EXP64X4
	VMOVUPD Z0, K1, (DI)(AX*1)
	VMOVUPD Z1, K2, 64(DI)(AX*1)
	VMOVUPD Z2, K3, 128(DI)(AX*1)
	VMOVUPD Z3, K4, 192(DI)(AX*1)
	ADDQ $256, AX
	SUBQ $32, CX
	JGT  masked

next:
	ADDQ R10, DI
	ADDQ R11, R9
	ADDQ $8, R12
	DECQ R13
	JNZ  row
	VZEROUPPER
	RET

// dst = exp(−γ·s), s ≥ 0.
// func exp64AVX512(dst *float64, ldd int, s *float64, lds int, rows int, cols int, gamma float64)
TEXT ·exp64AVX512(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ ldd+8(FP), R10
	MOVQ s+16(FP), R9
	MOVQ lds+24(FP), R11
	SHLQ $3, R10
	SHLQ $3, R11
	MOVQ rows+32(FP), R13
	VPXORQ Z29, Z29, Z29
	VBROADCASTSD gamma+48(FP), Z24
	VSUBPD Z24, Z29, Z24 // −γ
	CONST64

row:
	MOVQ cols+40(FP), CX
	XORQ AX, AX
	SUBQ $64, CX
	JLT  tail

eight:
	VMOVUPD (R9)(AX*1), Z0
	VMOVUPD 64(R9)(AX*1), Z1
	VMOVUPD 128(R9)(AX*1), Z2
	VMOVUPD 192(R9)(AX*1), Z3
	VMOVUPD 256(R9)(AX*1), Z4
	VMOVUPD 320(R9)(AX*1), Z5
	VMOVUPD 384(R9)(AX*1), Z6
	VMOVUPD 448(R9)(AX*1), Z7
	EXP64X8
	VMOVUPD Z0, (DI)(AX*1)
	VMOVUPD Z1, 64(DI)(AX*1)
	VMOVUPD Z2, 128(DI)(AX*1)
	VMOVUPD Z3, 192(DI)(AX*1)
	VMOVUPD Z4, 256(DI)(AX*1)
	VMOVUPD Z5, 320(DI)(AX*1)
	VMOVUPD Z6, 384(DI)(AX*1)
	VMOVUPD Z7, 448(DI)(AX*1)
	ADDQ $512, AX
	SUBQ $64, CX
	JGE  eight

tail:
	ADDQ $64, CX
	JZ   next

masked:
	MOVQ    $-1, DX
	MOVQ    $32, R8
	CMPQ    CX, R8
	CMOVQLT CX, R8
	BZHIQ   R8, DX, DX
	KMOVW   DX, K1
	SHRQ    $8, DX
	KMOVW   DX, K2
	SHRQ    $8, DX
	KMOVW   DX, K3
	SHRQ    $8, DX
	KMOVW   DX, K4
	VMOVUPD.Z (R9)(AX*1), K1, Z0
	VMOVUPD.Z 64(R9)(AX*1), K2, Z1
	VMOVUPD.Z 128(R9)(AX*1), K3, Z2
	VMOVUPD.Z 192(R9)(AX*1), K4, Z3
	EXP64X4
	VMOVUPD Z0, K1, (DI)(AX*1)
	VMOVUPD Z1, K2, 64(DI)(AX*1)
	VMOVUPD Z2, K3, 128(DI)(AX*1)
	VMOVUPD Z3, K4, 192(DI)(AX*1)
	ADDQ $256, AX
	SUBQ $32, CX
	JGT  masked

next:
	ADDQ R10, DI
	ADDQ R11, R9
	DECQ R13
	JNZ  row
	VZEROUPPER
	RET

// float32

#define CONST32 \
	VBROADCASTSS exp32<>+0(SB), Z28 \
	VBROADCASTSS exp32<>+4(SB), Z25 \
	VBROADCASTSS exp32<>+8(SB), Z26 \
	VBROADCASTSS exp32<>+12(SB), Z27 \
	VBROADCASTSS exp32<>+40(SB), Z30

// Z0… = exp(−γ·Z0…) for numbers ≥ 0: Z0… becomes r, Z8… n, Z16… the polynomial.
// The comparison is true for NaN.
#define EXP32X8 \
	VMULPS Z24, Z0, Z0                       \
	VMULPS Z24, Z1, Z1                       \
	VMULPS Z24, Z2, Z2                       \
	VMULPS Z24, Z3, Z3                       \
	VMULPS Z24, Z4, Z4                       \
	VMULPS Z24, Z5, Z5                       \
	VMULPS Z24, Z6, Z6                       \
	VMULPS Z24, Z7, Z7                       \
	VMULPS Z25, Z0, Z8                       \
	VMULPS Z25, Z1, Z9                       \
	VMULPS Z25, Z2, Z10                      \
	VMULPS Z25, Z3, Z11                      \
	VMULPS Z25, Z4, Z12                      \
	VMULPS Z25, Z5, Z13                      \
	VMULPS Z25, Z6, Z14                      \
	VMULPS Z25, Z7, Z15                      \
	VRNDSCALEPS $8, Z8, Z8                   \
	VRNDSCALEPS $8, Z9, Z9                   \
	VRNDSCALEPS $8, Z10, Z10                 \
	VRNDSCALEPS $8, Z11, Z11                 \
	VRNDSCALEPS $8, Z12, Z12                 \
	VRNDSCALEPS $8, Z13, Z13                 \
	VRNDSCALEPS $8, Z14, Z14                 \
	VRNDSCALEPS $8, Z15, Z15                 \
	VFNMADD231PS Z26, Z8, Z0                 \
	VFNMADD231PS Z26, Z9, Z1                 \
	VFNMADD231PS Z26, Z10, Z2                \
	VFNMADD231PS Z26, Z11, Z3                \
	VFNMADD231PS Z26, Z12, Z4                \
	VFNMADD231PS Z26, Z13, Z5                \
	VFNMADD231PS Z26, Z14, Z6                \
	VFNMADD231PS Z26, Z15, Z7                \
	VFNMADD231PS Z27, Z8, Z0                 \
	VFNMADD231PS Z27, Z9, Z1                 \
	VFNMADD231PS Z27, Z10, Z2                \
	VFNMADD231PS Z27, Z11, Z3                \
	VFNMADD231PS Z27, Z12, Z4                \
	VFNMADD231PS Z27, Z13, Z5                \
	VFNMADD231PS Z27, Z14, Z6                \
	VFNMADD231PS Z27, Z15, Z7                \
	VBROADCASTSS exp32<>+32(SB), Z16         \
	VBROADCASTSS exp32<>+32(SB), Z17         \
	VBROADCASTSS exp32<>+32(SB), Z18         \
	VBROADCASTSS exp32<>+32(SB), Z19         \
	VBROADCASTSS exp32<>+32(SB), Z20         \
	VBROADCASTSS exp32<>+32(SB), Z21         \
	VBROADCASTSS exp32<>+32(SB), Z22         \
	VBROADCASTSS exp32<>+32(SB), Z23         \
	VFMADD213PS.BCST exp32<>+28(SB), Z0, Z16 \
	VFMADD213PS.BCST exp32<>+28(SB), Z1, Z17 \
	VFMADD213PS.BCST exp32<>+28(SB), Z2, Z18 \
	VFMADD213PS.BCST exp32<>+28(SB), Z3, Z19 \
	VFMADD213PS.BCST exp32<>+28(SB), Z4, Z20 \
	VFMADD213PS.BCST exp32<>+28(SB), Z5, Z21 \
	VFMADD213PS.BCST exp32<>+28(SB), Z6, Z22 \
	VFMADD213PS.BCST exp32<>+28(SB), Z7, Z23 \
	VFMADD213PS.BCST exp32<>+24(SB), Z0, Z16 \
	VFMADD213PS.BCST exp32<>+24(SB), Z1, Z17 \
	VFMADD213PS.BCST exp32<>+24(SB), Z2, Z18 \
	VFMADD213PS.BCST exp32<>+24(SB), Z3, Z19 \
	VFMADD213PS.BCST exp32<>+24(SB), Z4, Z20 \
	VFMADD213PS.BCST exp32<>+24(SB), Z5, Z21 \
	VFMADD213PS.BCST exp32<>+24(SB), Z6, Z22 \
	VFMADD213PS.BCST exp32<>+24(SB), Z7, Z23 \
	VFMADD213PS.BCST exp32<>+20(SB), Z0, Z16 \
	VFMADD213PS.BCST exp32<>+20(SB), Z1, Z17 \
	VFMADD213PS.BCST exp32<>+20(SB), Z2, Z18 \
	VFMADD213PS.BCST exp32<>+20(SB), Z3, Z19 \
	VFMADD213PS.BCST exp32<>+20(SB), Z4, Z20 \
	VFMADD213PS.BCST exp32<>+20(SB), Z5, Z21 \
	VFMADD213PS.BCST exp32<>+20(SB), Z6, Z22 \
	VFMADD213PS.BCST exp32<>+20(SB), Z7, Z23 \
	VFMADD213PS.BCST exp32<>+16(SB), Z0, Z16 \
	VFMADD213PS.BCST exp32<>+16(SB), Z1, Z17 \
	VFMADD213PS.BCST exp32<>+16(SB), Z2, Z18 \
	VFMADD213PS.BCST exp32<>+16(SB), Z3, Z19 \
	VFMADD213PS.BCST exp32<>+16(SB), Z4, Z20 \
	VFMADD213PS.BCST exp32<>+16(SB), Z5, Z21 \
	VFMADD213PS.BCST exp32<>+16(SB), Z6, Z22 \
	VFMADD213PS.BCST exp32<>+16(SB), Z7, Z23 \
	VFMADD213PS.BCST exp32<>+36(SB), Z0, Z16 \
	VFMADD213PS.BCST exp32<>+36(SB), Z1, Z17 \
	VFMADD213PS.BCST exp32<>+36(SB), Z2, Z18 \
	VFMADD213PS.BCST exp32<>+36(SB), Z3, Z19 \
	VFMADD213PS.BCST exp32<>+36(SB), Z4, Z20 \
	VFMADD213PS.BCST exp32<>+36(SB), Z5, Z21 \
	VFMADD213PS.BCST exp32<>+36(SB), Z6, Z22 \
	VFMADD213PS.BCST exp32<>+36(SB), Z7, Z23 \
	VFMADD213PS.BCST exp32<>+36(SB), Z0, Z16 \
	VFMADD213PS.BCST exp32<>+36(SB), Z1, Z17 \
	VFMADD213PS.BCST exp32<>+36(SB), Z2, Z18 \
	VFMADD213PS.BCST exp32<>+36(SB), Z3, Z19 \
	VFMADD213PS.BCST exp32<>+36(SB), Z4, Z20 \
	VFMADD213PS.BCST exp32<>+36(SB), Z5, Z21 \
	VFMADD213PS.BCST exp32<>+36(SB), Z6, Z22 \
	VFMADD213PS.BCST exp32<>+36(SB), Z7, Z23 \
	VCMPPS $5, Z28, Z8, K5                   \
	VSCALEFPS.Z Z8, Z16, K5, Z0              \
	VCMPPS $5, Z28, Z9, K6                   \
	VSCALEFPS.Z Z9, Z17, K6, Z1              \
	VCMPPS $5, Z28, Z10, K5                  \
	VSCALEFPS.Z Z10, Z18, K5, Z2             \
	VCMPPS $5, Z28, Z11, K6                  \
	VSCALEFPS.Z Z11, Z19, K6, Z3             \
	VCMPPS $5, Z28, Z12, K5                  \
	VSCALEFPS.Z Z12, Z20, K5, Z4             \
	VCMPPS $5, Z28, Z13, K6                  \
	VSCALEFPS.Z Z13, Z21, K6, Z5             \
	VCMPPS $5, Z28, Z14, K5                  \
	VSCALEFPS.Z Z14, Z22, K5, Z6             \
	VCMPPS $5, Z28, Z15, K6                  \
	VSCALEFPS.Z Z15, Z23, K6, Z7            

// Z0… = exp(−γ·Z0…) for numbers ≥ 0: Z0… becomes r, Z8… n, Z16… the polynomial.
// The comparison is true for NaN.
#define EXP32X4 \
	VMULPS Z24, Z0, Z0                       \
	VMULPS Z24, Z1, Z1                       \
	VMULPS Z24, Z2, Z2                       \
	VMULPS Z24, Z3, Z3                       \
	VMULPS Z25, Z0, Z8                       \
	VMULPS Z25, Z1, Z9                       \
	VMULPS Z25, Z2, Z10                      \
	VMULPS Z25, Z3, Z11                      \
	VRNDSCALEPS $8, Z8, Z8                   \
	VRNDSCALEPS $8, Z9, Z9                   \
	VRNDSCALEPS $8, Z10, Z10                 \
	VRNDSCALEPS $8, Z11, Z11                 \
	VFNMADD231PS Z26, Z8, Z0                 \
	VFNMADD231PS Z26, Z9, Z1                 \
	VFNMADD231PS Z26, Z10, Z2                \
	VFNMADD231PS Z26, Z11, Z3                \
	VFNMADD231PS Z27, Z8, Z0                 \
	VFNMADD231PS Z27, Z9, Z1                 \
	VFNMADD231PS Z27, Z10, Z2                \
	VFNMADD231PS Z27, Z11, Z3                \
	VBROADCASTSS exp32<>+32(SB), Z16         \
	VBROADCASTSS exp32<>+32(SB), Z17         \
	VBROADCASTSS exp32<>+32(SB), Z18         \
	VBROADCASTSS exp32<>+32(SB), Z19         \
	VFMADD213PS.BCST exp32<>+28(SB), Z0, Z16 \
	VFMADD213PS.BCST exp32<>+28(SB), Z1, Z17 \
	VFMADD213PS.BCST exp32<>+28(SB), Z2, Z18 \
	VFMADD213PS.BCST exp32<>+28(SB), Z3, Z19 \
	VFMADD213PS.BCST exp32<>+24(SB), Z0, Z16 \
	VFMADD213PS.BCST exp32<>+24(SB), Z1, Z17 \
	VFMADD213PS.BCST exp32<>+24(SB), Z2, Z18 \
	VFMADD213PS.BCST exp32<>+24(SB), Z3, Z19 \
	VFMADD213PS.BCST exp32<>+20(SB), Z0, Z16 \
	VFMADD213PS.BCST exp32<>+20(SB), Z1, Z17 \
	VFMADD213PS.BCST exp32<>+20(SB), Z2, Z18 \
	VFMADD213PS.BCST exp32<>+20(SB), Z3, Z19 \
	VFMADD213PS.BCST exp32<>+16(SB), Z0, Z16 \
	VFMADD213PS.BCST exp32<>+16(SB), Z1, Z17 \
	VFMADD213PS.BCST exp32<>+16(SB), Z2, Z18 \
	VFMADD213PS.BCST exp32<>+16(SB), Z3, Z19 \
	VFMADD213PS.BCST exp32<>+36(SB), Z0, Z16 \
	VFMADD213PS.BCST exp32<>+36(SB), Z1, Z17 \
	VFMADD213PS.BCST exp32<>+36(SB), Z2, Z18 \
	VFMADD213PS.BCST exp32<>+36(SB), Z3, Z19 \
	VFMADD213PS.BCST exp32<>+36(SB), Z0, Z16 \
	VFMADD213PS.BCST exp32<>+36(SB), Z1, Z17 \
	VFMADD213PS.BCST exp32<>+36(SB), Z2, Z18 \
	VFMADD213PS.BCST exp32<>+36(SB), Z3, Z19 \
	VCMPPS $5, Z28, Z8, K5                   \
	VSCALEFPS.Z Z8, Z16, K5, Z0              \
	VCMPPS $5, Z28, Z9, K6                   \
	VSCALEFPS.Z Z9, Z17, K6, Z1              \
	VCMPPS $5, Z28, Z10, K5                  \
	VSCALEFPS.Z Z10, Z18, K5, Z2             \
	VCMPPS $5, Z28, Z11, K6                  \
	VSCALEFPS.Z Z11, Z19, K6, Z3            

// dst = exp(−γ·max(0, (xn+zn)−2s)). The maximum passes NaN on.
// func gauss32AVX512(dst *float32, ldd int, s *float32, lds int, xn *float32, zn *float32, rows int, cols int, gamma float32)
TEXT ·gauss32AVX512(SB), NOSPLIT, $0-68
	MOVQ dst+0(FP), DI
	MOVQ ldd+8(FP), R10
	MOVQ s+16(FP), R9
	MOVQ lds+24(FP), R11
	SHLQ $2, R10
	SHLQ $2, R11
	MOVQ rows+48(FP), R13
	MOVQ xn+32(FP), R12
	MOVQ zn+40(FP), BX
	VPXORQ Z29, Z29, Z29
	VBROADCASTSS gamma+64(FP), Z24
	VSUBPS Z24, Z29, Z24 // −γ
	CONST32

row:
	MOVQ cols+56(FP), CX
	XORQ AX, AX
	VBROADCASTSS (R12), Z31
	SUBQ $128, CX
	JLT  tail

eight:
	VADDPS (BX)(AX*1), Z31, Z0
	VFNMADD231PS (R9)(AX*1), Z30, Z0
	VMAXPS Z0, Z29, Z0
	VADDPS 64(BX)(AX*1), Z31, Z1
	VFNMADD231PS 64(R9)(AX*1), Z30, Z1
	VMAXPS Z1, Z29, Z1
	VADDPS 128(BX)(AX*1), Z31, Z2
	VFNMADD231PS 128(R9)(AX*1), Z30, Z2
	VMAXPS Z2, Z29, Z2
	VADDPS 192(BX)(AX*1), Z31, Z3
	VFNMADD231PS 192(R9)(AX*1), Z30, Z3
	VMAXPS Z3, Z29, Z3
	VADDPS 256(BX)(AX*1), Z31, Z4
	VFNMADD231PS 256(R9)(AX*1), Z30, Z4
	VMAXPS Z4, Z29, Z4
	VADDPS 320(BX)(AX*1), Z31, Z5
	VFNMADD231PS 320(R9)(AX*1), Z30, Z5
	VMAXPS Z5, Z29, Z5
	VADDPS 384(BX)(AX*1), Z31, Z6
	VFNMADD231PS 384(R9)(AX*1), Z30, Z6
	VMAXPS Z6, Z29, Z6
	VADDPS 448(BX)(AX*1), Z31, Z7
	VFNMADD231PS 448(R9)(AX*1), Z30, Z7
	VMAXPS Z7, Z29, Z7
	EXP32X8
	VMOVUPS Z0, (DI)(AX*1)
	VMOVUPS Z1, 64(DI)(AX*1)
	VMOVUPS Z2, 128(DI)(AX*1)
	VMOVUPS Z3, 192(DI)(AX*1)
	VMOVUPS Z4, 256(DI)(AX*1)
	VMOVUPS Z5, 320(DI)(AX*1)
	VMOVUPS Z6, 384(DI)(AX*1)
	VMOVUPS Z7, 448(DI)(AX*1)
	ADDQ $512, AX
	SUBQ $128, CX
	JGE  eight

tail:
	ADDQ $128, CX
	JZ   next

masked:
	MOVQ    $-1, DX
	MOVQ    $64, R8
	CMPQ    CX, R8
	CMOVQLT CX, R8
	BZHIQ   R8, DX, DX
	KMOVW   DX, K1
	SHRQ    $16, DX
	KMOVW   DX, K2
	SHRQ    $16, DX
	KMOVW   DX, K3
	SHRQ    $16, DX
	KMOVW   DX, K4
	VMOVUPS.Z (BX)(AX*1), K1, Z0
	VMOVUPS.Z (R9)(AX*1), K1, Z8
	VADDPS Z31, Z0, Z0
	VFNMADD231PS Z8, Z30, Z0
	VMAXPS Z0, Z29, Z0
	VMOVUPS.Z 64(BX)(AX*1), K2, Z1
	VMOVUPS.Z 64(R9)(AX*1), K2, Z9
	VADDPS Z31, Z1, Z1
	VFNMADD231PS Z9, Z30, Z1
	VMAXPS Z1, Z29, Z1
	VMOVUPS.Z 128(BX)(AX*1), K3, Z2
	VMOVUPS.Z 128(R9)(AX*1), K3, Z10
	VADDPS Z31, Z2, Z2
	VFNMADD231PS Z10, Z30, Z2
	VMAXPS Z2, Z29, Z2
	VMOVUPS.Z 192(BX)(AX*1), K4, Z3
	VMOVUPS.Z 192(R9)(AX*1), K4, Z11
	VADDPS Z31, Z3, Z3
	VFNMADD231PS Z11, Z30, Z3
	VMAXPS Z3, Z29, Z3
	EXP32X4
	VMOVUPS Z0, K1, (DI)(AX*1)
	VMOVUPS Z1, K2, 64(DI)(AX*1)
	VMOVUPS Z2, K3, 128(DI)(AX*1)
	VMOVUPS Z3, K4, 192(DI)(AX*1)
	ADDQ $256, AX
	SUBQ $64, CX
	JGT  masked

next:
	ADDQ R10, DI
	ADDQ R11, R9
	ADDQ $4, R12
	DECQ R13
	JNZ  row
	VZEROUPPER
	RET

// dst = exp(−γ·s), s ≥ 0.
// func exp32AVX512(dst *float32, ldd int, s *float32, lds int, rows int, cols int, gamma float32)
TEXT ·exp32AVX512(SB), NOSPLIT, $0-52
	MOVQ dst+0(FP), DI
	MOVQ ldd+8(FP), R10
	MOVQ s+16(FP), R9
	MOVQ lds+24(FP), R11
	SHLQ $2, R10
	SHLQ $2, R11
	MOVQ rows+32(FP), R13
	VPXORQ Z29, Z29, Z29
	VBROADCASTSS gamma+48(FP), Z24
	VSUBPS Z24, Z29, Z24 // −γ
	CONST32

row:
	MOVQ cols+40(FP), CX
	XORQ AX, AX
	SUBQ $128, CX
	JLT  tail

eight:
	VMOVUPS (R9)(AX*1), Z0
	VMOVUPS 64(R9)(AX*1), Z1
	VMOVUPS 128(R9)(AX*1), Z2
	VMOVUPS 192(R9)(AX*1), Z3
	VMOVUPS 256(R9)(AX*1), Z4
	VMOVUPS 320(R9)(AX*1), Z5
	VMOVUPS 384(R9)(AX*1), Z6
	VMOVUPS 448(R9)(AX*1), Z7
	EXP32X8
	VMOVUPS Z0, (DI)(AX*1)
	VMOVUPS Z1, 64(DI)(AX*1)
	VMOVUPS Z2, 128(DI)(AX*1)
	VMOVUPS Z3, 192(DI)(AX*1)
	VMOVUPS Z4, 256(DI)(AX*1)
	VMOVUPS Z5, 320(DI)(AX*1)
	VMOVUPS Z6, 384(DI)(AX*1)
	VMOVUPS Z7, 448(DI)(AX*1)
	ADDQ $512, AX
	SUBQ $128, CX
	JGE  eight

tail:
	ADDQ $128, CX
	JZ   next

masked:
	MOVQ    $-1, DX
	MOVQ    $64, R8
	CMPQ    CX, R8
	CMOVQLT CX, R8
	BZHIQ   R8, DX, DX
	KMOVW   DX, K1
	SHRQ    $16, DX
	KMOVW   DX, K2
	SHRQ    $16, DX
	KMOVW   DX, K3
	SHRQ    $16, DX
	KMOVW   DX, K4
	VMOVUPS.Z (R9)(AX*1), K1, Z0
	VMOVUPS.Z 64(R9)(AX*1), K2, Z1
	VMOVUPS.Z 128(R9)(AX*1), K3, Z2
	VMOVUPS.Z 192(R9)(AX*1), K4, Z3
	EXP32X4
	VMOVUPS Z0, K1, (DI)(AX*1)
	VMOVUPS Z1, K2, 64(DI)(AX*1)
	VMOVUPS Z2, K3, 128(DI)(AX*1)
	VMOVUPS Z3, K4, 192(DI)(AX*1)
	ADDQ $256, AX
	SUBQ $64, CX
	JGT  masked

next:
	ADDQ R10, DI
	ADDQ R11, R9
	DECQ R13
	JNZ  row
	VZEROUPPER
	RET
