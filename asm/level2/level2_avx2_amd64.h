// What the bodies call by the width of vectors. The bodies stand in one header each, for both widths and both types;
// other names are in the table of asm/gen.

// Y15 = mask of the last CX mod 32 bytes. Uses AX, R13.
#define TAILMASK \
	MOVQ CX, R13; \
	ANDQ $31, R13; \
	LEAQ tailMask<>+32(SB), AX; \
	SUBQ R13, AX; \
	VMOVDQU (AX), Y15

#define LOADTAIL(mem, v) MASKMOV mem, Y15, v
#define STORETAIL(v, mem) MASKMOV v, Y15, mem

// The first lane of a becomes the sum of its lanes: halves, pairs, neighbors.
#define SUM64(a, ay, ax, ty, tx) \
	VEXTRACTF128 $1, ay, tx; \
	VADDPD tx, ax, ax; \
	VPERMILPD $1, ax, tx; \
	VADDSD tx, ax, ax

#define SUM32(a, ay, ax, ty, tx) \
	VEXTRACTF128 $1, ay, tx; \
	VADDPS tx, ax, ax; \
	VPERMILPD $1, ax, tx; \
	VADDPS tx, ax, ax; \
	VMOVSHDUP ax, tx; \
	VADDSS tx, ax, ax

#define SUMS64 QUARTERS64
#define SUMS32 QUARTERS32

// A vector has 32 bytes: what is left is less.
#define HALFROW
#define HALF4
#define HALF1

// What solve calls.
#define NMADD(c, x, y) \
	BROADCAST c, V9; \
	FNMADD DT, x, y

#define SCALEROW(c, x) \
	BROADCAST c, V9; \
	MUL DT, x, x

#include "few_amd64.h"
#include "sums_amd64.h"
