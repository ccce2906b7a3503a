//go:build !noasm

#include "textflag.h"

// func chooseAVX2(buffer []uint8, choices []Choice)
//	for _, c := range choices { for i := range 64 {
//		if int8(buffer[c.Key+i]) < c.Limit { buffer[c.To+i] = buffer[c.Low+i] } else { buffer[c.To+i] = buffer[c.High+i] } } }
//   the lines of the choices lie in buffer; any alignment
//   DI buffer, SI choice, CX choices left; R8 key, R9 low, R10 high, R11 to; Y0 limit, Y1, Y2 masks, Y3, Y4 values
// Invariant at loop: SI points at the first choice that is not made, CX >= 1.
// Unroll: the 64 bytes of a line, so that the five loads of a choice are shared by two vectors. No tail.
// Source: see doc.go.
TEXT ·chooseAVX2(SB), NOSPLIT, $0-48
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
	VPBROADCASTB 16(SI), Y0
	VPCMPGTB     0(DI)(R8*1), Y0, Y1  // limit > key
	VPCMPGTB     32(DI)(R8*1), Y0, Y2
	VMOVDQU      0(DI)(R10*1), Y3
	VMOVDQU      32(DI)(R10*1), Y4
	VPBLENDVB    Y1, 0(DI)(R9*1), Y3, Y3
	VPBLENDVB    Y2, 32(DI)(R9*1), Y4, Y4
	VMOVDQU      Y3, 0(DI)(R11*1)
	VMOVDQU      Y4, 32(DI)(R11*1)
	ADDQ         $20, SI
	DECQ         CX
	JNZ          loop

done:
	VZEROUPPER
	RET

// One step: CF says whether the key of the node n exceeds its largest key of the left child. AX, BX are free.
#define STEP(n) \
	MOVWLZX n, AX; \
	RORXL   $16, n, BX; \
	SHRQ    $32, n; \
	CMPB    BX, (DI)(AX*1); \
	ADCQ    $0, n; \
	MOVQ    (SI)(n*8), n

#define START(w, n) \
	MOVQ (8*w)(DX), n; \
	MOVQ (SI)(n*8), n

#define END(w, n) \
	SHRQ $32, n; \
	MOVQ n, (8*w)(DX)

// func walkAVX2(nodes []uint64, keys *[Keys]uint8, at *[Walks]uint64, steps int)
//	for w := range at { n := nodes[at[w]]
//		for range steps { n = nodes[n>>32 + (1 if keys[uint16(n)] > uint8(n>>16))] }
//		at[w] = n>>32 }
//   at and all children are less than len(nodes)
//   SI nodes, DI keys, DX at, CX steps left; R8-R15 the nodes that have been reached
// Unroll: eight trees, whose loads of the next nodes do not wait for one another.
// Source: see doc.go.
TEXT ·walkAVX2(SB), NOSPLIT, $0-48
	MOVQ nodes_base+0(FP), SI
	MOVQ keys+24(FP), DI
	MOVQ at+32(FP), DX
	MOVQ steps+40(FP), CX
	START(0, R8)
	START(1, R9)
	START(2, R10)
	START(3, R11)
	START(4, R12)
	START(5, R13)
	START(6, R14)
	START(7, R15)
	TESTQ CX, CX
	JLE   end

step:
	STEP(R8)
	STEP(R9)
	STEP(R10)
	STEP(R11)
	STEP(R12)
	STEP(R13)
	STEP(R14)
	STEP(R15)
	DECQ CX
	JNZ  step

end:
	END(0, R8)
	END(1, R9)
	END(2, R10)
	END(3, R11)
	END(4, R12)
	END(5, R13)
	END(6, R14)
	END(7, R15)
	RET
