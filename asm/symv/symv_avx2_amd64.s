//go:build !noasm

#include "textflag.h"

// Kernels of Panel.
//
//   for r < 4, j < n:  lanes[r][j%width] += a[r*lda+j]*x[j];  y[j] += xr[r]*a[r*lda+j]
//
// Preconditions: n > 0, a multiple of the vector; no alignment; lanes is overwritten.
//
// Registers: CX elements left, SI row 0 of a, R8 lda, R9 3·lda (bytes), DX x, DI y;
// Y0-Y3 sums, Y4-Y7 xr, Y8 x, Y9 y, Y10-Y13 elements of a.
// Invariant at loop: SI, DX and DI point at column j, CX = n-j > 0.
// One vector of columns a turn: 8 FMAs take 4 cycles, the latency of the sums.

// func panel64AVX2(n int, a *float64, lda int, x, y *float64, xr *[4]float64, lanes *[32]float64)
TEXT ·panel64AVX2(SB), NOSPLIT, $0-56
	MOVQ n+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ lda+16(FP), R8
	MOVQ x+24(FP), DX
	MOVQ y+32(FP), DI
	MOVQ xr+40(FP), AX
	MOVQ lanes+48(FP), R10
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	VBROADCASTSD (AX), Y4
	VBROADCASTSD 8(AX), Y5
	VBROADCASTSD 16(AX), Y6
	VBROADCASTSD 24(AX), Y7
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3

loop:
	VMOVUPD (DX), Y8
	VMOVUPD (DI), Y9
	VMOVUPD (SI), Y10
	VMOVUPD (SI)(R8*1), Y11
	VMOVUPD (SI)(R8*2), Y12
	VMOVUPD (SI)(R9*1), Y13
	VFMADD231PD Y8, Y10, Y0 // s[0] += a*x
	VFMADD231PD Y4, Y10, Y9
	VFMADD231PD Y8, Y11, Y1 // s[1] += a*x
	VFMADD231PD Y5, Y11, Y9
	VFMADD231PD Y8, Y12, Y2 // s[2] += a*x
	VFMADD231PD Y6, Y12, Y9
	VFMADD231PD Y8, Y13, Y3 // s[3] += a*x
	VFMADD231PD Y7, Y13, Y9
	VMOVUPD Y9, (DI)
	ADDQ $32, SI
	ADDQ $32, DX
	ADDQ $32, DI
	SUBQ $4, CX
	JNZ  loop
	VMOVUPD Y0, (R10)
	VMOVUPD Y1, 32(R10)
	VMOVUPD Y2, 64(R10)
	VMOVUPD Y3, 96(R10)
	VZEROUPPER
	RET

// func panel32AVX2(n int, a *float32, lda int, x, y *float32, xr *[4]float32, lanes *[64]float32)
TEXT ·panel32AVX2(SB), NOSPLIT, $0-56
	MOVQ n+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ lda+16(FP), R8
	MOVQ x+24(FP), DX
	MOVQ y+32(FP), DI
	MOVQ xr+40(FP), AX
	MOVQ lanes+48(FP), R10
	SHLQ $2, R8
	LEAQ (R8)(R8*2), R9
	VBROADCASTSS (AX), Y4
	VBROADCASTSS 4(AX), Y5
	VBROADCASTSS 8(AX), Y6
	VBROADCASTSS 12(AX), Y7
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3

loop:
	VMOVUPS (DX), Y8
	VMOVUPS (DI), Y9
	VMOVUPS (SI), Y10
	VMOVUPS (SI)(R8*1), Y11
	VMOVUPS (SI)(R8*2), Y12
	VMOVUPS (SI)(R9*1), Y13
	VFMADD231PS Y8, Y10, Y0 // s[0] += a*x
	VFMADD231PS Y4, Y10, Y9
	VFMADD231PS Y8, Y11, Y1 // s[1] += a*x
	VFMADD231PS Y5, Y11, Y9
	VFMADD231PS Y8, Y12, Y2 // s[2] += a*x
	VFMADD231PS Y6, Y12, Y9
	VFMADD231PS Y8, Y13, Y3 // s[3] += a*x
	VFMADD231PS Y7, Y13, Y9
	VMOVUPS Y9, (DI)
	ADDQ $32, SI
	ADDQ $32, DX
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ  loop
	VMOVUPS Y0, (R10)
	VMOVUPS Y1, 32(R10)
	VMOVUPS Y2, 64(R10)
	VMOVUPS Y3, 96(R10)
	VZEROUPPER
	RET
