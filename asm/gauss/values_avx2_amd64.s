//go:build !noasm

#include "textflag.h"

// Functions of the sums of a strip, row by row, and sums over the strip with
// weights. See doc.go. Whole groups of four vectors first, so that four
// independent chains of exp are in flight; then one vector at a time, the last
// one by masked moves. Nothing outside the rows is written, nor read but under
// a mask.

// Constants of exp, four or eight times each: the least exponent n of
// a result (below it the result is 0), log2(e), ln 2 as a sum of two, the coefficients of r², r³, … and 1, 2, then
// the number whose sum with an integer has that integer in its low bits.
DATA exp64v<>+0(SB)/8, $0xc08fe80000000000 // -1021
DATA exp64v<>+8(SB)/8, $0xc08fe80000000000
DATA exp64v<>+16(SB)/8, $0xc08fe80000000000
DATA exp64v<>+24(SB)/8, $0xc08fe80000000000
DATA exp64v<>+32(SB)/8, $0x3ff71547652b82fe // log2(e) 1.4426950408889634
DATA exp64v<>+40(SB)/8, $0x3ff71547652b82fe
DATA exp64v<>+48(SB)/8, $0x3ff71547652b82fe
DATA exp64v<>+56(SB)/8, $0x3ff71547652b82fe
DATA exp64v<>+64(SB)/8, $0x3fe62e42fee00000 // ln 2, high 33 bits 0.6931471803691238
DATA exp64v<>+72(SB)/8, $0x3fe62e42fee00000
DATA exp64v<>+80(SB)/8, $0x3fe62e42fee00000
DATA exp64v<>+88(SB)/8, $0x3fe62e42fee00000
DATA exp64v<>+96(SB)/8, $0x3dea39ef35793c76 // ln 2, rest 1.9082149292705877e-10
DATA exp64v<>+104(SB)/8, $0x3dea39ef35793c76
DATA exp64v<>+112(SB)/8, $0x3dea39ef35793c76
DATA exp64v<>+120(SB)/8, $0x3dea39ef35793c76
DATA exp64v<>+128(SB)/8, $0x3fe000000000000a // 0.5000000000000011
DATA exp64v<>+136(SB)/8, $0x3fe000000000000a
DATA exp64v<>+144(SB)/8, $0x3fe000000000000a
DATA exp64v<>+152(SB)/8, $0x3fe000000000000a
DATA exp64v<>+160(SB)/8, $0x3fc55555555554fa // 0.16666666666666413
DATA exp64v<>+168(SB)/8, $0x3fc55555555554fa
DATA exp64v<>+176(SB)/8, $0x3fc55555555554fa
DATA exp64v<>+184(SB)/8, $0x3fc55555555554fa
DATA exp64v<>+192(SB)/8, $0x3fa555555555086d // 0.04166666666653005
DATA exp64v<>+200(SB)/8, $0x3fa555555555086d
DATA exp64v<>+208(SB)/8, $0x3fa555555555086d
DATA exp64v<>+216(SB)/8, $0x3fa555555555086d
DATA exp64v<>+224(SB)/8, $0x3f81111111127c30 // 0.008333333333494591
DATA exp64v<>+232(SB)/8, $0x3f81111111127c30
DATA exp64v<>+240(SB)/8, $0x3f81111111127c30
DATA exp64v<>+248(SB)/8, $0x3f81111111127c30
DATA exp64v<>+256(SB)/8, $0x3f56c16c1842db78 // 0.0013888888943662508
DATA exp64v<>+264(SB)/8, $0x3f56c16c1842db78
DATA exp64v<>+272(SB)/8, $0x3f56c16c1842db78
DATA exp64v<>+280(SB)/8, $0x3f56c16c1842db78
DATA exp64v<>+288(SB)/8, $0x3f2a01a012a4562c // 0.00019841269506375278
DATA exp64v<>+296(SB)/8, $0x3f2a01a012a4562c
DATA exp64v<>+304(SB)/8, $0x3f2a01a012a4562c
DATA exp64v<>+312(SB)/8, $0x3f2a01a012a4562c
DATA exp64v<>+320(SB)/8, $0x3efa0199a01ea9df // 2.4801493061646598e-05
DATA exp64v<>+328(SB)/8, $0x3efa0199a01ea9df
DATA exp64v<>+336(SB)/8, $0x3efa0199a01ea9df
DATA exp64v<>+344(SB)/8, $0x3efa0199a01ea9df
DATA exp64v<>+352(SB)/8, $0x3ec71df256aea285 // 2.7557586483493946e-06
DATA exp64v<>+360(SB)/8, $0x3ec71df256aea285
DATA exp64v<>+368(SB)/8, $0x3ec71df256aea285
DATA exp64v<>+376(SB)/8, $0x3ec71df256aea285
DATA exp64v<>+384(SB)/8, $0x3e928ad7cf7b0e73 // 2.763026283154073e-07
DATA exp64v<>+392(SB)/8, $0x3e928ad7cf7b0e73
DATA exp64v<>+400(SB)/8, $0x3e928ad7cf7b0e73
DATA exp64v<>+408(SB)/8, $0x3e928ad7cf7b0e73
DATA exp64v<>+416(SB)/8, $0x3e5ad7f6234010ea // 2.5000050210569507e-08
DATA exp64v<>+424(SB)/8, $0x3e5ad7f6234010ea
DATA exp64v<>+432(SB)/8, $0x3e5ad7f6234010ea
DATA exp64v<>+440(SB)/8, $0x3e5ad7f6234010ea
DATA exp64v<>+448(SB)/8, $0x3ff0000000000000 // 1
DATA exp64v<>+456(SB)/8, $0x3ff0000000000000
DATA exp64v<>+464(SB)/8, $0x3ff0000000000000
DATA exp64v<>+472(SB)/8, $0x3ff0000000000000
DATA exp64v<>+480(SB)/8, $0x4000000000000000 // 2
DATA exp64v<>+488(SB)/8, $0x4000000000000000
DATA exp64v<>+496(SB)/8, $0x4000000000000000
DATA exp64v<>+504(SB)/8, $0x4000000000000000
DATA exp64v<>+512(SB)/8, $0x4338000000000000 // 1.5·2⁵²
DATA exp64v<>+520(SB)/8, $0x4338000000000000
DATA exp64v<>+528(SB)/8, $0x4338000000000000
DATA exp64v<>+536(SB)/8, $0x4338000000000000
GLOBL exp64v<>(SB), RODATA|NOPTR, $544

DATA exp32v<>+0(SB)/8, $0xc2fa0000c2fa0000 // -125
DATA exp32v<>+8(SB)/8, $0xc2fa0000c2fa0000
DATA exp32v<>+16(SB)/8, $0xc2fa0000c2fa0000
DATA exp32v<>+24(SB)/8, $0xc2fa0000c2fa0000
DATA exp32v<>+32(SB)/8, $0x3fb8aa3b3fb8aa3b // log2(e) 1.44269504
DATA exp32v<>+40(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA exp32v<>+48(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA exp32v<>+56(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA exp32v<>+64(SB)/8, $0x3f3180003f318000 // ln 2, high 10 bits 0.693359375
DATA exp32v<>+72(SB)/8, $0x3f3180003f318000
DATA exp32v<>+80(SB)/8, $0x3f3180003f318000
DATA exp32v<>+88(SB)/8, $0x3f3180003f318000
DATA exp32v<>+96(SB)/8, $0xb95e8083b95e8083 // ln 2, rest -0.00021219444005469057
DATA exp32v<>+104(SB)/8, $0xb95e8083b95e8083
DATA exp32v<>+112(SB)/8, $0xb95e8083b95e8083
DATA exp32v<>+120(SB)/8, $0xb95e8083b95e8083
DATA exp32v<>+128(SB)/8, $0x3efffffe3efffffe // 0.49999994
DATA exp32v<>+136(SB)/8, $0x3efffffe3efffffe
DATA exp32v<>+144(SB)/8, $0x3efffffe3efffffe
DATA exp32v<>+152(SB)/8, $0x3efffffe3efffffe
DATA exp32v<>+160(SB)/8, $0x3e2aaa493e2aaa49 // 0.16666521
DATA exp32v<>+168(SB)/8, $0x3e2aaa493e2aaa49
DATA exp32v<>+176(SB)/8, $0x3e2aaa493e2aaa49
DATA exp32v<>+184(SB)/8, $0x3e2aaa493e2aaa49
DATA exp32v<>+192(SB)/8, $0x3d2aac793d2aac79 // 0.041668389
DATA exp32v<>+200(SB)/8, $0x3d2aac793d2aac79
DATA exp32v<>+208(SB)/8, $0x3d2aac793d2aac79
DATA exp32v<>+216(SB)/8, $0x3d2aac793d2aac79
DATA exp32v<>+224(SB)/8, $0x3c091cf93c091cf9 // 0.0083687240
DATA exp32v<>+232(SB)/8, $0x3c091cf93c091cf9
DATA exp32v<>+240(SB)/8, $0x3c091cf93c091cf9
DATA exp32v<>+248(SB)/8, $0x3c091cf93c091cf9
DATA exp32v<>+256(SB)/8, $0x3ab512153ab51215 // 0.0013814593
DATA exp32v<>+264(SB)/8, $0x3ab512153ab51215
DATA exp32v<>+272(SB)/8, $0x3ab512153ab51215
DATA exp32v<>+280(SB)/8, $0x3ab512153ab51215
DATA exp32v<>+288(SB)/8, $0x3f8000003f800000 // 1
DATA exp32v<>+296(SB)/8, $0x3f8000003f800000
DATA exp32v<>+304(SB)/8, $0x3f8000003f800000
DATA exp32v<>+312(SB)/8, $0x3f8000003f800000
DATA exp32v<>+320(SB)/8, $0x4000000040000000 // 2
DATA exp32v<>+328(SB)/8, $0x4000000040000000
DATA exp32v<>+336(SB)/8, $0x4000000040000000
DATA exp32v<>+344(SB)/8, $0x4000000040000000
DATA exp32v<>+352(SB)/8, $0x4b4000004b400000 // 1.5·2²³
DATA exp32v<>+360(SB)/8, $0x4b4000004b400000
DATA exp32v<>+368(SB)/8, $0x4b4000004b400000
DATA exp32v<>+376(SB)/8, $0x4b4000004b400000
GLOBL exp32v<>(SB), RODATA|NOPTR, $384

// a window into this is the mask of the first numbers of a vector
DATA window64<>+0(SB)/8, $0xffffffffffffffff
DATA window64<>+8(SB)/8, $0xffffffffffffffff
DATA window64<>+16(SB)/8, $0xffffffffffffffff
DATA window64<>+24(SB)/8, $0xffffffffffffffff
DATA window64<>+32(SB)/8, $0x0
DATA window64<>+40(SB)/8, $0x0
DATA window64<>+48(SB)/8, $0x0
DATA window64<>+56(SB)/8, $0x0
GLOBL window64<>(SB), RODATA|NOPTR, $64

DATA window32<>+0(SB)/8, $0xffffffffffffffff
DATA window32<>+8(SB)/8, $0xffffffffffffffff
DATA window32<>+16(SB)/8, $0xffffffffffffffff
DATA window32<>+24(SB)/8, $0xffffffffffffffff
DATA window32<>+32(SB)/8, $0x0
DATA window32<>+40(SB)/8, $0x0
DATA window32<>+48(SB)/8, $0x0
DATA window32<>+56(SB)/8, $0x0
GLOBL window32<>(SB), RODATA|NOPTR, $64

// Registers: DI row of dst, R9 row of s, R10, R11 their distances in bytes,
// R12 xn, BX zn, R13 rows left, CX columns left, AX offset in bytes. Y12 −γ,
// Y13 xn, Y14 0, Y15 the mask of the last vector.

// float64

// Y0… = exp(−γ·Y0…) for numbers ≥ 0; 0 where that is below the normal numbers.
// Y8… is first the comparison, with which the scale 2ⁿ in Y4… is made 0. The
// comparison is true for NaN, and r is kept from being one for infinite sums.
#define EXP64X4 \
	VMULPD Y12, Y0, Y0                    \
	VMULPD Y12, Y1, Y1                    \
	VMULPD Y12, Y2, Y2                    \
	VMULPD Y12, Y3, Y3                    \
	VMULPD exp64v<>+32(SB), Y0, Y4        \
	VMULPD exp64v<>+32(SB), Y1, Y5        \
	VMULPD exp64v<>+32(SB), Y2, Y6        \
	VMULPD exp64v<>+32(SB), Y3, Y7        \
	VROUNDPD $8, Y4, Y4                   \
	VROUNDPD $8, Y5, Y5                   \
	VROUNDPD $8, Y6, Y6                   \
	VROUNDPD $8, Y7, Y7                   \
	VCMPPD $5, exp64v<>+0(SB), Y4, Y8     \
	VCMPPD $5, exp64v<>+0(SB), Y5, Y9     \
	VCMPPD $5, exp64v<>+0(SB), Y6, Y10    \
	VCMPPD $5, exp64v<>+0(SB), Y7, Y11    \
	VANDPD Y8, Y4, Y4                     \
	VANDPD Y9, Y5, Y5                     \
	VANDPD Y10, Y6, Y6                    \
	VANDPD Y11, Y7, Y7                    \
	VANDPD Y8, Y0, Y0                     \
	VANDPD Y9, Y1, Y1                     \
	VANDPD Y10, Y2, Y2                    \
	VANDPD Y11, Y3, Y3                    \
	VFNMADD231PD exp64v<>+64(SB), Y4, Y0  \
	VFNMADD231PD exp64v<>+64(SB), Y5, Y1  \
	VFNMADD231PD exp64v<>+64(SB), Y6, Y2  \
	VFNMADD231PD exp64v<>+64(SB), Y7, Y3  \
	VFNMADD231PD exp64v<>+96(SB), Y4, Y0  \
	VFNMADD231PD exp64v<>+96(SB), Y5, Y1  \
	VFNMADD231PD exp64v<>+96(SB), Y6, Y2  \
	VFNMADD231PD exp64v<>+96(SB), Y7, Y3  \
	VADDPD exp64v<>+512(SB), Y4, Y4       \
	VADDPD exp64v<>+512(SB), Y5, Y5       \
	VADDPD exp64v<>+512(SB), Y6, Y6       \
	VADDPD exp64v<>+512(SB), Y7, Y7       \
	VPSLLQ $52, Y4, Y4                    \
	VPSLLQ $52, Y5, Y5                    \
	VPSLLQ $52, Y6, Y6                    \
	VPSLLQ $52, Y7, Y7                    \
	VPADDQ exp64v<>+448(SB), Y4, Y4       \
	VPADDQ exp64v<>+448(SB), Y5, Y5       \
	VPADDQ exp64v<>+448(SB), Y6, Y6       \
	VPADDQ exp64v<>+448(SB), Y7, Y7       \
	VANDPD Y8, Y4, Y4                     \
	VANDPD Y9, Y5, Y5                     \
	VANDPD Y10, Y6, Y6                    \
	VANDPD Y11, Y7, Y7                    \
	VMOVUPD exp64v<>+416(SB), Y8          \
	VMOVUPD exp64v<>+416(SB), Y9          \
	VMOVUPD exp64v<>+416(SB), Y10         \
	VMOVUPD exp64v<>+416(SB), Y11         \
	VFMADD213PD exp64v<>+384(SB), Y0, Y8  \
	VFMADD213PD exp64v<>+384(SB), Y1, Y9  \
	VFMADD213PD exp64v<>+384(SB), Y2, Y10 \
	VFMADD213PD exp64v<>+384(SB), Y3, Y11 \
	VFMADD213PD exp64v<>+352(SB), Y0, Y8  \
	VFMADD213PD exp64v<>+352(SB), Y1, Y9  \
	VFMADD213PD exp64v<>+352(SB), Y2, Y10 \
	VFMADD213PD exp64v<>+352(SB), Y3, Y11 \
	VFMADD213PD exp64v<>+320(SB), Y0, Y8  \
	VFMADD213PD exp64v<>+320(SB), Y1, Y9  \
	VFMADD213PD exp64v<>+320(SB), Y2, Y10 \
	VFMADD213PD exp64v<>+320(SB), Y3, Y11 \
	VFMADD213PD exp64v<>+288(SB), Y0, Y8  \
	VFMADD213PD exp64v<>+288(SB), Y1, Y9  \
	VFMADD213PD exp64v<>+288(SB), Y2, Y10 \
	VFMADD213PD exp64v<>+288(SB), Y3, Y11 \
	VFMADD213PD exp64v<>+256(SB), Y0, Y8  \
	VFMADD213PD exp64v<>+256(SB), Y1, Y9  \
	VFMADD213PD exp64v<>+256(SB), Y2, Y10 \
	VFMADD213PD exp64v<>+256(SB), Y3, Y11 \
	VFMADD213PD exp64v<>+224(SB), Y0, Y8  \
	VFMADD213PD exp64v<>+224(SB), Y1, Y9  \
	VFMADD213PD exp64v<>+224(SB), Y2, Y10 \
	VFMADD213PD exp64v<>+224(SB), Y3, Y11 \
	VFMADD213PD exp64v<>+192(SB), Y0, Y8  \
	VFMADD213PD exp64v<>+192(SB), Y1, Y9  \
	VFMADD213PD exp64v<>+192(SB), Y2, Y10 \
	VFMADD213PD exp64v<>+192(SB), Y3, Y11 \
	VFMADD213PD exp64v<>+160(SB), Y0, Y8  \
	VFMADD213PD exp64v<>+160(SB), Y1, Y9  \
	VFMADD213PD exp64v<>+160(SB), Y2, Y10 \
	VFMADD213PD exp64v<>+160(SB), Y3, Y11 \
	VFMADD213PD exp64v<>+128(SB), Y0, Y8  \
	VFMADD213PD exp64v<>+128(SB), Y1, Y9  \
	VFMADD213PD exp64v<>+128(SB), Y2, Y10 \
	VFMADD213PD exp64v<>+128(SB), Y3, Y11 \
	VFMADD213PD exp64v<>+448(SB), Y0, Y8  \
	VFMADD213PD exp64v<>+448(SB), Y1, Y9  \
	VFMADD213PD exp64v<>+448(SB), Y2, Y10 \
	VFMADD213PD exp64v<>+448(SB), Y3, Y11 \
	VFMADD213PD exp64v<>+448(SB), Y0, Y8  \
	VFMADD213PD exp64v<>+448(SB), Y1, Y9  \
	VFMADD213PD exp64v<>+448(SB), Y2, Y10 \
	VFMADD213PD exp64v<>+448(SB), Y3, Y11 \
	VMULPD Y4, Y8, Y0                     \
	VMULPD Y5, Y9, Y1                     \
	VMULPD Y6, Y10, Y2                    \
	VMULPD Y7, Y11, Y3                   

// Y0… = exp(−γ·Y0…) for numbers ≥ 0; 0 where that is below the normal numbers.
// Y8… is first the comparison, with which the scale 2ⁿ in Y4… is made 0. The
// comparison is true for NaN, and r is kept from being one for infinite sums.
#define EXP64X1 \
	VMULPD Y12, Y0, Y0                   \
	VMULPD exp64v<>+32(SB), Y0, Y4       \
	VROUNDPD $8, Y4, Y4                  \
	VCMPPD $5, exp64v<>+0(SB), Y4, Y8    \
	VANDPD Y8, Y4, Y4                    \
	VANDPD Y8, Y0, Y0                    \
	VFNMADD231PD exp64v<>+64(SB), Y4, Y0 \
	VFNMADD231PD exp64v<>+96(SB), Y4, Y0 \
	VADDPD exp64v<>+512(SB), Y4, Y4      \
	VPSLLQ $52, Y4, Y4                   \
	VPADDQ exp64v<>+448(SB), Y4, Y4      \
	VANDPD Y8, Y4, Y4                    \
	VMOVUPD exp64v<>+416(SB), Y8         \
	VFMADD213PD exp64v<>+384(SB), Y0, Y8 \
	VFMADD213PD exp64v<>+352(SB), Y0, Y8 \
	VFMADD213PD exp64v<>+320(SB), Y0, Y8 \
	VFMADD213PD exp64v<>+288(SB), Y0, Y8 \
	VFMADD213PD exp64v<>+256(SB), Y0, Y8 \
	VFMADD213PD exp64v<>+224(SB), Y0, Y8 \
	VFMADD213PD exp64v<>+192(SB), Y0, Y8 \
	VFMADD213PD exp64v<>+160(SB), Y0, Y8 \
	VFMADD213PD exp64v<>+128(SB), Y0, Y8 \
	VFMADD213PD exp64v<>+448(SB), Y0, Y8 \
	VFMADD213PD exp64v<>+448(SB), Y0, Y8 \
	VMULPD Y4, Y8, Y0                   

// dst = exp(−γ·max(0, (xn+zn)−2s)). The maximum passes NaN on.
// func gauss64AVX2(dst *float64, ldd int, s *float64, lds int, xn *float64, zn *float64, rows int, cols int, gamma float64)
TEXT ·gauss64AVX2(SB), NOSPLIT, $0-72
	MOVQ dst+0(FP), DI
	MOVQ ldd+8(FP), R10
	MOVQ s+16(FP), R9
	MOVQ lds+24(FP), R11
	SHLQ $3, R10
	SHLQ $3, R11
	MOVQ rows+48(FP), R13
	MOVQ xn+32(FP), R12
	MOVQ zn+40(FP), BX
	VXORPS Y14, Y14, Y14
	VBROADCASTSD gamma+64(FP), Y12
	VSUBPD Y12, Y14, Y12 // −γ
	LEAQ window64<>+32(SB), DX
	MOVQ cols+56(FP), AX
	ANDQ $3, AX
	SHLQ $3, AX
	SUBQ AX, DX
	VMOVUPD (DX), Y15 // mask of cols mod 4 numbers

row:
	MOVQ cols+56(FP), CX
	XORQ AX, AX
	VBROADCASTSD (R12), Y13
	SUBQ $16, CX
	JLT  tail

four:
	VMOVUPD (R9)(AX*1), Y4
	VADDPD (BX)(AX*1), Y13, Y0
	VFNMADD231PD exp64v<>+480(SB), Y4, Y0
	VMAXPD Y0, Y14, Y0
	VMOVUPD 32(R9)(AX*1), Y5
	VADDPD 32(BX)(AX*1), Y13, Y1
	VFNMADD231PD exp64v<>+480(SB), Y5, Y1
	VMAXPD Y1, Y14, Y1
	VMOVUPD 64(R9)(AX*1), Y6
	VADDPD 64(BX)(AX*1), Y13, Y2
	VFNMADD231PD exp64v<>+480(SB), Y6, Y2
	VMAXPD Y2, Y14, Y2
	VMOVUPD 96(R9)(AX*1), Y7
	VADDPD 96(BX)(AX*1), Y13, Y3
	VFNMADD231PD exp64v<>+480(SB), Y7, Y3
	VMAXPD Y3, Y14, Y3
	EXP64X4
	VMOVUPD Y0, (DI)(AX*1)
	VMOVUPD Y1, 32(DI)(AX*1)
	VMOVUPD Y2, 64(DI)(AX*1)
	VMOVUPD Y3, 96(DI)(AX*1)
	ADDQ $128, AX
	SUBQ $16, CX
	JGE  four

tail:
	ADDQ $16, CX
	JZ   next

one:
	SUBQ $4, CX
	JLT  last
	VMOVUPD (R9)(AX*1), Y4
	VADDPD (BX)(AX*1), Y13, Y0
	VFNMADD231PD exp64v<>+480(SB), Y4, Y0
	VMAXPD Y0, Y14, Y0
	EXP64X1
	VMOVUPD Y0, (DI)(AX*1)
	ADDQ $32, AX
	TESTQ CX, CX
	JNZ  one
	JMP  next

last:
	VMASKMOVPD (BX)(AX*1), Y15, Y0
	VMASKMOVPD (R9)(AX*1), Y15, Y4
	VADDPD Y13, Y0, Y0
	VFNMADD231PD exp64v<>+480(SB), Y4, Y0
	VMAXPD Y0, Y14, Y0
	EXP64X1
	VMASKMOVPD Y0, Y15, (DI)(AX*1)

next:
	ADDQ R10, DI
	ADDQ R11, R9
	ADDQ $8, R12
	DECQ R13
	JNZ  row
	VZEROUPPER
	RET

// dst = exp(−γ·s), s ≥ 0.
// func exp64AVX2(dst *float64, ldd int, s *float64, lds int, rows int, cols int, gamma float64)
TEXT ·exp64AVX2(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ ldd+8(FP), R10
	MOVQ s+16(FP), R9
	MOVQ lds+24(FP), R11
	SHLQ $3, R10
	SHLQ $3, R11
	MOVQ rows+32(FP), R13
	VXORPS Y14, Y14, Y14
	VBROADCASTSD gamma+48(FP), Y12
	VSUBPD Y12, Y14, Y12 // −γ
	LEAQ window64<>+32(SB), DX
	MOVQ cols+40(FP), AX
	ANDQ $3, AX
	SHLQ $3, AX
	SUBQ AX, DX
	VMOVUPD (DX), Y15 // mask of cols mod 4 numbers

row:
	MOVQ cols+40(FP), CX
	XORQ AX, AX
	SUBQ $16, CX
	JLT  tail

four:
	VMOVUPD (R9)(AX*1), Y0
	VMOVUPD 32(R9)(AX*1), Y1
	VMOVUPD 64(R9)(AX*1), Y2
	VMOVUPD 96(R9)(AX*1), Y3
	EXP64X4
	VMOVUPD Y0, (DI)(AX*1)
	VMOVUPD Y1, 32(DI)(AX*1)
	VMOVUPD Y2, 64(DI)(AX*1)
	VMOVUPD Y3, 96(DI)(AX*1)
	ADDQ $128, AX
	SUBQ $16, CX
	JGE  four

tail:
	ADDQ $16, CX
	JZ   next

one:
	SUBQ $4, CX
	JLT  last
	VMOVUPD (R9)(AX*1), Y0
	EXP64X1
	VMOVUPD Y0, (DI)(AX*1)
	ADDQ $32, AX
	TESTQ CX, CX
	JNZ  one
	JMP  next

last:
	VMASKMOVPD (R9)(AX*1), Y15, Y0
	EXP64X1
	VMASKMOVPD Y0, Y15, (DI)(AX*1)

next:
	ADDQ R10, DI
	ADDQ R11, R9
	DECQ R13
	JNZ  row
	VZEROUPPER
	RET

// float32

// Y0… = exp(−γ·Y0…) for numbers ≥ 0; 0 where that is below the normal numbers.
// Y8… is first the comparison, with which the scale 2ⁿ in Y4… is made 0. The
// comparison is true for NaN, and r is kept from being one for infinite sums.
#define EXP32X4 \
	VMULPS Y12, Y0, Y0                    \
	VMULPS Y12, Y1, Y1                    \
	VMULPS Y12, Y2, Y2                    \
	VMULPS Y12, Y3, Y3                    \
	VMULPS exp32v<>+32(SB), Y0, Y4        \
	VMULPS exp32v<>+32(SB), Y1, Y5        \
	VMULPS exp32v<>+32(SB), Y2, Y6        \
	VMULPS exp32v<>+32(SB), Y3, Y7        \
	VROUNDPS $8, Y4, Y4                   \
	VROUNDPS $8, Y5, Y5                   \
	VROUNDPS $8, Y6, Y6                   \
	VROUNDPS $8, Y7, Y7                   \
	VCMPPS $5, exp32v<>+0(SB), Y4, Y8     \
	VCMPPS $5, exp32v<>+0(SB), Y5, Y9     \
	VCMPPS $5, exp32v<>+0(SB), Y6, Y10    \
	VCMPPS $5, exp32v<>+0(SB), Y7, Y11    \
	VANDPS Y8, Y4, Y4                     \
	VANDPS Y9, Y5, Y5                     \
	VANDPS Y10, Y6, Y6                    \
	VANDPS Y11, Y7, Y7                    \
	VANDPS Y8, Y0, Y0                     \
	VANDPS Y9, Y1, Y1                     \
	VANDPS Y10, Y2, Y2                    \
	VANDPS Y11, Y3, Y3                    \
	VFNMADD231PS exp32v<>+64(SB), Y4, Y0  \
	VFNMADD231PS exp32v<>+64(SB), Y5, Y1  \
	VFNMADD231PS exp32v<>+64(SB), Y6, Y2  \
	VFNMADD231PS exp32v<>+64(SB), Y7, Y3  \
	VFNMADD231PS exp32v<>+96(SB), Y4, Y0  \
	VFNMADD231PS exp32v<>+96(SB), Y5, Y1  \
	VFNMADD231PS exp32v<>+96(SB), Y6, Y2  \
	VFNMADD231PS exp32v<>+96(SB), Y7, Y3  \
	VADDPS exp32v<>+352(SB), Y4, Y4       \
	VADDPS exp32v<>+352(SB), Y5, Y5       \
	VADDPS exp32v<>+352(SB), Y6, Y6       \
	VADDPS exp32v<>+352(SB), Y7, Y7       \
	VPSLLD $23, Y4, Y4                    \
	VPSLLD $23, Y5, Y5                    \
	VPSLLD $23, Y6, Y6                    \
	VPSLLD $23, Y7, Y7                    \
	VPADDD exp32v<>+288(SB), Y4, Y4       \
	VPADDD exp32v<>+288(SB), Y5, Y5       \
	VPADDD exp32v<>+288(SB), Y6, Y6       \
	VPADDD exp32v<>+288(SB), Y7, Y7       \
	VANDPS Y8, Y4, Y4                     \
	VANDPS Y9, Y5, Y5                     \
	VANDPS Y10, Y6, Y6                    \
	VANDPS Y11, Y7, Y7                    \
	VMOVUPS exp32v<>+256(SB), Y8          \
	VMOVUPS exp32v<>+256(SB), Y9          \
	VMOVUPS exp32v<>+256(SB), Y10         \
	VMOVUPS exp32v<>+256(SB), Y11         \
	VFMADD213PS exp32v<>+224(SB), Y0, Y8  \
	VFMADD213PS exp32v<>+224(SB), Y1, Y9  \
	VFMADD213PS exp32v<>+224(SB), Y2, Y10 \
	VFMADD213PS exp32v<>+224(SB), Y3, Y11 \
	VFMADD213PS exp32v<>+192(SB), Y0, Y8  \
	VFMADD213PS exp32v<>+192(SB), Y1, Y9  \
	VFMADD213PS exp32v<>+192(SB), Y2, Y10 \
	VFMADD213PS exp32v<>+192(SB), Y3, Y11 \
	VFMADD213PS exp32v<>+160(SB), Y0, Y8  \
	VFMADD213PS exp32v<>+160(SB), Y1, Y9  \
	VFMADD213PS exp32v<>+160(SB), Y2, Y10 \
	VFMADD213PS exp32v<>+160(SB), Y3, Y11 \
	VFMADD213PS exp32v<>+128(SB), Y0, Y8  \
	VFMADD213PS exp32v<>+128(SB), Y1, Y9  \
	VFMADD213PS exp32v<>+128(SB), Y2, Y10 \
	VFMADD213PS exp32v<>+128(SB), Y3, Y11 \
	VFMADD213PS exp32v<>+288(SB), Y0, Y8  \
	VFMADD213PS exp32v<>+288(SB), Y1, Y9  \
	VFMADD213PS exp32v<>+288(SB), Y2, Y10 \
	VFMADD213PS exp32v<>+288(SB), Y3, Y11 \
	VFMADD213PS exp32v<>+288(SB), Y0, Y8  \
	VFMADD213PS exp32v<>+288(SB), Y1, Y9  \
	VFMADD213PS exp32v<>+288(SB), Y2, Y10 \
	VFMADD213PS exp32v<>+288(SB), Y3, Y11 \
	VMULPS Y4, Y8, Y0                     \
	VMULPS Y5, Y9, Y1                     \
	VMULPS Y6, Y10, Y2                    \
	VMULPS Y7, Y11, Y3                   

// Y0… = exp(−γ·Y0…) for numbers ≥ 0; 0 where that is below the normal numbers.
// Y8… is first the comparison, with which the scale 2ⁿ in Y4… is made 0. The
// comparison is true for NaN, and r is kept from being one for infinite sums.
#define EXP32X1 \
	VMULPS Y12, Y0, Y0                   \
	VMULPS exp32v<>+32(SB), Y0, Y4       \
	VROUNDPS $8, Y4, Y4                  \
	VCMPPS $5, exp32v<>+0(SB), Y4, Y8    \
	VANDPS Y8, Y4, Y4                    \
	VANDPS Y8, Y0, Y0                    \
	VFNMADD231PS exp32v<>+64(SB), Y4, Y0 \
	VFNMADD231PS exp32v<>+96(SB), Y4, Y0 \
	VADDPS exp32v<>+352(SB), Y4, Y4      \
	VPSLLD $23, Y4, Y4                   \
	VPADDD exp32v<>+288(SB), Y4, Y4      \
	VANDPS Y8, Y4, Y4                    \
	VMOVUPS exp32v<>+256(SB), Y8         \
	VFMADD213PS exp32v<>+224(SB), Y0, Y8 \
	VFMADD213PS exp32v<>+192(SB), Y0, Y8 \
	VFMADD213PS exp32v<>+160(SB), Y0, Y8 \
	VFMADD213PS exp32v<>+128(SB), Y0, Y8 \
	VFMADD213PS exp32v<>+288(SB), Y0, Y8 \
	VFMADD213PS exp32v<>+288(SB), Y0, Y8 \
	VMULPS Y4, Y8, Y0                   

// dst = exp(−γ·max(0, (xn+zn)−2s)). The maximum passes NaN on.
// func gauss32AVX2(dst *float32, ldd int, s *float32, lds int, xn *float32, zn *float32, rows int, cols int, gamma float32)
TEXT ·gauss32AVX2(SB), NOSPLIT, $0-68
	MOVQ dst+0(FP), DI
	MOVQ ldd+8(FP), R10
	MOVQ s+16(FP), R9
	MOVQ lds+24(FP), R11
	SHLQ $2, R10
	SHLQ $2, R11
	MOVQ rows+48(FP), R13
	MOVQ xn+32(FP), R12
	MOVQ zn+40(FP), BX
	VXORPS Y14, Y14, Y14
	VBROADCASTSS gamma+64(FP), Y12
	VSUBPS Y12, Y14, Y12 // −γ
	LEAQ window32<>+32(SB), DX
	MOVQ cols+56(FP), AX
	ANDQ $7, AX
	SHLQ $2, AX
	SUBQ AX, DX
	VMOVUPS (DX), Y15 // mask of cols mod 8 numbers

row:
	MOVQ cols+56(FP), CX
	XORQ AX, AX
	VBROADCASTSS (R12), Y13
	SUBQ $32, CX
	JLT  tail

four:
	VMOVUPS (R9)(AX*1), Y4
	VADDPS (BX)(AX*1), Y13, Y0
	VFNMADD231PS exp32v<>+320(SB), Y4, Y0
	VMAXPS Y0, Y14, Y0
	VMOVUPS 32(R9)(AX*1), Y5
	VADDPS 32(BX)(AX*1), Y13, Y1
	VFNMADD231PS exp32v<>+320(SB), Y5, Y1
	VMAXPS Y1, Y14, Y1
	VMOVUPS 64(R9)(AX*1), Y6
	VADDPS 64(BX)(AX*1), Y13, Y2
	VFNMADD231PS exp32v<>+320(SB), Y6, Y2
	VMAXPS Y2, Y14, Y2
	VMOVUPS 96(R9)(AX*1), Y7
	VADDPS 96(BX)(AX*1), Y13, Y3
	VFNMADD231PS exp32v<>+320(SB), Y7, Y3
	VMAXPS Y3, Y14, Y3
	EXP32X4
	VMOVUPS Y0, (DI)(AX*1)
	VMOVUPS Y1, 32(DI)(AX*1)
	VMOVUPS Y2, 64(DI)(AX*1)
	VMOVUPS Y3, 96(DI)(AX*1)
	ADDQ $128, AX
	SUBQ $32, CX
	JGE  four

tail:
	ADDQ $32, CX
	JZ   next

one:
	SUBQ $8, CX
	JLT  last
	VMOVUPS (R9)(AX*1), Y4
	VADDPS (BX)(AX*1), Y13, Y0
	VFNMADD231PS exp32v<>+320(SB), Y4, Y0
	VMAXPS Y0, Y14, Y0
	EXP32X1
	VMOVUPS Y0, (DI)(AX*1)
	ADDQ $32, AX
	TESTQ CX, CX
	JNZ  one
	JMP  next

last:
	VMASKMOVPS (BX)(AX*1), Y15, Y0
	VMASKMOVPS (R9)(AX*1), Y15, Y4
	VADDPS Y13, Y0, Y0
	VFNMADD231PS exp32v<>+320(SB), Y4, Y0
	VMAXPS Y0, Y14, Y0
	EXP32X1
	VMASKMOVPS Y0, Y15, (DI)(AX*1)

next:
	ADDQ R10, DI
	ADDQ R11, R9
	ADDQ $4, R12
	DECQ R13
	JNZ  row
	VZEROUPPER
	RET

// dst = exp(−γ·s), s ≥ 0.
// func exp32AVX2(dst *float32, ldd int, s *float32, lds int, rows int, cols int, gamma float32)
TEXT ·exp32AVX2(SB), NOSPLIT, $0-52
	MOVQ dst+0(FP), DI
	MOVQ ldd+8(FP), R10
	MOVQ s+16(FP), R9
	MOVQ lds+24(FP), R11
	SHLQ $2, R10
	SHLQ $2, R11
	MOVQ rows+32(FP), R13
	VXORPS Y14, Y14, Y14
	VBROADCASTSS gamma+48(FP), Y12
	VSUBPS Y12, Y14, Y12 // −γ
	LEAQ window32<>+32(SB), DX
	MOVQ cols+40(FP), AX
	ANDQ $7, AX
	SHLQ $2, AX
	SUBQ AX, DX
	VMOVUPS (DX), Y15 // mask of cols mod 8 numbers

row:
	MOVQ cols+40(FP), CX
	XORQ AX, AX
	SUBQ $32, CX
	JLT  tail

four:
	VMOVUPS (R9)(AX*1), Y0
	VMOVUPS 32(R9)(AX*1), Y1
	VMOVUPS 64(R9)(AX*1), Y2
	VMOVUPS 96(R9)(AX*1), Y3
	EXP32X4
	VMOVUPS Y0, (DI)(AX*1)
	VMOVUPS Y1, 32(DI)(AX*1)
	VMOVUPS Y2, 64(DI)(AX*1)
	VMOVUPS Y3, 96(DI)(AX*1)
	ADDQ $128, AX
	SUBQ $32, CX
	JGE  four

tail:
	ADDQ $32, CX
	JZ   next

one:
	SUBQ $8, CX
	JLT  last
	VMOVUPS (R9)(AX*1), Y0
	EXP32X1
	VMOVUPS Y0, (DI)(AX*1)
	ADDQ $32, AX
	TESTQ CX, CX
	JNZ  one
	JMP  next

last:
	VMASKMOVPS (R9)(AX*1), Y15, Y0
	EXP32X1
	VMASKMOVPS Y0, Y15, (DI)(AX*1)

next:
	ADDQ R10, DI
	ADDQ R11, R9
	DECQ R13
	JNZ  row
	VZEROUPPER
	RET
