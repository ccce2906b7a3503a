//go:build !noasm

#include "textflag.h"

// func chooseAVX512(buffer []uint8, choices []Choice)   See chooseAVX2, of which the registers are; Z0 limit, K1 mask, Z3 values.
// Source: see doc.go.
TEXT ·chooseAVX512(SB), NOSPLIT, $0-48
	MOVQ  buffer_base+0(FP), DI
	MOVQ  choices_base+24(FP), SI
	MOVQ  choices_len+32(FP), CX
	TESTQ CX, CX
	JZ    done

loop:
	MOVL         0(SI), R8
	MOVL         4(SI), R9
	MOVL         8(SI), R10
	MOVL         12(SI), R11
	VPBROADCASTB 16(SI), Z0
	VPCMPGTB     0(DI)(R8*1), Z0, K1 // limit > key
	VMOVDQU8     0(DI)(R10*1), Z3
	VMOVDQU8     0(DI)(R9*1), K1, Z3
	VMOVDQU8     Z3, 0(DI)(R11*1)
	ADDQ         $20, SI
	DECQ         CX
	JNZ          loop

done:
	VZEROUPPER
	RET
