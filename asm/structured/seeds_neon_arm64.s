//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// The bodies stand in one header each, for both types.

// A, B, C, D += the next element of X times the row of v
#define ROW(X, A, B, C, D) \
	VLD1R.P BYTES(X), [V20.T]; \
	VFMLA   V16.T, V20.T, A.T; \
	VFMLA   V17.T, V20.T, B.T; \
	VFMLA   V18.T, V20.T, C.T; \
	VFMLA   V19.T, V20.T, D.T

#include "float64_arm64.h"

// func block64NEON(t *float64, ts int, x *float64, xs int, v *float64, vs, w, c int)
TEXT ·block64NEON(SB), NOSPLIT, $0-64
	MOVD t+0(FP), R0
	MOVD ts+8(FP), R1
	MOVD x+16(FP), R2
	MOVD xs+24(FP), R8
	MOVD v+32(FP), R6
	MOVD w+48(FP), R7
#include "block_arm64.h"
	RET

// func line64NEON(t, x, v *float64, vs, w, c int)
TEXT ·line64NEON(SB), NOSPLIT, $0-48
	MOVD t+0(FP), R0
	MOVD x+8(FP), R2
	MOVD v+16(FP), R6
	MOVD vs+24(FP), R1
	MOVD w+32(FP), R7
#include "line_arm64.h"
	RET

// func split64NEON(s *float64, ss int, d *float64, ds int, x, y, v, u *float64, n, h int)
TEXT ·split64NEON(SB), NOSPLIT, $0-80
	MOVD s+0(FP), R0
	MOVD ss+8(FP), R2
	MOVD d+16(FP), R1
	MOVD ds+24(FP), R3
	MOVD x+32(FP), R12
	MOVD y+40(FP), R13
	MOVD v+48(FP), R6
	MOVD u+56(FP), R7
	MOVD n+64(FP), R8
	MOVD h+72(FP), R9
#include "split_arm64.h"
	RET

// func addSub64NEON(s, d, a *float64, pairs, n int)
TEXT ·addSub64NEON(SB), NOSPLIT, $0-40
	MOVD s+0(FP), R0
	MOVD d+8(FP), R1
	MOVD a+16(FP), R2
	MOVD pairs+24(FP), R4
	MOVD n+32(FP), R5
#include "addsub_arm64.h"
	RET

#include "float32_arm64.h"

// func block32NEON(t *float32, ts int, x *float32, xs int, v *float32, vs, w, c int)
TEXT ·block32NEON(SB), NOSPLIT, $0-64
	MOVD t+0(FP), R0
	MOVD ts+8(FP), R1
	MOVD x+16(FP), R2
	MOVD xs+24(FP), R8
	MOVD v+32(FP), R6
	MOVD w+48(FP), R7
#include "block_arm64.h"
	RET

// func line32NEON(t, x, v *float32, vs, w, c int)
TEXT ·line32NEON(SB), NOSPLIT, $0-48
	MOVD t+0(FP), R0
	MOVD x+8(FP), R2
	MOVD v+16(FP), R6
	MOVD vs+24(FP), R1
	MOVD w+32(FP), R7
#include "line_arm64.h"
	RET

// func split32NEON(s *float32, ss int, d *float32, ds int, x, y, v, u *float32, n, h int)
TEXT ·split32NEON(SB), NOSPLIT, $0-80
	MOVD s+0(FP), R0
	MOVD ss+8(FP), R2
	MOVD d+16(FP), R1
	MOVD ds+24(FP), R3
	MOVD x+32(FP), R12
	MOVD y+40(FP), R13
	MOVD v+48(FP), R6
	MOVD u+56(FP), R7
	MOVD n+64(FP), R8
	MOVD h+72(FP), R9
#include "split_arm64.h"
	RET

// func addSub32NEON(s, d, a *float32, pairs, n int)
TEXT ·addSub32NEON(SB), NOSPLIT, $0-40
	MOVD s+0(FP), R0
	MOVD d+8(FP), R1
	MOVD a+16(FP), R2
	MOVD pairs+24(FP), R4
	MOVD n+32(FP), R5
#include "addsub_arm64.h"
	RET
