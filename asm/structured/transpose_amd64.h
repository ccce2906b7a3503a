// transpose, see structured_avx2_amd64.h.
	SHLQ $SHIFT, R8
	APART
	MOVQ DX, R10
	SHLQ $SHIFT, R10
	LEAQ (R10)(R10*2), R11

columns:
	MOVQ DX, R12
	MOVQ SI, R13
	MOVQ DI, R14

block:
	TRANSPOSE
	ADDQ $32, R14
	SUBQ $(32>>SHIFT), R12
	JNZ  block
	ADDQ $(4<<SHIFT), SI
	LEAQ (DI)(R10*4), DI
	SUBQ $4, CX
	JNZ  columns
