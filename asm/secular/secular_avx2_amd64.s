//go:build !noasm

#include "textflag.h"

// func quadsAVX2(d, z2 []float64, base, tau float64) (f, df float64)
//
//	for i { x := (d[i] − base) − tau; f += z2[i]/x; df += z2[i]/x² }
//
// len(z2) == len(d), a positive multiple of 4.
//   SI d, DI z2, CX elements left; Y0 base, Y1 tau, Y15 ones; Y2 f, Y3 df; Y4-Y5 scratch
// Invariant at loop: pointers at the first unprocessed element. No unroll: the divider is the bound.
TEXT ·quadsAVX2(SB), NOSPLIT, $0-80
	MOVQ d_base+0(FP), SI
	MOVQ d_len+8(FP), CX
	MOVQ z2_base+24(FP), DI
	VBROADCASTSD base+48(FP), Y0
	VBROADCASTSD tau+56(FP), Y1
	MOVQ $0x3ff0000000000000, AX // 1
	VMOVQ AX, X15
	VBROADCASTSD X15, Y15
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
loop:
	VMOVUPD (SI), Y4
	VSUBPD  Y0, Y4, Y4
	VSUBPD  Y1, Y4, Y4     // x = (d − base) − tau
	VDIVPD  Y4, Y15, Y4    // 1/x
	VMULPD  (DI), Y4, Y5   // q = z2/x
	VADDPD  Y5, Y2, Y2     // f += q
	VFMADD231PD Y4, Y5, Y3 // df += q/x
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	JNE  loop
	VHADDPD Y3, Y2, Y2     // f01, df01, f23, df23
	VEXTRACTF128 $1, Y2, X4
	VADDPD X4, X2, X2
	VMOVUPD X2, f+64(FP)
	VZEROUPPER
	RET

// num = (base − p) + tau and den = d − p, or 1 where that is 0, of the vectors at offset off.
#define FACTOR(off, num, den) \
	VMOVUPD off(SI), num        \
	VSUBPD  Y0, num, num        \
	VADDPD  off(DI), num, num   \
	VMOVUPD off(R8), den        \
	VSUBPD  Y0, den, den        \
	VCMPPD  $0, Y14, den, Y8    \
	VBLENDVPD Y8, Y15, den, den

// func octetsAVX2(base, tau, d []float64, p float64) float64
//
//	v := 1; for j { v *= ((base[j] − p) + tau[j]) / (d[j] − p or, if 0, 1) }
//
// All of one length, a positive multiple of 8.
//   SI base, DI tau, R8 d, CX elements left; Y0 p, Y14 zeros, Y15 ones; Y1 v; Y4-Y8 scratch
// Invariant at loop: pointers at the first unprocessed element.
// Two vectors a turn share a division.
TEXT ·octetsAVX2(SB), NOSPLIT, $0-88
	MOVQ base_base+0(FP), SI
	MOVQ tau_base+24(FP), DI
	MOVQ d_base+48(FP), R8
	MOVQ d_len+56(FP), CX
	VBROADCASTSD p+72(FP), Y0
	MOVQ $0x3ff0000000000000, AX // 1
	VMOVQ AX, X15
	VBROADCASTSD X15, Y15
	VXORPD Y14, Y14, Y14
	VMOVAPD Y15, Y1
loop:
	FACTOR(0, Y4, Y5)
	FACTOR(32, Y6, Y7)
	VMULPD Y6, Y4, Y4
	VMULPD Y7, Y5, Y5
	VDIVPD Y5, Y4, Y4
	VMULPD Y4, Y1, Y1
	ADDQ $64, SI
	ADDQ $64, DI
	ADDQ $64, R8
	SUBQ $8, CX
	JNE  loop
	VEXTRACTF128 $1, Y1, X2
	VMULPD X2, X1, X1
	VPERMILPD $1, X1, X2
	VMULSD X2, X1, X1
	VMOVSD X1, ret+80(FP)
	VZEROUPPER
	RET

// func rows4AVX2(dst, base, tau, scale []float64, p, w float64)
//
//	for j { dst[j] = w * scale[j] / ((base[j] − p) + tau[j]) }
//
// All of one length, a positive multiple of 4.
//   R9 dst, SI base, DI tau, R8 scale, CX elements left; Y0 p, Y1 w; Y4, Y5 scratch
// Invariant at loop: pointers at the first unprocessed element. No unroll: the divider is the bound.
TEXT ·rows4AVX2(SB), NOSPLIT, $0-112
	MOVQ dst_base+0(FP), R9
	MOVQ dst_len+8(FP), CX
	MOVQ base_base+24(FP), SI
	MOVQ tau_base+48(FP), DI
	MOVQ scale_base+72(FP), R8
	VBROADCASTSD p+96(FP), Y0
	VBROADCASTSD w+104(FP), Y1
loop:
	VMOVUPD (SI), Y4
	VSUBPD  Y0, Y4, Y4
	VADDPD  (DI), Y4, Y4
	VMULPD  (R8), Y1, Y5
	VDIVPD  Y4, Y5, Y5
	VMOVUPD Y5, (R9)
	ADDQ $32, SI
	ADDQ $32, DI
	ADDQ $32, R8
	ADDQ $32, R9
	SUBQ $4, CX
	JNE  loop
	VZEROUPPER
	RET
