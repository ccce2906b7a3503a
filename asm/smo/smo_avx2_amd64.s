//go:build !noasm

#include "textflag.h"

// 0, 1, 2, 3 and 4, 5, 6, 7
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

// 2.0 and Tau, 1e-12
DATA two<>+0(SB)/8, $0x4000000000000000
GLOBL two<>(SB), RODATA|NOPTR, $8
DATA tau<>+0(SB)/8, $0x3d719799812dea11
GLOBL tau<>(SB), RODATA|NOPTR, $8

#define LT 0x11
#define GT 0x1e

#define gp SI
#define up R8
#define dp R9
#define kp R10
#define lp R11
#define left CX

// Four variables of a step: at is the distance in bytes from gp, up and dp; g, u, d to the registers.
// Y12-Y15 are free. least, li, most, mi: values and indices of the lanes; now: the variables' indices.
#define UPDATE(at, least, li, most, mi, now) \
	VMOVUPD at(gp), Y14; \
	VFMADD231PD Y0, Y12, Y14; \ // g += a*k
	VFMADD231PD Y1, Y13, Y14; \ // g += b*l
	VMOVUPD Y14, at(gp); \
	VADDPD at(up), Y14, Y12; \
	VADDPD at(dp), Y14, Y13; \
	VCMPPD $LT, least, Y12, Y14; \
	VCMPPD $GT, most, Y13, Y15; \
	VBLENDVPD Y14, Y12, least, least; \
	VBLENDVPD Y14, now, li, li; \
	VBLENDVPD Y15, Y13, most, most; \
	VBLENDVPD Y15, now, mi, mi

// The state of a step in registers: Y2, Y3 least values, Y4, Y5 their indices, Y6, Y7 largest values, Y8, Y9
// their indices, Y10, Y11 the indices of the next eight variables.
#define LOAD(least, most, first) \
	VMOVUPD 0(least), Y2; \
	VMOVUPD 32(least), Y3; \
	VMOVUPD 64(least), Y4; \
	VMOVUPD 96(least), Y5; \
	VMOVUPD 0(most), Y6; \
	VMOVUPD 32(most), Y7; \
	VMOVUPD 64(most), Y8; \
	VMOVUPD 96(most), Y9; \
	VPBROADCASTQ first, Y10; \
	VPADDQ lanes<>+32(SB), Y10, Y11; \
	VPADDQ lanes<>+0(SB), Y10, Y10

#define STORE(least, most) \
	VMOVUPD Y2, 0(least); \
	VMOVUPD Y3, 32(least); \
	VMOVUPD Y4, 64(least); \
	VMOVUPD Y5, 96(least); \
	VMOVUPD Y6, 0(most); \
	VMOVUPD Y7, 32(most); \
	VMOVUPD Y8, 64(most); \
	VMOVUPD Y9, 96(most)

#define ADVANCE(kstep) \
	VPBROADCASTQ eight<>(SB), Y12; \
	VPADDQ Y12, Y10, Y10; \
	VPADDQ Y12, Y11, Y11; \
	ADDQ $64, gp; \
	ADDQ $64, up; \
	ADDQ $64, dp; \
	ADDQ $kstep, kp; \
	ADDQ $kstep, lp

// func step32AVX2(g, u, d []float64, k, l []float32, a, b float64, least, most *Best, first int)
//	for t := range g { g[t] += a*k[t]; g[t] += b*l[t]; lane := t % 8
//		if g[t]+u[t] < least.Value[lane] { least.Value[lane], least.Index[lane] = g[t]+u[t], first+t }
//		if g[t]+d[t] > most.Value[lane] { most.Value[lane], most.Index[lane] = g[t]+d[t], first+t } }
//   len(g) a multiple of 8, the others at least as long; any alignment
//   SI g, R8 u, R9 d, R10 k, R11 l, CX variables left, DI least, DX most; Y0 a, Y1 b, Y2-Y11 as in LOAD
// Invariant at loop: SI, R8-R11 at the first variable not done, CX >= 8.
// Unroll 8 variables, one for each lane: 10 of 16 registers are state. No tail.
// Source: see doc.go.
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
	LOAD(DI, DX, first+152(FP))
	SUBQ $8, left
	JLT  done

loop:
	VCVTPS2PD 0(kp), Y12
	VCVTPS2PD 0(lp), Y13
	UPDATE(0, Y2, Y4, Y6, Y8, Y10)
	VCVTPS2PD 16(kp), Y12
	VCVTPS2PD 16(lp), Y13
	UPDATE(32, Y3, Y5, Y7, Y9, Y11)
	ADVANCE(32)
	SUBQ $8, left
	JGE  loop

done:
	STORE(DI, DX)
	VZEROUPPER
	RET

// func step64AVX2(g, u, d []float64, k, l []float64, a, b float64, least, most *Best, first int)
// step32AVX2 for k and l in float64: the same loop, registers and invariant.
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
	LOAD(DI, DX, first+152(FP))
	SUBQ $8, left
	JLT  done

loop:
	VMOVUPD 0(kp), Y12
	VMOVUPD 0(lp), Y13
	UPDATE(0, Y2, Y4, Y6, Y8, Y10)
	VMOVUPD 32(kp), Y12
	VMOVUPD 32(lp), Y13
	UPDATE(32, Y3, Y5, Y7, Y9, Y11)
	ADVANCE(64)
	SUBQ $8, left
	JGE  loop

done:
	STORE(DI, DX)
	VZEROUPPER
	RET

// Four variables of a pair: Y12 holds their k. Y11-Y13 are free. best, bi: values and indices of the lanes;
// now: the variables' indices. Y0 m, Y1 kii, Y2 2, Y3 Tau, Y10 0.
#define GAIN(at, best, bi, now) \
	VMOVUPD at(gp), Y11; \
	VADDPD at(dp), Y11, Y11; \
	VSUBPD Y0, Y11, Y11; \
	VMAXPD Y10, Y11, Y11; \      // b = max(0, g+d-m)
	VADDPD at(up), Y1, Y13; \
	VFNMADD231PD Y12, Y2, Y13; \ // 2k is exact
	VMAXPD Y3, Y13, Y13; \       // a = max(Tau, kii+diag-2k)
	VMULPD Y11, Y11, Y11; \
	VDIVPD Y13, Y11, Y11; \      // b*b/a
	VCMPPD $GT, best, Y11, Y13; \
	VBLENDVPD Y13, Y11, best, best; \
	VBLENDVPD Y13, now, bi, bi

// The rest of a pair's state, from DI, Y8 holding the first index in every lane.
#define PAIRSTATE \
	VBROADCASTSD two<>(SB), Y2; \
	VBROADCASTSD tau<>(SB), Y3; \
	VXORPD Y10, Y10, Y10; \
	VMOVUPD 0(DI), Y4; \
	VMOVUPD 32(DI), Y5; \
	VMOVUPD 64(DI), Y6; \
	VMOVUPD 96(DI), Y7; \
	VPADDQ lanes<>+32(SB), Y8, Y9; \
	VPADDQ lanes<>+0(SB), Y8, Y8; \
	VPBROADCASTQ eight<>(SB), Y15

#define PAIREND \
	VMOVUPD Y4, 0(DI); \
	VMOVUPD Y5, 32(DI); \
	VMOVUPD Y6, 64(DI); \
	VMOVUPD Y7, 96(DI); \
	VZEROUPPER

// func pair32AVX2(g, d, diag []float64, k []float32, m, kii float64, best *Best, first int)
//	for t := range g { b := max(0, g[t]+d[t]-m); a := max(Tau, kii+diag[t]-2*k[t]); lane := t % 8
//		if b*b/a > best.Value[lane] { best.Value[lane], best.Index[lane] = b*b/a, first+t } }
//   len(g) a multiple of 8, the others at least as long; any alignment
//   SI g, R9 d, R8 diag, R10 k, CX variables left, DI best; Y0 m, Y1 kii, Y2 2, Y3 Tau, Y4, Y5 best values,
//   Y6, Y7 their indices, Y8, Y9 indices of the next eight variables, Y10 0, Y15 8
// Invariant at loop: SI, R8-R10 at the first variable not done, CX >= 8.
// Unroll 8 variables, one for each lane; the two divisions are the limit. No tail.
// Source: see doc.go.
TEXT ·pair32AVX2(SB), NOSPLIT, $0-128
	MOVQ g_base+0(FP), gp
	MOVQ g_len+8(FP), left
	MOVQ d_base+24(FP), dp
	MOVQ diag_base+48(FP), up
	MOVQ k_base+72(FP), kp
	VBROADCASTSD m+96(FP), Y0
	VBROADCASTSD kii+104(FP), Y1
	MOVQ best+112(FP), DI
	VPBROADCASTQ first+120(FP), Y8
	PAIRSTATE
	SUBQ $8, left
	JLT  done

loop:
	VCVTPS2PD 0(kp), Y12
	GAIN(0, Y4, Y6, Y8)
	VCVTPS2PD 16(kp), Y12
	GAIN(32, Y5, Y7, Y9)
	VPADDQ Y15, Y8, Y8
	VPADDQ Y15, Y9, Y9
	ADDQ $64, gp
	ADDQ $64, dp
	ADDQ $64, up
	ADDQ $32, kp
	SUBQ $8, left
	JGE  loop

done:
	PAIREND
	RET

// func pair64AVX2(g, d, diag []float64, k []float64, m, kii float64, best *Best, first int)
// pair32AVX2 for k in float64: the same loop, registers and invariant.
TEXT ·pair64AVX2(SB), NOSPLIT, $0-128
	MOVQ g_base+0(FP), gp
	MOVQ g_len+8(FP), left
	MOVQ d_base+24(FP), dp
	MOVQ diag_base+48(FP), up
	MOVQ k_base+72(FP), kp
	VBROADCASTSD m+96(FP), Y0
	VBROADCASTSD kii+104(FP), Y1
	MOVQ best+112(FP), DI
	VPBROADCASTQ first+120(FP), Y8
	PAIRSTATE
	SUBQ $8, left
	JLT  done

loop:
	VMOVUPD 0(kp), Y12
	GAIN(0, Y4, Y6, Y8)
	VMOVUPD 32(kp), Y12
	GAIN(32, Y5, Y7, Y9)
	VPADDQ Y15, Y8, Y8
	VPADDQ Y15, Y9, Y9
	ADDQ $64, gp
	ADDQ $64, dp
	ADDQ $64, up
	ADDQ $64, kp
	SUBQ $8, left
	JGE  loop

done:
	PAIREND
	RET
