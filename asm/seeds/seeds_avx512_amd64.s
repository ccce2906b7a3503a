//go:build !noasm

#include "textflag.h"

// The bodies of the products are in rows8_avx512_amd64.h and row_avx512_amd64.h,
// included for each type and for one, two and three registers of seeds.

// float64

#define SHIFT 3
#define BCAST VBROADCASTSD
#define MADD VFMADD231PD
#define MUL VMULPD
#define MSUB VFMSUB231PD
#define ADD VADDPD
#define SUB VSUBPD

#define LOADV VMOVUPD 0(BX), Z24
#define INIT(A, B, C) VMOVUPD 0(R13), A; ADDQ R12, R13
#define ROW(M, A, B, C) BCAST M, Z27; MADD Z24, Z27, A
#define STORE(A, B, C) VMOVUPD A, 0(DI); ADDQ R12, DI

// func rows8x1x64AVX512(t *float64, ts int, x *float64, xs int, v *float64, vs, w int)
// 8 seeds.
TEXT ·rows8x1x64AVX512(SB), NOSPLIT, $0-56
#include "rows8_avx512_amd64.h"

// func row1x64AVX512(t, x, v *float64, vs, w int)
// 8 seeds.
TEXT ·row1x64AVX512(SB), NOSPLIT, $0-40
#include "row_avx512_amd64.h"

#undef LOADV
#undef INIT
#undef ROW
#undef STORE

#define LOADV VMOVUPD 0(BX), Z24; VMOVUPD 64(BX), Z25
#define INIT(A, B, C) VMOVUPD 0(R13), A; VMOVUPD 64(R13), B; ADDQ R12, R13
#define ROW(M, A, B, C) BCAST M, Z27; MADD Z24, Z27, A; MADD Z25, Z27, B
#define STORE(A, B, C) VMOVUPD A, 0(DI); VMOVUPD B, 64(DI); ADDQ R12, DI

// func rows8x2x64AVX512(t *float64, ts int, x *float64, xs int, v *float64, vs, w int)
// 16 seeds.
TEXT ·rows8x2x64AVX512(SB), NOSPLIT, $0-56
#include "rows8_avx512_amd64.h"

// func row2x64AVX512(t, x, v *float64, vs, w int)
// 16 seeds.
TEXT ·row2x64AVX512(SB), NOSPLIT, $0-40
#include "row_avx512_amd64.h"

#undef LOADV
#undef INIT
#undef ROW
#undef STORE

#define LOADV VMOVUPD 0(BX), Z24; VMOVUPD 64(BX), Z25; VMOVUPD 128(BX), Z26
#define INIT(A, B, C) VMOVUPD 0(R13), A; VMOVUPD 64(R13), B; VMOVUPD 128(R13), C; ADDQ R12, R13
#define ROW(M, A, B, C) BCAST M, Z27; MADD Z24, Z27, A; MADD Z25, Z27, B; MADD Z26, Z27, C
#define STORE(A, B, C) VMOVUPD A, 0(DI); VMOVUPD B, 64(DI); VMOVUPD C, 128(DI); ADDQ R12, DI

// func rows8x3x64AVX512(t *float64, ts int, x *float64, xs int, v *float64, vs, w int)
// 24 seeds.
TEXT ·rows8x3x64AVX512(SB), NOSPLIT, $0-56
#include "rows8_avx512_amd64.h"

// func row3x64AVX512(t, x, v *float64, vs, w int)
// 24 seeds.
TEXT ·row3x64AVX512(SB), NOSPLIT, $0-40
#include "row_avx512_amd64.h"

#undef LOADV
#undef INIT
#undef ROW
#undef STORE

// func split64AVX512(s *float64, ss int, d *float64, ds int, x, y, v, u *float64, n, h int)
//	for g := range n { for i := range h {
//		p, q := x[i]*v[g*h+i], y[i]*u[g*h+i]; s[g*ss+i], d[g*ds+i] = p+q, p-q
//	} }
// with p not rounded; h is a positive multiple of 16.
//   DI, SI s, d and R11, R12 their strides; BX, R8 x, y; R9, R10 v, u
//   CX h in bytes, DX bytes done, AX seeds left
// Unroll 2: the loop is bound by its four loads and two stores a register.
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

seed:
	XORQ DX, DX

loop:
	VMOVUPD (R8)(DX*1), Z0
	VMOVUPD 64(R8)(DX*1), Z1
	MUL     (R10)(DX*1), Z0, Z0
	MUL     64(R10)(DX*1), Z1, Z1
	VMOVUPD (BX)(DX*1), Z2
	VMOVUPD 64(BX)(DX*1), Z3
	VMOVUPD (R9)(DX*1), Z4
	VMOVUPD 64(R9)(DX*1), Z5
	VMOVAPD Z0, Z6
	VMOVAPD Z1, Z7
	MADD    Z2, Z4, Z0
	MADD    Z3, Z5, Z1
	MSUB    Z2, Z4, Z6
	MSUB    Z3, Z5, Z7
	VMOVUPD Z0, (DI)(DX*1)
	VMOVUPD Z1, 64(DI)(DX*1)
	VMOVUPD Z6, (SI)(DX*1)
	VMOVUPD Z7, 64(SI)(DX*1)
	ADDQ    $128, DX
	CMPQ    DX, CX
	JLT     loop
	ADDQ    R11, DI
	ADDQ    R12, SI
	ADDQ    CX, R9
	ADDQ    CX, R10
	DECQ    AX
	JNZ     seed
	VZEROUPPER
	RET

// func addsub64AVX512(s, d, a *float64, pairs, n int)
//	for r := range pairs { for i := range n {
//		p, q := a[2*r*n+i], a[(2*r+1)*n+i]; s[r*n+i], d[r*n+i] = p+q, p-q
//	} }
// n is a positive multiple of 8; s may be a.
//   DI, SI s, d; BX, R8 the two rows of a; CX n in bytes, DX bytes done; AX pairs left
// One register at a time: two loads, two stores, bound by the stores.
TEXT ·addsub64AVX512(SB), NOSPLIT, $0-40
	MOVQ s+0(FP), DI
	MOVQ d+8(FP), SI
	MOVQ a+16(FP), BX
	MOVQ pairs+24(FP), AX
	MOVQ n+32(FP), CX
	SHLQ $SHIFT, CX

pair:
	LEAQ (BX)(CX*1), R8
	XORQ DX, DX

loop:
	VMOVUPD (BX)(DX*1), Z0
	VMOVUPD (R8)(DX*1), Z1
	ADD     Z1, Z0, Z2
	SUB     Z1, Z0, Z3
	VMOVUPD Z2, (DI)(DX*1)
	VMOVUPD Z3, (SI)(DX*1)
	ADDQ    $64, DX
	CMPQ    DX, CX
	JLT     loop
	ADDQ    CX, DI
	ADDQ    CX, SI
	LEAQ    (R8)(CX*1), BX
	DECQ    AX
	JNZ     pair
	VZEROUPPER
	RET

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

#define LOADV VMOVUPD 0(BX), Z24
#define INIT(A, B, C) VMOVUPD 0(R13), A; ADDQ R12, R13
#define ROW(M, A, B, C) BCAST M, Z27; MADD Z24, Z27, A
#define STORE(A, B, C) VMOVUPD A, 0(DI); ADDQ R12, DI

// func rows8x1x32AVX512(t *float32, ts int, x *float32, xs int, v *float32, vs, w int)
// 16 seeds.
TEXT ·rows8x1x32AVX512(SB), NOSPLIT, $0-56
#include "rows8_avx512_amd64.h"

// func row1x32AVX512(t, x, v *float32, vs, w int)
// 16 seeds.
TEXT ·row1x32AVX512(SB), NOSPLIT, $0-40
#include "row_avx512_amd64.h"

#undef LOADV
#undef INIT
#undef ROW
#undef STORE

#define LOADV VMOVUPD 0(BX), Z24; VMOVUPD 64(BX), Z25
#define INIT(A, B, C) VMOVUPD 0(R13), A; VMOVUPD 64(R13), B; ADDQ R12, R13
#define ROW(M, A, B, C) BCAST M, Z27; MADD Z24, Z27, A; MADD Z25, Z27, B
#define STORE(A, B, C) VMOVUPD A, 0(DI); VMOVUPD B, 64(DI); ADDQ R12, DI

// func rows8x2x32AVX512(t *float32, ts int, x *float32, xs int, v *float32, vs, w int)
// 32 seeds.
TEXT ·rows8x2x32AVX512(SB), NOSPLIT, $0-56
#include "rows8_avx512_amd64.h"

// func row2x32AVX512(t, x, v *float32, vs, w int)
// 32 seeds.
TEXT ·row2x32AVX512(SB), NOSPLIT, $0-40
#include "row_avx512_amd64.h"

#undef LOADV
#undef INIT
#undef ROW
#undef STORE

#define LOADV VMOVUPD 0(BX), Z24; VMOVUPD 64(BX), Z25; VMOVUPD 128(BX), Z26
#define INIT(A, B, C) VMOVUPD 0(R13), A; VMOVUPD 64(R13), B; VMOVUPD 128(R13), C; ADDQ R12, R13
#define ROW(M, A, B, C) BCAST M, Z27; MADD Z24, Z27, A; MADD Z25, Z27, B; MADD Z26, Z27, C
#define STORE(A, B, C) VMOVUPD A, 0(DI); VMOVUPD B, 64(DI); VMOVUPD C, 128(DI); ADDQ R12, DI

// func rows8x3x32AVX512(t *float32, ts int, x *float32, xs int, v *float32, vs, w int)
// 48 seeds.
TEXT ·rows8x3x32AVX512(SB), NOSPLIT, $0-56
#include "rows8_avx512_amd64.h"

// func row3x32AVX512(t, x, v *float32, vs, w int)
// 48 seeds.
TEXT ·row3x32AVX512(SB), NOSPLIT, $0-40
#include "row_avx512_amd64.h"

#undef LOADV
#undef INIT
#undef ROW
#undef STORE

// func split32AVX512(s *float32, ss int, d *float32, ds int, x, y, v, u *float32, n, h int)
//	for g := range n { for i := range h {
//		p, q := x[i]*v[g*h+i], y[i]*u[g*h+i]; s[g*ss+i], d[g*ds+i] = p+q, p-q
//	} }
// with p not rounded; h is a positive multiple of 32.
//   DI, SI s, d and R11, R12 their strides; BX, R8 x, y; R9, R10 v, u
//   CX h in bytes, DX bytes done, AX seeds left
// Unroll 2: the loop is bound by its four loads and two stores a register.
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

seed:
	XORQ DX, DX

loop:
	VMOVUPD (R8)(DX*1), Z0
	VMOVUPD 64(R8)(DX*1), Z1
	MUL     (R10)(DX*1), Z0, Z0
	MUL     64(R10)(DX*1), Z1, Z1
	VMOVUPD (BX)(DX*1), Z2
	VMOVUPD 64(BX)(DX*1), Z3
	VMOVUPD (R9)(DX*1), Z4
	VMOVUPD 64(R9)(DX*1), Z5
	VMOVAPD Z0, Z6
	VMOVAPD Z1, Z7
	MADD    Z2, Z4, Z0
	MADD    Z3, Z5, Z1
	MSUB    Z2, Z4, Z6
	MSUB    Z3, Z5, Z7
	VMOVUPD Z0, (DI)(DX*1)
	VMOVUPD Z1, 64(DI)(DX*1)
	VMOVUPD Z6, (SI)(DX*1)
	VMOVUPD Z7, 64(SI)(DX*1)
	ADDQ    $128, DX
	CMPQ    DX, CX
	JLT     loop
	ADDQ    R11, DI
	ADDQ    R12, SI
	ADDQ    CX, R9
	ADDQ    CX, R10
	DECQ    AX
	JNZ     seed
	VZEROUPPER
	RET

// func addsub32AVX512(s, d, a *float32, pairs, n int)
//	for r := range pairs { for i := range n {
//		p, q := a[2*r*n+i], a[(2*r+1)*n+i]; s[r*n+i], d[r*n+i] = p+q, p-q
//	} }
// n is a positive multiple of 16; s may be a.
//   DI, SI s, d; BX, R8 the two rows of a; CX n in bytes, DX bytes done; AX pairs left
// One register at a time: two loads, two stores, bound by the stores.
TEXT ·addsub32AVX512(SB), NOSPLIT, $0-40
	MOVQ s+0(FP), DI
	MOVQ d+8(FP), SI
	MOVQ a+16(FP), BX
	MOVQ pairs+24(FP), AX
	MOVQ n+32(FP), CX
	SHLQ $SHIFT, CX

pair:
	LEAQ (BX)(CX*1), R8
	XORQ DX, DX

loop:
	VMOVUPD (BX)(DX*1), Z0
	VMOVUPD (R8)(DX*1), Z1
	ADD     Z1, Z0, Z2
	SUB     Z1, Z0, Z3
	VMOVUPD Z2, (DI)(DX*1)
	VMOVUPD Z3, (SI)(DX*1)
	ADDQ    $64, DX
	CMPQ    DX, CX
	JLT     loop
	ADDQ    CX, DI
	ADDQ    CX, SI
	LEAQ    (R8)(CX*1), BX
	DECQ    AX
	JNZ     pair
	VZEROUPPER
	RET

