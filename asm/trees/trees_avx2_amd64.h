// What the routines do; their entries are in the table of asm/gen. Nothing reads or writes past the last element. Source: see doc.go.

#define V0 Y0

// Counts how many of the 16 numbers at at the number in Y0 exceeds. Masks are made narrower to two bytes for each of the
// numbers. Y1-Y4 are free.
#define COUNT64(at, first, count) \
	VCMPPD     $0x1e, (8*first)at, Y0, Y1; \ // greater, not if one is NaN
	VCMPPD     $0x1e, (8*first+32)at, Y0, Y2; \
	VCMPPD     $0x1e, (8*first+64)at, Y0, Y3; \
	VCMPPD     $0x1e, (8*first+96)at, Y0, Y4; \
	VPACKSSDW  Y2, Y1, Y1; \
	VPACKSSDW  Y4, Y3, Y3; \
	VPACKSSWB  Y3, Y1, Y1; \
	VPMOVMSKB  Y1, count; \
	POPCNTL    count, count; \
	SHRL       $1, count

#define COUNT32(at, first, count) \
	VCMPPS     $0x1e, (4*first)at, Y0, Y1; \
	VCMPPS     $0x1e, (4*first+32)at, Y0, Y2; \
	VPACKSSDW  Y2, Y1, Y1; \
	VPMOVMSKB  Y1, count; \
	POPCNTL    count, count; \
	SHRL       $1, count

#include "ranks_amd64.h"

// Adds the values of the leaves of four or eight rows, row first and following. R9 values of the tree; Y1-Y3 are free.
#define ADD4(first) \
	VPMOVZXBD  (first)(SI), X1; \
	VPCMPEQD   Y2, Y2, Y2; \
	VGATHERDPD Y2, (R9)(X1*8), Y3; \
	VADDPD     (8*(first))(DI), Y3, Y3; \
	VMOVUPD    Y3, (8*(first))(DI)
#define ADD8(first) \
	VPMOVZXBD  (first)(SI), Y1; \
	VPCMPEQD   Y2, Y2, Y2; \
	VGATHERDPS Y2, (R9)(Y1*4), Y3; \
	VADDPS     (4*(first))(DI), Y3, Y3; \
	VMOVUPS    Y3, (4*(first))(DI)
#define ADD16(first) ADD4(first); ADD4(first+4); ADD4(first+8); ADD4(first+12)
#define ADD64ROWS64 ADD16(0); ADD16(16); ADD16(32); ADD16(48)
#define ADD64ROWS32 ADD8(0); ADD8(8); ADD8(16); ADD8(24); ADD8(32); ADD8(40); ADD8(48); ADD8(56)

// The values of leaves.
//	for t := 0; t < len(starts); t += step { for i := range 64 { sums[i] += value[starts[t]+leaves[64*t+i]] } }
//   step >= 1, and value has all these elements; any alignment
//   DI sums, SI leaves, R8 value, BX start, CX trees left, DX step; R9 values of the tree
// Invariant at loop: SI and BX point at the first tree that is not added, CX >= 1. No tail.
// Unroll: the 64 rows, whose sums stay in the first cache.
#define ADDLOOP \
	TESTQ CX, CX; \
	JLE   done; \
loop: \
	MOVL  (BX), AX; \
	LEAQ  (R8)(AX*SIZE), R9; \
	ADD64; \
	LEAQ  (BX)(DX*4), BX; \
	MOVQ  DX, AX; \
	SHLQ  $6, AX; \
	ADDQ  AX, SI; \
	SUBQ  DX, CX; \
	JGT   loop; \
done:

// Where each split of a tree leads: Y0 has the keys of the splits.
#define LEAD \
	VPCMPGTB  32(SI), Y0, Y0; \
	VMOVDQU   64(SI), Y1; \
	VPBLENDVB Y0, 96(SI), Y1, Y1; \
	VMOVDQU   Y1, (DI); \
	ADDQ      $128, SI; \
	ADDQ      $64, DI

// The leaves of a row: first where each split leads, then steps from the roots.
//	for t, s := range splits { for i := range 32 {
//		places[64*t+i] = s.Low[i], or s.High[i] if int8(keys[s.Key[i]]) > s.Limit[i] } }
//	for t := range splits { at := 0; for range steps[t/8] { at = places[64*t+at] }; leaves[t] = at }
//   len(splits) a multiple of 8, len(keys) one of 16, all steps >= 1; places are 64 for a tree and less than 64; any alignment
//   R10 leaves, DI places, R8 keys, R9 their number, SI split, CX trees left, R11 steps; then AX, BX, DX, R8, R9,
//   R12-R14 the places that have been reached, CX steps left, SI eights of trees left
//   Y5 16 keys, Y6 112, Y7 16
// Invariant at one and many: SI and DI point at the first tree that is not done, CX >= 1; at eight: DI, R10 and R11 at the first
// of SI eights.
// Unroll: eight trees, whose loads do not wait for one another. A shuffle knows 16 keys and gives 0 for numbers of others, made
// at least 128 by saturation, so that several are joined by or.
#define DESCEND \
	TESTQ CX, CX; \
	JZ    done; \
	MOVQ  CX, BX; \
	MOVQ  DI, DX; \
	CMPQ  R9, $16; \
	JNE   several; \
	VBROADCASTI128 (R8), Y5; \
one: \
	VMOVDQU 0(SI), Y0; \
	VPSHUFB Y0, Y5, Y0; \
	LEAD; \
	DECQ    CX; \
	JNZ     one; \
	JMP     lead; \
several: \
	VPBROADCASTQ least<>(SB), Y6; \
	VPBROADCASTQ sixteen<>(SB), Y7; \
many: \
	VMOVDQU 0(SI), Y1; \
	VPXOR   Y0, Y0, Y0; \
	XORL    R12, R12; \
more: \
	VPADDUSB       Y6, Y1, Y2; \
	VBROADCASTI128 (R8)(R12*1), Y5; \
	VPSHUFB        Y2, Y5, Y2; \
	VPOR           Y2, Y0, Y0; \
	VPSUBB         Y7, Y1, Y1; \
	ADDQ           $16, R12; \
	CMPQ           R12, R9; \
	JLT            more; \
	LEAD; \
	DECQ           CX; \
	JNZ            many; \
lead: \
	MOVQ DX, DI; \
	MOVQ BX, SI; \
	SHRQ $3, SI; \
eight: \
	MOVL (R11), CX; \
	XORL AX, AX; \
	XORL BX, BX; \
	XORL DX, DX; \
	XORL R8, R8; \
	XORL R9, R9; \
	XORL R12, R12; \
	XORL R13, R13; \
	XORL R14, R14; \
step: \
	MOVBLZX 0(DI)(AX*1), AX; \
	MOVBLZX 64(DI)(BX*1), BX; \
	MOVBLZX 128(DI)(DX*1), DX; \
	MOVBLZX 192(DI)(R8*1), R8; \
	MOVBLZX 256(DI)(R9*1), R9; \
	MOVBLZX 320(DI)(R12*1), R12; \
	MOVBLZX 384(DI)(R13*1), R13; \
	MOVBLZX 448(DI)(R14*1), R14; \
	DECL    CX; \
	JNZ     step; \
	MOVB AX, 0(R10); \
	MOVB BX, 1(R10); \
	MOVB DX, 2(R10); \
	MOVB R8, 3(R10); \
	MOVB R9, 4(R10); \
	MOVB R12, 5(R10); \
	MOVB R13, 6(R10); \
	MOVB R14, 7(R10); \
	ADDQ $512, DI; \
	ADDQ $8, R10; \
	ADDQ $4, R11; \
	DECQ SI; \
	JNZ  eight; \
done:
