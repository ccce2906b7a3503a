// for g := range n { for i := range h {
//	p, q := x[i]*v[g*h+i], y[i]*u[g*h+i]; s[g*ss+i], d[g*ds+i] = p+q, p-q
// } }
// with p not rounded; h is a positive multiple of two vectors.
//   in: R0 s, R2 ss, R1 d, R3 ds, R12 x, R13 y, R6 v, R7 u, R8 n, R9 h
//   R0, R1 s, d and R2, R3 what is between their rows; R4, R5 x, y, R12, R13 their
//   starts; R6, R7 v, u; R8 structured left; R9 h in bytes, R10 bytes left of the seed
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
	FNEG(16, 18)
	FNEG(17, 19)
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
