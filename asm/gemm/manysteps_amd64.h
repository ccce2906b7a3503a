// Steps of many_amd64.h that are the same at all levels.

// Strides in bytes; then the next matrix.
#define BEGINMANY \
	SHLQ $SHIFT, R8        \
	SHLQ $SHIFT, R12       \
	SHLQ $SHIFT, R13       \
	SHLQ $SHIFT, DX        \
	LEAQ (R8)(R8*2), R9    \
	LEAQ (R8)(R8*4), R10   \
	LEAQ (R10)(R8*2), R11  \
matrix: \
	MOVQ R15, a+16(FP)     \
	MOVQ DI, c+72(FP)      \
	MOVQ m+96(FP), R14

#define BEGINROWS \
	MOVQ R15, SI       \
	MOVQ b+48(FP), BX  \
	MOVQ k+8(FP), CX

#define NEXTTERM \
	ADDQ R12, SI \
	ADDQ R13, BX \
	DECQ CX

#define SCALEONE(S) \
	MUL ALPHA, S, S \
	PUTONE(S)

// A row of one vector, S.
#define FMASINGLE(ADDR, S, T) FMAONE(ADDR, S)
#define PUTSINGLE(S, T) PUTONE(S)
#define SCALESINGLE(S, T) SCALEONE(S)
#define BLENDSINGLE(S, T) BLENDONE(S)
