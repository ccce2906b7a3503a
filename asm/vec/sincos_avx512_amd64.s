//go:build !noasm

#include "textflag.h"

DATA sincosConst64<>+0(SB)/8, $0x4338000000000000 // 1.5*2^52
DATA sincosConst64<>+8(SB)/8, $0x3FE45F306DC9C883 // 2/pi = 0.6366197723675814
DATA sincosConst64<>+16(SB)/8, $0x3FF921FB54442D18 // 1.5707963267948966, part 1 of pi/2
DATA sincosConst64<>+24(SB)/8, $0x3C91A62633145C07 // 6.123233995736766e-17, part 2 of pi/2
DATA sincosConst64<>+32(SB)/8, $0xB91F1976B7ED8FBC // -1.4973849048591698e-33, part 3 of pi/2
DATA sincosConst64<>+40(SB)/8, $0x41C0000000000000 // largest argument, 2^29
DATA sincosConst64<>+48(SB)/8, $0x3FF0000000000000 // 1.0
DATA sincosConst64<>+56(SB)/8, $0xBFE0000000000000 // -0.5
DATA sincosConst64<>+64(SB)/8, $0x8000000000000000 // sign
DATA sincosConst64<>+72(SB)/8, $0x0000000000000001 // 1
DATA sincosConst64<>+80(SB)/8, $0xBFC5555555555548 // s1 = -0.1666666666666663
DATA sincosConst64<>+88(SB)/8, $0x3F8111111110F791 // s2 = 0.008333333333322009
DATA sincosConst64<>+96(SB)/8, $0xBF2A01A019BF5C41 // s3 = -0.00019841269829498807
DATA sincosConst64<>+104(SB)/8, $0x3EC71DE35607B6CD // s4 = 2.755731358875359e-06
DATA sincosConst64<>+112(SB)/8, $0xBE5AE5E54A125092 // s5 = -2.505074248435279e-08
DATA sincosConst64<>+120(SB)/8, $0x3DE5D8E0BB981E6E // s6 = 1.589591494865927e-10
DATA sincosConst64<>+128(SB)/8, $0x3FA555555555554C // c1 = 0.0416666666666666
DATA sincosConst64<>+136(SB)/8, $0xBF56C16C16C15142 // c2 = -0.0013888888888873995
DATA sincosConst64<>+144(SB)/8, $0x3EFA01A019CAB9DC // c3 = 2.480158728939719e-05
DATA sincosConst64<>+152(SB)/8, $0xBE927E4F80553649 // c4 = -2.7557314326719113e-07
DATA sincosConst64<>+160(SB)/8, $0x3E21EE9E8A736443 // c5 = 2.087571965644551e-09
DATA sincosConst64<>+168(SB)/8, $0xBDA8FACDD71EB088 // c6 = -1.1359453935211565e-11
GLOBL sincosConst64<>(SB), RODATA|NOPTR, $176

DATA sincosConst32<>+0(SB)/4, $0x4B400000 // 1.5*2^23
DATA sincosConst32<>+4(SB)/4, $0x3F22F983 // 2/pi = 0.6366197466850281
DATA sincosConst32<>+8(SB)/4, $0x3FC90FDA // 1.570796251296997, part 1 of pi/2
DATA sincosConst32<>+12(SB)/4, $0x33A22169 // 7.549790126404332e-08, part 2 of pi/2
DATA sincosConst32<>+16(SB)/4, $0xA6F72CED // -1.7151245100058819e-15, part 3 of pi/2
DATA sincosConst32<>+20(SB)/4, $0x48000000 // largest argument, 2^17
DATA sincosConst32<>+24(SB)/4, $0x3F800000 // 1.0
DATA sincosConst32<>+28(SB)/4, $0xBF000000 // -0.5
DATA sincosConst32<>+32(SB)/4, $0x80000000 // sign
DATA sincosConst32<>+36(SB)/4, $0x00000001 // 1
DATA sincosConst32<>+40(SB)/4, $0xBE2AAAA3 // s1 = -0.16666655242443085
DATA sincosConst32<>+44(SB)/4, $0x3C088399 // s2 = 0.00833215657621622
DATA sincosConst32<>+48(SB)/4, $0xB94CA03E // s3 = -0.00019514650921337306
DATA sincosConst32<>+52(SB)/4, $0x3D2AAAA5 // c1 = 0.04166664555668831
DATA sincosConst32<>+56(SB)/4, $0xBAB60641 // c2 = -0.001388736185617745
DATA sincosConst32<>+60(SB)/4, $0x37CCFFA5 // c3 = 2.4437738829874434e-05
GLOBL sincosConst32<>(SB), RODATA|NOPTR, $64

#define SHIFT Z31
#define TWOPI Z30
#define P1    Z29
#define P2    Z28
#define P3    Z27
#define LIMIT Z26
#define ONE   Z25
#define MHALF Z24
#define SIGN  Z23
#define BIT   Z22
#define S1    Z21
#define S2    Z20
#define S3    Z19
#define S4    Z18
#define S5    Z17
#define S6    Z16
#define C1    Z15
#define C2    Z14
#define C3    Z13
#define C4    Z12
#define C5    Z11
#define C6    Z10

// Z8 = sin(Z0), Z9 = cos(Z0), K2 = lanes with |Z0| > LIMIT, whose results mean
// nothing. Scratch Z1-Z7, K1. 43 operations on two ports.
//   k = x*2/pi rounded, in the low bits of t = x*2/pi + shift
//   r1 = x - k*P1, exact; h = k*P2 rounded; r = r1 - h
//   rl = what rounding took from r and h, and k*P3: x - k*pi/2 = r + rl
//   sin(r+rl) = r + (r*z*S(z) + rl), z = r*r, with the sign of r, for -0
//   cos(r+rl) = w + (z*z*C(z) + ((1 - w) - z/2) - r*rl), w = 1 - z/2
//   odd k: swapped; bit 1 of k: sign of the sine, bit 1 of k+1: of the cosine
#define SINCOS64 \
	VMOVAPD SHIFT, Z1; \
	VFMADD231PD TWOPI, Z0, Z1; \
	VSUBPD SHIFT, Z1, Z2; \
	VMOVAPD Z0, Z3; \
	VFNMADD231PD P1, Z2, Z3; \
	VMULPD P2, Z2, Z5; \
	VSUBPD Z5, Z3, Z4; \
	VSUBPD Z4, Z3, Z3; \
	VSUBPD Z5, Z3, Z3; \
	VFMSUB231PD P2, Z2, Z5; \
	VSUBPD Z5, Z3, Z3; \
	VFNMADD231PD P3, Z2, Z3; \
	VMULPD Z4, Z4, Z5; \
	VMULPD Z5, Z5, Z2; \
	VMOVAPD S6, Z6; \
	VFMADD213PD S5, Z5, Z6; \
	VMOVAPD S4, Z8; \
	VFMADD213PD S3, Z5, Z8; \
	VFMADD213PD Z8, Z2, Z6; \
	VMOVAPD S2, Z9; \
	VFMADD213PD S1, Z5, Z9; \
	VFMADD213PD Z9, Z2, Z6; \
	VMOVAPD C6, Z7; \
	VFMADD213PD C5, Z5, Z7; \
	VMOVAPD C4, Z8; \
	VFMADD213PD C3, Z5, Z8; \
	VFMADD213PD Z8, Z2, Z7; \
	VMOVAPD C2, Z9; \
	VFMADD213PD C1, Z5, Z9; \
	VFMADD213PD Z9, Z2, Z7; \
	VMULPD Z5, Z4, Z8; \
	VFMADD213PD Z3, Z8, Z6; \
	VADDPD Z4, Z6, Z6; \
	VPTERNLOGQ $0xD8, SIGN, Z4, Z6; \
	VMOVAPD ONE, Z8; \
	VFMADD231PD MHALF, Z5, Z8; \
	VSUBPD Z8, ONE, Z9; \
	VFMADD231PD MHALF, Z5, Z9; \
	VFMADD213PD Z9, Z2, Z7; \
	VFNMADD231PD Z3, Z4, Z7; \
	VADDPD Z8, Z7, Z7; \
	VPTESTMQ BIT, Z1, K1; \
	VBLENDMPD Z7, Z6, K1, Z8; \
	VBLENDMPD Z6, Z7, K1, Z9; \
	VPADDQ BIT, Z1, Z2; \
	VPSLLQ $62, Z1, Z1; \
	VPSLLQ $62, Z2, Z2; \
	VPTERNLOGQ $0x78, SIGN, Z1, Z8; \
	VPTERNLOGQ $0x78, SIGN, Z2, Z9; \
	VPANDNQ Z0, SIGN, Z1; \
	VCMPPD $30, LIMIT, Z1, K2

#define SINCOS32 \
	VMOVAPS SHIFT, Z1; \
	VFMADD231PS TWOPI, Z0, Z1; \
	VSUBPS SHIFT, Z1, Z2; \
	VMOVAPS Z0, Z3; \
	VFNMADD231PS P1, Z2, Z3; \
	VMULPS P2, Z2, Z5; \
	VSUBPS Z5, Z3, Z4; \
	VSUBPS Z4, Z3, Z3; \
	VSUBPS Z5, Z3, Z3; \
	VFMSUB231PS P2, Z2, Z5; \
	VSUBPS Z5, Z3, Z3; \
	VFNMADD231PS P3, Z2, Z3; \
	VMULPS Z4, Z4, Z5; \
	VMULPS Z5, Z5, Z2; \
	VMOVAPS S2, Z6; \
	VFMADD213PS S1, Z5, Z6; \
	VFMADD231PS S3, Z2, Z6; \
	VMOVAPS C2, Z7; \
	VFMADD213PS C1, Z5, Z7; \
	VFMADD231PS C3, Z2, Z7; \
	VMULPS Z5, Z4, Z8; \
	VFMADD213PS Z3, Z8, Z6; \
	VADDPS Z4, Z6, Z6; \
	VPTERNLOGD $0xD8, SIGN, Z4, Z6; \
	VMOVAPS ONE, Z8; \
	VFMADD231PS MHALF, Z5, Z8; \
	VSUBPS Z8, ONE, Z9; \
	VFMADD231PS MHALF, Z5, Z9; \
	VFMADD213PS Z9, Z2, Z7; \
	VFNMADD231PS Z3, Z4, Z7; \
	VADDPS Z8, Z7, Z7; \
	VPTESTMD BIT, Z1, K1; \
	VBLENDMPS Z7, Z6, K1, Z8; \
	VBLENDMPS Z6, Z7, K1, Z9; \
	VPADDD BIT, Z1, Z2; \
	VPSLLD $30, Z1, Z1; \
	VPSLLD $30, Z2, Z2; \
	VPTERNLOGD $0x78, SIGN, Z1, Z8; \
	VPTERNLOGD $0x78, SIGN, Z2, Z9; \
	VPANDND Z0, SIGN, Z1; \
	VCMPPS $30, LIMIT, Z1, K2

// One vector of 64 bytes at a time while CX, the elements left, suffices, the
// last one under a mask. Lanes beyond the limit keep the argument.
#define LOOP(BODY, move, movea, n, loop, store, last, laststore, end) \
loop: \
	CMPQ CX, n; \
	JLT  last; \
	move (SI), Z0; \
	BODY; \
	KORTESTW K2, K2; \
	JEQ  store; \
	movea Z0, K2, Z8; \
	movea Z0, K2, Z9; \
	MOVL $1, DX; \
store: \
	move Z8, (DI); \
	move Z9, (R8); \
	ADDQ $64, SI; \
	ADDQ $64, DI; \
	ADDQ $64, R8; \
	SUBQ n, CX; \
	JMP  loop; \
last: \
	MOVQ  $-1, AX; \
	BZHIQ CX, AX, AX; \
	JEQ   end; \
	KMOVQ AX, K3; \
	move.Z (SI), K3, Z0; \
	BODY; \
	KORTESTW K2, K2; \
	JEQ  laststore; \
	movea Z0, K2, Z8; \
	movea Z0, K2, Z9; \
	MOVL $1, DX; \
laststore: \
	move Z8, K3, (DI); \
	move Z9, K3, (R8)

// func sincos64U10AVX512(sin, cos, src []float64) (large bool)
//	for i, x := range src { sin[i], cos[i] = sincos(x) }, but x in both where |x| > 2^29; whether that happened
//   equal lengths; src is sin or cos or disjoint from both, sin and cos disjoint; any alignment
//   SI src, DI sin, R8 cos, CX elements left, DX large; Z10-Z31 constants, Z0-Z9 work
// Invariant at loop: SI, DI, R8 at the first element that is not done.
// Not unrolled: the constants leave registers for one vector; renaming overlaps the iterations.
// Tail: one vector under a mask, computed as in the loop.
TEXT ·sincos64U10AVX512(SB), NOSPLIT, $0-73
	MOVQ sin_base+0(FP), DI
	MOVQ cos_base+24(FP), R8
	MOVQ src_base+48(FP), SI
	MOVQ src_len+56(FP), CX
	XORL DX, DX
	VBROADCASTSD sincosConst64<>+0(SB), SHIFT
	VBROADCASTSD sincosConst64<>+8(SB), TWOPI
	VBROADCASTSD sincosConst64<>+16(SB), P1
	VBROADCASTSD sincosConst64<>+24(SB), P2
	VBROADCASTSD sincosConst64<>+32(SB), P3
	VBROADCASTSD sincosConst64<>+40(SB), LIMIT
	VBROADCASTSD sincosConst64<>+48(SB), ONE
	VBROADCASTSD sincosConst64<>+56(SB), MHALF
	VBROADCASTSD sincosConst64<>+64(SB), SIGN
	VBROADCASTSD sincosConst64<>+72(SB), BIT
	VBROADCASTSD sincosConst64<>+80(SB), S1
	VBROADCASTSD sincosConst64<>+88(SB), S2
	VBROADCASTSD sincosConst64<>+96(SB), S3
	VBROADCASTSD sincosConst64<>+104(SB), S4
	VBROADCASTSD sincosConst64<>+112(SB), S5
	VBROADCASTSD sincosConst64<>+120(SB), S6
	VBROADCASTSD sincosConst64<>+128(SB), C1
	VBROADCASTSD sincosConst64<>+136(SB), C2
	VBROADCASTSD sincosConst64<>+144(SB), C3
	VBROADCASTSD sincosConst64<>+152(SB), C4
	VBROADCASTSD sincosConst64<>+160(SB), C5
	VBROADCASTSD sincosConst64<>+168(SB), C6
	LOOP(SINCOS64, VMOVUPD, VMOVAPD, $8, loop, store, last, laststore, end)

end:
	MOVB DX, large+72(FP)
	VZEROUPPER
	RET

// func sincos32U10AVX512(sin, cos, src []float32) (large bool)
// As sincos64U10AVX512, with the limit 2^17.
TEXT ·sincos32U10AVX512(SB), NOSPLIT, $0-73
	MOVQ sin_base+0(FP), DI
	MOVQ cos_base+24(FP), R8
	MOVQ src_base+48(FP), SI
	MOVQ src_len+56(FP), CX
	XORL DX, DX
	VBROADCASTSS sincosConst32<>+0(SB), SHIFT
	VBROADCASTSS sincosConst32<>+4(SB), TWOPI
	VBROADCASTSS sincosConst32<>+8(SB), P1
	VBROADCASTSS sincosConst32<>+12(SB), P2
	VBROADCASTSS sincosConst32<>+16(SB), P3
	VBROADCASTSS sincosConst32<>+20(SB), LIMIT
	VBROADCASTSS sincosConst32<>+24(SB), ONE
	VBROADCASTSS sincosConst32<>+28(SB), MHALF
	VBROADCASTSS sincosConst32<>+32(SB), SIGN
	VBROADCASTSS sincosConst32<>+36(SB), BIT
	VBROADCASTSS sincosConst32<>+40(SB), S1
	VBROADCASTSS sincosConst32<>+44(SB), S2
	VBROADCASTSS sincosConst32<>+48(SB), S3
	VBROADCASTSS sincosConst32<>+52(SB), C1
	VBROADCASTSS sincosConst32<>+56(SB), C2
	VBROADCASTSS sincosConst32<>+60(SB), C3
	LOOP(SINCOS32, VMOVUPS, VMOVAPS, $16, loop, store, last, laststore, end)

end:
	MOVB DX, large+72(FP)
	VZEROUPPER
	RET
