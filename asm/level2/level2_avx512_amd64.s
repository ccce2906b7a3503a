//go:build !noasm

#include "textflag.h"

// K1 = mask of the last CX mod 64 bytes; size is log2 of an element's. Uses AX, R13.
#define TAILMASK(size) \
	MOVQ  CX, R13; \
	ANDQ  $63, R13; \
	SHRQ  size, R13; \
	MOVQ  $-1, AX; \
	BZHIQ R13, AX, AX; \
	KMOVQ AX, K1

// The first lane of a becomes the sum of its lanes: halves, quarters, pairs, neighbours.
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

// func dot64AVX512(x, y []float64) float64
//	s := 0; for i := range x { s += x[i] * y[i] }
//   len(x) == len(y); any alignment
//   SI x, DI y, CX bytes left, R8 their number rounded down; 0-3 sums, 4-7 x, K1 tail
// Invariant at loop: SI, DI at the first element not done, CX >= 256.
// Unroll 4 vectors: 2 loads a product, 2 loads a cycle, latency 4. Tail: single vectors into sum 0, then
// one under a mask into sum 1. Sums: (0+1) + (2+3), then its halves.
TEXT ·dot64AVX512(SB), NOSPLIT, $0-56
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	MOVQ y_base+24(FP), DI
	SHLQ $3, CX
	TAILMASK($3)
	VXORPD X0, X0, X0
	VXORPD X1, X1, X1
	VXORPD X2, X2, X2
	VXORPD X3, X3, X3
	SUBQ $256, CX
	JLT  single

loop:
	VMOVUPD 0(SI), Z4
	VMOVUPD 64(SI), Z5
	VMOVUPD 128(SI), Z6
	VMOVUPD 192(SI), Z7
	VFMADD231PD 0(DI), Z4, Z0
	VFMADD231PD 64(DI), Z5, Z1
	VFMADD231PD 128(DI), Z6, Z2
	VFMADD231PD 192(DI), Z7, Z3
	ADDQ $256, SI
	ADDQ $256, DI
	SUBQ $256, CX
	JGE  loop

single:
	ADDQ $256, CX
	SUBQ $64, CX
	JLT  last

one:
	VMOVUPD (SI), Z4
	VFMADD231PD (DI), Z4, Z0
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $64, CX
	JGE  one

last:
	ADDQ $64, CX
	JEQ  sum
	VMOVUPD.Z (SI), K1, Z4
	VMOVUPD.Z (DI), K1, Z5
	VFMADD231PD Z5, Z4, Z1

sum:
	VADDPD Z1, Z0, Z0
	VADDPD Z3, Z2, Z2
	VADDPD Z2, Z0, Z0
	SUM64(Z0, Y0, X0, Y1, X1)
	VMOVSD X0, ret+48(FP)
	VZEROUPPER
	RET

// func scale64AVX512(x []float64, alpha float64)
//	for i := range x { x[i] *= alpha }
//   any alignment; SI x, CX bytes left; 0 alpha, 1-4 x
// Invariant at loop: SI at the first element not done, CX >= 256. Unroll 4 vectors: one store a cycle is
// the limit, more gains nothing. Tail: single vectors, then one under a mask.
TEXT ·scale64AVX512(SB), NOSPLIT, $0-32
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	SHLQ $3, CX
	VBROADCASTSD alpha+24(FP), Z0
	TAILMASK($3)
	SUBQ $256, CX
	JLT  single

loop:
	VMULPD 0(SI), Z0, Z1
	VMULPD 64(SI), Z0, Z2
	VMULPD 128(SI), Z0, Z3
	VMULPD 192(SI), Z0, Z4
	VMOVUPD Z1, 0(SI)
	VMOVUPD Z2, 64(SI)
	VMOVUPD Z3, 128(SI)
	VMOVUPD Z4, 192(SI)
	ADDQ $256, SI
	SUBQ $256, CX
	JGE  loop

single:
	ADDQ $256, CX
	SUBQ $64, CX
	JLT  last

one:
	VMULPD (SI), Z0, Z1
	VMOVUPD Z1, (SI)
	ADDQ $64, SI
	SUBQ $64, CX
	JGE  one

last:
	ADDQ $64, CX
	JEQ  end
	VMOVUPD.Z (SI), K1, Z1
	VMULPD Z0, Z1, Z1
	VMOVUPD Z1, K1, (SI)

end:
	VZEROUPPER
	RET

// func ger64AVX512(a []float64, lda int, x, y []float64, alpha float64)
//	for i := range x { for j := range y { a[i*lda+j] += (alpha*x[i]) * y[j] } }
//   rows of a hold y: lda >= len(y), or one row; no overlap; any alignment
//   SI row of a, R8 lda in bytes, DX x, BX rows left, DI y, CX bytes of a row, R13 offset, R9, R10 its bounds
//   0 alpha, 1 alpha*x[i], 2-5 a
// Invariant at row: SI, DX at the first row not done, BX > 0; at loop: R13 at the first element not done.
// Unroll 4 vectors: one store a cycle is the limit. Tail: single vectors, then one under a mask.
TEXT ·ger64AVX512(SB), NOSPLIT, $0-88
	MOVQ a_base+0(FP), SI
	MOVQ lda+24(FP), R8
	MOVQ x_base+32(FP), DX
	MOVQ x_len+40(FP), BX
	MOVQ y_base+56(FP), DI
	MOVQ y_len+64(FP), CX
	SHLQ $3, R8
	SHLQ $3, CX
	VMOVSD alpha+80(FP), X0
	TAILMASK($3)
	MOVQ CX, R9
	SUBQ $256, R9              // last offset of four vectors
	MOVQ CX, R10
	SUBQ $64, R10              // last offset of one
	TESTQ BX, BX
	JEQ  end

row:
	VMULSD (DX), X0, X1
	VBROADCASTSD X1, Z1
	XORL R13, R13
	CMPQ R13, R9
	JGT  single

loop:
	VMOVUPD 0(SI)(R13*1), Z2
	VMOVUPD 64(SI)(R13*1), Z3
	VMOVUPD 128(SI)(R13*1), Z4
	VMOVUPD 192(SI)(R13*1), Z5
	VFMADD231PD 0(DI)(R13*1), Z1, Z2
	VFMADD231PD 64(DI)(R13*1), Z1, Z3
	VFMADD231PD 128(DI)(R13*1), Z1, Z4
	VFMADD231PD 192(DI)(R13*1), Z1, Z5
	VMOVUPD Z2, 0(SI)(R13*1)
	VMOVUPD Z3, 64(SI)(R13*1)
	VMOVUPD Z4, 128(SI)(R13*1)
	VMOVUPD Z5, 192(SI)(R13*1)
	ADDQ $256, R13
	CMPQ R13, R9
	JLE  loop

single:
	CMPQ R13, R10
	JGT  last
	VMOVUPD (SI)(R13*1), Z2
	VFMADD231PD (DI)(R13*1), Z1, Z2
	VMOVUPD Z2, (SI)(R13*1)
	ADDQ $64, R13
	JMP  single

last:
	CMPQ R13, CX
	JGE  next
	VMOVUPD.Z (SI)(R13*1), K1, Z2
	VMOVUPD.Z (DI)(R13*1), K1, Z3
	VFMADD231PD Z3, Z1, Z2
	VMOVUPD Z2, K1, (SI)(R13*1)

next:
	ADDQ R8, SI
	ADDQ $8, DX
	DECQ BX
	JNE  row

end:
	VZEROUPPER
	RET

// func gemvN64AVX512(y, a []float64, lda int, x []float64, alpha float64)
//	for i := range y { s := 0; for j := range x { s += a[i*lda+j] * x[j] }; y[i] += alpha * s }
//   rows of a hold x: lda >= len(x), or one row; y apart from a and x; any alignment
//   SI row of a, R8 lda in bytes, DI y, BX rows left, DX x, CX bytes of a row, R13 offset, R9, R10 its bounds,
//   R11, R12 rows 2, 3 of four; 0-7 two sums a row, 8, 9 x, 10 a of the tail
// Invariant at rows4, rows1: SI, DI at the first row not done; at the inner loops: R13 at the first element.
// Four rows share the loads of x. Every row is summed alike, whether one of four or alone: sums of even and
// odd vectors, an odd last vector to the first, the masked rest to the second.
TEXT ·gemvN64AVX512(SB), NOSPLIT, $0-88
	MOVQ y_base+0(FP), DI
	MOVQ y_len+8(FP), BX
	MOVQ a_base+24(FP), SI
	MOVQ lda+48(FP), R8
	MOVQ x_base+56(FP), DX
	MOVQ x_len+64(FP), CX
	SHLQ $3, R8
	SHLQ $3, CX
	TAILMASK($3)
	MOVQ CX, R9
	SUBQ $128, R9              // last offset of two vectors
	MOVQ CX, R10
	SUBQ $64, R10              // last offset of one
	SUBQ $4, BX
	JLT  rest

rows4:
	VXORPD X0, X0, X0
	VXORPD X1, X1, X1
	VXORPD X2, X2, X2
	VXORPD X3, X3, X3
	VXORPD X4, X4, X4
	VXORPD X5, X5, X5
	VXORPD X6, X6, X6
	VXORPD X7, X7, X7
	XORL R13, R13
	MOVQ SI, R11
	LEAQ (SI)(R8*2), R12
	CMPQ R13, R9
	JGT  one4

loop4:
	VMOVUPD (DX)(R13*1), Z8
	VMOVUPD 64(DX)(R13*1), Z9
	VFMADD231PD (R11), Z8, Z0
	VFMADD231PD 64(R11), Z9, Z1
	VFMADD231PD (R11)(R8*1), Z8, Z2
	VFMADD231PD 64(R11)(R8*1), Z9, Z3
	VFMADD231PD (R12), Z8, Z4
	VFMADD231PD 64(R12), Z9, Z5
	VFMADD231PD (R12)(R8*1), Z8, Z6
	VFMADD231PD 64(R12)(R8*1), Z9, Z7
	ADDQ $128, R11
	ADDQ $128, R12
	ADDQ $128, R13
	CMPQ R13, R9
	JLE  loop4

one4:
	CMPQ R13, R10
	JGT  last4
	VMOVUPD (DX)(R13*1), Z8
	VFMADD231PD (R11), Z8, Z0
	VFMADD231PD (R11)(R8*1), Z8, Z2
	VFMADD231PD (R12), Z8, Z4
	VFMADD231PD (R12)(R8*1), Z8, Z6
	ADDQ $64, R11
	ADDQ $64, R12
	ADDQ $64, R13

last4:
	CMPQ R13, CX
	JGE  sum4
	VMOVUPD.Z (DX)(R13*1), K1, Z8
	VMOVUPD.Z (R11), K1, Z10
	VFMADD231PD Z10, Z8, Z1
	VMOVUPD.Z (R11)(R8*1), K1, Z10
	VFMADD231PD Z10, Z8, Z3
	VMOVUPD.Z (R12), K1, Z10
	VFMADD231PD Z10, Z8, Z5
	VMOVUPD.Z (R12)(R8*1), K1, Z10
	VFMADD231PD Z10, Z8, Z7

sum4:
	VMOVSD alpha+80(FP), X10
	VADDPD Z1, Z0, Z0
	SUM64(Z0, Y0, X0, Y9, X9)
	VADDPD Z3, Z2, Z2
	SUM64(Z2, Y2, X2, Y9, X9)
	VADDPD Z5, Z4, Z4
	SUM64(Z4, Y4, X4, Y9, X9)
	VADDPD Z7, Z6, Z6
	SUM64(Z6, Y6, X6, Y9, X9)
	VMOVSD 0(DI), X9
	VFMADD231SD X0, X10, X9
	VMOVSD X9, 0(DI)
	VMOVSD 8(DI), X9
	VFMADD231SD X2, X10, X9
	VMOVSD X9, 8(DI)
	VMOVSD 16(DI), X9
	VFMADD231SD X4, X10, X9
	VMOVSD X9, 16(DI)
	VMOVSD 24(DI), X9
	VFMADD231SD X6, X10, X9
	VMOVSD X9, 24(DI)
	LEAQ (SI)(R8*4), SI
	ADDQ $32, DI
	SUBQ $4, BX
	JGE  rows4

rest:
	ADDQ $4, BX
	JEQ  end

rows1:
	VXORPD X0, X0, X0
	VXORPD X1, X1, X1
	XORL R13, R13
	CMPQ R13, R9
	JGT  one1

loop1:
	VMOVUPD (DX)(R13*1), Z8
	VMOVUPD 64(DX)(R13*1), Z9
	VFMADD231PD (SI)(R13*1), Z8, Z0
	VFMADD231PD 64(SI)(R13*1), Z9, Z1
	ADDQ $128, R13
	CMPQ R13, R9
	JLE  loop1

one1:
	CMPQ R13, R10
	JGT  last1
	VMOVUPD (DX)(R13*1), Z8
	VFMADD231PD (SI)(R13*1), Z8, Z0
	ADDQ $64, R13

last1:
	CMPQ R13, CX
	JGE  sum1
	VMOVUPD.Z (DX)(R13*1), K1, Z8
	VMOVUPD.Z (SI)(R13*1), K1, Z10
	VFMADD231PD Z10, Z8, Z1

sum1:
	VADDPD Z1, Z0, Z0
	SUM64(Z0, Y0, X0, Y9, X9)
	VMOVSD alpha+80(FP), X10
	VMOVSD (DI), X9
	VFMADD231SD X0, X10, X9
	VMOVSD X9, (DI)
	ADDQ R8, SI
	ADDQ $8, DI
	DECQ BX
	JNE  rows1

end:
	VZEROUPPER
	RET

// func gemvT64AVX512(y, a []float64, lda int, x []float64, alpha float64)
//	for i := range x { for j := range y { y[j] += a[i*lda+j] * (alpha*x[i]) } }
//   rows of a hold y: lda >= len(y), or one row; y apart from a and x; any alignment
//   SI row of a, R8 lda in bytes, DX x, BX rows left, DI y, CX bytes of a row, R13 offset, R9, R10 its bounds,
//   R11, R12 rows 0, 2 of four at the offset; 0-3 alpha*x, 4, 5 y, 6 a of the tail, 7 alpha
// Invariant at rows4, rows1: SI, DX at the first row not done; at the inner loops: R13 at the first element.
// Four rows share the loads and stores of y; rows are added in order, so that grouping does not matter.
// Tail: a single vector, then one under a mask.
TEXT ·gemvT64AVX512(SB), NOSPLIT, $0-88
	MOVQ y_base+0(FP), DI
	MOVQ y_len+8(FP), CX
	MOVQ a_base+24(FP), SI
	MOVQ lda+48(FP), R8
	MOVQ x_base+56(FP), DX
	MOVQ x_len+64(FP), BX
	SHLQ $3, R8
	SHLQ $3, CX
	VMOVSD alpha+80(FP), X7
	TAILMASK($3)
	MOVQ CX, R9
	SUBQ $128, R9              // last offset of two vectors
	MOVQ CX, R10
	SUBQ $64, R10              // last offset of one
	SUBQ $4, BX
	JLT  rest

rows4:
	VMULSD 0(DX), X7, X0
	VBROADCASTSD X0, Z0
	VMULSD 8(DX), X7, X1
	VBROADCASTSD X1, Z1
	VMULSD 16(DX), X7, X2
	VBROADCASTSD X2, Z2
	VMULSD 24(DX), X7, X3
	VBROADCASTSD X3, Z3
	XORL R13, R13
	MOVQ SI, R11
	LEAQ (SI)(R8*2), R12
	CMPQ R13, R9
	JGT  one4

loop4:
	VMOVUPD (DI)(R13*1), Z4
	VMOVUPD 64(DI)(R13*1), Z5
	VFMADD231PD (R11), Z0, Z4
	VFMADD231PD 64(R11), Z0, Z5
	VFMADD231PD (R11)(R8*1), Z1, Z4
	VFMADD231PD 64(R11)(R8*1), Z1, Z5
	VFMADD231PD (R12), Z2, Z4
	VFMADD231PD 64(R12), Z2, Z5
	VFMADD231PD (R12)(R8*1), Z3, Z4
	VFMADD231PD 64(R12)(R8*1), Z3, Z5
	VMOVUPD Z4, (DI)(R13*1)
	VMOVUPD Z5, 64(DI)(R13*1)
	ADDQ $128, R11
	ADDQ $128, R12
	ADDQ $128, R13
	CMPQ R13, R9
	JLE  loop4

one4:
	CMPQ R13, R10
	JGT  last4
	VMOVUPD (DI)(R13*1), Z4
	VFMADD231PD (R11), Z0, Z4
	VFMADD231PD (R11)(R8*1), Z1, Z4
	VFMADD231PD (R12), Z2, Z4
	VFMADD231PD (R12)(R8*1), Z3, Z4
	VMOVUPD Z4, (DI)(R13*1)
	ADDQ $64, R11
	ADDQ $64, R12
	ADDQ $64, R13

last4:
	CMPQ R13, CX
	JGE  next4
	VMOVUPD.Z (DI)(R13*1), K1, Z4
	VMOVUPD.Z (R11), K1, Z6
	VFMADD231PD Z6, Z0, Z4
	VMOVUPD.Z (R11)(R8*1), K1, Z6
	VFMADD231PD Z6, Z1, Z4
	VMOVUPD.Z (R12), K1, Z6
	VFMADD231PD Z6, Z2, Z4
	VMOVUPD.Z (R12)(R8*1), K1, Z6
	VFMADD231PD Z6, Z3, Z4
	VMOVUPD Z4, K1, (DI)(R13*1)

next4:
	LEAQ (SI)(R8*4), SI
	ADDQ $32, DX
	SUBQ $4, BX
	JGE  rows4

rest:
	ADDQ $4, BX
	JEQ  end

rows1:
	VMULSD (DX), X7, X0
	VBROADCASTSD X0, Z0
	XORL R13, R13
	CMPQ R13, R9
	JGT  one1

loop1:
	VMOVUPD (DI)(R13*1), Z4
	VMOVUPD 64(DI)(R13*1), Z5
	VFMADD231PD (SI)(R13*1), Z0, Z4
	VFMADD231PD 64(SI)(R13*1), Z0, Z5
	VMOVUPD Z4, (DI)(R13*1)
	VMOVUPD Z5, 64(DI)(R13*1)
	ADDQ $128, R13
	CMPQ R13, R9
	JLE  loop1

one1:
	CMPQ R13, R10
	JGT  last1
	VMOVUPD (DI)(R13*1), Z4
	VFMADD231PD (SI)(R13*1), Z0, Z4
	VMOVUPD Z4, (DI)(R13*1)
	ADDQ $64, R13

last1:
	CMPQ R13, CX
	JGE  next1
	VMOVUPD.Z (DI)(R13*1), K1, Z4
	VMOVUPD.Z (SI)(R13*1), K1, Z6
	VFMADD231PD Z6, Z0, Z4
	VMOVUPD Z4, K1, (DI)(R13*1)

next1:
	ADDQ R8, SI
	ADDQ $8, DX
	DECQ BX
	JNE  rows1

end:
	VZEROUPPER
	RET

// func dot32AVX512(x, y []float32) float32
// As dot64AVX512.
TEXT ·dot32AVX512(SB), NOSPLIT, $0-52
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	MOVQ y_base+24(FP), DI
	SHLQ $2, CX
	TAILMASK($2)
	VXORPD X0, X0, X0
	VXORPD X1, X1, X1
	VXORPD X2, X2, X2
	VXORPD X3, X3, X3
	SUBQ $256, CX
	JLT  single

loop:
	VMOVUPS 0(SI), Z4
	VMOVUPS 64(SI), Z5
	VMOVUPS 128(SI), Z6
	VMOVUPS 192(SI), Z7
	VFMADD231PS 0(DI), Z4, Z0
	VFMADD231PS 64(DI), Z5, Z1
	VFMADD231PS 128(DI), Z6, Z2
	VFMADD231PS 192(DI), Z7, Z3
	ADDQ $256, SI
	ADDQ $256, DI
	SUBQ $256, CX
	JGE  loop

single:
	ADDQ $256, CX
	SUBQ $64, CX
	JLT  last

one:
	VMOVUPS (SI), Z4
	VFMADD231PS (DI), Z4, Z0
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $64, CX
	JGE  one

last:
	ADDQ $64, CX
	JEQ  sum
	VMOVUPS.Z (SI), K1, Z4
	VMOVUPS.Z (DI), K1, Z5
	VFMADD231PS Z5, Z4, Z1

sum:
	VADDPS Z1, Z0, Z0
	VADDPS Z3, Z2, Z2
	VADDPS Z2, Z0, Z0
	SUM32(Z0, Y0, X0, Y1, X1)
	VMOVSS X0, ret+48(FP)
	VZEROUPPER
	RET

// func scale32AVX512(x []float32, alpha float32)
// As scale64AVX512.
TEXT ·scale32AVX512(SB), NOSPLIT, $0-28
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	SHLQ $2, CX
	VBROADCASTSS alpha+24(FP), Z0
	TAILMASK($2)
	SUBQ $256, CX
	JLT  single

loop:
	VMULPS 0(SI), Z0, Z1
	VMULPS 64(SI), Z0, Z2
	VMULPS 128(SI), Z0, Z3
	VMULPS 192(SI), Z0, Z4
	VMOVUPS Z1, 0(SI)
	VMOVUPS Z2, 64(SI)
	VMOVUPS Z3, 128(SI)
	VMOVUPS Z4, 192(SI)
	ADDQ $256, SI
	SUBQ $256, CX
	JGE  loop

single:
	ADDQ $256, CX
	SUBQ $64, CX
	JLT  last

one:
	VMULPS (SI), Z0, Z1
	VMOVUPS Z1, (SI)
	ADDQ $64, SI
	SUBQ $64, CX
	JGE  one

last:
	ADDQ $64, CX
	JEQ  end
	VMOVUPS.Z (SI), K1, Z1
	VMULPS Z0, Z1, Z1
	VMOVUPS Z1, K1, (SI)

end:
	VZEROUPPER
	RET

// func ger32AVX512(a []float32, lda int, x, y []float32, alpha float32)
// As ger64AVX512.
TEXT ·ger32AVX512(SB), NOSPLIT, $0-84
	MOVQ a_base+0(FP), SI
	MOVQ lda+24(FP), R8
	MOVQ x_base+32(FP), DX
	MOVQ x_len+40(FP), BX
	MOVQ y_base+56(FP), DI
	MOVQ y_len+64(FP), CX
	SHLQ $2, R8
	SHLQ $2, CX
	VMOVSS alpha+80(FP), X0
	TAILMASK($2)
	MOVQ CX, R9
	SUBQ $256, R9              // last offset of four vectors
	MOVQ CX, R10
	SUBQ $64, R10              // last offset of one
	TESTQ BX, BX
	JEQ  end

row:
	VMULSS (DX), X0, X1
	VBROADCASTSS X1, Z1
	XORL R13, R13
	CMPQ R13, R9
	JGT  single

loop:
	VMOVUPS 0(SI)(R13*1), Z2
	VMOVUPS 64(SI)(R13*1), Z3
	VMOVUPS 128(SI)(R13*1), Z4
	VMOVUPS 192(SI)(R13*1), Z5
	VFMADD231PS 0(DI)(R13*1), Z1, Z2
	VFMADD231PS 64(DI)(R13*1), Z1, Z3
	VFMADD231PS 128(DI)(R13*1), Z1, Z4
	VFMADD231PS 192(DI)(R13*1), Z1, Z5
	VMOVUPS Z2, 0(SI)(R13*1)
	VMOVUPS Z3, 64(SI)(R13*1)
	VMOVUPS Z4, 128(SI)(R13*1)
	VMOVUPS Z5, 192(SI)(R13*1)
	ADDQ $256, R13
	CMPQ R13, R9
	JLE  loop

single:
	CMPQ R13, R10
	JGT  last
	VMOVUPS (SI)(R13*1), Z2
	VFMADD231PS (DI)(R13*1), Z1, Z2
	VMOVUPS Z2, (SI)(R13*1)
	ADDQ $64, R13
	JMP  single

last:
	CMPQ R13, CX
	JGE  next
	VMOVUPS.Z (SI)(R13*1), K1, Z2
	VMOVUPS.Z (DI)(R13*1), K1, Z3
	VFMADD231PS Z3, Z1, Z2
	VMOVUPS Z2, K1, (SI)(R13*1)

next:
	ADDQ R8, SI
	ADDQ $4, DX
	DECQ BX
	JNE  row

end:
	VZEROUPPER
	RET

// func gemvN32AVX512(y, a []float32, lda int, x []float32, alpha float32)
// As gemvN64AVX512.
TEXT ·gemvN32AVX512(SB), NOSPLIT, $0-84
	MOVQ y_base+0(FP), DI
	MOVQ y_len+8(FP), BX
	MOVQ a_base+24(FP), SI
	MOVQ lda+48(FP), R8
	MOVQ x_base+56(FP), DX
	MOVQ x_len+64(FP), CX
	SHLQ $2, R8
	SHLQ $2, CX
	TAILMASK($2)
	MOVQ CX, R9
	SUBQ $128, R9              // last offset of two vectors
	MOVQ CX, R10
	SUBQ $64, R10              // last offset of one
	SUBQ $4, BX
	JLT  rest

rows4:
	VXORPD X0, X0, X0
	VXORPD X1, X1, X1
	VXORPD X2, X2, X2
	VXORPD X3, X3, X3
	VXORPD X4, X4, X4
	VXORPD X5, X5, X5
	VXORPD X6, X6, X6
	VXORPD X7, X7, X7
	XORL R13, R13
	MOVQ SI, R11
	LEAQ (SI)(R8*2), R12
	CMPQ R13, R9
	JGT  one4

loop4:
	VMOVUPS (DX)(R13*1), Z8
	VMOVUPS 64(DX)(R13*1), Z9
	VFMADD231PS (R11), Z8, Z0
	VFMADD231PS 64(R11), Z9, Z1
	VFMADD231PS (R11)(R8*1), Z8, Z2
	VFMADD231PS 64(R11)(R8*1), Z9, Z3
	VFMADD231PS (R12), Z8, Z4
	VFMADD231PS 64(R12), Z9, Z5
	VFMADD231PS (R12)(R8*1), Z8, Z6
	VFMADD231PS 64(R12)(R8*1), Z9, Z7
	ADDQ $128, R11
	ADDQ $128, R12
	ADDQ $128, R13
	CMPQ R13, R9
	JLE  loop4

one4:
	CMPQ R13, R10
	JGT  last4
	VMOVUPS (DX)(R13*1), Z8
	VFMADD231PS (R11), Z8, Z0
	VFMADD231PS (R11)(R8*1), Z8, Z2
	VFMADD231PS (R12), Z8, Z4
	VFMADD231PS (R12)(R8*1), Z8, Z6
	ADDQ $64, R11
	ADDQ $64, R12
	ADDQ $64, R13

last4:
	CMPQ R13, CX
	JGE  sum4
	VMOVUPS.Z (DX)(R13*1), K1, Z8
	VMOVUPS.Z (R11), K1, Z10
	VFMADD231PS Z10, Z8, Z1
	VMOVUPS.Z (R11)(R8*1), K1, Z10
	VFMADD231PS Z10, Z8, Z3
	VMOVUPS.Z (R12), K1, Z10
	VFMADD231PS Z10, Z8, Z5
	VMOVUPS.Z (R12)(R8*1), K1, Z10
	VFMADD231PS Z10, Z8, Z7

sum4:
	VMOVSS alpha+80(FP), X10
	VADDPS Z1, Z0, Z0
	SUM32(Z0, Y0, X0, Y9, X9)
	VADDPS Z3, Z2, Z2
	SUM32(Z2, Y2, X2, Y9, X9)
	VADDPS Z5, Z4, Z4
	SUM32(Z4, Y4, X4, Y9, X9)
	VADDPS Z7, Z6, Z6
	SUM32(Z6, Y6, X6, Y9, X9)
	VMOVSS 0(DI), X9
	VFMADD231SS X0, X10, X9
	VMOVSS X9, 0(DI)
	VMOVSS 4(DI), X9
	VFMADD231SS X2, X10, X9
	VMOVSS X9, 4(DI)
	VMOVSS 8(DI), X9
	VFMADD231SS X4, X10, X9
	VMOVSS X9, 8(DI)
	VMOVSS 12(DI), X9
	VFMADD231SS X6, X10, X9
	VMOVSS X9, 12(DI)
	LEAQ (SI)(R8*4), SI
	ADDQ $16, DI
	SUBQ $4, BX
	JGE  rows4

rest:
	ADDQ $4, BX
	JEQ  end

rows1:
	VXORPD X0, X0, X0
	VXORPD X1, X1, X1
	XORL R13, R13
	CMPQ R13, R9
	JGT  one1

loop1:
	VMOVUPS (DX)(R13*1), Z8
	VMOVUPS 64(DX)(R13*1), Z9
	VFMADD231PS (SI)(R13*1), Z8, Z0
	VFMADD231PS 64(SI)(R13*1), Z9, Z1
	ADDQ $128, R13
	CMPQ R13, R9
	JLE  loop1

one1:
	CMPQ R13, R10
	JGT  last1
	VMOVUPS (DX)(R13*1), Z8
	VFMADD231PS (SI)(R13*1), Z8, Z0
	ADDQ $64, R13

last1:
	CMPQ R13, CX
	JGE  sum1
	VMOVUPS.Z (DX)(R13*1), K1, Z8
	VMOVUPS.Z (SI)(R13*1), K1, Z10
	VFMADD231PS Z10, Z8, Z1

sum1:
	VADDPS Z1, Z0, Z0
	SUM32(Z0, Y0, X0, Y9, X9)
	VMOVSS alpha+80(FP), X10
	VMOVSS (DI), X9
	VFMADD231SS X0, X10, X9
	VMOVSS X9, (DI)
	ADDQ R8, SI
	ADDQ $4, DI
	DECQ BX
	JNE  rows1

end:
	VZEROUPPER
	RET

// func gemvT32AVX512(y, a []float32, lda int, x []float32, alpha float32)
// As gemvT64AVX512.
TEXT ·gemvT32AVX512(SB), NOSPLIT, $0-84
	MOVQ y_base+0(FP), DI
	MOVQ y_len+8(FP), CX
	MOVQ a_base+24(FP), SI
	MOVQ lda+48(FP), R8
	MOVQ x_base+56(FP), DX
	MOVQ x_len+64(FP), BX
	SHLQ $2, R8
	SHLQ $2, CX
	VMOVSS alpha+80(FP), X7
	TAILMASK($2)
	MOVQ CX, R9
	SUBQ $128, R9              // last offset of two vectors
	MOVQ CX, R10
	SUBQ $64, R10              // last offset of one
	SUBQ $4, BX
	JLT  rest

rows4:
	VMULSS 0(DX), X7, X0
	VBROADCASTSS X0, Z0
	VMULSS 4(DX), X7, X1
	VBROADCASTSS X1, Z1
	VMULSS 8(DX), X7, X2
	VBROADCASTSS X2, Z2
	VMULSS 12(DX), X7, X3
	VBROADCASTSS X3, Z3
	XORL R13, R13
	MOVQ SI, R11
	LEAQ (SI)(R8*2), R12
	CMPQ R13, R9
	JGT  one4

loop4:
	VMOVUPS (DI)(R13*1), Z4
	VMOVUPS 64(DI)(R13*1), Z5
	VFMADD231PS (R11), Z0, Z4
	VFMADD231PS 64(R11), Z0, Z5
	VFMADD231PS (R11)(R8*1), Z1, Z4
	VFMADD231PS 64(R11)(R8*1), Z1, Z5
	VFMADD231PS (R12), Z2, Z4
	VFMADD231PS 64(R12), Z2, Z5
	VFMADD231PS (R12)(R8*1), Z3, Z4
	VFMADD231PS 64(R12)(R8*1), Z3, Z5
	VMOVUPS Z4, (DI)(R13*1)
	VMOVUPS Z5, 64(DI)(R13*1)
	ADDQ $128, R11
	ADDQ $128, R12
	ADDQ $128, R13
	CMPQ R13, R9
	JLE  loop4

one4:
	CMPQ R13, R10
	JGT  last4
	VMOVUPS (DI)(R13*1), Z4
	VFMADD231PS (R11), Z0, Z4
	VFMADD231PS (R11)(R8*1), Z1, Z4
	VFMADD231PS (R12), Z2, Z4
	VFMADD231PS (R12)(R8*1), Z3, Z4
	VMOVUPS Z4, (DI)(R13*1)
	ADDQ $64, R11
	ADDQ $64, R12
	ADDQ $64, R13

last4:
	CMPQ R13, CX
	JGE  next4
	VMOVUPS.Z (DI)(R13*1), K1, Z4
	VMOVUPS.Z (R11), K1, Z6
	VFMADD231PS Z6, Z0, Z4
	VMOVUPS.Z (R11)(R8*1), K1, Z6
	VFMADD231PS Z6, Z1, Z4
	VMOVUPS.Z (R12), K1, Z6
	VFMADD231PS Z6, Z2, Z4
	VMOVUPS.Z (R12)(R8*1), K1, Z6
	VFMADD231PS Z6, Z3, Z4
	VMOVUPS Z4, K1, (DI)(R13*1)

next4:
	LEAQ (SI)(R8*4), SI
	ADDQ $16, DX
	SUBQ $4, BX
	JGE  rows4

rest:
	ADDQ $4, BX
	JEQ  end

rows1:
	VMULSS (DX), X7, X0
	VBROADCASTSS X0, Z0
	XORL R13, R13
	CMPQ R13, R9
	JGT  one1

loop1:
	VMOVUPS (DI)(R13*1), Z4
	VMOVUPS 64(DI)(R13*1), Z5
	VFMADD231PS (SI)(R13*1), Z0, Z4
	VFMADD231PS 64(SI)(R13*1), Z0, Z5
	VMOVUPS Z4, (DI)(R13*1)
	VMOVUPS Z5, 64(DI)(R13*1)
	ADDQ $128, R13
	CMPQ R13, R9
	JLE  loop1

one1:
	CMPQ R13, R10
	JGT  last1
	VMOVUPS (DI)(R13*1), Z4
	VFMADD231PS (SI)(R13*1), Z0, Z4
	VMOVUPS Z4, (DI)(R13*1)
	ADDQ $64, R13

last1:
	CMPQ R13, CX
	JGE  next1
	VMOVUPS.Z (DI)(R13*1), K1, Z4
	VMOVUPS.Z (SI)(R13*1), K1, Z6
	VFMADD231PS Z6, Z0, Z4
	VMOVUPS Z4, K1, (DI)(R13*1)

next1:
	ADDQ R8, SI
	ADDQ $4, DX
	DECQ BX
	JNE  rows1

end:
	VZEROUPPER
	RET
