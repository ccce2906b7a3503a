// Macros of the bodies, which stand in one header each for all types; names that depend on the
// type or on factors and constants are in the table of asm/gen.

// Factors: none, or those at R7.
#define ONES(C, R)
#define ONESLOAD(P, V)
#define ONESTOP(LOAD, MUL, O, C, R)
#define FACTORS(C, R) FMUL(C, R, R)
#define FACTORSLOAD(P, V) VLD1R (P), [V.T]
#define FACTORSTOP(LOAD, MUL, O, C, R) LOAD O(R7), C; MUL C, R, R

// float64

#define DOWNTOP64 \
	FMOVD (R8), F0         \
	FMOVD 8(R8), F1        \
	FADDD F1, F0, F2       \
	FSUBD F1, F0, F3       \
	SCALETOP(FMOVD, FMULD, 0, F4, F2) \
	SCALETOP(FMOVD, FMULD, 8, F4, F3) \
	FMOVD F2, (R0)         \
	FMOVD F3, 8(R0)

#define UPTOP64 \
	FMOVD (R1), F0         \
	FMOVD 8(R1), F1        \
	SCALETOP(FMOVD, FMULD, 0, F4, F0) \
	SCALETOP(FMOVD, FMULD, 8, F4, F1) \
	FADDD F1, F0, F2       \
	FSUBD F1, F0, F3       \
	FMOVD F2, (R8)         \
	FMOVD F3, 8(R8)

// float32

#define DOWNTOP32 \
	FMOVS (R8), F0         \
	FMOVS 4(R8), F1        \
	FMOVS 8(R8), F2        \
	FMOVS 12(R8), F3       \
	FSUBS F1, F0, F5       \
	FADDS F1, F0, F0       \
	FSUBS F3, F2, F6       \
	FADDS F3, F2, F2       \
	FSUBS F2, F0, F7       \
	FADDS F2, F0, F0       \
	SCALETOP(FMOVS, FMULS, 0, F4, F0)  \
	SCALETOP(FMOVS, FMULS, 4, F4, F7)  \
	SCALETOP(FMOVS, FMULS, 8, F4, F5)  \
	SCALETOP(FMOVS, FMULS, 12, F4, F6) \
	FMOVS F0, (R0)         \
	FMOVS F7, 4(R0)        \
	FMOVS F5, 8(R0)        \
	FMOVS F6, 12(R0)

#define UPTOP32 \
	FMOVS (R1), F0         \
	FMOVS 4(R1), F1        \
	FMOVS 8(R1), F2        \
	FMOVS 12(R1), F3       \
	SCALETOP(FMOVS, FMULS, 0, F4, F0)  \
	SCALETOP(FMOVS, FMULS, 4, F4, F1)  \
	SCALETOP(FMOVS, FMULS, 8, F4, F2)  \
	SCALETOP(FMOVS, FMULS, 12, F4, F3) \
	FADDS F1, F0, F5       \
	FSUBS F1, F0, F6       \
	FADDS F2, F5, F0       \
	FSUBS F2, F5, F1       \
	FADDS F3, F6, F2       \
	FSUBS F3, F6, F7       \
	FMOVS F0, (R8)         \
	FMOVS F1, 4(R8)        \
	FMOVS F2, 8(R8)        \
	FMOVS F7, 12(R8)
