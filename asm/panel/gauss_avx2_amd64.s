//go:build !noasm

#include "textflag.h"
#include "sums_amd64.h"
#include "values_amd64.h"
#include "exp_avx2_amd64.h"

#define W 32
#define V0 Y0
#define V1 Y1
#define V2 Y2
#define V3 Y3
#define V4 Y4
#define V5 Y5
#define V6 Y6
#define V7 Y7
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

// all bits but the sign
DATA noSign64<>+0(SB)/8, $0x7fffffffffffffff
DATA noSign64<>+8(SB)/8, $0x7fffffffffffffff
DATA noSign64<>+16(SB)/8, $0x7fffffffffffffff
DATA noSign64<>+24(SB)/8, $0x7fffffffffffffff
GLOBL noSign64<>(SB), RODATA|NOPTR, $32
DATA noSign32<>+0(SB)/8, $0x7fffffff7fffffff
DATA noSign32<>+8(SB)/8, $0x7fffffff7fffffff
DATA noSign32<>+16(SB)/8, $0x7fffffff7fffffff
DATA noSign32<>+24(SB)/8, $0x7fffffff7fffffff
GLOBL noSign32<>(SB), RODATA|NOPTR, $32

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
	JNZ  panel           \
	VZEROUPPER           \
	RET

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

// a window into this is the mask of the first numbers of a vector
DATA window<>+0(SB)/8, $0xffffffffffffffff
DATA window<>+8(SB)/8, $0xffffffffffffffff
DATA window<>+16(SB)/8, $0xffffffffffffffff
DATA window<>+24(SB)/8, $0xffffffffffffffff
DATA window<>+32(SB)/8, $0
DATA window<>+40(SB)/8, $0
DATA window<>+48(SB)/8, $0
DATA window<>+56(SB)/8, $0
GLOBL window<>(SB), RODATA|NOPTR, $64

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

DATA two64<>+0(SB)/8, $0x4000000000000000 // 2
DATA two64<>+8(SB)/8, $0x4000000000000000
DATA two64<>+16(SB)/8, $0x4000000000000000
DATA two64<>+24(SB)/8, $0x4000000000000000
GLOBL two64<>(SB), RODATA|NOPTR, $32
DATA two32<>+0(SB)/8, $0x4000000040000000 // 2, 2
DATA two32<>+8(SB)/8, $0x4000000040000000
DATA two32<>+16(SB)/8, $0x4000000040000000
DATA two32<>+24(SB)/8, $0x4000000040000000
GLOBL two32<>(SB), RODATA|NOPTR, $32

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
done: \
	VZEROUPPER            \
	RET

#include "float64_amd64.h"
#define NOSIGN noSign64<>(SB)
#define TWO two64<>(SB)
#define EXPCONSTANTS EXP64Y_CONSTANTS
#define EXP EXP64Y_DECAY(Y0, Y1, Y2, Y3, Y4, Y5, Y6)
#define FEW(OP) \
	OP(0, Y4, Y0)  \
	OP(32, Y5, Y1) \
	OP(64, Y6, Y2)

// func dot64x6AVX2(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·dot64x6AVX2(SB), NOSPLIT, $0-64
	SUMSQ(dst+0(FP), ldd+8(FP), x+16(FP), z+24(FP), d+32(FP), stride+40(FP), panels+48(FP), add+56(FP), ROWS6, ZEROS6, DOT)

// func square64x6AVX2(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·square64x6AVX2(SB), NOSPLIT, $0-64
	SUMSQ(dst+0(FP), ldd+8(FP), x+16(FP), z+24(FP), d+32(FP), stride+40(FP), panels+48(FP), add+56(FP), ROWS6, ZEROS6, SQUARE)

// func absolute64x6AVX2(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·absolute64x6AVX2(SB), NOSPLIT, $0-64
	SUMSQ(dst+0(FP), ldd+8(FP), x+16(FP), z+24(FP), d+32(FP), stride+40(FP), panels+48(FP), add+56(FP), ROWS6, ZEROS6, ABSOLUTE)

// func dot64x4AVX2(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·dot64x4AVX2(SB), NOSPLIT, $0-64
	SUMSQ(dst+0(FP), ldd+8(FP), x+16(FP), z+24(FP), d+32(FP), stride+40(FP), panels+48(FP), add+56(FP), ROWS4, ZEROS4, DOT)

// func square64x4AVX2(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·square64x4AVX2(SB), NOSPLIT, $0-64
	SUMSQ(dst+0(FP), ldd+8(FP), x+16(FP), z+24(FP), d+32(FP), stride+40(FP), panels+48(FP), add+56(FP), ROWS4, ZEROS4, SQUARE)

// func absolute64x4AVX2(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)
TEXT ·absolute64x4AVX2(SB), NOSPLIT, $0-64
	SUMSQ(dst+0(FP), ldd+8(FP), x+16(FP), z+24(FP), d+32(FP), stride+40(FP), panels+48(FP), add+56(FP), ROWS4, ZEROS4, ABSOLUTE)

// func norms64AVX2(dst, p *float64, width, d int)
TEXT ·norms64AVX2(SB), NOSPLIT, $0-32
	NORMSQ(dst+0(FP), p+8(FP), width+16(FP), d+24(FP))

// func sparse64AVX2(dst, z *float64, stride, panels int, val *float64, at, col *int32, n int)
TEXT ·sparse64AVX2(SB), NOSPLIT, $0-64
	SPARSEARGSQ(dst+0(FP), z+8(FP), stride+16(FP), panels+24(FP), val+32(FP), at+40(FP), col+48(FP), n+56(FP))
	SPARSEPANELS

// func axpy64AVX2(y *float64, a float64, x *float64, at *int32, n, first int)
TEXT ·axpy64AVX2(SB), NOSPLIT, $0-48
	VMOV1 a+8(FP), X0
	AXPYQ(y+0(FP), x+16(FP), at+24(FP), n+32(FP), first+40(FP))

// dst = exp(−γ·max(0, (xn+zn)−2s)), −γ·log2(e) = hi+lo.
// func gauss64AVX2(dst *float64, ldd int, s *float64, lds int, xn, zn *float64, rows, cols int, hi, lo, cut float64)
TEXT ·gauss64AVX2(SB), NOSPLIT, $0-88
	ROWARGSQ(dst+0(FP), ldd+8(FP), s+16(FP), lds+24(FP), rows+48(FP))
	MOVQ xn+32(FP), R12
	MOVQ zn+40(FP), BX
	FACTOR(hi+64(FP), lo+72(FP), cut+80(FP))
	ZERO(NIL)
	ROWS(cols+56(FP), 1, NORM, GAUSS, LASTGAUSS, NEXTNORM)

// The same past the caches.
// func gaussStream64AVX2(dst *float64, ldd int, s *float64, lds int, xn, zn *float64, rows, cols int, hi, lo, cut float64)
TEXT ·gaussStream64AVX2(SB), NOSPLIT, $0-88
	ROWARGSQ(dst+0(FP), ldd+8(FP), s+16(FP), lds+24(FP), rows+48(FP))
	MOVQ xn+32(FP), R12
	MOVQ zn+40(FP), BX
	FACTOR(hi+64(FP), lo+72(FP), cut+80(FP))
	ZERO(NIL)
	STREAMROWS(cols+56(FP), NORM, STREAMGAUSS, LASTGAUSS, NEXTNORM)

// dst = exp(−γ·s), s ≥ 0, −γ·log2(e) = hi+lo.
// func exp64AVX2(dst *float64, ldd int, s *float64, lds int, rows, cols int, hi, lo, cut float64)
TEXT ·exp64AVX2(SB), NOSPLIT, $0-72
	ROWARGSQ(dst+0(FP), ldd+8(FP), s+16(FP), lds+24(FP), rows+32(FP))
	FACTOR(hi+48(FP), lo+56(FP), cut+64(FP))
	ROWS(cols+40(FP), 1, NOTHING, EXPS, LASTEXPS, NOTHING)

// The same past the caches.
// func expStream64AVX2(dst *float64, ldd int, s *float64, lds int, rows, cols int, hi, lo, cut float64)
TEXT ·expStream64AVX2(SB), NOSPLIT, $0-72
	ROWARGSQ(dst+0(FP), ldd+8(FP), s+16(FP), lds+24(FP), rows+32(FP))
	FACTOR(hi+48(FP), lo+56(FP), cut+64(FP))
	STREAMROWS(cols+40(FP), NOTHING, STREAMEXPS, LASTEXPS, NOTHING)

// dst = max(0, (xn+zn)−2s).
// func distance64AVX2(dst *float64, ldd int, s *float64, lds int, xn, zn *float64, rows, cols int)
TEXT ·distance64AVX2(SB), NOSPLIT, $0-64
	ROWARGSQ(dst+0(FP), ldd+8(FP), s+16(FP), lds+24(FP), rows+48(FP))
	MOVQ xn+32(FP), R12
	MOVQ zn+40(FP), BX
	ZERO(NIL)
	MASKQ(cols+56(FP), Y15)
	ROWS(cols+56(FP), 4, NORM, DISTANCES, SINGLE(DISTANCES1, DISTANCESM), NEXTNORM)

// dst = (offset+s)^p, p ≥ 1.
// func power64AVX2(dst *float64, ldd int, s *float64, lds int, rows, cols int, offset float64, p int)
TEXT ·power64AVX2(SB), NOSPLIT, $0-64
	ROWARGSQ(dst+0(FP), ldd+8(FP), s+16(FP), lds+24(FP), rows+32(FP))
	VBCAST offset+48(FP), OFFSET
	POWERARGQ(p+56(FP))
	MASKQ(cols+40(FP), Y15)
	ROWS(cols+40(FP), 4, NOTHING, POWERS, SINGLE(POWERS1, POWERSM), NOTHING)

// func rowSums64AVX2(sum, s *float64, lds int, v *float64, rows, cols int)
TEXT ·rowSums64AVX2(SB), NOSPLIT, $0-48
	SUMARGSQ(sum+0(FP), s+8(FP), lds+16(FP))
	MOVQ v+24(FP), BX
	MOVQ rows+32(FP), R13
	MASKQ(cols+40(FP), Y15)
	ROWSUMSQ(cols+40(FP))

// func colSums64AVX2(sum, s *float64, lds int, v *float64, rows, cols int)
TEXT ·colSums64AVX2(SB), NOSPLIT, $0-48
	SUMARGSQ(sum+0(FP), s+8(FP), lds+16(FP))
	MASKQ(cols+40(FP), Y15)
	COLSUMSQ(v+24(FP), rows+32(FP), cols+40(FP))

#include "float32_amd64.h"
#undef NOSIGN
#undef TWO
#undef FEW
#undef EXPCONSTANTS
#undef EXP
#define NOSIGN noSign32<>(SB)
#define TWO two32<>(SB)
#define EXPCONSTANTS EXP32Y_CONSTANTS
#define EXP EXP32Y_DECAY(Y0, Y1, Y2, Y3, Y4, Y5, Y6)
#define FEW(OP) \
	OP(0, Y4, Y0)  \
	OP(32, X5, X1)

// func dot32x6AVX2(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·dot32x6AVX2(SB), NOSPLIT, $0-64
	SUMSQ(dst+0(FP), ldd+8(FP), x+16(FP), z+24(FP), d+32(FP), stride+40(FP), panels+48(FP), add+56(FP), ROWS6, ZEROS6, DOT)

// func square32x6AVX2(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·square32x6AVX2(SB), NOSPLIT, $0-64
	SUMSQ(dst+0(FP), ldd+8(FP), x+16(FP), z+24(FP), d+32(FP), stride+40(FP), panels+48(FP), add+56(FP), ROWS6, ZEROS6, SQUARE)

// func absolute32x6AVX2(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·absolute32x6AVX2(SB), NOSPLIT, $0-64
	SUMSQ(dst+0(FP), ldd+8(FP), x+16(FP), z+24(FP), d+32(FP), stride+40(FP), panels+48(FP), add+56(FP), ROWS6, ZEROS6, ABSOLUTE)

// func dot32x4AVX2(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·dot32x4AVX2(SB), NOSPLIT, $0-64
	SUMSQ(dst+0(FP), ldd+8(FP), x+16(FP), z+24(FP), d+32(FP), stride+40(FP), panels+48(FP), add+56(FP), ROWS4, ZEROS4, DOT)

// func square32x4AVX2(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·square32x4AVX2(SB), NOSPLIT, $0-64
	SUMSQ(dst+0(FP), ldd+8(FP), x+16(FP), z+24(FP), d+32(FP), stride+40(FP), panels+48(FP), add+56(FP), ROWS4, ZEROS4, SQUARE)

// func absolute32x4AVX2(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)
TEXT ·absolute32x4AVX2(SB), NOSPLIT, $0-64
	SUMSQ(dst+0(FP), ldd+8(FP), x+16(FP), z+24(FP), d+32(FP), stride+40(FP), panels+48(FP), add+56(FP), ROWS4, ZEROS4, ABSOLUTE)

// func norms32AVX2(dst, p *float32, width, d int)
TEXT ·norms32AVX2(SB), NOSPLIT, $0-32
	NORMSQ(dst+0(FP), p+8(FP), width+16(FP), d+24(FP))

// func sparse32AVX2(dst, z *float32, stride, panels int, val *float32, at, col *int32, n int)
TEXT ·sparse32AVX2(SB), NOSPLIT, $0-64
	SPARSEARGSQ(dst+0(FP), z+8(FP), stride+16(FP), panels+24(FP), val+32(FP), at+40(FP), col+48(FP), n+56(FP))
	SPARSEPANELS

// func axpy32AVX2(y *float32, a float32, x *float32, at *int32, n, first int)
TEXT ·axpy32AVX2(SB), NOSPLIT, $0-48
	VMOV1 a+8(FP), X0
	AXPYQ(y+0(FP), x+16(FP), at+24(FP), n+32(FP), first+40(FP))

// dst = exp(−γ·max(0, (xn+zn)−2s)), −γ·log2(e) = hi+lo.
// func gauss32AVX2(dst *float32, ldd int, s *float32, lds int, xn, zn *float32, rows, cols int, hi, lo, cut float32)
TEXT ·gauss32AVX2(SB), NOSPLIT, $0-76
	ROWARGSQ(dst+0(FP), ldd+8(FP), s+16(FP), lds+24(FP), rows+48(FP))
	MOVQ xn+32(FP), R12
	MOVQ zn+40(FP), BX
	FACTOR(hi+64(FP), lo+68(FP), cut+72(FP))
	ZERO(NIL)
	ROWS(cols+56(FP), 1, NORM, GAUSS, LASTGAUSS, NEXTNORM)

// The same past the caches.
// func gaussStream32AVX2(dst *float32, ldd int, s *float32, lds int, xn, zn *float32, rows, cols int, hi, lo, cut float32)
TEXT ·gaussStream32AVX2(SB), NOSPLIT, $0-76
	ROWARGSQ(dst+0(FP), ldd+8(FP), s+16(FP), lds+24(FP), rows+48(FP))
	MOVQ xn+32(FP), R12
	MOVQ zn+40(FP), BX
	FACTOR(hi+64(FP), lo+68(FP), cut+72(FP))
	ZERO(NIL)
	STREAMROWS(cols+56(FP), NORM, STREAMGAUSS, LASTGAUSS, NEXTNORM)

// dst = exp(−γ·s), s ≥ 0, −γ·log2(e) = hi+lo.
// func exp32AVX2(dst *float32, ldd int, s *float32, lds int, rows, cols int, hi, lo, cut float32)
TEXT ·exp32AVX2(SB), NOSPLIT, $0-60
	ROWARGSQ(dst+0(FP), ldd+8(FP), s+16(FP), lds+24(FP), rows+32(FP))
	FACTOR(hi+48(FP), lo+52(FP), cut+56(FP))
	ROWS(cols+40(FP), 1, NOTHING, EXPS, LASTEXPS, NOTHING)

// The same past the caches.
// func expStream32AVX2(dst *float32, ldd int, s *float32, lds int, rows, cols int, hi, lo, cut float32)
TEXT ·expStream32AVX2(SB), NOSPLIT, $0-60
	ROWARGSQ(dst+0(FP), ldd+8(FP), s+16(FP), lds+24(FP), rows+32(FP))
	FACTOR(hi+48(FP), lo+52(FP), cut+56(FP))
	STREAMROWS(cols+40(FP), NOTHING, STREAMEXPS, LASTEXPS, NOTHING)

// dst = max(0, (xn+zn)−2s).
// func distance32AVX2(dst *float32, ldd int, s *float32, lds int, xn, zn *float32, rows, cols int)
TEXT ·distance32AVX2(SB), NOSPLIT, $0-64
	ROWARGSQ(dst+0(FP), ldd+8(FP), s+16(FP), lds+24(FP), rows+48(FP))
	MOVQ xn+32(FP), R12
	MOVQ zn+40(FP), BX
	ZERO(NIL)
	MASKQ(cols+56(FP), Y15)
	ROWS(cols+56(FP), 4, NORM, DISTANCES, SINGLE(DISTANCES1, DISTANCESM), NEXTNORM)

// dst = (offset+s)^p, p ≥ 1.
// func power32AVX2(dst *float32, ldd int, s *float32, lds int, rows, cols int, offset float32, p int)
TEXT ·power32AVX2(SB), NOSPLIT, $0-64
	ROWARGSQ(dst+0(FP), ldd+8(FP), s+16(FP), lds+24(FP), rows+32(FP))
	VBCAST offset+48(FP), OFFSET
	POWERARGQ(p+56(FP))
	MASKQ(cols+40(FP), Y15)
	ROWS(cols+40(FP), 4, NOTHING, POWERS, SINGLE(POWERS1, POWERSM), NOTHING)

// func rowSums32AVX2(sum, s *float32, lds int, v *float32, rows, cols int)
TEXT ·rowSums32AVX2(SB), NOSPLIT, $0-48
	SUMARGSQ(sum+0(FP), s+8(FP), lds+16(FP))
	MOVQ v+24(FP), BX
	MOVQ rows+32(FP), R13
	MASKQ(cols+40(FP), Y15)
	ROWSUMSQ(cols+40(FP))

// func colSums32AVX2(sum, s *float32, lds int, v *float32, rows, cols int)
TEXT ·colSums32AVX2(SB), NOSPLIT, $0-48
	SUMARGSQ(sum+0(FP), s+8(FP), lds+16(FP))
	MASKQ(cols+40(FP), Y15)
	COLSUMSQ(v+24(FP), rows+32(FP), cols+40(FP))
