// for r := range pairs { for i := range n {
//	p, q := a[2*r*n+i], a[(2*r+1)*n+i]; s[r*n+i], d[r*n+i] = p+q, p-q
// } }
// n is a positive multiple of four vectors; s may be a.
//   in: R0 s, R1 d, R2 a, R4 pairs, R5 n
//   R2, R3 the two rows of a; R4 pairs left; R5 n in bytes, R6 bytes left of the pair
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
