// The loops of the functions; the bodies are in a header for each function. Constants and the names that depend on the
// type are in the table of asm/gen.

#include "exp_avx512_amd64.h"
#include "log_avx512_amd64.h"
#include "sincos_avx512_amd64.h"

// TAILMASK makes the mask of the CX elements that are left, fewer than a vector, or goes to end if there is none.
#define TAILMASK(mask) \
	MOVQ  $-1, AX; \
	BZHIQ CX, AX, AX; \
	JEQ   end; \
	KMOVQ AX, mask

// exp
//	for i, x := range src { dst[i] = exp(s*x) }     s*log2(e) = hi + lo; 0 beyond cut
//   len(dst) == len(src); dst is src or disjoint from it; any alignment; hi, lo, cut finite, hi not 0
//   SI src, DI dst, CX elements left; Z17-Z31 constants, Z0-Z14 three vectors in work, K1-K3 kept lanes
// Invariant at both loops: SI, DI at the first element that is not done.
// Unroll 3 vectors: what the registers hold. Tail: single vectors, the last one under a mask; a lane is
// computed alike in all three.
#define EXPLOOP(keep, near, loop, one, last) \
loop: \
	CMPQ CX, $(3*PER); \
	JLT  one; \
	MOVU 0(SI), Z0; \
	MOVU 64(SI), Z5; \
	MOVU 128(SI), Z10; \
	EXPBODY(Z0, Z1, Z2, Z3, Z4, K1, K5, keep, near); \
	EXPBODY(Z5, Z6, Z7, Z8, Z9, K2, K6, keep, near); \
	EXPBODY(Z10, Z11, Z12, Z13, Z14, K3, K7, keep, near); \
	MOVU Z0, 0(DI); \
	MOVU Z5, 64(DI); \
	MOVU Z10, 128(DI); \
	ADDQ $192, SI; \
	ADDQ $192, DI; \
	SUBQ $(3*PER), CX; \
	JMP  loop; \
one: \
	CMPQ CX, $PER; \
	JLT  last; \
	MOVU 0(SI), Z0; \
	EXPBODY(Z0, Z1, Z2, Z3, Z4, K1, K5, keep, near); \
	MOVU Z0, 0(DI); \
	ADDQ $64, SI; \
	ADDQ $64, DI; \
	SUBQ $PER, CX; \
	JMP  one; \
last: \
	TAILMASK(K4); \
	MOVU.Z 0(SI), K4, Z0; \
	EXPBODY(Z0, Z1, Z2, Z3, Z4, K1, K5, keep, near); \
	MOVU Z0, K4, 0(DI)

// AX has the sign of hi; the limit is -2*cut.
#define EXPS \
	VPXORQ EXP_LIMIT, EXP_LIMIT, EXP_LIMIT; \
	SUB EXP_CUT, EXP_LIMIT, EXP_LIMIT; \
	ADD EXP_LIMIT, EXP_LIMIT, EXP_LIMIT; \
	TESTINT AX, AX; \
	JLT loopN; \
	EXPLOOP(EXP_NLT, EXP_NGE, loopP, oneP, lastP); \
	JMP end; \
	EXPLOOP(EXP_NGT, EXP_NLE, loopN, oneN, lastN); \
end:

// log
//	for i, x := range src { dst[i] = log(x) }
//   len(dst) == len(src); dst is src or disjoint from it; any alignment
//   SI src, DI dst, CX elements left; Z15-Z31 constants, Z0-Z5, Z6-Z11 a vector each, Z12-Z14 scratch
// Invariant at loop: SI, DI at the first element that is not done.
// Unroll 2 vectors: what the registers hold. Tail: one vector, then one under a mask; a lane is computed
// alike in all three.
#define LOGS \
loop: \
	CMPQ CX, $(2*PER); \
	JLT  one; \
	MOVU 0(SI), Z0; \
	MOVU 64(SI), Z6; \
	LOG(Z0, Z1, Z2, Z3, Z4, Z5); \
	LOG(Z6, Z7, Z8, Z9, Z10, Z11); \
	MOVU Z5, 0(DI); \
	MOVU Z11, 64(DI); \
	ADDQ $128, SI; \
	ADDQ $128, DI; \
	SUBQ $(2*PER), CX; \
	JMP  loop; \
one: \
	CMPQ CX, $PER; \
	JLT  last; \
	MOVU 0(SI), Z0; \
	LOG(Z0, Z1, Z2, Z3, Z4, Z5); \
	MOVU Z5, 0(DI); \
	ADDQ $64, SI; \
	ADDQ $64, DI; \
	SUBQ $PER, CX; \
last: \
	TAILMASK(K1); \
	MOVU.Z 0(SI), K1, Z0; \
	LOG(Z0, Z1, Z2, Z3, Z4, Z5); \
	MOVU Z5, K1, 0(DI); \
end:

// sincos
//	for i, x := range src { sin[i], cos[i] = sincos(x) }, but x in both where |x| > 2^29; whether that happened
//   equal lengths; src is sin or cos or disjoint from both, sin and cos disjoint; any alignment
//   SI src, DI sin, R8 cos, CX elements left, DX large; Z10-Z31 constants, Z0-Z9 work
// Invariant at loop: SI, DI, R8 at the first element that is not done.
// Not unrolled: the constants leave registers for one vector; renaming overlaps the iterations.
// Tail: one vector under a mask, computed as in the loop.
// Lanes beyond the limit, 2^17 for float32, keep the argument.
#define SINCOSVECTOR(store) \
	SINCOS; \
	KORTESTW K2, K2; \
	JEQ  store; \
	MOVA Z0, K2, Z8; \
	MOVA Z0, K2, Z9; \
	MOVL $1, DX; \
store:

#define SINCOSES \
	XORL DX, DX; \
	SINCOSCONSTANTS; \
loop: \
	CMPQ CX, $PER; \
	JLT  last; \
	MOVU (SI), Z0; \
	SINCOSVECTOR(store) \
	MOVU Z8, (DI); \
	MOVU Z9, (R8); \
	ADDQ $64, SI; \
	ADDQ $64, DI; \
	ADDQ $64, R8; \
	SUBQ $PER, CX; \
	JMP  loop; \
last: \
	TAILMASK(K3); \
	MOVU.Z (SI), K3, Z0; \
	SINCOSVECTOR(laststore) \
	MOVU Z8, K3, (DI); \
	MOVU Z9, K3, (R8); \
end:
