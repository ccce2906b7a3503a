//go:build !noasm

#include "textflag.h"

// The bodies stand in one header each, for both widths and both types.

// W is the size of a vector in bytes.
#define W 32
#define V0 Y0
#define V1 Y1
#define V2 Y2
#define V3 Y3
#define V4 Y4
#define V5 Y5
#define V6 Y6
#define V7 Y7
#define V8 Y8
#define V9 Y9
#define V10 Y10
#define V11 Y11
#define V12 Y12
#define V13 Y13
#define V14 Y14

// Eight words of ones, then eight of zeros: tailMask+32-n begins with n bytes of ones.
DATA tailMask<>+0(SB)/8, $-1
DATA tailMask<>+8(SB)/8, $-1
DATA tailMask<>+16(SB)/8, $-1
DATA tailMask<>+24(SB)/8, $-1
DATA tailMask<>+32(SB)/8, $0
DATA tailMask<>+40(SB)/8, $0
DATA tailMask<>+48(SB)/8, $0
DATA tailMask<>+56(SB)/8, $0
GLOBL tailMask<>(SB), RODATA|NOPTR, $64

// Y15 = mask of the last CX mod 32 bytes. Uses AX, R13.
#define TAILMASK \
	MOVQ CX, R13; \
	ANDQ $31, R13; \
	LEAQ tailMask<>+32(SB), AX; \
	SUBQ R13, AX; \
	VMOVDQU (AX), Y15

#define LOADTAIL(mem, v) MASKMOV mem, Y15, v
#define STORETAIL(v, mem) MASKMOV v, Y15, mem

// The first lane of a becomes the sum of its lanes: halves, pairs, neighbors.
#define SUM64(a, ay, ax, ty, tx) \
	VEXTRACTF128 $1, ay, tx; \
	VADDPD tx, ax, ax; \
	VPERMILPD $1, ax, tx; \
	VADDSD tx, ax, ax

#define SUM32(a, ay, ax, ty, tx) \
	VEXTRACTF128 $1, ay, tx; \
	VADDPS tx, ax, ax; \
	VPERMILPD $1, ax, tx; \
	VADDPS tx, ax, ax; \
	VMOVSHDUP ax, tx; \
	VADDSS tx, ax, ax

#define SUMS64 QUARTERS64
#define SUMS32 QUARTERS32

// A vector has 32 bytes: what is left is less.
#define HALFROW
#define HALF4
#define HALF1

// What solve calls.
#define NMADD(c, x, y) \
	BROADCAST c, V9; \
	FNMADD DT, x, y

#define SCALEROW(c, x) \
	BROADCAST c, V9; \
	MUL DT, x, x

// A vector of zeros, one of ones and one of zeros: the lanes that symvRows takes beside the diagonal.
DATA besides<>+0(SB)/8, $0
DATA besides<>+8(SB)/8, $0
DATA besides<>+16(SB)/8, $0
DATA besides<>+24(SB)/8, $0
DATA besides<>+32(SB)/8, $-1
DATA besides<>+40(SB)/8, $-1
DATA besides<>+48(SB)/8, $-1
DATA besides<>+56(SB)/8, $-1
DATA besides<>+64(SB)/8, $0
DATA besides<>+72(SB)/8, $0
DATA besides<>+80(SB)/8, $0
DATA besides<>+88(SB)/8, $0
GLOBL besides<>(SB), RODATA|NOPTR, $96

#include "few_amd64.h"
#include "sums_amd64.h"
#include "float64_amd64.h"

// func dot64AVX2(x, y []float64) float64
TEXT ·dot64AVX2(SB), NOSPLIT, $0-56
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	MOVQ y_base+24(FP), DI
#include "dot_amd64.h"
	VMOVSD X0, ret+48(FP)
	VZEROUPPER
	RET

// func scale64AVX2(x []float64, alpha float64)
TEXT ·scale64AVX2(SB), NOSPLIT, $0-32
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	VBROADCASTSD alpha+24(FP), Y0
#include "scale_amd64.h"
	VZEROUPPER
	RET

// func ger64AVX2(a []float64, lda int, x, y []float64, alpha float64)
TEXT ·ger64AVX2(SB), NOSPLIT, $0-88
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

// func gemvN64AVX2(y, a []float64, lda int, x []float64, alpha float64)
TEXT ·gemvN64AVX2(SB), NOSPLIT, $0-88
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

// func gemvT64AVX2(y, a []float64, lda int, x []float64, alpha float64)
TEXT ·gemvT64AVX2(SB), NOSPLIT, $0-88
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

// func symv64AVX2(a []float64, lda int, x, y []float64, xr, s *[4]float64)
TEXT ·symv64AVX2(SB), NOSPLIT, $0-96
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

// func symvRows64AVX2(a []float64, lda, first, rows int, x, y []float64, lower bool)
TEXT ·symvRows64AVX2(SB), NOSPLIT, $0-97
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

// func rotate64AVX2(a *float64, lda, n int, c, s []float64)
TEXT ·rotate64AVX2(SB), NOSPLIT, $0-72
	MOVQ a+0(FP), SI
	MOVQ lda+8(FP), R8
	MOVQ n+16(FP), CX
	MOVQ c_base+24(FP), DI
	MOVQ c_len+32(FP), BX
	MOVQ s_base+48(FP), DX
#include "rotate_amd64.h"
	VZEROUPPER
	RET

// func solve64AVX2(b *float64, ldb, n, k int, t *float64, rs, cs int, d *float64)
TEXT ·solve64AVX2(SB), NOSPLIT, $32-64
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

// func reflect64AVX2(x, y, z []float64, a, b, tau float64)
TEXT ·reflect64AVX2(SB), NOSPLIT, $0-96
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

// func dot32AVX2(x, y []float32) float32
TEXT ·dot32AVX2(SB), NOSPLIT, $0-52
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	MOVQ y_base+24(FP), DI
#include "dot_amd64.h"
	VMOVSS X0, ret+48(FP)
	VZEROUPPER
	RET

// func scale32AVX2(x []float32, alpha float32)
TEXT ·scale32AVX2(SB), NOSPLIT, $0-28
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	VBROADCASTSS alpha+24(FP), Y0
#include "scale_amd64.h"
	VZEROUPPER
	RET

// func ger32AVX2(a []float32, lda int, x, y []float32, alpha float32)
TEXT ·ger32AVX2(SB), NOSPLIT, $0-84
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

// func gemvN32AVX2(y, a []float32, lda int, x []float32, alpha float32)
TEXT ·gemvN32AVX2(SB), NOSPLIT, $0-84
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

// func gemvT32AVX2(y, a []float32, lda int, x []float32, alpha float32)
TEXT ·gemvT32AVX2(SB), NOSPLIT, $0-84
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

// func symv32AVX2(a []float32, lda int, x, y []float32, xr, s *[4]float32)
TEXT ·symv32AVX2(SB), NOSPLIT, $0-96
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

// func symvRows32AVX2(a []float32, lda, first, rows int, x, y []float32, lower bool)
TEXT ·symvRows32AVX2(SB), NOSPLIT, $0-97
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

// func rotate32AVX2(a *float32, lda, n int, c, s []float32)
TEXT ·rotate32AVX2(SB), NOSPLIT, $0-72
	MOVQ a+0(FP), SI
	MOVQ lda+8(FP), R8
	MOVQ n+16(FP), CX
	MOVQ c_base+24(FP), DI
	MOVQ c_len+32(FP), BX
	MOVQ s_base+48(FP), DX
#include "rotate_amd64.h"
	VZEROUPPER
	RET

// func solve32AVX2(b *float32, ldb, n, k int, t *float32, rs, cs int, d *float32)
TEXT ·solve32AVX2(SB), NOSPLIT, $32-64
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

// func reflect32AVX2(x, y, z []float32, a, b, tau float32)
TEXT ·reflect32AVX2(SB), NOSPLIT, $0-84
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
