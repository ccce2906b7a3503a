// Body of backward64AVX2 and of its float32 and scaled versions:
// func(dst, src *F, n, d, ds, ss int, scratch, f *F), d of at least 32 bytes.
// Lengths are counted in bytes, so that both types share it.
//   DI, SI next row of dst and src; CX rows left; R8, R9 strides; R10 length of a row
//   DX scratch; AX factors; R13 factor of the next level
//   R12 length of the sums so far, in Y0 or scratch; R11 their length to reach at BX
//   Y0-Y8 data; Y9-Y11 temporary; Y12-Y14 factors
// Invariant at row: CX >= 1 rows are left, DI and SI point to the next.
// Passes of three levels in scratch make the sums eight times as long and so
// run from the end to the start; the last level of a long row runs from its
// start to its end, which is what makes it possible in place. Rows below 512
// bytes are read completely before they are written. Unroll as in forward.

	SHLQ $SHIFT, R8
	SHLQ $SHIFT, R9
	SHLQ $SHIFT, R10

row:
	VMOVUPD (SI), Y0
	SCALETOP
	UPTOP
	BSFQ R10, R13
	LEAQ ((16-5)<<SHIFT)(AX)(R13*BYTES), R13
	MOVQ DI, BX
	MOVQ R10, R11
	MOVQ $32, R12
	CMPQ R10, $512
	JLT  levels
	MOVQ DX, BX
	SHRQ $1, R11

levels: // one or two levels from Y0 if their number is not a multiple of three
	TESTQ   $0x9240, R11
	JNZ     one
	TESTQ   $0x12480, R11
	JNZ     two
	CMPQ    R11, $32
	JNE     three
	VMOVUPD Y0, (BX)
	JMP     next

one:
	VMOVUPD 32(SI), Y1
	SCALEMEM((0<<SHIFT)(R13), Y12, Y1)
	JOIN(Y0, Y1, Y8)
	VMOVUPD Y0, (BX)
	VMOVUPD Y8, 32(BX)
	SUBQ    $(1<<SHIFT), R13
	MOVQ    $64, R12
	JMP     pass

two:
	VMOVUPD 32(SI), Y1
	VMOVUPD 64(SI), Y2
	VMOVUPD 96(SI), Y3
	SCALEMEM((0<<SHIFT)(R13), Y12, Y1)
	SCALEMEM(-(1<<SHIFT)(R13), Y12, Y2)
	SCALEMEM(-(1<<SHIFT)(R13), Y12, Y3)
	JOIN(Y0, Y1, Y8)
	JOIN(Y0, Y2, Y1)
	JOIN(Y8, Y3, Y2)
	VMOVUPD Y0, (BX)
	VMOVUPD Y1, 32(BX)
	VMOVUPD Y8, 64(BX)
	VMOVUPD Y2, 96(BX)
	SUBQ    $(2<<SHIFT), R13
	MOVQ    $128, R12
	JMP     pass

three:
	VMOVUPD Y0, (DX)

pass:
	CMPQ  R12, R11
	JEQ   last
	BCAST (0<<SHIFT)(R13), Y14
	BCAST -(1<<SHIFT)(R13), Y13
	BCAST -(2<<SHIFT)(R13), Y12
	SUBQ  $(3<<SHIFT), R13
	MOVQ  R12, R14

tile:
	SUBQ    $32, R14
	LEAQ    (R12)(R14*1), R15
	VMOVUPD (DX)(R14*1), Y0
	VMOVUPD (SI)(R15*1), Y1
	VMOVUPD (SI)(R15*2), Y2
	VMOVUPD 32(SI)(R15*2), Y3
	VMOVUPD (SI)(R15*4), Y4
	VMOVUPD 32(SI)(R15*4), Y5
	VMOVUPD 64(SI)(R15*4), Y6
	VMOVUPD 96(SI)(R15*4), Y7
	SCALE(Y14, Y1)
	SCALE(Y13, Y2)
	SCALE(Y13, Y3)
	SCALE(Y12, Y4)
	SCALE(Y12, Y5)
	SCALE(Y12, Y6)
	SCALE(Y12, Y7)
	JOINS7
	STORE8(BX, R14, 8)
	TESTQ   R14, R14
	JNZ     tile
	SHLQ    $3, R12
	JMP     pass

last: // from scratch and the upper half of src to dst
	CMPQ  BX, DX
	JNE   next
	BCAST (0<<SHIFT)(R13), Y12
	LEAQ  (SI)(R11*1), R15
	XORQ  R14, R14

final:
	VMOVUPD (DX)(R14*1), Y0
	VMOVUPD 32(DX)(R14*1), Y1
	VMOVUPD 64(DX)(R14*1), Y8
	VMOVUPD 96(DX)(R14*1), Y2
	VMOVUPD (R15)(R14*1), Y4
	VMOVUPD 32(R15)(R14*1), Y5
	VMOVUPD 64(R15)(R14*1), Y6
	VMOVUPD 96(R15)(R14*1), Y7
	SCALE(Y12, Y4)
	SCALE(Y12, Y5)
	SCALE(Y12, Y6)
	SCALE(Y12, Y7)
	JOINS4
	STORE8(DI, R14, 2)
	ADDQ    $128, R14
	CMPQ    R14, R11
	JLT     final

next:
	ADDQ R8, DI
	ADDQ R9, SI
	DECQ CX
	JNZ  row
