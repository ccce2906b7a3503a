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

// func squared64AVX2(dst, x, z []float64, ld int)
//	for i := range dst { s := 0; for j := range x { s += (x[j]-z[i*ld+j])^2 }; dst[i] = s }
//   rows of z hold x: ld >= len(x), or one row; len(x) > 0; dst apart from x and z; any alignment
//   SI row of z, R10 four rows on, R8 ld in bytes, R9 three times that, DX x, CX bytes of x, R11 bytes left of a
//   row, DI dst, BX rows left, R12 bytes of a row in whole vectors; 0-3 sums, 8 x, 9 difference
// Invariant at rows, rest: SI, DI at the first row not done; at the inner loops: SI, R10, DX at its first element.
// 4 rows share the loads of x, and their sums are turned into one vector together, which for few columns is most
// of the work. A single row adds its lanes in the same order: the result of a row does not depend on the others.
// Tail of a row: one vector under a mask.
TEXT ·squared64AVX2(SB), NOSPLIT, $0-80
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), BX
	MOVQ x_base+24(FP), DX
	MOVQ x_len+32(FP), CX
	MOVQ z_base+48(FP), SI
	MOVQ ld+72(FP), R8
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	SHLQ $3, CX
	MOVQ CX, R12
	ANDQ $-32, R12
	MOVQ CX, R13
	SUBQ R12, R13
	LEAQ tailMask<>+32(SB), AX
	SUBQ R13, AX
	VMOVDQU (AX), Y15           // elements of the tail
	SUBQ $4, BX
	JLT  few

rows:
	VXORPD X0, X0, X0
	VXORPD X1, X1, X1
	VXORPD X2, X2, X2
	VXORPD X3, X3, X3
	MOVQ R12, R11
	TESTQ R11, R11
	JEQ  tail

loop:
	VMOVUPD (DX), Y8
	VSUBPD (SI), Y8, Y9
	VFMADD231PD Y9, Y9, Y0
	VSUBPD (SI)(R8*1), Y8, Y9
	VFMADD231PD Y9, Y9, Y1
	VSUBPD (SI)(R8*2), Y8, Y9
	VFMADD231PD Y9, Y9, Y2
	VSUBPD (SI)(R9*1), Y8, Y9
	VFMADD231PD Y9, Y9, Y3
	ADDQ $32, DX
	ADDQ $32, SI
	SUBQ $32, R11
	JNE  loop

tail:
	CMPQ R12, CX
	JEQ  turn
	VMASKMOVPD (DX), Y15, Y8
	VMASKMOVPD (SI), Y15, Y9
	VSUBPD Y9, Y8, Y9
	VFMADD231PD Y9, Y9, Y0
	VMASKMOVPD (SI)(R8*1), Y15, Y9
	VSUBPD Y9, Y8, Y9
	VFMADD231PD Y9, Y9, Y1
	VMASKMOVPD (SI)(R8*2), Y15, Y9
	VSUBPD Y9, Y8, Y9
	VFMADD231PD Y9, Y9, Y2
	VMASKMOVPD (SI)(R9*1), Y15, Y9
	VSUBPD Y9, Y8, Y9
	VFMADD231PD Y9, Y9, Y3

turn:
	VHADDPD Y1, Y0, Y0
	VHADDPD Y3, Y2, Y2
	VPERM2F128 $0x21, Y2, Y0, Y9
	VBLENDPD $0xC, Y2, Y0, Y0
	VADDPD Y9, Y0, Y0
	VMOVUPD Y0, (DI)
	ADDQ $32, DI
	SUBQ R12, DX
	SUBQ R12, SI
	LEAQ (SI)(R8*4), SI
	SUBQ $4, BX
	JGE  rows

few:
	ADDQ $4, BX
	JEQ  end

rest:
	VXORPD X0, X0, X0
	MOVQ R12, R11
	TESTQ R11, R11
	JEQ  tail1

loop1:
	VMOVUPD (DX), Y8
	VSUBPD (SI), Y8, Y9
	VFMADD231PD Y9, Y9, Y0
	ADDQ $32, DX
	ADDQ $32, SI
	SUBQ $32, R11
	JNE  loop1

tail1:
	CMPQ R12, CX
	JEQ  turn1
	VMASKMOVPD (DX), Y15, Y8
	VMASKMOVPD (SI), Y15, Y9
	VSUBPD Y9, Y8, Y9
	VFMADD231PD Y9, Y9, Y0

turn1:
	VHADDPD Y0, Y0, Y0
	VEXTRACTF128 $1, Y0, X9
	VADDSD X9, X0, X0
	VMOVSD X0, (DI)
	ADDQ $8, DI
	SUBQ R12, DX
	SUBQ R12, SI
	ADDQ R8, SI
	DECQ BX
	JNE  rest

end:
	VZEROUPPER
	RET

// func abs64AVX2(dst, x, z []float64, ld int)
//	for i := range dst { s := 0; for j := range x { s += |x[j]-z[i*ld+j]| }; dst[i] = s }
//   rows of z hold x: ld >= len(x), or one row; len(x) > 0; dst apart from x and z; any alignment
//   SI row of z, R10 four rows on, R8 ld in bytes, R9 three times that, DX x, CX bytes of x, R11 bytes left of a
//   row, DI dst, BX rows left, R12 bytes of a row in whole vectors; 0-3 sums, 8 x, 9 difference, 10 |.| mask
// Invariant at rows, rest: SI, DI at the first row not done; at the inner loops: SI, R10, DX at its first element.
// 4 rows share the loads of x, and their sums are turned into one vector together, which for few columns is most
// of the work. A single row adds its lanes in the same order: the result of a row does not depend on the others.
// Tail of a row: one vector under a mask.
TEXT ·abs64AVX2(SB), NOSPLIT, $0-80
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), BX
	MOVQ x_base+24(FP), DX
	MOVQ x_len+32(FP), CX
	MOVQ z_base+48(FP), SI
	MOVQ ld+72(FP), R8
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	SHLQ $3, CX
	MOVQ CX, R12
	ANDQ $-32, R12
	MOVQ CX, R13
	SUBQ R12, R13
	LEAQ tailMask<>+32(SB), AX
	SUBQ R13, AX
	VMOVDQU (AX), Y15           // elements of the tail
	VPCMPEQD Y10, Y10, Y10
	VPSRLQ $1, Y10, Y10
	SUBQ $4, BX
	JLT  few

rows:
	VXORPD X0, X0, X0
	VXORPD X1, X1, X1
	VXORPD X2, X2, X2
	VXORPD X3, X3, X3
	MOVQ R12, R11
	TESTQ R11, R11
	JEQ  tail

loop:
	VMOVUPD (DX), Y8
	VSUBPD (SI), Y8, Y9
	VANDPD Y9, Y10, Y9
	VADDPD Y9, Y0, Y0
	VSUBPD (SI)(R8*1), Y8, Y9
	VANDPD Y9, Y10, Y9
	VADDPD Y9, Y1, Y1
	VSUBPD (SI)(R8*2), Y8, Y9
	VANDPD Y9, Y10, Y9
	VADDPD Y9, Y2, Y2
	VSUBPD (SI)(R9*1), Y8, Y9
	VANDPD Y9, Y10, Y9
	VADDPD Y9, Y3, Y3
	ADDQ $32, DX
	ADDQ $32, SI
	SUBQ $32, R11
	JNE  loop

tail:
	CMPQ R12, CX
	JEQ  turn
	VMASKMOVPD (DX), Y15, Y8
	VMASKMOVPD (SI), Y15, Y9
	VSUBPD Y9, Y8, Y9
	VANDPD Y9, Y10, Y9
	VADDPD Y9, Y0, Y0
	VMASKMOVPD (SI)(R8*1), Y15, Y9
	VSUBPD Y9, Y8, Y9
	VANDPD Y9, Y10, Y9
	VADDPD Y9, Y1, Y1
	VMASKMOVPD (SI)(R8*2), Y15, Y9
	VSUBPD Y9, Y8, Y9
	VANDPD Y9, Y10, Y9
	VADDPD Y9, Y2, Y2
	VMASKMOVPD (SI)(R9*1), Y15, Y9
	VSUBPD Y9, Y8, Y9
	VANDPD Y9, Y10, Y9
	VADDPD Y9, Y3, Y3

turn:
	VHADDPD Y1, Y0, Y0
	VHADDPD Y3, Y2, Y2
	VPERM2F128 $0x21, Y2, Y0, Y9
	VBLENDPD $0xC, Y2, Y0, Y0
	VADDPD Y9, Y0, Y0
	VMOVUPD Y0, (DI)
	ADDQ $32, DI
	SUBQ R12, DX
	SUBQ R12, SI
	LEAQ (SI)(R8*4), SI
	SUBQ $4, BX
	JGE  rows

few:
	ADDQ $4, BX
	JEQ  end

rest:
	VXORPD X0, X0, X0
	MOVQ R12, R11
	TESTQ R11, R11
	JEQ  tail1

loop1:
	VMOVUPD (DX), Y8
	VSUBPD (SI), Y8, Y9
	VANDPD Y9, Y10, Y9
	VADDPD Y9, Y0, Y0
	ADDQ $32, DX
	ADDQ $32, SI
	SUBQ $32, R11
	JNE  loop1

tail1:
	CMPQ R12, CX
	JEQ  turn1
	VMASKMOVPD (DX), Y15, Y8
	VMASKMOVPD (SI), Y15, Y9
	VSUBPD Y9, Y8, Y9
	VANDPD Y9, Y10, Y9
	VADDPD Y9, Y0, Y0

turn1:
	VHADDPD Y0, Y0, Y0
	VEXTRACTF128 $1, Y0, X9
	VADDSD X9, X0, X0
	VMOVSD X0, (DI)
	ADDQ $8, DI
	SUBQ R12, DX
	SUBQ R12, SI
	ADDQ R8, SI
	DECQ BX
	JNE  rest

end:
	VZEROUPPER
	RET

// func squared32AVX2(dst, x, z []float32, ld int)
// As squared64AVX2, 8 rows at a time.
TEXT ·squared32AVX2(SB), NOSPLIT, $0-80
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), BX
	MOVQ x_base+24(FP), DX
	MOVQ x_len+32(FP), CX
	MOVQ z_base+48(FP), SI
	MOVQ ld+72(FP), R8
	SHLQ $2, R8
	LEAQ (R8)(R8*2), R9
	SHLQ $2, CX
	MOVQ CX, R12
	ANDQ $-32, R12
	MOVQ CX, R13
	SUBQ R12, R13
	LEAQ tailMask<>+32(SB), AX
	SUBQ R13, AX
	VMOVDQU (AX), Y15           // elements of the tail
	SUBQ $8, BX
	JLT  few

rows:
	LEAQ (SI)(R8*4), R10
	VXORPD X0, X0, X0
	VXORPD X1, X1, X1
	VXORPD X2, X2, X2
	VXORPD X3, X3, X3
	VXORPD X4, X4, X4
	VXORPD X5, X5, X5
	VXORPD X6, X6, X6
	VXORPD X7, X7, X7
	MOVQ R12, R11
	TESTQ R11, R11
	JEQ  tail

loop:
	VMOVUPS (DX), Y8
	VSUBPS (SI), Y8, Y9
	VFMADD231PS Y9, Y9, Y0
	VSUBPS (SI)(R8*1), Y8, Y9
	VFMADD231PS Y9, Y9, Y1
	VSUBPS (SI)(R8*2), Y8, Y9
	VFMADD231PS Y9, Y9, Y2
	VSUBPS (SI)(R9*1), Y8, Y9
	VFMADD231PS Y9, Y9, Y3
	VSUBPS (R10), Y8, Y9
	VFMADD231PS Y9, Y9, Y4
	VSUBPS (R10)(R8*1), Y8, Y9
	VFMADD231PS Y9, Y9, Y5
	VSUBPS (R10)(R8*2), Y8, Y9
	VFMADD231PS Y9, Y9, Y6
	VSUBPS (R10)(R9*1), Y8, Y9
	VFMADD231PS Y9, Y9, Y7
	ADDQ $32, DX
	ADDQ $32, SI
	ADDQ $32, R10
	SUBQ $32, R11
	JNE  loop

tail:
	CMPQ R12, CX
	JEQ  turn
	VMASKMOVPS (DX), Y15, Y8
	VMASKMOVPS (SI), Y15, Y9
	VSUBPS Y9, Y8, Y9
	VFMADD231PS Y9, Y9, Y0
	VMASKMOVPS (SI)(R8*1), Y15, Y9
	VSUBPS Y9, Y8, Y9
	VFMADD231PS Y9, Y9, Y1
	VMASKMOVPS (SI)(R8*2), Y15, Y9
	VSUBPS Y9, Y8, Y9
	VFMADD231PS Y9, Y9, Y2
	VMASKMOVPS (SI)(R9*1), Y15, Y9
	VSUBPS Y9, Y8, Y9
	VFMADD231PS Y9, Y9, Y3
	VMASKMOVPS (R10), Y15, Y9
	VSUBPS Y9, Y8, Y9
	VFMADD231PS Y9, Y9, Y4
	VMASKMOVPS (R10)(R8*1), Y15, Y9
	VSUBPS Y9, Y8, Y9
	VFMADD231PS Y9, Y9, Y5
	VMASKMOVPS (R10)(R8*2), Y15, Y9
	VSUBPS Y9, Y8, Y9
	VFMADD231PS Y9, Y9, Y6
	VMASKMOVPS (R10)(R9*1), Y15, Y9
	VSUBPS Y9, Y8, Y9
	VFMADD231PS Y9, Y9, Y7

turn:
	VHADDPS Y1, Y0, Y0
	VHADDPS Y3, Y2, Y2
	VHADDPS Y5, Y4, Y4
	VHADDPS Y7, Y6, Y6
	VHADDPS Y2, Y0, Y0
	VHADDPS Y6, Y4, Y4
	VPERM2F128 $0x21, Y4, Y0, Y9
	VBLENDPS $0xF0, Y4, Y0, Y0
	VADDPS Y9, Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, DI
	SUBQ R12, DX
	SUBQ R12, SI
	LEAQ (SI)(R8*8), SI
	SUBQ $8, BX
	JGE  rows

few:
	ADDQ $8, BX
	JEQ  end

rest:
	VXORPD X0, X0, X0
	MOVQ R12, R11
	TESTQ R11, R11
	JEQ  tail1

loop1:
	VMOVUPS (DX), Y8
	VSUBPS (SI), Y8, Y9
	VFMADD231PS Y9, Y9, Y0
	ADDQ $32, DX
	ADDQ $32, SI
	SUBQ $32, R11
	JNE  loop1

tail1:
	CMPQ R12, CX
	JEQ  turn1
	VMASKMOVPS (DX), Y15, Y8
	VMASKMOVPS (SI), Y15, Y9
	VSUBPS Y9, Y8, Y9
	VFMADD231PS Y9, Y9, Y0

turn1:
	VHADDPS Y0, Y0, Y0
	VHADDPS Y0, Y0, Y0
	VEXTRACTF128 $1, Y0, X9
	VADDSS X9, X0, X0
	VMOVSS X0, (DI)
	ADDQ $4, DI
	SUBQ R12, DX
	SUBQ R12, SI
	ADDQ R8, SI
	DECQ BX
	JNE  rest

end:
	VZEROUPPER
	RET

// func abs32AVX2(dst, x, z []float32, ld int)
// As abs64AVX2, 8 rows at a time.
TEXT ·abs32AVX2(SB), NOSPLIT, $0-80
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), BX
	MOVQ x_base+24(FP), DX
	MOVQ x_len+32(FP), CX
	MOVQ z_base+48(FP), SI
	MOVQ ld+72(FP), R8
	SHLQ $2, R8
	LEAQ (R8)(R8*2), R9
	SHLQ $2, CX
	MOVQ CX, R12
	ANDQ $-32, R12
	MOVQ CX, R13
	SUBQ R12, R13
	LEAQ tailMask<>+32(SB), AX
	SUBQ R13, AX
	VMOVDQU (AX), Y15           // elements of the tail
	VPCMPEQD Y10, Y10, Y10
	VPSRLD $1, Y10, Y10
	SUBQ $8, BX
	JLT  few

rows:
	LEAQ (SI)(R8*4), R10
	VXORPD X0, X0, X0
	VXORPD X1, X1, X1
	VXORPD X2, X2, X2
	VXORPD X3, X3, X3
	VXORPD X4, X4, X4
	VXORPD X5, X5, X5
	VXORPD X6, X6, X6
	VXORPD X7, X7, X7
	MOVQ R12, R11
	TESTQ R11, R11
	JEQ  tail

loop:
	VMOVUPS (DX), Y8
	VSUBPS (SI), Y8, Y9
	VANDPS Y9, Y10, Y9
	VADDPS Y9, Y0, Y0
	VSUBPS (SI)(R8*1), Y8, Y9
	VANDPS Y9, Y10, Y9
	VADDPS Y9, Y1, Y1
	VSUBPS (SI)(R8*2), Y8, Y9
	VANDPS Y9, Y10, Y9
	VADDPS Y9, Y2, Y2
	VSUBPS (SI)(R9*1), Y8, Y9
	VANDPS Y9, Y10, Y9
	VADDPS Y9, Y3, Y3
	VSUBPS (R10), Y8, Y9
	VANDPS Y9, Y10, Y9
	VADDPS Y9, Y4, Y4
	VSUBPS (R10)(R8*1), Y8, Y9
	VANDPS Y9, Y10, Y9
	VADDPS Y9, Y5, Y5
	VSUBPS (R10)(R8*2), Y8, Y9
	VANDPS Y9, Y10, Y9
	VADDPS Y9, Y6, Y6
	VSUBPS (R10)(R9*1), Y8, Y9
	VANDPS Y9, Y10, Y9
	VADDPS Y9, Y7, Y7
	ADDQ $32, DX
	ADDQ $32, SI
	ADDQ $32, R10
	SUBQ $32, R11
	JNE  loop

tail:
	CMPQ R12, CX
	JEQ  turn
	VMASKMOVPS (DX), Y15, Y8
	VMASKMOVPS (SI), Y15, Y9
	VSUBPS Y9, Y8, Y9
	VANDPS Y9, Y10, Y9
	VADDPS Y9, Y0, Y0
	VMASKMOVPS (SI)(R8*1), Y15, Y9
	VSUBPS Y9, Y8, Y9
	VANDPS Y9, Y10, Y9
	VADDPS Y9, Y1, Y1
	VMASKMOVPS (SI)(R8*2), Y15, Y9
	VSUBPS Y9, Y8, Y9
	VANDPS Y9, Y10, Y9
	VADDPS Y9, Y2, Y2
	VMASKMOVPS (SI)(R9*1), Y15, Y9
	VSUBPS Y9, Y8, Y9
	VANDPS Y9, Y10, Y9
	VADDPS Y9, Y3, Y3
	VMASKMOVPS (R10), Y15, Y9
	VSUBPS Y9, Y8, Y9
	VANDPS Y9, Y10, Y9
	VADDPS Y9, Y4, Y4
	VMASKMOVPS (R10)(R8*1), Y15, Y9
	VSUBPS Y9, Y8, Y9
	VANDPS Y9, Y10, Y9
	VADDPS Y9, Y5, Y5
	VMASKMOVPS (R10)(R8*2), Y15, Y9
	VSUBPS Y9, Y8, Y9
	VANDPS Y9, Y10, Y9
	VADDPS Y9, Y6, Y6
	VMASKMOVPS (R10)(R9*1), Y15, Y9
	VSUBPS Y9, Y8, Y9
	VANDPS Y9, Y10, Y9
	VADDPS Y9, Y7, Y7

turn:
	VHADDPS Y1, Y0, Y0
	VHADDPS Y3, Y2, Y2
	VHADDPS Y5, Y4, Y4
	VHADDPS Y7, Y6, Y6
	VHADDPS Y2, Y0, Y0
	VHADDPS Y6, Y4, Y4
	VPERM2F128 $0x21, Y4, Y0, Y9
	VBLENDPS $0xF0, Y4, Y0, Y0
	VADDPS Y9, Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, DI
	SUBQ R12, DX
	SUBQ R12, SI
	LEAQ (SI)(R8*8), SI
	SUBQ $8, BX
	JGE  rows

few:
	ADDQ $8, BX
	JEQ  end

rest:
	VXORPD X0, X0, X0
	MOVQ R12, R11
	TESTQ R11, R11
	JEQ  tail1

loop1:
	VMOVUPS (DX), Y8
	VSUBPS (SI), Y8, Y9
	VANDPS Y9, Y10, Y9
	VADDPS Y9, Y0, Y0
	ADDQ $32, DX
	ADDQ $32, SI
	SUBQ $32, R11
	JNE  loop1

tail1:
	CMPQ R12, CX
	JEQ  turn1
	VMASKMOVPS (DX), Y15, Y8
	VMASKMOVPS (SI), Y15, Y9
	VSUBPS Y9, Y8, Y9
	VANDPS Y9, Y10, Y9
	VADDPS Y9, Y0, Y0

turn1:
	VHADDPS Y0, Y0, Y0
	VHADDPS Y0, Y0, Y0
	VEXTRACTF128 $1, Y0, X9
	VADDSS X9, X0, X0
	VMOVSS X0, (DI)
	ADDQ $4, DI
	SUBQ R12, DX
	SUBQ R12, SI
	ADDQ R8, SI
	DECQ BX
	JNE  rest

end:
	VZEROUPPER
	RET
