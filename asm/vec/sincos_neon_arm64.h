// The sine and the cosine on NEON.

// V8 = sin(V0), V9 = cos(V0), lanes with |V0| > limit keep the argument and set
// bits of R4. Scratch V1-V7, R5, R6; V10-V31 constants in the order of their
// table. The steps are those of sincos_avx512_amd64.h.
#define SINCOS \
	VMOV V10.B16, V1.B16; \
	VFMLA V0.T, V11.T, V1.T; \
	FSUB(10, 1, 2); \
	VMOV V0.B16, V3.B16; \
	VFMLS V12.T, V2.T, V3.T; \
	FMUL(13, 2, 5); \
	FSUB(5, 3, 4); \
	FSUB(4, 3, 3); \
	FSUB(5, 3, 3); \
	FNEG(5, 5); \
	VFMLA V13.T, V2.T, V5.T; \
	FSUB(5, 3, 3); \
	VFMLS V14.T, V2.T, V3.T; \
	FMUL(4, 4, 5); \
	SINCOSPOLYNOMIAL; \
	FMUL(5, 4, 8); \
	VMOV V3.B16, V9.B16; \
	VFMLA V6.T, V8.T, V9.T; \
	FADD(4, 9, 6); \
	VBIT V18.B16, V4.B16, V6.B16; \
	VMOV V16.B16, V8.B16; \
	VFMLA V17.T, V5.T, V8.T; \
	FSUB(8, 16, 9); \
	VFMLA V17.T, V5.T, V9.T; \
	FMUL(5, 5, 5); \
	VFMLA V7.T, V5.T, V9.T; \
	VFMLS V3.T, V4.T, V9.T; \
	FADD(8, 9, 7); \
	VSHL $(BITS-1), V1.T, V2.T; \
	SSHIFT((BITS-1), 2, 2); \
	VMOV V6.B16, V8.B16; \
	VBIT V2.B16, V7.B16, V8.B16; \
	VMOV V7.B16, V9.B16; \
	VBIT V2.B16, V6.B16, V9.B16; \
	VADD V19.T, V1.T, V3.T; \
	VSHL $(BITS-2), V1.T, V1.T; \
	VSHL $(BITS-2), V3.T, V3.T; \
	VAND V18.B16, V1.B16, V1.B16; \
	VAND V18.B16, V3.B16, V3.B16; \
	VEOR V1.B16, V8.B16, V8.B16; \
	VEOR V3.B16, V9.B16, V9.B16; \
	FABS(0, 1); \
	FCMGT(15, 1, 1); \
	VBIT V1.B16, V0.B16, V8.B16; \
	VBIT V1.B16, V0.B16, V9.B16; \
	VMOV V1.D[0], R5; \
	VMOV V1.D[1], R6; \
	ORR R5, R4, R4; \
	ORR R6, R4, R4

// V6 and V7 = the polynomials of the sine and of the cosine.
#define SINCOSPOLYNOMIAL64 \
	VMOV V24.B16, V6.B16; \
	VFMLA V25.T, V5.T, V6.T; \
	VMOV V23.B16, V8.B16; \
	VFMLA V6.T, V5.T, V8.T; \
	VMOV V22.B16, V6.B16; \
	VFMLA V8.T, V5.T, V6.T; \
	VMOV V21.B16, V8.B16; \
	VFMLA V6.T, V5.T, V8.T; \
	VMOV V20.B16, V6.B16; \
	VFMLA V8.T, V5.T, V6.T; \
	VMOV V30.B16, V7.B16; \
	VFMLA V31.T, V5.T, V7.T; \
	VMOV V29.B16, V9.B16; \
	VFMLA V7.T, V5.T, V9.T; \
	VMOV V28.B16, V7.B16; \
	VFMLA V9.T, V5.T, V7.T; \
	VMOV V27.B16, V9.B16; \
	VFMLA V7.T, V5.T, V9.T; \
	VMOV V26.B16, V7.B16; \
	VFMLA V9.T, V5.T, V7.T

#define SINCOSPOLYNOMIAL32 \
	VMOV V21.B16, V6.B16; \
	VFMLA V22.T, V5.T, V6.T; \
	VMOV V20.B16, V8.B16; \
	VFMLA V6.T, V5.T, V8.T; \
	VMOV V24.B16, V7.B16; \
	VFMLA V25.T, V5.T, V7.T; \
	VMOV V23.B16, V9.B16; \
	VFMLA V7.T, V5.T, V9.T; \
	VMOV V8.B16, V6.B16; \
	VMOV V9.B16, V7.B16

#define SINCOSCONSTANTS \
	VLD1R.P SIZE(R9), [V10.T]; \
	VLD1R.P SIZE(R9), [V11.T]; \
	VLD1R.P SIZE(R9), [V12.T]; \
	VLD1R.P SIZE(R9), [V13.T]; \
	VLD1R.P SIZE(R9), [V14.T]; \
	VLD1R.P SIZE(R9), [V15.T]; \
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
	SINCOSMORE

#define SINCOSMORE64 \
	VLD1R.P SIZE(R9), [V26.T]; \
	VLD1R.P SIZE(R9), [V27.T]; \
	VLD1R.P SIZE(R9), [V28.T]; \
	VLD1R.P SIZE(R9), [V29.T]; \
	VLD1R.P SIZE(R9), [V30.T]; \
	VLD1R.P SIZE(R9), [V31.T]

#define SINCOSMORE32
