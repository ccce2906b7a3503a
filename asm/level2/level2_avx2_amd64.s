//go:build !noasm

#include "textflag.h"

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
#define TAILMASK(size) \
	MOVQ CX, R13; \
	ANDQ $31, R13; \
	LEAQ tailMask<>+32(SB), AX; \
	SUBQ R13, AX; \
	VMOVDQU (AX), Y15

// The first lane of a becomes the sum of its lanes: halves, pairs, neighbours.
#define SUM64(ay, ax, tx) \
	VEXTRACTF128 $1, ay, tx; \
	VADDPD tx, ax, ax; \
	VPERMILPD $1, ax, tx; \
	VADDSD tx, ax, ax

#define SUM32(ay, ax, tx) \
	VEXTRACTF128 $1, ay, tx; \
	VADDPS tx, ax, ax; \
	VPERMILPD $1, ax, tx; \
	VADDPS tx, ax, ax; \
	VMOVSHDUP ax, tx; \
	VADDSS tx, ax, ax

// func dot64AVX2(x, y []float64) float64
//	s := 0; for i := range x { s += x[i] * y[i] }
//   len(x) == len(y); any alignment
//   SI x, DI y, CX bytes left, R8 their number rounded down; 0-3 sums, 4-7 x, Y15 tail
// Invariant at loop: SI, DI at the first element not done, CX >= 128.
// Unroll 4 vectors: 2 loads a product, 2 loads a cycle, latency 4. Tail: single vectors into sum 0, then
// one under a mask into sum 1. Sums: (0+1) + (2+3), then its halves.
TEXT ·dot64AVX2(SB), NOSPLIT, $0-56
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	MOVQ y_base+24(FP), DI
	SHLQ $3, CX
	TAILMASK($3)
	VXORPD X0, X0, X0
	VXORPD X1, X1, X1
	VXORPD X2, X2, X2
	VXORPD X3, X3, X3
	SUBQ $128, CX
	JLT  single

loop:
	VMOVUPD 0(SI), Y4
	VMOVUPD 32(SI), Y5
	VMOVUPD 64(SI), Y6
	VMOVUPD 96(SI), Y7
	VFMADD231PD 0(DI), Y4, Y0
	VFMADD231PD 32(DI), Y5, Y1
	VFMADD231PD 64(DI), Y6, Y2
	VFMADD231PD 96(DI), Y7, Y3
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $128, CX
	JGE  loop

single:
	ADDQ $128, CX
	SUBQ $32, CX
	JLT  last

one:
	VMOVUPD (SI), Y4
	VFMADD231PD (DI), Y4, Y0
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $32, CX
	JGE  one

last:
	ADDQ $32, CX
	JEQ  sum
	VMASKMOVPD (SI), Y15, Y4
	VMASKMOVPD (DI), Y15, Y5
	VFMADD231PD Y5, Y4, Y1

sum:
	VADDPD Y1, Y0, Y0
	VADDPD Y3, Y2, Y2
	VADDPD Y2, Y0, Y0
	SUM64(Y0, X0, X1)
	VMOVSD X0, ret+48(FP)
	VZEROUPPER
	RET

// func scale64AVX2(x []float64, alpha float64)
//	for i := range x { x[i] *= alpha }
//   any alignment; SI x, CX bytes left; 0 alpha, 1-4 x
// Invariant at loop: SI at the first element not done, CX >= 128. Unroll 4 vectors: one store a cycle is
// the limit, more gains nothing. Tail: single vectors, then one under a mask.
TEXT ·scale64AVX2(SB), NOSPLIT, $0-32
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	SHLQ $3, CX
	VBROADCASTSD alpha+24(FP), Y0
	TAILMASK($3)
	SUBQ $128, CX
	JLT  single

loop:
	VMULPD 0(SI), Y0, Y1
	VMULPD 32(SI), Y0, Y2
	VMULPD 64(SI), Y0, Y3
	VMULPD 96(SI), Y0, Y4
	VMOVUPD Y1, 0(SI)
	VMOVUPD Y2, 32(SI)
	VMOVUPD Y3, 64(SI)
	VMOVUPD Y4, 96(SI)
	ADDQ $128, SI
	SUBQ $128, CX
	JGE  loop

single:
	ADDQ $128, CX
	SUBQ $32, CX
	JLT  last

one:
	VMULPD (SI), Y0, Y1
	VMOVUPD Y1, (SI)
	ADDQ $32, SI
	SUBQ $32, CX
	JGE  one

last:
	ADDQ $32, CX
	JEQ  end
	VMASKMOVPD (SI), Y15, Y1
	VMULPD Y0, Y1, Y1
	VMASKMOVPD Y1, Y15, (SI)

end:
	VZEROUPPER
	RET

// func ger64AVX2(a []float64, lda int, x, y []float64, alpha float64)
//	for i := range x { for j := range y { a[i*lda+j] += (alpha*x[i]) * y[j] } }
//   rows of a hold y: lda >= len(y), or one row; no overlap; any alignment
//   SI row of a, R8 lda in bytes, DX x, BX rows left, DI y, CX bytes of a row, R13 offset, R9, R10 its bounds
//   0 alpha, 1 alpha*x[i], 2-5 a
// Invariant at row: SI, DX at the first row not done, BX > 0; at loop: R13 at the first element not done.
// Unroll 4 vectors: one store a cycle is the limit. Tail: single vectors, then one under a mask.
TEXT ·ger64AVX2(SB), NOSPLIT, $0-88
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
	SUBQ $128, R9              // last offset of four vectors
	MOVQ CX, R10
	SUBQ $32, R10              // last offset of one
	TESTQ BX, BX
	JEQ  end

row:
	VMULSD (DX), X0, X1
	VBROADCASTSD X1, Y1
	XORL R13, R13
	CMPQ R13, R9
	JGT  single

loop:
	VMOVUPD 0(SI)(R13*1), Y2
	VMOVUPD 32(SI)(R13*1), Y3
	VMOVUPD 64(SI)(R13*1), Y4
	VMOVUPD 96(SI)(R13*1), Y5
	VFMADD231PD 0(DI)(R13*1), Y1, Y2
	VFMADD231PD 32(DI)(R13*1), Y1, Y3
	VFMADD231PD 64(DI)(R13*1), Y1, Y4
	VFMADD231PD 96(DI)(R13*1), Y1, Y5
	VMOVUPD Y2, 0(SI)(R13*1)
	VMOVUPD Y3, 32(SI)(R13*1)
	VMOVUPD Y4, 64(SI)(R13*1)
	VMOVUPD Y5, 96(SI)(R13*1)
	ADDQ $128, R13
	CMPQ R13, R9
	JLE  loop

single:
	CMPQ R13, R10
	JGT  last
	VMOVUPD (SI)(R13*1), Y2
	VFMADD231PD (DI)(R13*1), Y1, Y2
	VMOVUPD Y2, (SI)(R13*1)
	ADDQ $32, R13
	JMP  single

last:
	CMPQ R13, CX
	JGE  next
	VMASKMOVPD (SI)(R13*1), Y15, Y2
	VMASKMOVPD (DI)(R13*1), Y15, Y3
	VFMADD231PD Y3, Y1, Y2
	VMASKMOVPD Y2, Y15, (SI)(R13*1)

next:
	ADDQ R8, SI
	ADDQ $8, DX
	DECQ BX
	JNE  row

end:
	VZEROUPPER
	RET

// func gemvN64AVX2(y, a []float64, lda int, x []float64, alpha float64)
//	for i := range y { s := 0; for j := range x { s += a[i*lda+j] * x[j] }; y[i] += alpha * s }
//   rows of a hold x: lda >= len(x), or one row; y apart from a and x; any alignment
//   SI row of a, R8 lda in bytes, DI y, BX rows left, DX x, CX bytes of a row, R13 offset, R9, R10 its bounds,
//   R11, R12 rows 2, 3 of four; 0-7 two sums a row, 8, 9 x, 10 a of the tail
// Invariant at rows4, rows1: SI, DI at the first row not done; at the inner loops: R13 at the first element.
// Four rows share the loads of x. Every row is summed alike, whether one of four or alone: sums of even and
// odd vectors, an odd last vector to the first, the masked rest to the second.
TEXT ·gemvN64AVX2(SB), NOSPLIT, $0-88
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
	SUBQ $64, R9              // last offset of two vectors
	MOVQ CX, R10
	SUBQ $32, R10              // last offset of one
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
	VMOVUPD (DX)(R13*1), Y8
	VMOVUPD 32(DX)(R13*1), Y9
	VFMADD231PD (R11), Y8, Y0
	VFMADD231PD 32(R11), Y9, Y1
	VFMADD231PD (R11)(R8*1), Y8, Y2
	VFMADD231PD 32(R11)(R8*1), Y9, Y3
	VFMADD231PD (R12), Y8, Y4
	VFMADD231PD 32(R12), Y9, Y5
	VFMADD231PD (R12)(R8*1), Y8, Y6
	VFMADD231PD 32(R12)(R8*1), Y9, Y7
	ADDQ $64, R11
	ADDQ $64, R12
	ADDQ $64, R13
	CMPQ R13, R9
	JLE  loop4

one4:
	CMPQ R13, R10
	JGT  last4
	VMOVUPD (DX)(R13*1), Y8
	VFMADD231PD (R11), Y8, Y0
	VFMADD231PD (R11)(R8*1), Y8, Y2
	VFMADD231PD (R12), Y8, Y4
	VFMADD231PD (R12)(R8*1), Y8, Y6
	ADDQ $32, R11
	ADDQ $32, R12
	ADDQ $32, R13

last4:
	CMPQ R13, CX
	JGE  sum4
	VMASKMOVPD (DX)(R13*1), Y15, Y8
	VMASKMOVPD (R11), Y15, Y10
	VFMADD231PD Y10, Y8, Y1
	VMASKMOVPD (R11)(R8*1), Y15, Y10
	VFMADD231PD Y10, Y8, Y3
	VMASKMOVPD (R12), Y15, Y10
	VFMADD231PD Y10, Y8, Y5
	VMASKMOVPD (R12)(R8*1), Y15, Y10
	VFMADD231PD Y10, Y8, Y7

sum4:
	VMOVSD alpha+80(FP), X10
	VADDPD Y1, Y0, Y0
	SUM64(Y0, X0, X9)
	VADDPD Y3, Y2, Y2
	SUM64(Y2, X2, X9)
	VADDPD Y5, Y4, Y4
	SUM64(Y4, X4, X9)
	VADDPD Y7, Y6, Y6
	SUM64(Y6, X6, X9)
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
	VMOVUPD (DX)(R13*1), Y8
	VMOVUPD 32(DX)(R13*1), Y9
	VFMADD231PD (SI)(R13*1), Y8, Y0
	VFMADD231PD 32(SI)(R13*1), Y9, Y1
	ADDQ $64, R13
	CMPQ R13, R9
	JLE  loop1

one1:
	CMPQ R13, R10
	JGT  last1
	VMOVUPD (DX)(R13*1), Y8
	VFMADD231PD (SI)(R13*1), Y8, Y0
	ADDQ $32, R13

last1:
	CMPQ R13, CX
	JGE  sum1
	VMASKMOVPD (DX)(R13*1), Y15, Y8
	VMASKMOVPD (SI)(R13*1), Y15, Y10
	VFMADD231PD Y10, Y8, Y1

sum1:
	VADDPD Y1, Y0, Y0
	SUM64(Y0, X0, X9)
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

// func gemvT64AVX2(y, a []float64, lda int, x []float64, alpha float64)
//	for i := range x { for j := range y { y[j] += a[i*lda+j] * (alpha*x[i]) } }
//   rows of a hold y: lda >= len(y), or one row; y apart from a and x; any alignment
//   SI row of a, R8 lda in bytes, DX x, BX rows left, DI y, CX bytes of a row, R13 offset, R9, R10 its bounds,
//   R11, R12 rows 0, 2 of four at the offset; 0-3 alpha*x, 4, 5 y, 6 a of the tail, 7 alpha
// Invariant at rows4, rows1: SI, DX at the first row not done; at the inner loops: R13 at the first element.
// Four rows share the loads and stores of y; rows are added in order, so that grouping does not matter.
// Tail: a single vector, then one under a mask.
TEXT ·gemvT64AVX2(SB), NOSPLIT, $0-88
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
	SUBQ $64, R9              // last offset of two vectors
	MOVQ CX, R10
	SUBQ $32, R10              // last offset of one
	SUBQ $4, BX
	JLT  rest

rows4:
	VMULSD 0(DX), X7, X0
	VBROADCASTSD X0, Y0
	VMULSD 8(DX), X7, X1
	VBROADCASTSD X1, Y1
	VMULSD 16(DX), X7, X2
	VBROADCASTSD X2, Y2
	VMULSD 24(DX), X7, X3
	VBROADCASTSD X3, Y3
	XORL R13, R13
	MOVQ SI, R11
	LEAQ (SI)(R8*2), R12
	CMPQ R13, R9
	JGT  one4

loop4:
	VMOVUPD (DI)(R13*1), Y4
	VMOVUPD 32(DI)(R13*1), Y5
	VFMADD231PD (R11), Y0, Y4
	VFMADD231PD 32(R11), Y0, Y5
	VFMADD231PD (R11)(R8*1), Y1, Y4
	VFMADD231PD 32(R11)(R8*1), Y1, Y5
	VFMADD231PD (R12), Y2, Y4
	VFMADD231PD 32(R12), Y2, Y5
	VFMADD231PD (R12)(R8*1), Y3, Y4
	VFMADD231PD 32(R12)(R8*1), Y3, Y5
	VMOVUPD Y4, (DI)(R13*1)
	VMOVUPD Y5, 32(DI)(R13*1)
	ADDQ $64, R11
	ADDQ $64, R12
	ADDQ $64, R13
	CMPQ R13, R9
	JLE  loop4

one4:
	CMPQ R13, R10
	JGT  last4
	VMOVUPD (DI)(R13*1), Y4
	VFMADD231PD (R11), Y0, Y4
	VFMADD231PD (R11)(R8*1), Y1, Y4
	VFMADD231PD (R12), Y2, Y4
	VFMADD231PD (R12)(R8*1), Y3, Y4
	VMOVUPD Y4, (DI)(R13*1)
	ADDQ $32, R11
	ADDQ $32, R12
	ADDQ $32, R13

last4:
	CMPQ R13, CX
	JGE  next4
	VMASKMOVPD (DI)(R13*1), Y15, Y4
	VMASKMOVPD (R11), Y15, Y6
	VFMADD231PD Y6, Y0, Y4
	VMASKMOVPD (R11)(R8*1), Y15, Y6
	VFMADD231PD Y6, Y1, Y4
	VMASKMOVPD (R12), Y15, Y6
	VFMADD231PD Y6, Y2, Y4
	VMASKMOVPD (R12)(R8*1), Y15, Y6
	VFMADD231PD Y6, Y3, Y4
	VMASKMOVPD Y4, Y15, (DI)(R13*1)

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
	VBROADCASTSD X0, Y0
	XORL R13, R13
	CMPQ R13, R9
	JGT  one1

loop1:
	VMOVUPD (DI)(R13*1), Y4
	VMOVUPD 32(DI)(R13*1), Y5
	VFMADD231PD (SI)(R13*1), Y0, Y4
	VFMADD231PD 32(SI)(R13*1), Y0, Y5
	VMOVUPD Y4, (DI)(R13*1)
	VMOVUPD Y5, 32(DI)(R13*1)
	ADDQ $64, R13
	CMPQ R13, R9
	JLE  loop1

one1:
	CMPQ R13, R10
	JGT  last1
	VMOVUPD (DI)(R13*1), Y4
	VFMADD231PD (SI)(R13*1), Y0, Y4
	VMOVUPD Y4, (DI)(R13*1)
	ADDQ $32, R13

last1:
	CMPQ R13, CX
	JGE  next1
	VMASKMOVPD (DI)(R13*1), Y15, Y4
	VMASKMOVPD (SI)(R13*1), Y15, Y6
	VFMADD231PD Y6, Y0, Y4
	VMASKMOVPD Y4, Y15, (DI)(R13*1)

next1:
	ADDQ R8, SI
	ADDQ $8, DX
	DECQ BX
	JNE  rows1

end:
	VZEROUPPER
	RET

// func dot32AVX2(x, y []float32) float32
// As dot64AVX2.
TEXT ·dot32AVX2(SB), NOSPLIT, $0-52
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	MOVQ y_base+24(FP), DI
	SHLQ $2, CX
	TAILMASK($2)
	VXORPD X0, X0, X0
	VXORPD X1, X1, X1
	VXORPD X2, X2, X2
	VXORPD X3, X3, X3
	SUBQ $128, CX
	JLT  single

loop:
	VMOVUPS 0(SI), Y4
	VMOVUPS 32(SI), Y5
	VMOVUPS 64(SI), Y6
	VMOVUPS 96(SI), Y7
	VFMADD231PS 0(DI), Y4, Y0
	VFMADD231PS 32(DI), Y5, Y1
	VFMADD231PS 64(DI), Y6, Y2
	VFMADD231PS 96(DI), Y7, Y3
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $128, CX
	JGE  loop

single:
	ADDQ $128, CX
	SUBQ $32, CX
	JLT  last

one:
	VMOVUPS (SI), Y4
	VFMADD231PS (DI), Y4, Y0
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $32, CX
	JGE  one

last:
	ADDQ $32, CX
	JEQ  sum
	VMASKMOVPS (SI), Y15, Y4
	VMASKMOVPS (DI), Y15, Y5
	VFMADD231PS Y5, Y4, Y1

sum:
	VADDPS Y1, Y0, Y0
	VADDPS Y3, Y2, Y2
	VADDPS Y2, Y0, Y0
	SUM32(Y0, X0, X1)
	VMOVSS X0, ret+48(FP)
	VZEROUPPER
	RET

// func scale32AVX2(x []float32, alpha float32)
// As scale64AVX2.
TEXT ·scale32AVX2(SB), NOSPLIT, $0-28
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	SHLQ $2, CX
	VBROADCASTSS alpha+24(FP), Y0
	TAILMASK($2)
	SUBQ $128, CX
	JLT  single

loop:
	VMULPS 0(SI), Y0, Y1
	VMULPS 32(SI), Y0, Y2
	VMULPS 64(SI), Y0, Y3
	VMULPS 96(SI), Y0, Y4
	VMOVUPS Y1, 0(SI)
	VMOVUPS Y2, 32(SI)
	VMOVUPS Y3, 64(SI)
	VMOVUPS Y4, 96(SI)
	ADDQ $128, SI
	SUBQ $128, CX
	JGE  loop

single:
	ADDQ $128, CX
	SUBQ $32, CX
	JLT  last

one:
	VMULPS (SI), Y0, Y1
	VMOVUPS Y1, (SI)
	ADDQ $32, SI
	SUBQ $32, CX
	JGE  one

last:
	ADDQ $32, CX
	JEQ  end
	VMASKMOVPS (SI), Y15, Y1
	VMULPS Y0, Y1, Y1
	VMASKMOVPS Y1, Y15, (SI)

end:
	VZEROUPPER
	RET

// func ger32AVX2(a []float32, lda int, x, y []float32, alpha float32)
// As ger64AVX2.
TEXT ·ger32AVX2(SB), NOSPLIT, $0-84
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
	SUBQ $128, R9              // last offset of four vectors
	MOVQ CX, R10
	SUBQ $32, R10              // last offset of one
	TESTQ BX, BX
	JEQ  end

row:
	VMULSS (DX), X0, X1
	VBROADCASTSS X1, Y1
	XORL R13, R13
	CMPQ R13, R9
	JGT  single

loop:
	VMOVUPS 0(SI)(R13*1), Y2
	VMOVUPS 32(SI)(R13*1), Y3
	VMOVUPS 64(SI)(R13*1), Y4
	VMOVUPS 96(SI)(R13*1), Y5
	VFMADD231PS 0(DI)(R13*1), Y1, Y2
	VFMADD231PS 32(DI)(R13*1), Y1, Y3
	VFMADD231PS 64(DI)(R13*1), Y1, Y4
	VFMADD231PS 96(DI)(R13*1), Y1, Y5
	VMOVUPS Y2, 0(SI)(R13*1)
	VMOVUPS Y3, 32(SI)(R13*1)
	VMOVUPS Y4, 64(SI)(R13*1)
	VMOVUPS Y5, 96(SI)(R13*1)
	ADDQ $128, R13
	CMPQ R13, R9
	JLE  loop

single:
	CMPQ R13, R10
	JGT  last
	VMOVUPS (SI)(R13*1), Y2
	VFMADD231PS (DI)(R13*1), Y1, Y2
	VMOVUPS Y2, (SI)(R13*1)
	ADDQ $32, R13
	JMP  single

last:
	CMPQ R13, CX
	JGE  next
	VMASKMOVPS (SI)(R13*1), Y15, Y2
	VMASKMOVPS (DI)(R13*1), Y15, Y3
	VFMADD231PS Y3, Y1, Y2
	VMASKMOVPS Y2, Y15, (SI)(R13*1)

next:
	ADDQ R8, SI
	ADDQ $4, DX
	DECQ BX
	JNE  row

end:
	VZEROUPPER
	RET

// func gemvN32AVX2(y, a []float32, lda int, x []float32, alpha float32)
// As gemvN64AVX2.
TEXT ·gemvN32AVX2(SB), NOSPLIT, $0-84
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
	SUBQ $64, R9              // last offset of two vectors
	MOVQ CX, R10
	SUBQ $32, R10              // last offset of one
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
	VMOVUPS (DX)(R13*1), Y8
	VMOVUPS 32(DX)(R13*1), Y9
	VFMADD231PS (R11), Y8, Y0
	VFMADD231PS 32(R11), Y9, Y1
	VFMADD231PS (R11)(R8*1), Y8, Y2
	VFMADD231PS 32(R11)(R8*1), Y9, Y3
	VFMADD231PS (R12), Y8, Y4
	VFMADD231PS 32(R12), Y9, Y5
	VFMADD231PS (R12)(R8*1), Y8, Y6
	VFMADD231PS 32(R12)(R8*1), Y9, Y7
	ADDQ $64, R11
	ADDQ $64, R12
	ADDQ $64, R13
	CMPQ R13, R9
	JLE  loop4

one4:
	CMPQ R13, R10
	JGT  last4
	VMOVUPS (DX)(R13*1), Y8
	VFMADD231PS (R11), Y8, Y0
	VFMADD231PS (R11)(R8*1), Y8, Y2
	VFMADD231PS (R12), Y8, Y4
	VFMADD231PS (R12)(R8*1), Y8, Y6
	ADDQ $32, R11
	ADDQ $32, R12
	ADDQ $32, R13

last4:
	CMPQ R13, CX
	JGE  sum4
	VMASKMOVPS (DX)(R13*1), Y15, Y8
	VMASKMOVPS (R11), Y15, Y10
	VFMADD231PS Y10, Y8, Y1
	VMASKMOVPS (R11)(R8*1), Y15, Y10
	VFMADD231PS Y10, Y8, Y3
	VMASKMOVPS (R12), Y15, Y10
	VFMADD231PS Y10, Y8, Y5
	VMASKMOVPS (R12)(R8*1), Y15, Y10
	VFMADD231PS Y10, Y8, Y7

sum4:
	VMOVSS alpha+80(FP), X10
	VADDPS Y1, Y0, Y0
	SUM32(Y0, X0, X9)
	VADDPS Y3, Y2, Y2
	SUM32(Y2, X2, X9)
	VADDPS Y5, Y4, Y4
	SUM32(Y4, X4, X9)
	VADDPS Y7, Y6, Y6
	SUM32(Y6, X6, X9)
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
	VMOVUPS (DX)(R13*1), Y8
	VMOVUPS 32(DX)(R13*1), Y9
	VFMADD231PS (SI)(R13*1), Y8, Y0
	VFMADD231PS 32(SI)(R13*1), Y9, Y1
	ADDQ $64, R13
	CMPQ R13, R9
	JLE  loop1

one1:
	CMPQ R13, R10
	JGT  last1
	VMOVUPS (DX)(R13*1), Y8
	VFMADD231PS (SI)(R13*1), Y8, Y0
	ADDQ $32, R13

last1:
	CMPQ R13, CX
	JGE  sum1
	VMASKMOVPS (DX)(R13*1), Y15, Y8
	VMASKMOVPS (SI)(R13*1), Y15, Y10
	VFMADD231PS Y10, Y8, Y1

sum1:
	VADDPS Y1, Y0, Y0
	SUM32(Y0, X0, X9)
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

// func gemvT32AVX2(y, a []float32, lda int, x []float32, alpha float32)
// As gemvT64AVX2.
TEXT ·gemvT32AVX2(SB), NOSPLIT, $0-84
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
	SUBQ $64, R9              // last offset of two vectors
	MOVQ CX, R10
	SUBQ $32, R10              // last offset of one
	SUBQ $4, BX
	JLT  rest

rows4:
	VMULSS 0(DX), X7, X0
	VBROADCASTSS X0, Y0
	VMULSS 4(DX), X7, X1
	VBROADCASTSS X1, Y1
	VMULSS 8(DX), X7, X2
	VBROADCASTSS X2, Y2
	VMULSS 12(DX), X7, X3
	VBROADCASTSS X3, Y3
	XORL R13, R13
	MOVQ SI, R11
	LEAQ (SI)(R8*2), R12
	CMPQ R13, R9
	JGT  one4

loop4:
	VMOVUPS (DI)(R13*1), Y4
	VMOVUPS 32(DI)(R13*1), Y5
	VFMADD231PS (R11), Y0, Y4
	VFMADD231PS 32(R11), Y0, Y5
	VFMADD231PS (R11)(R8*1), Y1, Y4
	VFMADD231PS 32(R11)(R8*1), Y1, Y5
	VFMADD231PS (R12), Y2, Y4
	VFMADD231PS 32(R12), Y2, Y5
	VFMADD231PS (R12)(R8*1), Y3, Y4
	VFMADD231PS 32(R12)(R8*1), Y3, Y5
	VMOVUPS Y4, (DI)(R13*1)
	VMOVUPS Y5, 32(DI)(R13*1)
	ADDQ $64, R11
	ADDQ $64, R12
	ADDQ $64, R13
	CMPQ R13, R9
	JLE  loop4

one4:
	CMPQ R13, R10
	JGT  last4
	VMOVUPS (DI)(R13*1), Y4
	VFMADD231PS (R11), Y0, Y4
	VFMADD231PS (R11)(R8*1), Y1, Y4
	VFMADD231PS (R12), Y2, Y4
	VFMADD231PS (R12)(R8*1), Y3, Y4
	VMOVUPS Y4, (DI)(R13*1)
	ADDQ $32, R11
	ADDQ $32, R12
	ADDQ $32, R13

last4:
	CMPQ R13, CX
	JGE  next4
	VMASKMOVPS (DI)(R13*1), Y15, Y4
	VMASKMOVPS (R11), Y15, Y6
	VFMADD231PS Y6, Y0, Y4
	VMASKMOVPS (R11)(R8*1), Y15, Y6
	VFMADD231PS Y6, Y1, Y4
	VMASKMOVPS (R12), Y15, Y6
	VFMADD231PS Y6, Y2, Y4
	VMASKMOVPS (R12)(R8*1), Y15, Y6
	VFMADD231PS Y6, Y3, Y4
	VMASKMOVPS Y4, Y15, (DI)(R13*1)

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
	VBROADCASTSS X0, Y0
	XORL R13, R13
	CMPQ R13, R9
	JGT  one1

loop1:
	VMOVUPS (DI)(R13*1), Y4
	VMOVUPS 32(DI)(R13*1), Y5
	VFMADD231PS (SI)(R13*1), Y0, Y4
	VFMADD231PS 32(SI)(R13*1), Y0, Y5
	VMOVUPS Y4, (DI)(R13*1)
	VMOVUPS Y5, 32(DI)(R13*1)
	ADDQ $64, R13
	CMPQ R13, R9
	JLE  loop1

one1:
	CMPQ R13, R10
	JGT  last1
	VMOVUPS (DI)(R13*1), Y4
	VFMADD231PS (SI)(R13*1), Y0, Y4
	VMOVUPS Y4, (DI)(R13*1)
	ADDQ $32, R13

last1:
	CMPQ R13, CX
	JGE  next1
	VMASKMOVPS (DI)(R13*1), Y15, Y4
	VMASKMOVPS (SI)(R13*1), Y15, Y6
	VFMADD231PS Y6, Y0, Y4
	VMASKMOVPS Y4, Y15, (DI)(R13*1)

next1:
	ADDQ R8, SI
	ADDQ $4, DX
	DECQ BX
	JNE  rows1

end:
	VZEROUPPER
	RET
