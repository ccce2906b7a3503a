// What the bodies call by the width of vectors; other names are in the table of asm/gen.

#define BLOCK (12*W)

#define ROWS(OP) \
	OP(0, Y0); \
	OP(1, Y1); \
	OP(2, Y2); \
	OP(3, Y3); \
	OP(4, Y4); \
	OP(5, Y5); \
	OP(6, Y6); \
	OP(7, Y7); \
	OP(8, Y8); \
	OP(9, Y9); \
	OP(10, Y10); \
	OP(11, Y11)

// Half of the chains add while the other half multiplies, then they change places, so that both kinds of units have
// work at any time.
#define MIX \
	ADD(0, Y0); \
	FMA(6, Y6); \
	ADD(1, Y1); \
	FMA(7, Y7); \
	ADD(2, Y2); \
	FMA(8, Y8); \
	ADD(3, Y3); \
	FMA(9, Y9); \
	ADD(4, Y4); \
	FMA(10, Y10); \
	ADD(5, Y5); \
	FMA(11, Y11); \
	FMA(0, Y0); \
	ADD(6, Y6); \
	FMA(1, Y1); \
	ADD(7, Y7); \
	FMA(2, Y2); \
	ADD(8, Y8); \
	FMA(3, Y3); \
	ADD(9, Y9); \
	FMA(4, Y4); \
	ADD(10, Y10); \
	FMA(5, Y5); \
	ADD(11, Y11)

// The sum is in Y0 already.
#define HALF

#include "peak_amd64.h"
