//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// The bodies of the functions for rows are in forward_neon_arm64.h and
// backward_neon_arm64.h; they are included for each type, with and without
// factors. Macros that depend on the type (T … UPTOP) are defined before the
// functions of the type, those that depend on factors around each function.

// float64

#define SHIFT 3
#define BYTES 8
#define T D2
#define FADD(M, N, D) VFADD_D2(M, N, D)
#define FSUB(M, N, D) VFSUB_D2(M, N, D)
#define FMUL(M, N, D) VFMUL_D2(M, N, D)

#define DOWNTOP \
	FMOVD (R8), F0         \
	FMOVD 8(R8), F1        \
	FADDD F1, F0, F2       \
	FSUBD F1, F0, F3       \
	SCALETOP(FMOVD, FMULD, 0, F4, F2) \
	SCALETOP(FMOVD, FMULD, 8, F4, F3) \
	FMOVD F2, (R0)         \
	FMOVD F3, 8(R0)

#define UPTOP \
	FMOVD (R1), F0         \
	FMOVD 8(R1), F1        \
	SCALETOP(FMOVD, FMULD, 0, F4, F0) \
	SCALETOP(FMOVD, FMULD, 8, F4, F1) \
	FADDD F1, F0, F2       \
	FSUBD F1, F0, F3       \
	FMOVD F2, (R8)         \
	FMOVD F3, 8(R8)

#define SCALE(C, R)
#define LOADSCALE(P, V)
#define SCALETOP(LOAD, MUL, O, C, R)

// func forward64NEON(dst, src *float64, n, d, ds, ss int, scratch, f *float64)
TEXT ·forward64NEON(SB), NOSPLIT, $0-64
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	MOVD d+24(FP), R3
	MOVD ds+32(FP), R4
	MOVD ss+40(FP), R5
	MOVD scratch+48(FP), R6
	MOVD f+56(FP), R7
#include "forward_neon_arm64.h"

#undef SCALE
#undef LOADSCALE
#undef SCALETOP

#define SCALE(C, R) FMUL(C, R, R)
#define LOADSCALE(P, V) VLD1R (P), [V.T]
#define SCALETOP(LOAD, MUL, O, C, R) LOAD O(R7), C; MUL C, R, R

// func forwardScaled64NEON(dst, src *float64, n, d, ds, ss int, scratch, f *float64)
TEXT ·forwardScaled64NEON(SB), NOSPLIT, $0-64
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	MOVD d+24(FP), R3
	MOVD ds+32(FP), R4
	MOVD ss+40(FP), R5
	MOVD scratch+48(FP), R6
	MOVD f+56(FP), R7
#include "forward_neon_arm64.h"

#undef SCALE
#undef LOADSCALE
#undef SCALETOP

#define SCALE(C, R)
#define LOADSCALE(P, V)
#define SCALETOP(LOAD, MUL, O, C, R)

// func backward64NEON(dst, src *float64, n, d, ds, ss int, scratch, f *float64)
TEXT ·backward64NEON(SB), NOSPLIT, $0-64
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	MOVD d+24(FP), R3
	MOVD ds+32(FP), R4
	MOVD ss+40(FP), R5
	MOVD scratch+48(FP), R6
	MOVD f+56(FP), R7
#include "backward_neon_arm64.h"

#undef SCALE
#undef LOADSCALE
#undef SCALETOP

#define SCALE(C, R) FMUL(C, R, R)
#define LOADSCALE(P, V) VLD1R (P), [V.T]
#define SCALETOP(LOAD, MUL, O, C, R) LOAD O(R7), C; MUL C, R, R

// func backwardScaled64NEON(dst, src *float64, n, d, ds, ss int, scratch, f *float64)
TEXT ·backwardScaled64NEON(SB), NOSPLIT, $0-64
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	MOVD d+24(FP), R3
	MOVD ds+32(FP), R4
	MOVD ss+40(FP), R5
	MOVD scratch+48(FP), R6
	MOVD f+56(FP), R7
#include "backward_neon_arm64.h"

#undef SCALE
#undef LOADSCALE
#undef SCALETOP

// func split64NEON(d, s, x *float64, pairs int, c *float64)
//	for i := pairs-1; i >= 0; i-- { s[i], d[i] = x[2i]+x[2i+1], (x[2i]-x[2i+1])*c[0] }
// pairs is a positive multiple of 8. d may be the upper half of x, or lie behind x.
//   R0, R1, R2 ends of what is left of d, s, x; R3 start of s
TEXT ·split64NEON(SB), NOSPLIT, $0-40
	MOVD  d+0(FP), R0
	MOVD  s+8(FP), R1
	MOVD  x+16(FP), R2
	MOVD  pairs+24(FP), R4
	MOVD  c+32(FP), R5
	VLD1R (R5), [V16.T]
	MOVD  R1, R3
	LSL   $SHIFT, R4, R4
	ADD   R4, R0
	ADD   R4, R1
	ADD   R4<<1, R2, R2

loop:
	SUB    $64, R0
	SUB    $64, R1
	SUB    $128, R2
	MOVD   R2, R5
	VLD2.P 32(R5), [V0.T, V1.T]
	VLD2.P 32(R5), [V2.T, V3.T]
	VLD2.P 32(R5), [V4.T, V5.T]
	VLD2.P 32(R5), [V6.T, V7.T]
	FADD(1, 0, 20)
	FADD(3, 2, 21)
	FADD(5, 4, 22)
	FADD(7, 6, 23)
	FSUB(1, 0, 24)
	FSUB(3, 2, 25)
	FSUB(5, 4, 26)
	FSUB(7, 6, 27)
	FMUL(16, 24, 24)
	FMUL(16, 25, 25)
	FMUL(16, 26, 26)
	FMUL(16, 27, 27)
	VST1   [V24.T, V25.T, V26.T, V27.T], (R0)
	VST1   [V20.T, V21.T, V22.T, V23.T], (R1)
	CMP    R3, R1
	BNE    loop
	RET

// func split364NEON(d1, d2, d3, s, x *float64, m int, c *float64)
// Three levels of split of 8m elements of x, m a positive multiple of 2, in
// ascending order: d1 gets 4m differences times c[0], d2 2m times c[1], d3 m
// times c[2], s m sums. s may be at x or before it.
//   R0-R4 d1, d2, d3, s, x; R5 end of x
TEXT ·split364NEON(SB), NOSPLIT, $0-56
	MOVD  d1+0(FP), R0
	MOVD  d2+8(FP), R1
	MOVD  d3+16(FP), R2
	MOVD  s+24(FP), R3
	MOVD  x+32(FP), R4
	MOVD  m+40(FP), R5
	MOVD  c+48(FP), R6
	VLD1R (R6), [V16.T]
	ADD   $BYTES, R6
	VLD1R (R6), [V17.T]
	ADD   $BYTES, R6
	VLD1R (R6), [V18.T]
	LSL   $SHIFT, R5, R5
	ADD   R5<<3, R4, R5

loop:
	VLD4.P 64(R4), [V0.T, V1.T, V2.T, V3.T]
	VLD4.P 64(R4), [V4.T, V5.T, V6.T, V7.T]
	FADD(1, 0, 8)
	FADD(3, 2, 9)
	FADD(5, 4, 10)
	FADD(7, 6, 11)
	FSUB(1, 0, 20)
	FSUB(3, 2, 21)
	FSUB(5, 4, 22)
	FSUB(7, 6, 23)
	FADD(9, 8, 12)
	FADD(11, 10, 13)
	FSUB(9, 8, 24)
	FSUB(11, 10, 25)
	FMUL(16, 20, 20)
	FMUL(16, 21, 21)
	FMUL(16, 22, 22)
	FMUL(16, 23, 23)
	FMUL(17, 24, 24)
	FMUL(17, 25, 25)
	VUZP1  V13.T, V12.T, V14.T // evens of the sums of four
	VUZP2  V13.T, V12.T, V15.T // odds
	FADD(15, 14, 26)
	FSUB(15, 14, 27)
	FMUL(18, 27, 27)
	VST2.P [V20.T, V21.T], 32(R0)
	VST2.P [V22.T, V23.T], 32(R0)
	VST1.P [V24.T, V25.T], 32(R1)
	VST1.P [V27.T], 16(R2)
	VST1.P [V26.T], 16(R3)
	CMP    R5, R4
	BNE    loop
	RET

// func join64NEON(x, d, s *float64, pairs int, c *float64)
//	for i := range pairs { x[2i], x[2i+1] = s[i]+d[i]*c[0], s[i]-d[i]*c[0] }
// pairs is a positive multiple of 8. d may be the upper half of x, or lie behind x.
//   R0, R1, R2 x, d, s; R3 end of s
TEXT ·join64NEON(SB), NOSPLIT, $0-40
	MOVD  x+0(FP), R0
	MOVD  d+8(FP), R1
	MOVD  s+16(FP), R2
	MOVD  pairs+24(FP), R3
	MOVD  c+32(FP), R5
	VLD1R (R5), [V16.T]
	LSL   $SHIFT, R3, R3
	ADD   R2, R3

loop:
	VLD1.P 64(R2), [V0.T, V1.T, V2.T, V3.T]
	VLD1.P 64(R1), [V4.T, V5.T, V6.T, V7.T]
	FMUL(16, 4, 4)
	FMUL(16, 5, 5)
	FMUL(16, 6, 6)
	FMUL(16, 7, 7)
	FADD(4, 0, 20)
	FSUB(4, 0, 21)
	FADD(5, 1, 22)
	FSUB(5, 1, 23)
	FADD(6, 2, 24)
	FSUB(6, 2, 25)
	FADD(7, 3, 26)
	FSUB(7, 3, 27)
	VST2.P [V20.T, V21.T], 32(R0)
	VST2.P [V22.T, V23.T], 32(R0)
	VST2.P [V24.T, V25.T], 32(R0)
	VST2.P [V26.T, V27.T], 32(R0)
	CMP    R3, R2
	BNE    loop
	RET

// func join364NEON(x, d1, d2, d3, s *float64, m int, c *float64)
// The inverse of split3 in descending order: c[0], c[1], c[2] multiply d1, d2,
// d3 before the sums. s may be at x or before it.
//   R0-R4 ends of what is left of x, d1, d2, d3, s; R5 start of s
TEXT ·join364NEON(SB), NOSPLIT, $0-56
	MOVD  x+0(FP), R0
	MOVD  d1+8(FP), R1
	MOVD  d2+16(FP), R2
	MOVD  d3+24(FP), R3
	MOVD  s+32(FP), R4
	MOVD  m+40(FP), R6
	MOVD  c+48(FP), R7
	VLD1R (R7), [V16.T]
	ADD   $BYTES, R7
	VLD1R (R7), [V17.T]
	ADD   $BYTES, R7
	VLD1R (R7), [V18.T]
	MOVD  R4, R5
	LSL   $SHIFT, R6, R6
	ADD   R6, R4
	ADD   R6, R3
	ADD   R6<<1, R2, R2
	ADD   R6<<2, R1, R1
	ADD   R6<<3, R0, R0

loop:
	SUB    $16, R4
	SUB    $16, R3
	SUB    $32, R2
	SUB    $64, R1
	SUB    $128, R0
	VLD1   (R4), [V0.T]
	VLD1   (R3), [V1.T]
	VLD1   (R2), [V2.T, V3.T]
	MOVD   R1, R8
	VLD2.P 32(R8), [V4.T, V5.T]
	VLD2   (R8), [V6.T, V7.T]
	FMUL(18, 1, 1)
	FMUL(17, 2, 2)
	FMUL(17, 3, 3)
	FMUL(16, 4, 4)
	FMUL(16, 5, 5)
	FMUL(16, 6, 6)
	FMUL(16, 7, 7)
	FADD(1, 0, 8)
	FSUB(1, 0, 9)
	VZIP1  V9.T, V8.T, V10.T
	VZIP2  V9.T, V8.T, V11.T
	FADD(2, 10, 12)
	FSUB(2, 10, 13)
	FADD(3, 11, 14)
	FSUB(3, 11, 15)
	FADD(4, 12, 20)
	FSUB(4, 12, 21)
	FADD(5, 13, 22)
	FSUB(5, 13, 23)
	FADD(6, 14, 24)
	FSUB(6, 14, 25)
	FADD(7, 15, 26)
	FSUB(7, 15, 27)
	MOVD   R0, R8
	VST4.P [V20.T, V21.T, V22.T, V23.T], 64(R8)
	VST4   [V24.T, V25.T, V26.T, V27.T], (R8)
	CMP    R5, R4
	BNE    loop
	RET

#undef SHIFT
#undef BYTES
#undef T
#undef FADD
#undef FSUB
#undef FMUL
#undef DOWNTOP
#undef UPTOP

// float32

#define SHIFT 2
#define BYTES 4
#define T S4
#define FADD(M, N, D) VFADD_S4(M, N, D)
#define FSUB(M, N, D) VFSUB_S4(M, N, D)
#define FMUL(M, N, D) VFMUL_S4(M, N, D)

#define DOWNTOP \
	FMOVS (R8), F0         \
	FMOVS 4(R8), F1        \
	FMOVS 8(R8), F2        \
	FMOVS 12(R8), F3       \
	FSUBS F1, F0, F5       \
	FADDS F1, F0, F0       \
	FSUBS F3, F2, F6       \
	FADDS F3, F2, F2       \
	FSUBS F2, F0, F7       \
	FADDS F2, F0, F0       \
	SCALETOP(FMOVS, FMULS, 0, F4, F0)  \
	SCALETOP(FMOVS, FMULS, 4, F4, F7)  \
	SCALETOP(FMOVS, FMULS, 8, F4, F5)  \
	SCALETOP(FMOVS, FMULS, 12, F4, F6) \
	FMOVS F0, (R0)         \
	FMOVS F7, 4(R0)        \
	FMOVS F5, 8(R0)        \
	FMOVS F6, 12(R0)

#define UPTOP \
	FMOVS (R1), F0         \
	FMOVS 4(R1), F1        \
	FMOVS 8(R1), F2        \
	FMOVS 12(R1), F3       \
	SCALETOP(FMOVS, FMULS, 0, F4, F0)  \
	SCALETOP(FMOVS, FMULS, 4, F4, F1)  \
	SCALETOP(FMOVS, FMULS, 8, F4, F2)  \
	SCALETOP(FMOVS, FMULS, 12, F4, F3) \
	FADDS F1, F0, F5       \
	FSUBS F1, F0, F6       \
	FADDS F2, F5, F0       \
	FSUBS F2, F5, F1       \
	FADDS F3, F6, F2       \
	FSUBS F3, F6, F7       \
	FMOVS F0, (R8)         \
	FMOVS F1, 4(R8)        \
	FMOVS F2, 8(R8)        \
	FMOVS F7, 12(R8)

#define SCALE(C, R)
#define LOADSCALE(P, V)
#define SCALETOP(LOAD, MUL, O, C, R)

// func forward32NEON(dst, src *float32, n, d, ds, ss int, scratch, f *float32)
TEXT ·forward32NEON(SB), NOSPLIT, $0-64
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	MOVD d+24(FP), R3
	MOVD ds+32(FP), R4
	MOVD ss+40(FP), R5
	MOVD scratch+48(FP), R6
	MOVD f+56(FP), R7
#include "forward_neon_arm64.h"

#undef SCALE
#undef LOADSCALE
#undef SCALETOP

#define SCALE(C, R) FMUL(C, R, R)
#define LOADSCALE(P, V) VLD1R (P), [V.T]
#define SCALETOP(LOAD, MUL, O, C, R) LOAD O(R7), C; MUL C, R, R

// func forwardScaled32NEON(dst, src *float32, n, d, ds, ss int, scratch, f *float32)
TEXT ·forwardScaled32NEON(SB), NOSPLIT, $0-64
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	MOVD d+24(FP), R3
	MOVD ds+32(FP), R4
	MOVD ss+40(FP), R5
	MOVD scratch+48(FP), R6
	MOVD f+56(FP), R7
#include "forward_neon_arm64.h"

#undef SCALE
#undef LOADSCALE
#undef SCALETOP

#define SCALE(C, R)
#define LOADSCALE(P, V)
#define SCALETOP(LOAD, MUL, O, C, R)

// func backward32NEON(dst, src *float32, n, d, ds, ss int, scratch, f *float32)
TEXT ·backward32NEON(SB), NOSPLIT, $0-64
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	MOVD d+24(FP), R3
	MOVD ds+32(FP), R4
	MOVD ss+40(FP), R5
	MOVD scratch+48(FP), R6
	MOVD f+56(FP), R7
#include "backward_neon_arm64.h"

#undef SCALE
#undef LOADSCALE
#undef SCALETOP

#define SCALE(C, R) FMUL(C, R, R)
#define LOADSCALE(P, V) VLD1R (P), [V.T]
#define SCALETOP(LOAD, MUL, O, C, R) LOAD O(R7), C; MUL C, R, R

// func backwardScaled32NEON(dst, src *float32, n, d, ds, ss int, scratch, f *float32)
TEXT ·backwardScaled32NEON(SB), NOSPLIT, $0-64
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	MOVD d+24(FP), R3
	MOVD ds+32(FP), R4
	MOVD ss+40(FP), R5
	MOVD scratch+48(FP), R6
	MOVD f+56(FP), R7
#include "backward_neon_arm64.h"

#undef SCALE
#undef LOADSCALE
#undef SCALETOP

// func split32NEON(d, s, x *float32, pairs int, c *float32)
//	for i := pairs-1; i >= 0; i-- { s[i], d[i] = x[2i]+x[2i+1], (x[2i]-x[2i+1])*c[0] }
// pairs is a positive multiple of 16. d may be the upper half of x, or lie behind x.
//   R0, R1, R2 ends of what is left of d, s, x; R3 start of s
TEXT ·split32NEON(SB), NOSPLIT, $0-40
	MOVD  d+0(FP), R0
	MOVD  s+8(FP), R1
	MOVD  x+16(FP), R2
	MOVD  pairs+24(FP), R4
	MOVD  c+32(FP), R5
	VLD1R (R5), [V16.T]
	MOVD  R1, R3
	LSL   $SHIFT, R4, R4
	ADD   R4, R0
	ADD   R4, R1
	ADD   R4<<1, R2, R2

loop:
	SUB    $64, R0
	SUB    $64, R1
	SUB    $128, R2
	MOVD   R2, R5
	VLD2.P 32(R5), [V0.T, V1.T]
	VLD2.P 32(R5), [V2.T, V3.T]
	VLD2.P 32(R5), [V4.T, V5.T]
	VLD2.P 32(R5), [V6.T, V7.T]
	FADD(1, 0, 20)
	FADD(3, 2, 21)
	FADD(5, 4, 22)
	FADD(7, 6, 23)
	FSUB(1, 0, 24)
	FSUB(3, 2, 25)
	FSUB(5, 4, 26)
	FSUB(7, 6, 27)
	FMUL(16, 24, 24)
	FMUL(16, 25, 25)
	FMUL(16, 26, 26)
	FMUL(16, 27, 27)
	VST1   [V24.T, V25.T, V26.T, V27.T], (R0)
	VST1   [V20.T, V21.T, V22.T, V23.T], (R1)
	CMP    R3, R1
	BNE    loop
	RET

// func split332NEON(d1, d2, d3, s, x *float32, m int, c *float32)
// Three levels of split of 8m elements of x, m a positive multiple of 4, in
// ascending order: d1 gets 4m differences times c[0], d2 2m times c[1], d3 m
// times c[2], s m sums. s may be at x or before it.
//   R0-R4 d1, d2, d3, s, x; R5 end of x
TEXT ·split332NEON(SB), NOSPLIT, $0-56
	MOVD  d1+0(FP), R0
	MOVD  d2+8(FP), R1
	MOVD  d3+16(FP), R2
	MOVD  s+24(FP), R3
	MOVD  x+32(FP), R4
	MOVD  m+40(FP), R5
	MOVD  c+48(FP), R6
	VLD1R (R6), [V16.T]
	ADD   $BYTES, R6
	VLD1R (R6), [V17.T]
	ADD   $BYTES, R6
	VLD1R (R6), [V18.T]
	LSL   $SHIFT, R5, R5
	ADD   R5<<3, R4, R5

loop:
	VLD4.P 64(R4), [V0.T, V1.T, V2.T, V3.T]
	VLD4.P 64(R4), [V4.T, V5.T, V6.T, V7.T]
	FADD(1, 0, 8)
	FADD(3, 2, 9)
	FADD(5, 4, 10)
	FADD(7, 6, 11)
	FSUB(1, 0, 20)
	FSUB(3, 2, 21)
	FSUB(5, 4, 22)
	FSUB(7, 6, 23)
	FADD(9, 8, 12)
	FADD(11, 10, 13)
	FSUB(9, 8, 24)
	FSUB(11, 10, 25)
	FMUL(16, 20, 20)
	FMUL(16, 21, 21)
	FMUL(16, 22, 22)
	FMUL(16, 23, 23)
	FMUL(17, 24, 24)
	FMUL(17, 25, 25)
	VUZP1  V13.T, V12.T, V14.T // evens of the sums of four
	VUZP2  V13.T, V12.T, V15.T // odds
	FADD(15, 14, 26)
	FSUB(15, 14, 27)
	FMUL(18, 27, 27)
	VST2.P [V20.T, V21.T], 32(R0)
	VST2.P [V22.T, V23.T], 32(R0)
	VST1.P [V24.T, V25.T], 32(R1)
	VST1.P [V27.T], 16(R2)
	VST1.P [V26.T], 16(R3)
	CMP    R5, R4
	BNE    loop
	RET

// func join32NEON(x, d, s *float32, pairs int, c *float32)
//	for i := range pairs { x[2i], x[2i+1] = s[i]+d[i]*c[0], s[i]-d[i]*c[0] }
// pairs is a positive multiple of 16. d may be the upper half of x, or lie behind x.
//   R0, R1, R2 x, d, s; R3 end of s
TEXT ·join32NEON(SB), NOSPLIT, $0-40
	MOVD  x+0(FP), R0
	MOVD  d+8(FP), R1
	MOVD  s+16(FP), R2
	MOVD  pairs+24(FP), R3
	MOVD  c+32(FP), R5
	VLD1R (R5), [V16.T]
	LSL   $SHIFT, R3, R3
	ADD   R2, R3

loop:
	VLD1.P 64(R2), [V0.T, V1.T, V2.T, V3.T]
	VLD1.P 64(R1), [V4.T, V5.T, V6.T, V7.T]
	FMUL(16, 4, 4)
	FMUL(16, 5, 5)
	FMUL(16, 6, 6)
	FMUL(16, 7, 7)
	FADD(4, 0, 20)
	FSUB(4, 0, 21)
	FADD(5, 1, 22)
	FSUB(5, 1, 23)
	FADD(6, 2, 24)
	FSUB(6, 2, 25)
	FADD(7, 3, 26)
	FSUB(7, 3, 27)
	VST2.P [V20.T, V21.T], 32(R0)
	VST2.P [V22.T, V23.T], 32(R0)
	VST2.P [V24.T, V25.T], 32(R0)
	VST2.P [V26.T, V27.T], 32(R0)
	CMP    R3, R2
	BNE    loop
	RET

// func join332NEON(x, d1, d2, d3, s *float32, m int, c *float32)
// The inverse of split3 in descending order: c[0], c[1], c[2] multiply d1, d2,
// d3 before the sums. s may be at x or before it.
//   R0-R4 ends of what is left of x, d1, d2, d3, s; R5 start of s
TEXT ·join332NEON(SB), NOSPLIT, $0-56
	MOVD  x+0(FP), R0
	MOVD  d1+8(FP), R1
	MOVD  d2+16(FP), R2
	MOVD  d3+24(FP), R3
	MOVD  s+32(FP), R4
	MOVD  m+40(FP), R6
	MOVD  c+48(FP), R7
	VLD1R (R7), [V16.T]
	ADD   $BYTES, R7
	VLD1R (R7), [V17.T]
	ADD   $BYTES, R7
	VLD1R (R7), [V18.T]
	MOVD  R4, R5
	LSL   $SHIFT, R6, R6
	ADD   R6, R4
	ADD   R6, R3
	ADD   R6<<1, R2, R2
	ADD   R6<<2, R1, R1
	ADD   R6<<3, R0, R0

loop:
	SUB    $16, R4
	SUB    $16, R3
	SUB    $32, R2
	SUB    $64, R1
	SUB    $128, R0
	VLD1   (R4), [V0.T]
	VLD1   (R3), [V1.T]
	VLD1   (R2), [V2.T, V3.T]
	MOVD   R1, R8
	VLD2.P 32(R8), [V4.T, V5.T]
	VLD2   (R8), [V6.T, V7.T]
	FMUL(18, 1, 1)
	FMUL(17, 2, 2)
	FMUL(17, 3, 3)
	FMUL(16, 4, 4)
	FMUL(16, 5, 5)
	FMUL(16, 6, 6)
	FMUL(16, 7, 7)
	FADD(1, 0, 8)
	FSUB(1, 0, 9)
	VZIP1  V9.T, V8.T, V10.T
	VZIP2  V9.T, V8.T, V11.T
	FADD(2, 10, 12)
	FSUB(2, 10, 13)
	FADD(3, 11, 14)
	FSUB(3, 11, 15)
	FADD(4, 12, 20)
	FSUB(4, 12, 21)
	FADD(5, 13, 22)
	FSUB(5, 13, 23)
	FADD(6, 14, 24)
	FSUB(6, 14, 25)
	FADD(7, 15, 26)
	FSUB(7, 15, 27)
	MOVD   R0, R8
	VST4.P [V20.T, V21.T, V22.T, V23.T], 64(R8)
	VST4   [V24.T, V25.T, V26.T, V27.T], (R8)
	CMP    R5, R4
	BNE    loop
	RET
