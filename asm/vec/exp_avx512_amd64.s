//go:build !noasm

#include "textflag.h"
#include "exp_avx512_amd64.h"

// Vectors of 64 bytes while CX, the elements left, suffice, then one under a
// mask. n is the number of elements in a vector, n3 in three.
#define LOOP(BODY, load, n, n3, keep, near, loop, one, last, end) \
loop: \
	CMPQ CX, n3; \
	JLT  one; \
	load 0(SI), Z0; \
	load 64(SI), Z5; \
	load 128(SI), Z10; \
	BODY(Z0, Z1, Z2, Z3, Z4, K1, K5, keep, near); \
	BODY(Z5, Z6, Z7, Z8, Z9, K2, K6, keep, near); \
	BODY(Z10, Z11, Z12, Z13, Z14, K3, K7, keep, near); \
	load Z0, 0(DI); \
	load Z5, 64(DI); \
	load Z10, 128(DI); \
	ADDQ $192, SI; \
	ADDQ $192, DI; \
	SUBQ n3, CX; \
	JMP  loop; \
one: \
	CMPQ CX, n; \
	JLT  last; \
	load 0(SI), Z0; \
	BODY(Z0, Z1, Z2, Z3, Z4, K1, K5, keep, near); \
	load Z0, 0(DI); \
	ADDQ $64, SI; \
	ADDQ $64, DI; \
	SUBQ n, CX; \
	JMP  one; \
last: \
	MOVQ  $-1, AX; \
	BZHIQ CX, AX, AX; \
	JEQ   end; \
	KMOVQ AX, K4; \
	load.Z 0(SI), K4, Z0; \
	BODY(Z0, Z1, Z2, Z3, Z4, K1, K5, keep, near); \
	load  Z0, K4, 0(DI)

// func exp64U10AVX512(dst, src []float64, hi, lo, cut float64)
//	for i, x := range src { dst[i] = exp(s*x) }     s*log2(e) = hi + lo; 0 beyond cut
//   len(dst) == len(src); dst is src or disjoint from it; any alignment; hi, lo, cut finite, hi not 0
//   SI src, DI dst, CX elements left; Z17-Z31 constants, Z0-Z14 three vectors in work, K1-K3 kept lanes
// Invariant at both loops: SI, DI at the first element that is not done.
// Unroll 3 vectors: what the registers hold. Tail: single vectors, the last one under a mask; a lane is
// computed alike in all three.
TEXT ·exp64U10AVX512(SB), NOSPLIT, $0-72
	MOVQ         dst_base+0(FP), DI
	MOVQ         src_base+24(FP), SI
	MOVQ         src_len+32(FP), CX
	VBROADCASTSD hi+48(FP), EXP_HI
	VBROADCASTSD lo+56(FP), EXP_LO
	VBROADCASTSD cut+64(FP), EXP_CUT
	EXP64Z_CONSTANTS
	MOVQ         hi+48(FP), AX
	VPXORQ       EXP_LIMIT, EXP_LIMIT, EXP_LIMIT
	VSUBPD       EXP_CUT, EXP_LIMIT, EXP_LIMIT
	VADDPD       EXP_LIMIT, EXP_LIMIT, EXP_LIMIT // -2*cut
	TESTQ        AX, AX
	JLT          loopN
	LOOP(EXP64Z, VMOVUPD, $8, $24, EXP_NLT, EXP_NGE, loopP, oneP, lastP, end)
	JMP          end
	LOOP(EXP64Z, VMOVUPD, $8, $24, EXP_NGT, EXP_NLE, loopN, oneN, lastN, end)

end:
	VZEROUPPER
	RET

// func exp32U10AVX512(dst, src []float32, hi, lo, cut float32)
// As exp64U10AVX512.
TEXT ·exp32U10AVX512(SB), NOSPLIT, $0-60
	MOVQ         dst_base+0(FP), DI
	MOVQ         src_base+24(FP), SI
	MOVQ         src_len+32(FP), CX
	VBROADCASTSS hi+48(FP), EXP_HI
	VBROADCASTSS lo+52(FP), EXP_LO
	VBROADCASTSS cut+56(FP), EXP_CUT
	EXP32Z_CONSTANTS
	MOVL         hi+48(FP), AX
	VPXORQ       EXP_LIMIT, EXP_LIMIT, EXP_LIMIT
	VSUBPS       EXP_CUT, EXP_LIMIT, EXP_LIMIT
	VADDPS       EXP_LIMIT, EXP_LIMIT, EXP_LIMIT
	TESTL        AX, AX
	JLT          loopN
	LOOP(EXP32Z, VMOVUPS, $16, $48, EXP_NLT, EXP_NGE, loopP, oneP, lastP, end)
	JMP          end
	LOOP(EXP32Z, VMOVUPS, $16, $48, EXP_NGT, EXP_NLE, loopN, oneN, lastN, end)

end:
	VZEROUPPER
	RET
