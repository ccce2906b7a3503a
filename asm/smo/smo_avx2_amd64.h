// What the loops call by the width of vectors; constants and the names of a type are in the table of asm/gen.

// Four values of the kernel, number at and following, as float64.
#define LOADK32(at, p, k) VCVTPS2PD (4*at)(p), k
#define LOADK64(at, p, k) VMOVUPD (8*at)(p), k

#define LOADBEST(from, v0, v1, i0, i1) \
	VMOVUPD 0(from), v0; \
	VMOVUPD 32(from), v1; \
	VMOVUPD 64(from), i0; \
	VMOVUPD 96(from), i1

#define STOREBEST(to, v0, v1, i0, i1) \
	VMOVUPD v0, 0(to); \
	VMOVUPD v1, 32(to); \
	VMOVUPD i0, 64(to); \
	VMOVUPD i1, 96(to)

// Y2, Y3 least values, Y4, Y5 their indices, Y6, Y7 largest values, Y8, Y9 their indices, Y10, Y11 the indices
// of the next eight variables.
#define NOW Y10
#define STEPSTATE \
	LOADBEST(DI, Y2, Y3, Y4, Y5); \
	LOADBEST(DX, Y6, Y7, Y8, Y9); \
	VPADDQ lanes<>+32(SB), Y10, Y11; \
	VPADDQ lanes<>+0(SB), Y10, Y10

#define STEPEND \
	STOREBEST(DI, Y2, Y3, Y4, Y5); \
	STOREBEST(DX, Y6, Y7, Y8, Y9)

// Four variables of a step, number at and following; least, li, most, mi: values and indices of the lanes;
// now: the variables' indices. Y12-Y15 are free.
#define STEP4(at, least, li, most, mi, now) \
	LOADK(at, kp, Y12); \
	LOADK(at, lp, Y13); \
	VMOVUPD (8*at)(gp), Y14; \
	VFMADD231PD Y0, Y12, Y14; \ // g += a*k
	VFMADD231PD Y1, Y13, Y14; \ // g += b*l
	VMOVUPD Y14, (8*at)(gp); \
	VADDPD (8*at)(up), Y14, Y12; \
	VADDPD (8*at)(dp), Y14, Y13; \
	VCMPPD $LT, least, Y12, Y14; \
	VCMPPD $GT, most, Y13, Y15; \
	VBLENDVPD Y14, Y12, least, least; \
	VBLENDVPD Y14, now, li, li; \
	VBLENDVPD Y15, Y13, most, most; \
	VBLENDVPD Y15, now, mi, mi

#define STEP8 \
	STEP4(0, Y2, Y4, Y6, Y8, Y10); \
	STEP4(4, Y3, Y5, Y7, Y9, Y11); \
	VPBROADCASTQ eight<>(SB), Y12; \
	VPADDQ Y12, Y10, Y10; \
	VPADDQ Y12, Y11, Y11

// Y2 2, Y3 Tau, Y4, Y5 best values, Y6, Y7 their indices, Y8, Y9 indices of the next eight variables, Y10 0,
// Y15 8.
#define PAIRNOW Y8
#define PAIRSTATE \
	VBROADCASTSD two<>(SB), Y2; \
	VBROADCASTSD tau<>(SB), Y3; \
	VXORPD Y10, Y10, Y10; \
	LOADBEST(DI, Y4, Y5, Y6, Y7); \
	VPADDQ lanes<>+32(SB), Y8, Y9; \
	VPADDQ lanes<>+0(SB), Y8, Y8; \
	VPBROADCASTQ eight<>(SB), Y15

#define PAIREND STOREBEST(DI, Y4, Y5, Y6, Y7)

// Four variables of a pair, as STEP4. Y11-Y13 are free. Both maxima keep NaN, which is never the best.
#define PAIR4(at, best, bi, now) \
	LOADK(at, kp, Y12); \
	VMOVUPD (8*at)(gp), Y11; \
	VADDPD (8*at)(dp), Y11, Y11; \
	VSUBPD Y0, Y11, Y11; \
	VMAXPD Y11, Y10, Y11; \      // b = max(0, g+d-m)
	VADDPD (8*at)(up), Y1, Y13; \
	VFNMADD231PD Y12, Y2, Y13; \ // 2k is exact
	VMAXPD Y13, Y3, Y13; \       // a = max(Tau, kii+diag-2k)
	VMULPD Y11, Y11, Y11; \
	VDIVPD Y13, Y11, Y11; \      // b*b/a
	VCMPPD $GT, best, Y11, Y13; \
	VBLENDVPD Y13, Y11, best, best; \
	VBLENDVPD Y13, now, bi, bi

#define PAIR8 \
	PAIR4(0, Y4, Y6, Y8); \
	PAIR4(4, Y5, Y7, Y9); \
	VPADDQ Y15, Y8, Y8; \
	VPADDQ Y15, Y9, Y9

#include "step_amd64.h"
