//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// The bodies of this package for a type: T its arrangement, D2 or S4, M and MS moves of one element, SIZE its bytes.
// R0 destination or x, R1 source, R2 length then bytes left, R3 rounds left, R6 rounds; V0-V23 data or sums,
// V24 = a, V25 = b or v.

#define LOAD24(T) \
	VLD1.P 64(R4), [V0.T, V1.T, V2.T, V3.T]; \
	VLD1.P 64(R4), [V4.T, V5.T, V6.T, V7.T]; \
	VLD1.P 64(R4), [V8.T, V9.T, V10.T, V11.T]; \
	VLD1.P 64(R4), [V12.T, V13.T, V14.T, V15.T]; \
	VLD1.P 64(R4), [V16.T, V17.T, V18.T, V19.T]; \
	VLD1.P 64(R4), [V20.T, V21.T, V22.T, V23.T]

#define STORE24(T) \
	VST1.P [V0.T, V1.T, V2.T, V3.T], 64(R0); \
	VST1.P [V4.T, V5.T, V6.T, V7.T], 64(R0); \
	VST1.P [V8.T, V9.T, V10.T, V11.T], 64(R0); \
	VST1.P [V12.T, V13.T, V14.T, V15.T], 64(R0); \
	VST1.P [V16.T, V17.T, V18.T, V19.T], 64(R0); \
	VST1.P [V20.T, V21.T, V22.T, V23.T], 64(R0)

#define FMA24(T) \
	VFMLA V24.T, V25.T, V0.T; \
	VFMLA V24.T, V25.T, V1.T; \
	VFMLA V24.T, V25.T, V2.T; \
	VFMLA V24.T, V25.T, V3.T; \
	VFMLA V24.T, V25.T, V4.T; \
	VFMLA V24.T, V25.T, V5.T; \
	VFMLA V24.T, V25.T, V6.T; \
	VFMLA V24.T, V25.T, V7.T; \
	VFMLA V24.T, V25.T, V8.T; \
	VFMLA V24.T, V25.T, V9.T; \
	VFMLA V24.T, V25.T, V10.T; \
	VFMLA V24.T, V25.T, V11.T; \
	VFMLA V24.T, V25.T, V12.T; \
	VFMLA V24.T, V25.T, V13.T; \
	VFMLA V24.T, V25.T, V14.T; \
	VFMLA V24.T, V25.T, V15.T; \
	VFMLA V24.T, V25.T, V16.T; \
	VFMLA V24.T, V25.T, V17.T; \
	VFMLA V24.T, V25.T, V18.T; \
	VFMLA V24.T, V25.T, V19.T; \
	VFMLA V24.T, V25.T, V20.T; \
	VFMLA V24.T, V25.T, V21.T; \
	VFMLA V24.T, V25.T, V22.T; \
	VFMLA V24.T, V25.T, V23.T

#define ADD24(PLUS) \
	PLUS(25, 0, 0); \
	PLUS(25, 1, 1); \
	PLUS(25, 2, 2); \
	PLUS(25, 3, 3); \
	PLUS(25, 4, 4); \
	PLUS(25, 5, 5); \
	PLUS(25, 6, 6); \
	PLUS(25, 7, 7); \
	PLUS(25, 8, 8); \
	PLUS(25, 9, 9); \
	PLUS(25, 10, 10); \
	PLUS(25, 11, 11); \
	PLUS(25, 12, 12); \
	PLUS(25, 13, 13); \
	PLUS(25, 14, 14); \
	PLUS(25, 15, 15); \
	PLUS(25, 16, 16); \
	PLUS(25, 17, 17); \
	PLUS(25, 18, 18); \
	PLUS(25, 19, 19); \
	PLUS(25, 20, 20); \
	PLUS(25, 21, 21); \
	PLUS(25, 22, 22); \
	PLUS(25, 23, 23)

// Half of the chains add while the other half multiplies, then they change places, so that both kinds of units have
// work at any time.
#define MIX24(PLUS, T) \
	PLUS(25, 0, 0); \
	VFMLA V24.T, V25.T, V12.T; \
	PLUS(25, 1, 1); \
	VFMLA V24.T, V25.T, V13.T; \
	PLUS(25, 2, 2); \
	VFMLA V24.T, V25.T, V14.T; \
	PLUS(25, 3, 3); \
	VFMLA V24.T, V25.T, V15.T; \
	PLUS(25, 4, 4); \
	VFMLA V24.T, V25.T, V16.T; \
	PLUS(25, 5, 5); \
	VFMLA V24.T, V25.T, V17.T; \
	PLUS(25, 6, 6); \
	VFMLA V24.T, V25.T, V18.T; \
	PLUS(25, 7, 7); \
	VFMLA V24.T, V25.T, V19.T; \
	PLUS(25, 8, 8); \
	VFMLA V24.T, V25.T, V20.T; \
	PLUS(25, 9, 9); \
	VFMLA V24.T, V25.T, V21.T; \
	PLUS(25, 10, 10); \
	VFMLA V24.T, V25.T, V22.T; \
	PLUS(25, 11, 11); \
	VFMLA V24.T, V25.T, V23.T; \
	VFMLA V24.T, V25.T, V0.T; \
	PLUS(25, 12, 12); \
	VFMLA V24.T, V25.T, V1.T; \
	PLUS(25, 13, 13); \
	VFMLA V24.T, V25.T, V2.T; \
	PLUS(25, 14, 14); \
	VFMLA V24.T, V25.T, V3.T; \
	PLUS(25, 15, 15); \
	VFMLA V24.T, V25.T, V4.T; \
	PLUS(25, 16, 16); \
	VFMLA V24.T, V25.T, V5.T; \
	PLUS(25, 17, 17); \
	VFMLA V24.T, V25.T, V6.T; \
	PLUS(25, 18, 18); \
	VFMLA V24.T, V25.T, V7.T; \
	PLUS(25, 19, 19); \
	VFMLA V24.T, V25.T, V8.T; \
	PLUS(25, 20, 20); \
	VFMLA V24.T, V25.T, V9.T; \
	PLUS(25, 21, 21); \
	VFMLA V24.T, V25.T, V10.T; \
	PLUS(25, 22, 22); \
	VFMLA V24.T, V25.T, V11.T; \
	PLUS(25, 23, 23)

// for blocks of 384 bytes of x: for rounds: STEPS
// len(x) a positive multiple of a block, rounds > 0. Everything stays in registers; invariant at loop: the vectors
// hold their part of x after the rounds done. 24 chains: up to four units of latency 4 (Neoverse V, Apple) need
// sixteen. No tail.
#define REGISTERS(T, STEPS) \
block: \
	MOVD R6, R3; \
	MOVD R0, R4; \
	LOAD24(T); \
loop: \
	STEPS; \
	SUB  $1, R3; \
	CBNZ R3, loop; \
	STORE24(T); \
	SUBS $384, R2; \
	BNE  block

#define ADD8(PLUS, n0, n1, n2, n3, n4, n5, n6, n7) \
	PLUS(n0, 0, 0); \
	PLUS(n1, 1, 1); \
	PLUS(n2, 2, 2); \
	PLUS(n3, 3, 3); \
	PLUS(n4, 4, 4); \
	PLUS(n5, 5, 5); \
	PLUS(n6, 6, 6); \
	PLUS(n7, 7, 7)

// s = Σ x[i]
// Invariant at loop: R1 at the first element not yet added, R2 + 128 bytes are left, R2 >= 0; V0-V7 are the sums of
// vectors 0..7 of every 8. Unroll 8: two additions a cycle of latency 4. Tail: one element at a time into F16. The
// sums are joined in V0.
#define SUM(T, PLUS, M, ADDS, SIZE) \
	VEOR V0.B16, V0.B16, V0.B16; \
	VEOR V1.B16, V1.B16, V1.B16; \
	VEOR V2.B16, V2.B16, V2.B16; \
	VEOR V3.B16, V3.B16, V3.B16; \
	VEOR V4.B16, V4.B16, V4.B16; \
	VEOR V5.B16, V5.B16, V5.B16; \
	VEOR V6.B16, V6.B16, V6.B16; \
	VEOR V7.B16, V7.B16, V7.B16; \
	VEOR V16.B16, V16.B16, V16.B16; \
	SUBS $128, R2; \
	BLT  ones; \
loop: \
	VLD1.P 64(R1), [V8.T, V9.T, V10.T, V11.T]; \
	VLD1.P 64(R1), [V12.T, V13.T, V14.T, V15.T]; \
	ADD8(PLUS, 8, 9, 10, 11, 12, 13, 14, 15); \
	SUBS $128, R2; \
	BGE  loop; \
ones: \
	ADD  $128, R2; \
one: \
	CBZ  R2, join; \
	M.P  SIZE(R1), F17; \
	ADDS F17, F16; \
	SUB  $SIZE, R2; \
	B    one; \
join: \
	PLUS(4, 0, 0); \
	PLUS(5, 1, 1); \
	PLUS(6, 2, 2); \
	PLUS(7, 3, 3); \
	PLUS(2, 0, 0); \
	PLUS(3, 1, 1); \
	PLUS(1, 0, 0)

// dst[i] = src[i]: bandwidth has no element type, but the tail knows it is of words of 4 bytes.
// Invariant at loop: the pointers are at the first byte not yet done and R2 + 128 bytes are left, R2 >= 0. Unroll 8:
// two accesses of 64 bytes. Tail: words.
#define COPY \
	SUBS $128, R2; \
	BLT  ones; \
loop: \
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	VLD1.P 64(R1), [V4.B16, V5.B16, V6.B16, V7.B16]; \
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0); \
	VST1.P [V4.B16, V5.B16, V6.B16, V7.B16], 64(R0); \
	SUBS $128, R2; \
	BGE  loop; \
ones: \
	ADD  $128, R2; \
one: \
	CBZ  R2, done; \
	MOVWU.P 4(R1), R5; \
	MOVW.P R5, 4(R0); \
	SUB  $4, R2; \
	B    one; \
done:

// x[i] += b, as COPY in place: R1 runs with R0. The tail is one element at a time.
#define SHIFT(T, PLUS, M, ADDS, SIZE) \
	MOVD R0, R1; \
	SUBS $128, R2; \
	BLT  ones; \
loop: \
	VLD1.P 64(R1), [V0.T, V1.T, V2.T, V3.T]; \
	VLD1.P 64(R1), [V4.T, V5.T, V6.T, V7.T]; \
	ADD8(PLUS, 25, 25, 25, 25, 25, 25, 25, 25); \
	VST1.P [V0.T, V1.T, V2.T, V3.T], 64(R0); \
	VST1.P [V4.T, V5.T, V6.T, V7.T], 64(R0); \
	SUBS $128, R2; \
	BGE  loop; \
ones: \
	ADD  $128, R2; \
one: \
	CBZ  R2, done; \
	M    (R0), F0; \
	ADDS F25, F0; \
	M.P  F0, SIZE(R0); \
	SUB  $SIZE, R2; \
	B    one; \
done:

// dst[i] = v, as COPY without a source; V0-V3 are copies of V25.
#define FILL(M, SIZE) \
	VORR V25.B16, V25.B16, V0.B16; \
	VORR V25.B16, V25.B16, V1.B16; \
	VORR V25.B16, V25.B16, V2.B16; \
	VORR V25.B16, V25.B16, V3.B16; \
	SUBS $128, R2; \
	BLT  ones; \
loop: \
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0); \
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0); \
	SUBS $128, R2; \
	BGE  loop; \
ones: \
	ADD  $128, R2; \
one: \
	CBZ  R2, done; \
	M.P  F25, SIZE(R0); \
	SUB  $SIZE, R2; \
	B    one; \
done:

// func fma64NEON(x []float64, a, b float64, rounds int)   for rounds: x[i] += a·b; see REGISTERS
TEXT ·fma64NEON(SB), NOSPLIT, $0-48
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	LSL  $3, R2
	MOVD a+24(FP), R5
	VDUP R5, V24.D2
	MOVD b+32(FP), R5
	VDUP R5, V25.D2
	MOVD rounds+40(FP), R6
	REGISTERS(D2, FMA24(D2))
	RET

// func add64NEON(x []float64, b float64, rounds int)   for rounds: x[i] += b; see REGISTERS
TEXT ·add64NEON(SB), NOSPLIT, $0-40
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	LSL  $3, R2
	MOVD b+24(FP), R5
	VDUP R5, V25.D2
	MOVD rounds+32(FP), R6
	REGISTERS(D2, ADD24(VFADD_D2))
	RET

// func mix64NEON(x []float64, a, b float64, rounds int)   for rounds: x[i] += b; x[i] += a·b; see REGISTERS, MIX24
TEXT ·mix64NEON(SB), NOSPLIT, $0-48
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	LSL  $3, R2
	MOVD a+24(FP), R5
	VDUP R5, V24.D2
	MOVD b+32(FP), R5
	VDUP R5, V25.D2
	MOVD rounds+40(FP), R6
	REGISTERS(D2, MIX24(VFADD_D2, D2))
	RET

// func sum64NEON(x []float64) float64   see SUM
TEXT ·sum64NEON(SB), NOSPLIT, $0-32
	MOVD x_base+0(FP), R1
	MOVD x_len+8(FP), R2
	LSL  $3, R2
	SUM(D2, VFADD_D2, FMOVD, FADDD, 8)
	VFADDP_D2(0, 0, 0)
	FADDD F16, F0
	FMOVD F0, ret+24(FP)
	RET

// func move64NEON(dst, src []float64)   see COPY
TEXT ·move64NEON(SB), NOSPLIT, $0-48
	MOVD dst_base+0(FP), R0
	MOVD src_base+24(FP), R1
	MOVD src_len+32(FP), R2
	LSL  $3, R2
	COPY
	RET

// func shift64NEON(x []float64, b float64)   see SHIFT
TEXT ·shift64NEON(SB), NOSPLIT, $0-32
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	LSL  $3, R2
	MOVD b+24(FP), R5
	VDUP R5, V25.D2
	SHIFT(D2, VFADD_D2, FMOVD, FADDD, 8)
	RET

// func fill64NEON(dst []float64, v float64)   see FILL
TEXT ·fill64NEON(SB), NOSPLIT, $0-32
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R2
	LSL  $3, R2
	MOVD v+24(FP), R5
	VDUP R5, V25.D2
	FILL(FMOVD, 8)
	RET

// func fma32NEON(x []float32, a, b float32, rounds int)   for rounds: x[i] += a·b; see REGISTERS
TEXT ·fma32NEON(SB), NOSPLIT, $0-40
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	LSL  $2, R2
	MOVWU a+24(FP), R5
	VDUP R5, V24.S4
	MOVWU b+28(FP), R5
	VDUP R5, V25.S4
	MOVD rounds+32(FP), R6
	REGISTERS(S4, FMA24(S4))
	RET

// func add32NEON(x []float32, b float32, rounds int)   for rounds: x[i] += b; see REGISTERS
TEXT ·add32NEON(SB), NOSPLIT, $0-40
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	LSL  $2, R2
	MOVWU b+24(FP), R5
	VDUP R5, V25.S4
	MOVD rounds+32(FP), R6
	REGISTERS(S4, ADD24(VFADD_S4))
	RET

// func mix32NEON(x []float32, a, b float32, rounds int)   for rounds: x[i] += b; x[i] += a·b; see REGISTERS, MIX24
TEXT ·mix32NEON(SB), NOSPLIT, $0-40
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	LSL  $2, R2
	MOVWU a+24(FP), R5
	VDUP R5, V24.S4
	MOVWU b+28(FP), R5
	VDUP R5, V25.S4
	MOVD rounds+32(FP), R6
	REGISTERS(S4, MIX24(VFADD_S4, S4))
	RET

// func sum32NEON(x []float32) float32   see SUM
TEXT ·sum32NEON(SB), NOSPLIT, $0-28
	MOVD x_base+0(FP), R1
	MOVD x_len+8(FP), R2
	LSL  $2, R2
	SUM(S4, VFADD_S4, FMOVS, FADDS, 4)
	VFADDP_S4(0, 0, 0)
	VFADDP_S4(0, 0, 0)
	FADDS F16, F0
	FMOVS F0, ret+24(FP)
	RET

// func move32NEON(dst, src []float32)   see COPY
TEXT ·move32NEON(SB), NOSPLIT, $0-48
	MOVD dst_base+0(FP), R0
	MOVD src_base+24(FP), R1
	MOVD src_len+32(FP), R2
	LSL  $2, R2
	COPY
	RET

// func shift32NEON(x []float32, b float32)   see SHIFT
TEXT ·shift32NEON(SB), NOSPLIT, $0-28
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	LSL  $2, R2
	MOVWU b+24(FP), R5
	VDUP R5, V25.S4
	SHIFT(S4, VFADD_S4, FMOVS, FADDS, 4)
	RET

// func fill32NEON(dst []float32, v float32)   see FILL
TEXT ·fill32NEON(SB), NOSPLIT, $0-28
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R2
	LSL  $2, R2
	MOVWU v+24(FP), R5
	VDUP R5, V25.S4
	FILL(FMOVS, 4)
	RET
