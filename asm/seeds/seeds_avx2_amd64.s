//go:build !noasm

#include "textflag.h"

// The bodies of the products are in rows4_avx2_amd64.h and row_avx2_amd64.h,
// included for each type and for one, two and three registers of seeds.

// float64

#define SHIFT 3
#define BCAST VBROADCASTSD
#define MADD VFMADD231PD
#define MUL VMULPD
#define MSUB VFMSUB231PD
#define ADD VADDPD
#define SUB VSUBPD

#define LOADV VMOVUPD 0(BX), Y12
#define ZERO(A, B, C) VXORPD A, A, A
#define ROW(M, A, B, C) BCAST M, Y15; MADD Y12, Y15, A
#define STORE(A, B, C) VMOVUPD A, 0(DI); ADDQ R12, DI

// func rows4x1x64AVX2(t *float64, ts int, x *float64, xs int, v *float64, vs, w int)
// 4 seeds.
TEXT ·rows4x1x64AVX2(SB), NOSPLIT, $0-56
#include "rows4_avx2_amd64.h"

// func row1x64AVX2(t, x, v *float64, vs, w int)
// 4 seeds.
TEXT ·row1x64AVX2(SB), NOSPLIT, $0-40
#include "row_avx2_amd64.h"

#undef LOADV
#undef ZERO
#undef ROW
#undef STORE

#define LOADV VMOVUPD 0(BX), Y12; VMOVUPD 32(BX), Y13
#define ZERO(A, B, C) VXORPD A, A, A; VXORPD B, B, B
#define ROW(M, A, B, C) BCAST M, Y15; MADD Y12, Y15, A; MADD Y13, Y15, B
#define STORE(A, B, C) VMOVUPD A, 0(DI); VMOVUPD B, 32(DI); ADDQ R12, DI

// func rows4x2x64AVX2(t *float64, ts int, x *float64, xs int, v *float64, vs, w int)
// 8 seeds.
TEXT ·rows4x2x64AVX2(SB), NOSPLIT, $0-56
#include "rows4_avx2_amd64.h"

// func row2x64AVX2(t, x, v *float64, vs, w int)
// 8 seeds.
TEXT ·row2x64AVX2(SB), NOSPLIT, $0-40
#include "row_avx2_amd64.h"

#undef LOADV
#undef ZERO
#undef ROW
#undef STORE

#define LOADV VMOVUPD 0(BX), Y12; VMOVUPD 32(BX), Y13; VMOVUPD 64(BX), Y14
#define ZERO(A, B, C) VXORPD A, A, A; VXORPD B, B, B; VXORPD C, C, C
#define ROW(M, A, B, C) BCAST M, Y15; MADD Y12, Y15, A; MADD Y13, Y15, B; MADD Y14, Y15, C
#define STORE(A, B, C) VMOVUPD A, 0(DI); VMOVUPD B, 32(DI); VMOVUPD C, 64(DI); ADDQ R12, DI

// func rows4x3x64AVX2(t *float64, ts int, x *float64, xs int, v *float64, vs, w int)
// 12 seeds.
TEXT ·rows4x3x64AVX2(SB), NOSPLIT, $0-56
#include "rows4_avx2_amd64.h"

// func row3x64AVX2(t, x, v *float64, vs, w int)
// 12 seeds.
TEXT ·row3x64AVX2(SB), NOSPLIT, $0-40
#include "row_avx2_amd64.h"

#undef LOADV
#undef ZERO
#undef ROW
#undef STORE

// func split64AVX2(s, d, x, y, v, u *float64, n int)
//	for i := range n { p, q := x[i]*v[i], y[i]*u[i]; s[i], d[i] = p+q, p-q }
// with p not rounded; n is a positive multiple of 8.
//   DI, SI s, d; BX, R8 x, y; R9, R10 v, u; CX length in bytes, DX bytes done
// Unroll 2: the loop is bound by its four loads and two stores a register.
TEXT ·split64AVX2(SB), NOSPLIT, $0-56
	MOVQ s+0(FP), DI
	MOVQ d+8(FP), SI
	MOVQ x+16(FP), BX
	MOVQ y+24(FP), R8
	MOVQ v+32(FP), R9
	MOVQ u+40(FP), R10
	MOVQ n+48(FP), CX
	SHLQ $SHIFT, CX
	XORQ DX, DX

loop:
	VMOVUPD (R8)(DX*1), Y0
	VMOVUPD 32(R8)(DX*1), Y1
	MUL     (R10)(DX*1), Y0, Y0
	MUL     32(R10)(DX*1), Y1, Y1
	VMOVUPD (BX)(DX*1), Y2
	VMOVUPD 32(BX)(DX*1), Y3
	VMOVUPD (R9)(DX*1), Y4
	VMOVUPD 32(R9)(DX*1), Y5
	VMOVAPD Y0, Y6
	VMOVAPD Y1, Y7
	MADD    Y2, Y4, Y0
	MADD    Y3, Y5, Y1
	MSUB    Y2, Y4, Y6
	MSUB    Y3, Y5, Y7
	VMOVUPD Y0, (DI)(DX*1)
	VMOVUPD Y1, 32(DI)(DX*1)
	VMOVUPD Y6, (SI)(DX*1)
	VMOVUPD Y7, 32(SI)(DX*1)
	ADDQ    $64, DX
	CMPQ    DX, CX
	JLT     loop
	VZEROUPPER
	RET

// func addsub64AVX2(s, d, a, b *float64, n int)
//	for i := range n { s[i], d[i] = a[i]+b[i], a[i]-b[i] }
// n is a positive multiple of 4; s may be a or b.
//   DI, SI s, d; BX, R8 a, b; CX length in bytes, DX bytes done
TEXT ·addsub64AVX2(SB), NOSPLIT, $0-40
	MOVQ s+0(FP), DI
	MOVQ d+8(FP), SI
	MOVQ a+16(FP), BX
	MOVQ b+24(FP), R8
	MOVQ n+32(FP), CX
	SHLQ $SHIFT, CX
	XORQ DX, DX

loop:
	VMOVUPD (BX)(DX*1), Y0
	VMOVUPD (R8)(DX*1), Y1
	ADD     Y1, Y0, Y2
	SUB     Y1, Y0, Y3
	VMOVUPD Y2, (DI)(DX*1)
	VMOVUPD Y3, (SI)(DX*1)
	ADDQ    $32, DX
	CMPQ    DX, CX
	JLT     loop
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

#define LOADV VMOVUPD 0(BX), Y12
#define ZERO(A, B, C) VXORPD A, A, A
#define ROW(M, A, B, C) BCAST M, Y15; MADD Y12, Y15, A
#define STORE(A, B, C) VMOVUPD A, 0(DI); ADDQ R12, DI

// func rows4x1x32AVX2(t *float32, ts int, x *float32, xs int, v *float32, vs, w int)
// 8 seeds.
TEXT ·rows4x1x32AVX2(SB), NOSPLIT, $0-56
#include "rows4_avx2_amd64.h"

// func row1x32AVX2(t, x, v *float32, vs, w int)
// 8 seeds.
TEXT ·row1x32AVX2(SB), NOSPLIT, $0-40
#include "row_avx2_amd64.h"

#undef LOADV
#undef ZERO
#undef ROW
#undef STORE

#define LOADV VMOVUPD 0(BX), Y12; VMOVUPD 32(BX), Y13
#define ZERO(A, B, C) VXORPD A, A, A; VXORPD B, B, B
#define ROW(M, A, B, C) BCAST M, Y15; MADD Y12, Y15, A; MADD Y13, Y15, B
#define STORE(A, B, C) VMOVUPD A, 0(DI); VMOVUPD B, 32(DI); ADDQ R12, DI

// func rows4x2x32AVX2(t *float32, ts int, x *float32, xs int, v *float32, vs, w int)
// 16 seeds.
TEXT ·rows4x2x32AVX2(SB), NOSPLIT, $0-56
#include "rows4_avx2_amd64.h"

// func row2x32AVX2(t, x, v *float32, vs, w int)
// 16 seeds.
TEXT ·row2x32AVX2(SB), NOSPLIT, $0-40
#include "row_avx2_amd64.h"

#undef LOADV
#undef ZERO
#undef ROW
#undef STORE

#define LOADV VMOVUPD 0(BX), Y12; VMOVUPD 32(BX), Y13; VMOVUPD 64(BX), Y14
#define ZERO(A, B, C) VXORPD A, A, A; VXORPD B, B, B; VXORPD C, C, C
#define ROW(M, A, B, C) BCAST M, Y15; MADD Y12, Y15, A; MADD Y13, Y15, B; MADD Y14, Y15, C
#define STORE(A, B, C) VMOVUPD A, 0(DI); VMOVUPD B, 32(DI); VMOVUPD C, 64(DI); ADDQ R12, DI

// func rows4x3x32AVX2(t *float32, ts int, x *float32, xs int, v *float32, vs, w int)
// 24 seeds.
TEXT ·rows4x3x32AVX2(SB), NOSPLIT, $0-56
#include "rows4_avx2_amd64.h"

// func row3x32AVX2(t, x, v *float32, vs, w int)
// 24 seeds.
TEXT ·row3x32AVX2(SB), NOSPLIT, $0-40
#include "row_avx2_amd64.h"

#undef LOADV
#undef ZERO
#undef ROW
#undef STORE

// func split32AVX2(s, d, x, y, v, u *float32, n int)
//	for i := range n { p, q := x[i]*v[i], y[i]*u[i]; s[i], d[i] = p+q, p-q }
// with p not rounded; n is a positive multiple of 16.
//   DI, SI s, d; BX, R8 x, y; R9, R10 v, u; CX length in bytes, DX bytes done
// Unroll 2: the loop is bound by its four loads and two stores a register.
TEXT ·split32AVX2(SB), NOSPLIT, $0-56
	MOVQ s+0(FP), DI
	MOVQ d+8(FP), SI
	MOVQ x+16(FP), BX
	MOVQ y+24(FP), R8
	MOVQ v+32(FP), R9
	MOVQ u+40(FP), R10
	MOVQ n+48(FP), CX
	SHLQ $SHIFT, CX
	XORQ DX, DX

loop:
	VMOVUPD (R8)(DX*1), Y0
	VMOVUPD 32(R8)(DX*1), Y1
	MUL     (R10)(DX*1), Y0, Y0
	MUL     32(R10)(DX*1), Y1, Y1
	VMOVUPD (BX)(DX*1), Y2
	VMOVUPD 32(BX)(DX*1), Y3
	VMOVUPD (R9)(DX*1), Y4
	VMOVUPD 32(R9)(DX*1), Y5
	VMOVAPD Y0, Y6
	VMOVAPD Y1, Y7
	MADD    Y2, Y4, Y0
	MADD    Y3, Y5, Y1
	MSUB    Y2, Y4, Y6
	MSUB    Y3, Y5, Y7
	VMOVUPD Y0, (DI)(DX*1)
	VMOVUPD Y1, 32(DI)(DX*1)
	VMOVUPD Y6, (SI)(DX*1)
	VMOVUPD Y7, 32(SI)(DX*1)
	ADDQ    $64, DX
	CMPQ    DX, CX
	JLT     loop
	VZEROUPPER
	RET

// func addsub32AVX2(s, d, a, b *float32, n int)
//	for i := range n { s[i], d[i] = a[i]+b[i], a[i]-b[i] }
// n is a positive multiple of 8; s may be a or b.
//   DI, SI s, d; BX, R8 a, b; CX length in bytes, DX bytes done
TEXT ·addsub32AVX2(SB), NOSPLIT, $0-40
	MOVQ s+0(FP), DI
	MOVQ d+8(FP), SI
	MOVQ a+16(FP), BX
	MOVQ b+24(FP), R8
	MOVQ n+32(FP), CX
	SHLQ $SHIFT, CX
	XORQ DX, DX

loop:
	VMOVUPD (BX)(DX*1), Y0
	VMOVUPD (R8)(DX*1), Y1
	ADD     Y1, Y0, Y2
	SUB     Y1, Y0, Y3
	VMOVUPD Y2, (DI)(DX*1)
	VMOVUPD Y3, (SI)(DX*1)
	ADDQ    $32, DX
	CMPQ    DX, CX
	JLT     loop
	VZEROUPPER
	RET

