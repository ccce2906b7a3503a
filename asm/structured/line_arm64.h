// for l := range 4 vectors { t[l] += Σ_j x[j]*v[j*vs+l] }
// as block does for each of its rows.
//   in: R0 t, R2 x, R6 v, R1 vs, R7 w
//   R1 stride of v in bytes; R2 x at column j; R6 row j of v; R7 columns left
	LSL  $SHIFT, R1, R1
	VLD1 (R0), [V0.T, V1.T, V2.T, V3.T]

loop:
	VLD1 (R6), [V16.T, V17.T, V18.T, V19.T]
	ADD  R1, R6
	ROW(R2, V0, V1, V2, V3)
	SUBS $1, R7
	BNE  loop
	VST1 [V0.T, V1.T, V2.T, V3.T], (R0)
