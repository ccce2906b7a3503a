// The loops of the routines; the table of asm/gen enters them.
//
// R0 a, R1 bytes or words left, R2 b, R3 high. V16-V19 sums.
//
// The loops do 64 bytes at a time. Invariant: R0, R2 and R3 are at the first block not
// done, R1 > 0. Lengths are positive multiples of 64 bytes, any alignment, no tail.

// One vector of a count: V0 op V4, its bits counted in bytes, added to halfwords, words and doublewords of V16.
#define COUNT(op, x, y) \
	op y.B16, x.B16, x.B16; \
	VCNT x.B16, x.B16; \
	VUADDLV x.B16, x; \
	VADD x.D2, V16.D2, V16.D2

#define COUNTLOOP(op) \
	VEOR V16.B16, V16.B16, V16.B16; \
loop: \
	VLD1.P 64(R0), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	VLD1.P 64(R2), [V4.B16, V5.B16, V6.B16, V7.B16]; \
	COUNT(op, V0, V4); \
	COUNT(op, V1, V5); \
	COUNT(op, V2, V6); \
	COUNT(op, V3, V7); \
	SUBS $8, R1; \
	BNE  loop; \
	VMOV V16.D[0], R4

#define CLEAR \
	VEOR V16.B16, V16.B16, V16.B16; \
	VEOR V17.B16, V17.B16, V17.B16; \
	VEOR V18.B16, V18.B16, V18.B16; \
	VEOR V19.B16, V19.B16, V19.B16

// The sum of the lanes of V16-V19 to R4.
#define TOTAL \
	VADD V17.S4, V16.S4, V16.S4; \
	VADD V19.S4, V18.S4, V18.S4; \
	VADD V18.S4, V16.S4, V16.S4; \
	VADDV V16.S4, V16; \
	VMOV V16.S[0], R4; \
	SXTW R4, R4

// Products of the bytes of vector a, without signs, and b, with signs. x is the number of b; V24-V27 are free.
#define PRODUCTS(a, b, x) \
	VUXTL a.B8, V24.H8; \
	VUXTL2 a.B16, V25.H8; \
	VSXTL_H8(x, 26); \
	VSXTL2_H8(x, 27); \
	VSMLAL_S4(24, 26, 16); \
	VSMLAL2_S4(24, 26, 17); \
	VSMLAL_S4(25, 27, 18); \
	VSMLAL2_S4(25, 27, 19)

// Squares of the differences of the bytes of a and b, which have no more than 16 bits; x is the number of b, and a is the
// vector of the number x-4.
#define SQUARES(a, b, x) \
	VUABD_B16(x, (x-4), (x-4)); \
	SQUARED((x-4))
#define SIGNEDSQUARES(a, b, x) \
	VSABD_B16(x, (x-4), (x-4)); \
	SQUARED((x-4))
#define SQUARED(d) \
	VUMULL_H8(d, d, 24); \
	VUMULL2_H8(d, d, 25); \
	VUADALP_S4(24, 16); \
	VUADALP_S4(25, 17)

// Products of bytes with signs; the largest, 128², has 15 bits.
#define SIGNEDPRODUCTS(a, b, x) \
	VSMULL_H8(x, (x-4), 24); \
	VSMULL2_H8(x, (x-4), 25); \
	VSADALP_S4(24, 16); \
	VSADALP_S4(25, 17)

// The sum of op for the bytes of a and b.
#define BYTELOOP(op) \
	CLEAR; \
loop: \
	VLD1.P 64(R0), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	VLD1.P 64(R2), [V4.B16, V5.B16, V6.B16, V7.B16]; \
	op(V0, V4, 4); \
	op(V1, V5, 5); \
	op(V2, V6, 6); \
	op(V3, V7, 7); \
	SUBS $64, R1; \
	BNE  loop; \
	TOTAL

// The sum of op for the half bytes of a and what LOADB and SPLITB make of 32 bytes of the other operands: the partners
// of the lower half bytes of a in V4 and V5, those of the upper ones in V6 and V7.
#define NIBBLELOOP(LOADB, SPLITB, op) \
	CLEAR; \
	VMOVI $15, V28.B16; \
loop: \
	VLD1.P 32(R0), [V0.B16, V1.B16]; \
	LOADB; \
	VUSHR $4, V0.B16, V2.B16; \
	VUSHR $4, V1.B16, V3.B16; \
	VAND V28.B16, V0.B16, V0.B16; \
	VAND V28.B16, V1.B16, V1.B16; \
	SPLITB; \
	op; \
	VSADALP_S4(24, 16); \
	VSADALP_S4(25, 17); \
	SUBS $32, R1; \
	BNE  loop; \
	TOTAL

// V24, V25 = products of bytes with signs: of four, each at most 15*128, 16 bits hold the sum.
#define NIBBLEPRODUCTS(b0, b1, b2, b3) \
	VSMULL_H8(b0, 0, 24); \
	VSMULL2_H8(b0, 0, 25); \
	VSMLAL_H8(b1, 1, 24); \
	VSMLAL2_H8(b1, 1, 25); \
	VSMLAL_H8(b2, 2, 24); \
	VSMLAL2_H8(b2, 2, 25); \
	VSMLAL_H8(b3, 3, 24); \
	VSMLAL2_H8(b3, 3, 25)
#define NIBBLESQUARES \
	VSUB V4.B16, V0.B16, V0.B16; \
	VSUB V5.B16, V1.B16, V1.B16; \
	VSUB V6.B16, V2.B16, V2.B16; \
	VSUB V7.B16, V3.B16, V3.B16; \
	NIBBLEPRODUCTS(0, 1, 2, 3)

#define LOWHIGH \
	VLD1.P 32(R2), [V4.B16, V5.B16]; \
	VLD1.P 32(R3), [V6.B16, V7.B16]
#define SPLITALREADY
#define BOTH VLD1.P 32(R2), [V4.B16, V5.B16]
#define HALVED \
	VUSHR $4, V4.B16, V6.B16; \
	VUSHR $4, V5.B16, V7.B16; \
	VAND V28.B16, V4.B16, V4.B16; \
	VAND V28.B16, V5.B16, V5.B16
