// Body of the kernels for one row: func(t, x, v *F, vs, w int)
//	for l := range WIDTH { t[l] += Σ_j x[j]*v[j*vs+l] }
// with one accumulator for each element and j ascending. w >= 1.
//   SI x at column j; BX row j of v, R11 its stride; DI t; CX columns left; R13 t at first
//   Y0-Y2 accumulators; Y12-Y14 row of v; Y15 element of x
// Bound by reading v once, not by latency, where v is not in the first cache.

	MOVQ t+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ v+16(FP), BX
	MOVQ vs+24(FP), R11
	MOVQ w+32(FP), CX
	SHLQ $SHIFT, R11
	XORQ R12, R12
	MOVQ DI, R13
	INIT(Y0, Y1, Y2)

loop:
	LOADV
	ROW((SI), Y0, Y1, Y2)
	ADDQ $(1<<SHIFT), SI
	ADDQ R11, BX
	DECQ CX
	JNZ  loop

	STORE(Y0, Y1, Y2)
	VZEROUPPER
	RET
