//go:build !noasm

#include "textflag.h"

// The bodies stand in one header each, for both widths and both types.

// W is the size of a vector in bytes.
#define W 64
#define V0 Z0
#define V1 Z1
#define V2 Z2
#define V3 Z3
#define V4 Z4
#define V5 Z5
#define V6 Z6
#define V7 Z7
#define V8 Z8
#define V9 Z9
#define V10 Z10
#define V11 Z11
#define V12 Z12
#define V13 Z13
#define V14 Z14
#define V15 Z15

// K1 = mask of the CX < 64 last bytes, CX then being the number of elements. Uses AX.
#define TAILMASK \
	SHRQ  $SHIFT, CX  \
	MOVQ  $-1, AX     \
	BZHIQ CX, AX, AX  \
	KMOVQ AX, K1

// Whole vectors move without a mask: a masked load takes an arithmetic port.
#define LOADTAIL(p, l) MOVU.Z p, K1, l
#define STORETAIL(l, p) MOVU l, K1, p

// The columns up to a line of row 0, if there are many, see rotate_amd64.h. Loads
// and stores across two lines take twice as long; where the rows lie alike on lines,
// and w, none does then, and a call finds in w the pieces that the one before it
// stored. Uses R11 and R12.
#define HEAD(pairs, ROTATE, PUTTAIL) \
	MOVQ SI, R12         \
	NEGQ R12             \
	ANDQ $(W-1), R12     \ // bytes to the line
	JEQ  pairs           \
	CMPQ CX, $(6*W)      \
	JLT  pairs           \
	MOVQ CX, R11         \
	MOVQ R12, CX         \
	TAILMASK             \
	MOVQ R11, CX         \
	SUBQ R12, CX         \
	LOADTAIL((DI), V12)  \
	ROWS(ROTATE, LOADTAIL, PUTTAIL, 0, V13, V8, V12) \
	STORETAIL(V12, (DI)) \
	ADVANCE(R12)

// Four columns of eight rows of float64, at p and q, AX bytes apart, R8 being three
// of that. The rows that share a register are chosen so that a column's rows come
// out in order.

#define TOCOLUMNSAT(p, q, off) \
	VMOVUPD off(p), Y8                       \ // rows 0 and 2
	VMOVUPD off(p)(AX*1), Y9                 \ // 1 and 3
	VMOVUPD off(q), Y10                     \ // 4 and 6
	VMOVUPD off(q)(AX*1), Y11               \ // 5 and 7
	VINSERTF64X4 $1, off(p)(AX*2), Z8, Z8    \
	VINSERTF64X4 $1, off(p)(R8*1), Z9, Z9    \
	VINSERTF64X4 $1, off(q)(AX*2), Z10, Z10 \
	VINSERTF64X4 $1, off(q)(R8*1), Z11, Z11 \
	VUNPCKLPD Z9, Z8, Z12                    \ // columns 0 and 2 of rows 0 to 3
	VUNPCKHPD Z9, Z8, Z13                    \
	VUNPCKLPD Z11, Z10, Z14                  \
	VUNPCKHPD Z11, Z10, Z15                  \
	VSHUFF64X2 $0x88, Z14, Z12, Z8           \
	VSHUFF64X2 $0x88, Z15, Z13, Z9           \
	VSHUFF64X2 $0xdd, Z14, Z12, Z10          \
	VSHUFF64X2 $0xdd, Z15, Z13, Z11

// Z16 and Z17 are pairs.
#define TOROWSAT(p, q, off) \
	VUNPCKLPD Z9, Z8, Z12                    \ // columns 0 and 1 of even rows
	VUNPCKHPD Z9, Z8, Z13                    \
	VUNPCKLPD Z11, Z10, Z14                  \ // columns 2 and 3
	VUNPCKHPD Z11, Z10, Z15                  \
	VMOVAPD Z12, Z10                         \
	VMOVAPD Z13, Z11                         \
	VPERMT2PD Z14, Z16, Z12                  \ // rows 0 and 2
	VPERMT2PD Z15, Z16, Z13                  \
	VPERMT2PD Z14, Z17, Z10                  \ // rows 4 and 6
	VPERMT2PD Z15, Z17, Z11                  \
	VMOVUPD Y12, off(p)                      \
	VMOVUPD Y13, off(p)(AX*1)                \
	VEXTRACTF64X4 $1, Z12, off(p)(AX*2)      \
	VEXTRACTF64X4 $1, Z13, off(p)(R8*1)      \
	VMOVUPD Y10, off(q)                     \
	VMOVUPD Y11, off(q)(AX*1)               \
	VEXTRACTF64X4 $1, Z10, off(q)(AX*2)     \
	VEXTRACTF64X4 $1, Z11, off(q)(R8*1)

#define TOCOLUMNS64(p, off) TOCOLUMNSAT(p, R9, off)
#define TOROWS64(p, off) TOROWSAT(p, R9, off)

// Pairs of the first four and of the last four of two registers' lanes.
DATA pairs<>+0(SB)/8, $0
DATA pairs<>+8(SB)/8, $1
DATA pairs<>+16(SB)/8, $8
DATA pairs<>+24(SB)/8, $9
DATA pairs<>+32(SB)/8, $2
DATA pairs<>+40(SB)/8, $3
DATA pairs<>+48(SB)/8, $10
DATA pairs<>+56(SB)/8, $11
DATA pairs<>+64(SB)/8, $4
DATA pairs<>+72(SB)/8, $5
DATA pairs<>+80(SB)/8, $12
DATA pairs<>+88(SB)/8, $13
DATA pairs<>+96(SB)/8, $6
DATA pairs<>+104(SB)/8, $7
DATA pairs<>+112(SB)/8, $14
DATA pairs<>+120(SB)/8, $15
GLOBL pairs<>(SB), RODATA|NOPTR, $128

// The other pointers of lower_amd64.h, and the step from these rows to the next.

#define POINTERS64 \
	LEAQ (AX)(AX*2), R8 \
	LEAQ (SI)(AX*4), R9

#define NEXTROWS64 \
	LEAQ (SI)(AX*8), SI \
	LEAQ (R9)(AX*8), R9

// Four columns of eight rows through four rotations, see panel_amd64.h.
#define EIGHT64(ROTATE, PUT, off, k) \
	COLUMNS(ROTATE, PUT, SI, off, k, Z0)

#define SCAN64 \
	VALIGNQ $1, Z3, Z0, Z4 \ // v_{i+1}
	VALIGNQ $1, Z4, Z0, Z5 \
	VADDPD Z5, Z4, Z4      \
	VALIGNQ $2, Z4, Z0, Z5 \
	VADDPD Z5, Z4, Z4      \
	VALIGNQ $4, Z4, Z0, Z5 \
	VADDPD Z5, Z4, Z4

#define SCAN32 \
	VALIGND $1, Z3, Z0, Z4 \
	VALIGND $1, Z4, Z0, Z5 \
	VADDPS Z5, Z4, Z4      \
	VALIGND $2, Z4, Z0, Z5 \
	VADDPS Z5, Z4, Z4      \
	VALIGND $4, Z4, Z0, Z5 \
	VADDPS Z5, Z4, Z4      \
	VALIGND $8, Z4, Z0, Z5 \
	VADDPS Z5, Z4, Z4

#include "chol_amd64.h"
#include "panel_amd64.h"
#include "float64_amd64.h"

// func rotate64AVX512(kind Kind, u []float64, stride int, w []float64, r *Rotations[float64])
TEXT ·rotate64AVX512(SB), NOSPLIT, $0-72
	MOVQ kind+0(FP), DX
	MOVQ u_base+8(FP), SI
	MOVQ stride+32(FP), AX
	MOVQ w_base+40(FP), DI
	MOVQ w_len+48(FP), CX
	MOVQ r+64(FP), BX
#include "rotate_amd64.h"
	VZEROUPPER
	RET

// func rotateLower64AVX512(kind Kind, l []float64, stride int, w []float64, r *Rotations[float64])
TEXT ·rotateLower64AVX512(SB), NOSPLIT, $0-72
	MOVQ kind+0(FP), DX
	MOVQ l_base+8(FP), SI
	MOVQ stride+32(FP), AX
	MOVQ w_base+40(FP), DI
	MOVQ w_len+48(FP), CX
	MOVQ r+64(FP), BX
	VMOVUPD pairs<>(SB), Z16
	VMOVUPD pairs<>+64(SB), Z17
#include "lower_amd64.h"
	VZEROUPPER
	RET

// Eight columns of eight rows, for Solved. Two rows go together: after the products v = s·l, E holds those of the
// even columns of both, O those of the odd ones, and what a step subtracts from w is a scan over the four groups
// of two columns.
//   SI, R9 rows 0 and 4 of l, AX stride in bytes, R8 three rows; BX coefficients, DX those left, four columns each
//   Z0-Z3 w of each two rows, alternating; Z4-Z11 rows of l; Z29-Z31 c, s, r of eight columns
//   Z12, Z14, Z16, Z18 and Z13, Z15, Z17, Z19 v of the rows, then w behind even columns and O; Z20-Z23 sums;
//   Z24-Z27 shifted sums, then w behind odd columns; K1, K2 groups from the second and third on; K3 the columns
// Invariant at loop: SI, R9, BX at the first column not done.
// All pairs of rows take each step before the next one: an operation that waits for another takes one of the 64
// places from which a Zen 4 picks, and one pair after the other takes 1.6 times as long. The chain from one turn to
// the next is a subtraction. Last: four columns under a mask, the coefficients of the others being 0.

#define FIRST(OP) \
	OP(Z0, Z4, Z5, Z12, Z13, Z20, Z24) \
	OP(Z1, Z6, Z7, Z14, Z15, Z21, Z25)
#define SECOND(OP) \
	OP(Z2, Z8, Z9, Z16, Z17, Z22, Z26) \
	OP(Z3, Z10, Z11, Z18, Z19, Z23, Z27)

#define TIMESS(w, a, b, va, vb, sum, t) VMULPD a, Z30, va; VMULPD b, Z30, vb;
#define TIMESC(w, a, b, va, vb, sum, t) VMULPD a, Z29, a; VMULPD b, Z29, b;
#define SPLIT(w, a, b, va, vb, sum, t) VUNPCKLPD vb, va, sum; VUNPCKHPD vb, va, vb; // E, O
#define TOGETHER(w, a, b, va, vb, sum, t) VADDPD vb, sum, sum;
#define SHIFT1(w, a, b, va, vb, sum, t) VSHUFF64X2.Z $0x90, sum, sum, K1, t;
#define SHIFT2(w, a, b, va, vb, sum, t) VSHUFF64X2.Z $0x40, sum, sum, K2, t;
#define SCANNED(w, a, b, va, vb, sum, t) VADDPD t, sum, sum;
#define BEHIND(w, a, b, va, vb, sum, t) VSUBPD sum, w, t;
#define NEXTW(w, a, b, va, vb, sum, t) VADDPD vb, t, va; VSHUFF64X2 $0xff, t, t, w;
#define MERGE(w, a, b, va, vb, sum, t) VUNPCKLPD t, va, vb; VUNPCKHPD t, va, va;
#define RESULT(w, a, b, va, vb, sum, t) VFMADD231PD vb, Z31, a; VFMADD231PD va, Z31, b;

#define BLOCK \
	FIRST(TIMESS)    \
	FIRST(SPLIT)     \
	FIRST(TOGETHER)  \
	FIRST(SHIFT1)    \
	FIRST(SCANNED)   \
	SECOND(TIMESS)   \
	FIRST(SHIFT2)    \
	SECOND(SPLIT)    \
	FIRST(SCANNED)   \
	SECOND(TOGETHER) \
	FIRST(TIMESC)    \
	SECOND(SHIFT1)   \
	FIRST(BEHIND)    \
	SECOND(SCANNED)  \
	FIRST(NEXTW)     \
	SECOND(SHIFT2)   \
	FIRST(MERGE)     \
	SECOND(SCANNED)  \
	FIRST(RESULT)    \
	SECOND(BEHIND)   \
	SECOND(TIMESC)   \
	SECOND(NEXTW)    \
	SECOND(MERGE)    \
	SECOND(RESULT)

#define GETROWS(GET) \
	GET((SI), Z4)         \
	GET((SI)(AX*1), Z5)   \
	GET((SI)(AX*2), Z6)   \
	GET((SI)(R8*1), Z7)   \
	GET((R9), Z8)         \
	GET((R9)(AX*1), Z9)   \
	GET((R9)(AX*2), Z10)  \
	GET((R9)(R8*1), Z11)

#define PUTROWS(PUT) \
	PUT(Z4, (SI))         \
	PUT(Z5, (SI)(AX*1))   \
	PUT(Z6, (SI)(AX*2))   \
	PUT(Z7, (SI)(R8*1))   \
	PUT(Z8, (R9))         \
	PUT(Z9, (R9)(AX*1))   \
	PUT(Z10, (R9)(AX*2))  \
	PUT(Z11, (R9)(R8*1))

#define GETFOUR(p, l) VMOVUPD.Z p, K3, l
#define PUTFOUR(l, p) VMOVUPD l, K3, p

// func rotatePanel64AVX512(kind Kind, l []float64, stride int, w []float64, r []Rotations[float64])
// kind is Solved.
TEXT ·rotatePanel64AVX512(SB), NOSPLIT, $0-88
	MOVQ l_base+8(FP), SI
	MOVQ stride+32(FP), AX
	MOVQ w_base+40(FP), DI
	MOVQ r_base+64(FP), BX
	MOVQ r_len+72(FP), DX
	VBROADCASTF64X2 (DI), Z0
	VBROADCASTF64X2 16(DI), Z1
	VBROADCASTF64X2 32(DI), Z2
	VBROADCASTF64X2 48(DI), Z3
	MOVL $0xfc, CX
	KMOVB CX, K1
	MOVL $0xf0, CX
	KMOVB CX, K2
	MOVL $0x0f, CX
	KMOVB CX, K3
	SHLQ $3, AX
	LEAQ (AX)(AX*2), R8
	LEAQ (SI)(AX*4), R9

loop:
	SUBQ $2, DX
	JLT  last
	VMOVUPD (BX), Y29
	VMOVUPD 32(BX), Y30
	VMOVUPD 64(BX), Y31
	VINSERTF64X4 $1, 96(BX), Z29, Z29
	VINSERTF64X4 $1, 128(BX), Z30, Z30
	VINSERTF64X4 $1, 160(BX), Z31, Z31
	GETROWS(LOAD)
	BLOCK
	PUTROWS(STORE)
	ADDQ $64, SI
	ADDQ $64, R9
	ADDQ $192, BX
	JMP  loop

last:
	ADDQ $2, DX
	JEQ  done
	VMOVUPD (BX), Y29
	VMOVUPD 32(BX), Y30
	VMOVUPD 64(BX), Y31
	GETROWS(GETFOUR)
	BLOCK
	PUTROWS(PUTFOUR)

done:
	VMOVUPD X0, (DI)
	VMOVUPD X1, 16(DI)
	VMOVUPD X2, 32(DI)
	VMOVUPD X3, 48(DI)
	VZEROUPPER
	RET

// func sweep64AVX512(b []float64, n, stride int, w, d, c []float64)
TEXT ·sweep64AVX512(SB), NOSPLIT, $0-112
	MOVQ b_base+0(FP), SI
	MOVQ n+24(FP), DX
	MOVQ stride+32(FP), BX
	MOVQ w_base+40(FP), R8
	MOVQ w_len+48(FP), CX
	MOVQ d_base+64(FP), R9
	MOVQ c_base+88(FP), R10
#include "sweep_amd64.h"
	VZEROUPPER
	RET

#include "float32_amd64.h"

// func rotate32AVX512(kind Kind, u []float32, stride int, w []float32, r *Rotations[float32])
TEXT ·rotate32AVX512(SB), NOSPLIT, $0-72
	MOVQ kind+0(FP), DX
	MOVQ u_base+8(FP), SI
	MOVQ stride+32(FP), AX
	MOVQ w_base+40(FP), DI
	MOVQ w_len+48(FP), CX
	MOVQ r+64(FP), BX
#include "rotate_amd64.h"
	VZEROUPPER
	RET

// func sweep32AVX512(b []float32, n, stride int, w, d, c []float32)
TEXT ·sweep32AVX512(SB), NOSPLIT, $0-112
	MOVQ b_base+0(FP), SI
	MOVQ n+24(FP), DX
	MOVQ stride+32(FP), BX
	MOVQ w_base+40(FP), R8
	MOVQ w_len+48(FP), CX
	MOVQ d_base+64(FP), R9
	MOVQ c_base+88(FP), R10
#include "sweep_amd64.h"
	VZEROUPPER
	RET
