//go:build !noasm

#include "textflag.h"

// The bodies stand in one header each, for both widths and both types.

// W is the size of a vector in bytes.
#define W 32
#define V0 Y0
#define V1 Y1
#define V2 Y2
#define V3 Y3
#define V4 Y4
#define V5 Y5
#define V6 Y6
#define V7 Y7
#define V8 Y8
#define V9 Y9
#define V10 Y10
#define V11 Y11
#define V12 Y12
#define V13 Y13
#define V14 Y14
#define V15 Y15

// Eight words of ones, then eight of zeros: tail+32-n begins with n bytes of ones.
DATA tail<>+0(SB)/8, $-1
DATA tail<>+8(SB)/8, $-1
DATA tail<>+16(SB)/8, $-1
DATA tail<>+24(SB)/8, $-1
DATA tail<>+32(SB)/8, $0
DATA tail<>+40(SB)/8, $0
DATA tail<>+48(SB)/8, $0
DATA tail<>+56(SB)/8, $0
GLOBL tail<>(SB), RODATA|NOPTR, $64

// Y15 = mask of the CX < 32 last bytes. Uses AX.
#define TAILMASK \
	LEAQ tail<>+32(SB), AX \
	SUBQ CX, AX            \
	VMOVUPD (AX), Y15

#define LOADTAIL(p, l) MASKMOV p, Y15, l
#define STORETAIL(l, p) MASKMOV l, Y15, p

// Rotations of rows start where the rows do.
#define HEAD(pairs, ROTATE, PUTTAIL)

// Four columns of four rows (float64, those at p) or eight (float32, at p and R9),
// AX bytes apart, R8 being three of that. Rows i and i+4 of float32 share a
// register, so that 4×4 blocks are transposed within 128-bit lanes and a column's
// eight rows come out in order.

#define TRANSPOSE64(a, b, c, d, e, f, g, h) \ // in place, by e..h
	VUNPCKLPD b, a, e         \ // a0 b0 a2 b2
	VUNPCKHPD b, a, f         \ // a1 b1 a3 b3
	VUNPCKLPD d, c, g         \
	VUNPCKHPD d, c, h         \
	VPERM2F128 $0x20, g, e, a \ // a0 b0 c0 d0
	VPERM2F128 $0x20, h, f, b \
	VPERM2F128 $0x31, g, e, c \
	VPERM2F128 $0x31, h, f, d

#define TRANSPOSE32(a, b, c, d, e, f, g, h) \
	VUNPCKLPS b, a, e \ // a0 b0 a1 b1
	VUNPCKHPS b, a, f \ // a2 b2 a3 b3
	VUNPCKLPS d, c, g \
	VUNPCKHPS d, c, h \
	VUNPCKLPD g, e, a \ // a0 b0 c0 d0
	VUNPCKHPD g, e, b \
	VUNPCKLPD h, f, c \
	VUNPCKHPD h, f, d

#define TOCOLUMNS64(p, off) \
	VMOVUPD off(p), Y8        \
	VMOVUPD off(p)(AX*1), Y9  \
	VMOVUPD off(p)(AX*2), Y10 \
	VMOVUPD off(p)(R8*1), Y11 \
	TRANSPOSE64(Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15)

#define TOROWS64(p, off) \
	TRANSPOSE64(Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15) \
	VMOVUPD Y8, off(p)        \
	VMOVUPD Y9, off(p)(AX*1)  \
	VMOVUPD Y10, off(p)(AX*2) \
	VMOVUPD Y11, off(p)(R8*1)

#define TOCOLUMNS32(p, off) \
	VMOVUPS off(p), X8                         \
	VMOVUPS off(p)(AX*1), X9                   \
	VMOVUPS off(p)(AX*2), X10                  \
	VMOVUPS off(p)(R8*1), X11                  \
	VINSERTF128 $1, off(R9), Y8, Y8            \
	VINSERTF128 $1, off(R9)(AX*1), Y9, Y9      \
	VINSERTF128 $1, off(R9)(AX*2), Y10, Y10    \
	VINSERTF128 $1, off(R9)(R8*1), Y11, Y11    \
	TRANSPOSE32(Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15)

#define TOROWS32(p, off) \
	TRANSPOSE32(Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15) \
	VMOVUPS X8, off(p)                         \
	VMOVUPS X9, off(p)(AX*1)                   \
	VMOVUPS X10, off(p)(AX*2)                  \
	VMOVUPS X11, off(p)(R8*1)                  \
	VEXTRACTF128 $1, Y8, off(R9)               \
	VEXTRACTF128 $1, Y9, off(R9)(AX*1)         \
	VEXTRACTF128 $1, Y10, off(R9)(AX*2)        \
	VEXTRACTF128 $1, Y11, off(R9)(R8*1)

// The other pointers of lower_amd64.h, and the step from these rows to the next.

#define POINTERS64 \
	LEAQ (AX)(AX*2), R8

#define NEXTROWS64 \
	LEAQ (SI)(AX*4), SI

#define POINTERS32 \
	LEAQ (AX)(AX*2), R8 \
	LEAQ (SI)(AX*4), R9

#define NEXTROWS32 \
	LEAQ (SI)(AX*8), SI \
	LEAQ (R9)(AX*8), R9

// Four columns of eight rows through four rotations, see panel_amd64.h. Those of
// float64 are two chains, which overlap out of order.

#define EIGHT64(ROTATE, PUT, off, k) \
	COLUMNS(ROTATE, PUT, SI, off, k, Y0) \
	COLUMNS(ROTATE, PUT, R9, off, k, Y1)

#define EIGHT32(ROTATE, PUT, off, k) \
	COLUMNS(ROTATE, PUT, SI, off, k, Y0)

// Y13 and Y14 are indices that move lanes down by 1 and 2.
#define SCAN32 \
	VPERMPS Y3, Y13, Y4          \
	VBLENDPS $0x80, Y0, Y4, Y4   \ // v_{i+1}
	VPERMPS Y4, Y13, Y5          \
	VBLENDPS $0x80, Y0, Y5, Y5   \
	VADDPS Y5, Y4, Y4            \
	VPERMPS Y4, Y14, Y5          \
	VBLENDPS $0xc0, Y0, Y5, Y5   \
	VADDPS Y5, Y4, Y4            \
	VPERM2F128 $0x81, Y4, Y4, Y5 \
	VADDPS Y5, Y4, Y4

DATA down1<>+0(SB)/8, $0x0000000200000001
DATA down1<>+8(SB)/8, $0x0000000400000003
DATA down1<>+16(SB)/8, $0x0000000600000005
DATA down1<>+24(SB)/8, $0x0000000000000007
GLOBL down1<>(SB), RODATA|NOPTR, $32
DATA down2<>+0(SB)/8, $0x0000000300000002
DATA down2<>+8(SB)/8, $0x0000000500000004
DATA down2<>+16(SB)/8, $0x0000000700000006
DATA down2<>+24(SB)/8, $0x0000000100000000
GLOBL down2<>(SB), RODATA|NOPTR, $32

#include "chol_amd64.h"
#include "panel_amd64.h"
#include "float64_amd64.h"

// func rotate64AVX2(kind Kind, u []float64, stride int, w []float64, r *Rotations[float64])
TEXT ·rotate64AVX2(SB), NOSPLIT, $0-72
	MOVQ kind+0(FP), DX
	MOVQ u_base+8(FP), SI
	MOVQ stride+32(FP), AX
	MOVQ w_base+40(FP), DI
	MOVQ w_len+48(FP), CX
	MOVQ r+64(FP), BX
#include "rotate_amd64.h"
	VZEROUPPER
	RET

// func rotateLower64AVX2(kind Kind, l []float64, stride int, w []float64, r *Rotations[float64])
TEXT ·rotateLower64AVX2(SB), NOSPLIT, $0-72
	MOVQ kind+0(FP), DX
	MOVQ l_base+8(FP), SI
	MOVQ stride+32(FP), AX
	MOVQ w_base+40(FP), DI
	MOVQ w_len+48(FP), CX
	MOVQ r+64(FP), BX
#include "lower_amd64.h"
	VZEROUPPER
	RET

// func rotatePanel64AVX2(kind Kind, l []float64, stride int, w []float64, r []Rotations[float64])
TEXT ·rotatePanel64AVX2(SB), NOSPLIT, $0-88
	MOVQ kind+0(FP), CX
	MOVQ l_base+8(FP), SI
	MOVQ stride+32(FP), AX
	MOVQ w_base+40(FP), DI
	MOVQ r_base+64(FP), BX
	MOVQ r_len+72(FP), DX
	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y1
	SHLQ $SHIFT, AX
	LEAQ (AX)(AX*2), R8
	LEAQ (SI)(AX*4), R9
	CMPQ CX, $1
	JEQ  down
	JGT  solved
	PANEL(updates, update, UPDATECOL, TOROWS)
down:
	PANEL(downs, downlast, DOWNCOL, TOROWS)
solved:
	PANEL(solves, solvelast, SOLVEDCOL, TOROWS)
done:
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VZEROUPPER
	RET

// Rows b ← bL eight columns and eight or four rows at a time, see chol.go; a row's
// bits do not depend on how many there are. The scan of sweep_amd64.h, of few lanes,
// costs more than the shuffles here.
//
//   SI, R11 rows 0 and 4, BX columns at hand, AX stride in bytes, R8 3·stride; R13 w, R9 d, R10 c;
//   CX columns left, in bytes; DX rows; DI running sums
//   Y0, Y1 running sums of each four rows; Y8-Y11 four columns after the transposition; Y2-Y7,
//   Y12-Y15 scratch
// Invariant: the columns from CX on are done, the sums are Σ w_i·b_i over them. The two chains of
// sums overlap out of order. Tail: four columns; the wrapper has those left of a multiple of four and
// the rows beyond one.

#define SWEEPCOL(k, b, s) \
	VBROADCASTSD ((k)*8)(R9)(CX*1), Y2  \
	VBROADCASTSD ((k)*8)(R10)(CX*1), Y3 \
	VBROADCASTSD ((k)*8)(R13)(CX*1), Y4 \
	VMULPD b, Y2, Y2                    \
	VFMADD231PD s, Y3, Y2               \ // d·b + c·s
	VFMADD231PD b, Y4, s                \ // s + w·b
	VMOVAPD Y2, b

#define SWEEP4(p, s, k) \
	TOCOLUMNS64(p, (k*8)) \
	SWEEPCOL(3+k, Y11, s) \
	SWEEPCOL(2+k, Y10, s) \
	SWEEPCOL(1+k, Y9, s)  \
	SWEEPCOL(0+k, Y8, s)  \
	TOROWS64(p, (k*8))

// func sweepPanel64AVX2(b []float64, n, stride int, w, d, c []float64, s *[8]float64)
// n is 4 or 8, len(w) a positive multiple of 4.
TEXT ·sweepPanel64AVX2(SB), NOSPLIT, $0-120
	MOVQ b_base+0(FP), SI
	MOVQ n+24(FP), DX
	MOVQ stride+32(FP), AX
	SHLQ $3, AX
	LEAQ (AX)(AX*2), R8
	LEAQ (SI)(AX*4), R11
	MOVQ w_base+40(FP), R13
	MOVQ w_len+48(FP), CX
	SHLQ $3, CX
	MOVQ d_base+64(FP), R9
	MOVQ c_base+88(FP), R10
	MOVQ s+112(FP), DI
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1

columns: // a line of each row, where rows are aligned
	SUBQ $64, CX
	JLT  four
	LEAQ (SI)(CX*1), BX
	SWEEP4(BX, Y0, 4)
	SWEEP4(BX, Y0, 0)
	CMPQ DX, $4
	JEQ  columns
	LEAQ (R11)(CX*1), BX
	SWEEP4(BX, Y1, 4)
	SWEEP4(BX, Y1, 0)
	JMP  columns

four:
	ADDQ $64, CX
	JEQ  done
	XORQ CX, CX
	SWEEP4(SI, Y0, 0)
	CMPQ DX, $4
	JEQ  done
	SWEEP4(R11, Y1, 0)

done:
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VZEROUPPER
	RET

// func sweepRow64AVX2(b, w, d, c []float64, s *[8]float64)
// The same for one row; SI b, R8 w, R9 d, R10 c, CX columns left, X0 the running sum.
TEXT ·sweepRow64AVX2(SB), NOSPLIT, $0-104
	MOVQ b_base+0(FP), SI
	MOVQ w_base+24(FP), R8
	MOVQ w_len+32(FP), CX
	MOVQ d_base+48(FP), R9
	MOVQ c_base+72(FP), R10
	MOVQ s+96(FP), DI
	VXORPD X0, X0, X0

column:
	VMOVSD      -8(SI)(CX*8), X1
	VMOVSD      -8(R9)(CX*8), X2
	VMOVSD      -8(R10)(CX*8), X3
	VMULSD      X1, X2, X2
	VFMADD231SD X0, X3, X2
	VFMADD231SD -8(R8)(CX*8), X1, X0
	VMOVSD      X2, -8(SI)(CX*8)
	DECQ CX
	JNZ  column
	VMOVSD X0, (DI)
	RET

#include "float32_amd64.h"

// func rotate32AVX2(kind Kind, u []float32, stride int, w []float32, r *Rotations[float32])
TEXT ·rotate32AVX2(SB), NOSPLIT, $0-72
	MOVQ kind+0(FP), DX
	MOVQ u_base+8(FP), SI
	MOVQ stride+32(FP), AX
	MOVQ w_base+40(FP), DI
	MOVQ w_len+48(FP), CX
	MOVQ r+64(FP), BX
#include "rotate_amd64.h"
	VZEROUPPER
	RET

// func rotateLower32AVX2(kind Kind, l []float32, stride int, w []float32, r *Rotations[float32])
TEXT ·rotateLower32AVX2(SB), NOSPLIT, $0-72
	MOVQ kind+0(FP), DX
	MOVQ l_base+8(FP), SI
	MOVQ stride+32(FP), AX
	MOVQ w_base+40(FP), DI
	MOVQ w_len+48(FP), CX
	MOVQ r+64(FP), BX
#include "lower_amd64.h"
	VZEROUPPER
	RET

// func rotatePanel32AVX2(kind Kind, l []float32, stride int, w []float32, r []Rotations[float32])
TEXT ·rotatePanel32AVX2(SB), NOSPLIT, $0-88
	MOVQ kind+0(FP), CX
	MOVQ l_base+8(FP), SI
	MOVQ stride+32(FP), AX
	MOVQ w_base+40(FP), DI
	MOVQ r_base+64(FP), BX
	MOVQ r_len+72(FP), DX
	VMOVUPS (DI), Y0
	SHLQ $SHIFT, AX
	LEAQ (AX)(AX*2), R8
	LEAQ (SI)(AX*4), R9
	CMPQ CX, $1
	JEQ  down
	JGT  solved
	PANEL(updates, update, UPDATECOL, TOROWS)
down:
	PANEL(downs, downlast, DOWNCOL, TOROWS)
solved:
	PANEL(solves, solvelast, SOLVEDCOL, TOROWS)
done:
	VMOVUPS Y0, (DI)
	VZEROUPPER
	RET

// func sweep32AVX2(b []float32, n, stride int, w, d, c []float32)
TEXT ·sweep32AVX2(SB), NOSPLIT, $0-112
	MOVQ b_base+0(FP), SI
	MOVQ n+24(FP), DX
	MOVQ stride+32(FP), BX
	MOVQ w_base+40(FP), R8
	MOVQ w_len+48(FP), CX
	MOVQ d_base+64(FP), R9
	MOVQ c_base+88(FP), R10
	VMOVUPS down1<>(SB), Y13
	VMOVUPS down2<>(SB), Y14
#include "sweep_amd64.h"
	VZEROUPPER
	RET
