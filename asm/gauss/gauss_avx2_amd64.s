//go:build !noasm

#include "textflag.h"

// Sums over the columns of a panel of x against panels of z, as in the AVX-512
// file, with a tile of 6 rows by two vectors of 32 bytes: half the rows of a
// panel of x against half of a panel of z.

// Registers: SI x, BX z, CX columns left, R10 columns left in the chunk, DX
// whether the destination is added to, DI tile, R11 row distance in bytes, R12
// row, R8 panels left, R9 panel distance in bytes. Y0, Y1 z; Y2, Y3 x or
// differences; Y4–Y15 sums (row r in Y(4+2r), Y(5+2r)). 12 sums are what 16
// registers leave room for; two ports at a latency of 4 need 8.

#define DOT(BC, FMA, OFF, A, B) \
	BC  OFF(SI), Y2 \
	FMA Y0, Y2, A   \
	FMA Y1, Y2, B  

// A += (Y0−x)², B += (Y1−x)²
#define SQUARE(BC, SUB, FMA, OFF, A, B) \
	BC  OFF(SI), Y2 \
	SUB Y2, Y0, Y3  \
	FMA Y3, Y3, A   \
	SUB Y2, Y1, Y3  \
	FMA Y3, Y3, B  

// A += |Y0−x|, B += |Y1−x|
#define ABSOLUTE(BC, SUB, AND, ADD, MASK, OFF, A, B) \
	BC  OFF(SI), Y2        \
	SUB Y2, Y0, Y3         \
	SUB Y2, Y1, Y2         \
	AND MASK<>(SB), Y3, Y3 \
	AND MASK<>(SB), Y2, Y2 \
	ADD Y3, A, A           \
	ADD Y2, B, B          

#define ZERO4 \
	VXORPS Y4, Y4, Y4    \
	VXORPS Y5, Y5, Y5    \
	VXORPS Y6, Y6, Y6    \
	VXORPS Y7, Y7, Y7    \
	VXORPS Y8, Y8, Y8    \
	VXORPS Y9, Y9, Y9    \
	VXORPS Y10, Y10, Y10 \
	VXORPS Y11, Y11, Y11

#define DOT4(BC, FMA, E) \
	DOT(BC, FMA, (0*E), Y4, Y5)   \
	DOT(BC, FMA, (1*E), Y6, Y7)   \
	DOT(BC, FMA, (2*E), Y8, Y9)   \
	DOT(BC, FMA, (3*E), Y10, Y11)

#define SQUARE4(BC, SUB, FMA, E) \
	SQUARE(BC, SUB, FMA, (0*E), Y4, Y5)   \
	SQUARE(BC, SUB, FMA, (1*E), Y6, Y7)   \
	SQUARE(BC, SUB, FMA, (2*E), Y8, Y9)   \
	SQUARE(BC, SUB, FMA, (3*E), Y10, Y11)

#define ABSOLUTE4(BC, SUB, AND, ADD, MASK, E) \
	ABSOLUTE(BC, SUB, AND, ADD, MASK, (0*E), Y4, Y5)   \
	ABSOLUTE(BC, SUB, AND, ADD, MASK, (1*E), Y6, Y7)   \
	ABSOLUTE(BC, SUB, AND, ADD, MASK, (2*E), Y8, Y9)   \
	ABSOLUTE(BC, SUB, AND, ADD, MASK, (3*E), Y10, Y11)

#define ADDROWS4(ADD) \
	ADD (R12), Y4, Y4     \
	ADD 32(R12), Y5, Y5   \
	ADDQ R11, R12         \
	ADD (R12), Y6, Y6     \
	ADD 32(R12), Y7, Y7   \
	ADDQ R11, R12         \
	ADD (R12), Y8, Y8     \
	ADD 32(R12), Y9, Y9   \
	ADDQ R11, R12         \
	ADD (R12), Y10, Y10   \
	ADD 32(R12), Y11, Y11 \
	ADDQ R11, R12        

#define PUTROWS4 \
	VMOVUPS Y4, (R12)    \
	VMOVUPS Y5, 32(R12)  \
	ADDQ R11, R12        \
	VMOVUPS Y6, (R12)    \
	VMOVUPS Y7, 32(R12)  \
	ADDQ R11, R12        \
	VMOVUPS Y8, (R12)    \
	VMOVUPS Y9, 32(R12)  \
	ADDQ R11, R12        \
	VMOVUPS Y10, (R12)   \
	VMOVUPS Y11, 32(R12) \
	ADDQ R11, R12       

#define ZERO6 \
	VXORPS Y4, Y4, Y4    \
	VXORPS Y5, Y5, Y5    \
	VXORPS Y6, Y6, Y6    \
	VXORPS Y7, Y7, Y7    \
	VXORPS Y8, Y8, Y8    \
	VXORPS Y9, Y9, Y9    \
	VXORPS Y10, Y10, Y10 \
	VXORPS Y11, Y11, Y11 \
	VXORPS Y12, Y12, Y12 \
	VXORPS Y13, Y13, Y13 \
	VXORPS Y14, Y14, Y14 \
	VXORPS Y15, Y15, Y15

#define DOT6(BC, FMA, E) \
	DOT(BC, FMA, (0*E), Y4, Y5)   \
	DOT(BC, FMA, (1*E), Y6, Y7)   \
	DOT(BC, FMA, (2*E), Y8, Y9)   \
	DOT(BC, FMA, (3*E), Y10, Y11) \
	DOT(BC, FMA, (4*E), Y12, Y13) \
	DOT(BC, FMA, (5*E), Y14, Y15)

#define SQUARE6(BC, SUB, FMA, E) \
	SQUARE(BC, SUB, FMA, (0*E), Y4, Y5)   \
	SQUARE(BC, SUB, FMA, (1*E), Y6, Y7)   \
	SQUARE(BC, SUB, FMA, (2*E), Y8, Y9)   \
	SQUARE(BC, SUB, FMA, (3*E), Y10, Y11) \
	SQUARE(BC, SUB, FMA, (4*E), Y12, Y13) \
	SQUARE(BC, SUB, FMA, (5*E), Y14, Y15)

#define ABSOLUTE6(BC, SUB, AND, ADD, MASK, E) \
	ABSOLUTE(BC, SUB, AND, ADD, MASK, (0*E), Y4, Y5)   \
	ABSOLUTE(BC, SUB, AND, ADD, MASK, (1*E), Y6, Y7)   \
	ABSOLUTE(BC, SUB, AND, ADD, MASK, (2*E), Y8, Y9)   \
	ABSOLUTE(BC, SUB, AND, ADD, MASK, (3*E), Y10, Y11) \
	ABSOLUTE(BC, SUB, AND, ADD, MASK, (4*E), Y12, Y13) \
	ABSOLUTE(BC, SUB, AND, ADD, MASK, (5*E), Y14, Y15)

#define ADDROWS6(ADD) \
	ADD (R12), Y4, Y4     \
	ADD 32(R12), Y5, Y5   \
	ADDQ R11, R12         \
	ADD (R12), Y6, Y6     \
	ADD 32(R12), Y7, Y7   \
	ADDQ R11, R12         \
	ADD (R12), Y8, Y8     \
	ADD 32(R12), Y9, Y9   \
	ADDQ R11, R12         \
	ADD (R12), Y10, Y10   \
	ADD 32(R12), Y11, Y11 \
	ADDQ R11, R12         \
	ADD (R12), Y12, Y12   \
	ADD 32(R12), Y13, Y13 \
	ADDQ R11, R12         \
	ADD (R12), Y14, Y14   \
	ADD 32(R12), Y15, Y15 \
	ADDQ R11, R12        

#define PUTROWS6 \
	VMOVUPS Y4, (R12)    \
	VMOVUPS Y5, 32(R12)  \
	ADDQ R11, R12        \
	VMOVUPS Y6, (R12)    \
	VMOVUPS Y7, 32(R12)  \
	ADDQ R11, R12        \
	VMOVUPS Y8, (R12)    \
	VMOVUPS Y9, 32(R12)  \
	ADDQ R11, R12        \
	VMOVUPS Y10, (R12)   \
	VMOVUPS Y11, 32(R12) \
	ADDQ R11, R12        \
	VMOVUPS Y12, (R12)   \
	VMOVUPS Y13, 32(R12) \
	ADDQ R11, R12        \
	VMOVUPS Y14, (R12)   \
	VMOVUPS Y15, 32(R12) \
	ADDQ R11, R12       

// The loops shared by all: panels, chunks, columns. STEP works on one column;
// XSTEP is the distance of columns of x in bytes, LOG the logarithm of the size
// of a number.
#define LOOPS(LOG, ZEROS, STEP, XSTEP, ADDS, PUTS, CHUNK) \
	MOVQ dst+0(FP), DI     \
	MOVQ ldd+8(FP), R11    \
	SHLQ $LOG, R11         \
	MOVQ stride+40(FP), R9 \
	MOVQ panels+48(FP), R8 \
panel: \
	MOVQ x+16(FP), SI      \
	MOVQ z+24(FP), BX      \
	MOVQ d+32(FP), CX      \
	MOVQ add+56(FP), DX    \
chunk: \
	MOVQ    $CHUNK, R10    \
	CMPQ    CX, R10        \
	CMOVQLT CX, R10        \
	SUBQ    R10, CX        \
	ZEROS                  \
column: \
	VMOVUPS (BX), Y0       \
	VMOVUPS 32(BX), Y1     \
	STEP                   \
	ADDQ    $XSTEP, SI     \
	ADDQ    $128, BX       \
	DECQ    R10            \
	JNZ     column         \
	MOVQ    DI, R12        \
	TESTQ   DX, DX         \
	JZ      put            \
	ADDS                   \
	MOVQ    DI, R12        \
put: \
	PUTS                   \
	MOVQ    $1, DX         \
	TESTQ   CX, CX         \
	JNZ     chunk          \
	ADDQ    $128, DI       \
	ADDQ    R9, z+24(FP)   \
	DECQ    R8             \
	JNZ     panel          \
	VZEROUPPER             \
	RET

#define CHUNK64 128
#define CHUNK32 64

// all bits but the sign
DATA mask64<>+0(SB)/8, $0x7fffffffffffffff
DATA mask64<>+8(SB)/8, $0x7fffffffffffffff
DATA mask64<>+16(SB)/8, $0x7fffffffffffffff
DATA mask64<>+24(SB)/8, $0x7fffffffffffffff
GLOBL mask64<>(SB), RODATA|NOPTR, $32
DATA mask32<>+0(SB)/8, $0x7fffffff7fffffff
DATA mask32<>+8(SB)/8, $0x7fffffff7fffffff
DATA mask32<>+16(SB)/8, $0x7fffffff7fffffff
DATA mask32<>+24(SB)/8, $0x7fffffff7fffffff
GLOBL mask32<>(SB), RODATA|NOPTR, $32

// func dot64x6AVX2(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·dot64x6AVX2(SB), NOSPLIT, $0-64
	LOOPS(3, ZERO6, DOT6(VBROADCASTSD, VFMADD231PD, 8), 96, ADDROWS6(VADDPD), PUTROWS6, CHUNK64)

// func square64x6AVX2(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·square64x6AVX2(SB), NOSPLIT, $0-64
	LOOPS(3, ZERO6, SQUARE6(VBROADCASTSD, VSUBPD, VFMADD231PD, 8), 96, ADDROWS6(VADDPD), PUTROWS6, CHUNK64)

// func absolute64x6AVX2(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·absolute64x6AVX2(SB), NOSPLIT, $0-64
	LOOPS(3, ZERO6, ABSOLUTE6(VBROADCASTSD, VSUBPD, VANDPD, VADDPD, mask64, 8), 96, ADDROWS6(VADDPD), PUTROWS6, CHUNK64)

// func dot64x4AVX2(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·dot64x4AVX2(SB), NOSPLIT, $0-64
	LOOPS(3, ZERO4, DOT4(VBROADCASTSD, VFMADD231PD, 8), 96, ADDROWS4(VADDPD), PUTROWS4, CHUNK64)

// func square64x4AVX2(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·square64x4AVX2(SB), NOSPLIT, $0-64
	LOOPS(3, ZERO4, SQUARE4(VBROADCASTSD, VSUBPD, VFMADD231PD, 8), 96, ADDROWS4(VADDPD), PUTROWS4, CHUNK64)

// func absolute64x4AVX2(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·absolute64x4AVX2(SB), NOSPLIT, $0-64
	LOOPS(3, ZERO4, ABSOLUTE4(VBROADCASTSD, VSUBPD, VANDPD, VADDPD, mask64, 8), 96, ADDROWS4(VADDPD), PUTROWS4, CHUNK64)

// func dot32x6AVX2(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·dot32x6AVX2(SB), NOSPLIT, $0-64
	LOOPS(2, ZERO6, DOT6(VBROADCASTSS, VFMADD231PS, 4), 48, ADDROWS6(VADDPS), PUTROWS6, CHUNK32)

// func square32x6AVX2(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·square32x6AVX2(SB), NOSPLIT, $0-64
	LOOPS(2, ZERO6, SQUARE6(VBROADCASTSS, VSUBPS, VFMADD231PS, 4), 48, ADDROWS6(VADDPS), PUTROWS6, CHUNK32)

// func absolute32x6AVX2(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·absolute32x6AVX2(SB), NOSPLIT, $0-64
	LOOPS(2, ZERO6, ABSOLUTE6(VBROADCASTSS, VSUBPS, VANDPS, VADDPS, mask32, 4), 48, ADDROWS6(VADDPS), PUTROWS6, CHUNK32)

// func dot32x4AVX2(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·dot32x4AVX2(SB), NOSPLIT, $0-64
	LOOPS(2, ZERO4, DOT4(VBROADCASTSS, VFMADD231PS, 4), 48, ADDROWS4(VADDPS), PUTROWS4, CHUNK32)

// func square32x4AVX2(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·square32x4AVX2(SB), NOSPLIT, $0-64
	LOOPS(2, ZERO4, SQUARE4(VBROADCASTSS, VSUBPS, VFMADD231PS, 4), 48, ADDROWS4(VADDPS), PUTROWS4, CHUNK32)

// func absolute32x4AVX2(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·absolute32x4AVX2(SB), NOSPLIT, $0-64
	LOOPS(2, ZERO4, ABSOLUTE4(VBROADCASTSS, VSUBPS, VANDPS, VADDPS, mask32, 4), 48, ADDROWS4(VADDPS), PUTROWS4, CHUNK32)

// dst[i] += Σ_k p[k·width+i]², in chunks; four rows in a vector, four vectors at a
// time if width is a multiple of 16 and three if it is 12.
// func norms64AVX2(dst, p *float64, width, d int)
TEXT ·norms64AVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ width+16(FP), R8
	MOVQ R8, R9
	SHLQ $3, R9 // column distance in bytes

group:
	MOVQ p+8(FP), SI
	MOVQ d+24(FP), CX

chunk:
	MOVQ    $128, R10
	CMPQ    CX, R10
	CMOVQLT CX, R10
	SUBQ    R10, CX
	VXORPS  Y0, Y0, Y0
	VXORPS  Y1, Y1, Y1
	VXORPS  Y2, Y2, Y2
	VXORPS  Y3, Y3, Y3
	CMPQ    R8, $16
	JLT     three

column:
	VMOVUPD (SI), Y4
	VMOVUPD 32(SI), Y5
	VMOVUPD 64(SI), Y6
	VMOVUPD 96(SI), Y7
	VFMADD231PD Y4, Y4, Y0
	VFMADD231PD Y5, Y5, Y1
	VFMADD231PD Y6, Y6, Y2
	VFMADD231PD Y7, Y7, Y3
	ADDQ R9, SI
	DECQ R10
	JNZ  column
	VADDPD 96(DI), Y3, Y3
	VMOVUPD Y3, 96(DI)
	JMP  put

three:
	VMOVUPD (SI), Y4
	VMOVUPD 32(SI), Y5
	VMOVUPD 64(SI), Y6
	VFMADD231PD Y4, Y4, Y0
	VFMADD231PD Y5, Y5, Y1
	VFMADD231PD Y6, Y6, Y2
	ADDQ R9, SI
	DECQ R10
	JNZ  three

put:
	VADDPD (DI), Y0, Y0
	VMOVUPD Y0, (DI)
	VADDPD 32(DI), Y1, Y1
	VMOVUPD Y1, 32(DI)
	VADDPD 64(DI), Y2, Y2
	VMOVUPD Y2, 64(DI)
	TESTQ CX, CX
	JNZ   chunk
	ADDQ  $128, DI
	ADDQ  $128, p+8(FP)
	SUBQ  $16, R8
	JGT   group
	VZEROUPPER
	RET

// dst[i] += Σ_k p[k·width+i]², in chunks; four rows in a vector, four vectors at a
// time if width is a multiple of 16 and three if it is 12.
// func norms32AVX2(dst, p *float32, width, d int)
TEXT ·norms32AVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ width+16(FP), R8
	MOVQ R8, R9
	SHLQ $2, R9 // column distance in bytes

group:
	MOVQ p+8(FP), SI
	MOVQ d+24(FP), CX

chunk:
	MOVQ    $64, R10
	CMPQ    CX, R10
	CMOVQLT CX, R10
	SUBQ    R10, CX
	VXORPS  Y0, Y0, Y0
	VXORPS  Y1, Y1, Y1
	VXORPS  Y2, Y2, Y2
	VXORPS  Y3, Y3, Y3
	CMPQ    R8, $16
	JLT     three

column:
	VMOVUPS (SI), X4
	VMOVUPS 16(SI), X5
	VMOVUPS 32(SI), X6
	VMOVUPS 48(SI), X7
	VFMADD231PS X4, X4, X0
	VFMADD231PS X5, X5, X1
	VFMADD231PS X6, X6, X2
	VFMADD231PS X7, X7, X3
	ADDQ R9, SI
	DECQ R10
	JNZ  column
	VADDPS 48(DI), X3, X3
	VMOVUPS X3, 48(DI)
	JMP  put

three:
	VMOVUPS (SI), X4
	VMOVUPS 16(SI), X5
	VMOVUPS 32(SI), X6
	VFMADD231PS X4, X4, X0
	VFMADD231PS X5, X5, X1
	VFMADD231PS X6, X6, X2
	ADDQ R9, SI
	DECQ R10
	JNZ  three

put:
	VADDPS (DI), X0, X0
	VMOVUPS X0, (DI)
	VADDPS 16(DI), X1, X1
	VMOVUPS X1, 16(DI)
	VADDPS 32(DI), X2, X2
	VMOVUPS X2, 32(DI)
	TESTQ CX, CX
	JNZ   chunk
	ADDQ  $64, DI
	ADDQ  $64, p+8(FP)
	SUBQ  $16, R8
	JGT   group
	VZEROUPPER
	RET
