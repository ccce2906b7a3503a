// What the loops call by the width of vectors; constants and the names of a type are in the table of asm/gen.

// Eight values of the kernel as float64.
#define LOADK32(p, k) VCVTPS2PD (p), k
#define LOADK64(p, k) VMOVUPD (p), k

#define LOADBEST(from, v, i) \
	VMOVUPD 0(from), v; \
	VMOVUPD 64(from), i

#define STOREBEST(to, v, i) \
	VMOVUPD v, 0(to); \
	VMOVUPD i, 64(to)

// Z2 least values, Z4 their indices, Z6 largest values, Z8 their indices, Z10 the indices of the next eight
// variables, Z15 8.
#define NOW Z10
#define STEPSTATE \
	LOADBEST(DI, Z2, Z4); \
	LOADBEST(DX, Z6, Z8); \
	VPADDQ lanes<>+0(SB), Z10, Z10; \
	VPBROADCASTQ eight<>(SB), Z15

#define STEPEND \
	STOREBEST(DI, Z2, Z4); \
	STOREBEST(DX, Z6, Z8)

// Eight variables of a step. Z12-Z14, K1 and K2 are free.
#define STEP8 \
	LOADK(kp, Z12); \
	LOADK(lp, Z13); \
	VMOVUPD (gp), Z14; \
	VFMADD231PD Z0, Z12, Z14; \ // g += a*k
	VFMADD231PD Z1, Z13, Z14; \ // g += b*l
	VMOVUPD Z14, (gp); \
	VADDPD (up), Z14, Z12; \
	VADDPD (dp), Z14, Z13; \
	VCMPPD $LT, Z2, Z12, K1; \
	VCMPPD $GT, Z6, Z13, K2; \
	VMOVAPD Z12, K1, Z2; \
	VMOVAPD Z10, K1, Z4; \
	VMOVAPD Z13, K2, Z6; \
	VMOVAPD Z10, K2, Z8; \
	VPADDQ Z15, Z10, Z10

// Z2 2, Z3 Tau, Z4 best values, Z6 their indices, Z8 indices of the next eight variables, Z10 0, Z15 8.
#define PAIRNOW Z8
#define PAIRSTATE \
	VBROADCASTSD two<>(SB), Z2; \
	VBROADCASTSD tau<>(SB), Z3; \
	VPXORQ Z10, Z10, Z10; \
	LOADBEST(DI, Z4, Z6); \
	VPADDQ lanes<>+0(SB), Z8, Z8; \
	VPBROADCASTQ eight<>(SB), Z15

#define PAIREND STOREBEST(DI, Z4, Z6)

// Eight variables of a pair. Z11-Z13 and K1 are free. Both maxima keep NaN, which is never the best.
#define PAIR8 \
	LOADK(kp, Z12); \
	VMOVUPD (gp), Z11; \
	VADDPD (dp), Z11, Z11; \
	VSUBPD Z0, Z11, Z11; \
	VMAXPD Z11, Z10, Z11; \      // b = max(0, g+d-m)
	VADDPD (up), Z1, Z13; \
	VFNMADD231PD Z12, Z2, Z13; \ // 2k is exact
	VMAXPD Z13, Z3, Z13; \       // a = max(Tau, kii+diag-2k)
	VMULPD Z11, Z11, Z11; \
	VDIVPD Z13, Z11, Z11; \      // b*b/a
	VCMPPD $GT, Z4, Z11, K1; \
	VMOVAPD Z11, K1, Z4; \
	VMOVAPD Z8, K1, Z6; \
	VPADDQ Z15, Z8, Z8

#include "step_amd64.h"
