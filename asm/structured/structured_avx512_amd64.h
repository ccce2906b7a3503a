// What the bodies call by the width of vectors; other names are in the table of asm/gen.

#define W2 (2*W)
#define A0 Z0
#define A1 Z1
#define A2 Z2
#define A3 Z3
#define A4 Z4
#define A5 Z5
#define A6 Z6
#define A7 Z7
#define V0 Z24
#define V1 Z25
#define V2 Z26
#define X Z27

// Eight rows: SI is at the first, R10 at the fifth, the others follow at distance R8.
#define ROWS(OP) \
	OP((SI), Z0, Z1, Z2); \
	OP((SI)(R8*1), Z3, Z4, Z5); \
	OP((SI)(R8*2), Z6, Z7, Z8); \
	OP((SI)(R9*1), Z9, Z10, Z11); \
	OP((R10), Z12, Z13, Z14); \
	OP((R10)(R8*1), Z15, Z16, Z17); \
	OP((R10)(R8*2), Z18, Z19, Z20); \
	OP((R10)(R9*1), Z21, Z22, Z23)
#define NONE
#define MOREROWS LEAQ (SI)(R8*4), R10
#define NEXT ADDQ $(1<<SHIFT), R10

#include "seeds_amd64.h"
