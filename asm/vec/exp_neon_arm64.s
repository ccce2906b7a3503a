//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// T' = bits of 2^(j/16) minus j<<48 and the relative error (2^(j/16) - rounded)/rounded, in pairs.
DATA expTable64<>+0(SB)/8, $0x3FF0000000000000 // 2^(0/16) = 1.0
DATA expTable64<>+8(SB)/8, $0x0000000000000000 // 0.0
DATA expTable64<>+16(SB)/8, $0x3FEFB5586CF9890F // 2^(1/16) = 1.0442737824274138
DATA expTable64<>+24(SB)/8, $0x3C979AA65D837B6D // 8.189317638195515e-17
DATA expTable64<>+32(SB)/8, $0x3FEF72B83C7D517B // 2^(2/16) = 1.0905077326652577
DATA expTable64<>+40(SB)/8, $0xBC801B15EAA59348 // -2.7939114859515733e-17
DATA expTable64<>+48(SB)/8, $0x3FEF387A6E756238 // 2^(3/16) = 1.1387886347566916
DATA expTable64<>+56(SB)/8, $0x3C968EFDE3A8A894 // 7.826573258636076e-17
DATA expTable64<>+64(SB)/8, $0x3FEF06FE0A31B715 // 2^(4/16) = 1.189207115002721
DATA expTable64<>+72(SB)/8, $0x3C834D754DB0ABB6 // 3.3484623336251524e-17
DATA expTable64<>+80(SB)/8, $0x3FEEDEA64C123422 // 2^(5/16) = 1.241857812073484
DATA expTable64<>+88(SB)/8, $0x3C859F48A72A4C6D // 3.750854201303127e-17
DATA expTable64<>+96(SB)/8, $0x3FEEBFDAD5362A27 // 2^(6/16) = 1.2968395546510096
DATA expTable64<>+104(SB)/8, $0x3C7690CEBB7AAFB0 // 1.9572585293112036e-17
DATA expTable64<>+112(SB)/8, $0x3FEEAB07DD485429 // 2^(7/16) = 1.3542555469368927
DATA expTable64<>+120(SB)/8, $0x3C9063E1E21C5409 // 5.68648095791174e-17
DATA expTable64<>+128(SB)/8, $0x3FEEA09E667F3BCD // 2^(8/16) = 1.4142135623730951
DATA expTable64<>+136(SB)/8, $0xBC93B3EFBF5E2228 // -6.835808657661922e-17
DATA expTable64<>+144(SB)/8, $0x3FEEA11473EB0187 // 2^(9/16) = 1.4768261459394993
DATA expTable64<>+152(SB)/8, $0xBC7B32DCB94DA51D // -2.3591094770850053e-17
DATA expTable64<>+160(SB)/8, $0x3FEEACE5422AA0DB // 2^(10/16) = 1.5422108254079407
DATA expTable64<>+168(SB)/8, $0x3C8DB72FC1F0EAB4 // 5.1548301170786783e-17
DATA expTable64<>+176(SB)/8, $0x3FEEC49182A3F090 // 2^(11/16) = 1.6104903319492543
DATA expTable64<>+184(SB)/8, $0x3C71AFFC2B91CE27 // 1.5341410053603723e-17
DATA expTable64<>+192(SB)/8, $0x3FEEE89F995AD3AD // 2^(12/16) = 1.681792830507429
DATA expTable64<>+200(SB)/8, $0x3C8C1A7792CB3387 // 4.875160526227062e-17
DATA expTable64<>+208(SB)/8, $0x3FEF199BDD85529C // 2^(13/16) = 1.7562521603732995
DATA expTable64<>+216(SB)/8, $0x3C736EAE30AF0CB3 // 1.685487290628973e-17
DATA expTable64<>+224(SB)/8, $0x3FEF5818DCFBA487 // 2^(14/16) = 1.8340080864093424
DATA expTable64<>+232(SB)/8, $0x3C74A385A63D07A7 // 1.790126907604513e-17
DATA expTable64<>+240(SB)/8, $0x3FEFA4AFA2A490DA // 2^(15/16) = 1.9152065613971474
DATA expTable64<>+248(SB)/8, $0xBC8FF7128FD391F0 // -5.545065618639427e-17
GLOBL expTable64<>(SB), RODATA|NOPTR, $256

// Shift, -1.0022 (times cut: beyond overflow), 1 in the exponent, 1.0, c1..c6.
DATA expConst64<>+0(SB)/8, $0x42F8000000000000 // 1.5*2^48: rounds to multiples of 1/16
DATA expConst64<>+8(SB)/8, $0xBFF00902DE00D1B7 // -1.0022
DATA expConst64<>+16(SB)/8, $0x0010000000000000 // 1 in the exponent
DATA expConst64<>+24(SB)/8, $0x3FF0000000000000 // 1.0
DATA expConst64<>+32(SB)/8, $0x3FE62E42FEFA39FE // c1 = 0.693147180559947
DATA expConst64<>+40(SB)/8, $0x3FCEBFBDFF82C560 // c2 = 0.24022650695909942
DATA expConst64<>+48(SB)/8, $0x3FAC6B08D6E839A7 // c3 = 0.05550410865190552
DATA expConst64<>+56(SB)/8, $0x3F83B2AB6FD902CD // c4 = 0.009618129111119167
DATA expConst64<>+64(SB)/8, $0x3F55D89C1A6E892D // c5 = 0.0013333820768158353
DATA expConst64<>+72(SB)/8, $0x3F2430880AB339C4 // c6 = 0.00015403423944922005
GLOBL expConst64<>(SB), RODATA|NOPTR, $80

// float32: T' = bits of 2^(j/8) minus j<<20, the relative error, the bytes that copy byte 0 of a word to
// all four, and what makes byte numbers of them.
DATA expTable32<>+0(SB)/4, $0x3F800000 // 2^(0/8) = 1.0
DATA expTable32<>+4(SB)/4, $0x3F7B95C2 // 2^(1/8) = 1.0905077457427979
DATA expTable32<>+8(SB)/4, $0x3F7837F0 // 2^(2/8) = 1.1892070770263672
DATA expTable32<>+12(SB)/4, $0x3F75FED7 // 2^(3/8) = 1.2968395948410034
DATA expTable32<>+16(SB)/4, $0x3F7504F3 // 2^(4/8) = 1.4142135381698608
DATA expTable32<>+20(SB)/4, $0x3F75672A // 2^(5/8) = 1.5422108173370361
DATA expTable32<>+24(SB)/4, $0x3F7744FD // 2^(6/8) = 1.6817928552627563
DATA expTable32<>+28(SB)/4, $0x3F7AC0C7 // 2^(7/8) = 1.8340080976486206
DATA expTable32<>+32(SB)/4, $0x00000000 // 0.0
DATA expTable32<>+36(SB)/4, $0xB24E0611 // -1.199215748926008e-08
DATA expTable32<>+40(SB)/4, $0x33092801 // 3.1934181521364735e-08
DATA expTable32<>+44(SB)/4, $0xB3051AA8 // -3.0990719324108795e-08
DATA expTable32<>+48(SB)/4, $0x329302AE // 1.7114270889351246e-08
DATA expTable32<>+52(SB)/4, $0x31B3D0E5 // 5.233334210430485e-09
DATA expTable32<>+56(SB)/4, $0xB27CE182 // -1.4719605090363075e-08
DATA expTable32<>+60(SB)/4, $0xB1D290BE // -6.128259677495862e-09
DATA expTable32<>+64(SB)/4, $0x00000000 // 0x00 four times
DATA expTable32<>+68(SB)/4, $0x04040404 // 0x04 four times
DATA expTable32<>+72(SB)/4, $0x08080808 // 0x08 four times
DATA expTable32<>+76(SB)/4, $0x0C0C0C0C // 0x0c four times
DATA expTable32<>+80(SB)/4, $0x03020100 // 0, 1, 2, 3
DATA expTable32<>+84(SB)/4, $0x03020100 // 0, 1, 2, 3
DATA expTable32<>+88(SB)/4, $0x03020100 // 0, 1, 2, 3
DATA expTable32<>+92(SB)/4, $0x03020100 // 0, 1, 2, 3
GLOBL expTable32<>(SB), RODATA|NOPTR, $96

// Shift, -1.02, 1 in the exponent, 1.0, c1..c4, 7.
DATA expConst32<>+0(SB)/4, $0x49C00000 // 1.5*2^20: rounds to multiples of 1/8
DATA expConst32<>+4(SB)/4, $0xBF828F5C // -1.0199999809265137
DATA expConst32<>+8(SB)/4, $0x00800000 // 1 in the exponent
DATA expConst32<>+12(SB)/4, $0x3F800000 // 1.0
DATA expConst32<>+16(SB)/4, $0x3F317218 // c1 = 0.6931471824645996
DATA expConst32<>+20(SB)/4, $0x3E75FDF0 // c2 = 0.24022650718688965
DATA expConst32<>+24(SB)/4, $0x3D635F25 // c3 = 0.05551065877079964
DATA expConst32<>+28(SB)/4, $0x3C1D9446 // c4 = 0.009617870673537254
DATA expConst32<>+32(SB)/4, $0x00000007 // 7
GLOBL expConst32<>(SB), RODATA|NOPTR, $36

// Constants: V16 shift, V17 largest argument, V18 hi, V19 lo, V20 one in the
// exponent, V21 1.0, V22 zero, V23 cut, V24-V29 c1-c6; R10 table.
// V0 = exp(s*V0), scratch V1-V7, R4-R7. CLAMP and DROP(V0, V5) depend on the
// sign of s. As on AVX2, one is taken from a positive exponent and the result
// doubled: 2^1024 is not a number.
#define EXP64(CLAMP, DROP) \
	DROP; \
	CLAMP; \
	VMOV V16.B16, V1.B16; \
	VFMLA V0.D2, V18.D2, V1.D2; \
	VFSUB_D2(16, 1, 2); \
	VFNEG_D2(2, 3); \
	VFMLA V18.D2, V0.D2, V3.D2; \
	VFMLA V19.D2, V0.D2, V3.D2; \
	VMOV V1.D[0], R4; \
	VMOV V1.D[1], R5; \
	AND  $15, R4, R4; \
	AND  $15, R5, R5; \
	ADD  R4<<4, R10, R4; \
	ADD  R5<<4, R10, R5; \
	FMOVQ (R4), F6; \
	FMOVQ (R5), F7; \
	VZIP1 V7.D2, V6.D2, V4.D2; \
	VZIP2 V7.D2, V6.D2, V6.D2; \
	VCMGT_D2(16, 1, 7); \
	VAND V20.B16, V7.B16, V7.B16; \
	VSHL $48, V1.D2, V1.D2; \
	VADD V1.D2, V4.D2, V4.D2; \
	VSUB V7.D2, V4.D2, V4.D2; \
	VADD V21.D2, V7.D2, V7.D2; \
	VMOV V28.B16, V1.B16; \
	VFMLA V29.D2, V3.D2, V1.D2; \
	VMOV V27.B16, V2.B16; \
	VFMLA V1.D2, V3.D2, V2.D2; \
	VMOV V26.B16, V1.B16; \
	VFMLA V2.D2, V3.D2, V1.D2; \
	VMOV V25.B16, V2.B16; \
	VFMLA V1.D2, V3.D2, V2.D2; \
	VMOV V24.B16, V1.B16; \
	VFMLA V2.D2, V3.D2, V1.D2; \
	VFMLA V1.D2, V3.D2, V6.D2; \
	VMOV V4.B16, V0.B16; \
	VFMLA V4.D2, V6.D2, V0.D2; \
	VFMUL_D2(7, 0, 0); \
	VBIT V5.B16, V22.B16, V0.B16

// The same for four float32, T and its error by byte look-up: V8, V9 T', V10,
// V11 errors, V12, V13 byte numbers, V24-V27 c1-c4, V28 seven.
#define EXP32(CLAMP, DROP) \
	DROP; \
	CLAMP; \
	VMOV V16.B16, V1.B16; \
	VFMLA V0.S4, V18.S4, V1.S4; \
	VFSUB_S4(16, 1, 2); \
	VFNEG_S4(2, 3); \
	VFMLA V18.S4, V0.S4, V3.S4; \
	VFMLA V19.S4, V0.S4, V3.S4; \
	VAND V28.B16, V1.B16, V2.B16; \
	VSHL $2, V2.S4, V2.S4; \
	VTBL V12.B16, [V2.B16], V2.B16; \
	VADD V13.S4, V2.S4, V2.S4; \
	VTBL V2.B16, [V8.B16, V9.B16], V4.B16; \
	VTBL V2.B16, [V10.B16, V11.B16], V6.B16; \
	VCMGT_S4(16, 1, 7); \
	VAND V20.B16, V7.B16, V7.B16; \
	VSHL $20, V1.S4, V1.S4; \
	VADD V1.S4, V4.S4, V4.S4; \
	VSUB V7.S4, V4.S4, V4.S4; \
	VADD V21.S4, V7.S4, V7.S4; \
	VMOV V26.B16, V1.B16; \
	VFMLA V27.S4, V3.S4, V1.S4; \
	VMOV V25.B16, V2.B16; \
	VFMLA V1.S4, V3.S4, V2.S4; \
	VMOV V24.B16, V1.B16; \
	VFMLA V2.S4, V3.S4, V1.S4; \
	VFMLA V1.S4, V3.S4, V6.S4; \
	VMOV V4.B16, V0.B16; \
	VFMLA V4.S4, V6.S4, V0.S4; \
	VFMUL_S4(7, 0, 0); \
	VBIT V5.B16, V22.B16, V0.B16

#define EXP64P EXP64(VFMIN_D2(17, 0, 0), VFCMGT_D2(0, 23, 5))
#define EXP64N EXP64(VFMAX_D2(17, 0, 0), VFCMGT_D2(23, 0, 5))
#define EXP32P EXP32(VFMIN_S4(17, 0, 0), VFCMGT_S4(0, 23, 5))
#define EXP32N EXP32(VFMAX_S4(17, 0, 0), VFCMGT_S4(23, 0, 5))

// func exp64U10NEON(dst, src []float64, hi, lo, cut float64)
//	for i, x := range src { dst[i] = exp(s*x) }     s*log2(e) = hi + lo; 0 beyond cut
//   len(dst) == len(src); dst is src or disjoint from it; any alignment; hi, lo, cut finite, hi not 0
//   R1 src, R0 dst, R2 elements left; registers of EXP64
// Invariant at both loops: R0, R1 at the first element that is not done.
// Not unrolled. Tail: single elements in lane 0, computed as in the loop.
TEXT ·exp64U10NEON(SB), NOSPLIT, $0-72
	MOVD  dst_base+0(FP), R0
	MOVD  src_base+24(FP), R1
	MOVD  src_len+32(FP), R2
	MOVD  $expTable64<>(SB), R10
	MOVD  $expConst64<>(SB), R9
	VLD1R.P 8(R9), [V16.D2]
	VLD1R.P 8(R9), [V17.D2]
	VLD1R.P 8(R9), [V20.D2]
	VLD1R.P 8(R9), [V21.D2]
	VLD1R.P 8(R9), [V24.D2]
	VLD1R.P 8(R9), [V25.D2]
	VLD1R.P 8(R9), [V26.D2]
	VLD1R.P 8(R9), [V27.D2]
	VLD1R.P 8(R9), [V28.D2]
	VLD1R.P 8(R9), [V29.D2]
	FMOVD hi+48(FP), F18
	FMOVD lo+56(FP), F19
	FMOVD cut+64(FP), F23
	VDUP  V18.D[0], V18.D2
	VDUP  V19.D[0], V19.D2
	VDUP  V23.D[0], V23.D2
	VEOR  V22.B16, V22.B16, V22.B16
	VFMUL_D2(23, 17, 17)
	MOVD  hi+48(FP), R3
	TBNZ  $63, R3, negative

positive:
	CMP   $2, R2
	BLT   tailP
	FMOVQ (R1), F0
	EXP64P
	FMOVQ F0, (R0)
	ADD   $16, R0
	ADD   $16, R1
	SUB   $2, R2
	B     positive

tailP:
	CBZ   R2, done
	FMOVD (R1), F0
	EXP64P
	FMOVD F0, (R0)
	ADD   $8, R0
	ADD   $8, R1
	SUB   $1, R2
	B     tailP

negative:
	CMP   $2, R2
	BLT   tailN
	FMOVQ (R1), F0
	EXP64N
	FMOVQ F0, (R0)
	ADD   $16, R0
	ADD   $16, R1
	SUB   $2, R2
	B     negative

tailN:
	CBZ   R2, done
	FMOVD (R1), F0
	EXP64N
	FMOVD F0, (R0)
	ADD   $8, R0
	ADD   $8, R1
	SUB   $1, R2
	B     tailN

done:
	RET

// func exp32U10NEON(dst, src []float32, hi, lo, cut float32)
// As exp64U10NEON.
TEXT ·exp32U10NEON(SB), NOSPLIT, $0-60
	MOVD  dst_base+0(FP), R0
	MOVD  src_base+24(FP), R1
	MOVD  src_len+32(FP), R2
	MOVD  $expConst32<>(SB), R9
	VLD1R.P 4(R9), [V16.S4]
	VLD1R.P 4(R9), [V17.S4]
	VLD1R.P 4(R9), [V20.S4]
	VLD1R.P 4(R9), [V21.S4]
	VLD1R.P 4(R9), [V24.S4]
	VLD1R.P 4(R9), [V25.S4]
	VLD1R.P 4(R9), [V26.S4]
	VLD1R.P 4(R9), [V27.S4]
	VLD1R.P 4(R9), [V28.S4]
	MOVD  $expTable32<>(SB), R9
	VLD1.P 64(R9), [V8.B16, V9.B16, V10.B16, V11.B16]
	VLD1  (R9), [V12.B16, V13.B16]
	FMOVS hi+48(FP), F18
	FMOVS lo+52(FP), F19
	FMOVS cut+56(FP), F23
	VDUP  V18.S[0], V18.S4
	VDUP  V19.S[0], V19.S4
	VDUP  V23.S[0], V23.S4
	VEOR  V22.B16, V22.B16, V22.B16
	VFMUL_S4(23, 17, 17)
	MOVW  hi+48(FP), R3
	TBNZ  $31, R3, negative

positive:
	CMP   $4, R2
	BLT   tailP
	FMOVQ (R1), F0
	EXP32P
	FMOVQ F0, (R0)
	ADD   $16, R0
	ADD   $16, R1
	SUB   $4, R2
	B     positive

tailP:
	CBZ   R2, done
	FMOVS (R1), F0
	EXP32P
	FMOVS F0, (R0)
	ADD   $4, R0
	ADD   $4, R1
	SUB   $1, R2
	B     tailP

negative:
	CMP   $4, R2
	BLT   tailN
	FMOVQ (R1), F0
	EXP32N
	FMOVQ F0, (R0)
	ADD   $16, R0
	ADD   $16, R1
	SUB   $4, R2
	B     negative

tailN:
	CBZ   R2, done
	FMOVS (R1), F0
	EXP32N
	FMOVS F0, (R0)
	ADD   $4, R0
	ADD   $4, R1
	SUB   $1, R2
	B     tailN

done:
	RET

