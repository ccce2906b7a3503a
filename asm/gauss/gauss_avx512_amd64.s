//go:build !noasm

#include "textflag.h"

// Sums over the columns of a panel of 12 rows of x against panels of two
// vectors of rows of z, and the functions of these sums. The mathematics, the
// storage of panels and the order of summation are in doc.go.

// Registers of the sums: SI x, BX z, CX columns left, R10 columns left in the
// chunk, DX whether the destination is added to, DI tile, R11 row distance in
// bytes, R12 row, R8 panels left, R9 panel distance in bytes. Z0, Z1 z; Z2–Z7
// x or differences; Z8–Z31 sums (row r in Z(8+2r), Z(9+2r)).
//
// 24 sums hide the latency of 4 on two ports three times over; 14 loads go with
// 24 multiply-adds, so that the load ports are half idle. A tile of 8×24 needs
// fewer loads and gained nothing, but leaves more of a last panel unused.

#define SETUP(LOG) \
	MOVQ dst+0(FP), DI    \
	MOVQ ldd+8(FP), R11   \
	SHLQ $LOG, R11        \
	MOVQ stride+40(FP), R9 \
	MOVQ panels+48(FP), R8

#define PANEL \
	MOVQ x+16(FP), SI     \
	MOVQ z+24(FP), BX     \
	MOVQ d+32(FP), CX     \
	MOVQ add+56(FP), DX

#define NEXTPANEL \
	ADDQ $128, DI         \
	ADDQ R9, z+24(FP)

#define ZERO4 \
	VPXORQ X8, X8, X8     \
	VPXORQ X9, X9, X9     \
	VPXORQ X10, X10, X10  \
	VPXORQ X11, X11, X11  \
	VPXORQ X12, X12, X12  \
	VPXORQ X13, X13, X13  \
	VPXORQ X14, X14, X14  \
	VPXORQ X15, X15, X15

#define ZERO8 \
	VPXORQ Z16, Z16, Z16  \
	VPXORQ Z17, Z17, Z17  \
	VPXORQ Z18, Z18, Z18  \
	VPXORQ Z19, Z19, Z19  \
	VPXORQ Z20, Z20, Z20  \
	VPXORQ Z21, Z21, Z21  \
	VPXORQ Z22, Z22, Z22  \
	VPXORQ Z23, Z23, Z23  \
	VPXORQ Z24, Z24, Z24  \
	VPXORQ Z25, Z25, Z25  \
	VPXORQ Z26, Z26, Z26  \
	VPXORQ Z27, Z27, Z27  \
	VPXORQ Z28, Z28, Z28  \
	VPXORQ Z29, Z29, Z29  \
	VPXORQ Z30, Z30, Z30  \
	VPXORQ Z31, Z31, Z31

// row of the tile: add what is there, or store and go on
#define ADDROW(ADD, A, B) \
	ADD   (R12), A, A     \
	ADD   64(R12), B, B   \
	ADDQ  R11, R12
#define PUTROW(A, B) \
	VMOVUPS A, (R12)      \
	VMOVUPS B, 64(R12)    \
	ADDQ    R11, R12

#define ADDROWS4(ADD) \
	ADDROW(ADD, Z8, Z9)   \
	ADDROW(ADD, Z10, Z11) \
	ADDROW(ADD, Z12, Z13) \
	ADDROW(ADD, Z14, Z15)
#define ADDROWS8(ADD) \
	ADDROW(ADD, Z16, Z17) \
	ADDROW(ADD, Z18, Z19) \
	ADDROW(ADD, Z20, Z21) \
	ADDROW(ADD, Z22, Z23) \
	ADDROW(ADD, Z24, Z25) \
	ADDROW(ADD, Z26, Z27) \
	ADDROW(ADD, Z28, Z29) \
	ADDROW(ADD, Z30, Z31)
#define PUTROWS4 \
	PUTROW(Z8, Z9)        \
	PUTROW(Z10, Z11)      \
	PUTROW(Z12, Z13)      \
	PUTROW(Z14, Z15)
#define PUTROWS8 \
	PUTROW(Z16, Z17)      \
	PUTROW(Z18, Z19)      \
	PUTROW(Z20, Z21)      \
	PUTROW(Z22, Z23)      \
	PUTROW(Z24, Z25)      \
	PUTROW(Z26, Z27)      \
	PUTROW(Z28, Z29)      \
	PUTROW(Z30, Z31)

// one row of one column: T = x, A += T·Z0, B += T·Z1
#define DOT(BC, FMA, OFF, T, A, B) \
	BC  OFF(SI), T        \
	FMA Z0, T, A          \
	FMA Z1, T, B

// T = Z0−x, A += T², and so for Z1, B
#define SQUARE(SUB, FMA, OFF, T, U, A, B) \
	SUB OFF(SI), Z0, T    \
	SUB OFF(SI), Z1, U    \
	FMA T, T, A           \
	FMA U, U, B

// A += |Z0−x|, B += |Z1−x|; Z7 is the mask of all bits but the sign
#define ABSOLUTE(SUB, AND, ADD, OFF, T, U, A, B) \
	SUB OFF(SI), Z0, T    \
	SUB OFF(SI), Z1, U    \
	AND Z7, T, T          \
	AND Z7, U, U          \
	ADD T, A, A           \
	ADD U, B, B

#define DOT4(BC, FMA, E) \
	DOT(BC, FMA, (0*E), Z2, Z8, Z9)     \
	DOT(BC, FMA, (1*E), Z3, Z10, Z11)   \
	DOT(BC, FMA, (2*E), Z4, Z12, Z13)   \
	DOT(BC, FMA, (3*E), Z5, Z14, Z15)
#define DOT8(BC, FMA, E) \
	DOT(BC, FMA, (4*E), Z6, Z16, Z17)   \
	DOT(BC, FMA, (5*E), Z7, Z18, Z19)   \
	DOT(BC, FMA, (6*E), Z2, Z20, Z21)   \
	DOT(BC, FMA, (7*E), Z3, Z22, Z23)   \
	DOT(BC, FMA, (8*E), Z4, Z24, Z25)   \
	DOT(BC, FMA, (9*E), Z5, Z26, Z27)   \
	DOT(BC, FMA, (10*E), Z6, Z28, Z29)  \
	DOT(BC, FMA, (11*E), Z7, Z30, Z31)

#define SQUARE4(SUB, FMA, E) \
	SQUARE(SUB, FMA, (0*E), Z2, Z3, Z8, Z9)    \
	SQUARE(SUB, FMA, (1*E), Z4, Z5, Z10, Z11)  \
	SQUARE(SUB, FMA, (2*E), Z6, Z7, Z12, Z13)  \
	SQUARE(SUB, FMA, (3*E), Z2, Z3, Z14, Z15)
#define SQUARE8(SUB, FMA, E) \
	SQUARE(SUB, FMA, (4*E), Z4, Z5, Z16, Z17)  \
	SQUARE(SUB, FMA, (5*E), Z6, Z7, Z18, Z19)  \
	SQUARE(SUB, FMA, (6*E), Z2, Z3, Z20, Z21)  \
	SQUARE(SUB, FMA, (7*E), Z4, Z5, Z22, Z23)  \
	SQUARE(SUB, FMA, (8*E), Z6, Z7, Z24, Z25)  \
	SQUARE(SUB, FMA, (9*E), Z2, Z3, Z26, Z27)  \
	SQUARE(SUB, FMA, (10*E), Z4, Z5, Z28, Z29) \
	SQUARE(SUB, FMA, (11*E), Z6, Z7, Z30, Z31)

#define ABSOLUTE4(SUB, AND, ADD, E) \
	ABSOLUTE(SUB, AND, ADD, (0*E), Z2, Z3, Z8, Z9)    \
	ABSOLUTE(SUB, AND, ADD, (1*E), Z4, Z5, Z10, Z11)  \
	ABSOLUTE(SUB, AND, ADD, (2*E), Z2, Z3, Z12, Z13)  \
	ABSOLUTE(SUB, AND, ADD, (3*E), Z4, Z5, Z14, Z15)
#define ABSOLUTE8(SUB, AND, ADD, E) \
	ABSOLUTE(SUB, AND, ADD, (4*E), Z2, Z3, Z16, Z17)  \
	ABSOLUTE(SUB, AND, ADD, (5*E), Z4, Z5, Z18, Z19)  \
	ABSOLUTE(SUB, AND, ADD, (6*E), Z2, Z3, Z20, Z21)  \
	ABSOLUTE(SUB, AND, ADD, (7*E), Z4, Z5, Z22, Z23)  \
	ABSOLUTE(SUB, AND, ADD, (8*E), Z2, Z3, Z24, Z25)  \
	ABSOLUTE(SUB, AND, ADD, (9*E), Z4, Z5, Z26, Z27)  \
	ABSOLUTE(SUB, AND, ADD, (10*E), Z2, Z3, Z28, Z29) \
	ABSOLUTE(SUB, AND, ADD, (11*E), Z4, Z5, Z30, Z31)

// The loops shared by all: panels, chunks, columns. STEP works on one column;
// XSTEP is the distance of columns of x in bytes, LOG the logarithm of
// the size of a number.
#define LOOPS(LOG, ZEROS, STEP, XSTEP, ADDS, PUTS, CHUNK) \
	SETUP(LOG)            \
panel: \
	PANEL                 \
chunk: \
	MOVQ    $CHUNK, R10   \
	CMPQ    CX, R10       \
	CMOVQLT CX, R10       \
	SUBQ    R10, CX       \
	ZEROS                 \
column: \
	VMOVUPS (BX), Z0      \
	VMOVUPS 64(BX), Z1    \
	STEP                  \
	ADDQ    $XSTEP, SI    \
	ADDQ    $128, BX      \
	DECQ    R10           \
	JNZ     column        \
	MOVQ    DI, R12       \
	TESTQ   DX, DX        \
	JZ      put           \
	ADDS                  \
	MOVQ    DI, R12       \
put: \
	PUTS                  \
	MOVQ    $1, DX        \
	TESTQ   CX, CX        \
	JNZ     chunk         \
	NEXTPANEL             \
	DECQ    R8            \
	JNZ     panel         \
	VZEROUPPER            \
	RET

#define ZERO12 ZERO4; ZERO8
#define ADDROWS12(ADD) ADDROWS4(ADD); ADDROWS8(ADD)
#define PUTROWS12 PUTROWS4; PUTROWS8
#define DOT12(BC, FMA, E) DOT4(BC, FMA, E); DOT8(BC, FMA, E)
#define SQUARE12(SUB, FMA, E) SQUARE4(SUB, FMA, E); SQUARE8(SUB, FMA, E)
#define ABSOLUTE12(SUB, AND, ADD, E) ABSOLUTE4(SUB, AND, ADD, E); ABSOLUTE8(SUB, AND, ADD, E)

#define CHUNK64 128
#define CHUNK32 64

// func dot64x12AVX512(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·dot64x12AVX512(SB), NOSPLIT, $0-64
	LOOPS(3, ZERO12, DOT12(VBROADCASTSD, VFMADD231PD, 8), 96, ADDROWS12(VADDPD), PUTROWS12, CHUNK64)

// func square64x12AVX512(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·square64x12AVX512(SB), NOSPLIT, $0-64
	LOOPS(3, ZERO12, SQUARE12(VSUBPD.BCST, VFMADD231PD, 8), 96, ADDROWS12(VADDPD), PUTROWS12, CHUNK64)

// func absolute64x12AVX512(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·absolute64x12AVX512(SB), NOSPLIT, $0-64
	VPTERNLOGQ $0xff, Z7, Z7, Z7
	VPSRLQ $1, Z7, Z7 // all bits but the sign
	LOOPS(3, ZERO12, ABSOLUTE12(VSUBPD.BCST, VANDPD, VADDPD, 8), 96, ADDROWS12(VADDPD), PUTROWS12, CHUNK64)

// func dot64x4AVX512(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·dot64x4AVX512(SB), NOSPLIT, $0-64
	LOOPS(3, ZERO4, DOT4(VBROADCASTSD, VFMADD231PD, 8), 96, ADDROWS4(VADDPD), PUTROWS4, CHUNK64)

// func square64x4AVX512(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·square64x4AVX512(SB), NOSPLIT, $0-64
	LOOPS(3, ZERO4, SQUARE4(VSUBPD.BCST, VFMADD231PD, 8), 96, ADDROWS4(VADDPD), PUTROWS4, CHUNK64)

// func absolute64x4AVX512(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·absolute64x4AVX512(SB), NOSPLIT, $0-64
	VPTERNLOGQ $0xff, Z7, Z7, Z7
	VPSRLQ $1, Z7, Z7 // all bits but the sign
	LOOPS(3, ZERO4, ABSOLUTE4(VSUBPD.BCST, VANDPD, VADDPD, 8), 96, ADDROWS4(VADDPD), PUTROWS4, CHUNK64)

// func dot32x12AVX512(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·dot32x12AVX512(SB), NOSPLIT, $0-64
	LOOPS(2, ZERO12, DOT12(VBROADCASTSS, VFMADD231PS, 4), 48, ADDROWS12(VADDPS), PUTROWS12, CHUNK32)

// func square32x12AVX512(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·square32x12AVX512(SB), NOSPLIT, $0-64
	LOOPS(2, ZERO12, SQUARE12(VSUBPS.BCST, VFMADD231PS, 4), 48, ADDROWS12(VADDPS), PUTROWS12, CHUNK32)

// func absolute32x12AVX512(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·absolute32x12AVX512(SB), NOSPLIT, $0-64
	VPTERNLOGD $0xff, Z7, Z7, Z7
	VPSRLD $1, Z7, Z7 // all bits but the sign
	LOOPS(2, ZERO12, ABSOLUTE12(VSUBPS.BCST, VANDPS, VADDPS, 4), 48, ADDROWS12(VADDPS), PUTROWS12, CHUNK32)

// func dot32x4AVX512(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·dot32x4AVX512(SB), NOSPLIT, $0-64
	LOOPS(2, ZERO4, DOT4(VBROADCASTSS, VFMADD231PS, 4), 48, ADDROWS4(VADDPS), PUTROWS4, CHUNK32)

// func square32x4AVX512(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·square32x4AVX512(SB), NOSPLIT, $0-64
	LOOPS(2, ZERO4, SQUARE4(VSUBPS.BCST, VFMADD231PS, 4), 48, ADDROWS4(VADDPS), PUTROWS4, CHUNK32)

// func absolute32x4AVX512(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·absolute32x4AVX512(SB), NOSPLIT, $0-64
	VPTERNLOGD $0xff, Z7, Z7, Z7
	VPSRLD $1, Z7, Z7 // all bits but the sign
	LOOPS(2, ZERO4, ABSOLUTE4(VSUBPS.BCST, VANDPS, VADDPS, 4), 48, ADDROWS4(VADDPS), PUTROWS4, CHUNK32)

