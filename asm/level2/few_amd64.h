// Eight or four bytes at the end of a row of gemvT.
#define FEW4(mov) \
	mov (DI)(R13*1), X4; \
	mov (R11), X6; \
	FMA X6, X0, X4; \
	mov (R11)(R8*1), X6; \
	FMA X6, X1, X4; \
	mov (R12), X6; \
	FMA X6, X2, X4; \
	mov (R12)(R8*1), X6; \
	FMA X6, X3, X4; \
	mov X4, (DI)(R13*1)

#define FEW1(mov) \
	mov (DI)(R13*1), X4; \
	mov (SI)(R13*1), X6; \
	FMA X6, X0, X4; \
	mov X4, (DI)(R13*1)

// As many columns as mov moves in reflect.
#define REFLECT(mov, x, y, z, s, a, b, tau) \
	mov (SI), x; \
	mov (DI), y; \
	mov (BX), z; \
	MUL y, a, s; \
	FMA z, b, s; \
	ADD x, s, s; \
	MUL s, tau, s; \
	SUB s, x, x; \
	FNMADD s, a, y; \
	FNMADD s, b, z; \
	mov x, (SI); \
	mov y, (DI); \
	mov z, (BX)
