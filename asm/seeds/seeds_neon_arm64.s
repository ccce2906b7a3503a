//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// float64

#define SHIFT 3
#define BYTES 8
#define T D2
#define FADD(M, N, D) VFADD_D2(M, N, D)
#define FSUB(M, N, D) VFSUB_D2(M, N, D)
#define FMUL(M, N, D) VFMUL_D2(M, N, D)
#define ROW(X, A, B, C, D) VLD1R.P BYTES(X), [V20.T]; VFMLA V16.T, V20.T, A.T; VFMLA V17.T, V20.T, B.T; VFMLA V18.T, V20.T, C.T; VFMLA V19.T, V20.T, D.T

// func block64NEON(t *float64, ts int, x *float64, xs int, v *float64, vs, w, c int)
//	for i := range 4 { for l := range 8 { t[i*ts+l] += Σ_j x[i*xs+j]*v[j*vs+l] } }
// with one accumulator for each element and j ascending, so that a row gets the
// same bits as from the kernel for one row. w >= 1; ts == vs and c == 1.
//   R0 t, R1 stride of t and v; R2-R5 rows of x at column j; R6 row j of v; R7 columns left
//   V0-V15 accumulators, four a row; V16-V19 row of v; V20 element of x
TEXT ·block64NEON(SB), NOSPLIT, $0-64
	MOVD t+0(FP), R0
	MOVD ts+8(FP), R1
	MOVD x+16(FP), R2
	MOVD xs+24(FP), R8
	MOVD v+32(FP), R6
	MOVD w+48(FP), R7
	LSL  $SHIFT, R1, R1
	LSL  $SHIFT, R8, R8
	ADD  R8, R2, R3
	ADD  R8, R3, R4
	ADD  R8, R4, R5
	ADD  R1, R0, R9
	ADD  R1, R9, R10
	ADD  R1, R10, R11
	VLD1 (R0), [V0.T, V1.T, V2.T, V3.T]
	VLD1 (R9), [V4.T, V5.T, V6.T, V7.T]
	VLD1 (R10), [V8.T, V9.T, V10.T, V11.T]
	VLD1 (R11), [V12.T, V13.T, V14.T, V15.T]

loop:
	VLD1 (R6), [V16.T, V17.T, V18.T, V19.T]
	ADD  R1, R6
	ROW(R2, V0, V1, V2, V3)
	ROW(R3, V4, V5, V6, V7)
	ROW(R4, V8, V9, V10, V11)
	ROW(R5, V12, V13, V14, V15)
	SUBS $1, R7
	BNE  loop
	VST1 [V0.T, V1.T, V2.T, V3.T], (R0)
	VST1 [V4.T, V5.T, V6.T, V7.T], (R9)
	VST1 [V8.T, V9.T, V10.T, V11.T], (R10)
	VST1 [V12.T, V13.T, V14.T, V15.T], (R11)
	RET

// func line64NEON(t, x, v *float64, vs, w, c int)
//	for l := range 8 { t[l] += Σ_j x[j]*v[j*vs+l] }
// as block64NEON does for each of its rows.
//   R0 t, R1 stride of v; R2 x at column j; R6 row j of v; R7 columns left
TEXT ·line64NEON(SB), NOSPLIT, $0-48
	MOVD t+0(FP), R0
	MOVD x+8(FP), R2
	MOVD v+16(FP), R6
	MOVD vs+24(FP), R1
	MOVD w+32(FP), R7
	LSL  $SHIFT, R1, R1
	VLD1 (R0), [V0.T, V1.T, V2.T, V3.T]

loop:
	VLD1 (R6), [V16.T, V17.T, V18.T, V19.T]
	ADD  R1, R6
	ROW(R2, V0, V1, V2, V3)
	SUBS $1, R7
	BNE  loop
	VST1 [V0.T, V1.T, V2.T, V3.T], (R0)
	RET

// func split64NEON(s *float64, ss int, d *float64, ds int, x, y, v, u *float64, n, h int)
//	for g := range n { for i := range h {
//		p, q := x[i]*v[g*h+i], y[i]*u[g*h+i]; s[g*ss+i], d[g*ds+i] = p+q, p-q
//	} }
// with p not rounded; h is a positive multiple of 4.
//   R0, R1 s, d and R2, R3 what is between their rows; R4, R5 x, y, R12, R13 their
//   starts; R6, R7 v, u; R8 seeds left; R9 h in bytes, R10 bytes left of the seed
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
	SUB  R9, R2
	SUB  R9, R3
	LSL  $SHIFT, R2, R2
	LSL  $SHIFT, R3, R3
	LSL  $SHIFT, R9, R9

seed:
	MOVD R12, R4
	MOVD R13, R5
	MOVD R9, R10

loop:
	VLD1.P 32(R4), [V0.T, V1.T]
	VLD1.P 32(R5), [V2.T, V3.T]
	VLD1.P 32(R6), [V4.T, V5.T]
	VLD1.P 32(R7), [V6.T, V7.T]
	FMUL(6, 2, 16)
	FMUL(7, 3, 17)
	VFNEG_D2(16, 18)
	VFNEG_D2(17, 19)
	VFMLA  V4.T, V0.T, V16.T
	VFMLA  V5.T, V1.T, V17.T
	VFMLA  V4.T, V0.T, V18.T
	VFMLA  V5.T, V1.T, V19.T
	VST1.P [V16.T, V17.T], 32(R0)
	VST1.P [V18.T, V19.T], 32(R1)
	SUBS   $32, R10
	BNE    loop
	ADD    R2, R0
	ADD    R3, R1
	SUBS   $1, R8
	BNE    seed
	RET

// func addSub64NEON(s, d, a *float64, pairs, n int)
//	for r := range pairs { for i := range n {
//		p, q := a[2*r*n+i], a[(2*r+1)*n+i]; s[r*n+i], d[r*n+i] = p+q, p-q
//	} }
// n is a positive multiple of 8; s may be a.
//   R0, R1 s, d; R2, R3 the two rows of a; R4 pairs left; R5 n in bytes, R6 bytes left of the pair
TEXT ·addSub64NEON(SB), NOSPLIT, $0-40
	MOVD s+0(FP), R0
	MOVD d+8(FP), R1
	MOVD a+16(FP), R2
	MOVD pairs+24(FP), R4
	MOVD n+32(FP), R5
	LSL  $SHIFT, R5, R5

pair:
	ADD  R5, R2, R3
	MOVD R5, R6

loop:
	VLD1.P 64(R2), [V0.T, V1.T, V2.T, V3.T]
	VLD1.P 64(R3), [V4.T, V5.T, V6.T, V7.T]
	FADD(4, 0, 16)
	FADD(5, 1, 17)
	FADD(6, 2, 18)
	FADD(7, 3, 19)
	FSUB(4, 0, 20)
	FSUB(5, 1, 21)
	FSUB(6, 2, 22)
	FSUB(7, 3, 23)
	VST1.P [V16.T, V17.T, V18.T, V19.T], 64(R0)
	VST1.P [V20.T, V21.T, V22.T, V23.T], 64(R1)
	SUBS   $64, R6
	BNE    loop
	MOVD   R3, R2
	SUBS   $1, R4
	BNE    pair
	RET

#undef SHIFT
#undef BYTES
#undef T
#undef FADD
#undef FSUB
#undef FMUL
#undef ROW

// float32

#define SHIFT 2
#define BYTES 4
#define T S4
#define FADD(M, N, D) VFADD_S4(M, N, D)
#define FSUB(M, N, D) VFSUB_S4(M, N, D)
#define FMUL(M, N, D) VFMUL_S4(M, N, D)
#define ROW(X, A, B, C, D) VLD1R.P BYTES(X), [V20.T]; VFMLA V16.T, V20.T, A.T; VFMLA V17.T, V20.T, B.T; VFMLA V18.T, V20.T, C.T; VFMLA V19.T, V20.T, D.T

// func block32NEON(t *float32, ts int, x *float32, xs int, v *float32, vs, w, c int)
//	for i := range 4 { for l := range 16 { t[i*ts+l] += Σ_j x[i*xs+j]*v[j*vs+l] } }
// with one accumulator for each element and j ascending, so that a row gets the
// same bits as from the kernel for one row. w >= 1; ts == vs and c == 1.
//   R0 t, R1 stride of t and v; R2-R5 rows of x at column j; R6 row j of v; R7 columns left
//   V0-V15 accumulators, four a row; V16-V19 row of v; V20 element of x
TEXT ·block32NEON(SB), NOSPLIT, $0-64
	MOVD t+0(FP), R0
	MOVD ts+8(FP), R1
	MOVD x+16(FP), R2
	MOVD xs+24(FP), R8
	MOVD v+32(FP), R6
	MOVD w+48(FP), R7
	LSL  $SHIFT, R1, R1
	LSL  $SHIFT, R8, R8
	ADD  R8, R2, R3
	ADD  R8, R3, R4
	ADD  R8, R4, R5
	ADD  R1, R0, R9
	ADD  R1, R9, R10
	ADD  R1, R10, R11
	VLD1 (R0), [V0.T, V1.T, V2.T, V3.T]
	VLD1 (R9), [V4.T, V5.T, V6.T, V7.T]
	VLD1 (R10), [V8.T, V9.T, V10.T, V11.T]
	VLD1 (R11), [V12.T, V13.T, V14.T, V15.T]

loop:
	VLD1 (R6), [V16.T, V17.T, V18.T, V19.T]
	ADD  R1, R6
	ROW(R2, V0, V1, V2, V3)
	ROW(R3, V4, V5, V6, V7)
	ROW(R4, V8, V9, V10, V11)
	ROW(R5, V12, V13, V14, V15)
	SUBS $1, R7
	BNE  loop
	VST1 [V0.T, V1.T, V2.T, V3.T], (R0)
	VST1 [V4.T, V5.T, V6.T, V7.T], (R9)
	VST1 [V8.T, V9.T, V10.T, V11.T], (R10)
	VST1 [V12.T, V13.T, V14.T, V15.T], (R11)
	RET

// func line32NEON(t, x, v *float32, vs, w, c int)
//	for l := range 16 { t[l] += Σ_j x[j]*v[j*vs+l] }
// as block32NEON does for each of its rows.
//   R0 t, R1 stride of v; R2 x at column j; R6 row j of v; R7 columns left
TEXT ·line32NEON(SB), NOSPLIT, $0-48
	MOVD t+0(FP), R0
	MOVD x+8(FP), R2
	MOVD v+16(FP), R6
	MOVD vs+24(FP), R1
	MOVD w+32(FP), R7
	LSL  $SHIFT, R1, R1
	VLD1 (R0), [V0.T, V1.T, V2.T, V3.T]

loop:
	VLD1 (R6), [V16.T, V17.T, V18.T, V19.T]
	ADD  R1, R6
	ROW(R2, V0, V1, V2, V3)
	SUBS $1, R7
	BNE  loop
	VST1 [V0.T, V1.T, V2.T, V3.T], (R0)
	RET

// func split32NEON(s *float32, ss int, d *float32, ds int, x, y, v, u *float32, n, h int)
//	for g := range n { for i := range h {
//		p, q := x[i]*v[g*h+i], y[i]*u[g*h+i]; s[g*ss+i], d[g*ds+i] = p+q, p-q
//	} }
// with p not rounded; h is a positive multiple of 8.
//   R0, R1 s, d and R2, R3 what is between their rows; R4, R5 x, y, R12, R13 their
//   starts; R6, R7 v, u; R8 seeds left; R9 h in bytes, R10 bytes left of the seed
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
	SUB  R9, R2
	SUB  R9, R3
	LSL  $SHIFT, R2, R2
	LSL  $SHIFT, R3, R3
	LSL  $SHIFT, R9, R9

seed:
	MOVD R12, R4
	MOVD R13, R5
	MOVD R9, R10

loop:
	VLD1.P 32(R4), [V0.T, V1.T]
	VLD1.P 32(R5), [V2.T, V3.T]
	VLD1.P 32(R6), [V4.T, V5.T]
	VLD1.P 32(R7), [V6.T, V7.T]
	FMUL(6, 2, 16)
	FMUL(7, 3, 17)
	VFNEG_S4(16, 18)
	VFNEG_S4(17, 19)
	VFMLA  V4.T, V0.T, V16.T
	VFMLA  V5.T, V1.T, V17.T
	VFMLA  V4.T, V0.T, V18.T
	VFMLA  V5.T, V1.T, V19.T
	VST1.P [V16.T, V17.T], 32(R0)
	VST1.P [V18.T, V19.T], 32(R1)
	SUBS   $32, R10
	BNE    loop
	ADD    R2, R0
	ADD    R3, R1
	SUBS   $1, R8
	BNE    seed
	RET

// func addSub32NEON(s, d, a *float32, pairs, n int)
//	for r := range pairs { for i := range n {
//		p, q := a[2*r*n+i], a[(2*r+1)*n+i]; s[r*n+i], d[r*n+i] = p+q, p-q
//	} }
// n is a positive multiple of 16; s may be a.
//   R0, R1 s, d; R2, R3 the two rows of a; R4 pairs left; R5 n in bytes, R6 bytes left of the pair
TEXT ·addSub32NEON(SB), NOSPLIT, $0-40
	MOVD s+0(FP), R0
	MOVD d+8(FP), R1
	MOVD a+16(FP), R2
	MOVD pairs+24(FP), R4
	MOVD n+32(FP), R5
	LSL  $SHIFT, R5, R5

pair:
	ADD  R5, R2, R3
	MOVD R5, R6

loop:
	VLD1.P 64(R2), [V0.T, V1.T, V2.T, V3.T]
	VLD1.P 64(R3), [V4.T, V5.T, V6.T, V7.T]
	FADD(4, 0, 16)
	FADD(5, 1, 17)
	FADD(6, 2, 18)
	FADD(7, 3, 19)
	FSUB(4, 0, 20)
	FSUB(5, 1, 21)
	FSUB(6, 2, 22)
	FSUB(7, 3, 23)
	VST1.P [V16.T, V17.T, V18.T, V19.T], 64(R0)
	VST1.P [V20.T, V21.T, V22.T, V23.T], 64(R1)
	SUBS   $64, R6
	BNE    loop
	MOVD   R3, R2
	SUBS   $1, R4
	BNE    pair
	RET
