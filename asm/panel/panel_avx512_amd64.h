// What the bodies call by the width of vectors; other names and constants are in the table of asm/gen.

#include "sums_amd64.h"
#include "values_amd64.h"
#include "exp_avx512_amd64.h"

#define ZERO(v) VPXORQ v, v, v

// Sums: tiles of 12 or 4 rows. 24 sums hide the latency of 4 on two ports three
// times over; 14 loads go with 24 multiply-adds, so that the load ports are half
// idle. A tile of 8×24 needs fewer loads and gained nothing, but leaves more of a
// last panel unused.

// The rows of a tile: number, sums, a register for x, two for differences, and
// two for differences that leave Z7 to the mask of ABSOLUTE.
#define ROWS4(OP) \
	OP(0, Z8, Z9, Z2, Z2, Z3, Z2, Z3)    \
	OP(1, Z10, Z11, Z3, Z4, Z5, Z4, Z5)  \
	OP(2, Z12, Z13, Z4, Z6, Z7, Z2, Z3)  \
	OP(3, Z14, Z15, Z5, Z2, Z3, Z4, Z5)
#define ROWS8(OP) \
	OP(4, Z16, Z17, Z6, Z4, Z5, Z2, Z3)  \
	OP(5, Z18, Z19, Z7, Z6, Z7, Z4, Z5)  \
	OP(6, Z20, Z21, Z2, Z2, Z3, Z2, Z3)  \
	OP(7, Z22, Z23, Z3, Z4, Z5, Z4, Z5)  \
	OP(8, Z24, Z25, Z4, Z6, Z7, Z2, Z3)  \
	OP(9, Z26, Z27, Z5, Z2, Z3, Z4, Z5)  \
	OP(10, Z28, Z29, Z6, Z4, Z5, Z2, Z3) \
	OP(11, Z30, Z31, Z7, Z6, Z7, Z4, Z5)
#define ROWS12(OP) \
	ROWS4(OP) \
	ROWS8(OP)
#define ZEROS4 \
	ZERO(X8)  \
	ZERO(X9)  \
	ZERO(X10) \
	ZERO(X11) \
	ZERO(X12) \
	ZERO(X13) \
	ZERO(X14) \
	ZERO(X15)
#define ZEROS12 \
	ZEROS4 \
	ROWS8(ZEROROW)

#define FIRSTPANEL
#define NEXTPANEL(z) ADDQ R9, z

// one row of one column
#define DOT(r, a, b, t, p, q, u, v) \
	VBCAST (r*SIZE)(SI), t        \
	VFMA   Z0, t, a               \
	VFMA   Z1, t, b
#define SQUARE(r, a, b, t, p, q, u, v) \
	VSUB.BCST (r*SIZE)(SI), Z0, p \
	VSUB.BCST (r*SIZE)(SI), Z1, q \
	VFMA      p, p, a             \
	VFMA      q, q, b
#define ABSOLUTE(r, a, b, t, p, q, u, v) \
	VSUB.BCST (r*SIZE)(SI), Z0, u \
	VSUB.BCST (r*SIZE)(SI), Z1, v \
	VAND      Z7, u, u            \
	VAND      Z7, v, v            \
	VADD      u, a, a             \
	VADD      v, b, b

// Norms.
#define MANY(OP) \
	OP(0, Z4, Z0)  \
	OP(64, Z5, Z1)

// Sparse: four panels at a time give eight chains of multiply-adds, what two
// ports take within the latency of one; the rest one by one. R11 is two panels
// on.
#define VAL Z16
#define ONEPANEL(OP) \
	OP(0, Z0, Z8)    \
	OP(64, Z1, Z9)
#define FOURPANELS(OP) \
	ONEPANEL(OP)     \
	OP(128, Z2, Z10) \
	OP(192, Z3, Z11) \
	OP(256, Z4, Z12) \
	OP(320, Z5, Z13) \
	OP(384, Z6, Z14) \
	OP(448, Z7, Z15)
#define ONECOLUMN \
	VFMA (BX)(DX*1), VAL, Z0    \
	VFMA 64(BX)(DX*1), VAL, Z1
#define FOURCOLUMNS \
	ONECOLUMN                   \
	VFMA (R11)(DX*1), VAL, Z4   \
	VFMA 64(R11)(DX*1), VAL, Z5 \
	ADDQ R9, DX                 \
	VFMA (BX)(DX*1), VAL, Z2    \
	VFMA 64(BX)(DX*1), VAL, Z3  \
	VFMA (R11)(DX*1), VAL, Z6   \
	VFMA 64(R11)(DX*1), VAL, Z7
#define TWOON LEAQ (BX)(R9*2), R11
#define SPARSEPANELS \
	SUBQ $4, R8          \
	JLT  rest            \
	SPARSE(FOURPANELS, TWOON, FOURCOLUMNS, four, fournext, fourin, fourput) \
	ADDQ $512, DI        \
	LEAQ (BX)(R9*4), BX  \
	SUBQ $4, R8          \
	JGE  four            \
rest: \
	ADDQ $4, R8          \
	JZ   done            \
	SPARSE(ONEPANEL, NOTHING, ONECOLUMN, one, onenext, onein, oneput) \
	ADDQ $128, DI        \
	ADDQ R9, BX          \
	DECQ R8              \
	JNZ  one             \
done:

// Functions of rows: groups of vectors, then some at a time under masks.
#define XN Z30
#define OFFSET Z30
#define NIL Z16
#define TWO Z15
#define EIGHT(OP) \
	OP(0, Z0, Z8, K0)    \
	OP(64, Z1, Z9, K0)   \
	OP(128, Z2, Z10, K0) \
	OP(192, Z3, Z11, K0) \
	OP(256, Z4, Z12, K0) \
	OP(320, Z5, Z13, K0) \
	OP(384, Z6, Z14, K0) \
	OP(448, Z7, Z15, K0)
#define FOUR(OP) \
	OP(0, Z0, Z8, K1)    \
	OP(64, Z1, Z9, K2)   \
	OP(128, Z2, Z10, K3) \
	OP(192, Z3, Z11, K4)

// K1–K4 keep the first R8 numbers of four vectors; DX is −1.
#define MASKS \
	BZHIQ R8, DX, DX     \
	KMOVW DX, K1         \
	SHRQ  $PER, DX       \
	KMOVW DX, K2         \
	SHRQ  $PER, DX       \
	KMOVW DX, K3         \
	SHRQ  $PER, DX       \
	KMOVW DX, K4
#define MASKED(VALUES) \
masked: \
	MOVQ    $-1, DX      \
	MOVQ    $(4*PER), R8 \
	CMPQ    CX, R8       \
	CMOVQLT CX, R8       \
	MASKS                \
	VALUES               \
	ADDQ    $(4*W), AX   \
	SUBQ    $(4*PER), CX \
	JGT     masked

#define LOADM(off, x, t, m) VMOV.Z off(R9)(AX*1), m, x
#define STOREM(off, x, t, m) VMOV x, m, off(DI)(AX*1)

// x = max(0, (xn+zn)−2s). The maximum passes NaN on.
#define DISTANCE(off, x, t, m) \
	VADD  off(BX)(AX*1), XN, x  \
	VFNMA off(R9)(AX*1), TWO, x \
	VMAX  x, NIL, x
#define DISTANCEM(off, x, t, m) \
	VMOV.Z off(BX)(AX*1), m, x  \
	VMOV.Z off(R9)(AX*1), m, t  \
	VADD   XN, x, x             \
	VFNMA  t, TWO, x            \
	VMAX   x, NIL, x
#define DISTANCES \
	EIGHT(DISTANCE)      \
	EIGHT(STORE)
#define DISTANCESM \
	FOUR(DISTANCEM)      \
	FOUR(STOREM)

#define POWERS \
	EIGHT(LOAD)          \
	POWER(EIGHT, fbit, feven, fdone) \
	EIGHT(STORE)
#define POWERSM \
	FOUR(LOADM)          \
	POWER(FOUR, mbit, meven, mdone) \
	FOUR(STOREM)

// The mask of the last vector of the exponential: the first CX numbers.
#define MASK K1
#define LASTMASK \
	MOVQ  $-1, DX        \
	BZHIQ CX, DX, DX     \
	KMOVW DX, MASK

// the last of the products of rowSums, one vector at a time
#define LASTPRODUCTS \
one: \
	MOVQ    $PER, R8     \
	CMPQ    CX, R8       \
	CMOVQLT CX, R8       \
	SUBQ    R8, CX       \
	MOVQ    $-1, DX      \
	BZHIQ   R8, DX, DX   \
	KMOVW   DX, K1       \
	VMOV.Z  (BX)(AX*1), K1, Z4 \
	VMOV.Z  (R9)(AX*1), K1, Z5 \
	VFMA    Z5, Z4, Z0   \
	ADDQ    $64, AX      \
	TESTQ   CX, CX       \
	JNZ     one
#define HALVES \
	VEXTRACTF64X4 $1, Z0, Y1 \
	VADD          Y1, Y0, Y0 \
	VEXTRACTF128  $1, Y0, X1 \
	VADD          X1, X0, X0

// COLSUMSQ is sum[j] += Σ_r v[r]·s[r][j], r ascending, for four vectors of
// columns at a time, under masks.
//   DI sum, R9 s, R11 row distance in bytes, BX v, R12 row, R13 rows left, CX
//   columns left
#define COLUMNS(OP) \
	OP(0, Z0, Z4, K1)   \
	OP(64, Z1, Z5, K2)  \
	OP(128, Z2, Z6, K3) \
	OP(192, Z3, Z7, K4)
#define LOADSUM(off, sum, t, m) VMOV.Z off(DI), m, sum
#define LOADROW(off, sum, t, m) VMOV.Z off(R12), m, t
#define ADDPRODUCT(off, sum, t, m) VFMA t, Z8, sum
#define PUTSUM(off, sum, t, m) VMOV sum, m, off(DI)
#define COLSUMSQ(v, rows, cols) \
	MOVQ    cols, CX     \
group: \
	MOVQ    $(4*PER), R8 \
	CMPQ    CX, R8       \
	CMOVQLT CX, R8       \
	SUBQ    R8, CX       \
	MOVQ    $-1, DX      \
	MASKS                \
	COLUMNS(LOADSUM)     \
	MOVQ    R9, R12      \
	MOVQ    v, BX        \
	MOVQ    rows, R13    \
	PCALIGN $64          \
row: \
	VBCAST  (BX), Z8     \
	COLUMNS(LOADROW)     \
	COLUMNS(ADDPRODUCT)  \
	ADDQ    $SIZE, BX    \
	ADDQ    R11, R12     \
	DECQ    R13          \
	JNZ     row          \
	COLUMNS(PUTSUM)      \
	ADDQ    $256, DI     \
	ADDQ    $256, R9     \
	TESTQ   CX, CX       \
	JNZ     group

// GAUSSSUMSQ multiplies values by vectors from both sides as soon as they are in a
// register. Norms and sums make u, the power of 2, by two multiply-adds:
//
//	for r := range rows {
//		sum := 0
//		for j := range cols {
//			u = −g·(xn[r]+zn[j]) + 2g·s[r][j], between LEAST and 0      g = γ·log2(e)
//			s[r][j] = k = 2^u
//			sum += k·v[j]; col[j] += k·w[r]
//		}
//		row[r] += sum
//	}
//
//   DI row, R9 row of s, R11 row distance in bytes, R12 xn, BX zn, R8 v, SI w, R10
//   col, R13 rows left, CX columns left, AX offset in bytes; Z0 u then scratch, Z1 k
// Invariant at vector: s, zn, v and col hold at least a vector at AX. One vector in a
// turn: the chains of several turns overlap. Tail: one vector under MASK, whose other
// lanes add k·0.
#define MINUSG Z6
#define TWOG Z7
#define GXN Z8
#define LEAST Z9
#define WEIGHT Z10
#define SUM Z11
#define GAUSSSUMSQ(cols) \
row: \
	VBCAST (R12), GXN     \
	VMUL   GXN, MINUSG, GXN \
	VBCAST (SI), WEIGHT   \
	ZERO(SUM)             \
	MOVQ   cols, CX       \
	XORQ   AX, AX         \
	SUBQ   $PER, CX       \
	JLT    tail           \
vector: \
	VCOPY  GXN, Z0        \
	VFMA   (BX)(AX*1), MINUSG, Z0 \
	VFMA   (R9)(AX*1), TWOG, Z0 \
	VMIN   Z0, NIL, Z0    \
	VMAX   Z0, LEAST, Z0  \
	EXP2                  \
	VMOV   Z1, (R9)(AX*1) \
	VFMA   (R8)(AX*1), Z1, SUM \
	VMOV   (R10)(AX*1), Z4 \
	VFMA   Z1, WEIGHT, Z4 \
	VMOV   Z4, (R10)(AX*1) \
	ADDQ   $W, AX         \
	SUBQ   $PER, CX       \
	JGE    vector         \
tail: \
	ADDQ   $PER, CX       \
	JZ     join           \
	LASTMASK              \
	VCOPY  GXN, Z0        \
	VMOV.Z (BX)(AX*1), MASK, Z4 \
	VFMA   Z4, MINUSG, Z0 \
	VMOV.Z (R9)(AX*1), MASK, Z4 \
	VFMA   Z4, TWOG, Z0   \
	VMIN   Z0, NIL, Z0    \
	VMAX   Z0, LEAST, Z0  \
	EXP2                  \
	VMOV   Z1, MASK, (R9)(AX*1) \
	VMOV.Z (R8)(AX*1), MASK, Z4 \
	VFMA   Z4, Z1, SUM    \
	VMOV.Z (R10)(AX*1), MASK, Z4 \
	VFMA   Z1, WEIGHT, Z4 \
	VMOV   Z4, MASK, (R10)(AX*1) \
join: \
	VCOPY  SUM, Z0        \
	HALVES                \
	FOLD(X0, X1)          \
	VADD1  (DI), X0, X0   \
	VMOV1  X0, (DI)       \
	ADDQ   $SIZE, DI      \
	ADDQ   $SIZE, R12     \
	ADDQ   $SIZE, SI      \
	ADDQ   R11, R9        \
	DECQ   R13            \
	JNZ    row

// 2^u for the u in Z0, in Z1. Multiples of 1/16 below u are the sum of an integer,
// which the scaling instruction finds in u itself, and an index of the table:
//
//	f = u - floor(16u)/16            0 <= f < 1/16
//	T = table[floor(16u) mod 16]     2^(j/16) rounded
//	y = (T + T*f*(c1 + c2*f + ...)) * 2^floor(u)
//
// Rounding T, the product T*f and the sum leave an error of less than 1.1 units in the
// last place beside that of u.
#define EXP2OF64 \
	VREDUCEPD     $0x49, Z0, Z2          \
	VADDPD.RD_SAE EXP_SHIFT, Z0, Z3      \
	VPERMI2PD     EXP_T1, EXP_T0, Z3     \
	VMOVAPD       EXP_C6, Z1             \
	VFMADD213PD   EXP_C5, Z2, Z1         \
	VFMADD213PD   EXP_C4, Z2, Z1         \
	VFMADD213PD   EXP_C3, Z2, Z1         \
	VFMADD213PD   EXP_C2, Z2, Z1         \
	VFMADD213PD   EXP_C1, Z2, Z1         \
	VMULPD        Z3, Z2, Z2             \
	VFMADD213PD   Z3, Z2, Z1             \
	VSCALEFPD     Z0, Z1, Z1
#define EXP2OF32 \
	VREDUCEPS     $0x49, Z0, Z2          \
	VADDPS.RD_SAE EXP_SHIFT, Z0, Z3      \
	VPERMPS       EXP_T0, Z3, Z3         \
	VMOVAPS       EXP_C3, Z1             \
	VFMADD213PS   EXP_C2, Z2, Z1         \
	VFMADD213PS   EXP_C1, Z2, Z1         \
	VMULPS        Z3, Z2, Z2             \
	VFMADD213PS   Z3, Z2, Z1             \
	VSCALEFPS     Z0, Z1, Z1

#define GAUSSCONSTANTS64 \
	VSUB   TWOG, NIL, MINUSG              \
	VADD   TWOG, TWOG, TWOG               \
	VBCAST power64<>+0(SB), LEAST         \
	EXP64Z_CONSTANTS                      \
	VBCAST power64<>+8(SB), EXP_C1        \
	VBCAST power64<>+16(SB), EXP_C2       \
	VBCAST power64<>+24(SB), EXP_C3       \
	VBCAST power64<>+32(SB), EXP_C4       \
	VBCAST power64<>+40(SB), EXP_C5       \
	VBCAST power64<>+48(SB), EXP_C6
#define GAUSSCONSTANTS32 \
	VSUB   TWOG, NIL, MINUSG              \
	VADD   TWOG, TWOG, TWOG               \
	VBCAST power32<>+0(SB), LEAST         \
	EXP32Z_CONSTANTS                      \
	VBCAST power32<>+4(SB), EXP_C1        \
	VBCAST power32<>+8(SB), EXP_C2        \
	VBCAST power32<>+12(SB), EXP_C3

// The names that depend on the type as well.
#define DECAY64 EXP64Z_DECAY(Z0, Z1, Z2, Z3, Z4, K2)
#define DECAY32 EXP32Z_DECAY(Z0, Z1, Z2, Z3, Z4, K2)
#define FEW64(OP) \
	OP(0, Z4, Z0)  \
	OP(64, Y5, Y1)
#define FEW32(OP) \
	OP(0, Y4, Y0)  \
	OP(32, X5, X1)

// What the entries do otherwise for AVX2. SIGNS sets all bits but the sign.
#define SIGNS \
	TERNLOG    $0xff, Z7, Z7, Z7 \
	SHIFTRIGHT $1, Z7, Z7
#define LOADTWO VBCAST TWOS, TWO
#define COLUMNMASK(cols)
#define GROUP 8
#define LASTDISTANCES MASKED(DISTANCESM)
#define LASTPOWERS MASKED(POWERSM)
