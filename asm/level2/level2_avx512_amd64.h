// What the bodies call by the width of vectors. The bodies stand in one header each, for both widths and both types;
// other names are in the table of asm/gen.

// K1 = mask of the last CX mod 64 bytes. Uses AX, R13.
#define TAILMASK \
	MOVQ  CX, R13; \
	ANDQ  $63, R13; \
	SHRQ  $SHIFT, R13; \
	MOVQ  $-1, AX; \
	BZHIQ R13, AX, AX; \
	KMOVQ AX, K1

#define LOADTAIL(mem, v) MOVU.Z mem, K1, v
#define STORETAIL(v, mem) MOVU v, K1, mem

// The first lane of a becomes the sum of its lanes: halves, quarters, pairs, neighbors.
#define SUM64(a, ay, ax, ty, tx) \
	VEXTRACTF64X4 $1, a, ty; \
	VADDPD ty, ay, ay; \
	VEXTRACTF128 $1, ay, tx; \
	VADDPD tx, ax, ax; \
	VPERMILPD $1, ax, tx; \
	VADDSD tx, ax, ax

#define SUM32(a, ay, ax, ty, tx) \
	VEXTRACTF64X4 $1, a, ty; \
	VADDPS ty, ay, ay; \
	VEXTRACTF128 $1, ay, tx; \
	VADDPS tx, ax, ax; \
	VPERMILPD $1, ax, tx; \
	VADDPS tx, ax, ax; \
	VMOVSHDUP ax, tx; \
	VADDSS tx, ax, ax

// Y0 or X0 becomes the sums of the lanes of V0, V2, V4, V6, each in the order of SUM. Uses Y1, Y3, Y5, Y7.
#define HALVES(add) \
	VEXTRACTF64X4 $1, Z0, Y1; \
	VEXTRACTF64X4 $1, Z2, Y3; \
	VEXTRACTF64X4 $1, Z4, Y5; \
	VEXTRACTF64X4 $1, Z6, Y7; \
	add Y1, Y0, Y0; \
	add Y3, Y2, Y2; \
	add Y5, Y4, Y4; \
	add Y7, Y6, Y6

#define SUMS64 \
	HALVES(VADDPD); \
	QUARTERS64

#define SUMS32 \
	HALVES(VADDPS); \
	QUARTERS32

// Half a vector at the end of a row of ger.
#define HALFROW \
	TESTQ $32, CX; \
	JEQ   tail16; \
	MOVU  (SI)(R13*1), Y2; \
	FMA   (DI)(R13*1), Y1, Y2; \
	MOVU  Y2, (SI)(R13*1); \
	ADDQ  $32, R13

// The same for four rows and for one of gemvT.
#define HALF4 \
	TESTQ $32, CX; \
	JEQ   tail16x4; \
	MOVU  (DI)(R13*1), Y4; \
	FMA   (R11), Y0, Y4; \
	FMA   (R11)(R8*1), Y1, Y4; \
	FMA   (R12), Y2, Y4; \
	FMA   (R12)(R8*1), Y3, Y4; \
	MOVU  Y4, (DI)(R13*1); \
	ADDQ  $32, R11; \
	ADDQ  $32, R12; \
	ADDQ  $32, R13

#define HALF1 \
	TESTQ $32, CX; \
	JEQ   tail16x1; \
	MOVU  (DI)(R13*1), Y4; \
	FMA   (SI)(R13*1), Y0, Y4; \
	MOVU  Y4, (DI)(R13*1); \
	ADDQ  $32, R13

// What solve calls: broadcasts are part of the arithmetic.
#define HALFREGISTERS
#define NMADD(c, x, y) FNMADDB c, x, y
#define SCALEROW(c, x) MULB c, x, x

#include "few_amd64.h"
#include "sums_amd64.h"
