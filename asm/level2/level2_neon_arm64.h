// What the bodies call by its type. The bodies stand in one header each, for both types; other names are in the table
// of asm/gen.

// Lane 0 of v becomes the sum of its lanes.
#define SUM64(v) VFADDP_D2(v, v, v)
#define SUM32(v) \
	VFADDP_S4(v, v, v); \
	VFADDP_S4(v, v, v)

// What gemvN and symvRows call by their type. A block of four by four is V16, V17 … V22, V23, of which float32 has the even ones.

// V0, V1 = the sums of the lanes of V0, V2, V4, V6 side by side.
#define FOURSUMS64 \
	VFADDP_D2(2, 0, 0); \
	VFADDP_D2(6, 4, 1)
#define FOURSUMS32 \
	VFADDP_S4(2, 0, 0); \
	VFADDP_S4(6, 4, 4); \
	VFADDP_S4(4, 0, 0)

// The four numbers at R5 += alpha*(V0, V1).
#define ADDSUMS64 \
	VLD1   (R5), [V14.D2, V15.D2]; \
	VFMLA  V0.D2, V24.D2, V14.D2; \
	VFMLA  V1.D2, V24.D2, V15.D2; \
	VST1.P [V14.D2, V15.D2], 32(R5)
#define ADDSUMS32 \
	VLD1   (R5), [V14.S4]; \
	VFMLA  V0.S4, V24.S4, V14.S4; \
	VST1.P [V14.S4], 16(R5)

#define LOADBLOCK64 \
	VLD1 (R10), [V16.D2, V17.D2]; \
	VLD1 (R11), [V18.D2, V19.D2]; \
	VLD1 (R12), [V20.D2, V21.D2]; \
	VLD1 (R13), [V22.D2, V23.D2]
#define LOADBLOCK32 \
	VLD1 (R10), [V16.S4]; \
	VLD1 (R11), [V18.S4]; \
	VLD1 (R12), [V20.S4]; \
	VLD1 (R13), [V22.S4]

// The other triangle becomes that above the diagonal, or below it.
#define UPPERBLOCK64 \
	VMOV  V16.D[1], V18.D[0]; \
	VZIP1 V19.D2, V17.D2, V20.D2; \
	VZIP2 V19.D2, V17.D2, V22.D2; \
	VMOV  V21.D[1], V23.D[0]
#define LOWERBLOCK64 \
	VMOV  V18.D[0], V16.D[1]; \
	VZIP1 V22.D2, V20.D2, V17.D2; \
	VZIP2 V22.D2, V20.D2, V19.D2; \
	VMOV  V23.D[0], V21.D[1]
#define UPPERBLOCK32 \
	VMOV V16.S[1], V18.S[0]; \
	VMOV V16.S[2], V20.S[0]; \
	VMOV V18.S[2], V20.S[1]; \
	VMOV V16.S[3], V22.S[0]; \
	VMOV V18.S[3], V22.S[1]; \
	VMOV V20.S[3], V22.S[2]
#define LOWERBLOCK32 \
	VMOV V18.S[0], V16.S[1]; \
	VMOV V20.S[0], V16.S[2]; \
	VMOV V22.S[0], V16.S[3]; \
	VMOV V20.S[1], V18.S[2]; \
	VMOV V22.S[1], V18.S[3]; \
	VMOV V22.S[2], V20.S[3]

// The four numbers at R15 += V0, V1 + the block times V8-V11.
#define BLOCKPRODUCTS64 \
	VLD1  (R15), [V14.D2, V15.D2]; \
	VFMLA V8.D2, V16.D2, V0.D2; \
	VFMLA V8.D2, V17.D2, V1.D2; \
	VFMLA V9.D2, V18.D2, V0.D2; \
	VFMLA V9.D2, V19.D2, V1.D2; \
	VFMLA V10.D2, V20.D2, V0.D2; \
	VFMLA V10.D2, V21.D2, V1.D2; \
	VFMLA V11.D2, V22.D2, V0.D2; \
	VFMLA V11.D2, V23.D2, V1.D2; \
	VFADD_D2(0, 14, 14); \
	VFADD_D2(1, 15, 15); \
	VST1  [V14.D2, V15.D2], (R15)
#define BLOCKPRODUCTS32 \
	VLD1  (R15), [V14.S4]; \
	VFMLA V8.S4, V16.S4, V0.S4; \
	VFMLA V9.S4, V18.S4, V0.S4; \
	VFMLA V10.S4, V20.S4, V0.S4; \
	VFMLA V11.S4, V22.S4, V0.S4; \
	VFADD_S4(0, 14, 14); \
	VST1  [V14.S4], (R15)
