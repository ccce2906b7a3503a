// Body of backward64AVX512 and of its float32 and scaled versions:
// func(dst, src *F, n, d, ds, ss int, scratch, f *F). Lengths are counted in
// bytes, so that both types share it.
//   DI, SI next row of dst and src; CX rows left; R8, R9 strides; R10 length of a row
//   DX scratch; AX factors; R13 factor of the next level
//   R12 length of the sums so far, in Z0 or scratch; R11 their length to reach at BX
//   Z0-Z8 data; Z9-Z11 temporary; Z12-Z14 factors; Z18-Z31 constants
// Invariant at row: CX >= 1 rows are left, DI and SI point to the next.
// Passes of three levels in scratch make the sums eight times as long and so
// run from the end to the start; the last level of a long row runs from its
// start to its end, which is what makes it possible in place. Rows below 1024
// bytes are read completely before they are written. Unroll as in forward.

	SHLQ $SHIFT, R8
	SHLQ $SHIFT, R9
	BACKWARDCONST
	SHLQ $SHIFT, R10
	CMPQ R10, $64
	JLT  tiny

row:
	VMOVUPD (SI), Z0
	SCALETOP
	UPTOP
	TZCNTQ  R10, R13
	LEAQ    ((16-6)<<SHIFT)(AX)(R13*BYTES), R13
	MOVQ    DI, BX
	MOVQ    R10, R11
	MOVQ    $64, R12
	CMPQ    R10, $1024
	JLT     levels
	MOVQ    DX, BX
	SHRQ    $1, R11

levels: // one or two levels from Z0 if their number is not a multiple of three
	TESTQ   $0x12480, R11
	JNZ     one
	TESTQ   $0x24900, R11
	JNZ     two
	CMPQ    R11, $64
	JNE     three
	VMOVUPD Z0, (BX)
	JMP     next

one:
	VMOVUPD 64(SI), Z1
	SCALEMEM((0<<SHIFT)(R13), Z12, Z1)
	JOIN(Z0, Z1, Z8)
	VMOVUPD Z0, (BX)
	VMOVUPD Z8, 64(BX)
	SUBQ    $(1<<SHIFT), R13
	MOVQ    $128, R12
	JMP     pass

two:
	VMOVUPD 64(SI), Z1
	VMOVUPD 128(SI), Z2
	VMOVUPD 192(SI), Z3
	SCALEMEM((0<<SHIFT)(R13), Z12, Z1)
	SCALEMEM(-(1<<SHIFT)(R13), Z12, Z2)
	SCALEMEM(-(1<<SHIFT)(R13), Z12, Z3)
	JOIN(Z0, Z1, Z8)
	JOIN(Z0, Z2, Z1)
	JOIN(Z8, Z3, Z2)
	VMOVUPD Z0, (BX)
	VMOVUPD Z1, 64(BX)
	VMOVUPD Z8, 128(BX)
	VMOVUPD Z2, 192(BX)
	SUBQ    $(2<<SHIFT), R13
	MOVQ    $256, R12
	JMP     pass

three:
	VMOVUPD Z0, (DX)

pass:
	CMPQ  R12, R11
	JEQ   last
	BCAST (0<<SHIFT)(R13), Z14
	BCAST -(1<<SHIFT)(R13), Z13
	BCAST -(2<<SHIFT)(R13), Z12
	SUBQ  $(3<<SHIFT), R13
	MOVQ  R12, R14

tile:
	SUBQ    $64, R14
	LEAQ    (R12)(R14*1), R15
	VMOVUPD (DX)(R14*1), Z0
	VMOVUPD (SI)(R15*1), Z1
	VMOVUPD (SI)(R15*2), Z2
	VMOVUPD 64(SI)(R15*2), Z3
	VMOVUPD (SI)(R15*4), Z4
	VMOVUPD 64(SI)(R15*4), Z5
	VMOVUPD 128(SI)(R15*4), Z6
	VMOVUPD 192(SI)(R15*4), Z7
	SCALE(Z14, Z1)
	SCALE(Z13, Z2)
	SCALE(Z13, Z3)
	SCALE(Z12, Z4)
	SCALE(Z12, Z5)
	SCALE(Z12, Z6)
	SCALE(Z12, Z7)
	JOINS7
	STORE8(BX, R14, 8)
	TESTQ   R14, R14
	JNZ     tile
	SHLQ    $3, R12
	JMP     pass

last: // from scratch and the upper half of src to dst
	CMPQ  BX, DX
	JNE   next
	BCAST (0<<SHIFT)(R13), Z12
	LEAQ  (SI)(R11*1), R15
	XORQ  R14, R14

final:
	VMOVUPD (DX)(R14*1), Z0
	VMOVUPD 64(DX)(R14*1), Z1
	VMOVUPD 128(DX)(R14*1), Z8
	VMOVUPD 192(DX)(R14*1), Z2
	VMOVUPD (R15)(R14*1), Z4
	VMOVUPD 64(R15)(R14*1), Z5
	VMOVUPD 128(R15)(R14*1), Z6
	VMOVUPD 192(R15)(R14*1), Z7
	SCALE(Z12, Z4)
	SCALE(Z12, Z5)
	SCALE(Z12, Z6)
	SCALE(Z12, Z7)
	JOINS4
	STORE8(DI, R14, 2)
	ADDQ    $256, R14
	CMPQ    R14, R11
	JLT     final

next:
	ADDQ R8, DI
	ADDQ R9, SI
	DECQ CX
	JNZ  row
	VZEROUPPER
	RET

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
	SCALETOP
	UP2
	CMPQ R10, $(2<<SHIFT)
	JEQ  storetiny
	UP4
	CMPQ R10, $(4<<SHIFT)
	JEQ  storetiny
	UP8

storetiny:
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
