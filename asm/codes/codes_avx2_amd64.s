//go:build !noasm

#include "textflag.h"

#define A Y0
#define B Y1
#define ACC Y2
#define ZERO Y3
#define LOW Y4
#define TABLE Y5
#define ONES Y6
#define MOVE VMOVDQU
#define XOR VPXOR
#define AND VPAND
#define UNROLLED(step) \
	step(0); \
	step(32)
#define HALVES(step) \
	step(0); \
	step(16); \
	step(32); \
	step(48)

// The sum of the 64-bit lanes of ACC, then of the 32-bit lanes; A and B are free.
#define FOLD(add) \
	VEXTRACTI128 $1, Y2, X0; \
	add X0, X2, X2; \
	VPSHUFD $0x4E, X2, X0; \
	add X0, X2, X2
#define TOTALQ \
	FOLD(VPADDQ); \
	VMOVQ X2, AX
#define TOTALD \
	FOLD(VPADDD); \
	VPSHUFD $1, X2, X0; \
	VPADDD X0, X2, X2; \
	VMOVD X2, AX

#include "loops_amd64.h"

// func xorCountAVX2(a, b []uint64) int   the number of bits in which a and b differ
TEXT ·xorCountAVX2(SB), NOSPLIT, $0-56
	MOVQ a_base+0(FP), SI
	MOVQ a_len+8(FP), CX
	MOVQ b_base+24(FP), DI
	COUNTLOOP(XORSTEP)
	MOVQ AX, ret+48(FP)
	RET

// func andCountAVX2(a, b []uint64) int   the number of bits that a and b have in common
TEXT ·andCountAVX2(SB), NOSPLIT, $0-56
	MOVQ a_base+0(FP), SI
	MOVQ a_len+8(FP), CX
	MOVQ b_base+24(FP), DI
	COUNTLOOP(ANDSTEP)
	MOVQ AX, ret+48(FP)
	RET

// func dot8AVX2(a []uint8, b []int8) int   the sum of products
TEXT ·dot8AVX2(SB), NOSPLIT, $0-56
	MOVQ a_base+0(FP), SI
	MOVQ a_len+8(FP), CX
	MOVQ b_base+24(FP), DI
	BYTELOOP(PRODUCTSTEP)
	MOVQ AX, ret+48(FP)
	RET

// func squares8AVX2(a, b []uint8) int   the sum of the squares of differences
TEXT ·squares8AVX2(SB), NOSPLIT, $0-56
	MOVQ a_base+0(FP), SI
	MOVQ a_len+8(FP), CX
	MOVQ b_base+24(FP), DI
	BYTELOOP(DIFFERENCESTEP)
	MOVQ AX, ret+48(FP)
	RET

// func dot4AVX2(a []uint8, low, high []int8) int   the sum of products of half bytes
TEXT ·dot4AVX2(SB), NOSPLIT, $0-80
	MOVQ a_base+0(FP), SI
	MOVQ a_len+8(FP), CX
	MOVQ low_base+24(FP), DI
	MOVQ high_base+48(FP), DX
	NIBBLELOOP(NIBBLESTEP)
	MOVQ AX, ret+72(FP)
	RET

// func squares4AVX2(a, b []uint8) int   the sum of the squares of differences of half bytes
TEXT ·squares4AVX2(SB), NOSPLIT, $0-56
	MOVQ a_base+0(FP), SI
	MOVQ a_len+8(FP), CX
	MOVQ b_base+24(FP), DI
	NIBBLELOOP(NIBBLEDIFFERENCESTEP)
	MOVQ AX, ret+48(FP)
	RET
