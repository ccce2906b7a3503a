// Body of forward64AVX512 and of its float32 and scaled versions:
// func(dst, src *F, n, d, ds, ss int, scratch, f *F, far bool). Lengths are counted in
// bytes, so that both types share it.
//   DI, SI next row of dst and src; CX rows left, below 0 where they are prefetched
//   R8, R9 strides; R10 length of a row; DX scratch; AX factors
//   BX source of the next level (in the first: what is prefetched), R11 far, then its length,
//   R13 its factor
//   Z0-Z7 data; Z8-Z11 temporary; Z12-Z14 factors; Z18-Z31 constants (TOPDOWN)
// Invariant at row: |CX| >= 1 rows are left, DI and SI point to the next.
// Unroll: 512 bytes make a tile of three levels in registers; the first level of
// a row in place, which has to run from its end to its start, takes as much at
// once. Other rows need no such pass. The CPU does not foresee that order across
// rows, nor where short rows begin: if they are far, the next row, and at least 2 KiB ahead,
// is prefetched; in the first cache that would cost 4 to 8 %.
// No tails: lengths are powers of two, and a row below 64 bytes is part of one
// register.

	SHLQ $SHIFT, R8
	SHLQ $SHIFT, R9
	FORWARDCONST
	SHLQ $SHIFT, R10
	CMPQ R10, $64
	JLT  tiny
	TESTL R11, R11
	JEQ  row
	NEGQ CX

far: // lines of a row of 256 or 512 bytes
	CMPQ R10, $256
	JLT  row
	CMPQ R10, $512
	JGT  row
	PREFETCHT0 2048(SI)
	PREFETCHT0 2112(SI)
	PREFETCHT0 2176(SI)
	PREFETCHT0 2240(SI)
	JLT  row
	PREFETCHT0 2304(SI)
	PREFETCHT0 2368(SI)
	PREFETCHT0 2432(SI)
	PREFETCHT0 2496(SI)

row:
	MOVQ SI, BX
	MOVQ R10, R11
	LEAQ (17<<SHIFT)(AX), R13
	CMPQ R11, $1024
	JLT  rest
	CMPQ DI, SI
	JNE  rest

	BCAST (0<<SHIFT)(R13), Z12
	MOVQ  R11, R12
	SHRQ  $1, R11
	LEAQ  (DI)(R11*1), R14
	MOVQ  R11, R15

first: // differences to the upper half of dst, sums to scratch
	SUBQ    $512, R12
	SUBQ    $256, R15
	TESTQ   CX, CX
	JLT     ahead

pairs:
	LOAD8(SI, R12, 1)
	PAIRS4
	SCALE(Z12, Z1)
	SCALE(Z12, Z3)
	SCALE(Z12, Z5)
	SCALE(Z12, Z7)
	VMOVUPD Z1, (R14)(R15*1)
	VMOVUPD Z3, 64(R14)(R15*1)
	VMOVUPD Z5, 128(R14)(R15*1)
	VMOVUPD Z7, 192(R14)(R15*1)
	VMOVUPD Z0, (DX)(R15*1)
	VMOVUPD Z2, 64(DX)(R15*1)
	VMOVUPD Z4, 128(DX)(R15*1)
	VMOVUPD Z6, 192(DX)(R15*1)
	TESTQ   R12, R12
	JNZ     first
	MOVQ    DX, BX
	ADDQ    $(1<<SHIFT), R13

rest: // R11 bytes at BX are left, in scratch or src
	CMPQ    R11, $256
	JE      four
	JGT     tiles
	CMPQ    R11, $128
	JE      two
	VMOVUPD (BX), Z0
	JMP     top

tiles: // three levels in one pass; sums to the front of scratch
	BCAST (0<<SHIFT)(R13), Z12
	BCAST (1<<SHIFT)(R13), Z13
	BCAST (2<<SHIFT)(R13), Z14
	ADDQ  $(3<<SHIFT), R13
	SHRQ  $1, R11
	LEAQ  (DI)(R11*1), R14 // finest differences
	SHRQ  $1, R11
	LEAQ  (DI)(R11*1), R15 // the next level's
	SHRQ  $1, R11
	ADDQ  R11, DI          // the last level's
	XORQ  R12, R12

tile:
	LOAD8(BX, R12, 8)
	PAIRS7
	SCALE(Z12, Z1)
	SCALE(Z12, Z3)
	SCALE(Z12, Z5)
	SCALE(Z12, Z7)
	SCALE(Z13, Z2)
	SCALE(Z13, Z6)
	SCALE(Z14, Z4)
	VMOVUPD Z1, (R14)(R12*4)
	VMOVUPD Z3, 64(R14)(R12*4)
	VMOVUPD Z5, 128(R14)(R12*4)
	VMOVUPD Z7, 192(R14)(R12*4)
	VMOVUPD Z2, (R15)(R12*2)
	VMOVUPD Z6, 64(R15)(R12*2)
	VMOVUPD Z4, (DI)(R12*1)
	VMOVUPD Z0, (DX)(R12*1)
	ADDQ    $64, R12
	CMPQ    R12, R11
	JLT     tile
	SUBQ    R11, DI
	MOVQ    DX, BX
	CMPQ    R11, $64
	JNE     rest
	JMP     top

four: // 256 bytes, two levels
	VMOVUPD (BX), Z0
	VMOVUPD 64(BX), Z1
	VMOVUPD 128(BX), Z2
	VMOVUPD 192(BX), Z3
	PAIR(Z0, Z1, Z8)
	PAIR(Z2, Z3, Z9)
	PAIR(Z0, Z2, Z8)
	SCALEMEM((0<<SHIFT)(R13), Z12, Z1)
	SCALEMEM((0<<SHIFT)(R13), Z12, Z3)
	SCALEMEM((1<<SHIFT)(R13), Z12, Z2)
	VMOVUPD Z2, 64(DI)
	VMOVUPD Z1, 128(DI)
	VMOVUPD Z3, 192(DI)
	JMP     top

two: // 128 bytes, one level
	VMOVUPD (BX), Z0
	VMOVUPD 64(BX), Z1
	PAIR(Z0, Z1, Z8)
	SCALEMEM((0<<SHIFT)(R13), Z12, Z1)
	VMOVUPD Z1, 64(DI)

top: // what is left is in Z0
	DOWNTOP
	SCALETOP
	VMOVUPD Z0, (DI)
	ADDQ    R8, DI
	ADDQ    R9, SI
	DECQ    CX
	JGT     row
	JEQ     end
	ADDQ    $2, CX
	JNE     far

end:
	VZEROUPPER
	RET

ahead: // the lines of the next row, or 2 KiB ahead
	MOVL    $2048, BX
	CMPQ    R9, BX
	CMOVQGT R9, BX
	ADDQ    SI, BX
	PREFETCHT0 (BX)(R12*1)
	PREFETCHT0 64(BX)(R12*1)
	PREFETCHT0 128(BX)(R12*1)
	PREFETCHT0 192(BX)(R12*1)
	PREFETCHT0 256(BX)(R12*1)
	PREFETCHT0 320(BX)(R12*1)
	PREFETCHT0 384(BX)(R12*1)
	PREFETCHT0 448(BX)(R12*1)
	JMP     pairs

tiny: // a row is R10 < 64 bytes; masked loads would wait for masked stores of the row before
	CMPQ R10, $16
	JEQ  load16
	JLT  load8
	VMOVUPD (SI), Y0
	JMP  loaded

load16:
	VMOVUPD (SI), X0
	JMP  loaded

load8:
	VMOVSD (SI), X0

loaded:
	CMPQ R10, $(8<<SHIFT)
	JEQ  from8
	CMPQ R10, $(4<<SHIFT)
	JEQ  from4
	JMP  from2

from8:
	DOWN8

from4:
	DOWN4

from2:
	DOWN2
	SCALETOP
	CMPQ R10, $16
	JEQ  store16
	JLT  store8
	VMOVUPD Y0, (DI)
	JMP  nexttiny

store16:
	VMOVUPD X0, (DI)
	JMP  nexttiny

store8:
	VMOVSD X0, (DI)

nexttiny:
	ADDQ R8, DI
	ADDQ R9, SI
	DECQ CX
	JNZ  tiny
