//go:build !noasm

#include "textflag.h"

// Sixteen ones and sixteen zeros: the mask for k elements of 4 bytes starts
// k elements before the zeros.
DATA ·tail+0(SB)/8, $-1
DATA ·tail+8(SB)/8, $-1
DATA ·tail+16(SB)/8, $-1
DATA ·tail+24(SB)/8, $-1
DATA ·tail+32(SB)/8, $0
DATA ·tail+40(SB)/8, $0
DATA ·tail+48(SB)/8, $0
DATA ·tail+56(SB)/8, $0
GLOBL ·tail(SB), RODATA|NOPTR, $64

// Arguments of the functions further down.

#define SWEEPARGS(shift) \
	MOVQ b_base+0(FP), SI   \
	MOVQ n+24(FP), DX       \
	MOVQ stride+32(FP), BX  \
	SHLQ $shift, BX         \
	MOVQ w_base+40(FP), R8  \
	MOVQ w_len+48(FP), CX   \
	MOVQ d_base+64(FP), R9  \
	MOVQ c_base+88(FP), R10 \
	VXORPD Y0, Y0, Y0

// Rotations of four rows of U and w, see chol.go.
//
//   SI, R8, R9, R10 rows 0..3 of u at column j; DI w at column j; CX columns left
//   Y0-Y3 c_k, Y4-Y7 s_k, Y8-Y11 r_k (downdates)
//   update: Y12 w, Y13 l, Y14 scratch; downdates: Y12 and Y14 w, Y13 and Y15 l; Y15 the mask in tails
// Invariant at loop: the pointers stand at the first unprocessed column; CX columns are left.
// Updates take one vector a turn (out-of-order execution overlaps the turns), downdates two, since
// their chain is longer. Tail: one vector under VMASKMOV.

#define LOAD64(p, l) VMOVUPD p, l
#define STORE64(l, p) VMOVUPD l, p
#define LOADM64(p, l) VMASKMOVPD p, Y15, l
#define STOREM64(l, p) VMASKMOVPD l, Y15, p
#define LOAD32(p, l) VMOVUPS p, l
#define STORE32(l, p) VMOVUPS l, p
#define LOADM32(p, l) VMASKMOVPS p, Y15, l
#define STOREM32(l, p) VMASKMOVPS l, Y15, p
#define NOSTORE(l, p)

#define UPDATE(LOAD, STORE, MUL, FMADD231, FMSUB213, p, c, s, l, t, w) \
	LOAD(p, l)           \
	MUL s, w, t          \ // t = s·w
	FMADD231 c, l, t     \ // t = c·l + s·w
	MUL s, l, l          \ // l = s·l
	FMSUB213 l, c, w     \ // w = c·w − s·l
	STORE(t, p)

#define DOWN(LOAD, STORE, MUL, FNMADD231, p, c, s, r, l, w) \
	LOAD(p, l)           \
	FNMADD231 w, s, l    \ // l = l − s·w
	MUL r, l, l          \ // l = (l − s·w)/c
	MUL c, w, w          \
	FNMADD231 l, s, w    \ // w = c·w − s·l
	STORE(l, p)

#define UPDATE4(LOAD, STORE, MUL, FMADD231, FMSUB213, w, l, t) \
	UPDATE(LOAD, STORE, MUL, FMADD231, FMSUB213, (SI), Y0, Y4, l, t, w) \
	UPDATE(LOAD, STORE, MUL, FMADD231, FMSUB213, (R8), Y1, Y5, l, t, w) \
	UPDATE(LOAD, STORE, MUL, FMADD231, FMSUB213, (R9), Y2, Y6, l, t, w) \
	UPDATE(LOAD, STORE, MUL, FMADD231, FMSUB213, (R10), Y3, Y7, l, t, w)

#define DOWN4(LOAD, STORE, MUL, FNMADD231, off, w, l) \
	DOWN(LOAD, STORE, MUL, FNMADD231, off(SI), Y0, Y4, Y8, l, w)  \
	DOWN(LOAD, STORE, MUL, FNMADD231, off(R8), Y1, Y5, Y9, l, w)  \
	DOWN(LOAD, STORE, MUL, FNMADD231, off(R9), Y2, Y6, Y10, l, w) \
	DOWN(LOAD, STORE, MUL, FNMADD231, off(R10), Y3, Y7, Y11, l, w)

#define ADVANCE(bytes) \
	ADDQ bytes, SI  \
	ADDQ bytes, R8  \
	ADDQ bytes, R9  \
	ADDQ bytes, R10 \
	ADDQ bytes, DI

#define POINTERS(shift) \
	MOVQ u_base+8(FP), SI  \
	MOVQ stride+32(FP), AX \
	SHLQ $shift, AX        \
	LEAQ (SI)(AX*1), R8    \
	LEAQ (R8)(AX*1), R9    \
	LEAQ (R9)(AX*1), R10   \
	MOVQ w_base+40(FP), DI \
	MOVQ w_len+48(FP), CX  \
	MOVQ r+64(FP), BX

#define BROADCAST(BC, size) \
	BC 0*size(BX), Y0   \
	BC 1*size(BX), Y1   \
	BC 2*size(BX), Y2   \
	BC 3*size(BX), Y3   \
	BC 4*size(BX), Y4   \
	BC 5*size(BX), Y5   \
	BC 6*size(BX), Y6   \
	BC 7*size(BX), Y7   \
	BC 8*size(BX), Y8   \
	BC 9*size(BX), Y9   \
	BC 10*size(BX), Y10 \
	BC 11*size(BX), Y11

// Y15 = ones in the first CX elements of 1<<shift bytes.
#define MASK(shift) \
	LEAQ ·tail+32(SB), AX \
	SHLQ $shift, CX       \
	SUBQ CX, AX           \
	VMOVUPD (AX), Y15

// func rotate64AVX2(kind Kind, u []float64, stride int, w []float64, r *Rotations[float64])
TEXT ·rotate64AVX2(SB), NOSPLIT, $0-72
	POINTERS(3)
	BROADCAST(VBROADCASTSD, 8)
	MOVQ kind+0(FP), DX
	CMPQ DX, $1
	JEQ  down
	JGT  probe

update:
	SUBQ $4, CX
	JLT  updatetail
	VMOVUPD (DI), Y12
	UPDATE4(LOAD64, STORE64, VMULPD, VFMADD231PD, VFMSUB213PD, Y12, Y13, Y14)
	VMOVUPD Y12, (DI)
	ADVANCE($32)
	JMP  update
updatetail:
	ADDQ $4, CX
	JEQ  done
	MASK(3)
	VMASKMOVPD (DI), Y15, Y12
	UPDATE4(LOADM64, STOREM64, VMULPD, VFMADD231PD, VFMSUB213PD, Y12, Y13, Y14)
	VMASKMOVPD Y12, Y15, (DI)
	JMP  done

down:
	SUBQ $8, CX
	JLT  down4
	VMOVUPD (DI), Y12
	VMOVUPD 32(DI), Y14
	DOWN4(LOAD64, STORE64, VMULPD, VFNMADD231PD, 0, Y12, Y13)
	DOWN4(LOAD64, STORE64, VMULPD, VFNMADD231PD, 32, Y14, Y15)
	VMOVUPD Y12, (DI)
	VMOVUPD Y14, 32(DI)
	ADVANCE($64)
	JMP  down
down4:
	ADDQ $4, CX
	JLT  downtail
	VMOVUPD (DI), Y12
	DOWN4(LOAD64, STORE64, VMULPD, VFNMADD231PD, 0, Y12, Y13)
	VMOVUPD Y12, (DI)
	ADVANCE($32)
	SUBQ $4, CX
downtail:
	ADDQ $4, CX
	JEQ  done
	MASK(3)
	VMASKMOVPD (DI), Y15, Y12
	DOWN4(LOADM64, STOREM64, VMULPD, VFNMADD231PD, 0, Y12, Y13)
	VMASKMOVPD Y12, Y15, (DI)
	JMP  done

probe:
	SUBQ $8, CX
	JLT  probe4
	VMOVUPD (DI), Y12
	VMOVUPD 32(DI), Y14
	DOWN4(LOAD64, NOSTORE, VMULPD, VFNMADD231PD, 0, Y12, Y13)
	DOWN4(LOAD64, NOSTORE, VMULPD, VFNMADD231PD, 32, Y14, Y15)
	VMOVUPD Y12, (DI)
	VMOVUPD Y14, 32(DI)
	ADVANCE($64)
	JMP  probe
probe4:
	ADDQ $4, CX
	JLT  probetail
	VMOVUPD (DI), Y12
	DOWN4(LOAD64, NOSTORE, VMULPD, VFNMADD231PD, 0, Y12, Y13)
	VMOVUPD Y12, (DI)
	ADVANCE($32)
	SUBQ $4, CX
probetail:
	ADDQ $4, CX
	JEQ  done
	MASK(3)
	VMASKMOVPD (DI), Y15, Y12
	DOWN4(LOADM64, NOSTORE, VMULPD, VFNMADD231PD, 0, Y12, Y13)
	VMASKMOVPD Y12, Y15, (DI)

done:
	VZEROUPPER
	RET

// func rotate32AVX2(kind Kind, u []float32, stride int, w []float32, r *Rotations[float32])
TEXT ·rotate32AVX2(SB), NOSPLIT, $0-72
	POINTERS(2)
	BROADCAST(VBROADCASTSS, 4)
	MOVQ kind+0(FP), DX
	CMPQ DX, $1
	JEQ  down
	JGT  probe

update:
	SUBQ $8, CX
	JLT  updatetail
	VMOVUPS (DI), Y12
	UPDATE4(LOAD32, STORE32, VMULPS, VFMADD231PS, VFMSUB213PS, Y12, Y13, Y14)
	VMOVUPS Y12, (DI)
	ADVANCE($32)
	JMP  update
updatetail:
	ADDQ $8, CX
	JEQ  done
	MASK(2)
	VMASKMOVPS (DI), Y15, Y12
	UPDATE4(LOADM32, STOREM32, VMULPS, VFMADD231PS, VFMSUB213PS, Y12, Y13, Y14)
	VMASKMOVPS Y12, Y15, (DI)
	JMP  done

down:
	SUBQ $16, CX
	JLT  down8
	VMOVUPS (DI), Y12
	VMOVUPS 32(DI), Y14
	DOWN4(LOAD32, STORE32, VMULPS, VFNMADD231PS, 0, Y12, Y13)
	DOWN4(LOAD32, STORE32, VMULPS, VFNMADD231PS, 32, Y14, Y15)
	VMOVUPS Y12, (DI)
	VMOVUPS Y14, 32(DI)
	ADVANCE($64)
	JMP  down
down8:
	ADDQ $8, CX
	JLT  downtail
	VMOVUPS (DI), Y12
	DOWN4(LOAD32, STORE32, VMULPS, VFNMADD231PS, 0, Y12, Y13)
	VMOVUPS Y12, (DI)
	ADVANCE($32)
	SUBQ $8, CX
downtail:
	ADDQ $8, CX
	JEQ  done
	MASK(2)
	VMASKMOVPS (DI), Y15, Y12
	DOWN4(LOADM32, STOREM32, VMULPS, VFNMADD231PS, 0, Y12, Y13)
	VMASKMOVPS Y12, Y15, (DI)
	JMP  done

probe:
	SUBQ $16, CX
	JLT  probe8
	VMOVUPS (DI), Y12
	VMOVUPS 32(DI), Y14
	DOWN4(LOAD32, NOSTORE, VMULPS, VFNMADD231PS, 0, Y12, Y13)
	DOWN4(LOAD32, NOSTORE, VMULPS, VFNMADD231PS, 32, Y14, Y15)
	VMOVUPS Y12, (DI)
	VMOVUPS Y14, 32(DI)
	ADVANCE($64)
	JMP  probe
probe8:
	ADDQ $8, CX
	JLT  probetail
	VMOVUPS (DI), Y12
	DOWN4(LOAD32, NOSTORE, VMULPS, VFNMADD231PS, 0, Y12, Y13)
	VMOVUPS Y12, (DI)
	ADVANCE($32)
	SUBQ $8, CX
probetail:
	ADDQ $8, CX
	JEQ  done
	MASK(2)
	VMASKMOVPS (DI), Y15, Y12
	DOWN4(LOADM32, NOSTORE, VMULPS, VFNMADD231PS, 0, Y12, Y13)
	VMASKMOVPS Y12, Y15, (DI)

done:
	VZEROUPPER
	RET

// Rotations of four columns of a lower factor, see chol.go.
//
//   SI row i of l, AX stride in bytes, R8 3·stride; DI w_i; CX rows left, a multiple of 4 (f64) or 8 (f32)
//   Y0-Y3 the four columns after the transposition; Y4 w; Y5-Y7 scratch; coefficients in memory at BX
// Blocks of 4 (8) rows and four columns are transposed in registers, rotated and transposed back:
// 16 shuffles for 16 (32) numbers, which bound the loop.

#define TRANSPOSE64(a, b, c, d, e, f, g, h) \ // rows a..d to columns e..h
	VUNPCKLPD b, a, e           \ // a0 b0 a2 b2
	VUNPCKHPD b, a, f           \ // a1 b1 a3 b3
	VUNPCKLPD d, c, g           \
	VUNPCKHPD d, c, h           \
	VPERM2F128 $0x20, g, e, a   \ // a0 b0 c0 d0
	VPERM2F128 $0x20, h, f, b   \
	VPERM2F128 $0x31, g, e, c   \
	VPERM2F128 $0x31, h, f, d

#define UPDATECOL(MUL, FMADD231, FMSUB213, BC, size, k, l, w) \
	BC ((k)*size)(BX), Y5         \ // c
	BC (4*size+(k)*size)(BX), Y6  \ // s
	MUL Y6, w, Y7               \
	FMADD231 Y5, l, Y7          \
	MUL Y6, l, l                \
	FMSUB213 l, Y5, w           \ // w = c·w − s·l
	VMOVAPD Y7, l

#define DOWNCOL(MUL, FNMADD231, BC, size, k, l, w) \
	BC ((k)*size)(BX), Y5         \
	BC (4*size+(k)*size)(BX), Y6  \
	BC (8*size+(k)*size)(BX), Y7  \
	FNMADD231 w, Y6, l          \
	MUL Y7, l, l                \
	MUL Y5, w, w                \
	FNMADD231 l, Y6, w

#define ROWS4LOAD64 \
	VMOVUPD (SI), Y8          \
	VMOVUPD (SI)(AX*1), Y9    \
	VMOVUPD (SI)(AX*2), Y10   \
	VMOVUPD (SI)(R8*1), Y11   \
	TRANSPOSE64(Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15)

#define ROWS4STORE64 \
	TRANSPOSE64(Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15) \
	VMOVUPD Y8, (SI)          \
	VMOVUPD Y9, (SI)(AX*1)    \
	VMOVUPD Y10, (SI)(AX*2)   \
	VMOVUPD Y11, (SI)(R8*1)

// func rotateLower64AVX2(kind Kind, l []float64, stride int, w []float64, r *Rotations[float64])
TEXT ·rotateLower64AVX2(SB), NOSPLIT, $0-72
	MOVQ l_base+8(FP), SI
	MOVQ stride+32(FP), AX
	SHLQ $3, AX
	LEAQ (AX)(AX*2), R8
	MOVQ w_base+40(FP), DI
	MOVQ w_len+48(FP), CX
	MOVQ r+64(FP), BX
	MOVQ kind+0(FP), DX
	CMPQ DX, $1
	JEQ  down
	JGT  probe

update:
	VMOVUPD (DI), Y4
	ROWS4LOAD64
	UPDATECOL(VMULPD, VFMADD231PD, VFMSUB213PD, VBROADCASTSD, 8, 0, Y8, Y4)
	UPDATECOL(VMULPD, VFMADD231PD, VFMSUB213PD, VBROADCASTSD, 8, 1, Y9, Y4)
	UPDATECOL(VMULPD, VFMADD231PD, VFMSUB213PD, VBROADCASTSD, 8, 2, Y10, Y4)
	UPDATECOL(VMULPD, VFMADD231PD, VFMSUB213PD, VBROADCASTSD, 8, 3, Y11, Y4)
	ROWS4STORE64
	VMOVUPD Y4, (DI)
	LEAQ (SI)(AX*4), SI
	ADDQ $32, DI
	SUBQ $4, CX
	JNZ  update
	VZEROUPPER
	RET

down:
	VMOVUPD (DI), Y4
	ROWS4LOAD64
	DOWNCOL(VMULPD, VFNMADD231PD, VBROADCASTSD, 8, 0, Y8, Y4)
	DOWNCOL(VMULPD, VFNMADD231PD, VBROADCASTSD, 8, 1, Y9, Y4)
	DOWNCOL(VMULPD, VFNMADD231PD, VBROADCASTSD, 8, 2, Y10, Y4)
	DOWNCOL(VMULPD, VFNMADD231PD, VBROADCASTSD, 8, 3, Y11, Y4)
	ROWS4STORE64
	VMOVUPD Y4, (DI)
	LEAQ (SI)(AX*4), SI
	ADDQ $32, DI
	SUBQ $4, CX
	JNZ  down
	VZEROUPPER
	RET

probe:
	VMOVUPD (DI), Y4
	ROWS4LOAD64
	DOWNCOL(VMULPD, VFNMADD231PD, VBROADCASTSD, 8, 0, Y8, Y4)
	DOWNCOL(VMULPD, VFNMADD231PD, VBROADCASTSD, 8, 1, Y9, Y4)
	DOWNCOL(VMULPD, VFNMADD231PD, VBROADCASTSD, 8, 2, Y10, Y4)
	DOWNCOL(VMULPD, VFNMADD231PD, VBROADCASTSD, 8, 3, Y11, Y4)
	VMOVUPD Y4, (DI)
	LEAQ (SI)(AX*4), SI
	ADDQ $32, DI
	SUBQ $4, CX
	JNZ  probe
	VZEROUPPER
	RET

// Rows i and i+4 share a register, so that 4×4 blocks are transposed within
// 128-bit lanes and a column's eight rows come out in order.
#define TRANSPOSE32(a, b, c, d, e, f, g, h) \
	VUNPCKLPS b, a, e \ // a0 b0 a1 b1
	VUNPCKHPS b, a, f \ // a2 b2 a3 b3
	VUNPCKLPS d, c, g \
	VUNPCKHPS d, c, h \
	VUNPCKLPD g, e, a \ // a0 b0 c0 d0
	VUNPCKHPD g, e, b \
	VUNPCKLPD h, f, c \
	VUNPCKHPD h, f, d

#define ROWS8LOAD32 \
	VMOVUPS (SI), X8                       \
	VMOVUPS (SI)(AX*1), X9                 \
	VMOVUPS (SI)(AX*2), X10                \
	VMOVUPS (SI)(R8*1), X11                \
	VINSERTF128 $1, (R9), Y8, Y8           \
	VINSERTF128 $1, (R9)(AX*1), Y9, Y9     \
	VINSERTF128 $1, (R9)(AX*2), Y10, Y10   \
	VINSERTF128 $1, (R9)(R8*1), Y11, Y11   \
	TRANSPOSE32(Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15)

#define ROWS8STORE32 \
	TRANSPOSE32(Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15) \
	VMOVUPS X8, (SI)                       \
	VMOVUPS X9, (SI)(AX*1)                 \
	VMOVUPS X10, (SI)(AX*2)                \
	VMOVUPS X11, (SI)(R8*1)                \
	VEXTRACTF128 $1, Y8, (R9)              \
	VEXTRACTF128 $1, Y9, (R9)(AX*1)        \
	VEXTRACTF128 $1, Y10, (R9)(AX*2)       \
	VEXTRACTF128 $1, Y11, (R9)(R8*1)

#define NEXT8 \
	LEAQ (SI)(AX*8), SI \
	LEAQ (R9)(AX*8), R9 \
	ADDQ $32, DI        \
	SUBQ $8, CX

// Rotations of many columns of eight rows of a lower factor, see RotatePanel; len(w) is 8.
//
//   SI, R9 row 0 and 4 of l, AX stride in bytes, R8 3·stride; BX rotations, DX those left
//   Y0, Y1 w of each four rows; Y8-Y11 four columns after the transposition; Y5-Y7, Y12-Y15 scratch
// Two chains of w overlap out of order. Each four rows take eight columns, a cache line where l is
// aligned, before the other four do. Not more rows: a stride of a power of two puts a line of each,
// and what the prefetcher brings behind it, into the same set of the first cache, which has eight ways
// (16 rows take twice the time at n = 512 and 1024 on Zen 3). Tail: four columns.

#define PANELUPDATE(p, off, rot, w) \
	VMOVUPD off(p), Y8          \
	VMOVUPD off(p)(AX*1), Y9    \
	VMOVUPD off(p)(AX*2), Y10   \
	VMOVUPD off(p)(R8*1), Y11   \
	TRANSPOSE64(Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15)                          \
	UPDATECOL(VMULPD, VFMADD231PD, VFMSUB213PD, VBROADCASTSD, 8, 0+rot, Y8, w)  \
	UPDATECOL(VMULPD, VFMADD231PD, VFMSUB213PD, VBROADCASTSD, 8, 1+rot, Y9, w)  \
	UPDATECOL(VMULPD, VFMADD231PD, VFMSUB213PD, VBROADCASTSD, 8, 2+rot, Y10, w) \
	UPDATECOL(VMULPD, VFMADD231PD, VFMSUB213PD, VBROADCASTSD, 8, 3+rot, Y11, w) \
	PANELSTORE(p, off)

#define PANELSTORE(p, off) \
	TRANSPOSE64(Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15) \
	VMOVUPD Y8, off(p)          \
	VMOVUPD Y9, off(p)(AX*1)    \
	VMOVUPD Y10, off(p)(AX*2)   \
	VMOVUPD Y11, off(p)(R8*1)

#define PANELDOWN(p, off, rot, w) \
	VMOVUPD off(p), Y8          \
	VMOVUPD off(p)(AX*1), Y9    \
	VMOVUPD off(p)(AX*2), Y10   \
	VMOVUPD off(p)(R8*1), Y11   \
	TRANSPOSE64(Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15)                 \
	DOWNCOL(VMULPD, VFNMADD231PD, VBROADCASTSD, 8, 0+rot, Y8, w)      \
	DOWNCOL(VMULPD, VFNMADD231PD, VBROADCASTSD, 8, 1+rot, Y9, w)      \
	DOWNCOL(VMULPD, VFNMADD231PD, VBROADCASTSD, 8, 2+rot, Y10, w)     \
	DOWNCOL(VMULPD, VFNMADD231PD, VBROADCASTSD, 8, 3+rot, Y11, w)

#define PANELDOWNSTORE(p, off, rot, w) \
	PANELDOWN(p, off, rot, w)   \
	PANELSTORE(p, off)

// Coefficients of the next four columns are 12 numbers on.
#define PANEL8(STEP) \
	STEP(SI, 0, 0, Y0)     \
	STEP(R9, 0, 0, Y1)     \
	STEP(SI, 32, 12, Y0)   \
	STEP(R9, 32, 12, Y1)   \
	ADDQ $64, SI           \
	ADDQ $64, R9           \
	ADDQ $192, BX

#define PANEL4(STEP) \
	STEP(SI, 0, 0, Y0)     \
	STEP(R9, 0, 0, Y1)

// func rotatePanel64AVX2(kind Kind, l []float64, stride int, w []float64, r []Rotations[float64])
TEXT ·rotatePanel64AVX2(SB), NOSPLIT, $0-88
	MOVQ l_base+8(FP), SI
	MOVQ stride+32(FP), AX
	SHLQ $3, AX
	LEAQ (AX)(AX*2), R8
	LEAQ (SI)(AX*4), R9
	MOVQ w_base+40(FP), DI
	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y1
	MOVQ r_base+64(FP), BX
	MOVQ r_len+72(FP), DX
	MOVQ kind+0(FP), CX
	CMPQ CX, $1
	JEQ  down
	JGT  probe

update:
	SUBQ $2, DX
	JLT  update4
	PANEL8(PANELUPDATE)
	JMP  update
update4:
	ADDQ $2, DX
	JEQ  done
	PANEL4(PANELUPDATE)
	JMP  done

down:
	SUBQ $2, DX
	JLT  down4
	PANEL8(PANELDOWNSTORE)
	JMP  down
down4:
	ADDQ $2, DX
	JEQ  done
	PANEL4(PANELDOWNSTORE)
	JMP  done

probe:
	SUBQ $2, DX
	JLT  probe4
	PANEL8(PANELDOWN)
	JMP  probe
probe4:
	ADDQ $2, DX
	JEQ  done
	PANEL4(PANELDOWN)

done:
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VZEROUPPER
	RET

// func rotateLower32AVX2(kind Kind, l []float32, stride int, w []float32, r *Rotations[float32])
TEXT ·rotateLower32AVX2(SB), NOSPLIT, $0-72
	MOVQ l_base+8(FP), SI
	MOVQ stride+32(FP), AX
	SHLQ $2, AX
	LEAQ (AX)(AX*2), R8
	LEAQ (SI)(AX*4), R9
	MOVQ w_base+40(FP), DI
	MOVQ w_len+48(FP), CX
	MOVQ r+64(FP), BX
	MOVQ kind+0(FP), DX
	CMPQ DX, $1
	JEQ  down
	JGT  probe

update:
	VMOVUPS (DI), Y4
	ROWS8LOAD32
	UPDATECOL(VMULPS, VFMADD231PS, VFMSUB213PS, VBROADCASTSS, 4, 0, Y8, Y4)
	UPDATECOL(VMULPS, VFMADD231PS, VFMSUB213PS, VBROADCASTSS, 4, 1, Y9, Y4)
	UPDATECOL(VMULPS, VFMADD231PS, VFMSUB213PS, VBROADCASTSS, 4, 2, Y10, Y4)
	UPDATECOL(VMULPS, VFMADD231PS, VFMSUB213PS, VBROADCASTSS, 4, 3, Y11, Y4)
	ROWS8STORE32
	VMOVUPS Y4, (DI)
	NEXT8
	JNZ  update
	VZEROUPPER
	RET

down:
	VMOVUPS (DI), Y4
	ROWS8LOAD32
	DOWNCOL(VMULPS, VFNMADD231PS, VBROADCASTSS, 4, 0, Y8, Y4)
	DOWNCOL(VMULPS, VFNMADD231PS, VBROADCASTSS, 4, 1, Y9, Y4)
	DOWNCOL(VMULPS, VFNMADD231PS, VBROADCASTSS, 4, 2, Y10, Y4)
	DOWNCOL(VMULPS, VFNMADD231PS, VBROADCASTSS, 4, 3, Y11, Y4)
	ROWS8STORE32
	VMOVUPS Y4, (DI)
	NEXT8
	JNZ  down
	VZEROUPPER
	RET

probe:
	VMOVUPS (DI), Y4
	ROWS8LOAD32
	DOWNCOL(VMULPS, VFNMADD231PS, VBROADCASTSS, 4, 0, Y8, Y4)
	DOWNCOL(VMULPS, VFNMADD231PS, VBROADCASTSS, 4, 1, Y9, Y4)
	DOWNCOL(VMULPS, VFNMADD231PS, VBROADCASTSS, 4, 2, Y10, Y4)
	DOWNCOL(VMULPS, VFNMADD231PS, VBROADCASTSS, 4, 3, Y11, Y4)
	VMOVUPS Y4, (DI)
	NEXT8
	JNZ  probe
	VZEROUPPER
	RET

// Rows b ← bL, see chol.go.
//
//   SI row, DX rows left, BX stride in bytes; R8 w, R9 d, R10 c; CX length, R11 bytes to the vector at hand
//   Y0 zero; Y1 running sum in every lane; Y2 b, Y3 v = w·b, Y4 suffix sums, Y5 scratch, Y6 d, Y7 c
//   Y15 tail mask; Y13, Y14 indices that move lanes down by 1 and 2
// Invariant: the columns from R11 on are done, Y1 is Σ w_i·b_i over them.
// The right end of a row is a masked vector.

DATA ·down1+0(SB)/8, $0x0000000200000001
DATA ·down1+8(SB)/8, $0x0000000400000003
DATA ·down1+16(SB)/8, $0x0000000600000005
DATA ·down1+24(SB)/8, $0x0000000000000007
GLOBL ·down1(SB), RODATA|NOPTR, $32
DATA ·down2+0(SB)/8, $0x0000000300000002
DATA ·down2+8(SB)/8, $0x0000000500000004
DATA ·down2+16(SB)/8, $0x0000000700000006
DATA ·down2+24(SB)/8, $0x0000000100000000
GLOBL ·down2(SB), RODATA|NOPTR, $32

#define SCAN32 \
	VPERMPS Y3, Y13, Y4            \
	VBLENDPS $0x80, Y0, Y4, Y4     \ // v_{i+1}
	VPERMPS Y4, Y13, Y5            \
	VBLENDPS $0x80, Y0, Y5, Y5     \
	VADDPS Y5, Y4, Y4              \
	VPERMPS Y4, Y14, Y5            \
	VBLENDPS $0xc0, Y0, Y5, Y5     \
	VADDPS Y5, Y4, Y4              \
	VPERM2F128 $0x81, Y4, Y4, Y5   \
	VADDPS Y5, Y4, Y4

#define FINISH(ADD, MUL, FMADD231, BC) \
	ADD Y4, Y3, Y3        \ // lane 0: the vector's whole sum
	ADD Y1, Y4, Y4        \
	MUL Y6, Y2, Y2        \ // d·b
	FMADD231 Y4, Y7, Y2   \ // + c·sum
	BC  X3, Y3            \
	ADD Y3, Y1, Y1

// Rows b ← bL eight columns and eight or four rows at a time, see chol.go; a row's
// bits do not depend on how many there are.
//
//   SI, R11 rows 0 and 4, BX columns at hand, AX stride in bytes, R13 3·stride; R8 w, R9 d, R10 c;
//   CX columns left, in bytes; DX rows; DI running sums
//   Y0, Y1 running sums of each four rows; Y8-Y11 four columns after the transposition; Y2-Y7,
//   Y12-Y15 scratch
// Invariant: the columns from CX on are done, the sums are Σ w_i·b_i over them. The two chains of
// sums overlap out of order. Tail: four columns; the wrapper has those left of a multiple of four and
// the rows beyond one.

#define SWEEPCOL(k, b, s) \
	VBROADCASTSD ((k)*8)(R9)(CX*1), Y2  \
	VBROADCASTSD ((k)*8)(R10)(CX*1), Y3 \
	VBROADCASTSD ((k)*8)(R8)(CX*1), Y4  \
	VMULPD b, Y2, Y2                    \
	VFMADD231PD s, Y3, Y2               \ // d·b + c·s
	VFMADD231PD b, Y4, s                \ // s + w·b
	VMOVAPD Y2, b

#define SWEEP4(p, s, k) \
	VMOVUPD (k*8)(p), Y8          \
	VMOVUPD (k*8)(p)(AX*1), Y9    \
	VMOVUPD (k*8)(p)(AX*2), Y10   \
	VMOVUPD (k*8)(p)(R13*1), Y11  \
	TRANSPOSE64(Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15) \
	SWEEPCOL(3+k, Y11, s)         \
	SWEEPCOL(2+k, Y10, s)         \
	SWEEPCOL(1+k, Y9, s)          \
	SWEEPCOL(0+k, Y8, s)          \
	TRANSPOSE64(Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15) \
	VMOVUPD Y8, (k*8)(p)          \
	VMOVUPD Y9, (k*8)(p)(AX*1)    \
	VMOVUPD Y10, (k*8)(p)(AX*2)   \
	VMOVUPD Y11, (k*8)(p)(R13*1)

// func sweepPanel64AVX2(b []float64, n, stride int, w, d, c []float64, s *[8]float64)
// n is 4 or 8, len(w) a positive multiple of 4.
TEXT ·sweepPanel64AVX2(SB), NOSPLIT, $0-120
	MOVQ b_base+0(FP), SI
	MOVQ n+24(FP), DX
	MOVQ stride+32(FP), AX
	SHLQ $3, AX
	LEAQ (AX)(AX*2), R13
	LEAQ (SI)(AX*4), R11
	MOVQ w_base+40(FP), R8
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

// func sweep32AVX2(b []float32, n, stride int, w, d, c []float32)
TEXT ·sweep32AVX2(SB), NOSPLIT, $0-112
	SWEEPARGS(2)
	VMOVUPS ·down1(SB), Y13
	VMOVUPS ·down2(SB), Y14
	MOVQ CX, R12
	ANDQ $~7, R12
	SHLQ $2, R12
	ANDQ $7, CX
	MASK(2)
row:
	VXORPS Y1, Y1, Y1
	MOVQ R12, R11
	TESTQ CX, CX
	JEQ  next
	VMASKMOVPS (SI)(R11*1), Y15, Y2
	VMASKMOVPS (R8)(R11*1), Y15, Y3
	VMASKMOVPS (R9)(R11*1), Y15, Y6
	VMASKMOVPS (R10)(R11*1), Y15, Y7
	VMULPS Y2, Y3, Y3
	SCAN32
	FINISH(VADDPS, VMULPS, VFMADD231PS, VBROADCASTSS)
	VMASKMOVPS Y2, Y15, (SI)(R11*1)
next:
	SUBQ $32, R11
	JLT  rowdone
	VMOVUPS (SI)(R11*1), Y2
	VMULPS (R8)(R11*1), Y2, Y3
	VMOVUPS (R9)(R11*1), Y6
	VMOVUPS (R10)(R11*1), Y7
	SCAN32
	FINISH(VADDPS, VMULPS, VFMADD231PS, VBROADCASTSS)
	VMOVUPS Y2, (SI)(R11*1)
	JMP  next
rowdone:
	ADDQ BX, SI
	DECQ DX
	JNZ  row
	VZEROUPPER
	RET
