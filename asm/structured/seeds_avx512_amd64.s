//go:build !noasm

#include "textflag.h"

#define W 64
#define W2 (2*W)
#define A0 Z0
#define A1 Z1
#define A2 Z2
#define A3 Z3
#define A4 Z4
#define A5 Z5
#define A6 Z6
#define A7 Z7
#define V0 Z24
#define V1 Z25
#define V2 Z26
#define X Z27

// Eight rows: SI is at the first, R10 at the fifth, the others follow at distance R8.
#define ROWS(OP) \
	OP((SI), Z0, Z1, Z2); \
	OP((SI)(R8*1), Z3, Z4, Z5); \
	OP((SI)(R8*2), Z6, Z7, Z8); \
	OP((SI)(R9*1), Z9, Z10, Z11); \
	OP((R10), Z12, Z13, Z14); \
	OP((R10)(R8*1), Z15, Z16, Z17); \
	OP((R10)(R8*2), Z18, Z19, Z20); \
	OP((R10)(R9*1), Z21, Z22, Z23)
#define NONE
#define NEXT ADDQ $(1<<SHIFT), R10

#include "seeds_amd64.h"

// float64

#define SHIFT 3
#define BCAST VBROADCASTSD
#define MADD VFMADD231PD
#define MUL VMULPD
#define MSUB VFMSUB231PD
#define ADD VADDPD
#define SUB VSUBPD

// func block64AVX512(t *float64, ts int, x *float64, xs int, v *float64, vs, w, c int)   see PRODUCTS
// R8 stride of x, R9 three strides, AX vectors of structured.
TEXT ·block64AVX512(SB), NOSPLIT, $0-64
	MOVQ t+0(FP), DI
	MOVQ ts+8(FP), R12
	MOVQ x+16(FP), SI
	MOVQ xs+24(FP), R8
	MOVQ v+32(FP), BX
	MOVQ vs+40(FP), R11
	MOVQ w+48(FP), CX
	MOVQ c+56(FP), AX
	SHLQ $SHIFT, R12
	SHLQ $SHIFT, R8
	SHLQ $SHIFT, R11
	LEAQ (R8)(R8*2), R9
	LEAQ (SI)(R8*4), R10
	PRODUCTS123(ROWS, NEXT)

// func line64AVX512(t, x, v *float64, vs, w, c int)   see PRODUCTS
TEXT ·line64AVX512(SB), NOSPLIT, $0-48
	MOVQ t+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ v+16(FP), BX
	MOVQ vs+24(FP), R11
	MOVQ w+32(FP), CX
	MOVQ c+40(FP), AX
	SHLQ $SHIFT, R11
	PRODUCTS123(ALONE, NONE)

// func split64AVX512(s *float64, ss int, d *float64, ds int, x, y, v, u *float64, n, h int)   see SPLIT
TEXT ·split64AVX512(SB), NOSPLIT, $0-80
	MOVQ s+0(FP), DI
	MOVQ ss+8(FP), R11
	MOVQ d+16(FP), SI
	MOVQ ds+24(FP), R12
	MOVQ x+32(FP), BX
	MOVQ y+40(FP), R8
	MOVQ v+48(FP), R9
	MOVQ u+56(FP), R10
	MOVQ n+64(FP), AX
	MOVQ h+72(FP), CX
	SHLQ $SHIFT, CX
	SHLQ $SHIFT, R11
	SHLQ $SHIFT, R12
	SPLIT

// func addSub64AVX512(s, d, a *float64, pairs, n int)   see ADDSUB
TEXT ·addSub64AVX512(SB), NOSPLIT, $0-40
	MOVQ s+0(FP), DI
	MOVQ d+8(FP), SI
	MOVQ a+16(FP), BX
	MOVQ pairs+24(FP), AX
	MOVQ n+32(FP), CX
	SHLQ $SHIFT, CX
	ADDSUB

#undef SHIFT
#undef BCAST
#undef MADD
#undef MUL
#undef MSUB
#undef ADD
#undef SUB

// float32

#define SHIFT 2
#define BCAST VBROADCASTSS
#define MADD VFMADD231PS
#define MUL VMULPS
#define MSUB VFMSUB231PS
#define ADD VADDPS
#define SUB VSUBPS

// func block32AVX512(t *float32, ts int, x *float32, xs int, v *float32, vs, w, c int)   see PRODUCTS
// R8 stride of x, R9 three strides, AX vectors of structured.
TEXT ·block32AVX512(SB), NOSPLIT, $0-64
	MOVQ t+0(FP), DI
	MOVQ ts+8(FP), R12
	MOVQ x+16(FP), SI
	MOVQ xs+24(FP), R8
	MOVQ v+32(FP), BX
	MOVQ vs+40(FP), R11
	MOVQ w+48(FP), CX
	MOVQ c+56(FP), AX
	SHLQ $SHIFT, R12
	SHLQ $SHIFT, R8
	SHLQ $SHIFT, R11
	LEAQ (R8)(R8*2), R9
	LEAQ (SI)(R8*4), R10
	PRODUCTS123(ROWS, NEXT)

// func line32AVX512(t, x, v *float32, vs, w, c int)   see PRODUCTS
TEXT ·line32AVX512(SB), NOSPLIT, $0-48
	MOVQ t+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ v+16(FP), BX
	MOVQ vs+24(FP), R11
	MOVQ w+32(FP), CX
	MOVQ c+40(FP), AX
	SHLQ $SHIFT, R11
	PRODUCTS123(ALONE, NONE)

// func split32AVX512(s *float32, ss int, d *float32, ds int, x, y, v, u *float32, n, h int)   see SPLIT
TEXT ·split32AVX512(SB), NOSPLIT, $0-80
	MOVQ s+0(FP), DI
	MOVQ ss+8(FP), R11
	MOVQ d+16(FP), SI
	MOVQ ds+24(FP), R12
	MOVQ x+32(FP), BX
	MOVQ y+40(FP), R8
	MOVQ v+48(FP), R9
	MOVQ u+56(FP), R10
	MOVQ n+64(FP), AX
	MOVQ h+72(FP), CX
	SHLQ $SHIFT, CX
	SHLQ $SHIFT, R11
	SHLQ $SHIFT, R12
	SPLIT

// func addSub32AVX512(s, d, a *float32, pairs, n int)   see ADDSUB
TEXT ·addSub32AVX512(SB), NOSPLIT, $0-40
	MOVQ s+0(FP), DI
	MOVQ d+8(FP), SI
	MOVQ a+16(FP), BX
	MOVQ pairs+24(FP), AX
	MOVQ n+32(FP), CX
	SHLQ $SHIFT, CX
	ADDSUB

#undef SHIFT
#undef BCAST
#undef MADD
#undef MUL
#undef MSUB
#undef ADD
#undef SUB
