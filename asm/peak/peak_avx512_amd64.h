// What the bodies call by the width of vectors; other names are in the table of asm/gen.

#define BLOCK (24*W)

#define ROWS(OP) \
	OP(0, Z0); \
	OP(1, Z1); \
	OP(2, Z2); \
	OP(3, Z3); \
	OP(4, Z4); \
	OP(5, Z5); \
	OP(6, Z6); \
	OP(7, Z7); \
	OP(8, Z8); \
	OP(9, Z9); \
	OP(10, Z10); \
	OP(11, Z11); \
	OP(12, Z12); \
	OP(13, Z13); \
	OP(14, Z14); \
	OP(15, Z15); \
	OP(16, Z16); \
	OP(17, Z17); \
	OP(18, Z18); \
	OP(19, Z19); \
	OP(20, Z20); \
	OP(21, Z21); \
	OP(22, Z22); \
	OP(23, Z23)

// Half of the chains add while the other half multiplies, then they change places, so that both kinds of units have
// work at any time.
#define MIX \
	ADD(0, Z0); \
	FMA(12, Z12); \
	ADD(1, Z1); \
	FMA(13, Z13); \
	ADD(2, Z2); \
	FMA(14, Z14); \
	ADD(3, Z3); \
	FMA(15, Z15); \
	ADD(4, Z4); \
	FMA(16, Z16); \
	ADD(5, Z5); \
	FMA(17, Z17); \
	ADD(6, Z6); \
	FMA(18, Z18); \
	ADD(7, Z7); \
	FMA(19, Z19); \
	ADD(8, Z8); \
	FMA(20, Z20); \
	ADD(9, Z9); \
	FMA(21, Z21); \
	ADD(10, Z10); \
	FMA(22, Z22); \
	ADD(11, Z11); \
	FMA(23, Z23); \
	FMA(0, Z0); \
	ADD(12, Z12); \
	FMA(1, Z1); \
	ADD(13, Z13); \
	FMA(2, Z2); \
	ADD(14, Z14); \
	FMA(3, Z3); \
	ADD(15, Z15); \
	FMA(4, Z4); \
	ADD(16, Z16); \
	FMA(5, Z5); \
	ADD(17, Z17); \
	FMA(6, Z6); \
	ADD(18, Z18); \
	FMA(7, Z7); \
	ADD(19, Z19); \
	FMA(8, Z8); \
	ADD(20, Z20); \
	FMA(9, Z9); \
	ADD(21, Z21); \
	FMA(10, Z10); \
	ADD(22, Z22); \
	FMA(11, Z11); \
	ADD(23, Z23)

// The upper half of Z0 is added to Y0.
#define HALF \
	VEXTRACTF64X4 $1, Z0, Y1; \
	ADDV Y1, Y0, Y0

#include "peak_amd64.h"
