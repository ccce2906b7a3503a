//go:build !noasm

#include "textflag.h"

// func packRowsAVX2(k int, x unsafe.Pointer, ps int, dst unsafe.Pointer, w int)
//
//   for p < k: copy(dst[p*w:p*w+w], x[p*ps:])      in bytes; w > 0 a multiple of 16
//
// CX k left, SI row of x, R8 ps, DI dst, DX w, AX bytes done in the row.
// Invariant at row: SI points at row p of x, DI at row p of dst, CX = k-p > 0.
// 32 bytes a time, the last 16 by themselves; nothing is read past the row. Rows
// lie too far apart for the CPU to foresee, so the row eight ahead is prefetched.
TEXT ·packRowsAVX2(SB), NOSPLIT, $0-40
	MOVQ k+0(FP), CX
	MOVQ x+8(FP), SI
	MOVQ ps+16(FP), R8
	MOVQ dst+24(FP), DI
	MOVQ w+32(FP), DX
	CMPQ DX, $192
	JE   row192

row:
	XORQ AX, AX
	MOVQ DX, R9
	SUBQ $32, R9
	JB   last

wide:
	LEAQ       (SI)(AX*1), R10
	PREFETCHT0 (R10)(R8*8)
	VMOVUPD (SI)(AX*1), Y0
	VMOVUPD Y0, (DI)(AX*1)
	ADDQ    $32, AX
	CMPQ    AX, R9
	JLE     wide

last:
	CMPQ    AX, DX
	JE      next
	VMOVUPD (SI)(AX*1), X0
	VMOVUPD X0, (DI)(AX*1)

next:
	ADDQ R8, SI
	ADDQ DX, DI
	DECQ CX
	JNZ  row
	VZEROUPPER
	RET

row192:
	PREFETCHT0 (SI)(R8*8)
	PREFETCHT0 64(SI)(R8*8)
	PREFETCHT0 128(SI)(R8*8)
	VMOVUPD (SI), Y0
	VMOVUPD 32(SI), Y1
	VMOVUPD 64(SI), Y2
	VMOVUPD 96(SI), Y3
	VMOVUPD 128(SI), Y4
	VMOVUPD 160(SI), Y5
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VMOVUPD Y4, 128(DI)
	VMOVUPD Y5, 160(DI)
	ADDQ    R8, SI
	ADDQ    $192, DI
	DECQ    CX
	JNZ     row192
	VZEROUPPER
	RET

// func packTransposed64AVX2(k int, x *float64, is int, dst *float64, w int)
//
//   for p < k, i < 4: dst[p*w+i] = x[i*is+p]       k > 0 a multiple of 4
//
// CX k left, SI x, R8 is, R9 3·is, DI dst, DX w, R10 3·w; strides in bytes.
// Invariant at loop: SI points at column p of x, DI at row p of dst, CX = k-p.
// A 4×4 transposition a step: the halves are joined while loading, so that
// four shuffles are left.
TEXT ·packTransposed64AVX2(SB), NOSPLIT, $0-40
	MOVQ k+0(FP), CX
	MOVQ x+8(FP), SI
	MOVQ is+16(FP), R8
	MOVQ dst+24(FP), DI
	MOVQ w+32(FP), DX
	SHLQ $3, R8
	SHLQ $3, DX
	LEAQ (R8)(R8*2), R9
	LEAQ (DX)(DX*2), R10

loop:
	VMOVUPD     (SI), X0
	VMOVUPD     (SI)(R8*1), X1
	VMOVUPD     16(SI), X2
	VMOVUPD     16(SI)(R8*1), X3
	VINSERTF128 $1, (SI)(R8*2), Y0, Y0   // x00 x01 x20 x21
	VINSERTF128 $1, (SI)(R9*1), Y1, Y1   // x10 x11 x30 x31
	VINSERTF128 $1, 16(SI)(R8*2), Y2, Y2
	VINSERTF128 $1, 16(SI)(R9*1), Y3, Y3
	VUNPCKLPD   Y1, Y0, Y4               // x00 x10 x20 x30
	VUNPCKHPD   Y1, Y0, Y5
	VUNPCKLPD   Y3, Y2, Y6
	VUNPCKHPD   Y3, Y2, Y7
	VMOVUPD     Y4, (DI)
	VMOVUPD     Y5, (DI)(DX*1)
	VMOVUPD     Y6, (DI)(DX*2)
	VMOVUPD     Y7, (DI)(R10*1)
	ADDQ        $32, SI
	LEAQ        (DI)(DX*4), DI
	SUBQ        $4, CX
	JNZ         loop
	VZEROUPPER
	RET

// func packTransposed32AVX2(k int, x *float32, is int, dst *float32, w int)
//
//   for p < k, i < 4: dst[p*w+i] = x[i*is+p]       k > 0 a multiple of 4
//
// Registers as above. A 4×4 transposition a step.
TEXT ·packTransposed32AVX2(SB), NOSPLIT, $0-40
	MOVQ k+0(FP), CX
	MOVQ x+8(FP), SI
	MOVQ is+16(FP), R8
	MOVQ dst+24(FP), DI
	MOVQ w+32(FP), DX
	SHLQ $2, R8
	SHLQ $2, DX
	LEAQ (R8)(R8*2), R9
	LEAQ (DX)(DX*2), R10

loop:
	VMOVUPS   (SI), X0
	VMOVUPS   (SI)(R8*1), X1
	VMOVUPS   (SI)(R8*2), X2
	VMOVUPS   (SI)(R9*1), X3
	VUNPCKLPS X1, X0, X4     // x00 x10 x01 x11
	VUNPCKHPS X1, X0, X5     // x02 x12 x03 x13
	VUNPCKLPS X3, X2, X6     // x20 x30 x21 x31
	VUNPCKHPS X3, X2, X7
	VUNPCKLPD X6, X4, X0     // x00 x10 x20 x30
	VUNPCKHPD X6, X4, X1
	VUNPCKLPD X7, X5, X2
	VUNPCKHPD X7, X5, X3
	VMOVUPS   X0, (DI)
	VMOVUPS   X1, (DI)(DX*1)
	VMOVUPS   X2, (DI)(DX*2)
	VMOVUPS   X3, (DI)(R10*1)
	ADDQ      $16, SI
	LEAQ      (DI)(DX*4), DI
	SUBQ      $4, CX
	JNZ       loop
	VZEROUPPER
	RET
