//go:build !noasm

#include "textflag.h"

// 1/c, then log(c), for the intervals of [3/4, 3/2) by the four leading bits of the fraction: 0-7 from 1,
// 8-15 from 3/4. 1/c is such that log(c) is a multiple of 2^-42 to within 2^-62 (f32: 2^-16, 2^-29).
DATA logTable64<>+0(SB)/8, $0x3FF0000000000000 // 1.0
DATA logTable64<>+8(SB)/8, $0x3FED425BDBE4574C // 0.9143504423870836
DATA logTable64<>+16(SB)/8, $0x3FEBAD797D00CF1F // 0.864926094195173
DATA logTable64<>+24(SB)/8, $0x3FEA421DECAB0619 // 0.8205709097312052
DATA logTable64<>+32(SB)/8, $0x3FE8FA3570C145CC // 0.780543060516885
DATA logTable64<>+40(SB)/8, $0x3FE7D0CDBEDD35F6 // 0.7442387321295303
DATA logTable64<>+48(SB)/8, $0x3FE6C1D5AB04F98A // 0.7111614551757139
DATA logTable64<>+56(SB)/8, $0x3FE5C9ED41ADA009 // 0.680899265554218
DATA logTable64<>+64(SB)/8, $0x3FF4E6419D133EA0 // 1.3062149177311895
DATA logTable64<>+72(SB)/8, $0x3FF414713C8D4CD3 // 1.2549908032713588
DATA logTable64<>+80(SB)/8, $0x3FF352769FB9D552 // 1.2076326598447236
DATA logTable64<>+88(SB)/8, $0x3FF29E978BE723F8 // 1.1637187447506658
DATA logTable64<>+96(SB)/8, $0x3FF1F757D7D4FC0F // 1.1228865080772754
DATA logTable64<>+104(SB)/8, $0x3FF15B6EE6394F3C // 1.0848225587005365
DATA logTable64<>+112(SB)/8, $0x3FF0C9BF329D9AA2 // 1.049254605977389
DATA logTable64<>+120(SB)/8, $0x3FF0000000000000 // 1.0
DATA logTable64<>+128(SB)/8, $0x0000000000000000 // 0.0
DATA logTable64<>+136(SB)/8, $0x3FB6EC2ED19AC000 // 0.0895413648347585
DATA logTable64<>+144(SB)/8, $0x3FC293011B5DE000 // 0.14511121593727694
DATA logTable64<>+152(SB)/8, $0x3FC95008C0944000 // 0.19775494960094875
DATA logTable64<>+160(SB)/8, $0x3FCFB6C690E16000 // 0.24776537012326116
DATA logTable64<>+168(SB)/8, $0x3FD2E7B9CC9F7000 // 0.29539341910071926
DATA logTable64<>+176(SB)/8, $0x3FD5D094D10AE000 // 0.34085579313568815
DATA logTable64<>+184(SB)/8, $0x3FD8990A98841000 // 0.38434090513351293
DATA logTable64<>+192(SB)/8, $0xBFD118B770820000 // -0.2671335791310412
DATA logTable64<>+200(SB)/8, $0xBFCD1289CF088000 // -0.22712824448626634
DATA logTable64<>+208(SB)/8, $0xBFC82613421F2000 // -0.18866196373551247
DATA logTable64<>+216(SB)/8, $0xBFC3684E8C890000 // -0.15162069189136673
DATA logTable64<>+224(SB)/8, $0xBFBDABCB1C5C0000 // -0.11590260927550844
DATA logTable64<>+232(SB)/8, $0xBFB4D7B5162A8000 // -0.08141643325006953
DATA logTable64<>+240(SB)/8, $0xBFA89DF186E00000 // -0.048080013002618216
DATA logTable64<>+248(SB)/8, $0x0000000000000000 // 0.0
GLOBL logTable64<>(SB), RODATA|NOPTR, $256

DATA logTable32<>+0(SB)/4, $0x3F800000 // 1.0
DATA logTable32<>+4(SB)/4, $0x3F6A597C // 0.9154279232025146
DATA logTable32<>+8(SB)/4, $0x3F5D3105 // 0.8640292286872864
DATA logTable32<>+12(SB)/4, $0x3F52409B // 0.8212983012199402
DATA logTable32<>+16(SB)/4, $0x3F4788C8 // 0.7794308662414551
DATA logTable32<>+20(SB)/4, $0x3F3E9480 // 0.7444534301757812
DATA logTable32<>+24(SB)/4, $0x3F35FBB6 // 0.7108720541000366
DATA logTable32<>+28(SB)/4, $0x3F2E90F1 // 0.6818991303443909
DATA logTable32<>+32(SB)/4, $0x3FA70903 // 1.3049625158309937
DATA logTable32<>+36(SB)/4, $0x3FA08A66 // 1.2542235851287842
DATA logTable32<>+40(SB)/4, $0x3F9A7E7D // 1.2069851160049438
DATA logTable32<>+44(SB)/4, $0x3F94C0A1 // 1.1621285676956177
DATA logTable32<>+48(SB)/4, $0x3F8F9B6F // 1.1219309568405151
DATA logTable32<>+52(SB)/4, $0x3F8B211F // 1.086948275566101
DATA logTable32<>+56(SB)/4, $0x3F8608CF // 1.047143816947937
DATA logTable32<>+60(SB)/4, $0x3F800000 // 1.0
DATA logTable32<>+64(SB)/4, $0x00000000 // 0.0
DATA logTable32<>+68(SB)/4, $0x3DB4F800 // 0.0883636474609375
DATA logTable32<>+72(SB)/4, $0x3E15A800 // 0.146148681640625
DATA logTable32<>+76(SB)/4, $0x3E499800 // 0.196868896484375
DATA logTable32<>+80(SB)/4, $0x3E7F2C00 // 0.2491912841796875
DATA logTable32<>+84(SB)/4, $0x3E971800 // 0.29510498046875
DATA logTable32<>+88(SB)/4, $0x3EAEBA00 // 0.3412628173828125
DATA logTable32<>+92(SB)/4, $0x3EC40800 // 0.38287353515625
DATA logTable32<>+96(SB)/4, $0xBE884800 // -0.26617431640625
DATA logTable32<>+100(SB)/4, $0xBE67F400 // -0.2265167236328125
DATA logTable32<>+104(SB)/4, $0xBE40A400 // -0.1881256103515625
DATA logTable32<>+108(SB)/4, $0xBE19DC00 // -0.1502532958984375
DATA logTable32<>+112(SB)/4, $0xBDEBA000 // -0.11505126953125
DATA logTable32<>+116(SB)/4, $0xBDAAC000 // -0.0833740234375
DATA logTable32<>+120(SB)/4, $0xBD3CB000 // -0.0460662841796875
DATA logTable32<>+124(SB)/4, $0x00000000 // 0.0
GLOBL logTable32<>(SB), RODATA|NOPTR, $128

// 1, ln 2 to 42 bits, the rest of it, VFIXUPIMM's answers (NaN: itself, 0: -Inf, +Inf: itself, negative: NaN), c10..c2.
DATA logConst64<>+0(SB)/8, $0x3FF0000000000000 // 1.0
DATA logConst64<>+8(SB)/8, $0x3FE62E42FEFA3800 // 0.6931471805598903
DATA logConst64<>+16(SB)/8, $0x3D2EF35793C76730 // 5.497923018708371e-14
DATA logConst64<>+24(SB)/8, $0x0000000003530422 // answers, four bits each
DATA logConst64<>+32(SB)/8, $0xBFB65ECD11164FF5 // c10 = -0.08738404910246785
DATA logConst64<>+40(SB)/8, $0x3FBC5746EEA1741A // c9 = 0.11070674253410609
DATA logConst64<>+48(SB)/8, $0xBFC0009C5E20B191 // c8 = -0.12501864048080027
DATA logConst64<>+56(SB)/8, $0x3FC2492D92ED7072 // c7 = 0.1428582160396022
DATA logConst64<>+64(SB)/8, $0xBFC555554B37ECC9 // c6 = -0.16666666195656024
DATA logConst64<>+72(SB)/8, $0x3FC999999805D29E // c5 = 0.1999999992655334
DATA logConst64<>+80(SB)/8, $0xBFCFFFFFFFFF18F4 // c4 = -0.2499999999983583
DATA logConst64<>+88(SB)/8, $0x3FD5555555555F87 // c3 = 0.3333333333334782
DATA logConst64<>+96(SB)/8, $0xBFE0000000000003 // c2 = -0.5000000000000003
GLOBL logConst64<>(SB), RODATA|NOPTR, $104

DATA logConst32<>+0(SB)/4, $0x3F800000 // 1.0
DATA logConst32<>+4(SB)/4, $0x3F317200 // 0.693145751953125, 16 bits
DATA logConst32<>+8(SB)/4, $0x35BFBE8E // 1.428606765330187e-06
DATA logConst32<>+12(SB)/4, $0x03530422 // answers, four bits each
DATA logConst32<>+16(SB)/4, $0x3E40F624 // c5 = 0.18843895196914673
DATA logConst32<>+20(SB)/4, $0xBE800808 // c4 = -0.2500612735748291
DATA logConst32<>+24(SB)/4, $0x3EAAAC24 // c3 = 0.33334457874298096
DATA logConst32<>+28(SB)/4, $0xBF000000 // c2 = -0.5
GLOBL logConst32<>(SB), RODATA|NOPTR, $32

#define ONE   Z31
#define INV0  Z30
#define INV1  Z29
#define LOGC0 Z28
#define LOGC1 Z27
#define LN2HI Z26
#define LN2LO Z25
#define FIX   Z24
#define C10   Z23
#define C9    Z22
#define C8    Z21
#define C7    Z20
#define C6    Z19
#define C5    Z18
#define C4    Z17
#define C3    Z16
#define C2    Z15

// Vectors of 64 bytes, two at a time while there are two, the last one under a
// mask. n is the number of elements in a vector, n2 in two; CX elements left.
#define LOOP(BODY, move, n, n2, loop, one, last, end) \
loop: \
	CMPQ CX, n2; \
	JLT  one; \
	move 0(SI), Z0; \
	move 64(SI), Z6; \
	BODY(Z0, Z1, Z2, Z3, Z4, Z5); \
	BODY(Z6, Z7, Z8, Z9, Z10, Z11); \
	move Z5, 0(DI); \
	move Z11, 64(DI); \
	ADDQ $128, SI; \
	ADDQ $128, DI; \
	SUBQ n2, CX; \
	JMP  loop; \
one: \
	CMPQ CX, n; \
	JLT  last; \
	move 0(SI), Z0; \
	BODY(Z0, Z1, Z2, Z3, Z4, Z5); \
	move Z5, 0(DI); \
	ADDQ $64, SI; \
	ADDQ $64, DI; \
	SUBQ n, CX; \
last: \
	MOVQ  $-1, AX; \
	BZHIQ CX, AX, AX; \
	JEQ   end; \
	KMOVQ AX, K1; \
	move.Z 0(SI), K1, Z0; \
	BODY(Z0, Z1, Z2, Z3, Z4, Z5); \
	move  Z5, K1, 0(DI)

// t = log(x); x stays, m, e, a, b are scratch. 24 operations on two ports. The
// polynomial goes by pairs, r*r being there anyway.
//   x = 2^e*m, m in [3/4, 3/2); r = m/c - 1; hi = e*ln2hi + log(c), exact
//   s = hi + r, d = (hi - s) + r: their sum is exact
//   t = s + (d + e*ln2lo + r*r*(c2 + c3*r + ...))
#define LOG64(x, m, e, a, b, t) \
	VGETMANTPD  $11, x, m; \
	VGETEXPPD   x, e; \
	VGETEXPPD   m, a; \
	VSUBPD      a, e, e; \
	VPSRLQ      $48, m, a; \
	VMOVAPD     a, b; \
	VPERMI2PD   INV1, INV0, a; \
	VPERMI2PD   LOGC1, LOGC0, b; \
	VFMSUB213PD ONE, a, m; \
	VFMADD231PD LN2HI, e, b; \
	VADDPD      m, b, a; \
	VSUBPD      a, b, b; \
	VADDPD      m, b, b; \
	VFMADD231PD LN2LO, e, b; \
	VMULPD      m, m, e; \
	VMOVAPD     C10, t; \
	VFMADD213PD C9, m, t; \
	VMOVAPD     C8, Z12; \
	VFMADD213PD C7, m, Z12; \
	VFMADD213PD Z12, e, t; \
	VMOVAPD     C6, Z13; \
	VFMADD213PD C5, m, Z13; \
	VFMADD213PD Z13, e, t; \
	VMOVAPD     C4, Z14; \
	VFMADD213PD C3, m, Z14; \
	VFMADD213PD Z14, e, t; \
	VFMADD213PD C2, m, t; \
	VFMADD213PD b, e, t; \
	VADDPD      a, t, t; \
	VFIXUPIMMPD $0, FIX, x, t

#define LOG32(x, m, e, a, b, t) \
	VGETMANTPS  $11, x, m; \
	VGETEXPPS   x, e; \
	VGETEXPPS   m, a; \
	VSUBPS      a, e, e; \
	VPSRLD      $19, m, b; \
	VPERMPS     INV0, b, a; \
	VPERMPS     LOGC0, b, b; \
	VFMSUB213PS ONE, a, m; \
	VFMADD231PS LN2HI, e, b; \
	VADDPS      m, b, a; \
	VSUBPS      a, b, b; \
	VADDPS      m, b, b; \
	VFMADD231PS LN2LO, e, b; \
	VMULPS      m, m, e; \
	VMOVAPS     C5, t; \
	VFMADD213PS C4, m, t; \
	VMOVAPS     C3, Z12; \
	VFMADD213PS C2, m, Z12; \
	VFMADD213PS Z12, e, t; \
	VFMADD213PS b, e, t; \
	VADDPS      a, t, t; \
	VFIXUPIMMPS $0, FIX, x, t

// func log64U10AVX512(dst, src []float64)
//	for i, x := range src { dst[i] = log(x) }
//   len(dst) == len(src); dst is src or disjoint from it; any alignment
//   SI src, DI dst, CX elements left; Z15-Z31 constants, Z0-Z5, Z6-Z11 a vector each, Z12-Z14 scratch
// Invariant at loop: SI, DI at the first element that is not done.
// Unroll 2 vectors: what the registers hold. Tail: one vector, then one under a mask; a lane is computed
// alike in all three.
TEXT ·log64U10AVX512(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ src_base+24(FP), SI
	MOVQ src_len+32(FP), CX
	VMOVUPD logTable64<>+0(SB), INV0
	VMOVUPD logTable64<>+64(SB), INV1
	VMOVUPD logTable64<>+128(SB), LOGC0
	VMOVUPD logTable64<>+192(SB), LOGC1
	VBROADCASTSD logConst64<>+0(SB), ONE
	VBROADCASTSD logConst64<>+8(SB), LN2HI
	VBROADCASTSD logConst64<>+16(SB), LN2LO
	VBROADCASTSD logConst64<>+24(SB), FIX
	VBROADCASTSD logConst64<>+32(SB), C10
	VBROADCASTSD logConst64<>+40(SB), C9
	VBROADCASTSD logConst64<>+48(SB), C8
	VBROADCASTSD logConst64<>+56(SB), C7
	VBROADCASTSD logConst64<>+64(SB), C6
	VBROADCASTSD logConst64<>+72(SB), C5
	VBROADCASTSD logConst64<>+80(SB), C4
	VBROADCASTSD logConst64<>+88(SB), C3
	VBROADCASTSD logConst64<>+96(SB), C2
	LOOP(LOG64, VMOVUPD, $8, $16, loop, one, last, end)

end:
	VZEROUPPER
	RET

// func log32U10AVX512(dst, src []float32)
// As log64U10AVX512.
TEXT ·log32U10AVX512(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ src_base+24(FP), SI
	MOVQ src_len+32(FP), CX
	VMOVUPS logTable32<>+0(SB), INV0
	VMOVUPS logTable32<>+64(SB), LOGC0
	VBROADCASTSS logConst32<>+0(SB), ONE
	VBROADCASTSS logConst32<>+4(SB), LN2HI
	VBROADCASTSS logConst32<>+8(SB), LN2LO
	VBROADCASTSS logConst32<>+12(SB), FIX
	VBROADCASTSS logConst32<>+16(SB), C5
	VBROADCASTSS logConst32<>+20(SB), C4
	VBROADCASTSS logConst32<>+24(SB), C3
	VBROADCASTSS logConst32<>+28(SB), C2
	LOOP(LOG32, VMOVUPS, $16, $32, loop, one, last, end)

end:
	VZEROUPPER
	RET
