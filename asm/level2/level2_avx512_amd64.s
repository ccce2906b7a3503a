//go:build !noasm

#include "textflag.h"

// The bodies stand in one header each, for both widths and both types.

// W is the size of a vector in bytes.
#define W 64
#define V0 Z0
#define V1 Z1
#define V2 Z2
#define V3 Z3
#define V4 Z4
#define V5 Z5
#define V6 Z6
#define V7 Z7
#define V8 Z8
#define V9 Z9
#define V10 Z10
#define V11 Z11
#define V12 Z12
#define V13 Z13
#define V14 Z14

// K1 = mask of the last CX mod 64 bytes. Uses AX, R13.
#define TAILMASK \
	MOVQ  CX, R13; \
	ANDQ  $63, R13; \
	SHRQ  $SHIFT, R13; \
	MOVQ  $-1, AX; \
	BZHIQ R13, AX, AX; \
	KMOVQ AX, K1

#define LOADTAIL(mem, v) MOVU.Z mem, K1, v
#define STORETAIL(v, mem) MOVU v, K1, mem

// The first lane of a becomes the sum of its lanes: halves, quarters, pairs, neighbors.
#define SUM64(a, ay, ax, ty, tx) \
	VEXTRACTF64X4 $1, a, ty; \
	VADDPD ty, ay, ay; \
	VEXTRACTF128 $1, ay, tx; \
	VADDPD tx, ax, ax; \
	VPERMILPD $1, ax, tx; \
	VADDSD tx, ax, ax

#define SUM32(a, ay, ax, ty, tx) \
	VEXTRACTF64X4 $1, a, ty; \
	VADDPS ty, ay, ay; \
	VEXTRACTF128 $1, ay, tx; \
	VADDPS tx, ax, ax; \
	VPERMILPD $1, ax, tx; \
	VADDPS tx, ax, ax; \
	VMOVSHDUP ax, tx; \
	VADDSS tx, ax, ax

// Y0 or X0 becomes the sums of the lanes of V0, V2, V4, V6, each in the order of SUM. Uses Y1, Y3, Y5, Y7.
#define HALVES(add) \
	VEXTRACTF64X4 $1, Z0, Y1; \
	VEXTRACTF64X4 $1, Z2, Y3; \
	VEXTRACTF64X4 $1, Z4, Y5; \
	VEXTRACTF64X4 $1, Z6, Y7; \
	add Y1, Y0, Y0; \
	add Y3, Y2, Y2; \
	add Y5, Y4, Y4; \
	add Y7, Y6, Y6

#define SUMS64 \
	HALVES(VADDPD); \
	QUARTERS64

#define SUMS32 \
	HALVES(VADDPS); \
	QUARTERS32

// Half a vector at the end of a row of ger.
#define HALFROW \
	TESTQ $32, CX; \
	JEQ   tail16; \
	MOVU  (SI)(R13*1), Y2; \
	FMA   (DI)(R13*1), Y1, Y2; \
	MOVU  Y2, (SI)(R13*1); \
	ADDQ  $32, R13

// The same for four rows and for one of gemvT.
#define HALF4 \
	TESTQ $32, CX; \
	JEQ   tail16x4; \
	MOVU  (DI)(R13*1), Y4; \
	FMA   (R11), Y0, Y4; \
	FMA   (R11)(R8*1), Y1, Y4; \
	FMA   (R12), Y2, Y4; \
	FMA   (R12)(R8*1), Y3, Y4; \
	MOVU  Y4, (DI)(R13*1); \
	ADDQ  $32, R11; \
	ADDQ  $32, R12; \
	ADDQ  $32, R13

#define HALF1 \
	TESTQ $32, CX; \
	JEQ   tail16x1; \
	MOVU  (DI)(R13*1), Y4; \
	FMA   (SI)(R13*1), Y0, Y4; \
	MOVU  Y4, (DI)(R13*1); \
	ADDQ  $32, R13

// What solve calls: broadcasts are part of the arithmetic.
#define HALFREGISTERS
#define NMADD(c, x, y) FNMADDB c, x, y
#define SCALEROW(c, x) MULB c, x, x

// A vector of zeros, one of ones and one of zeros: the lanes that symvRows takes beside the diagonal.
DATA besides<>+0(SB)/8, $0
DATA besides<>+8(SB)/8, $0
DATA besides<>+16(SB)/8, $0
DATA besides<>+24(SB)/8, $0
DATA besides<>+32(SB)/8, $0
DATA besides<>+40(SB)/8, $0
DATA besides<>+48(SB)/8, $0
DATA besides<>+56(SB)/8, $0
DATA besides<>+64(SB)/8, $-1
DATA besides<>+72(SB)/8, $-1
DATA besides<>+80(SB)/8, $-1
DATA besides<>+88(SB)/8, $-1
DATA besides<>+96(SB)/8, $-1
DATA besides<>+104(SB)/8, $-1
DATA besides<>+112(SB)/8, $-1
DATA besides<>+120(SB)/8, $-1
DATA besides<>+128(SB)/8, $0
DATA besides<>+136(SB)/8, $0
DATA besides<>+144(SB)/8, $0
DATA besides<>+152(SB)/8, $0
DATA besides<>+160(SB)/8, $0
DATA besides<>+168(SB)/8, $0
DATA besides<>+176(SB)/8, $0
DATA besides<>+184(SB)/8, $0
GLOBL besides<>(SB), RODATA|NOPTR, $192

#include "few_amd64.h"
#include "sums_amd64.h"
#include "float64_amd64.h"

// func dot64AVX512(x, y []float64) float64
TEXT ·dot64AVX512(SB), NOSPLIT, $0-56
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	MOVQ y_base+24(FP), DI
#include "dot_amd64.h"
	VMOVSD X0, ret+48(FP)
	VZEROUPPER
	RET

// func scale64AVX512(x []float64, alpha float64)
TEXT ·scale64AVX512(SB), NOSPLIT, $0-32
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	VBROADCASTSD alpha+24(FP), Z0
#include "scale_amd64.h"
	VZEROUPPER
	RET

// func ger64AVX512(a []float64, lda int, x, y []float64, alpha float64)
TEXT ·ger64AVX512(SB), NOSPLIT, $0-88
	MOVQ a_base+0(FP), SI
	MOVQ lda+24(FP), R8
	MOVQ x_base+32(FP), DX
	MOVQ x_len+40(FP), BX
	MOVQ y_base+56(FP), DI
	MOVQ y_len+64(FP), CX
	VMOVSD alpha+80(FP), X0
#include "ger_amd64.h"
	VZEROUPPER
	RET

// func gemvN64AVX512(y, a []float64, lda int, x []float64, alpha float64)
TEXT ·gemvN64AVX512(SB), NOSPLIT, $0-88
	MOVQ y_base+0(FP), DI
	MOVQ y_len+8(FP), BX
	MOVQ a_base+24(FP), SI
	MOVQ lda+48(FP), R8
	MOVQ x_base+56(FP), DX
	MOVQ x_len+64(FP), CX
	VMOVSD alpha+80(FP), X11
#include "gemvn_amd64.h"
	VZEROUPPER
	RET

// func gemvT64AVX512(y, a []float64, lda int, x []float64, alpha float64)
TEXT ·gemvT64AVX512(SB), NOSPLIT, $0-88
	MOVQ y_base+0(FP), DI
	MOVQ y_len+8(FP), CX
	MOVQ a_base+24(FP), SI
	MOVQ lda+48(FP), R8
	MOVQ x_base+56(FP), DX
	MOVQ x_len+64(FP), BX
	VMOVSD alpha+80(FP), X7
#include "gemvt_amd64.h"
	VZEROUPPER
	RET

// func symv64AVX512(a []float64, lda int, x, y []float64, xr, s *[4]float64)
TEXT ·symv64AVX512(SB), NOSPLIT, $0-96
	MOVQ a_base+0(FP), SI
	MOVQ lda+24(FP), R8
	MOVQ x_base+32(FP), DX
	MOVQ x_len+40(FP), CX
	MOVQ y_base+56(FP), DI
	MOVQ xr+80(FP), BX
	MOVQ s+88(FP), R10
#include "symv_amd64.h"
	VZEROUPPER
	RET

// func symvRows64AVX512(a []float64, lda, first, rows int, x, y []float64, lower bool)
TEXT ·symvRows64AVX512(SB), NOSPLIT, $0-97
	MOVQ a_base+0(FP), SI
	MOVQ lda+24(FP), R8
	MOVQ first+32(FP), R10
	MOVQ rows+40(FP), BX
	MOVQ x_base+48(FP), DX
	MOVQ x_len+56(FP), CX
	MOVQ y_base+72(FP), DI
	MOVBLZX lower+96(FP), R11
#include "symvrows_amd64.h"
	VZEROUPPER
	RET

// func rotate64AVX512(a *float64, lda, n int, c, s []float64)
TEXT ·rotate64AVX512(SB), NOSPLIT, $0-72
	MOVQ a+0(FP), SI
	MOVQ lda+8(FP), R8
	MOVQ n+16(FP), CX
	MOVQ c_base+24(FP), DI
	MOVQ c_len+32(FP), BX
	MOVQ s_base+48(FP), DX
#include "rotate_amd64.h"
	VZEROUPPER
	RET

// func solve64AVX512(b *float64, ldb, n, k int, t *float64, rs, cs int, d *float64)
TEXT ·solve64AVX512(SB), NOSPLIT, $32-64
	MOVQ b+0(FP), DI
	MOVQ ldb+8(FP), R8
	MOVQ n+16(FP), DX
	MOVQ k+24(FP), CX
	MOVQ t+32(FP), BX
	MOVQ rs+40(FP), R13
	MOVQ cs+48(FP), R14
	MOVQ d+56(FP), AX
#include "solve_amd64.h"
	VZEROUPPER
	RET

// func reflect64AVX512(x, y, z []float64, a, b, tau float64)
TEXT ·reflect64AVX512(SB), NOSPLIT, $0-96
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	MOVQ y_base+24(FP), DI
	MOVQ z_base+48(FP), BX
	VMOVSD a+72(FP), X4
	VMOVSD b+80(FP), X5
	VMOVSD tau+88(FP), X6
#include "reflect_amd64.h"
	VZEROUPPER
	RET

#include "float32_amd64.h"

// func dot32AVX512(x, y []float32) float32
TEXT ·dot32AVX512(SB), NOSPLIT, $0-52
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	MOVQ y_base+24(FP), DI
#include "dot_amd64.h"
	VMOVSS X0, ret+48(FP)
	VZEROUPPER
	RET

// func scale32AVX512(x []float32, alpha float32)
TEXT ·scale32AVX512(SB), NOSPLIT, $0-28
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	VBROADCASTSS alpha+24(FP), Z0
#include "scale_amd64.h"
	VZEROUPPER
	RET

// func ger32AVX512(a []float32, lda int, x, y []float32, alpha float32)
TEXT ·ger32AVX512(SB), NOSPLIT, $0-84
	MOVQ a_base+0(FP), SI
	MOVQ lda+24(FP), R8
	MOVQ x_base+32(FP), DX
	MOVQ x_len+40(FP), BX
	MOVQ y_base+56(FP), DI
	MOVQ y_len+64(FP), CX
	VMOVSS alpha+80(FP), X0
#include "ger_amd64.h"
	VZEROUPPER
	RET

// func gemvN32AVX512(y, a []float32, lda int, x []float32, alpha float32)
TEXT ·gemvN32AVX512(SB), NOSPLIT, $0-84
	MOVQ y_base+0(FP), DI
	MOVQ y_len+8(FP), BX
	MOVQ a_base+24(FP), SI
	MOVQ lda+48(FP), R8
	MOVQ x_base+56(FP), DX
	MOVQ x_len+64(FP), CX
	VMOVSS alpha+80(FP), X11
#include "gemvn_amd64.h"
	VZEROUPPER
	RET

// func gemvT32AVX512(y, a []float32, lda int, x []float32, alpha float32)
TEXT ·gemvT32AVX512(SB), NOSPLIT, $0-84
	MOVQ y_base+0(FP), DI
	MOVQ y_len+8(FP), CX
	MOVQ a_base+24(FP), SI
	MOVQ lda+48(FP), R8
	MOVQ x_base+56(FP), DX
	MOVQ x_len+64(FP), BX
	VMOVSS alpha+80(FP), X7
#include "gemvt_amd64.h"
	VZEROUPPER
	RET

// func symv32AVX512(a []float32, lda int, x, y []float32, xr, s *[4]float32)
TEXT ·symv32AVX512(SB), NOSPLIT, $0-96
	MOVQ a_base+0(FP), SI
	MOVQ lda+24(FP), R8
	MOVQ x_base+32(FP), DX
	MOVQ x_len+40(FP), CX
	MOVQ y_base+56(FP), DI
	MOVQ xr+80(FP), BX
	MOVQ s+88(FP), R10
#include "symv_amd64.h"
	VZEROUPPER
	RET

// func symvRows32AVX512(a []float32, lda, first, rows int, x, y []float32, lower bool)
TEXT ·symvRows32AVX512(SB), NOSPLIT, $0-97
	MOVQ a_base+0(FP), SI
	MOVQ lda+24(FP), R8
	MOVQ first+32(FP), R10
	MOVQ rows+40(FP), BX
	MOVQ x_base+48(FP), DX
	MOVQ x_len+56(FP), CX
	MOVQ y_base+72(FP), DI
	MOVBLZX lower+96(FP), R11
#include "symvrows_amd64.h"
	VZEROUPPER
	RET

// func rotate32AVX512(a *float32, lda, n int, c, s []float32)
TEXT ·rotate32AVX512(SB), NOSPLIT, $0-72
	MOVQ a+0(FP), SI
	MOVQ lda+8(FP), R8
	MOVQ n+16(FP), CX
	MOVQ c_base+24(FP), DI
	MOVQ c_len+32(FP), BX
	MOVQ s_base+48(FP), DX
#include "rotate_amd64.h"
	VZEROUPPER
	RET

// func solve32AVX512(b *float32, ldb, n, k int, t *float32, rs, cs int, d *float32)
TEXT ·solve32AVX512(SB), NOSPLIT, $32-64
	MOVQ b+0(FP), DI
	MOVQ ldb+8(FP), R8
	MOVQ n+16(FP), DX
	MOVQ k+24(FP), CX
	MOVQ t+32(FP), BX
	MOVQ rs+40(FP), R13
	MOVQ cs+48(FP), R14
	MOVQ d+56(FP), AX
#include "solve_amd64.h"
	VZEROUPPER
	RET

// func reflect32AVX512(x, y, z []float32, a, b, tau float32)
TEXT ·reflect32AVX512(SB), NOSPLIT, $0-84
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	MOVQ y_base+24(FP), DI
	MOVQ z_base+48(FP), BX
	VMOVSS a+72(FP), X4
	VMOVSS b+76(FP), X5
	VMOVSS tau+80(FP), X6
#include "reflect_amd64.h"
	VZEROUPPER
	RET
