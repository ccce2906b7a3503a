// What the bodies call by the width of vectors; other names and constants are in the table of asm/gen.

#include "sums_amd64.h"
#include "values_amd64.h"
#include "exp_avx2_amd64.h"

#define ZERO(v) VXORPS v, v, v

// Sums: tiles of 6 or 4 rows, half the rows of a panel of x against half of a
// panel of z. 12 sums are what 16 registers leave room for; two ports at a
// latency of 4 need 8.

// The rows of a tile: number, sums, a register for x, two for differences,
// twice.
#define ROWS4(OP) \
	OP(0, Y4, Y5, Y2, Y2, Y3, Y2, Y3)   \
	OP(1, Y6, Y7, Y2, Y2, Y3, Y2, Y3)   \
	OP(2, Y8, Y9, Y2, Y2, Y3, Y2, Y3)   \
	OP(3, Y10, Y11, Y2, Y2, Y3, Y2, Y3)
#define ROWS6(OP) \
	ROWS4(OP) \
	OP(4, Y12, Y13, Y2, Y2, Y3, Y2, Y3) \
	OP(5, Y14, Y15, Y2, Y2, Y3, Y2, Y3)
#define ZEROS4 ROWS4(ZEROROW)
#define ZEROS6 ROWS6(ZEROROW)

// Panels of z are taken by halves: R13 is what leads to the next, half a panel or
// the rest of the distance of panels.
#define FIRSTPANEL \
	ADDQ R8, R8  \
	MOVQ $64, R13
#define NEXTPANEL(z) \
	ADDQ R13, z  \
	NEGQ R13     \
	ADDQ R9, R13

// one row of one column
#define DOT(r, a, b, t, p, q, u, v) \
	VBCAST (r*SIZE)(SI), t       \
	VFMA   Y0, t, a              \
	VFMA   Y1, t, b
#define SQUARE(r, a, b, t, p, q, u, v) \
	VBCAST (r*SIZE)(SI), t       \
	VSUB   t, Y0, q              \
	VFMA   q, q, a               \
	VSUB   t, Y1, q              \
	VFMA   q, q, b
#define ABSOLUTE(r, a, b, t, p, q, u, v) \
	VBCAST (r*SIZE)(SI), u       \
	VSUB   u, Y0, v              \
	VSUB   u, Y1, u              \
	VAND   NOSIGN, v, v          \
	VAND   NOSIGN, u, u          \
	VADD   v, a, a               \
	VADD   u, b, b

// Norms.
#define MANY(OP) \
	OP(0, Y4, Y0)  \
	OP(32, Y5, Y1) \
	OP(64, Y6, Y2) \
	OP(96, Y7, Y3)

// Sparse: one panel at a time.
#define VAL Y8
#define PANEL(OP) \
	OP(0, Y0, Y4)  \
	OP(32, Y1, Y5) \
	OP(64, Y2, Y6) \
	OP(96, Y3, Y7)
#define COLUMN \
	VFMA (BX)(DX*1), VAL, Y0   \
	VFMA 32(BX)(DX*1), VAL, Y1 \
	VFMA 64(BX)(DX*1), VAL, Y2 \
	VFMA 96(BX)(DX*1), VAL, Y3
#define SPARSEPANELS \
	SPARSE(PANEL, NOTHING, COLUMN, panel, next, in, put) \
	ADDQ $128, DI        \
	ADDQ R9, BX          \
	DECQ R8              \
	JNZ  panel

// Functions of rows: groups of four vectors, so that four independent chains are
// in flight; then one vector at a time, the last one by masked moves.
#define XN Y14
#define NIL Y8
#define OFFSET Y13
#define FOUR(OP) \
	OP(0, Y0, Y4, Y15)  \
	OP(32, Y1, Y5, Y15) \
	OP(64, Y2, Y6, Y15) \
	OP(96, Y3, Y7, Y15)
#define ONE(OP) OP(0, Y0, Y4, Y15)

// mask keeps the first numbers of a vector, as many as columns beyond whole
// vectors.
#define MASKQ(cols, mask) \
	LEAQ window<>+32(SB), DX \
	MOVQ cols, AX            \
	ANDQ $(PER-1), AX        \
	SHLQ $LOG, AX            \
	SUBQ AX, DX              \
	VMOV (DX), mask

#define SINGLE(VALUES, LASTVALUES) \
one: \
	SUBQ  $PER, CX       \
	JLT   last           \
	VALUES               \
	ADDQ  $32, AX        \
	TESTQ CX, CX         \
	JNZ   one            \
	JMP   next           \
last: \
	LASTVALUES

#define LOADM(off, x, t, m) VMASKMOV off(R9)(AX*1), m, x
#define STOREM(off, x, t, m) VMASKMOV x, m, off(DI)(AX*1)

// x = max(0, (xn+zn)−2s). The maximum passes NaN on.
#define DISTANCE(off, x, t, m) \
	VMOV     off(R9)(AX*1), t     \
	VADD     off(BX)(AX*1), XN, x \
	VFNMA    TWO, t, x            \
	VMAX     x, NIL, x
#define DISTANCEM(off, x, t, m) \
	VMASKMOV off(BX)(AX*1), m, x  \
	VMASKMOV off(R9)(AX*1), m, t  \
	VADD     XN, x, x             \
	VFNMA    TWO, t, x            \
	VMAX     x, NIL, x
#define DISTANCES \
	FOUR(DISTANCE) \
	FOUR(STORE)
#define DISTANCES1 \
	ONE(DISTANCE)  \
	ONE(STORE)
#define DISTANCESM \
	ONE(DISTANCEM) \
	ONE(STOREM)

#define POWERS \
	FOUR(LOAD) \
	POWER(FOUR, fbit, feven, fdone) \
	FOUR(STORE)
#define POWERS1 \
	ONE(LOAD) \
	POWER(ONE, obit, oeven, odone) \
	ONE(STORE)
#define POWERSM \
	ONE(LOADM) \
	POWER(ONE, lbit, leven, ldone) \
	ONE(STOREM)

// The mask of the last vector of the exponential: the first CX numbers. CX is lost.
#define MASK Y7
#define LASTMASK \
	SHLQ $LOG, CX            \
	LEAQ window<>+32(SB), DX \
	SUBQ CX, DX              \
	VMOV (DX), MASK

// the last of the products of rowSums
#define LASTPRODUCTS \
one: \
	SUBQ  $PER, CX        \
	JLT   last            \
	VMOV  (BX)(AX*1), Y4  \
	VFMA  (R9)(AX*1), Y4, Y0 \
	ADDQ  $32, AX         \
	TESTQ CX, CX          \
	JNZ   one             \
	JMP   join            \
last: \
	VMASKMOV (BX)(AX*1), Y15, Y4 \
	VMASKMOV (R9)(AX*1), Y15, Y5 \
	VFMA  Y5, Y4, Y0
#define HALVES \
	VEXTRACTF128 $1, Y0, X1 \
	VADD         X1, X0, X0

// COLSUMSQ is sum[j] += Σ_r v[r]·s[r][j], r ascending, for four vectors of
// columns at a time, then one, the last one under the mask.
//   DI sum, R9 s, R11 row distance in bytes, BX v, R12 row, R13 rows left, CX
//   columns left
#define COLUMNS(OP) \
	OP(0, Y0)  \
	OP(32, Y1) \
	OP(64, Y2) \
	OP(96, Y3)
#define LOADSUM(off, sum) VMOV off(DI), sum
#define ADDPRODUCT(off, sum) VFMA off(R12), Y8, sum
#define PUTSUM(off, sum) VMOV sum, off(DI)
#define FIRSTROW(v, rows) \
	MOVQ   R9, R12        \
	MOVQ   v, BX          \
	MOVQ   rows, R13
#define NEXTROW(row) \
	ADDQ   $SIZE, BX      \
	ADDQ   R11, R12       \
	DECQ   R13            \
	JNZ    row
#define COLSUMSQ(v, rows, cols) \
	MOVQ   cols, CX       \
	SUBQ   $(4*PER), CX   \
	JLT    tail           \
group: \
	COLUMNS(LOADSUM)      \
	FIRSTROW(v, rows)     \
four: \
	VBCAST (BX), Y8       \
	COLUMNS(ADDPRODUCT)   \
	NEXTROW(four)         \
	COLUMNS(PUTSUM)       \
	ADDQ   $128, DI       \
	ADDQ   $128, R9       \
	SUBQ   $(4*PER), CX   \
	JGE    group          \
tail: \
	ADDQ   $(4*PER), CX   \
	JZ     done           \
one: \
	FIRSTROW(v, rows)     \
	SUBQ   $PER, CX       \
	JLT    last           \
	LOADSUM(0, Y0)        \
row: \
	VBCAST (BX), Y8       \
	ADDPRODUCT(0, Y0)     \
	NEXTROW(row)          \
	PUTSUM(0, Y0)         \
	ADDQ   $32, DI        \
	ADDQ   $32, R9        \
	TESTQ  CX, CX         \
	JNZ    one            \
	JMP    done           \
last: \
	VMASKMOV (DI), Y15, Y0 \
lastrow: \
	VBCAST (BX), Y8       \
	VMASKMOV (R12), Y15, Y1 \
	VFMA   Y1, Y8, Y0     \
	NEXTROW(lastrow)      \
	VMASKMOV Y0, Y15, (DI) \
done:

// The names that depend on the type as well.
#define DECAY64 EXP64Y_DECAY(Y0, Y1, Y2, Y3, Y4, Y5, Y6)
#define DECAY32 EXP32Y_DECAY(Y0, Y1, Y2, Y3, Y4, Y5, Y6)
#define FEW64(OP) \
	OP(0, Y4, Y0)  \
	OP(32, Y5, Y1) \
	OP(64, Y6, Y2)
#define FEW32(OP) \
	OP(0, Y4, Y0)  \
	OP(32, X5, X1)

// What the entries do otherwise for AVX-512.
#define SIGNS
#define LOADTWO
#define COLUMNMASK(cols) MASKQ(cols, Y15)
#define GROUP 4
#define LASTDISTANCES SINGLE(DISTANCES1, DISTANCESM)
#define LASTPOWERS SINGLE(POWERS1, POWERSM)
