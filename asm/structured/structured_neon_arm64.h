// What the bodies share; other names are in the table of asm/gen. The bodies stand in one header each, for both types.

// A, B, C, D += the next element of X times the row of v
#define ROW(X, A, B, C, D) \
	VLD1R.P BYTES(X), [V20.T]; \
	VFMLA   V16.T, V20.T, A.T; \
	VFMLA   V17.T, V20.T, B.T; \
	VFMLA   V18.T, V20.T, C.T; \
	VFMLA   V19.T, V20.T, D.T

// The next columns of four rows become rows at a distance of R9 from R11, two in float64 and four in float32.
//   R10, R5, R6, R7 the rows, R12 columns left
#define COLUMNS64 \
	VLD1.P 16(R10), [V0.D2]; \
	VLD1.P 16(R5), [V1.D2]; \
	VLD1.P 16(R6), [V2.D2]; \
	VLD1.P 16(R7), [V3.D2]; \
	VZIP1 V1.D2, V0.D2, V4.D2; \
	VZIP1 V3.D2, V2.D2, V5.D2; \
	VZIP2 V1.D2, V0.D2, V6.D2; \
	VZIP2 V3.D2, V2.D2, V7.D2; \
	VST1 [V4.D2, V5.D2], (R11); \
	ADD  R9, R11, R11; \
	VST1 [V6.D2, V7.D2], (R11); \
	ADD  R9, R11, R11; \
	SUBS $2, R12, R12

#define COLUMNS32 \
	VLD1.P 16(R10), [V0.S4]; \
	VLD1.P 16(R5), [V1.S4]; \
	VLD1.P 16(R6), [V2.S4]; \
	VLD1.P 16(R7), [V3.S4]; \
	VZIP1 V2.S4, V0.S4, V4.S4; \
	VZIP1 V3.S4, V1.S4, V5.S4; \
	VZIP2 V2.S4, V0.S4, V6.S4; \
	VZIP2 V3.S4, V1.S4, V7.S4; \
	VZIP1 V5.S4, V4.S4, V0.S4; \
	VZIP2 V5.S4, V4.S4, V1.S4; \
	VZIP1 V7.S4, V6.S4, V2.S4; \
	VZIP2 V7.S4, V6.S4, V3.S4; \
	VST1 [V0.S4], (R11); \
	ADD  R9, R11, R11; \
	VST1 [V1.S4], (R11); \
	ADD  R9, R11, R11; \
	VST1 [V2.S4], (R11); \
	ADD  R9, R11, R11; \
	VST1 [V3.S4], (R11); \
	ADD  R9, R11, R11; \
	SUBS $4, R12, R12
