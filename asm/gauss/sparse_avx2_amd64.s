//go:build !noasm

#include "textflag.h"

// Dot for one sparse row: the nonzeros val[i] of columns col[i] against the
// columns at[i] of panels of z. A chunk's sums are added to the total when the
// first column of another chunk comes.

// Registers: DI dst, BX z, R9 panel distance in bytes, R8 panels left, SI val,
// R12 at, R13 col, CX nonzeros, AX place, DX column, R10 end of the chunk.
// Y0–Y3 sums of the chunk, Y4–Y7 totals.

// func sparse64AVX2(dst, z *float64, stride, panels int, val *float64, at, col *int32, n int)
TEXT ·sparse64AVX2(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ z+8(FP), BX
	MOVQ stride+16(FP), R9
	MOVQ panels+24(FP), R8
	MOVQ val+32(FP), SI
	MOVQ at+40(FP), R12
	MOVQ col+48(FP), R13
	MOVQ n+56(FP), CX

panel:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	MOVQ $128, R10
	XORQ AX, AX

next:
	CMPQ AX, CX
	JGE  put
	MOVLQSX (R13)(AX*4), DX
	CMPQ DX, R10
	JLT  in
	VADDPD Y0, Y4, Y4
	VADDPD Y1, Y5, Y5
	VADDPD Y2, Y6, Y6
	VADDPD Y3, Y7, Y7
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	MOVQ DX, R10
	ANDQ $~127, R10
	ADDQ $128, R10

in:
	MOVLQSX (R12)(AX*4), DX
	SHLQ $7, DX
	VBROADCASTSD (SI)(AX*8), Y8
	VFMADD231PD (BX)(DX*1), Y8, Y0
	VFMADD231PD 32(BX)(DX*1), Y8, Y1
	VFMADD231PD 64(BX)(DX*1), Y8, Y2
	VFMADD231PD 96(BX)(DX*1), Y8, Y3
	INCQ AX
	JMP  next

put:
	VADDPD Y0, Y4, Y4
	VADDPD Y1, Y5, Y5
	VADDPD Y2, Y6, Y6
	VADDPD Y3, Y7, Y7
	VMOVUPD Y4, (DI)
	VMOVUPD Y5, 32(DI)
	VMOVUPD Y6, 64(DI)
	VMOVUPD Y7, 96(DI)
	ADDQ $128, DI
	ADDQ R9, BX
	DECQ R8
	JNZ  panel
	VZEROUPPER
	RET

// func sparse32AVX2(dst, z *float32, stride, panels int, val *float32, at, col *int32, n int)
TEXT ·sparse32AVX2(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ z+8(FP), BX
	MOVQ stride+16(FP), R9
	MOVQ panels+24(FP), R8
	MOVQ val+32(FP), SI
	MOVQ at+40(FP), R12
	MOVQ col+48(FP), R13
	MOVQ n+56(FP), CX

panel:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	MOVQ $64, R10
	XORQ AX, AX

next:
	CMPQ AX, CX
	JGE  put
	MOVLQSX (R13)(AX*4), DX
	CMPQ DX, R10
	JLT  in
	VADDPS Y0, Y4, Y4
	VADDPS Y1, Y5, Y5
	VADDPS Y2, Y6, Y6
	VADDPS Y3, Y7, Y7
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	MOVQ DX, R10
	ANDQ $~63, R10
	ADDQ $64, R10

in:
	MOVLQSX (R12)(AX*4), DX
	SHLQ $7, DX
	VBROADCASTSS (SI)(AX*4), Y8
	VFMADD231PS (BX)(DX*1), Y8, Y0
	VFMADD231PS 32(BX)(DX*1), Y8, Y1
	VFMADD231PS 64(BX)(DX*1), Y8, Y2
	VFMADD231PS 96(BX)(DX*1), Y8, Y3
	INCQ AX
	JMP  next

put:
	VADDPS Y0, Y4, Y4
	VADDPS Y1, Y5, Y5
	VADDPS Y2, Y6, Y6
	VADDPS Y3, Y7, Y7
	VMOVUPS Y4, (DI)
	VMOVUPS Y5, 32(DI)
	VMOVUPS Y6, 64(DI)
	VMOVUPS Y7, 96(DI)
	ADDQ $128, DI
	ADDQ R9, BX
	DECQ R8
	JNZ  panel
	VZEROUPPER
	RET
