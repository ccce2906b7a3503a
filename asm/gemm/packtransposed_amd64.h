//   for p < k, i < 4: dst[p*w+i] = x[i*is+p]       k > 0 a multiple of 4
//
// CX k left, SI x, R8 is, R9 3·is, DI dst, DX w, R10 3·w; strides in bytes.
// Invariant at loop: SI points at column p of x, DI at row p of dst, CX = k-p.
// A 4×4 transposition a step.
	SHLQ $SHIFT, R8
	SHLQ $SHIFT, DX
	LEAQ (R8)(R8*2), R9
	LEAQ (DX)(DX*2), R10

loop:
	FOURBYFOUR
	ADDQ $(4<<SHIFT), SI
	LEAQ (DI)(DX*4), DI
	SUBQ $4, CX
	JNZ  loop
