// Body of the kernels for eight rows: func(t *F, ts int, x *F, xs int, v *F, vs, w int)
//	for i := range 8 { for l := range WIDTH { t[i*ts+l] += Σ_j x[i*xs+j]*v[j*vs+l] } }
// with one accumulator for each element and j ascending, so that a row gets the
// same bits as from the kernel for one row. w >= 1.
//   SI rows 0-3 and R10 rows 4-7 of x at column j; R8 stride, R9 three strides
//   BX row j of v, R11 its stride; DI t, R12 its stride; CX columns left; R13 t at first
//   Z0-Z23 accumulators, row i in Z3i, Z3i+1, Z3i+2; Z24-Z26 row of v; Z27 element of x
// Eight rows times three registers are 24 independent sums: two multiply-adds
// a cycle of latency four need 8, the rest saves loads of v.

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
	LEAQ (SI)(R8*4), R10
	MOVQ DI, R13
	INIT(Z0, Z1, Z2)
	INIT(Z3, Z4, Z5)
	INIT(Z6, Z7, Z8)
	INIT(Z9, Z10, Z11)
	INIT(Z12, Z13, Z14)
	INIT(Z15, Z16, Z17)
	INIT(Z18, Z19, Z20)
	INIT(Z21, Z22, Z23)

loop:
	LOADV
	ROW((SI), Z0, Z1, Z2)
	ROW((SI)(R8*1), Z3, Z4, Z5)
	ROW((SI)(R8*2), Z6, Z7, Z8)
	ROW((SI)(R9*1), Z9, Z10, Z11)
	ROW((R10), Z12, Z13, Z14)
	ROW((R10)(R8*1), Z15, Z16, Z17)
	ROW((R10)(R8*2), Z18, Z19, Z20)
	ROW((R10)(R9*1), Z21, Z22, Z23)
	ADDQ $(1<<SHIFT), SI
	ADDQ $(1<<SHIFT), R10
	ADDQ R11, BX
	DECQ CX
	JNZ  loop

	STORE(Z0, Z1, Z2)
	STORE(Z3, Z4, Z5)
	STORE(Z6, Z7, Z8)
	STORE(Z9, Z10, Z11)
	STORE(Z12, Z13, Z14)
	STORE(Z15, Z16, Z17)
	STORE(Z18, Z19, Z20)
	STORE(Z21, Z22, Z23)
	VZEROUPPER
	RET
