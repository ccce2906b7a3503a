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

#define KBYTES 32
#define LOADK LOADK32

// func step32AVX512(g, u, d []float64, k, l []float32, a, b float64, least, most *Best, first int)
// See STEPLOOP. DI least, DX most; Z0 a, Z1 b, the rest as in STEPSTATE.
TEXT ·step32AVX512(SB), NOSPLIT, $0-160
	MOVQ g_base+0(FP), gp
	MOVQ g_len+8(FP), left
	MOVQ u_base+24(FP), up
	MOVQ d_base+48(FP), dp
	MOVQ k_base+72(FP), kp
	MOVQ l_base+96(FP), lp
	VBROADCASTSD a+120(FP), Z0
	VBROADCASTSD b+128(FP), Z1
	MOVQ least+136(FP), DI
	MOVQ most+144(FP), DX
	VPBROADCASTQ first+152(FP), NOW
	STEPSTATE
	STEPLOOP
	STEPEND
	VZEROUPPER
	RET

// func pair32AVX512(g, d, diag []float64, k []float32, m, kii float64, best *Best, first int)
// See PAIRLOOP. R8 diag, DI best; Z0 m, Z1 kii, the rest as in PAIRSTATE.
TEXT ·pair32AVX512(SB), NOSPLIT, $0-128
	MOVQ g_base+0(FP), gp
	MOVQ g_len+8(FP), left
	MOVQ d_base+24(FP), dp
	MOVQ diag_base+48(FP), up
	MOVQ k_base+72(FP), kp
	VBROADCASTSD m+96(FP), Z0
	VBROADCASTSD kii+104(FP), Z1
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

// func step64AVX512(g, u, d []float64, k, l []float64, a, b float64, least, most *Best, first int)
// See STEPLOOP. DI least, DX most; Z0 a, Z1 b, the rest as in STEPSTATE.
TEXT ·step64AVX512(SB), NOSPLIT, $0-160
	MOVQ g_base+0(FP), gp
	MOVQ g_len+8(FP), left
	MOVQ u_base+24(FP), up
	MOVQ d_base+48(FP), dp
	MOVQ k_base+72(FP), kp
	MOVQ l_base+96(FP), lp
	VBROADCASTSD a+120(FP), Z0
	VBROADCASTSD b+128(FP), Z1
	MOVQ least+136(FP), DI
	MOVQ most+144(FP), DX
	VPBROADCASTQ first+152(FP), NOW
	STEPSTATE
	STEPLOOP
	STEPEND
	VZEROUPPER
	RET

// func pair64AVX512(g, d, diag []float64, k []float64, m, kii float64, best *Best, first int)
// See PAIRLOOP. R8 diag, DI best; Z0 m, Z1 kii, the rest as in PAIRSTATE.
TEXT ·pair64AVX512(SB), NOSPLIT, $0-128
	MOVQ g_base+0(FP), gp
	MOVQ g_len+8(FP), left
	MOVQ d_base+24(FP), dp
	MOVQ diag_base+48(FP), up
	MOVQ k_base+72(FP), kp
	VBROADCASTSD m+96(FP), Z0
	VBROADCASTSD kii+104(FP), Z1
	MOVQ best+112(FP), DI
	VPBROADCASTQ first+120(FP), PAIRNOW
	PAIRSTATE
	PAIRLOOP
	PAIREND
	VZEROUPPER
	RET

#undef KBYTES
#undef LOADK
