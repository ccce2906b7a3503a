// What the bodies call by the width of vectors; other names are in the table of asm/gen.

#define W2 (2*W)
#define A0 Y0
#define A1 Y1
#define A2 Y2
#define A3 Y3
#define A4 Y4
#define A5 Y5
#define A6 Y6
#define A7 Y7
#define V0 Y12
#define V1 Y13
#define V2 Y14
#define X Y15

// Four rows: SI is at the first, the others follow at distance R8.
#define ROWS(OP) \
	OP((SI), Y0, Y1, Y2); \
	OP((SI)(R8*1), Y3, Y4, Y5); \
	OP((SI)(R8*2), Y6, Y7, Y8); \
	OP((SI)(R9*1), Y9, Y10, Y11)
#define NONE
#define MOREROWS
#define NEXT

#include "seeds_amd64.h"

// transpose
//	for i := range cols { for r := range rows { dst[i*rows+r] = t[r*ts+i] } }
// rows is a positive multiple of 32 bytes, cols of 4.
//   SI t at column i, R8 stride of t, R9 two or four strides; DI dst at row i, R10 its stride, R11 three strides
//   DX rows, R12 rows left, R13 t at row r, R14 dst at column r; CX columns left

// Float64 goes by blocks of 4×4: halves of rows r and r+2 in one register, so that unpacking with those of r+1 and r+3
// is all there is to do.
#define APART64 LEAQ (R8)(R8*1), R9
#define TRANSPOSE64 \
	VMOVUPD     (R13), X0; \
	VINSERTF128 $1, (R13)(R9*1), Y0, Y0; \
	VMOVUPD     16(R13), X2; \
	VINSERTF128 $1, 16(R13)(R9*1), Y2, Y2; \
	ADDQ        R8, R13; \
	VMOVUPD     (R13), X1; \
	VINSERTF128 $1, (R13)(R9*1), Y1, Y1; \
	VMOVUPD     16(R13), X3; \
	VINSERTF128 $1, 16(R13)(R9*1), Y3, Y3; \
	ADDQ        R8, R13; \
	ADDQ        R9, R13; \
	VUNPCKLPD   Y1, Y0, Y4; \
	VUNPCKHPD   Y1, Y0, Y5; \
	VUNPCKLPD   Y3, Y2, Y6; \
	VUNPCKHPD   Y3, Y2, Y7; \
	PUT4(Y4, Y5, Y6, Y7)

// Float32 goes by blocks of 8×4: quarters of rows r and r+4 in one register, so that the transposition stays within
// halves of registers.
#define APART32 LEAQ (R8*4), R9
#define NEXT2(a, b) \
	VMOVUPD     (R13), a; \
	VINSERTF128 $1, (R13)(R9*1), b, b; \
	ADDQ        R8, R13
#define TRANSPOSE32 \
	NEXT2(X0, Y0); \
	NEXT2(X1, Y1); \
	NEXT2(X2, Y2); \
	NEXT2(X3, Y3); \
	ADDQ        R9, R13; \
	VUNPCKLPS   Y1, Y0, Y4; \
	VUNPCKHPS   Y1, Y0, Y5; \
	VUNPCKLPS   Y3, Y2, Y6; \
	VUNPCKHPS   Y3, Y2, Y7; \
	VUNPCKLPD   Y6, Y4, Y0; \
	VUNPCKHPD   Y6, Y4, Y1; \
	VUNPCKLPD   Y7, Y5, Y2; \
	VUNPCKHPD   Y7, Y5, Y3; \
	PUT4(Y0, Y1, Y2, Y3)

#define PUT4(a, b, c, d) \
	VMOVUPD     a, (R14); \
	VMOVUPD     b, (R14)(R10*1); \
	VMOVUPD     c, (R14)(R10*2); \
	VMOVUPD     d, (R14)(R11*1)

// deal
//	for i := range n { a[i], b[i] = x[2*i], x[2*i+1] }
// n is a positive multiple of 32 bytes.
//   DI, SI a, b; BX x; CX n in bytes, DX bytes of a done
// Half registers inserted from memory leave two shuffles a pair of registers.
#define DEAL64 \
	VUNPCKLPD Y1, Y0, Y2; \
	VUNPCKHPD Y1, Y0, Y3
#define DEAL32 \
	VSHUFPS $0x88, Y1, Y0, Y2; \
	VSHUFPS $0xdd, Y1, Y0, Y3
