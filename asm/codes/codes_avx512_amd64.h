// What the loops call by the width of vectors; other names and constants are in the table of asm/gen.

#define UNROLLED(step) step(0)
#define HALVES(step) \
	step(0); \
	step(32)

// The sum of the 64-bit lanes of ACC, then of the 32-bit lanes; A and B are free.
#define FOLD(add) \
	VEXTRACTI64X4 $1, Z2, Y0; \
	add Y0, Y2, Y2; \
	VEXTRACTI128 $1, Y2, X0; \
	add X0, X2, X2; \
	VPSHUFD $0x4E, X2, X0; \
	add X0, X2, X2
#define TOTALQ \
	FOLD(VPADDQ); \
	VMOVQ X2, AX
#define TOTALD \
	FOLD(VPADDD); \
	VPSHUFD $1, X2, X0; \
	VPADDD X0, X2, X2; \
	VMOVD X2, AX

#include "loops_amd64.h"
