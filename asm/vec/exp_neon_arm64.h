// The exponential on NEON: macros that work on registers, as in
// exp_avx512_amd64.h but for the scaling, which is that of exp_avx2_amd64.h: T' is
// 2^(j/16) (float32: 2^(j/8), degree 4) less j in the exponent; where k > 0 one is
// taken from the exponent and the result is doubled.
//
// The constants are expData of asm/gen.

// Registers of the constants: V16 shift, V17 largest argument, V18 hi, V19 lo, V20
// one in the exponent, V21 1.0, V22 zero, V23 cut, V24-V29 c1-c6; R13 the table;
// in float32 V8, V9 T', V10, V11 errors, V12, V13 byte numbers, V24-V27 c1-c4, V28
// seven. The kernel loads hi, lo and cut, in all lanes, and multiplies V17 by cut
// where it needs that. R11, R12 and V1-V7 are scratch.
#define EXP64_CONSTANTS \
	MOVD $expTable64<>(SB), R13; \
	MOVD $expConst64<>(SB), R11; \
	VLD1R.P 8(R11), [V16.D2]; \
	VLD1R.P 8(R11), [V17.D2]; \
	VLD1R.P 8(R11), [V20.D2]; \
	VLD1R.P 8(R11), [V21.D2]; \
	VLD1R.P 8(R11), [V24.D2]; \
	VLD1R.P 8(R11), [V25.D2]; \
	VLD1R.P 8(R11), [V26.D2]; \
	VLD1R.P 8(R11), [V27.D2]; \
	VLD1R.P 8(R11), [V28.D2]; \
	VLD1R.P 8(R11), [V29.D2]; \
	VEOR V22.B16, V22.B16, V22.B16

// V1 = t, V3 = f.
#define EXP64_REDUCE \
	VMOV V16.B16, V1.B16; \
	VFMLA V0.D2, V18.D2, V1.D2; \
	VFSUB_D2(16, 1, 2); \
	VFNEG_D2(2, 3); \
	VFMLA V18.D2, V0.D2, V3.D2; \
	VFMLA V19.D2, V0.D2, V3.D2

// V4 = T', V6 = e.
#define EXP64_TABLE \
	VMOV V1.D[0], R11; \
	VMOV V1.D[1], R12; \
	AND  $15, R11, R11; \
	AND  $15, R12, R12; \
	ADD  R11<<4, R13, R11; \
	ADD  R12<<4, R13, R12; \
	FMOVQ (R11), F6; \
	FMOVQ (R12), F7; \
	VZIP1 V7.D2, V6.D2, V4.D2; \
	VZIP2 V7.D2, V6.D2, V6.D2

// V0 = V4*(1 + p)
#define EXP64_POLYNOMIAL \
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
	VFMLA V4.D2, V6.D2, V0.D2

// V0 = exp(s*V0). CLAMP and DROP, which sets V5 where V0 is beyond cut, depend on
// the sign of s.
#define EXP64(CLAMP, DROP) \
	DROP; \
	CLAMP; \
	EXP64_REDUCE; \
	EXP64_TABLE; \
	VCMGT_D2(16, 1, 7); \
	VAND V20.B16, V7.B16, V7.B16; \
	VSHL $48, V1.D2, V1.D2; \
	VADD V1.D2, V4.D2, V4.D2; \
	VSUB V7.D2, V4.D2, V4.D2; \
	VADD V21.D2, V7.D2, V7.D2; \
	EXP64_POLYNOMIAL; \
	VFMUL_D2(7, 0, 0); \
	VBIT V5.B16, V22.B16, V0.B16

// The same, in all bits, for s < 0 and V0 >= 0 or NaN, where neither k > 0 nor
// overflow occurs.
#define EXP64_DECAY \
	VFCMGT_D2(23, 0, 5); \
	EXP64_REDUCE; \
	EXP64_TABLE; \
	VSHL $48, V1.D2, V1.D2; \
	VADD V1.D2, V4.D2, V4.D2; \
	EXP64_POLYNOMIAL; \
	VBIT V5.B16, V22.B16, V0.B16

#define EXP32_CONSTANTS \
	MOVD $expTable32<>(SB), R13; \
	VLD1.P 64(R13), [V8.B16, V9.B16, V10.B16, V11.B16]; \
	VLD1 (R13), [V12.B16, V13.B16]; \
	MOVD $expConst32<>(SB), R11; \
	VLD1R.P 4(R11), [V16.S4]; \
	VLD1R.P 4(R11), [V17.S4]; \
	VLD1R.P 4(R11), [V20.S4]; \
	VLD1R.P 4(R11), [V21.S4]; \
	VLD1R.P 4(R11), [V24.S4]; \
	VLD1R.P 4(R11), [V25.S4]; \
	VLD1R.P 4(R11), [V26.S4]; \
	VLD1R.P 4(R11), [V27.S4]; \
	VLD1R.P 4(R11), [V28.S4]; \
	VEOR V22.B16, V22.B16, V22.B16

// The same for four float32, T' and its error by byte look-up.
#define EXP32_REDUCE \
	VMOV V16.B16, V1.B16; \
	VFMLA V0.S4, V18.S4, V1.S4; \
	VFSUB_S4(16, 1, 2); \
	VFNEG_S4(2, 3); \
	VFMLA V18.S4, V0.S4, V3.S4; \
	VFMLA V19.S4, V0.S4, V3.S4

#define EXP32_TABLE \
	VAND V28.B16, V1.B16, V2.B16; \
	VSHL $2, V2.S4, V2.S4; \
	VTBL V12.B16, [V2.B16], V2.B16; \
	VADD V13.S4, V2.S4, V2.S4; \
	VTBL V2.B16, [V8.B16, V9.B16], V4.B16; \
	VTBL V2.B16, [V10.B16, V11.B16], V6.B16

#define EXP32_POLYNOMIAL \
	VMOV V26.B16, V1.B16; \
	VFMLA V27.S4, V3.S4, V1.S4; \
	VMOV V25.B16, V2.B16; \
	VFMLA V1.S4, V3.S4, V2.S4; \
	VMOV V24.B16, V1.B16; \
	VFMLA V2.S4, V3.S4, V1.S4; \
	VFMLA V1.S4, V3.S4, V6.S4; \
	VMOV V4.B16, V0.B16; \
	VFMLA V4.S4, V6.S4, V0.S4

#define EXP32(CLAMP, DROP) \
	DROP; \
	CLAMP; \
	EXP32_REDUCE; \
	EXP32_TABLE; \
	VCMGT_S4(16, 1, 7); \
	VAND V20.B16, V7.B16, V7.B16; \
	VSHL $20, V1.S4, V1.S4; \
	VADD V1.S4, V4.S4, V4.S4; \
	VSUB V7.S4, V4.S4, V4.S4; \
	VADD V21.S4, V7.S4, V7.S4; \
	EXP32_POLYNOMIAL; \
	VFMUL_S4(7, 0, 0); \
	VBIT V5.B16, V22.B16, V0.B16

#define EXP32_DECAY \
	VFCMGT_S4(23, 0, 5); \
	EXP32_REDUCE; \
	EXP32_TABLE; \
	VSHL $20, V1.S4, V1.S4; \
	VADD V1.S4, V4.S4, V4.S4; \
	EXP32_POLYNOMIAL; \
	VBIT V5.B16, V22.B16, V0.B16
