//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// Arguments of the functions further down.

#define LOWERARGS(shift) \
	MOVD l_base+8(FP), R0  \
	MOVD stride+32(FP), R1 \
	LSL  $shift, R1, R1    \
	MOVD w_base+40(FP), R2 \
	MOVD w_len+48(FP), R5  \
	MOVD r+64(FP), R6      \
	MOVD kind+0(FP), R8

#define SWEEPARGS(shift) \
	MOVD b_base+0(FP), R0   \
	MOVD n+24(FP), R1       \
	MOVD stride+32(FP), R2  \
	LSL  $shift, R2, R2     \
	MOVD w_base+40(FP), R3  \
	MOVD w_len+48(FP), R6   \
	MOVD d_base+64(FP), R4  \
	MOVD c_base+88(FP), R5  \
	VEOR V0.B16, V0.B16, V0.B16

// Rotations of four rows of U and w, see chol.go.
//
//   R0-R3 rows 0..3 of u at column j; R4 w at column j; R5 columns left, a multiple of the lanes; R6 coefficients
//   V16-V19 c_k, V20-V23 s_k, V24-V27 r_k; V0 w, V1 l, V2 scratch
// Invariant at loop: the pointers stand at the first unprocessed column.
// One vector a turn. The macros take register numbers.

// l and w of one rotation; k numbers c, k+4 s, k+8 r.
#define UPDATE(VFMUL, A, c, s, C, S) \
	VFMUL(s, 0, 2)            \ // t = s·w
	VFMLA V1.A, C.A, V2.A     \ // t = c·l + s·w
	VFMUL(c, 0, 0)            \
	VFMLS V1.A, S.A, V0.A       // w = c·w − s·l

#define DOWN(VFMUL, A, c, r, S) \
	VFMLS V0.A, S.A, V1.A     \ // l − s·w
	VFMUL(r, 1, 1)            \ // l = (l − s·w)/c
	VFMUL(c, 0, 0)            \
	VFMLS V1.A, S.A, V0.A       // w = c·w − s·l

#define POINTERS(shift) \
	MOVD u_base+8(FP), R0  \
	MOVD stride+32(FP), R7 \
	LSL  $shift, R7, R7    \
	ADD  R7, R0, R1        \
	ADD  R7, R1, R2        \
	ADD  R7, R2, R3        \
	MOVD w_base+40(FP), R4 \
	MOVD w_len+48(FP), R5  \
	MOVD r+64(FP), R6

#define COEFFICIENTS(A) \
	VLD4R.P (R6), [V16.A, V17.A, V18.A, V19.A] \
	VLD4R.P (R6), [V20.A, V21.A, V22.A, V23.A] \
	VLD4R.P (R6), [V24.A, V25.A, V26.A, V27.A]

// func rotate64NEON(kind Kind, u []float64, stride int, w []float64, r *Rotations[float64])
TEXT ·rotate64NEON(SB), NOSPLIT, $0-72
	POINTERS(3)
	COEFFICIENTS(D2)
	MOVD kind+0(FP), R8
	CMP  $1, R8
	BEQ  down
	BGT  probe
update:
	VLD1 (R4), [V0.D2]
	VLD1 (R0), [V1.D2]
	UPDATE(VFMUL_D2, D2, 16, 20, V16, V20)
	VST1.P [V2.D2], 16(R0)
	VLD1 (R1), [V1.D2]
	UPDATE(VFMUL_D2, D2, 17, 21, V17, V21)
	VST1.P [V2.D2], 16(R1)
	VLD1 (R2), [V1.D2]
	UPDATE(VFMUL_D2, D2, 18, 22, V18, V22)
	VST1.P [V2.D2], 16(R2)
	VLD1 (R3), [V1.D2]
	UPDATE(VFMUL_D2, D2, 19, 23, V19, V23)
	VST1.P [V2.D2], 16(R3)
	VST1.P [V0.D2], 16(R4)
	SUBS $2, R5, R5
	BNE  update
	RET
down:
	VLD1 (R4), [V0.D2]
	VLD1 (R0), [V1.D2]
	DOWN(VFMUL_D2, D2, 16, 24, V20)
	VST1.P [V1.D2], 16(R0)
	VLD1 (R1), [V1.D2]
	DOWN(VFMUL_D2, D2, 17, 25, V21)
	VST1.P [V1.D2], 16(R1)
	VLD1 (R2), [V1.D2]
	DOWN(VFMUL_D2, D2, 18, 26, V22)
	VST1.P [V1.D2], 16(R2)
	VLD1 (R3), [V1.D2]
	DOWN(VFMUL_D2, D2, 19, 27, V23)
	VST1.P [V1.D2], 16(R3)
	VST1.P [V0.D2], 16(R4)
	SUBS $2, R5, R5
	BNE  down
	RET
probe:
	VLD1 (R4), [V0.D2]
	VLD1.P 16(R0), [V1.D2]
	DOWN(VFMUL_D2, D2, 16, 24, V20)
	VLD1.P 16(R1), [V1.D2]
	DOWN(VFMUL_D2, D2, 17, 25, V21)
	VLD1.P 16(R2), [V1.D2]
	DOWN(VFMUL_D2, D2, 18, 26, V22)
	VLD1.P 16(R3), [V1.D2]
	DOWN(VFMUL_D2, D2, 19, 27, V23)
	VST1.P [V0.D2], 16(R4)
	SUBS $2, R5, R5
	BNE  probe
	RET

// func rotate32NEON(kind Kind, u []float32, stride int, w []float32, r *Rotations[float32])
TEXT ·rotate32NEON(SB), NOSPLIT, $0-72
	POINTERS(2)
	COEFFICIENTS(S4)
	MOVD kind+0(FP), R8
	CMP  $1, R8
	BEQ  down
	BGT  probe
update:
	VLD1 (R4), [V0.S4]
	VLD1 (R0), [V1.S4]
	UPDATE(VFMUL_S4, S4, 16, 20, V16, V20)
	VST1.P [V2.S4], 16(R0)
	VLD1 (R1), [V1.S4]
	UPDATE(VFMUL_S4, S4, 17, 21, V17, V21)
	VST1.P [V2.S4], 16(R1)
	VLD1 (R2), [V1.S4]
	UPDATE(VFMUL_S4, S4, 18, 22, V18, V22)
	VST1.P [V2.S4], 16(R2)
	VLD1 (R3), [V1.S4]
	UPDATE(VFMUL_S4, S4, 19, 23, V19, V23)
	VST1.P [V2.S4], 16(R3)
	VST1.P [V0.S4], 16(R4)
	SUBS $4, R5, R5
	BNE  update
	RET
down:
	VLD1 (R4), [V0.S4]
	VLD1 (R0), [V1.S4]
	DOWN(VFMUL_S4, S4, 16, 24, V20)
	VST1.P [V1.S4], 16(R0)
	VLD1 (R1), [V1.S4]
	DOWN(VFMUL_S4, S4, 17, 25, V21)
	VST1.P [V1.S4], 16(R1)
	VLD1 (R2), [V1.S4]
	DOWN(VFMUL_S4, S4, 18, 26, V22)
	VST1.P [V1.S4], 16(R2)
	VLD1 (R3), [V1.S4]
	DOWN(VFMUL_S4, S4, 19, 27, V23)
	VST1.P [V1.S4], 16(R3)
	VST1.P [V0.S4], 16(R4)
	SUBS $4, R5, R5
	BNE  down
	RET
probe:
	VLD1 (R4), [V0.S4]
	VLD1.P 16(R0), [V1.S4]
	DOWN(VFMUL_S4, S4, 16, 24, V20)
	VLD1.P 16(R1), [V1.S4]
	DOWN(VFMUL_S4, S4, 17, 25, V21)
	VLD1.P 16(R2), [V1.S4]
	DOWN(VFMUL_S4, S4, 18, 26, V22)
	VLD1.P 16(R3), [V1.S4]
	DOWN(VFMUL_S4, S4, 19, 27, V23)
	VST1.P [V0.S4], 16(R4)
	SUBS $4, R5, R5
	BNE  probe
	RET

// Rotations of four columns of a lower factor, see chol.go.
//
//   R0 row i, R1 stride in bytes, R2 w_i, R5 rows left, a multiple of the lanes; V16-V27 as above
//   V0 w; V4-V7 the four columns; V1, V2 l and scratch of a rotation
// Two (f64) or four (f32) rows are transposed in registers, rotated and transposed back.

#define COPY(from, to) VORR from.B16, from.B16, to.B16

#define UPDATECOL(VFMUL, A, c, s, C, S, L) \
	COPY(L, V1)                        \
	UPDATE(VFMUL, A, c, s, C, S)       \
	COPY(V2, L)

#define DOWNCOL(VFMUL, A, c, r, S, L) \
	COPY(L, V1)                   \
	DOWN(VFMUL, A, c, r, S)       \
	COPY(V1, L)

#define LOAD2 \
	ADD  R1, R0, R3               \
	VLD1 (R0), [V8.D2, V9.D2]     \
	VLD1 (R3), [V10.D2, V11.D2]   \
	VTRN1 V10.D2, V8.D2, V4.D2    \
	VTRN2 V10.D2, V8.D2, V5.D2    \
	VTRN1 V11.D2, V9.D2, V6.D2    \
	VTRN2 V11.D2, V9.D2, V7.D2    \
	VLD1 (R2), [V0.D2]

#define STORE2 \
	VTRN1 V5.D2, V4.D2, V8.D2     \
	VTRN2 V5.D2, V4.D2, V10.D2    \
	VTRN1 V7.D2, V6.D2, V9.D2     \
	VTRN2 V7.D2, V6.D2, V11.D2    \
	VST1 [V8.D2, V9.D2], (R0)     \
	VST1 [V10.D2, V11.D2], (R3)

#define NEXT2 \
	VST1.P [V0.D2], 16(R2)        \
	ADD  R1<<1, R0, R0            \
	SUBS $2, R5, R5

// func rotateLower64NEON(kind Kind, l []float64, stride int, w []float64, r *Rotations[float64])
TEXT ·rotateLower64NEON(SB), NOSPLIT, $0-72
	LOWERARGS(3)
	COEFFICIENTS(D2)
	CMP  $1, R8
	BEQ  down
	BGT  probe
update:
	LOAD2
	UPDATECOL(VFMUL_D2, D2, 16, 20, V16, V20, V4)
	UPDATECOL(VFMUL_D2, D2, 17, 21, V17, V21, V5)
	UPDATECOL(VFMUL_D2, D2, 18, 22, V18, V22, V6)
	UPDATECOL(VFMUL_D2, D2, 19, 23, V19, V23, V7)
	STORE2
	NEXT2
	BNE  update
	RET
down:
	LOAD2
	DOWNCOL(VFMUL_D2, D2, 16, 24, V20, V4)
	DOWNCOL(VFMUL_D2, D2, 17, 25, V21, V5)
	DOWNCOL(VFMUL_D2, D2, 18, 26, V22, V6)
	DOWNCOL(VFMUL_D2, D2, 19, 27, V23, V7)
	STORE2
	NEXT2
	BNE  down
	RET
probe:
	LOAD2
	DOWNCOL(VFMUL_D2, D2, 16, 24, V20, V4)
	DOWNCOL(VFMUL_D2, D2, 17, 25, V21, V5)
	DOWNCOL(VFMUL_D2, D2, 18, 26, V22, V6)
	DOWNCOL(VFMUL_D2, D2, 19, 27, V23, V7)
	NEXT2
	BNE  probe
	RET

// A 4×4 transposition, V8..V11 to V4..V7 and back.
#define TRANSPOSE4(a, b, c, d, e, f, g, h) \
	VTRN1 b.S4, a.S4, V12.S4      \ // a0 b0 a2 b2
	VTRN2 b.S4, a.S4, V13.S4      \ // a1 b1 a3 b3
	VTRN1 d.S4, c.S4, V14.S4      \
	VTRN2 d.S4, c.S4, V15.S4      \
	VTRN1 V14.D2, V12.D2, e.D2    \
	VTRN1 V15.D2, V13.D2, f.D2    \
	VTRN2 V14.D2, V12.D2, g.D2    \
	VTRN2 V15.D2, V13.D2, h.D2

#define LOAD4 \
	ADD  R1, R0, R3               \
	ADD  R1, R3, R4               \
	ADD  R1, R4, R7               \
	VLD1 (R0), [V8.S4]            \
	VLD1 (R3), [V9.S4]            \
	VLD1 (R4), [V10.S4]           \
	VLD1 (R7), [V11.S4]           \
	TRANSPOSE4(V8, V9, V10, V11, V4, V5, V6, V7) \
	VLD1 (R2), [V0.S4]

#define STORE4 \
	TRANSPOSE4(V4, V5, V6, V7, V8, V9, V10, V11) \
	VST1 [V8.S4], (R0)            \
	VST1 [V9.S4], (R3)            \
	VST1 [V10.S4], (R4)           \
	VST1 [V11.S4], (R7)

#define NEXT4 \
	VST1.P [V0.S4], 16(R2)        \
	ADD  R1<<2, R0, R0            \
	SUBS $4, R5, R5

// func rotateLower32NEON(kind Kind, l []float32, stride int, w []float32, r *Rotations[float32])
TEXT ·rotateLower32NEON(SB), NOSPLIT, $0-72
	LOWERARGS(2)
	COEFFICIENTS(S4)
	CMP  $1, R8
	BEQ  down
	BGT  probe
update:
	LOAD4
	UPDATECOL(VFMUL_S4, S4, 16, 20, V16, V20, V4)
	UPDATECOL(VFMUL_S4, S4, 17, 21, V17, V21, V5)
	UPDATECOL(VFMUL_S4, S4, 18, 22, V18, V22, V6)
	UPDATECOL(VFMUL_S4, S4, 19, 23, V19, V23, V7)
	STORE4
	NEXT4
	BNE  update
	RET
down:
	LOAD4
	DOWNCOL(VFMUL_S4, S4, 16, 24, V20, V4)
	DOWNCOL(VFMUL_S4, S4, 17, 25, V21, V5)
	DOWNCOL(VFMUL_S4, S4, 18, 26, V22, V6)
	DOWNCOL(VFMUL_S4, S4, 19, 27, V23, V7)
	STORE4
	NEXT4
	BNE  down
	RET
probe:
	LOAD4
	DOWNCOL(VFMUL_S4, S4, 16, 24, V20, V4)
	DOWNCOL(VFMUL_S4, S4, 17, 25, V21, V5)
	DOWNCOL(VFMUL_S4, S4, 18, 26, V22, V6)
	DOWNCOL(VFMUL_S4, S4, 19, 27, V23, V7)
	NEXT4
	BNE  probe
	RET

// Rows b ← bL, see chol.go.
//
//   R0 row, R1 rows left, R2 stride in bytes; R3 w, R4 d, R5 c; R6 length; R7 column at hand, R8-R11 addresses
//   V0 zero; V1 running sum (lane 0 in the scalar part, then every lane); V2 b, V3 v = w·b, V4 suffix sums
// Invariant: the columns from R7 on are done, V1 is Σ w_i·b_i over them.
// The right end of a row, shorter than a vector, is scalar.

#define ADDRESSES(shift) \
	ADD R7<<shift, R0, R8  \
	ADD R7<<shift, R3, R9  \
	ADD R7<<shift, R4, R10 \
	ADD R7<<shift, R5, R11

// func sweep64NEON(b []float64, n, stride int, w, d, c []float64)
TEXT ·sweep64NEON(SB), NOSPLIT, $0-112
	SWEEPARGS(3)
row:
	VEOR V1.B16, V1.B16, V1.B16
	MOVD R6, R7
scalar:
	ANDS $1, R7, R12
	BEQ  vector
	SUB  $1, R7, R7
	ADDRESSES(3)
	FMOVD (R8), F2
	FMOVD (R9), F3
	FMOVD (R10), F6
	FMOVD (R11), F7
	FMULD F6, F2, F6
	FMADDD F7, F6, F1, F6       // d·b + c·sum
	FMADDD F3, F1, F2, F1       // sum += w·b
	FMOVD F6, (R8)
	JMP  scalar
vector:
	VDUP V1.D[0], V1.D2
next:
	SUBS $2, R7, R7
	BLT  rowdone
	ADDRESSES(3)
	VLD1 (R8), [V2.D2]
	VLD1 (R9), [V3.D2]
	VLD1 (R10), [V6.D2]
	VLD1 (R11), [V7.D2]
	VFMUL_D2(2, 3, 3)
	VEXT $8, V0.B16, V3.B16, V4.B16   // v_{i+1}
	VFADD_D2(4, 3, 3)                 // lane 0: the vector's sum
	VFADD_D2(1, 4, 4)
	VFMUL_D2(6, 2, 2)
	VFMLA V4.D2, V7.D2, V2.D2
	VDUP V3.D[0], V3.D2
	VFADD_D2(3, 1, 1)
	VST1 [V2.D2], (R8)
	JMP  next
rowdone:
	ADD  R2, R0, R0
	SUBS $1, R1, R1
	BNE  row
	RET

// func sweep32NEON(b []float32, n, stride int, w, d, c []float32)
TEXT ·sweep32NEON(SB), NOSPLIT, $0-112
	SWEEPARGS(2)
row:
	VEOR V1.B16, V1.B16, V1.B16
	MOVD R6, R7
scalar:
	ANDS $3, R7, R12
	BEQ  vector
	SUB  $1, R7, R7
	ADDRESSES(2)
	FMOVS (R8), F2
	FMOVS (R9), F3
	FMOVS (R10), F6
	FMOVS (R11), F7
	FMULS F6, F2, F6
	FMADDS F7, F6, F1, F6       // d·b + c·sum
	FMADDS F3, F1, F2, F1       // sum += w·b
	FMOVS F6, (R8)
	JMP  scalar
vector:
	VDUP V1.S[0], V1.S4
next:
	SUBS $4, R7, R7
	BLT  rowdone
	ADDRESSES(2)
	VLD1 (R8), [V2.S4]
	VLD1 (R9), [V3.S4]
	VLD1 (R10), [V6.S4]
	VLD1 (R11), [V7.S4]
	VFMUL_S4(2, 3, 3)
	VEXT $4, V0.B16, V3.B16, V4.B16   // v_{i+1}
	VEXT $4, V0.B16, V4.B16, V5.B16
	VFADD_S4(5, 4, 4)
	VEXT $8, V0.B16, V4.B16, V5.B16
	VFADD_S4(5, 4, 4)
	VFADD_S4(4, 3, 3)                 // lane 0: the vector's sum
	VFADD_S4(1, 4, 4)
	VFMUL_S4(6, 2, 2)
	VFMLA V4.S4, V7.S4, V2.S4
	VDUP V3.S[0], V3.S4
	VFADD_S4(3, 1, 1)
	VST1 [V2.S4], (R8)
	JMP  next
rowdone:
	ADD  R2, R0, R0
	SUBS $1, R1, R1
	BNE  row
	RET
