#include "exp_neon_arm64.h"

// Sums over the columns of a panel of x against panels of z, with a tile of 6 or
// 4 rows by four vectors of 16 bytes: half the rows of a panel of x against half
// of a panel of z. The mathematics, the storage of panels and the order of
// summation are in doc.go, the loops as Go in sums_amd64.h.

// Names without a V at the start are in the table of asm/gen.
#define PER (16>>LOG) // numbers in a vector

#define ZERO(v) VEOR v.B16, v.B16, v.B16

// Registers: R0 tile, R1 row distance in bytes, R2 panel distance in bytes, R3
// panels left, R4 x, R5 z, R6 columns left, R7 whether the destination is added
// to, R8 columns left in the chunk, R9 row. V0–V3 z, V4–V6 x (or V4 one x and
// V5–V7 differences), V8–V31 sums, row r in V(8+4r) … V(11+4r). 24 sums hide the
// latency of 4 on two pipes three times over.
#define SUMS(dst, ldd, x, z, d, stride, panels, add, ROWS, STEP) \
	MOVD dst, R0          \
	MOVD ldd, R1          \
	LSL  $LOG, R1         \
	MOVD stride, R2       \
	MOVD panels, R3       \
	LSL  $1, R3           \
	MOVD $64, R11         \
panel: \
	MOVD x, R4            \
	MOVD z, R5            \
	MOVD d, R6            \
	MOVD add, R7          \
chunk: \
	NEXTCHUNK             \
	ROWS(ZEROROW)         \
column: \
	FMOVQ (R5), F0        \
	FMOVQ 16(R5), F1      \
	FMOVQ 32(R5), F2      \
	FMOVQ 48(R5), F3      \
	ADD  $128, R5         \
	STEP                  \
	ADD  $(12*SIZE), R4   \
	SUBS $1, R8           \
	BNE  column           \
	MOVD R0, R9           \
	CBZ  R7, put          \
	ROWS(ADDROW)          \
	MOVD R0, R9           \
put: \
	ROWS(PUTROW)          \
	MOVD $1, R7           \
	CBNZ R6, chunk        \
	ADD  $64, R0          \
	MOVD z, R10           \
	ADD  R11, R10         \
	MOVD R10, z           \
	SUB  R11, R2, R11     \
	SUBS $1, R3           \
	BNE  panel

// R8 = the columns of the next chunk, taken from those left in R6
#define NEXTCHUNK \
	MOVD $CHUNK, R8       \
	CMP  R8, R6           \
	CSEL LT, R6, R8, R8   \
	SUB  R8, R6

// The rows of a tile and their sums, as numbers and as registers.
#define ROWS4(OP) \
	OP(0, 8, 9, 10, 11, V8, V9, V10, V11)      \
	OP(1, 12, 13, 14, 15, V12, V13, V14, V15)  \
	OP(2, 16, 17, 18, 19, V16, V17, V18, V19)  \
	OP(3, 20, 21, 22, 23, V20, V21, V22, V23)
#define ROWS6(OP) \
	ROWS4(OP) \
	OP(4, 24, 25, 26, 27, V24, V25, V26, V27)  \
	OP(5, 28, 29, 30, 31, V28, V29, V30, V31)

#define ZEROROW(r, a, b, c, d, A, B, C, D) \
	ZERO(A)               \
	ZERO(B)               \
	ZERO(C)               \
	ZERO(D)
#define ADDROW(r, a, b, c, d, A, B, C, D) \
	FMOVQ (R9), F0        \
	FMOVQ 16(R9), F1      \
	FMOVQ 32(R9), F2      \
	FMOVQ 48(R9), F3      \
	FADD(0, a, a)         \
	FADD(1, b, b)         \
	FADD(2, c, c)         \
	FADD(3, d, d)         \
	ADD R1, R9
#define PUTROW(r, a, b, c, d, A, B, C, D) \
	FMOVQ F(a), (R9)      \
	FMOVQ F(b), 16(R9)    \
	FMOVQ F(c), 32(R9)    \
	FMOVQ F(d), 48(R9)    \
	ADD R1, R9

// One row of one column. DOT takes its x from the vectors of X4 or X6.
#define DOT(r, a, b, c, d, A, B, C, D) \
	FMLAE(r%PER, 4+r/PER, 0, a)  \
	FMLAE(r%PER, 4+r/PER, 1, b)  \
	FMLAE(r%PER, 4+r/PER, 2, c)  \
	FMLAE(r%PER, 4+r/PER, 3, d)
#define SQUARE(r, a, b, c, d, A, B, C, D) \
	FMOV1 (r*SIZE)(R4), F4       \
	VDUP  V4.E[0], V4.T          \
	FSUB(4, 0, 5)                \
	VFMLA V5.T, V5.T, A.T        \
	FSUB(4, 1, 6)                \
	VFMLA V6.T, V6.T, B.T        \
	FSUB(4, 2, 7)                \
	VFMLA V7.T, V7.T, C.T        \
	FSUB(4, 3, 5)                \
	VFMLA V5.T, V5.T, D.T
#define ABSOLUTE(r, a, b, c, d, A, B, C, D) \
	FMOV1 (r*SIZE)(R4), F4       \
	VDUP  V4.E[0], V4.T          \
	FABD(4, 0, 5)                \
	FADD(5, a, a)                \
	FABD(4, 1, 6)                \
	FADD(6, b, b)                \
	FABD(4, 2, 7)                \
	FADD(7, c, c)                \
	FABD(4, 3, 5)                \
	FADD(5, d, d)
#define DOT4 \
	X4 \
	ROWS4(DOT)
#define DOT6 \
	X6 \
	ROWS6(DOT)

// NORMS is dst[i] += Σ_k p[k·width+i]², in chunks; width is 12 or fills 128 bytes.
// Registers: R0 dst, R4 p, R1 width, R6 columns left, R8 columns left in the chunk.
#define NORMS \
	CMP  $12, R1          \
	BEQ  few              \
	SQUARES(PANEL, 128, chunk, column) \
	RET                   \
few: \
	SQUARES(FEW, 12*SIZE, fewchunk, fewcolumn)

#define SQUARES(VECTORS, STEP, chunk, column) \
chunk: \
	NEXTCHUNK             \
	VECTORS(ZEROSUM)      \
column: \
	VECTORS(LOADNUMBER)   \
	VECTORS(ADDSQUARE)    \
	ADD  $(STEP), R4      \
	SUBS $1, R8           \
	BNE  column           \
	VECTORS(PUTNORM)      \
	CBNZ R6, chunk

#define LOADNUMBER(off, S, A, Z, s, a) FMOVQ off(R4), F(a)
#define ADDSQUARE(off, S, A, Z, s, a) VFMLA A.T, A.T, S.T
#define PUTNORM(off, S, A, Z, s, a) \
	FMOVQ off(R0), F(a)   \
	FADD(a, s, s)         \
	FMOVQ F(s), off(R0)

// AXPY adds a·x[i] to y[at[i]−first], one number at a time.
// Registers: R0 y less first numbers, R1 x, R2 at, R3 numbers left, R4 row, then its place;
// F0 a, F1 x, F2 y.
#define AXPY \
next: \
	MOVW.P 4(R2), R4      \
	ADD   R4<<LOG, R0, R4 \
	FMOV1.P SIZE(R1), F1  \
	FMOV1 (R4), F2        \
	FMADD1 F0, F2, F1, F2 \
	FMOV1 F2, (R4)        \
	SUBS  $1, R3          \
	BNE   next

// SPARSE is Dot for one sparse row: the nonzeros val[i] of columns col[i]
// against the columns at[i] of panels of z. A chunk's sums are added to the
// total when the first column of another chunk comes.
// Registers: R0 dst, R1 z, R2 panel distance in bytes, R3 panels left, R4 val,
// R5 at, R6 col, R7 nonzeros left, R8 column, R9 end of the chunk, R10 column of
// z. V0–V7 sums of the chunk, V8–V15 totals.
#define SPARSE(dst, z, stride, panels, val, at, col, n) \
	MOVD dst, R0          \
	MOVD z, R1            \
	MOVD stride, R2       \
	MOVD panels, R3       \
panel: \
	MOVD val, R4          \
	MOVD at, R5           \
	MOVD col, R6          \
	MOVD n, R7            \
	MOVD $CHUNK, R9       \
	PANEL(ZEROSUM)        \
	PANEL(ZEROTOTAL)      \
next: \
	CBZ   R7, put         \
	MOVW.P 4(R6), R8      \
	CMP   R9, R8          \
	BLT   in              \
	PANEL(ADDSUM)         \
	PANEL(ZEROSUM)        \
	AND   $~(CHUNK-1), R8, R9 \
	ADD   $CHUNK, R9      \
in: \
	MOVW.P 4(R5), R10     \
	ADD   R10<<7, R1, R10 \
	VLD1R.P SIZE(R4), [V16.T] \
	VLD1.P 64(R10), [V17.T, V18.T, V19.T, V20.T] \
	VLD1  (R10), [V21.T, V22.T, V23.T, V24.T] \
	PANEL(ADDPRODUCT)     \
	SUB   $1, R7          \
	B     next            \
put: \
	PANEL(ADDSUM)         \
	PANEL(PUTTOTAL)       \
	ADD   $128, R0        \
	ADD   R2, R1          \
	SUBS  $1, R3          \
	BNE   panel

// The vectors of a panel: place, sum, total, numbers of z; the sum's and the
// total's numbers.
#define PANEL(OP) \
	SIX(OP)                     \
	OP(96, V6, V14, V23, 6, 14) \
	OP(112, V7, V15, V24, 7, 15)
#define SIX(OP) \
	THREE(OP)                   \
	OP(48, V3, V11, V20, 3, 11) \
	OP(64, V4, V12, V21, 4, 12) \
	OP(80, V5, V13, V22, 5, 13)
#define THREE(OP) \
	OP(0, V0, V8, V17, 0, 8)    \
	OP(16, V1, V9, V18, 1, 9)   \
	OP(32, V2, V10, V19, 2, 10)
#define ZEROSUM(off, S, A, Z, s, a) ZERO(S)
#define ZEROTOTAL(off, S, A, Z, s, a) ZERO(A)
#define ADDSUM(off, S, A, Z, s, a) FADD(s, a, a)
#define ADDPRODUCT(off, S, A, Z, s, a) VFMLA Z.T, V16.T, S.T
#define PUTTOTAL(off, S, A, Z, s, a) FMOVQ F(a), off(R0)

// Functions of the sums of a strip, row by row, and sums over the strip with
// weights. Groups of four vectors first; then one number at a time in a vector
// whose other lanes are 0. Nothing outside the rows is read or written.

// Registers: R0 row of dst, R1 row of s, R2, R3 their distances in bytes, R4 xn,
// R5 zn, R6 rows left, R7 columns left, R8, R9, R10 place in dst, s and zn.
#define ROWS(cols, n, START, VALUES, LASTVALUES) \
row: \
	MOVD cols, R7         \
	MOVD R0, R8           \
	MOVD R1, R9           \
	START                 \
	SUBS $(n*PER), R7     \
	BLT  tail             \
group: \
	VALUES                \
	SUBS $(n*PER), R7     \
	BGE  group            \
tail: \
	ADDS $(n*PER), R7     \
	BEQ  next             \
one: \
	LASTVALUES            \
	FMOV1.P F0, SIZE(R8)  \
	SUBS $1, R7           \
	BNE  one              \
next: \
	ADD  R2, R0           \
	ADD  R3, R1           \
	SUBS $1, R6           \
	BNE  row
#define NOTHING

// What is done to each vector of a group: its number and that of a scratch register, and both as registers.
#define FOUR(OP) \
	OP(0, 4, V0, V4)  \
	OP(1, 5, V1, V5)  \
	OP(2, 6, V2, V6)  \
	OP(3, 7, V3, V7)
#define ONE(OP) OP(0, 4, V0, V4)
#define LOADFOUR VLD1.P 64(R9), [V0.T, V1.T, V2.T, V3.T]
#define STOREFOUR VST1.P [V0.T, V1.T, V2.T, V3.T], 64(R8)
#define LOADONE FMOVQ.P 16(R9), F0
#define STOREONE FMOVQ.P F0, 16(R8)

// x = max(0, (xn+zn)−2s); V30 is xn, V17 2, V22 0. The maximum passes NaN on.
#define NORM(zn) \
	MOVD zn, R10          \
	VLD1R.P SIZE(R4), [V30.T]
#define LOADTWO \
	FMOV1 $2.0, F17       \
	VDUP V17.E[0], V17.T
#define ADDNORM(x, t, X, T1) FADD(x, 30, x)
#define MINUSTWICE(x, t, X, T1) VFMLS T1.T, V17.T, X.T
#define ATLEAST(x, t, X, T1) FMAX(22, x, x)
#define DISTANCES(VECTORS) \
	VECTORS(ADDNORM)      \
	VECTORS(MINUSTWICE)   \
	VECTORS(ATLEAST)
#define DISTANCE4 \
	VLD1.P 64(R10), [V0.T, V1.T, V2.T, V3.T] \
	VLD1.P 64(R9), [V4.T, V5.T, V6.T, V7.T] \
	DISTANCES(FOUR)       \
	STOREFOUR
#define DISTANCEONE \
	FMOVQ.P 16(R10), F0   \
	FMOVQ.P 16(R9), F4    \
	DISTANCES(ONE)
#define DISTANCE1 \
	FMOV1.P SIZE(R10), F0 \
	FMOV1.P SIZE(R9), F4  \
	DISTANCES(ONE)

// The exponential of V0, one vector at a time.
#define FACTOR(hi, lo, cut) \
	EXPCONSTANTS          \
	FMOV1 hi, F18         \
	FMOV1 lo, F19         \
	FMOV1 cut, F23        \
	VDUP  V18.E[0], V18.T \
	VDUP  V19.E[0], V19.T \
	VDUP  V23.E[0], V23.T
#define GAUSS \
	DISTANCEONE           \
	EXP                   \
	STOREONE
#define GAUSS1 \
	DISTANCE1             \
	EXP
#define EXPS \
	LOADONE               \
	EXP                   \
	STOREONE
#define EXPS1 \
	FMOV1.P SIZE(R9), F0  \
	EXP

// Two vectors, the first of which waits in V31, by a store that passes the caches by where the CPU can do that. It needs no
// alignment.
#define STREAMTWO \
	VSTNP(0, 31, 0, 8)    \
	ADD  $32, R8
#define STREAMGAUSS \
	DISTANCEONE           \
	EXP                   \
	VMOV V0.B16, V31.B16  \
	DISTANCEONE           \
	EXP                   \
	STREAMTWO
#define STREAMEXPS \
	LOADONE               \
	EXP                   \
	VMOV V0.B16, V31.B16  \
	LOADONE               \
	EXP                   \
	STREAMTWO

// p, in R5, without its top bit in R5, from the top, and the number of the bits in R4
#define POWERARGS \
	CLZ  R5, R7           \
	LSL  R7, R5           \
	LSL  $1, R5           \
	MOVD $63, R4          \
	SUB  R7, R4

// x = (offset+x)^p by squaring from the top, for the vectors of a list; V31 is
// the offset
#define POWER(VECTORS, bit, even, done) \
	VECTORS(ADDOFFSET)    \
	VECTORS(COPYBASE)     \
	MOVD R4, R10          \
	MOVD R5, R11          \
	CBZ  R10, done        \
bit: \
	VECTORS(SQUAREIT)     \
	ADDS R11, R11         \
	BCC  even             \
	VECTORS(TIMESBASE)    \
even: \
	SUBS $1, R10          \
	BNE  bit              \
done:

#define ADDOFFSET(x, t, X, T1) FADD(31, x, t)
#define COPYBASE(x, t, X, T1) VMOV T1.B16, X.B16
#define SQUAREIT(x, t, X, T1) FMUL(x, x, x)
#define TIMESBASE(x, t, X, T1) FMUL(t, x, x)
#define POWER4 \
	LOADFOUR              \
	POWER(FOUR, fbit, feven, fdone) \
	STOREFOUR
#define POWER1 \
	FMOV1.P SIZE(R9), F0  \
	POWER(ONE, obit, oeven, odone)

// ROWSUMS is sum[r] += Σ_j s[r][j]·v[j]: four vectors of sums, joined as
// (0+1)+(2+3), then by pairs.
#define ROWSUMS(v, rows, cols) \
	MOVD rows, R6         \
row: \
	MOVD cols, R7         \
	MOVD R1, R9           \
	MOVD v, R10           \
	ZERO(V0)              \
	ZERO(V1)              \
	ZERO(V2)              \
	ZERO(V3)              \
	SUBS $(4*PER), R7     \
	BLT  tail             \
four: \
	VLD1.P 64(R10), [V4.T, V5.T, V6.T, V7.T] \
	VLD1.P 64(R9), [V8.T, V9.T, V10.T, V11.T] \
	VFMLA V4.T, V8.T, V0.T \
	VFMLA V5.T, V9.T, V1.T \
	VFMLA V6.T, V10.T, V2.T \
	VFMLA V7.T, V11.T, V3.T \
	SUBS $(4*PER), R7     \
	BGE  four             \
tail: \
	ADDS $(4*PER), R7     \
	BEQ  join             \
one: \
	FMOV1.P SIZE(R10), F4 \
	FMOV1.P SIZE(R9), F8  \
	VFMLA V4.T, V8.T, V0.T \
	SUBS $1, R7           \
	BNE  one              \
join: \
	FADD(1, 0, 0)         \
	FADD(3, 2, 2)         \
	FADD(2, 0, 0)         \
	FOLD                  \
	FMOV1 (R0), F1        \
	FADD1 F1, F0, F0      \
	FMOV1 F0, (R0)        \
	ADD  $SIZE, R0        \
	ADD  R3, R1           \
	SUBS $1, R6           \
	BNE  row

// COLSUMS is sum[j] += Σ_r v[r]·s[r][j], r ascending.
#define FIRSTROW(v, rows) \
	MOVD R1, R9           \
	MOVD v, R10           \
	MOVD rows, R6
#define NEXTROW(row) \
	SUBS $1, R6           \
	BNE  row
#define COLSUMS(v, rows, cols) \
	MOVD cols, R7         \
	SUBS $(4*PER), R7     \
	BLT  tail             \
group: \
	VLD1 (R0), [V0.T, V1.T, V2.T, V3.T] \
	FIRSTROW(v, rows)     \
row: \
	VLD1R.P SIZE(R10), [V12.T] \
	VLD1.P (R9)(R3), [V8.T, V9.T, V10.T, V11.T] \
	VFMLA V12.T, V8.T, V0.T \
	VFMLA V12.T, V9.T, V1.T \
	VFMLA V12.T, V10.T, V2.T \
	VFMLA V12.T, V11.T, V3.T \
	NEXTROW(row)          \
	VST1.P [V0.T, V1.T, V2.T, V3.T], 64(R0) \
	ADD  $64, R1          \
	SUBS $(4*PER), R7     \
	BGE  group            \
tail: \
	ADDS $(4*PER), R7     \
	BEQ  done             \
one: \
	FMOV1 (R0), F0        \
	FIRSTROW(v, rows)     \
onerow: \
	FMOV1.P SIZE(R10), F12 \
	FMOV1 (R9), F8        \
	ADD  R3, R9           \
	VFMLA V12.T, V8.T, V0.T \
	NEXTROW(onerow)       \
	FMOV1 F0, (R0)        \
	ADD  $SIZE, R0        \
	ADD  $SIZE, R1        \
	SUBS $1, R7           \
	BNE  one              \
done:

// GAUSSSUMS multiplies values by vectors from both sides as soon as they are in a register; the formulas are those of
// GAUSSSUMSQ in panel_avx512_amd64.h.
//
// Registers: R0 row, R1 row of s, R3 row distance in bytes, R4 xn, R5 w, R6 rows left, R7 columns left, R8, R9, R10, R14
// place in v, s, zn and col; V0 u, then k; V18 -g, V19 2g, V23 least u, V30 -g*xn, V31 w, V20 the row's sum; the
// constants of the exponential that V18-V20 and V23 hold otherwise are not needed.
// Invariant at vector: s, zn, v and col hold at least a vector. One vector in a turn: the chains of several turns overlap.
// Tail: one number at a time in lane 0, whose other lanes add k·0.
#define GAUSSSUMS(zn, v, col, cols) \
row: \
	VLD1R.P SIZE(R4), [V30.T] \
	FMUL(18, 30, 30)      \
	VLD1R.P SIZE(R5), [V31.T] \
	ZERO(V20)             \
	MOVD cols, R7         \
	MOVD R1, R9           \
	MOVD zn, R10          \
	MOVD v, R8            \
	MOVD col, R14         \
	SUBS $PER, R7         \
	BLT  tail             \
vector: \
	FMOVQ.P 16(R10), F1   \
	FMOVQ (R9), F2        \
	GAUSSVALUE            \
	FMOVQ.P F0, 16(R9)    \
	FMOVQ.P 16(R8), F1    \
	FMOVQ (R14), F2       \
	VFMLA V1.T, V0.T, V20.T \
	VFMLA V31.T, V0.T, V2.T \
	FMOVQ.P F2, 16(R14)   \
	SUBS $PER, R7         \
	BGE  vector           \
tail: \
	ADDS $PER, R7         \
	BEQ  join             \
one: \
	FMOV1.P SIZE(R10), F1 \
	FMOV1 (R9), F2        \
	GAUSSVALUE            \
	FMOV1.P F0, SIZE(R9)  \
	FMOV1.P SIZE(R8), F1  \
	FMOV1 (R14), F2       \
	VFMLA V1.T, V0.T, V20.T \
	VFMLA V31.T, V0.T, V2.T \
	FMOV1.P F2, SIZE(R14) \
	SUBS $1, R7           \
	BNE  one              \
join: \
	VMOV V20.B16, V0.B16  \
	FOLD                  \
	FMOV1 (R0), F1        \
	FADD1 F1, F0, F0      \
	FMOV1.P F0, SIZE(R0)  \
	ADD  R3, R1           \
	SUBS $1, R6           \
	BNE  row

// V0 = 2^u, u = -g·(xn+zn) + 2g·s between the least u and 0, of zn in V1 and s in V2.
#define GAUSSVALUE \
	VMOV V30.B16, V0.B16  \
	VFMLA V1.T, V18.T, V0.T \
	VFMLA V2.T, V19.T, V0.T \
	FMIN(22, 0, 0)        \
	FMAX(23, 0, 0)        \
	EXP2

// 2^V0 for V0 <= 0 whose power of 2 is a normal number: the exponential without a factor, and so without its rounding.
#define EXP2OF64 \
	VFADD_D2(16, 0, 1) \
	VFSUB_D2(16, 1, 2) \
	VFSUB_D2(2, 0, 3)  \
	EXP64_TABLE; \
	VSHL $48, V1.D2, V1.D2 \
	VADD V1.D2, V4.D2, V4.D2 \
	EXP64_POLYNOMIAL
#define EXP2OF32 \
	VFADD_S4(16, 0, 1) \
	VFSUB_S4(16, 1, 2) \
	VFSUB_S4(2, 0, 3)  \
	EXP32_TABLE; \
	VSHL $20, V1.S4, V1.S4 \
	VADD V1.S4, V4.S4, V4.S4 \
	EXP32_POLYNOMIAL

// From g: -g and 2g, and the least exponent of a normal number.
#define GAUSSCONSTANTS(g) \
	EXPCONSTANTS          \
	FMOV1 g, F19          \
	VDUP V19.E[0], V19.T  \
	FNEG(19, 18)          \
	FADD(19, 19, 19)      \
	MOVD $LEAST, R11      \
	VDUP R11, V23.T

// The lowest lane of V0 = the sum of its 2 or 4 lanes.
#define FOLD64 VFADDP_D2(0, 0, 0)
#define FOLD32 \
	VFADDP_S4(0, 0, 0) \
	VFADDP_S4(0, 0, 0)

// x for DOT: two or four in a vector.
#define FOURX64 \
	FMOVQ (R4), F4   \
	FMOVQ 16(R4), F5
#define SIXX64 \
	FOURX64          \
	FMOVQ 32(R4), F6
#define FOURX32 FMOVQ (R4), F4
#define SIXX32 \
	FOURX32          \
	FMOVD 16(R4), F5
