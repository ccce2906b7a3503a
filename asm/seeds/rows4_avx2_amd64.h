// Body of the kernels for four rows: func(t *F, ts int, x *F, xs int, v *F, vs, w int)
//	for i := range 4 { for l := range WIDTH { t[i*ts+l] += Σ_j x[i*xs+j]*v[j*vs+l] } }
// with one accumulator for each element and j ascending, so that a row gets the
// same bits as from the kernel for one row. w >= 1.
//   SI x at column j, R8 stride, R9 three strides; BX row j of v, R11 its stride
//   DI t, R12 its stride; CX columns left; R13 t at first
//   Y0-Y11 accumulators, row i in Y3i, Y3i+1, Y3i+2; Y12-Y14 row of v; Y15 element of x
// Four rows times three registers are what fits 16 registers.

	MOVQ t+0(FP), DI
	MOVQ ts+8(FP), R12
	MOVQ x+16(FP), SI
	MOVQ xs+24(FP), R8
	MOVQ v+32(FP), BX
	MOVQ vs+40(FP), R11
	MOVQ w+48(FP), CX
	SHLQ $SHIFT, R12
	SHLQ $SHIFT, R8
	SHLQ $SHIFT, R11
	LEAQ (R8)(R8*2), R9
	MOVQ DI, R13
	INIT(Y0, Y1, Y2)
	INIT(Y3, Y4, Y5)
	INIT(Y6, Y7, Y8)
	INIT(Y9, Y10, Y11)

loop:
	LOADV
	ROW((SI), Y0, Y1, Y2)
	ROW((SI)(R8*1), Y3, Y4, Y5)
	ROW((SI)(R8*2), Y6, Y7, Y8)
	ROW((SI)(R9*1), Y9, Y10, Y11)
	ADDQ $(1<<SHIFT), SI
	ADDQ R11, BX
	DECQ CX
	JNZ  loop

	STORE(Y0, Y1, Y2)
	STORE(Y3, Y4, Y5)
	STORE(Y6, Y7, Y8)
	STORE(Y9, Y10, Y11)
	VZEROUPPER
	RET
