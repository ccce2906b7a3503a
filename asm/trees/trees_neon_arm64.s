//go:build !noasm

#include "textflag.h"

// One vector of a choice: with the highest bits turned, signed numbers have the order of unsigned ones, and
// key >= limit where the larger of both is key.
#define CHOOSE(key, low, high) \
	VEOR  V31.B16, key.B16, key.B16; \
	VUMAX V30.B16, key.B16, V29.B16; \
	VCMEQ V29.B16, key.B16, V29.B16; \
	VBIT  V29.B16, high.B16, low.B16

// func chooseNEON(buffer []uint8, choices []Choice)
//	for _, c := range choices { for i := range 64 {
//		if int8(buffer[c.Key+i]) < c.Limit { buffer[c.To+i] = buffer[c.Low+i] } else { buffer[c.To+i] = buffer[c.High+i] } } }
//   the lines of the choices lie in buffer; any alignment
//   R0 buffer, R1 choice, R2 choices left; R3 key, R4 low, R5 high, R6 to; V0-V3 keys, V4-V7 low, V16-V19 high,
//   V29 mask, V30 limit, V31 the highest bit of each byte
// Invariant at loop: R1 points at the first choice that is not made, R2 >= 1. No tail.
// Source: see doc.go.
TEXT ·chooseNEON(SB), NOSPLIT, $0-48
	MOVD  buffer_base+0(FP), R0
	MOVD  choices_base+24(FP), R1
	MOVD  choices_len+32(FP), R2
	VMOVI $0x80, V31.B16
	CBZ   R2, done

loop:
	MOVWU 0(R1), R3
	MOVWU 4(R1), R4
	MOVWU 8(R1), R5
	MOVWU 12(R1), R6
	MOVWU 16(R1), R7
	ADD   R0, R3
	ADD   R0, R4
	ADD   R0, R5
	ADD   R0, R6
	VLD1  (R3), [V0.B16, V1.B16, V2.B16, V3.B16]
	VLD1  (R4), [V4.B16, V5.B16, V6.B16, V7.B16]
	VLD1  (R5), [V16.B16, V17.B16, V18.B16, V19.B16]
	VDUP  R7, V30.B16
	VEOR  V31.B16, V30.B16, V30.B16
	CHOOSE(V0, V4, V16)
	CHOOSE(V1, V5, V17)
	CHOOSE(V2, V6, V18)
	CHOOSE(V3, V7, V19)
	VST1  [V4.B16, V5.B16, V6.B16, V7.B16], (R6)
	ADD   $20, R1
	SUB   $1, R2
	CBNZ  R2, loop

done:
	RET

// One step: HI says that the key of the node n exceeds its largest key of the left child.
#define WALKSTEP(n, key, limit) \
	MOVHU n, key; \
	MOVBU (R1)(key), key; \
	UBFX  $16, n, $8, limit; \
	LSR   $32, n; \
	CMP   limit, key; \
	CINC  HI, n, n; \
	MOVD  (R0)(n<<3), n

#define WALKSTART(w, n) \
	MOVD (8*w)(R2), n; \
	MOVD (R0)(n<<3), n

#define WALKEND(w, n) \
	LSR  $32, n; \
	MOVD n, (8*w)(R2)

// func walkNEON(nodes []uint64, keys *[Keys]uint8, at *[Walks]uint64, steps int)
//	for w := range at { n := nodes[at[w]]
//		for range steps { n = nodes[n>>32 + (1 if keys[uint16(n)] > uint8(n>>16))] }
//		at[w] = n>>32 }
//   at and all children are less than len(nodes)
//   R0 nodes, R1 keys, R2 at, R3 steps left; R8-R15 the nodes that have been reached, R4-R7 keys and limits
// Unroll: eight trees, whose loads of the next nodes do not wait for one another.
// Source: see doc.go.
TEXT ·walkNEON(SB), NOSPLIT, $0-48
	MOVD nodes_base+0(FP), R0
	MOVD keys+24(FP), R1
	MOVD at+32(FP), R2
	MOVD steps+40(FP), R3
	WALKSTART(0, R8)
	WALKSTART(1, R9)
	WALKSTART(2, R10)
	WALKSTART(3, R11)
	WALKSTART(4, R12)
	WALKSTART(5, R13)
	WALKSTART(6, R14)
	WALKSTART(7, R15)
	CMP  $0, R3
	BLE  end

step:
	WALKSTEP(R8, R4, R5)
	WALKSTEP(R9, R6, R7)
	WALKSTEP(R10, R4, R5)
	WALKSTEP(R11, R6, R7)
	WALKSTEP(R12, R4, R5)
	WALKSTEP(R13, R6, R7)
	WALKSTEP(R14, R4, R5)
	WALKSTEP(R15, R6, R7)
	SUBS $1, R3, R3
	BNE  step

end:
	WALKEND(0, R8)
	WALKEND(1, R9)
	WALKEND(2, R10)
	WALKEND(3, R11)
	WALKEND(4, R12)
	WALKEND(5, R13)
	WALKEND(6, R14)
	WALKEND(7, R15)
	RET
