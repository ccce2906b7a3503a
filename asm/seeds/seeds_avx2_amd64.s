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
#define INIT(A, B, C) VMOVUPD 0(R13), A; ADDQ R12, R13
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
#undef INIT
#undef ROW
#undef STORE

#define LOADV VMOVUPD 0(BX), Y12; VMOVUPD 32(BX), Y13
#define INIT(A, B, C) VMOVUPD 0(R13), A; VMOVUPD 32(R13), B; ADDQ R12, R13
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
#undef INIT
#undef ROW
#undef STORE

#define LOADV VMOVUPD 0(BX), Y12; VMOVUPD 32(BX), Y13; VMOVUPD 64(BX), Y14
#define INIT(A, B, C) VMOVUPD 0(R13), A; VMOVUPD 32(R13), B; VMOVUPD 64(R13), C; ADDQ R12, R13
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
#undef INIT
#undef ROW
#undef STORE

// func split64AVX2(s *float64, ss int, d *float64, ds int, x, y, v, u *float64, n, h int)
//	for g := range n { for i := range h {
//		p, q := x[i]*v[g*h+i], y[i]*u[g*h+i]; s[g*ss+i], d[g*ds+i] = p+q, p-q
//	} }
// with p not rounded; h is a positive multiple of 8.
//   DI, SI s, d and R11, R12 their strides; BX, R8 x, y; R9, R10 v, u
//   CX h in bytes, DX bytes done, AX seeds left
// Unroll 2: the loop is bound by its four loads and two stores a register.
TEXT ·split64AVX2(SB), NOSPLIT, $0-80
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
	ADDQ    R11, DI
	ADDQ    R12, SI
	ADDQ    CX, R9
	ADDQ    CX, R10
	DECQ    AX
	JNZ     seed
	VZEROUPPER
	RET

// func addsub64AVX2(s, d, a *float64, pairs, n int)
//	for r := range pairs { for i := range n {
//		p, q := a[2*r*n+i], a[(2*r+1)*n+i]; s[r*n+i], d[r*n+i] = p+q, p-q
//	} }
// n is a positive multiple of 4; s may be a.
//   DI, SI s, d; BX, R8 the two rows of a; CX n in bytes, DX bytes done; AX pairs left
// One register at a time: two loads, two stores, bound by the stores.
TEXT ·addsub64AVX2(SB), NOSPLIT, $0-40
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
	VMOVUPD (BX)(DX*1), Y0
	VMOVUPD (R8)(DX*1), Y1
	ADD     Y1, Y0, Y2
	SUB     Y1, Y0, Y3
	VMOVUPD Y2, (DI)(DX*1)
	VMOVUPD Y3, (SI)(DX*1)
	ADDQ    $32, DX
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

#define LOADV VMOVUPD 0(BX), Y12
#define INIT(A, B, C) VMOVUPD 0(R13), A; ADDQ R12, R13
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
#undef INIT
#undef ROW
#undef STORE

#define LOADV VMOVUPD 0(BX), Y12; VMOVUPD 32(BX), Y13
#define INIT(A, B, C) VMOVUPD 0(R13), A; VMOVUPD 32(R13), B; ADDQ R12, R13
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
#undef INIT
#undef ROW
#undef STORE

#define LOADV VMOVUPD 0(BX), Y12; VMOVUPD 32(BX), Y13; VMOVUPD 64(BX), Y14
#define INIT(A, B, C) VMOVUPD 0(R13), A; VMOVUPD 32(R13), B; VMOVUPD 64(R13), C; ADDQ R12, R13
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
#undef INIT
#undef ROW
#undef STORE

// func split32AVX2(s *float32, ss int, d *float32, ds int, x, y, v, u *float32, n, h int)
//	for g := range n { for i := range h {
//		p, q := x[i]*v[g*h+i], y[i]*u[g*h+i]; s[g*ss+i], d[g*ds+i] = p+q, p-q
//	} }
// with p not rounded; h is a positive multiple of 16.
//   DI, SI s, d and R11, R12 their strides; BX, R8 x, y; R9, R10 v, u
//   CX h in bytes, DX bytes done, AX seeds left
// Unroll 2: the loop is bound by its four loads and two stores a register.
TEXT ·split32AVX2(SB), NOSPLIT, $0-80
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
	ADDQ    R11, DI
	ADDQ    R12, SI
	ADDQ    CX, R9
	ADDQ    CX, R10
	DECQ    AX
	JNZ     seed
	VZEROUPPER
	RET

// func addsub32AVX2(s, d, a *float32, pairs, n int)
//	for r := range pairs { for i := range n {
//		p, q := a[2*r*n+i], a[(2*r+1)*n+i]; s[r*n+i], d[r*n+i] = p+q, p-q
//	} }
// n is a positive multiple of 8; s may be a.
//   DI, SI s, d; BX, R8 the two rows of a; CX n in bytes, DX bytes done; AX pairs left
// One register at a time: two loads, two stores, bound by the stores.
TEXT ·addsub32AVX2(SB), NOSPLIT, $0-40
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
	VMOVUPD (BX)(DX*1), Y0
	VMOVUPD (R8)(DX*1), Y1
	ADD     Y1, Y0, Y2
	SUB     Y1, Y0, Y3
	VMOVUPD Y2, (DI)(DX*1)
	VMOVUPD Y3, (SI)(DX*1)
	ADDQ    $32, DX
	CMPQ    DX, CX
	JLT     loop
	ADDQ    CX, DI
	ADDQ    CX, SI
	LEAQ    (R8)(CX*1), BX
	DECQ    AX
	JNZ     pair
	VZEROUPPER
	RET

// func transpose64AVX2(dst, t *float64, ts, rows, cols int)
//	for i := range cols { for r := range rows { dst[i*rows+r] = t[r*ts+i] } }
// rows and cols are positive multiples of 4.
//   SI t at column i, R8 stride of t, R9 two strides; DI dst at row i, R10 its stride, R11 three strides
//   DX rows, R12 rows left, R13 t at row r, R14 dst at column r; CX columns left
// Blocks of 4×4: halves of rows r and r+2 in one register, so that unpacking with
// those of r+1 and r+3 is all there is to do.
TEXT ·transpose64AVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ t+8(FP), SI
	MOVQ ts+16(FP), R8
	MOVQ rows+24(FP), DX
	MOVQ cols+32(FP), CX
	SHLQ $3, R8
	LEAQ (R8)(R8*1), R9
	MOVQ DX, R10
	SHLQ $3, R10
	LEAQ (R10)(R10*2), R11

columns:
	MOVQ DX, R12
	MOVQ SI, R13
	MOVQ DI, R14

block:
	VMOVUPD     (R13), X0
	VINSERTF128 $1, (R13)(R9*1), Y0, Y0
	VMOVUPD     16(R13), X2
	VINSERTF128 $1, 16(R13)(R9*1), Y2, Y2
	ADDQ        R8, R13
	VMOVUPD     (R13), X1
	VINSERTF128 $1, (R13)(R9*1), Y1, Y1
	VMOVUPD     16(R13), X3
	VINSERTF128 $1, 16(R13)(R9*1), Y3, Y3
	ADDQ        R8, R13
	ADDQ        R9, R13
	VUNPCKLPD   Y1, Y0, Y4
	VUNPCKHPD   Y1, Y0, Y5
	VUNPCKLPD   Y3, Y2, Y6
	VUNPCKHPD   Y3, Y2, Y7
	VMOVUPD     Y4, (R14)
	VMOVUPD     Y5, (R14)(R10*1)
	VMOVUPD     Y6, (R14)(R10*2)
	VMOVUPD     Y7, (R14)(R11*1)
	ADDQ        $32, R14
	SUBQ        $4, R12
	JNZ         block
	ADDQ        $32, SI
	LEAQ        (DI)(R10*4), DI
	SUBQ        $4, CX
	JNZ         columns
	VZEROUPPER
	RET

// func transpose32AVX2(dst, t *float32, ts, rows, cols int)
//	for i := range cols { for r := range rows { dst[i*rows+r] = t[r*ts+i] } }
// rows is a positive multiple of 8, cols of 4.
//   SI t at column i, R8 stride of t, R9 four strides; DI dst at row i, R10 its stride, R11 three strides
//   DX rows, R12 rows left, R13 t at row r, R14 dst at column r; CX columns left
// Blocks of 8×4: quarters of rows r and r+4 in one register, so that the
// transposition stays within halves of registers.
TEXT ·transpose32AVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ t+8(FP), SI
	MOVQ ts+16(FP), R8
	MOVQ rows+24(FP), DX
	MOVQ cols+32(FP), CX
	SHLQ $2, R8
	LEAQ (R8*4), R9
	MOVQ DX, R10
	SHLQ $2, R10
	LEAQ (R10)(R10*2), R11

columns:
	MOVQ DX, R12
	MOVQ SI, R13
	MOVQ DI, R14

block:
	VMOVUPD     (R13), X0
	VINSERTF128 $1, (R13)(R9*1), Y0, Y0
	ADDQ        R8, R13
	VMOVUPD     (R13), X1
	VINSERTF128 $1, (R13)(R9*1), Y1, Y1
	ADDQ        R8, R13
	VMOVUPD     (R13), X2
	VINSERTF128 $1, (R13)(R9*1), Y2, Y2
	ADDQ        R8, R13
	VMOVUPD     (R13), X3
	VINSERTF128 $1, (R13)(R9*1), Y3, Y3
	ADDQ        R8, R13
	ADDQ        R9, R13
	VUNPCKLPS   Y1, Y0, Y4
	VUNPCKHPS   Y1, Y0, Y5
	VUNPCKLPS   Y3, Y2, Y6
	VUNPCKHPS   Y3, Y2, Y7
	VUNPCKLPD   Y6, Y4, Y0
	VUNPCKHPD   Y6, Y4, Y1
	VUNPCKLPD   Y7, Y5, Y2
	VUNPCKHPD   Y7, Y5, Y3
	VMOVUPD     Y0, (R14)
	VMOVUPD     Y1, (R14)(R10*1)
	VMOVUPD     Y2, (R14)(R10*2)
	VMOVUPD     Y3, (R14)(R11*1)
	ADDQ        $32, R14
	SUBQ        $8, R12
	JNZ         block
	ADDQ        $16, SI
	LEAQ        (DI)(R10*4), DI
	SUBQ        $4, CX
	JNZ         columns
	VZEROUPPER
	RET

// func deal64AVX2(a, b, x *float64, n int)
//	for i := range n { a[i], b[i] = x[2*i], x[2*i+1] }
// n is a positive multiple of 4.
//   DI, SI a, b; BX x; CX n in bytes, DX bytes of a done
// Half registers inserted from memory leave two shuffles a pair of registers.
TEXT ·deal64AVX2(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ x+16(FP), BX
	MOVQ n+24(FP), CX
	SHLQ $3, CX
	XORQ DX, DX

loop:
	VMOVUPD     (BX)(DX*2), X0
	VINSERTF128 $1, 32(BX)(DX*2), Y0, Y0
	VMOVUPD     16(BX)(DX*2), X1
	VINSERTF128 $1, 48(BX)(DX*2), Y1, Y1
	VUNPCKLPD Y1, Y0, Y2
	VUNPCKHPD Y1, Y0, Y3
	VMOVUPD     Y2, (DI)(DX*1)
	VMOVUPD     Y3, (SI)(DX*1)
	ADDQ        $32, DX
	CMPQ        DX, CX
	JLT         loop
	VZEROUPPER
	RET

// func deal32AVX2(a, b, x *float32, n int)
//	for i := range n { a[i], b[i] = x[2*i], x[2*i+1] }
// n is a positive multiple of 8.
//   DI, SI a, b; BX x; CX n in bytes, DX bytes of a done
// Half registers inserted from memory leave two shuffles a pair of registers.
TEXT ·deal32AVX2(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ x+16(FP), BX
	MOVQ n+24(FP), CX
	SHLQ $2, CX
	XORQ DX, DX

loop:
	VMOVUPD     (BX)(DX*2), X0
	VINSERTF128 $1, 32(BX)(DX*2), Y0, Y0
	VMOVUPD     16(BX)(DX*2), X1
	VINSERTF128 $1, 48(BX)(DX*2), Y1, Y1
	VSHUFPS $0x88, Y1, Y0, Y2
	VSHUFPS $0xdd, Y1, Y0, Y3
	VMOVUPD     Y2, (DI)(DX*1)
	VMOVUPD     Y3, (SI)(DX*1)
	ADDQ        $32, DX
	CMPQ        DX, CX
	JLT         loop
	VZEROUPPER
	RET
