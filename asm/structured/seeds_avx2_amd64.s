//go:build !noasm

#include "textflag.h"

#define W 32
#define W2 (2*W)
#define A0 Y0
#define A1 Y1
#define A2 Y2
#define A3 Y3
#define A4 Y4
#define A5 Y5
#define A6 Y6
#define A7 Y7
#define V0 Y12
#define V1 Y13
#define V2 Y14
#define X Y15

// Four rows: SI is at the first, the others follow at distance R8.
#define ROWS(OP) \
	OP((SI), Y0, Y1, Y2); \
	OP((SI)(R8*1), Y3, Y4, Y5); \
	OP((SI)(R8*2), Y6, Y7, Y8); \
	OP((SI)(R9*1), Y9, Y10, Y11)
#define NONE
#define NEXT

#include "seeds_amd64.h"

// float64

#define SHIFT 3
#define BCAST VBROADCASTSD
#define MADD VFMADD231PD
#define MUL VMULPD
#define MSUB VFMSUB231PD
#define ADD VADDPD
#define SUB VSUBPD

// func block64AVX2(t *float64, ts int, x *float64, xs int, v *float64, vs, w, c int)   see PRODUCTS
// R8 stride of x, R9 three strides, AX vectors of structured.
TEXT ·block64AVX2(SB), NOSPLIT, $0-64
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
	PRODUCTS123(ROWS, NEXT)

// func line64AVX2(t, x, v *float64, vs, w, c int)   see PRODUCTS
TEXT ·line64AVX2(SB), NOSPLIT, $0-48
	MOVQ t+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ v+16(FP), BX
	MOVQ vs+24(FP), R11
	MOVQ w+32(FP), CX
	MOVQ c+40(FP), AX
	SHLQ $SHIFT, R11
	PRODUCTS123(ALONE, NONE)

// func split64AVX2(s *float64, ss int, d *float64, ds int, x, y, v, u *float64, n, h int)   see SPLIT
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
	SPLIT

// func addSub64AVX2(s, d, a *float64, pairs, n int)   see ADDSUB
TEXT ·addSub64AVX2(SB), NOSPLIT, $0-40
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

// func block32AVX2(t *float32, ts int, x *float32, xs int, v *float32, vs, w, c int)   see PRODUCTS
// R8 stride of x, R9 three strides, AX vectors of structured.
TEXT ·block32AVX2(SB), NOSPLIT, $0-64
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
	PRODUCTS123(ROWS, NEXT)

// func line32AVX2(t, x, v *float32, vs, w, c int)   see PRODUCTS
TEXT ·line32AVX2(SB), NOSPLIT, $0-48
	MOVQ t+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ v+16(FP), BX
	MOVQ vs+24(FP), R11
	MOVQ w+32(FP), CX
	MOVQ c+40(FP), AX
	SHLQ $SHIFT, R11
	PRODUCTS123(ALONE, NONE)

// func split32AVX2(s *float32, ss int, d *float32, ds int, x, y, v, u *float32, n, h int)   see SPLIT
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
	SPLIT

// func addSub32AVX2(s, d, a *float32, pairs, n int)   see ADDSUB
TEXT ·addSub32AVX2(SB), NOSPLIT, $0-40
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
