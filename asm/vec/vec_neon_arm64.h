// The loops of the functions; the bodies are in a header for each function. Constants and the names that depend on the
// type are in the table of asm/gen: PER is the number of elements in a vector.

#include "exp_neon_arm64.h"
#include "log_neon_arm64.h"
#include "same_neon_arm64.h"
#include "sincos_neon_arm64.h"

// exp
//	for i, x := range src { dst[i] = exp(s*x) }     s*log2(e) = hi + lo; 0 beyond cut
//   len(dst) == len(src); dst is src or disjoint from it; any alignment; hi, lo, cut finite, hi not 0
//   R1 src, R0 dst, R2 elements left; registers of EXP64
// Invariant at both loops: R0, R1 at the first element that is not done.
// Not unrolled.
#define EXPLOOP(BODY, loop, tail) \
loop: \
	CMP   $PER, R2; \
	BLT   tail; \
	FMOVQ (R1), F0; \
	BODY; \
	FMOVQ F0, (R0); \
	ADD   $16, R0; \
	ADD   $16, R1; \
	SUB   $PER, R2; \
	B     loop; \
tail: \
	CBZ   R2, done; \
	FMOV  (R1), F0; \
	BODY; \
	FMOV  F0, (R0); \
	ADD   $SIZE, R0; \
	ADD   $SIZE, R1; \
	SUB   $1, R2; \
	B     tail

#define EXPP EXPBODY(FMIN(17, 0, 0), FCMGT(0, 23, 5))
#define EXPN EXPBODY(FMAX(17, 0, 0), FCMGT(23, 0, 5))

// R3 has the sign of hi.
#define EXPS \
	TBNZ $(BITS-1), R3, negative; \
	EXPLOOP(EXPP, positive, tailP); \
	EXPLOOP(EXPN, negative, tailN); \
done:

// log
//	for i, x := range src { dst[i] = log(x) }
//   len(dst) == len(src); dst is src or disjoint from it; any alignment
//   R1 src, R0 dst, R2 elements left; registers of LOG
// Invariant at both loops: R0, R1 at the first element that is not done.
// Not unrolled. Tail: single elements in lane 0, computed as in the loop.
#define LOGS \
	LOGCONSTANTS; \
loop: \
	CMP  $PER, R2; \
	BLT  tail; \
	FMOVQ (R1), F0; \
	LOG; \
	FMOVQ F4, (R0); \
	ADD  $16, R0; \
	ADD  $16, R1; \
	SUB  $PER, R2; \
	B    loop; \
tail: \
	CBZ  R2, done; \
	FMOV (R1), F0; \
	LOG; \
	FMOV F4, (R0); \
	ADD  $SIZE, R0; \
	ADD  $SIZE, R1; \
	SUB  $1, R2; \
	B    tail; \
done:

// sincos
//	for i, x := range src { sin[i], cos[i] = sincos(x) }, but x in both where |x| > 2^29; whether that happened
//   equal lengths; src is sin or cos or disjoint from both, sin and cos disjoint; any alignment
//   R1 src, R0 sin, R3 cos, R2 elements left, R4 not 0: large; registers of SINCOS
// Invariant at both loops: R0, R1, R3 at the first element that is not done.
// Not unrolled. Tail: single elements in lane 0, computed as in the loop.
// The limit is 2^17 for float32.
#define SINCOSES \
	SINCOSCONSTANTS; \
loop: \
	CMP  $PER, R2; \
	BLT  tail; \
	FMOVQ (R1), F0; \
	SINCOS; \
	FMOVQ F8, (R0); \
	FMOVQ F9, (R3); \
	ADD  $16, R0; \
	ADD  $16, R1; \
	ADD  $16, R3; \
	SUB  $PER, R2; \
	B    loop; \
tail: \
	CBZ  R2, done; \
	FMOV (R1), F0; \
	SINCOS; \
	FMOV F8, (R0); \
	FMOV F9, (R3); \
	ADD  $SIZE, R0; \
	ADD  $SIZE, R1; \
	ADD  $SIZE, R3; \
	SUB  $1, R2; \
	B    tail; \
done: \
	CMP  $0, R4; \
	CSET NE, R4
