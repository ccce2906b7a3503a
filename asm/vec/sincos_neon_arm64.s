//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

DATA sincosConst64<>+0(SB)/8, $0x4338000000000000 // 1.5*2^52
DATA sincosConst64<>+8(SB)/8, $0x3FE45F306DC9C883 // 2/pi = 0.6366197723675814
DATA sincosConst64<>+16(SB)/8, $0x3FF921FB54442D18 // 1.5707963267948966, part 1 of pi/2
DATA sincosConst64<>+24(SB)/8, $0x3C91A62633145C07 // 6.123233995736766e-17, part 2 of pi/2
DATA sincosConst64<>+32(SB)/8, $0xB91F1976B7ED8FBC // -1.4973849048591698e-33, part 3 of pi/2
DATA sincosConst64<>+40(SB)/8, $0x41C0000000000000 // largest argument, 2^29
DATA sincosConst64<>+48(SB)/8, $0x3FF0000000000000 // 1.0
DATA sincosConst64<>+56(SB)/8, $0xBFE0000000000000 // -0.5
DATA sincosConst64<>+64(SB)/8, $0x8000000000000000 // sign
DATA sincosConst64<>+72(SB)/8, $0x0000000000000001 // 1
DATA sincosConst64<>+80(SB)/8, $0xBFC5555555555548 // s1 = -0.1666666666666663
DATA sincosConst64<>+88(SB)/8, $0x3F8111111110F791 // s2 = 0.008333333333322009
DATA sincosConst64<>+96(SB)/8, $0xBF2A01A019BF5C41 // s3 = -0.00019841269829498807
DATA sincosConst64<>+104(SB)/8, $0x3EC71DE35607B6CD // s4 = 2.755731358875359e-06
DATA sincosConst64<>+112(SB)/8, $0xBE5AE5E54A125092 // s5 = -2.505074248435279e-08
DATA sincosConst64<>+120(SB)/8, $0x3DE5D8E0BB981E6E // s6 = 1.589591494865927e-10
DATA sincosConst64<>+128(SB)/8, $0x3FA555555555554C // c1 = 0.0416666666666666
DATA sincosConst64<>+136(SB)/8, $0xBF56C16C16C15142 // c2 = -0.0013888888888873995
DATA sincosConst64<>+144(SB)/8, $0x3EFA01A019CAB9DC // c3 = 2.480158728939719e-05
DATA sincosConst64<>+152(SB)/8, $0xBE927E4F80553649 // c4 = -2.7557314326719113e-07
DATA sincosConst64<>+160(SB)/8, $0x3E21EE9E8A736443 // c5 = 2.087571965644551e-09
DATA sincosConst64<>+168(SB)/8, $0xBDA8FACDD71EB088 // c6 = -1.1359453935211565e-11
GLOBL sincosConst64<>(SB), RODATA|NOPTR, $176

DATA sincosConst32<>+0(SB)/4, $0x4B400000 // 1.5*2^23
DATA sincosConst32<>+4(SB)/4, $0x3F22F983 // 2/pi = 0.6366197466850281
DATA sincosConst32<>+8(SB)/4, $0x3FC90FDA // 1.570796251296997, part 1 of pi/2
DATA sincosConst32<>+12(SB)/4, $0x33A22169 // 7.549790126404332e-08, part 2 of pi/2
DATA sincosConst32<>+16(SB)/4, $0xA6F72CED // -1.7151245100058819e-15, part 3 of pi/2
DATA sincosConst32<>+20(SB)/4, $0x48000000 // largest argument, 2^17
DATA sincosConst32<>+24(SB)/4, $0x3F800000 // 1.0
DATA sincosConst32<>+28(SB)/4, $0xBF000000 // -0.5
DATA sincosConst32<>+32(SB)/4, $0x80000000 // sign
DATA sincosConst32<>+36(SB)/4, $0x00000001 // 1
DATA sincosConst32<>+40(SB)/4, $0xBE2AAAA3 // s1 = -0.16666655242443085
DATA sincosConst32<>+44(SB)/4, $0x3C088399 // s2 = 0.00833215657621622
DATA sincosConst32<>+48(SB)/4, $0xB94CA03E // s3 = -0.00019514650921337306
DATA sincosConst32<>+52(SB)/4, $0x3D2AAAA5 // c1 = 0.04166664555668831
DATA sincosConst32<>+56(SB)/4, $0xBAB60641 // c2 = -0.001388736185617745
DATA sincosConst32<>+60(SB)/4, $0x37CCFFA5 // c3 = 2.4437738829874434e-05
GLOBL sincosConst32<>(SB), RODATA|NOPTR, $64


// V8 = sin(V0), V9 = cos(V0), lanes with |V0| > limit keep the argument and set
// bits of R4. Scratch V1-V7, R5, R6; V10-V31 constants in the order of their
// table. The steps are those of sincos_avx512_amd64.s.
#define SINCOS64 \
	VMOV V10.B16, V1.B16; \
	VFMLA V0.D2, V11.D2, V1.D2; \
	VFSUB_D2(10, 1, 2); \
	VMOV V0.B16, V3.B16; \
	VFMLS V12.D2, V2.D2, V3.D2; \
	VFMUL_D2(13, 2, 5); \
	VFSUB_D2(5, 3, 4); \
	VFSUB_D2(4, 3, 3); \
	VFSUB_D2(5, 3, 3); \
	VFNEG_D2(5, 5); \
	VFMLA V13.D2, V2.D2, V5.D2; \
	VFSUB_D2(5, 3, 3); \
	VFMLS V14.D2, V2.D2, V3.D2; \
	VFMUL_D2(4, 4, 5); \
	VMOV V24.B16, V6.B16; \
	VFMLA V25.D2, V5.D2, V6.D2; \
	VMOV V23.B16, V8.B16; \
	VFMLA V6.D2, V5.D2, V8.D2; \
	VMOV V22.B16, V6.B16; \
	VFMLA V8.D2, V5.D2, V6.D2; \
	VMOV V21.B16, V8.B16; \
	VFMLA V6.D2, V5.D2, V8.D2; \
	VMOV V20.B16, V6.B16; \
	VFMLA V8.D2, V5.D2, V6.D2; \
	VMOV V30.B16, V7.B16; \
	VFMLA V31.D2, V5.D2, V7.D2; \
	VMOV V29.B16, V9.B16; \
	VFMLA V7.D2, V5.D2, V9.D2; \
	VMOV V28.B16, V7.B16; \
	VFMLA V9.D2, V5.D2, V7.D2; \
	VMOV V27.B16, V9.B16; \
	VFMLA V7.D2, V5.D2, V9.D2; \
	VMOV V26.B16, V7.B16; \
	VFMLA V9.D2, V5.D2, V7.D2; \
	VFMUL_D2(5, 4, 8); \
	VMOV V3.B16, V9.B16; \
	VFMLA V6.D2, V8.D2, V9.D2; \
	VFADD_D2(4, 9, 6); \
	VBIT V18.B16, V4.B16, V6.B16; \
	VMOV V16.B16, V8.B16; \
	VFMLA V17.D2, V5.D2, V8.D2; \
	VFSUB_D2(8, 16, 9); \
	VFMLA V17.D2, V5.D2, V9.D2; \
	VFMUL_D2(5, 5, 5); \
	VFMLA V7.D2, V5.D2, V9.D2; \
	VFMLS V3.D2, V4.D2, V9.D2; \
	VFADD_D2(8, 9, 7); \
	VSHL $63, V1.D2, V2.D2; \
	VSSHR_D2(63, 2, 2); \
	VMOV V6.B16, V8.B16; \
	VBIT V2.B16, V7.B16, V8.B16; \
	VMOV V7.B16, V9.B16; \
	VBIT V2.B16, V6.B16, V9.B16; \
	VADD V19.D2, V1.D2, V3.D2; \
	VSHL $62, V1.D2, V1.D2; \
	VSHL $62, V3.D2, V3.D2; \
	VAND V18.B16, V1.B16, V1.B16; \
	VAND V18.B16, V3.B16, V3.B16; \
	VEOR V1.B16, V8.B16, V8.B16; \
	VEOR V3.B16, V9.B16, V9.B16; \
	VFABS_D2(0, 1); \
	VFCMGT_D2(15, 1, 1); \
	VBIT V1.B16, V0.B16, V8.B16; \
	VBIT V1.B16, V0.B16, V9.B16; \
	VMOV V1.D[0], R5; \
	VMOV V1.D[1], R6; \
	ORR R5, R4, R4; \
	ORR R6, R4, R4

#define SINCOS32 \
	VMOV V10.B16, V1.B16; \
	VFMLA V0.S4, V11.S4, V1.S4; \
	VFSUB_S4(10, 1, 2); \
	VMOV V0.B16, V3.B16; \
	VFMLS V12.S4, V2.S4, V3.S4; \
	VFMUL_S4(13, 2, 5); \
	VFSUB_S4(5, 3, 4); \
	VFSUB_S4(4, 3, 3); \
	VFSUB_S4(5, 3, 3); \
	VFNEG_S4(5, 5); \
	VFMLA V13.S4, V2.S4, V5.S4; \
	VFSUB_S4(5, 3, 3); \
	VFMLS V14.S4, V2.S4, V3.S4; \
	VFMUL_S4(4, 4, 5); \
	VMOV V21.B16, V6.B16; \
	VFMLA V22.S4, V5.S4, V6.S4; \
	VMOV V20.B16, V8.B16; \
	VFMLA V6.S4, V5.S4, V8.S4; \
	VMOV V24.B16, V7.B16; \
	VFMLA V25.S4, V5.S4, V7.S4; \
	VMOV V23.B16, V9.B16; \
	VFMLA V7.S4, V5.S4, V9.S4; \
	VMOV V8.B16, V6.B16; \
	VMOV V9.B16, V7.B16; \
	VFMUL_S4(5, 4, 8); \
	VMOV V3.B16, V9.B16; \
	VFMLA V6.S4, V8.S4, V9.S4; \
	VFADD_S4(4, 9, 6); \
	VBIT V18.B16, V4.B16, V6.B16; \
	VMOV V16.B16, V8.B16; \
	VFMLA V17.S4, V5.S4, V8.S4; \
	VFSUB_S4(8, 16, 9); \
	VFMLA V17.S4, V5.S4, V9.S4; \
	VFMUL_S4(5, 5, 5); \
	VFMLA V7.S4, V5.S4, V9.S4; \
	VFMLS V3.S4, V4.S4, V9.S4; \
	VFADD_S4(8, 9, 7); \
	VSHL $31, V1.S4, V2.S4; \
	VSSHR_S4(31, 2, 2); \
	VMOV V6.B16, V8.B16; \
	VBIT V2.B16, V7.B16, V8.B16; \
	VMOV V7.B16, V9.B16; \
	VBIT V2.B16, V6.B16, V9.B16; \
	VADD V19.S4, V1.S4, V3.S4; \
	VSHL $30, V1.S4, V1.S4; \
	VSHL $30, V3.S4, V3.S4; \
	VAND V18.B16, V1.B16, V1.B16; \
	VAND V18.B16, V3.B16, V3.B16; \
	VEOR V1.B16, V8.B16, V8.B16; \
	VEOR V3.B16, V9.B16, V9.B16; \
	VFABS_S4(0, 1); \
	VFCMGT_S4(15, 1, 1); \
	VBIT V1.B16, V0.B16, V8.B16; \
	VBIT V1.B16, V0.B16, V9.B16; \
	VMOV V1.D[0], R5; \
	VMOV V1.D[1], R6; \
	ORR R5, R4, R4; \
	ORR R6, R4, R4

// func sincos64U10NEON(sin, cos, src []float64) (large bool)
//	for i, x := range src { sin[i], cos[i] = sincos(x) }, but x in both where |x| > 2^29; whether that happened
//   equal lengths; src is sin or cos or disjoint from both, sin and cos disjoint; any alignment
//   R1 src, R0 sin, R3 cos, R2 elements left, R4 not 0: large; registers of SINCOS64
// Invariant at both loops: R0, R1, R3 at the first element that is not done.
// Not unrolled. Tail: single elements in lane 0, computed as in the loop.
TEXT ·sincos64U10NEON(SB), NOSPLIT, $0-73
	MOVD sin_base+0(FP), R0
	MOVD cos_base+24(FP), R3
	MOVD src_base+48(FP), R1
	MOVD src_len+56(FP), R2
	MOVD $0, R4
	MOVD $sincosConst64<>(SB), R9
	VLD1R.P 8(R9), [V10.D2]
	VLD1R.P 8(R9), [V11.D2]
	VLD1R.P 8(R9), [V12.D2]
	VLD1R.P 8(R9), [V13.D2]
	VLD1R.P 8(R9), [V14.D2]
	VLD1R.P 8(R9), [V15.D2]
	VLD1R.P 8(R9), [V16.D2]
	VLD1R.P 8(R9), [V17.D2]
	VLD1R.P 8(R9), [V18.D2]
	VLD1R.P 8(R9), [V19.D2]
	VLD1R.P 8(R9), [V20.D2]
	VLD1R.P 8(R9), [V21.D2]
	VLD1R.P 8(R9), [V22.D2]
	VLD1R.P 8(R9), [V23.D2]
	VLD1R.P 8(R9), [V24.D2]
	VLD1R.P 8(R9), [V25.D2]
	VLD1R.P 8(R9), [V26.D2]
	VLD1R.P 8(R9), [V27.D2]
	VLD1R.P 8(R9), [V28.D2]
	VLD1R.P 8(R9), [V29.D2]
	VLD1R.P 8(R9), [V30.D2]
	VLD1R.P 8(R9), [V31.D2]

loop:
	CMP  $2, R2
	BLT  tail
	FMOVQ (R1), F0
	SINCOS64
	FMOVQ F8, (R0)
	FMOVQ F9, (R3)
	ADD  $16, R0
	ADD  $16, R1
	ADD  $16, R3
	SUB  $2, R2
	B    loop

tail:
	CBZ  R2, done
	FMOVD (R1), F0
	SINCOS64
	FMOVD F8, (R0)
	FMOVD F9, (R3)
	ADD  $8, R0
	ADD  $8, R1
	ADD  $8, R3
	SUB  $1, R2
	B    tail

done:
	CMP  $0, R4
	CSET NE, R4
	MOVB R4, large+72(FP)
	RET

// func sincos32U10NEON(sin, cos, src []float32) (large bool)
// As sincos64U10NEON, with the limit 2^17.
TEXT ·sincos32U10NEON(SB), NOSPLIT, $0-73
	MOVD sin_base+0(FP), R0
	MOVD cos_base+24(FP), R3
	MOVD src_base+48(FP), R1
	MOVD src_len+56(FP), R2
	MOVD $0, R4
	MOVD $sincosConst32<>(SB), R9
	VLD1R.P 4(R9), [V10.S4]
	VLD1R.P 4(R9), [V11.S4]
	VLD1R.P 4(R9), [V12.S4]
	VLD1R.P 4(R9), [V13.S4]
	VLD1R.P 4(R9), [V14.S4]
	VLD1R.P 4(R9), [V15.S4]
	VLD1R.P 4(R9), [V16.S4]
	VLD1R.P 4(R9), [V17.S4]
	VLD1R.P 4(R9), [V18.S4]
	VLD1R.P 4(R9), [V19.S4]
	VLD1R.P 4(R9), [V20.S4]
	VLD1R.P 4(R9), [V21.S4]
	VLD1R.P 4(R9), [V22.S4]
	VLD1R.P 4(R9), [V23.S4]
	VLD1R.P 4(R9), [V24.S4]
	VLD1R.P 4(R9), [V25.S4]

loop:
	CMP  $4, R2
	BLT  tail
	FMOVQ (R1), F0
	SINCOS32
	FMOVQ F8, (R0)
	FMOVQ F9, (R3)
	ADD  $16, R0
	ADD  $16, R1
	ADD  $16, R3
	SUB  $4, R2
	B    loop

tail:
	CBZ  R2, done
	FMOVS (R1), F0
	SINCOS32
	FMOVS F8, (R0)
	FMOVS F9, (R3)
	ADD  $4, R0
	ADD  $4, R1
	ADD  $4, R3
	SUB  $1, R2
	B    tail

done:
	CMP  $0, R4
	CSET NE, R4
	MOVB R4, large+72(FP)
	RET

