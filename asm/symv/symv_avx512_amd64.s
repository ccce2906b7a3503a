//go:build !noasm

#include "textflag.h"

// Kernels of Panel.
//
//   for r < 4, j < n:  lanes[r][j%width] += a[r*lda+j]*x[j];  y[j] += xr[r]*a[r*lda+j]
//
// Preconditions: n > 0; no alignment; lanes is overwritten.
//
// Registers: CX elements left, SI row 0 of a, R8 lda, R9 3·lda (bytes), DX x, DI y;
// Z0-Z3 sums, Z4-Z7 xr, Z8 x, Z9 y, Z10-Z13 elements of a.
// Invariant at loop: SI, DX and DI point at column j, CX = n-j >= one vector.
// One vector of columns a turn: 8 FMAs take 4 cycles, the latency of the sums.
// Tail: the same step under the mask K1.

// func panel64AVX512(n int, a *float64, lda int, x, y *float64, xr *[4]float64, lanes *[32]float64)
TEXT ·panel64AVX512(SB), NOSPLIT, $0-56
	MOVQ n+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ lda+16(FP), R8
	MOVQ x+24(FP), DX
	MOVQ y+32(FP), DI
	MOVQ xr+40(FP), AX
	MOVQ lanes+48(FP), R10
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	VBROADCASTSD (AX), Z4
	VBROADCASTSD 8(AX), Z5
	VBROADCASTSD 16(AX), Z6
	VBROADCASTSD 24(AX), Z7
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	SUBQ $8, CX
	JB   tail

loop:
	VMOVUPD (DX), Z8
	VMOVUPD (DI), Z9
	VMOVUPD (SI), Z10
	VMOVUPD (SI)(R8*1), Z11
	VMOVUPD (SI)(R8*2), Z12
	VMOVUPD (SI)(R9*1), Z13
	VFMADD231PD Z8, Z10, Z0 // s[0] += a*x
	VFMADD231PD Z4, Z10, Z9
	VFMADD231PD Z8, Z11, Z1 // s[1] += a*x
	VFMADD231PD Z5, Z11, Z9
	VFMADD231PD Z8, Z12, Z2 // s[2] += a*x
	VFMADD231PD Z6, Z12, Z9
	VFMADD231PD Z8, Z13, Z3 // s[3] += a*x
	VFMADD231PD Z7, Z13, Z9
	VMOVUPD Z9, (DI)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, DI
	SUBQ $8, CX
	JAE  loop

tail:
	ADDQ  $8, CX
	JZ    done
	MOVL  $1, AX
	SHLL  CX, AX
	DECL  AX
	KMOVW AX, K1
	VMOVUPD.Z (DX), K1, Z8
	VMOVUPD.Z (DI), K1, Z9
	VMOVUPD.Z (SI), K1, Z10
	VMOVUPD.Z (SI)(R8*1), K1, Z11
	VMOVUPD.Z (SI)(R8*2), K1, Z12
	VMOVUPD.Z (SI)(R9*1), K1, Z13
	VFMADD231PD Z8, Z10, Z0 // s[0] += a*x
	VFMADD231PD Z4, Z10, Z9
	VFMADD231PD Z8, Z11, Z1 // s[1] += a*x
	VFMADD231PD Z5, Z11, Z9
	VFMADD231PD Z8, Z12, Z2 // s[2] += a*x
	VFMADD231PD Z6, Z12, Z9
	VFMADD231PD Z8, Z13, Z3 // s[3] += a*x
	VFMADD231PD Z7, Z13, Z9
	VMOVUPD Z9, K1, (DI)

done:
	VMOVUPD Z0, (R10)
	VMOVUPD Z1, 64(R10)
	VMOVUPD Z2, 128(R10)
	VMOVUPD Z3, 192(R10)
	VZEROUPPER
	RET

// func panel32AVX512(n int, a *float32, lda int, x, y *float32, xr *[4]float32, lanes *[64]float32)
TEXT ·panel32AVX512(SB), NOSPLIT, $0-56
	MOVQ n+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ lda+16(FP), R8
	MOVQ x+24(FP), DX
	MOVQ y+32(FP), DI
	MOVQ xr+40(FP), AX
	MOVQ lanes+48(FP), R10
	SHLQ $2, R8
	LEAQ (R8)(R8*2), R9
	VBROADCASTSS (AX), Z4
	VBROADCASTSS 4(AX), Z5
	VBROADCASTSS 8(AX), Z6
	VBROADCASTSS 12(AX), Z7
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	SUBQ $16, CX
	JB   tail

loop:
	VMOVUPS (DX), Z8
	VMOVUPS (DI), Z9
	VMOVUPS (SI), Z10
	VMOVUPS (SI)(R8*1), Z11
	VMOVUPS (SI)(R8*2), Z12
	VMOVUPS (SI)(R9*1), Z13
	VFMADD231PS Z8, Z10, Z0 // s[0] += a*x
	VFMADD231PS Z4, Z10, Z9
	VFMADD231PS Z8, Z11, Z1 // s[1] += a*x
	VFMADD231PS Z5, Z11, Z9
	VFMADD231PS Z8, Z12, Z2 // s[2] += a*x
	VFMADD231PS Z6, Z12, Z9
	VFMADD231PS Z8, Z13, Z3 // s[3] += a*x
	VFMADD231PS Z7, Z13, Z9
	VMOVUPS Z9, (DI)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, DI
	SUBQ $16, CX
	JAE  loop

tail:
	ADDQ  $16, CX
	JZ    done
	MOVL  $1, AX
	SHLL  CX, AX
	DECL  AX
	KMOVW AX, K1
	VMOVUPS.Z (DX), K1, Z8
	VMOVUPS.Z (DI), K1, Z9
	VMOVUPS.Z (SI), K1, Z10
	VMOVUPS.Z (SI)(R8*1), K1, Z11
	VMOVUPS.Z (SI)(R8*2), K1, Z12
	VMOVUPS.Z (SI)(R9*1), K1, Z13
	VFMADD231PS Z8, Z10, Z0 // s[0] += a*x
	VFMADD231PS Z4, Z10, Z9
	VFMADD231PS Z8, Z11, Z1 // s[1] += a*x
	VFMADD231PS Z5, Z11, Z9
	VFMADD231PS Z8, Z12, Z2 // s[2] += a*x
	VFMADD231PS Z6, Z12, Z9
	VFMADD231PS Z8, Z13, Z3 // s[3] += a*x
	VFMADD231PS Z7, Z13, Z9
	VMOVUPS Z9, K1, (DI)

done:
	VMOVUPS Z0, (R10)
	VMOVUPS Z1, 64(R10)
	VMOVUPS Z2, 128(R10)
	VMOVUPS Z3, 192(R10)
	VZEROUPPER
	RET
