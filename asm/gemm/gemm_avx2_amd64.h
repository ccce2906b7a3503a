// Micro-kernels of Tile for AVX2: 4×12 float64, 4×24 float32; v vectors of
// columns are computed and written.
//
//   for i < 4, j < v vectors:  s = 0;  for p < k: s = fma(a[i*ras+p*cas], b[p*bs+j], s)
//                              c[i*cs+j] = fma(alpha, s, beta*c[i*cs+j])   (alpha*s where beta is ±0)
//
// Preconditions: 1 <= k, 1 <= v <= 3; A, B and C hold four rows and v whole
// vectors; no alignment. Other tiles go through the wrapper's buffer.
//
// Registers: SI a, R8 ras, R9 3·ras, R12 cas, BX b, R13 bs, CX k left, DI c,
// DX cs, AX v; strides in bytes. Y0-Y11 sums, row r in Y(3r)…Y(3r+2); Y12-Y14
// the row of B; Y15 broadcast of A. At the end Y14 alpha, Y15 beta, Y13 C.
//
// Invariant at each loop: SI and BX point at column p of A and row p of B, the
// sums hold the products before p, CX = k-p > 0.
//
// 12 sums are 2 FMA ports × latency 4 and half as many again; 4×12 has 7 loads for 12 FMAs
// against 8 for 6×8.

#define ROW3(ADDR, S0, S1, S2) \
	BROADCAST ADDR, Y15    \ // a[i,p]
	FMA   Y12, Y15, S0 \ // S += a[i,p]*b[p,:]
	FMA   Y13, Y15, S1 \
	FMA   Y14, Y15, S2

#define ROW2(ADDR, S0, S1) \
	BROADCAST ADDR, Y15    \
	FMA   Y12, Y15, S0 \
	FMA   Y13, Y15, S1

#define ROW1(ADDR, S0) \
	BROADCAST ADDR, Y15    \
	FMA   Y12, Y15, S0

#define STEP \
	ADDQ R12, SI \ // next column of A
	ADDQ R13, BX \ // next row of B
	DECQ CX

#define BLEND(OFF, S) \
	MUL OFF(DI), Y15, Y13 \ // beta*C
	FMA Y14, S, Y13       \
	MOVU Y13, OFF(DI)

#define SCALE(OFF, S) \
	MUL Y14, S, S   \
	MOVU S, OFF(DI)

// A row of C of AX vectors.
#define PUTROW(PUT, S0, S1, S2, next) \
	PUT(0, S0)     \
	CMPQ AX, $2    \
	JB   next      \
	PUT(32, S1)    \
	JE   next      \
	PUT(64, S2)    \
next:

#define PUTROWS(PUT, n0, n1, n2, n3) \
	PUTROW(PUT, Y0, Y1, Y2, n0)   \
	ADDQ DX, DI                   \
	PUTROW(PUT, Y3, Y4, Y5, n1)   \
	ADDQ DX, DI                   \
	PUTROW(PUT, Y6, Y7, Y8, n2)   \
	ADDQ DX, DI                   \
	PUTROW(PUT, Y9, Y10, Y11, n3)

// R8 = the bits of beta.
#define STORE \
	SHL $1, R8 \ // ±0 is 0
	JZ  scale  \
	PUTROWS(BLEND, next0, next1, next2, next3) \
	VZEROUPPER \
	RET        \
scale:             \
	PUTROWS(SCALE, past0, past1, past2, past3)

// Products of up to two vectors of columns: all rows, four at a time.
//
//   for i < m, j < n:  s = 0;  for p < k: s = fma(a[i*ras+p*cas], b[p*bs+j], s)
//                      c[i*cs+j] = fma(alpha, s, beta*c[i*cs+j])   (alpha*s where beta is ±0)
//
// Preconditions: 1 <= k, 1 <= m, 1 <= n <= two vectors; no alignment. Nothing beyond the elements
// is read or written: of the last vector of a row only its lanes, and rows that a group of four
// lacks are read from the last one, and not written.
//
// Registers: SI the group's rows of A, AX column p of them, R14, R15, R9 the offsets of its other
// rows; R8 ras, R12 cas; BX row p of B, R13 bs; DI c, DX cs; R10 rows left; R11 k, CX k left; strides
// in bytes. Y0-Y7 sums, row r in Y(2r), Y(2r+1); Y12, Y13 the row of B, Y15 broadcast of A; Y14 mask of
// the last vector, X11 its bytes; Y8 alpha, Y9 beta.

#define OFFSETS \
	MOVQ    R8, R14          \
	LEAQ    (R8)(R8*1), R15  \
	LEAQ    (R8)(R8*2), R9   \
	XORQ    CX, CX           \
	CMPQ    R10, $2          \
	CMOVQLT CX, R14          \
	CMPQ    R10, $3          \
	CMOVQLT R14, R15         \
	CMPQ    R10, $4          \
	CMOVQLT R15, R9          \
	MOVQ    SI, AX           \
	MOVQ    R11, CX          \
	VXORPS  Y0, Y0, Y0       \
	VXORPS  Y1, Y1, Y1       \
	VXORPS  Y2, Y2, Y2       \
	VXORPS  Y3, Y3, Y3       \
	VXORPS  Y4, Y4, Y4       \
	VXORPS  Y5, Y5, Y5       \
	VXORPS  Y6, Y6, Y6       \
	VXORPS  Y7, Y7, Y7

#define NEXTP \
	ADDQ R12, AX \
	ADDQ R13, BX \
	DECQ CX

// The next four rows; BX back to the first row of B.
#define NEXTGROUP \
	MOVQ  R13, CX       \
	IMULQ R11, CX       \
	SUBQ  CX, BX        \
	LEAQ  (SI)(R8*4), SI

#define TWOFMA(ADDR, S0, S1) \
	BROADCAST ADDR, Y15 \
	FMA       Y12, Y15, S0 \
	FMA       Y13, Y15, S1

#define ONEFMA(ADDR, S1) \
	BROADCAST ADDR, Y15 \
	FMA       Y13, Y15, S1

// Writes the AX bytes of S, whose lower half is X, to OFF(DI).
#define PUTLAST(OFF, S, X, parts, eight, four, done) \
	CMPQ         AX, $32      \
	JNE          parts        \
	MOVU         S, OFF(DI)   \
	JMP          done         \
parts:                            \
	MOVQ         DI, CX       \
	TESTQ        $16, AX      \
	JZ           eight        \
	VMOVUPS      X, OFF(CX)   \
	VEXTRACTF128 $1, S, X     \
	ADDQ         $16, CX      \
eight:                            \
	TESTQ        $8, AX       \
	JZ           four         \
	VMOVSD       X, OFF(CX)   \
	VPSRLDQ      $8, X, X     \
	ADDQ         $8, CX       \
four:                             \
	TESTQ        $4, AX       \
	JZ           done         \
	VMOVSS       X, OFF(CX)   \
done:

// S = alpha·S + beta·C for the last vector of a row.
#define LASTSUM(OFF, S, scale, out) \
	VPTEST  Y9, Y9            \
	JZ      scale             \
	MASKMOV OFF(DI), Y14, Y10 \
	MUL     Y10, Y9, Y10      \
	FMA     Y8, S, Y10        \
	VMOVAPS Y10, S            \
	JMP     out               \
scale:                            \
	MUL     Y8, S, S          \
out:

#define TWOOUT(S0, S1, X1, plain, both, scale, out, parts, eight, four, done) \
	VPTEST  Y9, Y9        \
	JZ      plain         \
	MUL     (DI), Y9, Y10 \
	FMA     Y8, S0, Y10   \
	MOVU    Y10, (DI)     \
	JMP     both          \
plain:                        \
	MUL     Y8, S0, S0    \
	MOVU    S0, (DI)      \
both:                         \
	LASTSUM(32, S1, scale, out) \
	PUTLAST(32, S1, X1, parts, eight, four, done) \
	ADDQ    DX, DI        \
	DECQ    R10           \
	JZ      finished

#define ONEOUT(S1, X1, scale, out, parts, eight, four, done) \
	LASTSUM(0, S1, scale, out) \
	PUTLAST(0, S1, X1, parts, eight, four, done) \
	ADDQ DX, DI   \
	DECQ R10      \
	JZ   finished

// The steps of packTransposed. The halves of float64 are joined while loading, so that four shuffles are left.
#define FOURBYFOUR64 \
	VMOVUPD     (SI), X0 \
	VMOVUPD     (SI)(R8*1), X1 \
	VMOVUPD     16(SI), X2 \
	VMOVUPD     16(SI)(R8*1), X3 \
	VINSERTF128 $1, (SI)(R8*2), Y0, Y0 \ // x00 x01 x20 x21
	VINSERTF128 $1, (SI)(R9*1), Y1, Y1 \ // x10 x11 x30 x31
	VINSERTF128 $1, 16(SI)(R8*2), Y2, Y2 \
	VINSERTF128 $1, 16(SI)(R9*1), Y3, Y3 \
	VUNPCKLPD   Y1, Y0, Y4 \ // x00 x10 x20 x30
	VUNPCKHPD   Y1, Y0, Y5 \
	VUNPCKLPD   Y3, Y2, Y6 \
	VUNPCKHPD   Y3, Y2, Y7 \
	VMOVUPD     Y4, (DI) \
	VMOVUPD     Y5, (DI)(DX*1) \
	VMOVUPD     Y6, (DI)(DX*2) \
	VMOVUPD     Y7, (DI)(R10*1)

#define FOURBYFOUR32 \
	VMOVUPS   (SI), X0 \
	VMOVUPS   (SI)(R8*1), X1 \
	VMOVUPS   (SI)(R8*2), X2 \
	VMOVUPS   (SI)(R9*1), X3 \
	VUNPCKLPS X1, X0, X4 \ // x00 x10 x01 x11
	VUNPCKHPS X1, X0, X5 \ // x02 x12 x03 x13
	VUNPCKLPS X3, X2, X6 \ // x20 x30 x21 x31
	VUNPCKHPS X3, X2, X7 \
	VUNPCKLPD X6, X4, X0 \ // x00 x10 x20 x30
	VUNPCKHPD X6, X4, X1 \
	VUNPCKLPD X7, X5, X2 \
	VUNPCKHPD X7, X5, X3 \
	VMOVUPS   X0, (DI) \
	VMOVUPS   X1, (DI)(DX*1) \
	VMOVUPS   X2, (DI)(DX*2) \
	VMOVUPS   X3, (DI)(R10*1)

// The steps of many_amd64.h.
#include "manysteps_amd64.h"

#define ALPHA Y14
#define BETA Y15
#define ZERO(S) VXORPS S, S, S
#define LOADONE MOVU (BX), V8
#define FMAONE(ADDR, S) \
	BROADCAST ADDR, V9 \
	FMA       V8, V9, S
#define PUTONE(S) \
	MOVU S, (DI) \
	ADDQ DX, DI
#define BLENDONE(S) \
	MUL  (DI), BETA, V9 \
	FMA  ALPHA, S, V9   \
	MOVU V9, (DI)       \
	ADDQ DX, DI

// A row of two vectors, S and T.
#define LOADPAIR \
	MOVU (BX), V8    \
	MOVU 32(BX), V10
#define FMAPAIR(ADDR, S, T) \
	BROADCAST ADDR, V9 \
	FMA       V8, V9, S  \
	FMA       V10, V9, T
#define PUTPAIR(S, T) \
	MOVU S, (DI)   \
	MOVU T, 32(DI) \
	ADDQ DX, DI
#define SCALEPAIR(S, T) \
	MUL ALPHA, S, S \
	MUL ALPHA, T, T \
	PUTPAIR(S, T)
#define BLENDPAIR(S, T) \
	MUL  (DI), BETA, V9    \
	MUL  32(DI), BETA, V10 \
	FMA  ALPHA, S, V9      \
	FMA  ALPHA, T, V10     \
	PUTPAIR(V9, V10)
