//go:build !noasm

#include "textflag.h"
#include "step_amd64.h"

// 0, 1, … 7
DATA lanes<>+0(SB)/8, $0
DATA lanes<>+8(SB)/8, $1
DATA lanes<>+16(SB)/8, $2
DATA lanes<>+24(SB)/8, $3
DATA lanes<>+32(SB)/8, $4
DATA lanes<>+40(SB)/8, $5
DATA lanes<>+48(SB)/8, $6
DATA lanes<>+56(SB)/8, $7
GLOBL lanes<>(SB), RODATA|NOPTR, $64
DATA eight<>+0(SB)/8, $8
GLOBL eight<>(SB), RODATA|NOPTR, $8
DATA two<>+0(SB)/8, $0x4000000000000000 // 2.0
GLOBL two<>(SB), RODATA|NOPTR, $8
DATA tau<>+0(SB)/8, $0x3d719799812dea11 // Tau, 1e-12
GLOBL tau<>(SB), RODATA|NOPTR, $8

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

#define KBYTES 32
#define LOADK LOADK32

// func step32AVX2(g, u, d []float64, k, l []float32, a, b float64, least, most *Best, first int)
// See STEPLOOP. DI least, DX most; Y0 a, Y1 b, the rest as in STEPSTATE.
TEXT ·step32AVX2(SB), NOSPLIT, $0-160
	MOVQ g_base+0(FP), gp
	MOVQ g_len+8(FP), left
	MOVQ u_base+24(FP), up
	MOVQ d_base+48(FP), dp
	MOVQ k_base+72(FP), kp
	MOVQ l_base+96(FP), lp
	VBROADCASTSD a+120(FP), Y0
	VBROADCASTSD b+128(FP), Y1
	MOVQ least+136(FP), DI
	MOVQ most+144(FP), DX
	VPBROADCASTQ first+152(FP), NOW
	STEPSTATE
	STEPLOOP
	STEPEND
	VZEROUPPER
	RET

// func pair32AVX2(g, d, diag []float64, k []float32, m, kii float64, best *Best, first int)
// See PAIRLOOP. R8 diag, DI best; Y0 m, Y1 kii, the rest as in PAIRSTATE.
TEXT ·pair32AVX2(SB), NOSPLIT, $0-128
	MOVQ g_base+0(FP), gp
	MOVQ g_len+8(FP), left
	MOVQ d_base+24(FP), dp
	MOVQ diag_base+48(FP), up
	MOVQ k_base+72(FP), kp
	VBROADCASTSD m+96(FP), Y0
	VBROADCASTSD kii+104(FP), Y1
	MOVQ best+112(FP), DI
	VPBROADCASTQ first+120(FP), PAIRNOW
	PAIRSTATE
	PAIRLOOP
	PAIREND
	VZEROUPPER
	RET

#undef KBYTES
#undef LOADK

#define KBYTES 64
#define LOADK LOADK64

// func step64AVX2(g, u, d []float64, k, l []float64, a, b float64, least, most *Best, first int)
// See STEPLOOP. DI least, DX most; Y0 a, Y1 b, the rest as in STEPSTATE.
TEXT ·step64AVX2(SB), NOSPLIT, $0-160
	MOVQ g_base+0(FP), gp
	MOVQ g_len+8(FP), left
	MOVQ u_base+24(FP), up
	MOVQ d_base+48(FP), dp
	MOVQ k_base+72(FP), kp
	MOVQ l_base+96(FP), lp
	VBROADCASTSD a+120(FP), Y0
	VBROADCASTSD b+128(FP), Y1
	MOVQ least+136(FP), DI
	MOVQ most+144(FP), DX
	VPBROADCASTQ first+152(FP), NOW
	STEPSTATE
	STEPLOOP
	STEPEND
	VZEROUPPER
	RET

// func pair64AVX2(g, d, diag []float64, k []float64, m, kii float64, best *Best, first int)
// See PAIRLOOP. R8 diag, DI best; Y0 m, Y1 kii, the rest as in PAIRSTATE.
TEXT ·pair64AVX2(SB), NOSPLIT, $0-128
	MOVQ g_base+0(FP), gp
	MOVQ g_len+8(FP), left
	MOVQ d_base+24(FP), dp
	MOVQ diag_base+48(FP), up
	MOVQ k_base+72(FP), kp
	VBROADCASTSD m+96(FP), Y0
	VBROADCASTSD kii+104(FP), Y1
	MOVQ best+112(FP), DI
	VPBROADCASTQ first+120(FP), PAIRNOW
	PAIRSTATE
	PAIRLOOP
	PAIREND
	VZEROUPPER
	RET

#undef KBYTES
#undef LOADK
