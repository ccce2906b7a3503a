//go:build !noasm

#include "textflag.h"

// Rotations of four rows of U (u, u+stride, …) and w, see chol.go.
//
//   SI, R8, R9, R10 rows 0..3 of u at column j; DI w at column j; CX columns left
//   Z0-Z3 c_k, Z4-Z7 s_k, Z8-Z11 r_k (downdates); Z16 and Z20 w; Z17, Z18 and Z21, Z22 l and scratch
//   K1 the columns of the tail
// Invariant at loop: the pointers stand at the first unprocessed column; CX columns are left.
// Two vectors a turn: the four rotations are a chain of 8 (update) or 12 (downdate) cycles each, and
// what is left of the latency is hidden by the next turns. Tail: one masked vector at a time.

// Whole vectors move without a mask: a masked load takes an arithmetic port.
#define LOAD64(p, l) VMOVUPD p, l
#define STORE64(l, p) VMOVUPD l, p
#define LOADM64(p, l) VMOVUPD.Z p, K1, l
#define STOREM64(l, p) VMOVUPD l, K1, p
#define LOAD32(p, l) VMOVUPS p, l
#define STORE32(l, p) VMOVUPS l, p
#define LOADM32(p, l) VMOVUPS.Z p, K1, l
#define STOREM32(l, p) VMOVUPS l, K1, p
#define NOSTORE(l, p)

// One rotation of vector l (a row's memory p, scratch t) with w.
#define UPDATE(LOAD, STORE, MUL, FMADD231, FMSUB213, p, c, s, l, t, w) \
	LOAD(p, l)           \ // l
	MUL s, w, t          \ // t = s·w
	FMADD231 c, l, t     \ // t = c·l + s·w
	MUL s, l, l          \ // l = s·l
	FMSUB213 l, c, w     \ // w = c·w − s·l
	STORE(t, p)

#define DOWN(LOAD, STORE, MUL, FNMADD231, p, c, s, r, l, w) \
	LOAD(p, l)           \ // l
	FNMADD231 w, s, l    \ // l = l − s·w
	MUL r, l, l          \ // l = (l − s·w)/c
	MUL c, w, w          \
	FNMADD231 l, s, w    \ // w = c·w − s·l
	STORE(l, p)

#define UPDATE4(LOAD, STORE, MUL, FMADD231, FMSUB213, off, l, t, w) \
	UPDATE(LOAD, STORE, MUL, FMADD231, FMSUB213, off(SI), Z0, Z4, l, t, w)  \
	UPDATE(LOAD, STORE, MUL, FMADD231, FMSUB213, off(R8), Z1, Z5, l, t, w)  \
	UPDATE(LOAD, STORE, MUL, FMADD231, FMSUB213, off(R9), Z2, Z6, l, t, w)  \
	UPDATE(LOAD, STORE, MUL, FMADD231, FMSUB213, off(R10), Z3, Z7, l, t, w)

#define DOWN4(LOAD, STORE, MUL, FNMADD231, off, l, w) \
	DOWN(LOAD, STORE, MUL, FNMADD231, off(SI), Z0, Z4, Z8, l, w)  \
	DOWN(LOAD, STORE, MUL, FNMADD231, off(R8), Z1, Z5, Z9, l, w)  \
	DOWN(LOAD, STORE, MUL, FNMADD231, off(R9), Z2, Z6, Z10, l, w) \
	DOWN(LOAD, STORE, MUL, FNMADD231, off(R10), Z3, Z7, Z11, l, w)

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
	BC 0*size(BX), Z0   \
	BC 1*size(BX), Z1   \
	BC 2*size(BX), Z2   \
	BC 3*size(BX), Z3   \
	BC 4*size(BX), Z4   \
	BC 5*size(BX), Z5   \
	BC 6*size(BX), Z6   \
	BC 7*size(BX), Z7   \
	BC 8*size(BX), Z8   \
	BC 9*size(BX), Z9   \
	BC 10*size(BX), Z10 \
	BC 11*size(BX), Z11

// func rotate64AVX512(kind Kind, u []float64, stride int, w []float64, r *Rotations[float64])
TEXT ·rotate64AVX512(SB), NOSPLIT, $0-72
	POINTERS(3)
	BROADCAST(VBROADCASTSD, 8)
	MOVQ kind+0(FP), DX
	CMPQ DX, $1
	JEQ  down
	JGT  probe

update:
	CMPQ CX, $16
	JLT  updatetail
updateloop:
	VMOVUPD (DI), Z16
	VMOVUPD 64(DI), Z20
	UPDATE4(LOAD64, STORE64, VMULPD, VFMADD231PD, VFMSUB213PD, 0, Z17, Z18, Z16)
	UPDATE4(LOAD64, STORE64, VMULPD, VFMADD231PD, VFMSUB213PD, 64, Z21, Z22, Z20)
	VMOVUPD Z16, (DI)
	VMOVUPD Z20, 64(DI)
	ADVANCE($128)
	SUBQ $16, CX
	CMPQ CX, $16
	JGE  updateloop
updatetail:
	TESTQ CX, CX
	JLE  done
	MOVL $0xff, AX
	BZHIL CX, AX, AX
	KMOVW AX, K1
	VMOVUPD.Z (DI), K1, Z16
	UPDATE4(LOADM64, STOREM64, VMULPD, VFMADD231PD, VFMSUB213PD, 0, Z17, Z18, Z16)
	VMOVUPD Z16, K1, (DI)
	ADVANCE($64)
	SUBQ $8, CX
	JMP  updatetail

down:
	CMPQ CX, $16
	JLT  downtail
downloop:
	VMOVUPD (DI), Z16
	VMOVUPD 64(DI), Z20
	DOWN4(LOAD64, STORE64, VMULPD, VFNMADD231PD, 0, Z17, Z16)
	DOWN4(LOAD64, STORE64, VMULPD, VFNMADD231PD, 64, Z21, Z20)
	VMOVUPD Z16, (DI)
	VMOVUPD Z20, 64(DI)
	ADVANCE($128)
	SUBQ $16, CX
	CMPQ CX, $16
	JGE  downloop
downtail:
	TESTQ CX, CX
	JLE  done
	MOVL $0xff, AX
	BZHIL CX, AX, AX
	KMOVW AX, K1
	VMOVUPD.Z (DI), K1, Z16
	DOWN4(LOADM64, STOREM64, VMULPD, VFNMADD231PD, 0, Z17, Z16)
	VMOVUPD Z16, K1, (DI)
	ADVANCE($64)
	SUBQ $8, CX
	JMP  downtail

probe:
	CMPQ CX, $16
	JLT  probetail
probeloop:
	VMOVUPD (DI), Z16
	VMOVUPD 64(DI), Z20
	DOWN4(LOAD64, NOSTORE, VMULPD, VFNMADD231PD, 0, Z17, Z16)
	DOWN4(LOAD64, NOSTORE, VMULPD, VFNMADD231PD, 64, Z21, Z20)
	VMOVUPD Z16, (DI)
	VMOVUPD Z20, 64(DI)
	ADVANCE($128)
	SUBQ $16, CX
	CMPQ CX, $16
	JGE  probeloop
probetail:
	TESTQ CX, CX
	JLE  done
	MOVL $0xff, AX
	BZHIL CX, AX, AX
	KMOVW AX, K1
	VMOVUPD.Z (DI), K1, Z16
	DOWN4(LOADM64, NOSTORE, VMULPD, VFNMADD231PD, 0, Z17, Z16)
	VMOVUPD Z16, K1, (DI)
	ADVANCE($64)
	SUBQ $8, CX
	JMP  probetail

done:
	VZEROUPPER
	RET

// func rotate32AVX512(kind Kind, u []float32, stride int, w []float32, r *Rotations[float32])
TEXT ·rotate32AVX512(SB), NOSPLIT, $0-72
	POINTERS(2)
	BROADCAST(VBROADCASTSS, 4)
	MOVQ kind+0(FP), DX
	CMPQ DX, $1
	JEQ  down
	JGT  probe

update:
	CMPQ CX, $32
	JLT  updatetail
updateloop:
	VMOVUPS (DI), Z16
	VMOVUPS 64(DI), Z20
	UPDATE4(LOAD32, STORE32, VMULPS, VFMADD231PS, VFMSUB213PS, 0, Z17, Z18, Z16)
	UPDATE4(LOAD32, STORE32, VMULPS, VFMADD231PS, VFMSUB213PS, 64, Z21, Z22, Z20)
	VMOVUPS Z16, (DI)
	VMOVUPS Z20, 64(DI)
	ADVANCE($128)
	SUBQ $32, CX
	CMPQ CX, $32
	JGE  updateloop
updatetail:
	TESTQ CX, CX
	JLE  done
	MOVL $0xffff, AX
	BZHIL CX, AX, AX
	KMOVW AX, K1
	VMOVUPS.Z (DI), K1, Z16
	UPDATE4(LOADM32, STOREM32, VMULPS, VFMADD231PS, VFMSUB213PS, 0, Z17, Z18, Z16)
	VMOVUPS Z16, K1, (DI)
	ADVANCE($64)
	SUBQ $16, CX
	JMP  updatetail

down:
	CMPQ CX, $32
	JLT  downtail
downloop:
	VMOVUPS (DI), Z16
	VMOVUPS 64(DI), Z20
	DOWN4(LOAD32, STORE32, VMULPS, VFNMADD231PS, 0, Z17, Z16)
	DOWN4(LOAD32, STORE32, VMULPS, VFNMADD231PS, 64, Z21, Z20)
	VMOVUPS Z16, (DI)
	VMOVUPS Z20, 64(DI)
	ADVANCE($128)
	SUBQ $32, CX
	CMPQ CX, $32
	JGE  downloop
downtail:
	TESTQ CX, CX
	JLE  done
	MOVL $0xffff, AX
	BZHIL CX, AX, AX
	KMOVW AX, K1
	VMOVUPS.Z (DI), K1, Z16
	DOWN4(LOADM32, STOREM32, VMULPS, VFNMADD231PS, 0, Z17, Z16)
	VMOVUPS Z16, K1, (DI)
	ADVANCE($64)
	SUBQ $16, CX
	JMP  downtail

probe:
	CMPQ CX, $32
	JLT  probetail
probeloop:
	VMOVUPS (DI), Z16
	VMOVUPS 64(DI), Z20
	DOWN4(LOAD32, NOSTORE, VMULPS, VFNMADD231PS, 0, Z17, Z16)
	DOWN4(LOAD32, NOSTORE, VMULPS, VFNMADD231PS, 64, Z21, Z20)
	VMOVUPS Z16, (DI)
	VMOVUPS Z20, 64(DI)
	ADVANCE($128)
	SUBQ $32, CX
	CMPQ CX, $32
	JGE  probeloop
probetail:
	TESTQ CX, CX
	JLE  done
	MOVL $0xffff, AX
	BZHIL CX, AX, AX
	KMOVW AX, K1
	VMOVUPS.Z (DI), K1, Z16
	DOWN4(LOADM32, NOSTORE, VMULPS, VFNMADD231PS, 0, Z17, Z16)
	VMOVUPS Z16, K1, (DI)
	ADVANCE($64)
	SUBQ $16, CX
	JMP  probetail

done:
	VZEROUPPER
	RET

// Rows b ← bL, see chol.go.
//
//   SI row, DX rows left, BX stride in bytes; R8 w, R9 d, R10 c; CX length, R11 bytes to the vector at hand
//   Z0 zero; Z1 running sum in every lane; Z2 b, Z3 v = w·b, Z4 suffix sums, Z5 scratch; K1 tail
// Invariant: the columns from R11 on are done, Z1 is Σ w_i·b_i over them.
// The suffix sums within a vector are a scan of log2(lanes) steps and do not depend on Z1, so the
// chain between vectors is one addition; 14 (f64) or 16 operations of ports 0 and 5 a vector.
// The right end of a row is a masked vector.

#define SCAN64 \
	VALIGNQ $1, Z3, Z0, Z4 \ // v_{i+1}
	VALIGNQ $1, Z4, Z0, Z5 \
	VADDPD Z5, Z4, Z4      \
	VALIGNQ $2, Z4, Z0, Z5 \
	VADDPD Z5, Z4, Z4      \
	VALIGNQ $4, Z4, Z0, Z5 \
	VADDPD Z5, Z4, Z4        // Σ_{m>i} v_m within the vector

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

#define FINISH(ADD, MUL, FMADD231, BC) \
	ADD Z4, Z3, Z3        \ // lane 0: the vector's whole sum
	ADD Z1, Z4, Z4        \
	MUL Z6, Z2, Z2        \ // d·b
	FMADD231 Z4, Z7, Z2   \ // + c·sum
	BC  X3, Z3            \
	ADD Z3, Z1, Z1

// func sweep64AVX512(b []float64, n, stride int, w, d, c []float64)
TEXT ·sweep64AVX512(SB), NOSPLIT, $0-112
	MOVQ b_base+0(FP), SI
	MOVQ n+24(FP), DX
	MOVQ stride+32(FP), BX
	SHLQ $3, BX
	MOVQ w_base+40(FP), R8
	MOVQ w_len+48(FP), CX
	MOVQ d_base+64(FP), R9
	MOVQ c_base+88(FP), R10
	MOVQ CX, AX
	ANDQ $7, AX
	MOVL $0xff, R12
	BZHIL AX, R12, R12
	KMOVW R12, K1
	VPXORQ Z0, Z0, Z0
row:
	VPXORQ Z1, Z1, Z1
	MOVQ CX, R11
	ANDQ $~7, R11
	SHLQ $3, R11
	TESTQ AX, AX
	JEQ  next
	VMOVUPD.Z (SI)(R11*1), K1, Z2
	VMOVUPD.Z (R8)(R11*1), K1, Z3
	VMOVUPD.Z (R9)(R11*1), K1, Z6
	VMOVUPD.Z (R10)(R11*1), K1, Z7
	VMULPD Z2, Z3, Z3
	SCAN64
	FINISH(VADDPD, VMULPD, VFMADD231PD, VBROADCASTSD)
	VMOVUPD Z2, K1, (SI)(R11*1)
next:
	SUBQ $64, R11
	JLT  rowdone
	VMOVUPD (SI)(R11*1), Z2
	VMULPD (R8)(R11*1), Z2, Z3
	VMOVUPD (R9)(R11*1), Z6
	VMOVUPD (R10)(R11*1), Z7
	SCAN64
	FINISH(VADDPD, VMULPD, VFMADD231PD, VBROADCASTSD)
	VMOVUPD Z2, (SI)(R11*1)
	JMP  next
rowdone:
	ADDQ BX, SI
	DECQ DX
	JNZ  row
	VZEROUPPER
	RET

// func sweep32AVX512(b []float32, n, stride int, w, d, c []float32)
TEXT ·sweep32AVX512(SB), NOSPLIT, $0-112
	MOVQ b_base+0(FP), SI
	MOVQ n+24(FP), DX
	MOVQ stride+32(FP), BX
	SHLQ $2, BX
	MOVQ w_base+40(FP), R8
	MOVQ w_len+48(FP), CX
	MOVQ d_base+64(FP), R9
	MOVQ c_base+88(FP), R10
	MOVQ CX, AX
	ANDQ $15, AX
	MOVL $0xffff, R12
	BZHIL AX, R12, R12
	KMOVW R12, K1
	VPXORQ Z0, Z0, Z0
row:
	VPXORQ Z1, Z1, Z1
	MOVQ CX, R11
	ANDQ $~15, R11
	SHLQ $2, R11
	TESTQ AX, AX
	JEQ  next
	VMOVUPS.Z (SI)(R11*1), K1, Z2
	VMOVUPS.Z (R8)(R11*1), K1, Z3
	VMOVUPS.Z (R9)(R11*1), K1, Z6
	VMOVUPS.Z (R10)(R11*1), K1, Z7
	VMULPS Z2, Z3, Z3
	SCAN32
	FINISH(VADDPS, VMULPS, VFMADD231PS, VBROADCASTSS)
	VMOVUPS Z2, K1, (SI)(R11*1)
next:
	SUBQ $64, R11
	JLT  rowdone
	VMOVUPS (SI)(R11*1), Z2
	VMULPS (R8)(R11*1), Z2, Z3
	VMOVUPS (R9)(R11*1), Z6
	VMOVUPS (R10)(R11*1), Z7
	SCAN32
	FINISH(VADDPS, VMULPS, VFMADD231PS, VBROADCASTSS)
	VMOVUPS Z2, (SI)(R11*1)
	JMP  next
rowdone:
	ADDQ BX, SI
	DECQ DX
	JNZ  row
	VZEROUPPER
	RET
