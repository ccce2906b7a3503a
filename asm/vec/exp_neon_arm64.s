//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"
#include "exp_neon_arm64.h"

#define EXP64P EXP64(VFMIN_D2(17, 0, 0), VFCMGT_D2(0, 23, 5))
#define EXP64N EXP64(VFMAX_D2(17, 0, 0), VFCMGT_D2(23, 0, 5))
#define EXP32P EXP32(VFMIN_S4(17, 0, 0), VFCMGT_S4(0, 23, 5))
#define EXP32N EXP32(VFMAX_S4(17, 0, 0), VFCMGT_S4(23, 0, 5))

// Vectors of n elements of the given size while R2, the elements left, suffices,
// then one element at a time in lane 0, computed as in the loop.
#define LOOP(BODY, n, size, move, loop, tail) \
loop: \
	CMP   $n, R2; \
	BLT   tail; \
	FMOVQ (R1), F0; \
	BODY; \
	FMOVQ F0, (R0); \
	ADD   $16, R0; \
	ADD   $16, R1; \
	SUB   $n, R2; \
	B     loop; \
tail: \
	CBZ   R2, done; \
	move  (R1), F0; \
	BODY; \
	move  F0, (R0); \
	ADD   $size, R0; \
	ADD   $size, R1; \
	SUB   $1, R2; \
	B     tail

// func exp64U10NEON(dst, src []float64, hi, lo, cut float64)
//	for i, x := range src { dst[i] = exp(s*x) }     s*log2(e) = hi + lo; 0 beyond cut
//   len(dst) == len(src); dst is src or disjoint from it; any alignment; hi, lo, cut finite, hi not 0
//   R1 src, R0 dst, R2 elements left; registers of EXP64
// Invariant at both loops: R0, R1 at the first element that is not done.
// Not unrolled.
TEXT ·exp64U10NEON(SB), NOSPLIT, $0-72
	MOVD  dst_base+0(FP), R0
	MOVD  src_base+24(FP), R1
	MOVD  src_len+32(FP), R2
	EXP64_CONSTANTS
	FMOVD hi+48(FP), F18
	FMOVD lo+56(FP), F19
	FMOVD cut+64(FP), F23
	VDUP  V18.D[0], V18.D2
	VDUP  V19.D[0], V19.D2
	VDUP  V23.D[0], V23.D2
	VFMUL_D2(23, 17, 17)
	MOVD  hi+48(FP), R3
	TBNZ  $63, R3, negative
	LOOP(EXP64P, 2, 8, FMOVD, positive, tailP)
	LOOP(EXP64N, 2, 8, FMOVD, negative, tailN)

done:
	RET

// func exp32U10NEON(dst, src []float32, hi, lo, cut float32)
// As exp64U10NEON.
TEXT ·exp32U10NEON(SB), NOSPLIT, $0-60
	MOVD  dst_base+0(FP), R0
	MOVD  src_base+24(FP), R1
	MOVD  src_len+32(FP), R2
	EXP32_CONSTANTS
	FMOVS hi+48(FP), F18
	FMOVS lo+52(FP), F19
	FMOVS cut+56(FP), F23
	VDUP  V18.S[0], V18.S4
	VDUP  V19.S[0], V19.S4
	VDUP  V23.S[0], V23.S4
	VFMUL_S4(23, 17, 17)
	MOVW  hi+48(FP), R3
	TBNZ  $31, R3, negative
	LOOP(EXP32P, 4, 4, FMOVS, positive, tailP)
	LOOP(EXP32N, 4, 4, FMOVS, negative, tailN)

done:
	RET
