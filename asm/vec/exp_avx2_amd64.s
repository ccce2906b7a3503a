//go:build !noasm

#include "textflag.h"
#include "exp_avx2_amd64.h"

// Eight words of ones, then eight of zeros: tailMask+32-4n begins with n ones.
DATA tailMask<>+0(SB)/8, $-1
DATA tailMask<>+8(SB)/8, $-1
DATA tailMask<>+16(SB)/8, $-1
DATA tailMask<>+24(SB)/8, $-1
DATA tailMask<>+32(SB)/8, $0
DATA tailMask<>+40(SB)/8, $0
DATA tailMask<>+48(SB)/8, $0
DATA tailMask<>+56(SB)/8, $0
GLOBL tailMask<>(SB), RODATA|NOPTR, $64

// Vectors of 32 bytes while CX, the bytes left, suffices, then one under a mask.
#define LOOP(BODY, move, maskmove, keep, clamp, loop, last, end) \
loop: \
	CMPQ CX, $32; \
	JLT  last; \
	move (SI), Y0; \
	BODY(Y0, Y1, Y2, Y3, Y4, Y5, Y7, Y8, keep, clamp); \
	move Y0, (DI); \
	ADDQ $32, SI; \
	ADDQ $32, DI; \
	SUBQ $32, CX; \
	JMP  loop; \
last: \
	TESTQ CX, CX; \
	JEQ   end; \
	LEAQ  tailMask<>+32(SB), AX; \
	SUBQ  CX, AX; \
	VMOVDQU (AX), Y6; \
	maskmove (SI), Y6, Y0; \
	BODY(Y0, Y1, Y2, Y3, Y4, Y5, Y7, Y8, keep, clamp); \
	maskmove Y0, Y6, (DI)

// func exp64U10AVX2(dst, src []float64, hi, lo, cut float64)
//	for i, x := range src { dst[i] = exp(s*x) }     s*log2(e) = hi + lo; 0 beyond cut
//   len(dst) == len(src); dst is src or disjoint from it; any alignment; hi, lo, cut finite, hi not 0
//   SI src, DI dst, CX bytes left; Y9-Y15 constants, Y0-Y5 one vector in work, Y6 mask of the tail
// Invariant at both loops: SI, DI at the first element that is not done.
// Not unrolled: the constants leave registers for one vector; renaming overlaps the iterations.
// Tail: one vector under a mask; a lane is computed alike in both.
TEXT ·exp64U10AVX2(SB), NOSPLIT, $0-72
	MOVQ         dst_base+0(FP), DI
	MOVQ         src_base+24(FP), SI
	MOVQ         src_len+32(FP), CX
	SHLQ         $3, CX
	VBROADCASTSD hi+48(FP), EXP_HI
	VBROADCASTSD lo+56(FP), EXP_LO
	VBROADCASTSD cut+64(FP), EXP_CUT
	EXP64Y_CONSTANTS
	EXP64Y_LIMIT
	MOVQ         hi+48(FP), AX
	TESTQ        AX, AX
	JLT          loopN
	LOOP(EXP64Y, VMOVUPD, VMASKMOVPD, EXP_NLT, VMINPD, loopP, lastP, end)
	JMP          end
	LOOP(EXP64Y, VMOVUPD, VMASKMOVPD, EXP_NGT, VMAXPD, loopN, lastN, end)

end:
	VZEROUPPER
	RET

// func exp32U10AVX2(dst, src []float32, hi, lo, cut float32)
// As exp64U10AVX2.
TEXT ·exp32U10AVX2(SB), NOSPLIT, $0-60
	MOVQ         dst_base+0(FP), DI
	MOVQ         src_base+24(FP), SI
	MOVQ         src_len+32(FP), CX
	SHLQ         $2, CX
	VBROADCASTSS hi+48(FP), EXP_HI
	VBROADCASTSS lo+52(FP), EXP_LO
	VBROADCASTSS cut+56(FP), EXP_CUT
	EXP32Y_CONSTANTS
	EXP32Y_LIMIT
	MOVL         hi+48(FP), AX
	TESTL        AX, AX
	JLT          loopN
	LOOP(EXP32Y, VMOVUPS, VMASKMOVPS, EXP_NLT, VMINPS, loopP, lastP, end)
	JMP          end
	LOOP(EXP32Y, VMOVUPS, VMASKMOVPS, EXP_NGT, VMAXPS, loopN, lastN, end)

end:
	VZEROUPPER
	RET
