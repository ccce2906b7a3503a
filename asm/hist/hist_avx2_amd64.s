//go:build !noasm

#include "textflag.h"

// SI rows, DI words, CX rows left, AX row, BX bin, X0 its word; R8-R11 histograms, R12, R13, DX, R14 codes.
#define ARGS \
	MOVQ h+0(FP), BX; \
	MOVQ code+8(FP), AX; \
	MOVQ rows_base+16(FP), SI; \
	MOVQ rows_len+24(FP), CX; \
	MOVQ v_base+40(FP), DI

// Column number of the arrays of slices: its histogram and its codes.
#define COLUMN(number, h, c) \
	MOVQ (24*number)(BX), h; \
	MOVQ (24*number)(AX), c

#define STEP(h, c) \
	MOVBLZX (c)(AX*1), BX; \
	SHLQ    $4, BX; \
	VPADDQ  (h)(BX*1), X0, X1; \
	VMOVDQU X1, (h)(BX*1)

#define STEPS1 STEP(R8, R12)
#define STEPS2 \
	STEPS1; \
	STEP(R9, R13)
#define STEPS3 \
	STEPS2; \
	STEP(R10, DX)
#define STEPS4 \
	STEPS3; \
	STEP(R11, R14)

// The loop of Add:
//	for p, i := range rows { for c := range k { h[c][code[c][i]] += v[p] } }
//   every rows[p] below the length of each code, every code below the length of its histogram; any alignment
// Invariant at loop: SI and DI are at the first row not done, of which CX are left. No tail: one row at a time.
// Unroll: the columns of a row are independent.
// Source: see doc.go.
#define LOOP(steps) \
	TESTQ CX, CX; \
	JEQ   done; \
loop: \
	MOVLQSX (SI), AX; \
	VMOVDQU (DI), X0; \
	ADDQ    $4, SI; \
	ADDQ    $16, DI; \
	steps; \
	DECQ CX; \
	JNE  loop; \
done:

// func add1AVX2(h *[Most][]Cell, code *[Most][]uint8, rows []int32, v []Cell)   one column; see LOOP
TEXT ·add1AVX2(SB), NOSPLIT, $0-64
	ARGS
	COLUMN(0, R8, R12)
	LOOP(STEPS1)
	VZEROUPPER
	RET

// func add2AVX2(h *[Most][]Cell, code *[Most][]uint8, rows []int32, v []Cell)   two columns; see LOOP
TEXT ·add2AVX2(SB), NOSPLIT, $0-64
	ARGS
	COLUMN(0, R8, R12)
	COLUMN(1, R9, R13)
	LOOP(STEPS2)
	VZEROUPPER
	RET

// func add3AVX2(h *[Most][]Cell, code *[Most][]uint8, rows []int32, v []Cell)   three columns; see LOOP
TEXT ·add3AVX2(SB), NOSPLIT, $0-64
	ARGS
	COLUMN(0, R8, R12)
	COLUMN(1, R9, R13)
	COLUMN(2, R10, DX)
	LOOP(STEPS3)
	VZEROUPPER
	RET

// func add4AVX2(h *[Most][]Cell, code *[Most][]uint8, rows []int32, v []Cell)   four columns; see LOOP
TEXT ·add4AVX2(SB), NOSPLIT, $0-64
	ARGS
	COLUMN(0, R8, R12)
	COLUMN(1, R9, R13)
	COLUMN(2, R10, DX)
	COLUMN(3, R11, R14)
	LOOP(STEPS4)
	VZEROUPPER
	RET

// func addListsAVX2(h []Cell, bin []uint32, start []int, rows []int32, v []Cell)
//	for p, i := range rows { for _, b := range bin[start[i]:start[i+1]] { h[b] += v[p] } }
//   every rows[p] below len(start)-1, every bin below len(h); any alignment
//   R8 h, R9 bin, R10 start, SI rows, DI words, CX rows left, AX row, DX and R11 the next and the end of its
//   list, BX bin, X0 word
// Invariant at row: SI and DI are at the first row not done, of which CX are left; at list: DX < R11.
// Unroll: none, as the bins of a list are different and so independent. No tail.
// Source: see doc.go.
TEXT ·addListsAVX2(SB), NOSPLIT, $0-120
	MOVQ  h_base+0(FP), R8
	MOVQ  bin_base+24(FP), R9
	MOVQ  start_base+48(FP), R10
	MOVQ  rows_base+72(FP), SI
	MOVQ  rows_len+80(FP), CX
	MOVQ  v_base+96(FP), DI
	TESTQ CX, CX
	JEQ   done

row:
	MOVLQSX (SI), AX
	VMOVDQU (DI), X0
	ADDQ    $4, SI
	ADDQ    $16, DI
	MOVQ    (R10)(AX*8), DX
	MOVQ    8(R10)(AX*8), R11
	CMPQ    DX, R11
	JGE     next

list:
	MOVL    (R9)(DX*4), BX
	SHLQ    $4, BX
	VPADDQ  (R8)(BX*1), X0, X1
	VMOVDQU X1, (R8)(BX*1)
	INCQ    DX
	CMPQ    DX, R11
	JLT     list

next:
	DECQ CX
	JNE  row

done:
	VZEROUPPER
	RET
