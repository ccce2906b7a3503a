// The loops of the functions; the bodies are in a header for each function. Constants and the names that depend on the
// type are in the table of asm/gen.

#include "exp_avx2_amd64.h"
#include "log_avx2_amd64.h"
#include "same_avx2_amd64.h"
#include "sincos_avx2_amd64.h"

// TAILMASK makes the mask of the last CX bytes, which are fewer than a vector.
#define TAILMASK(mask) \
	LEAQ tailMask<>+32(SB), AX; \
	SUBQ CX, AX; \
	VMOVDQU (AX), mask

// exp
//	for i, x := range src { dst[i] = exp(s*x) }     s*log2(e) = hi + lo; 0 beyond cut
//   len(dst) == len(src); dst is src or disjoint from it; any alignment; hi, lo, cut finite, hi not 0
//   SI src, DI dst, CX bytes left; Y9-Y15 constants, Y0-Y5 one vector in work, Y6 mask of the tail
// Invariant at both loops: SI, DI at the first element that is not done.
// Not unrolled: the constants leave registers for one vector; renaming overlaps the iterations.
// Tail: one vector under a mask; a lane is computed alike in both.
#define EXPLOOP(keep, clamp, loop, last) \
loop: \
	CMPQ CX, $32; \
	JLT  last; \
	MOVU (SI), Y0; \
	EXPBODY(Y0, Y1, Y2, Y3, Y4, Y5, Y7, Y8, keep, clamp); \
	MOVU Y0, (DI); \
	ADDQ $32, SI; \
	ADDQ $32, DI; \
	SUBQ $32, CX; \
	JMP  loop; \
last: \
	TESTQ CX, CX; \
	JEQ   end; \
	TAILMASK(Y6); \
	MASKMOV (SI), Y6, Y0; \
	EXPBODY(Y0, Y1, Y2, Y3, Y4, Y5, Y7, Y8, keep, clamp); \
	MASKMOV Y0, Y6, (DI)

// AX has the sign of hi.
#define EXPS \
	TESTINT AX, AX; \
	JLT loopN; \
	EXPLOOP(EXP_NLT, MIN, loopP, lastP); \
	JMP end; \
	EXPLOOP(EXP_NGT, MAX, loopN, lastN); \
end:

// log
//	for i, x := range src { dst[i] = log(x) }
//   len(dst) == len(src); dst is src or disjoint from it; any alignment
//   SI src, DI dst, CX bytes left, R8 table; registers of LOG; Y9 mask of the tail
// Invariant at loop: SI, DI at the first element that is not done.
// Not unrolled: renaming overlaps the iterations. Tail: one vector under a mask, computed as in the loop.
#define LOGS \
loop: \
	CMPQ CX, $32; \
	JLT  last; \
	MOVU (SI), Y0; \
	LOG; \
	MOVU Y1, (DI); \
	ADDQ $32, SI; \
	ADDQ $32, DI; \
	SUBQ $32, CX; \
	JMP  loop; \
last: \
	TESTQ CX, CX; \
	JEQ   end; \
	TAILMASK(Y9); \
	MASKMOV (SI), Y9, Y0; \
	LOG; \
	VMOVDQU (AX), Y9; \
	MASKMOV Y1, Y9, (DI); \
end:

// sincos
//	for i, x := range src { sin[i], cos[i] = sincos(x) }, but x in both where |x| > 2^29; whether that happened
//   equal lengths; src is sin or cos or disjoint from both, sin and cos disjoint; any alignment
//   SI src, DI sin, R8 cos, CX bytes left, DX large, R9 mask of the tail; Y10-Y15 constants, Y0-Y9 work
// Invariant at loop: SI, DI, R8 at the first element that is not done.
// Not unrolled: renaming overlaps the iterations. Tail: one vector under a mask, computed as in the loop.
// Lanes beyond the limit, 2^17 for float32, keep the argument.
#define SINCOSVECTOR(store) \
	SINCOS; \
	TESTL AX, AX; \
	JEQ  store; \
	BLENDV Y1, Y0, Y8, Y8; \
	BLENDV Y1, Y0, Y9, Y9; \
	MOVL $1, DX; \
store:

#define SINCOSES \
	XORL DX, DX; \
	MOVU SINCOSCON(0), ROUND; \
	MOVU SINCOSCON(192), ONE; \
	MOVU SINCOSCON(224), MHALF; \
	MOVU SINCOSCON(256), SIGN; \
	MOVU SINCOSCON(288), BIT; \
	MOVU SINCOSCON(96), P2; \
loop: \
	CMPQ CX, $32; \
	JLT  last; \
	MOVU (SI), Y0; \
	SINCOSVECTOR(store) \
	MOVU Y8, (DI); \
	MOVU Y9, (R8); \
	ADDQ $32, SI; \
	ADDQ $32, DI; \
	ADDQ $32, R8; \
	SUBQ $32, CX; \
	JMP  loop; \
last: \
	TESTQ CX, CX; \
	JEQ   end; \
	LEAQ  tailMask<>+32(SB), R9; \
	SUBQ  CX, R9; \
	VMOVDQU (R9), Y9; \
	MASKMOV (SI), Y9, Y0; \
	SINCOSVECTOR(laststore) \
	VMOVDQU (R9), Y1; \
	MASKMOV Y8, Y1, (DI); \
	MASKMOV Y9, Y1, (R8); \
end:
