// A step of the elimination of Gauss in all lanes:
//
//   for 0 < i < n:  x[i*xs] /= x[0];  for 0 < c < n: x[i*xs+c] -= x[i*xs]*x[c]
//
// Preconditions: 2 <= n; elements are 64 bytes apart.
//
// Registers: R0 row 0, R1 n, R2 xs in bytes; R3 row i, R4 rows left, R5, R6 columns of rows i and 0, R7 columns left. V0-V3
// pivot, V16-V19 quotient, V20-V23 row 0, V24-V27 what is left. A column is four vectors that do not wait for each other.
	LSL  $6, R2, R2
	VLD1 (R0), [V0.D2, V1.D2, V2.D2, V3.D2]
	MOVD R0, R3
	SUB  $1, R1, R1
	MOVD R1, R4
row:
	ADD  R2, R3, R3
	MOVD R3, R5
	ADD  $64, R0, R6
	MOVD R1, R7
	VLD1 (R5), [V16.D2, V17.D2, V18.D2, V19.D2]
	VFDIV_D2(0, 16, 16)
	VFDIV_D2(1, 17, 17)
	VFDIV_D2(2, 18, 18)
	VFDIV_D2(3, 19, 19)
	VST1.P [V16.D2, V17.D2, V18.D2, V19.D2], 64(R5)
column:
	VLD1.P 64(R6), [V20.D2, V21.D2, V22.D2, V23.D2]
	VLD1 (R5), [V24.D2, V25.D2, V26.D2, V27.D2]
	TAKE(V20, V21, V22, V23, V24, V25, V26, V27)
	VST1.P [V24.D2, V25.D2, V26.D2, V27.D2], 64(R5)
	SUBS $1, R7, R7
	BNE  column
	SUBS $1, R4, R4
	BNE  row
