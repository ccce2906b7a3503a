// The logarithm on NEON.

// V4 = log(V0), scratch V1-V7, R4, R5. The steps are those of LOG in
// log_avx2_amd64.h. Constants, from V16: smallest normal, 2^52 (2^23), 52 (23),
// bits of 1 - bits of 3/4, exponent bits, 1.0, bias, ln 2 in two parts, +Inf, -1,
// c10 ... c2 (c6 ... c2), seven; R10 the table of float64; V8, V9 1/c, V10, V11
// log(c), V13, V14 byte numbers of float32.
#define LOG \
	FCMGT(0, 16, 1); \
	FMUL(17, 0, 2); \
	VMOV V0.B16, V3.B16; \
	VBIT V1.B16, V2.B16, V3.B16; \
	VAND V18.B16, V1.B16, V1.B16; \
	VADD V19.T, V3.T, V4.T; \
	VUSHR $FRACTION, V4.T, V5.T; \
	VSUB V22.T, V5.T, V5.T; \
	TOFLOAT(5, 5); \
	FSUB(1, 5, 5); \
	VAND V20.B16, V4.B16, V4.B16; \
	VSUB V4.T, V3.T, V3.T; \
	VADD V21.T, V3.T, V3.T; \
	LOOKUP; \
	VMOV V26.B16, V2.B16; \
	VFMLA V4.T, V3.T, V2.T; \
	VFMLA V23.T, V5.T, V6.T; \
	FADD(2, 6, 4); \
	FSUB(4, 6, 6); \
	FADD(2, 6, 6); \
	VFMLA V24.T, V5.T, V6.T; \
	FMUL(2, 2, 5); \
	VMOV V28.B16, V1.B16; \
	VFMLA V27.T, V2.T, V1.T; \
	VMOV V30.B16, V3.B16; \
	VFMLA V29.T, V2.T, V3.T; \
	VFMLA V1.T, V5.T, V3.T; \
	LOGMORE; \
	VMOV LASTC.B16, V1.B16; \
	VFMLA V3.T, V2.T, V1.T; \
	VFMLA V1.T, V5.T, V6.T; \
	FADD(6, 4, 4); \
	FCMGT(0, 25, 1); \
	VEOR V2.B16, V2.B16, V2.B16; \
	FCMEQ(2, 0, 3); \
	FCMGT(0, 2, 5); \
	VBIF V1.B16, V0.B16, V2.B16; \
	FADD(2, 4, 4); \
	VAND V25.B16, V3.B16, V3.B16; \
	FSUB(3, 4, 4); \
	VORR V5.B16, V4.B16, V4.B16

// 1/c in V4 and log(c) in V6 by the leading bits of the fraction of V3.
#define LOOKUP64 \
	VMOV V3.D[0], R4; \
	VMOV V3.D[1], R5; \
	LSR  $44, R4, R4; \
	LSR  $44, R5, R5; \
	AND  $0xF0, R4, R4; \
	AND  $0xF0, R5, R5; \
	ADD  R10, R4, R4; \
	ADD  R10, R5, R5; \
	FMOVQ (R4), F6; \
	FMOVQ (R5), F7; \
	VZIP1 V7.T, V6.T, V4.T; \
	VZIP2 V7.T, V6.T, V6.T

#define LOOKUP32 \
	VUSHR $20, V3.T, V2.T; \
	VAND V12.B16, V2.B16, V2.B16; \
	VSHL $2, V2.T, V2.T; \
	VTBL V13.B16, [V2.B16], V2.B16; \
	VADD V14.T, V2.T, V2.T; \
	VTBL V2.B16, [V8.B16, V9.B16], V4.B16; \
	VTBL V2.B16, [V10.B16, V11.B16], V6.B16

// The coefficients that float64 has beyond those of float32.
#define LOGMORE64 \
	VMOV V12.B16, V1.B16; \
	VFMLA V31.T, V2.T, V1.T; \
	VFMLA V3.T, V5.T, V1.T; \
	VMOV V14.B16, V3.B16; \
	VFMLA V13.T, V2.T, V3.T; \
	VFMLA V1.T, V5.T, V3.T

#define LOGMORE32

#define LOGCONSTANTS \
	VLD1R.P SIZE(R9), [V16.T]; \
	VLD1R.P SIZE(R9), [V17.T]; \
	VLD1R.P SIZE(R9), [V18.T]; \
	VLD1R.P SIZE(R9), [V19.T]; \
	VLD1R.P SIZE(R9), [V20.T]; \
	VLD1R.P SIZE(R9), [V21.T]; \
	VLD1R.P SIZE(R9), [V22.T]; \
	VLD1R.P SIZE(R9), [V23.T]; \
	VLD1R.P SIZE(R9), [V24.T]; \
	VLD1R.P SIZE(R9), [V25.T]; \
	VLD1R.P SIZE(R9), [V26.T]; \
	VLD1R.P SIZE(R9), [V27.T]; \
	VLD1R.P SIZE(R9), [V28.T]; \
	VLD1R.P SIZE(R9), [V29.T]; \
	VLD1R.P SIZE(R9), [V30.T]; \
	VLD1R.P SIZE(R9), [V31.T]; \
	VLD1R.P SIZE(R9), [V12.T]; \
	LOGTABLES

#define LOGTABLES64 \
	VLD1R.P SIZE(R9), [V13.T]; \
	VLD1R.P SIZE(R9), [V14.T]; \
	VLD1R.P SIZE(R9), [V15.T]; \
	MOVD $logTable64<>(SB), R10
#define LOGTABLES32 \
	MOVD $logTable32<>(SB), R9; \
	VLD1.P 64(R9), [V8.B16, V9.B16, V10.B16, V11.B16]; \
	VLD1 (R9), [V13.B16, V14.B16]
