//go:build !noasm

#include "textflag.h"

// y = 1/x by an estimate y0 of 14 bits: with e = 1 − x·y0, 1/x = y0·(1+e)(1+e²)(1+e⁴)…, and e⁴ < 2⁻⁵⁶.
// Z31 holds ones; e and f are scratch.
#define RECIP(x, y, e, f) \
	VRCP14PD     x, y    \
	VMOVAPD      Z31, e  \
	VFNMADD231PD x, y, e \ // e = 1 − x·y
	VMULPD       e, e, f \ // f = e²
	VFMADD213PD  y, e, y \ // y = y + y·e
	VFMADD213PD  y, f, y   // y = y + y·e²

// The low AX bits of mask k, 0 ≤ AX ≤ 8.
#define TAILMASK(k) \
	MOVQ  $-1, BX    \
	BZHIQ AX, BX, BX \
	KMOVW BX, k

// f and df of one vector of x in Z4, and z2 in Z5.
#define TERM \
	VSUBPD Z0, Z4, Z4 \ // d − base
	VSUBPD Z1, Z4, Z4 \ // x = (d − base) − tau
	RECIP(Z4, Z6, Z7, Z8) \
	VMULPD Z6, Z5, Z5   // q = z2/x

// Sums Z2, Z3 over CX elements from SI (d) and DI (z2), then their horizontal sums to X2 and X3.
#define RANGE(loop, tail, done) \
	VXORPD X2, X2, X2           \
	VXORPD X3, X3, X3           \
	SUBQ   $8, CX               \
	JLT    tail                 \
loop:                           \
	VMOVUPD (SI), Z4            \
	VMOVUPD (DI), Z5            \
	TERM                        \
	VADDPD  Z5, Z2, Z2          \ // f += q
	VFMADD231PD Z6, Z5, Z3      \ // df += q/x
	ADDQ    $64, SI             \
	ADDQ    $64, DI             \
	SUBQ    $8, CX              \
	JGE     loop                \
tail:                           \
	ADDQ    $8, CX              \
	JEQ     done                \
	MOVQ    CX, AX              \
	TAILMASK(K1)                \
	VMOVUPD.Z (SI), K1, Z4      \
	VMOVUPD.Z (DI), K1, Z5      \
	TERM                        \
	VADDPD  Z5, Z2, K1, Z2      \
	VFMADD231PD Z6, Z5, K1, Z3  \
	LEAQ    (SI)(CX*8), SI      \
	LEAQ    (DI)(CX*8), DI      \
done:                           \
	VEXTRACTF64X4 $1, Z2, Y4    \
	VEXTRACTF64X4 $1, Z3, Y5    \
	VADDPD  Y4, Y2, Y2          \
	VADDPD  Y5, Y3, Y3          \
	VHADDPD Y3, Y2, Y2          \ // f01, df01, f23, df23
	VEXTRACTF128 $1, Y2, X4     \
	VADDPD  X4, X2, X2            // f, df

// func sumsAVX512(t *Terms, d, z2 []float64, split int, base, tau float64)
//
//	for i < split: t.Psi += z2[i]/x, t.DPsi += z2[i]/x²; for i ≥ split t.Phi, t.DPhi; x = (d[i] − base) − tau
//
// len(z2) == len(d), 0 ≤ split ≤ len(d).
//   SI d, DI z2, CX elements left in this range, DX t; Z0 base, Z1 tau, Z31 ones; Z2 f, Z3 df; Z4-Z8 scratch
// Invariant at loop: SI, DI at the first unprocessed element; CX + 8 elements are left.
// One vector a turn: 12 arithmetic instructions on two ports are more cycles than the latency of an
// addition, and turns overlap. Tail: one masked vector.
TEXT ·sumsAVX512(SB), NOSPLIT, $0-80
	MOVQ t+0(FP), DX
	MOVQ d_base+8(FP), SI
	MOVQ z2_base+32(FP), DI
	MOVQ split+56(FP), CX
	VBROADCASTSD base+64(FP), Z0
	VBROADCASTSD tau+72(FP), Z1
	MOVQ $0x3ff0000000000000, AX // 1
	VPBROADCASTQ AX, Z31
	RANGE(psi, psitail, psidone)
	VMOVUPD X2, 0(DX)
	MOVQ d_len+16(FP), CX
	SUBQ split+56(FP), CX
	RANGE(phi, phitail, phidone)
	VMOVUPD X2, 16(DX)
	VZEROUPPER
	RET

// num *= (base − p) + tau and den *= d − p, or 1 where that is 0, of the vectors at offset off.
#define FACTOR(off) \
	VMOVUPD off(SI), Z4      \
	VSUBPD  Z0, Z4, Z4       \
	VADDPD  off(DI), Z4, Z4  \
	VMOVUPD off(R8), Z5      \
	VSUBPD  Z0, Z5, Z5       \
	VPTESTNMQ Z5, Z5, K2     \
	VMOVAPD Z31, K2, Z5      \
	VMULPD  Z4, Z2, Z2       \
	VMULPD  Z5, Z3, Z3

// func ratiosAVX512(base, tau, d []float64, p float64) float64
//
//	v := 1; for j { v *= ((base[j] − p) + tau[j]) / (d[j] − p or, if 0, 1) }
//
// All of one length.
//   SI base, DI tau, R8 d, CX elements left; Z0 p, Z31 ones; Z1 v, Z2 numerators, Z3 denominators; Z4-Z8 scratch
// Invariant at loop: pointers at the first unprocessed element; CX + 32 elements are left.
// Four vectors a turn, because a reciprocal serves the product of four denominators. Tail: one masked
// vector at a time.
TEXT ·ratiosAVX512(SB), NOSPLIT, $0-88
	MOVQ base_base+0(FP), SI
	MOVQ tau_base+24(FP), DI
	MOVQ d_base+48(FP), R8
	MOVQ d_len+56(FP), CX
	VBROADCASTSD p+72(FP), Z0
	MOVQ $0x3ff0000000000000, AX // 1
	VPBROADCASTQ AX, Z31
	VMOVAPD Z31, Z1
	SUBQ $32, CX
	JLT  rest
loop:
	VMOVAPD Z31, Z3
	VMOVAPD Z31, Z2
	FACTOR(0)
	FACTOR(64)
	FACTOR(128)
	FACTOR(192)
	RECIP(Z3, Z6, Z7, Z8)
	VMULPD Z6, Z2, Z2
	VMULPD Z2, Z1, Z1 // the only chain from turn to turn
	ADDQ $256, SI
	ADDQ $256, DI
	ADDQ $256, R8
	SUBQ $32, CX
	JGE  loop
rest:
	ADDQ $32, CX
	JEQ  done
	MOVQ $8, AX
	CMPQ CX, AX
	CMOVQLT CX, AX
	TAILMASK(K1)
	VMOVUPD.Z (SI), K1, Z4
	VSUBPD Z0, Z4, Z4
	VMOVUPD.Z (DI), K1, Z5
	VADDPD Z5, Z4, Z4
	VMOVUPD.Z (R8), K1, Z5
	VSUBPD Z0, Z5, Z5
	VPTESTNMQ Z5, Z5, K2
	VMOVAPD Z31, K2, Z5
	RECIP(Z5, Z6, Z7, Z8)
	VMULPD Z6, Z4, Z4
	VMULPD Z4, Z1, K1, Z1
	ADDQ $64, SI
	ADDQ $64, DI
	ADDQ $64, R8
	SUBQ AX, CX
	SUBQ $32, CX
	JMP  rest
done:
	VEXTRACTF64X4 $1, Z1, Y2
	VMULPD Y2, Y1, Y1
	VEXTRACTF128 $1, Y1, X2
	VMULPD X2, X1, X1
	VPERMILPD $1, X1, X2
	VMULSD X2, X1, X1
	VMOVSD X1, ret+80(FP)
	VZEROUPPER
	RET

// func cauchyAVX512(dst, base, tau, scale []float64, p, w float64)
//
//	for j { dst[j] = w * scale[j] / ((base[j] − p) + tau[j]) }
//
// All of one length.
//   R9 dst, SI base, DI tau, R8 scale, CX elements left; Z0 p, Z1 w, Z31 ones; Z4-Z8 scratch
// Invariant at loop: pointers at the first unprocessed element; CX + 8 elements are left.
// One vector a turn; turns are independent. Tail: one masked vector.
TEXT ·cauchyAVX512(SB), NOSPLIT, $0-112
	MOVQ dst_base+0(FP), R9
	MOVQ dst_len+8(FP), CX
	MOVQ base_base+24(FP), SI
	MOVQ tau_base+48(FP), DI
	MOVQ scale_base+72(FP), R8
	VBROADCASTSD p+96(FP), Z0
	VBROADCASTSD w+104(FP), Z1
	MOVQ $0x3ff0000000000000, AX // 1
	VPBROADCASTQ AX, Z31
	SUBQ $8, CX
	JLT  tail
loop:
	VMOVUPD (SI), Z4
	VSUBPD  Z0, Z4, Z4
	VADDPD  (DI), Z4, Z4
	RECIP(Z4, Z6, Z7, Z8)
	VMULPD  (R8), Z1, Z5
	VMULPD  Z6, Z5, Z5
	VMOVUPD Z5, (R9)
	ADDQ $64, SI
	ADDQ $64, DI
	ADDQ $64, R8
	ADDQ $64, R9
	SUBQ $8, CX
	JGE  loop
tail:
	ADDQ $8, CX
	JEQ  done
	MOVQ CX, AX
	TAILMASK(K1)
	VMOVUPD.Z (SI), K1, Z4
	VSUBPD  Z0, Z4, Z4
	VMOVUPD.Z (DI), K1, Z5
	VADDPD  Z5, Z4, Z4
	RECIP(Z4, Z6, Z7, Z8)
	VMOVUPD.Z (R8), K1, Z5
	VMULPD  Z5, Z1, Z5
	VMULPD  Z6, Z5, Z5
	VMOVUPD Z5, K1, (R9)
done:
	VZEROUPPER
	RET
