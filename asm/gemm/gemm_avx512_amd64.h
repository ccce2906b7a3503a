// Micro-kernels of Tile for AVX-512: 8×24 float64, 8×48 float32.
//
//   for i < m, j < n:  s = 0;  for p < k: s = fma(a[i*ras+p*cas], b[p*bs+j], s)
//                      c[i*cs+j] = fma(alpha, s, beta*c[i*cs+j])     (alpha*s where beta is ±0)
//
// Preconditions: 1 <= k, 1 <= m, 1 <= n <= 3 vectors; A readable for a multiple of 4
// rows, B for n columns; no alignment. Eight rows at a time: the arguments m, a and c
// are those of the rows that are left.
//
// Registers: SI a, R8 ras, R9 3·ras, R10 5·ras, R11 7·ras, R12 cas, BX b, R13 bs,
// CX k left, DI c, DX cs, R15 next, AX rows left to store; strides in bytes.
// Z0-Z23 sums, row r in Z(3r), Z(3r+1), Z(3r+2); Z24-Z26 the row of B;
// Z30, Z31 broadcasts of A, later alpha and beta; K1 columns of the last vector.
//
// Invariant at each loop: SI and BX point at column p of A and row p of B, the
// sums hold the products before p, CX = k-p > 0.
//
// 24 sums of 3 vectors by 8 rows: 11 loads for 24 FMAs, so the two load ports
// idle half of the time, and 24 >= 2 FMA ports × latency 4. Variants with one and
// two vectors and with four rows serve the edges: the order of the sums is the
// same. Whole tiles of two and three vectors take two columns a turn, which leaves 4 scalar
// instructions in competition with 48 FMAs for the ports instead of 7.
// next is the distance from a to memory that will be needed soon (the next
// panel of A): it is brought to L2, as many bytes as A advances.
// Tails: columns by the mask K1 in B and C, rows by leaving the stores early.

#define ROW3(ADDR, T, S0, S1, S2) \
	BROADCAST ADDR, T \ // T = a[i,p]
	FMA   Z24, T, S0  \ // S += T*b[p,:]
	FMA   Z25, T, S1  \
	FMA   Z26, T, S2

#define ROW2(ADDR, T, S0, S1) \
	BROADCAST ADDR, T \
	FMA   Z24, T, S0  \
	FMA   Z25, T, S1

#define ROW1(ADDR, T, S0) \
	BROADCAST ADDR, T \
	FMA   Z24, T, S0

#define FOURX3 \
	ROW3((SI), Z30, Z0, Z1, Z2) \
	ROW3((SI)(R8*1), Z31, Z3, Z4, Z5) \
	ROW3((SI)(R8*2), Z30, Z6, Z7, Z8) \
	ROW3((SI)(R9*1), Z31, Z9, Z10, Z11)

#define EIGHTX3 \
	FOURX3 \
	ROW3((SI)(R8*4), Z30, Z12, Z13, Z14) \
	ROW3((SI)(R10*1), Z31, Z15, Z16, Z17) \
	ROW3((SI)(R9*2), Z30, Z18, Z19, Z20) \
	ROW3((SI)(R11*1), Z31, Z21, Z22, Z23)

#define FOURX2 \
	ROW2((SI), Z30, Z0, Z1) \
	ROW2((SI)(R8*1), Z31, Z3, Z4) \
	ROW2((SI)(R8*2), Z30, Z6, Z7) \
	ROW2((SI)(R9*1), Z31, Z9, Z10)

#define EIGHTX2 \
	FOURX2 \
	ROW2((SI)(R8*4), Z30, Z12, Z13) \
	ROW2((SI)(R10*1), Z31, Z15, Z16) \
	ROW2((SI)(R9*2), Z30, Z18, Z19) \
	ROW2((SI)(R11*1), Z31, Z21, Z22)

#define FOURX1 \
	ROW1((SI), Z30, Z0) \
	ROW1((SI)(R8*1), Z31, Z3) \
	ROW1((SI)(R8*2), Z30, Z6) \
	ROW1((SI)(R9*1), Z31, Z9)

#define EIGHTX1 \
	FOURX1 \
	ROW1((SI)(R8*4), Z30, Z12) \
	ROW1((SI)(R10*1), Z31, Z15) \
	ROW1((SI)(R9*2), Z30, Z18) \
	ROW1((SI)(R11*1), Z31, Z21)

#define STEP \
	ADDQ R12, SI \ // next column of A
	ADDQ R13, BX \ // next row of B
	DECQ CX

// One vector of a row of C at beta != 0: S = fma(alpha, S, beta*C).
#define BLEND(OFF, S, T) \
	MOVU OFF(DI), T  \
	MUL  Z31, T, T   \
	FMA  Z30, S, T   \
	MOVU T, OFF(DI)

#define BLENDMASK(OFF, S, T) \
	MOVU.Z OFF(DI), K1, T \
	MUL  Z31, T, T        \
	FMA  Z30, S, T        \
	MOVU T, K1, OFF(DI)

#define SCALE(OFF, S) \
	MUL Z30, S, S    \
	MOVU S, OFF(DI)

#define SCALEMASK(OFF, S) \
	MUL Z30, S, S       \
	MOVU S, K1, OFF(DI)

// One row of C of three, two and one vectors.
#define BLEND3(S0, S1, S2) \
	BLEND(0, S0, Z24)  \
	BLEND(64, S1, Z25) \
	BLENDMASK(128, S2, Z26)
#define BLEND2(S0, S1, S2) \
	BLEND(0, S0, Z24)  \
	BLENDMASK(64, S1, Z25)
#define BLEND1(S0, S1, S2) BLENDMASK(0, S0, Z24)
#define SCALE3(S0, S1, S2) \
	SCALE(0, S0)       \
	SCALE(64, S1)      \
	SCALEMASK(128, S2)
#define SCALE2(S0, S1, S2) \
	SCALE(0, S0)       \
	SCALEMASK(64, S1)
#define SCALE1(S0, S1, S2) SCALEMASK(0, S0)

#define NEXTROW \
	ADDQ DX, DI \
	DECQ AX     \
	JZ   done

#define STORE(PUT) \
	PUT(Z0, Z1, Z2)    \
	NEXTROW            \
	PUT(Z3, Z4, Z5)    \
	NEXTROW            \
	PUT(Z6, Z7, Z8)    \
	NEXTROW            \
	PUT(Z9, Z10, Z11)  \
	NEXTROW            \
	PUT(Z12, Z13, Z14) \
	NEXTROW            \
	PUT(Z15, Z16, Z17) \
	NEXTROW            \
	PUT(Z18, Z19, Z20) \
	NEXTROW            \
	PUT(Z21, Z22, Z23) \
	JMP  done

#define STOREROWS(alpha, beta, BLENDS, SCALES, scale) \
	BROADCAST alpha, Z30  \
	MOVINT beta, CX       \
	SHL  $1, CX           \ // ±0 is 0
	JZ   scale            \
	BROADCAST beta, Z31   \
	STORE(BLENDS)         \
scale:                        \
	STORE(SCALES)

// The arguments are loaded. C is on its way while the sums run, where it is not as near as A; K1 = columns of the last
// vector, R11 = vectors - 1, AX = rows of this turn.
#define START(m, n, next) \
	SHLQ $SHIFT, R8      \
	SHLQ $SHIFT, R12     \
	SHLQ $SHIFT, R13     \
	SHLQ $SHIFT, DX      \
	MOVQ  m, AX          \
	MOVQ  DI, R15        \
	CMPQ  next, $0       \
	JEQ   sums           \
prefetch:                    \
	PREFETCHT0 (R15)     \
	PREFETCHT0 64(R15)   \
	PREFETCHT0 128(R15)  \
	ADDQ       DX, R15   \
	DECQ       AX        \
	JNZ        prefetch  \
sums:                        \
	VPXORQ Z0, Z0, Z0 \
	VPXORQ Z1, Z1, Z1 \
	VPXORQ Z2, Z2, Z2 \
	VPXORQ Z3, Z3, Z3 \
	VPXORQ Z4, Z4, Z4 \
	VPXORQ Z5, Z5, Z5 \
	VPXORQ Z6, Z6, Z6 \
	VPXORQ Z7, Z7, Z7 \
	VPXORQ Z8, Z8, Z8 \
	VPXORQ Z9, Z9, Z9 \
	VPXORQ Z10, Z10, Z10 \
	VPXORQ Z11, Z11, Z11 \
	VPXORQ Z12, Z12, Z12 \
	VPXORQ Z13, Z13, Z13 \
	VPXORQ Z14, Z14, Z14 \
	VPXORQ Z15, Z15, Z15 \
	VPXORQ Z16, Z16, Z16 \
	VPXORQ Z17, Z17, Z17 \
	VPXORQ Z18, Z18, Z18 \
	VPXORQ Z19, Z19, Z19 \
	VPXORQ Z20, Z20, Z20 \
	VPXORQ Z21, Z21, Z21 \
	VPXORQ Z22, Z22, Z22 \
	VPXORQ Z23, Z23, Z23 \
	MOVQ  CX, AX         \
	MOVQ  n, CX          \
	LEAQ  -1(CX), R11    \
	SHRQ  $(6-SHIFT), R11 \
	ANDQ  $(64>>SHIFT-1), CX \
	MOVL  $1, R9         \
	SHLL  CX, R9         \
	DECL  R9             \
	JNZ   mask           \
	MOVL  $-1, R9        \
mask:                        \
	KMOVW R9, K1         \
	MOVQ  AX, CX         \
	MOVQ  m, AX          \
	MOVL  $8, R9         \
	CMPQ  AX, R9         \
	CMOVQGT R9, AX       \
	LEAQ  (R8)(R8*2), R9 \
	LEAQ  (R8)(R8*4), R10 \
	CMPQ  R11, $1        \
	LEAQ  (R9)(R8*4), R11

#define B3 \
	MOVU (BX), Z24    \
	MOVU 64(BX), Z25  \
	MOVU 128(BX), Z26
#define EDGE3 \
	MOVU (BX), Z24    \
	MOVU 64(BX), Z25  \
	MOVU.Z 128(BX), K1, Z26
#define B2 \
	MOVU (BX), Z24    \
	MOVU 64(BX), Z25
#define EDGE2 \
	MOVU (BX), Z24    \
	MOVU.Z 64(BX), K1, Z25

// Three vectors; the odd column first, then two at a time.
#define THREE(n, next) \
	MOVQ  next, R15      \
	SHLQ  $SHIFT, R15    \
	CMPQ  AX, $4         \
	JLE   loop4x3        \
	CMPQ  n, $(3*64>>SHIFT) \
	JNE   edge8x3        \
	TESTQ $1, CX         \
	JZ    loop8x3        \
	B3                   \
	EIGHTX3              \
	STEP                 \
	JZ   store3          \
loop8x3:                     \
	PREFETCHT1 (SI)(R15*1) \
	B3                   \
	EIGHTX3              \
	ADDQ R12, SI         \
	PREFETCHT1 (SI)(R15*1) \
	MOVU (BX)(R13*1), Z24 \
	MOVU 64(BX)(R13*1), Z25 \
	MOVU 128(BX)(R13*1), Z26 \
	EIGHTX3              \
	ADDQ R12, SI         \
	LEAQ (BX)(R13*2), BX \
	SUBQ $2, CX          \
	JNZ  loop8x3         \
	JMP  store3          \
edge8x3:                     \
	EDGE3                \
	EIGHTX3              \
	STEP                 \
	JNZ  edge8x3         \
	JMP  store3          \
loop4x3:                     \
	EDGE3                \
	FOURX3               \
	STEP                 \
	JNZ  loop4x3         \
store3:

#define TWO(n) \
two:                         \
	CMPQ AX, $4          \
	JLE  loop4x2         \
	CMPQ n, $(2*64>>SHIFT) \
	JNE  loop8x2         \
	TESTQ $1, CX         \
	JZ   full8x2         \
	B2                   \
	EIGHTX2              \
	STEP                 \
	JZ   store2          \
full8x2:                     \
	B2                   \
	EIGHTX2              \
	ADDQ R12, SI         \
	MOVU (BX)(R13*1), Z24 \
	MOVU 64(BX)(R13*1), Z25 \
	EIGHTX2              \
	ADDQ R12, SI         \
	LEAQ (BX)(R13*2), BX \
	SUBQ $2, CX          \
	JNZ  full8x2         \
	JMP  store2          \
loop8x2:                     \
	EDGE2                \
	EIGHTX2              \
	STEP                 \
	JNZ  loop8x2         \
	JMP  store2          \
loop4x2:                     \
	EDGE2                \
	FOURX2               \
	STEP                 \
	JNZ  loop4x2         \
store2:

#define ONE \
one:                         \
	CMPQ AX, $4          \
	JLE  loop4x1         \
loop8x1:                     \
	MOVU.Z (BX), K1, Z24 \
	EIGHTX1              \
	STEP                 \
	JNZ  loop8x1         \
	JMP  store1          \
loop4x1:                     \
	MOVU.Z (BX), K1, Z24 \
	FOURX1               \
	STEP                 \
	JNZ  loop4x1         \
store1:

// The next eight rows, if there are any.
#define MOREROWS(m, a, c) \
done:                        \
	SUBQ $8, m           \
	JLE  end             \
	MOVQ a, SI           \
	LEAQ (SI)(R8*8), SI  \
	MOVQ SI, a           \
	MOVQ c, DI           \
	LEAQ (DI)(DX*8), DI  \
	MOVQ DI, c           \
	JMP  again           \
end:

// The steps of many_amd64.h; K1 has the columns of B and C.
#include "manysteps_amd64.h"

#define ALPHA Z30
#define BETA Z31
#define ZERO(S) VPXORQ S, S, S
#define LOADONE MOVU.Z (BX), K1, V8
#define FMAONE(ADDR, S) FMA.BCST ADDR, V8, S
#define PUTONE(S) \
	MOVU S, K1, (DI) \
	ADDQ DX, DI
#define BLENDONE(S) \
	BLENDMASK(0, S, V9) \
	ADDQ DX, DI

// K1 = the first n columns of a vector.
#define COLUMNS(n) \
	MOVQ  n, CX  \
	MOVL  $1, AX \
	SHLL  CX, AX \
	DECL  AX     \
	KMOVW AX, K1

// The steps of rows_amd64.h.

#define ZERO1 \
	ZEROROW(Z0, Z8)
#define ZERO2 \
	ZERO1 \
	ZEROROW(Z1, Z9)
#define ZERO3 \
	ZERO2 \
	ZEROROW(Z2, Z10)
#define ZERO4 \
	ZERO3 \
	ZEROROW(Z3, Z11)
#define ZERO5 \
	ZERO4 \
	ZEROROW(Z4, Z12)
#define ZERO6 \
	ZERO5 \
	ZEROROW(Z5, Z13)
#define ZERO7 \
	ZERO6 \
	ZEROROW(Z6, Z14)
#define ZERO8 \
	ZERO7 \
	ZEROROW(Z7, Z15)
#define FMA1 \
	FMAROW((SI), Z0, Z8)
#define FMA2 \
	FMA1 \
	FMAROW((SI)(R8*1), Z1, Z9)
#define FMA3 \
	FMA2 \
	FMAROW((SI)(R8*2), Z2, Z10)
#define FMA4 \
	FMA3 \
	FMAROW((SI)(R9*1), Z3, Z11)
#define FMA5 \
	FMA4 \
	FMAROW((SI)(R8*4), Z4, Z12)
#define FMA6 \
	FMA5 \
	FMAROW((SI)(R10*1), Z5, Z13)
#define FMA7 \
	FMA6 \
	FMAROW((SI)(R9*2), Z6, Z14)
#define FMA8 \
	FMA7 \
	FMAROW((SI)(R11*1), Z7, Z15)
#define BLENDROWS1 BLENDROW(Z0, Z8)
#define BLENDROWS2 \
	BLENDROW(Z1, Z9) \
	SUBQ DX, SI \
	BLENDROWS1
#define BLENDROWS3 \
	BLENDROW(Z2, Z10) \
	SUBQ DX, SI \
	BLENDROWS2
#define BLENDROWS4 \
	BLENDROW(Z3, Z11) \
	SUBQ DX, SI \
	BLENDROWS3
#define BLENDROWS5 \
	BLENDROW(Z4, Z12) \
	SUBQ DX, SI \
	BLENDROWS4
#define BLENDROWS6 \
	BLENDROW(Z5, Z13) \
	SUBQ DX, SI \
	BLENDROWS5
#define BLENDROWS7 \
	BLENDROW(Z6, Z14) \
	SUBQ DX, SI \
	BLENDROWS6
#define BLENDROWS8 \
	BLENDROW(Z7, Z15) \
	SUBQ DX, SI \
	BLENDROWS7

// The arguments are loaded: strides in bytes, AX twice the bits of beta, K1 the columns of the last vector, which are
// those of the CX columns that are not before it.
#define BEGINFEW(before) \
	SHLQ $SHIFT, R8        \
	SHLQ $SHIFT, R12       \
	SHLQ $SHIFT, R13       \
	SHLQ $SHIFT, DX        \
	LEAQ (R8)(R8*2), R9    \
	LEAQ (R8)(R8*4), R10   \
	LEAQ (R10)(R8*2), R11  \
	SHL  $1, AX            \
	SUBQ $before, CX       \
	MOVL $-1, BX           \
	BZHIL CX, BX, BX       \
	KMOVW BX, K1

// The sums of a group of rows.
#define SUMS(loop, zeros, sums, scale, blend, put) \
	zeros             \
	MOVQ R15, SI      \
	MOVQ R14, BX      \
	MOVQ k+0(FP), CX  \
loop:                     \
	LOADROW         \
	sums              \
	ADDQ R12, SI      \
	ADDQ R13, BX      \
	DECQ CX           \
	JNZ  loop         \
	TESTQ AX, AX      \
	JZ   scale        \
	MOVQ DI, SI       \
	blend             \
	JMP  put

#define ZEROSINGLE(S, T) VPXORQ S, S, S
#define LOADMASKED MOVU.Z (BX), K1, Z16
#define FMAMEMORY(ADDR, S, T) FMA.BCST ADDR, Z16, S
#define PUTMASKED(S, T) MOVU S, K1, (DI)
#define SCALEMASKED(S, T) \
	MUL  Z20, S, S     \
	PUTMASKED(S, T)
#define BLENDMASKED(S, T) \
	MOVU.Z (SI), K1, Z19 \
	MUL  Z21, Z19, Z19   \
	FMA  Z20, S, Z19     \
	MOVU Z19, S

#define ZEROBOTH(S, T) \
	VPXORQ S, S, S \
	VPXORQ T, T, T
#define LOADBOTH \
	MOVU (BX), Z16 \
	MOVU.Z 64(BX), K1, Z17
#define FMABOTH(ADDR, S, T) \
	BROADCAST ADDR, Z18 \
	FMA Z16, Z18, S \
	FMA Z17, Z18, T
#define PUTBOTH(S, T) \
	MOVU S, (DI)       \
	MOVU T, K1, 64(DI)
#define SCALEBOTH(S, T) \
	MUL  Z20, S, S     \
	MUL  Z20, T, T     \
	PUTBOTH(S, T)
#define BLENDBOTH(S, T) \
	MUL  (SI), Z21, Z19    \
	FMA  Z20, S, Z19       \
	MOVU Z19, S            \
	MOVU.Z 64(SI), K1, Z19 \
	MUL  Z21, Z19, Z19     \
	FMA  Z20, T, Z19       \
	MOVU Z19, T
