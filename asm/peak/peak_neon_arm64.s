//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// Register use in all of this file: R0 destination or x, R1 source, R2 length
// then elements left, R3 rounds left; V0-V23 data or sums, V24 = a, V25 = b or v.

// func fma64NEON(x []float64, a, b float64, rounds int)   for rounds: for i := range 48: x[i] += a·b
// len(x) == 48, rounds > 0. Everything stays in registers; invariant at loop: Vi holds x[2i:2i+2] after
// the rounds done. 24 chains: up to four units of latency 4 (Neoverse V, Apple) need sixteen. No tail.
TEXT ·fma64NEON(SB), NOSPLIT, $0-48
	MOVD	x_base+0(FP), R0
	MOVD	a+24(FP), R5
	VDUP	R5, V24.D2
	MOVD	b+32(FP), R5
	VDUP	R5, V25.D2
	MOVD	rounds+40(FP), R3
	MOVD	R0, R4
	VLD1.P	64(R4), [V0.D2, V1.D2, V2.D2, V3.D2]
	VLD1.P	64(R4), [V4.D2, V5.D2, V6.D2, V7.D2]
	VLD1.P	64(R4), [V8.D2, V9.D2, V10.D2, V11.D2]
	VLD1.P	64(R4), [V12.D2, V13.D2, V14.D2, V15.D2]
	VLD1.P	64(R4), [V16.D2, V17.D2, V18.D2, V19.D2]
	VLD1.P	64(R4), [V20.D2, V21.D2, V22.D2, V23.D2]

loop:
	VFMLA	V24.D2, V25.D2, V0.D2
	VFMLA	V24.D2, V25.D2, V1.D2
	VFMLA	V24.D2, V25.D2, V2.D2
	VFMLA	V24.D2, V25.D2, V3.D2
	VFMLA	V24.D2, V25.D2, V4.D2
	VFMLA	V24.D2, V25.D2, V5.D2
	VFMLA	V24.D2, V25.D2, V6.D2
	VFMLA	V24.D2, V25.D2, V7.D2
	VFMLA	V24.D2, V25.D2, V8.D2
	VFMLA	V24.D2, V25.D2, V9.D2
	VFMLA	V24.D2, V25.D2, V10.D2
	VFMLA	V24.D2, V25.D2, V11.D2
	VFMLA	V24.D2, V25.D2, V12.D2
	VFMLA	V24.D2, V25.D2, V13.D2
	VFMLA	V24.D2, V25.D2, V14.D2
	VFMLA	V24.D2, V25.D2, V15.D2
	VFMLA	V24.D2, V25.D2, V16.D2
	VFMLA	V24.D2, V25.D2, V17.D2
	VFMLA	V24.D2, V25.D2, V18.D2
	VFMLA	V24.D2, V25.D2, V19.D2
	VFMLA	V24.D2, V25.D2, V20.D2
	VFMLA	V24.D2, V25.D2, V21.D2
	VFMLA	V24.D2, V25.D2, V22.D2
	VFMLA	V24.D2, V25.D2, V23.D2
	SUB	$1, R3
	CBNZ	R3, loop

	VST1.P	[V0.D2, V1.D2, V2.D2, V3.D2], 64(R0)
	VST1.P	[V4.D2, V5.D2, V6.D2, V7.D2], 64(R0)
	VST1.P	[V8.D2, V9.D2, V10.D2, V11.D2], 64(R0)
	VST1.P	[V12.D2, V13.D2, V14.D2, V15.D2], 64(R0)
	VST1.P	[V16.D2, V17.D2, V18.D2, V19.D2], 64(R0)
	VST1.P	[V20.D2, V21.D2, V22.D2, V23.D2], 64(R0)
	RET

// func add64NEON(x []float64, b float64, rounds int)   for rounds: for i := range 48: x[i] += b
// As fma64NEON.
TEXT ·add64NEON(SB), NOSPLIT, $0-40
	MOVD	x_base+0(FP), R0
	MOVD	b+24(FP), R5
	VDUP	R5, V25.D2
	MOVD	rounds+32(FP), R3
	MOVD	R0, R4
	VLD1.P	64(R4), [V0.D2, V1.D2, V2.D2, V3.D2]
	VLD1.P	64(R4), [V4.D2, V5.D2, V6.D2, V7.D2]
	VLD1.P	64(R4), [V8.D2, V9.D2, V10.D2, V11.D2]
	VLD1.P	64(R4), [V12.D2, V13.D2, V14.D2, V15.D2]
	VLD1.P	64(R4), [V16.D2, V17.D2, V18.D2, V19.D2]
	VLD1.P	64(R4), [V20.D2, V21.D2, V22.D2, V23.D2]

loop:
	VFADD_D2(25, 0, 0)
	VFADD_D2(25, 1, 1)
	VFADD_D2(25, 2, 2)
	VFADD_D2(25, 3, 3)
	VFADD_D2(25, 4, 4)
	VFADD_D2(25, 5, 5)
	VFADD_D2(25, 6, 6)
	VFADD_D2(25, 7, 7)
	VFADD_D2(25, 8, 8)
	VFADD_D2(25, 9, 9)
	VFADD_D2(25, 10, 10)
	VFADD_D2(25, 11, 11)
	VFADD_D2(25, 12, 12)
	VFADD_D2(25, 13, 13)
	VFADD_D2(25, 14, 14)
	VFADD_D2(25, 15, 15)
	VFADD_D2(25, 16, 16)
	VFADD_D2(25, 17, 17)
	VFADD_D2(25, 18, 18)
	VFADD_D2(25, 19, 19)
	VFADD_D2(25, 20, 20)
	VFADD_D2(25, 21, 21)
	VFADD_D2(25, 22, 22)
	VFADD_D2(25, 23, 23)
	SUB	$1, R3
	CBNZ	R3, loop

	VST1.P	[V0.D2, V1.D2, V2.D2, V3.D2], 64(R0)
	VST1.P	[V4.D2, V5.D2, V6.D2, V7.D2], 64(R0)
	VST1.P	[V8.D2, V9.D2, V10.D2, V11.D2], 64(R0)
	VST1.P	[V12.D2, V13.D2, V14.D2, V15.D2], 64(R0)
	VST1.P	[V16.D2, V17.D2, V18.D2, V19.D2], 64(R0)
	VST1.P	[V20.D2, V21.D2, V22.D2, V23.D2], 64(R0)
	RET

// func sum64NEON(x []float64) float64   Σ x[i]
// Invariant at loop: R1 points at the first element not yet added, R2+16 are left, R2 >= 0; V0-V7 are the sums of
// registers 0..7 of every 8. Unroll 8: two additions a cycle of latency 4. Tail: one element at a time into F16.
TEXT ·sum64NEON(SB), NOSPLIT, $0-32
	MOVD	x_base+0(FP), R1
	MOVD	x_len+8(FP), R2
	VEOR	V0.B16, V0.B16, V0.B16
	VEOR	V1.B16, V1.B16, V1.B16
	VEOR	V2.B16, V2.B16, V2.B16
	VEOR	V3.B16, V3.B16, V3.B16
	VEOR	V4.B16, V4.B16, V4.B16
	VEOR	V5.B16, V5.B16, V5.B16
	VEOR	V6.B16, V6.B16, V6.B16
	VEOR	V7.B16, V7.B16, V7.B16
	VEOR	V16.B16, V16.B16, V16.B16
	SUBS	$16, R2
	BLT	ones

loop:
	VLD1.P	64(R1), [V8.D2, V9.D2, V10.D2, V11.D2]
	VLD1.P	64(R1), [V12.D2, V13.D2, V14.D2, V15.D2]
	VFADD_D2(8, 0, 0)
	VFADD_D2(9, 1, 1)
	VFADD_D2(10, 2, 2)
	VFADD_D2(11, 3, 3)
	VFADD_D2(12, 4, 4)
	VFADD_D2(13, 5, 5)
	VFADD_D2(14, 6, 6)
	VFADD_D2(15, 7, 7)
	SUBS	$16, R2
	BGE	loop

ones:
	ADD	$16, R2

one:
	CBZ	R2, join
	FMOVD.P	8(R1), F17
	FADDD	F17, F16
	SUB	$1, R2
	B	one

join:
	VFADD_D2(4, 0, 0)
	VFADD_D2(5, 1, 1)
	VFADD_D2(6, 2, 2)
	VFADD_D2(7, 3, 3)
	VFADD_D2(2, 0, 0)
	VFADD_D2(3, 1, 1)
	VFADD_D2(1, 0, 0)
	VFADDP_D2(0, 0, 0)
	FADDD	F16, F0
	FMOVD	F0, ret+24(FP)
	RET

// func copy64NEON(dst, src []float64)   dst[i] = src[i]
// Invariant at loop: the pointers are at the first element not yet done and R2+16 are left, R2 >= 0. Unroll 8: two
// accesses of 64 bytes. Tail: one element at a time.
TEXT ·copy64NEON(SB), NOSPLIT, $0-48
	MOVD	dst_base+0(FP), R0
	MOVD	src_base+24(FP), R1
	MOVD	src_len+32(FP), R2
	SUBS	$16, R2
	BLT	ones

loop:
	VLD1.P	64(R1), [V0.D2, V1.D2, V2.D2, V3.D2]
	VLD1.P	64(R1), [V4.D2, V5.D2, V6.D2, V7.D2]
	VST1.P	[V0.D2, V1.D2, V2.D2, V3.D2], 64(R0)
	VST1.P	[V4.D2, V5.D2, V6.D2, V7.D2], 64(R0)
	SUBS	$16, R2
	BGE	loop

ones:
	ADD	$16, R2

one:
	CBZ	R2, done
	FMOVD.P	8(R1), F0
	FMOVD.P	F0, 8(R0)
	SUB	$1, R2
	B	one

done:
	RET

// func shift64NEON(x []float64, b float64)   x[i] += b
// As copy64NEON, in place: R1 runs with R0.
TEXT ·shift64NEON(SB), NOSPLIT, $0-32
	MOVD	x_base+0(FP), R0
	MOVD	R0, R1
	MOVD	x_len+8(FP), R2
	MOVD	b+24(FP), R5
	VDUP	R5, V25.D2
	SUBS	$16, R2
	BLT	ones

loop:
	VLD1.P	64(R1), [V0.D2, V1.D2, V2.D2, V3.D2]
	VLD1.P	64(R1), [V4.D2, V5.D2, V6.D2, V7.D2]
	VFADD_D2(25, 0, 0)
	VFADD_D2(25, 1, 1)
	VFADD_D2(25, 2, 2)
	VFADD_D2(25, 3, 3)
	VFADD_D2(25, 4, 4)
	VFADD_D2(25, 5, 5)
	VFADD_D2(25, 6, 6)
	VFADD_D2(25, 7, 7)
	VST1.P	[V0.D2, V1.D2, V2.D2, V3.D2], 64(R0)
	VST1.P	[V4.D2, V5.D2, V6.D2, V7.D2], 64(R0)
	SUBS	$16, R2
	BGE	loop

ones:
	ADD	$16, R2

one:
	CBZ	R2, done
	FMOVD	(R0), F0
	FADDD	F25, F0
	FMOVD.P	F0, 8(R0)
	SUB	$1, R2
	B	one

done:
	RET

// func fill64NEON(dst []float64, v float64)   dst[i] = v
// As copy64NEON, without a source; V0-V3 are copies of V25.
TEXT ·fill64NEON(SB), NOSPLIT, $0-32
	MOVD	dst_base+0(FP), R0
	MOVD	dst_len+8(FP), R2
	MOVD	v+24(FP), R5
	VDUP	R5, V25.D2
	VORR	V25.B16, V25.B16, V0.B16
	VORR	V25.B16, V25.B16, V1.B16
	VORR	V25.B16, V25.B16, V2.B16
	VORR	V25.B16, V25.B16, V3.B16
	SUBS	$16, R2
	BLT	ones

loop:
	VST1.P	[V0.D2, V1.D2, V2.D2, V3.D2], 64(R0)
	VST1.P	[V0.D2, V1.D2, V2.D2, V3.D2], 64(R0)
	SUBS	$16, R2
	BGE	loop

ones:
	ADD	$16, R2

one:
	CBZ	R2, done
	FMOVD.P	F25, 8(R0)
	SUB	$1, R2
	B	one

done:
	RET

// func fma32NEON(x []float32, a, b float32, rounds int)   for rounds: for i := range 96: x[i] += a·b
// len(x) == 96, rounds > 0. Everything stays in registers; invariant at loop: Vi holds x[4i:4i+4] after
// the rounds done. 24 chains: up to four units of latency 4 (Neoverse V, Apple) need sixteen. No tail.
TEXT ·fma32NEON(SB), NOSPLIT, $0-40
	MOVD	x_base+0(FP), R0
	MOVWU	a+24(FP), R5
	VDUP	R5, V24.S4
	MOVWU	b+28(FP), R5
	VDUP	R5, V25.S4
	MOVD	rounds+32(FP), R3
	MOVD	R0, R4
	VLD1.P	64(R4), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P	64(R4), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P	64(R4), [V8.S4, V9.S4, V10.S4, V11.S4]
	VLD1.P	64(R4), [V12.S4, V13.S4, V14.S4, V15.S4]
	VLD1.P	64(R4), [V16.S4, V17.S4, V18.S4, V19.S4]
	VLD1.P	64(R4), [V20.S4, V21.S4, V22.S4, V23.S4]

loop:
	VFMLA	V24.S4, V25.S4, V0.S4
	VFMLA	V24.S4, V25.S4, V1.S4
	VFMLA	V24.S4, V25.S4, V2.S4
	VFMLA	V24.S4, V25.S4, V3.S4
	VFMLA	V24.S4, V25.S4, V4.S4
	VFMLA	V24.S4, V25.S4, V5.S4
	VFMLA	V24.S4, V25.S4, V6.S4
	VFMLA	V24.S4, V25.S4, V7.S4
	VFMLA	V24.S4, V25.S4, V8.S4
	VFMLA	V24.S4, V25.S4, V9.S4
	VFMLA	V24.S4, V25.S4, V10.S4
	VFMLA	V24.S4, V25.S4, V11.S4
	VFMLA	V24.S4, V25.S4, V12.S4
	VFMLA	V24.S4, V25.S4, V13.S4
	VFMLA	V24.S4, V25.S4, V14.S4
	VFMLA	V24.S4, V25.S4, V15.S4
	VFMLA	V24.S4, V25.S4, V16.S4
	VFMLA	V24.S4, V25.S4, V17.S4
	VFMLA	V24.S4, V25.S4, V18.S4
	VFMLA	V24.S4, V25.S4, V19.S4
	VFMLA	V24.S4, V25.S4, V20.S4
	VFMLA	V24.S4, V25.S4, V21.S4
	VFMLA	V24.S4, V25.S4, V22.S4
	VFMLA	V24.S4, V25.S4, V23.S4
	SUB	$1, R3
	CBNZ	R3, loop

	VST1.P	[V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	VST1.P	[V4.S4, V5.S4, V6.S4, V7.S4], 64(R0)
	VST1.P	[V8.S4, V9.S4, V10.S4, V11.S4], 64(R0)
	VST1.P	[V12.S4, V13.S4, V14.S4, V15.S4], 64(R0)
	VST1.P	[V16.S4, V17.S4, V18.S4, V19.S4], 64(R0)
	VST1.P	[V20.S4, V21.S4, V22.S4, V23.S4], 64(R0)
	RET

// func add32NEON(x []float32, b float32, rounds int)   for rounds: for i := range 96: x[i] += b
// As fma32NEON.
TEXT ·add32NEON(SB), NOSPLIT, $0-40
	MOVD	x_base+0(FP), R0
	MOVWU	b+24(FP), R5
	VDUP	R5, V25.S4
	MOVD	rounds+32(FP), R3
	MOVD	R0, R4
	VLD1.P	64(R4), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P	64(R4), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P	64(R4), [V8.S4, V9.S4, V10.S4, V11.S4]
	VLD1.P	64(R4), [V12.S4, V13.S4, V14.S4, V15.S4]
	VLD1.P	64(R4), [V16.S4, V17.S4, V18.S4, V19.S4]
	VLD1.P	64(R4), [V20.S4, V21.S4, V22.S4, V23.S4]

loop:
	VFADD_S4(25, 0, 0)
	VFADD_S4(25, 1, 1)
	VFADD_S4(25, 2, 2)
	VFADD_S4(25, 3, 3)
	VFADD_S4(25, 4, 4)
	VFADD_S4(25, 5, 5)
	VFADD_S4(25, 6, 6)
	VFADD_S4(25, 7, 7)
	VFADD_S4(25, 8, 8)
	VFADD_S4(25, 9, 9)
	VFADD_S4(25, 10, 10)
	VFADD_S4(25, 11, 11)
	VFADD_S4(25, 12, 12)
	VFADD_S4(25, 13, 13)
	VFADD_S4(25, 14, 14)
	VFADD_S4(25, 15, 15)
	VFADD_S4(25, 16, 16)
	VFADD_S4(25, 17, 17)
	VFADD_S4(25, 18, 18)
	VFADD_S4(25, 19, 19)
	VFADD_S4(25, 20, 20)
	VFADD_S4(25, 21, 21)
	VFADD_S4(25, 22, 22)
	VFADD_S4(25, 23, 23)
	SUB	$1, R3
	CBNZ	R3, loop

	VST1.P	[V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	VST1.P	[V4.S4, V5.S4, V6.S4, V7.S4], 64(R0)
	VST1.P	[V8.S4, V9.S4, V10.S4, V11.S4], 64(R0)
	VST1.P	[V12.S4, V13.S4, V14.S4, V15.S4], 64(R0)
	VST1.P	[V16.S4, V17.S4, V18.S4, V19.S4], 64(R0)
	VST1.P	[V20.S4, V21.S4, V22.S4, V23.S4], 64(R0)
	RET

// func sum32NEON(x []float32) float32   Σ x[i]
// Invariant at loop: R1 points at the first element not yet added, R2+32 are left, R2 >= 0; V0-V7 are the sums of
// registers 0..7 of every 8. Unroll 8: two additions a cycle of latency 4. Tail: one element at a time into F16.
TEXT ·sum32NEON(SB), NOSPLIT, $0-28
	MOVD	x_base+0(FP), R1
	MOVD	x_len+8(FP), R2
	VEOR	V0.B16, V0.B16, V0.B16
	VEOR	V1.B16, V1.B16, V1.B16
	VEOR	V2.B16, V2.B16, V2.B16
	VEOR	V3.B16, V3.B16, V3.B16
	VEOR	V4.B16, V4.B16, V4.B16
	VEOR	V5.B16, V5.B16, V5.B16
	VEOR	V6.B16, V6.B16, V6.B16
	VEOR	V7.B16, V7.B16, V7.B16
	VEOR	V16.B16, V16.B16, V16.B16
	SUBS	$32, R2
	BLT	ones

loop:
	VLD1.P	64(R1), [V8.S4, V9.S4, V10.S4, V11.S4]
	VLD1.P	64(R1), [V12.S4, V13.S4, V14.S4, V15.S4]
	VFADD_S4(8, 0, 0)
	VFADD_S4(9, 1, 1)
	VFADD_S4(10, 2, 2)
	VFADD_S4(11, 3, 3)
	VFADD_S4(12, 4, 4)
	VFADD_S4(13, 5, 5)
	VFADD_S4(14, 6, 6)
	VFADD_S4(15, 7, 7)
	SUBS	$32, R2
	BGE	loop

ones:
	ADD	$32, R2

one:
	CBZ	R2, join
	FMOVS.P	4(R1), F17
	FADDS	F17, F16
	SUB	$1, R2
	B	one

join:
	VFADD_S4(4, 0, 0)
	VFADD_S4(5, 1, 1)
	VFADD_S4(6, 2, 2)
	VFADD_S4(7, 3, 3)
	VFADD_S4(2, 0, 0)
	VFADD_S4(3, 1, 1)
	VFADD_S4(1, 0, 0)
	VFADDP_S4(0, 0, 0)
	VFADDP_S4(0, 0, 0)
	FADDS	F16, F0
	FMOVS	F0, ret+24(FP)
	RET

// func copy32NEON(dst, src []float32)   dst[i] = src[i]
// Invariant at loop: the pointers are at the first element not yet done and R2+32 are left, R2 >= 0. Unroll 8: two
// accesses of 64 bytes. Tail: one element at a time.
TEXT ·copy32NEON(SB), NOSPLIT, $0-48
	MOVD	dst_base+0(FP), R0
	MOVD	src_base+24(FP), R1
	MOVD	src_len+32(FP), R2
	SUBS	$32, R2
	BLT	ones

loop:
	VLD1.P	64(R1), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P	64(R1), [V4.S4, V5.S4, V6.S4, V7.S4]
	VST1.P	[V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	VST1.P	[V4.S4, V5.S4, V6.S4, V7.S4], 64(R0)
	SUBS	$32, R2
	BGE	loop

ones:
	ADD	$32, R2

one:
	CBZ	R2, done
	FMOVS.P	4(R1), F0
	FMOVS.P	F0, 4(R0)
	SUB	$1, R2
	B	one

done:
	RET

// func shift32NEON(x []float32, b float32)   x[i] += b
// As copy32NEON, in place: R1 runs with R0.
TEXT ·shift32NEON(SB), NOSPLIT, $0-28
	MOVD	x_base+0(FP), R0
	MOVD	R0, R1
	MOVD	x_len+8(FP), R2
	MOVWU	b+24(FP), R5
	VDUP	R5, V25.S4
	SUBS	$32, R2
	BLT	ones

loop:
	VLD1.P	64(R1), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P	64(R1), [V4.S4, V5.S4, V6.S4, V7.S4]
	VFADD_S4(25, 0, 0)
	VFADD_S4(25, 1, 1)
	VFADD_S4(25, 2, 2)
	VFADD_S4(25, 3, 3)
	VFADD_S4(25, 4, 4)
	VFADD_S4(25, 5, 5)
	VFADD_S4(25, 6, 6)
	VFADD_S4(25, 7, 7)
	VST1.P	[V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	VST1.P	[V4.S4, V5.S4, V6.S4, V7.S4], 64(R0)
	SUBS	$32, R2
	BGE	loop

ones:
	ADD	$32, R2

one:
	CBZ	R2, done
	FMOVS	(R0), F0
	FADDS	F25, F0
	FMOVS.P	F0, 4(R0)
	SUB	$1, R2
	B	one

done:
	RET

// func fill32NEON(dst []float32, v float32)   dst[i] = v
// As copy32NEON, without a source; V0-V3 are copies of V25.
TEXT ·fill32NEON(SB), NOSPLIT, $0-28
	MOVD	dst_base+0(FP), R0
	MOVD	dst_len+8(FP), R2
	MOVWU	v+24(FP), R5
	VDUP	R5, V25.S4
	VORR	V25.B16, V25.B16, V0.B16
	VORR	V25.B16, V25.B16, V1.B16
	VORR	V25.B16, V25.B16, V2.B16
	VORR	V25.B16, V25.B16, V3.B16
	SUBS	$32, R2
	BLT	ones

loop:
	VST1.P	[V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	VST1.P	[V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	SUBS	$32, R2
	BGE	loop

ones:
	ADD	$32, R2

one:
	CBZ	R2, done
	FMOVS.P	F25, 4(R0)
	SUB	$1, R2
	B	one

done:
	RET

// MIX is the body of mix64NEON and mix32NEON after their arguments, as MIX of the AVX2 file. 24 chains: two units of
// each kind, or four of both, need fewer.
#define MIX(ADD, T) \
	MOVD	R0, R4; \
	VLD1.P	64(R4), [V0.T, V1.T, V2.T, V3.T]; \
	VLD1.P	64(R4), [V4.T, V5.T, V6.T, V7.T]; \
	VLD1.P	64(R4), [V8.T, V9.T, V10.T, V11.T]; \
	VLD1.P	64(R4), [V12.T, V13.T, V14.T, V15.T]; \
	VLD1.P	64(R4), [V16.T, V17.T, V18.T, V19.T]; \
	VLD1.P	64(R4), [V20.T, V21.T, V22.T, V23.T]; \
loop: \
	ADD(25, 0, 0); \
	VFMLA	V24.T, V25.T, V12.T; \
	ADD(25, 1, 1); \
	VFMLA	V24.T, V25.T, V13.T; \
	ADD(25, 2, 2); \
	VFMLA	V24.T, V25.T, V14.T; \
	ADD(25, 3, 3); \
	VFMLA	V24.T, V25.T, V15.T; \
	ADD(25, 4, 4); \
	VFMLA	V24.T, V25.T, V16.T; \
	ADD(25, 5, 5); \
	VFMLA	V24.T, V25.T, V17.T; \
	ADD(25, 6, 6); \
	VFMLA	V24.T, V25.T, V18.T; \
	ADD(25, 7, 7); \
	VFMLA	V24.T, V25.T, V19.T; \
	ADD(25, 8, 8); \
	VFMLA	V24.T, V25.T, V20.T; \
	ADD(25, 9, 9); \
	VFMLA	V24.T, V25.T, V21.T; \
	ADD(25, 10, 10); \
	VFMLA	V24.T, V25.T, V22.T; \
	ADD(25, 11, 11); \
	VFMLA	V24.T, V25.T, V23.T; \
	VFMLA	V24.T, V25.T, V0.T; \
	ADD(25, 12, 12); \
	VFMLA	V24.T, V25.T, V1.T; \
	ADD(25, 13, 13); \
	VFMLA	V24.T, V25.T, V2.T; \
	ADD(25, 14, 14); \
	VFMLA	V24.T, V25.T, V3.T; \
	ADD(25, 15, 15); \
	VFMLA	V24.T, V25.T, V4.T; \
	ADD(25, 16, 16); \
	VFMLA	V24.T, V25.T, V5.T; \
	ADD(25, 17, 17); \
	VFMLA	V24.T, V25.T, V6.T; \
	ADD(25, 18, 18); \
	VFMLA	V24.T, V25.T, V7.T; \
	ADD(25, 19, 19); \
	VFMLA	V24.T, V25.T, V8.T; \
	ADD(25, 20, 20); \
	VFMLA	V24.T, V25.T, V9.T; \
	ADD(25, 21, 21); \
	VFMLA	V24.T, V25.T, V10.T; \
	ADD(25, 22, 22); \
	VFMLA	V24.T, V25.T, V11.T; \
	ADD(25, 23, 23); \
	SUB	$1, R3; \
	CBNZ	R3, loop; \
	VST1.P	[V0.T, V1.T, V2.T, V3.T], 64(R0); \
	VST1.P	[V4.T, V5.T, V6.T, V7.T], 64(R0); \
	VST1.P	[V8.T, V9.T, V10.T, V11.T], 64(R0); \
	VST1.P	[V12.T, V13.T, V14.T, V15.T], 64(R0); \
	VST1.P	[V16.T, V17.T, V18.T, V19.T], 64(R0); \
	VST1.P	[V20.T, V21.T, V22.T, V23.T], 64(R0); \
	RET

// func mix64NEON(x []float64, a, b float64, rounds int)   for rounds: for i := range 48: x[i] += b; x[i] += a·b
// len(x) == 48, rounds > 0. Everything stays in registers; no tail.
TEXT ·mix64NEON(SB), NOSPLIT, $0-48
	MOVD	x_base+0(FP), R0
	MOVD	a+24(FP), R5
	VDUP	R5, V24.D2
	MOVD	b+32(FP), R5
	VDUP	R5, V25.D2
	MOVD	rounds+40(FP), R3
	MIX(VFADD_D2, D2)

// func mix32NEON(x []float32, a, b float32, rounds int)   as mix64NEON, len(x) == 96
TEXT ·mix32NEON(SB), NOSPLIT, $0-40
	MOVD	x_base+0(FP), R0
	MOVWU	a+24(FP), R5
	VDUP	R5, V24.S4
	MOVWU	b+28(FP), R5
	VDUP	R5, V25.S4
	MOVD	rounds+32(FP), R3
	MIX(VFADD_S4, S4)
