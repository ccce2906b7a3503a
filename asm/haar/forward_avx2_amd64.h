// Body of forward64AVX2 and of its float32 and scaled versions:
// func(dst, src *F, n, d, ds, ss int, scratch, f *F), d of at least 32 bytes.
// Lengths are counted in bytes, so that both types share it.
//   DI, SI next row of dst and src; CX rows left; R8, R9 strides; R10 length of a row
//   DX scratch; AX factors; BX source of the next level (in the first: what is prefetched),
//   R11 its length, R13 its factor
//   Y0-Y7 sums and differences; Y8-Y11 temporary; Y12-Y14 factors
// Invariant at row: CX >= 1 rows are left, DI and SI point to the next.
// Unroll: 256 bytes make a tile of three levels: four sums and four differences
// and what it takes to make them fill the registers. The first level of a row
// of 512 bytes or more in place has to run from its end to its start, which the
// CPU does not foresee across rows: it prefetches the next row, and at least 2 KiB
// ahead. Other rows need no such pass.
// No tails: lengths are powers of two.

	SHLQ $SHIFT, R8
	SHLQ $SHIFT, R9
	SHLQ $SHIFT, R10

row:
	MOVQ SI, BX
	MOVQ R10, R11
	LEAQ (17<<SHIFT)(AX), R13
	CMPQ R11, $512
	JLT  rest
	CMPQ DI, SI
	JNE  rest

	BCAST (0<<SHIFT)(R13), Y12
	MOVQ  R11, R12
	SHRQ  $1, R11
	LEAQ  (DI)(R11*1), R14
	MOVQ  R11, R15
	MOVL  $2048, BX // prefetch distance
	CMPQ  R9, BX
	CMOVQGT R9, BX
	ADDQ  SI, BX

first: // differences to the upper half of dst, sums to scratch
	SUBQ    $256, R12
	SUBQ    $128, R15
	PREFETCHT0 (BX)(R12*1)
	PREFETCHT0 64(BX)(R12*1)
	PREFETCHT0 128(BX)(R12*1)
	PREFETCHT0 192(BX)(R12*1)
	SPLIT8(SI, R12, 1)
	SCALE(Y12, Y1)
	SCALE(Y12, Y3)
	SCALE(Y12, Y5)
	SCALE(Y12, Y7)
	VMOVUPD Y1, (R14)(R15*1)
	VMOVUPD Y3, 32(R14)(R15*1)
	VMOVUPD Y5, 64(R14)(R15*1)
	VMOVUPD Y7, 96(R14)(R15*1)
	VMOVUPD Y0, (DX)(R15*1)
	VMOVUPD Y2, 32(DX)(R15*1)
	VMOVUPD Y4, 64(DX)(R15*1)
	VMOVUPD Y6, 96(DX)(R15*1)
	TESTQ   R12, R12
	JNZ     first
	MOVQ    DX, BX
	ADDQ    $(1<<SHIFT), R13

rest: // R11 bytes at BX are left, in scratch or src
	CMPQ    R11, $128
	JE      four
	JGT     tiles
	CMPQ    R11, $64
	JE      two
	VMOVUPD (BX), Y0
	JMP     top

tiles: // three levels in one pass; sums to the front of scratch
	BCAST (0<<SHIFT)(R13), Y12
	BCAST (1<<SHIFT)(R13), Y13
	BCAST (2<<SHIFT)(R13), Y14
	ADDQ  $(3<<SHIFT), R13
	SHRQ  $1, R11
	LEAQ  (DI)(R11*1), R14 // finest differences
	SHRQ  $1, R11
	LEAQ  (DI)(R11*1), R15 // the next level's
	SHRQ  $1, R11
	ADDQ  R11, DI          // the last level's
	XORQ  R12, R12

tile:
	SPLIT8(BX, R12, 8)
	SCALE(Y12, Y1)
	SCALE(Y12, Y3)
	SCALE(Y12, Y5)
	SCALE(Y12, Y7)
	VMOVUPD Y1, (R14)(R12*4)
	VMOVUPD Y3, 32(R14)(R12*4)
	VMOVUPD Y5, 64(R14)(R12*4)
	VMOVUPD Y7, 96(R14)(R12*4)
	PAIR(Y0, Y2, Y8)
	PAIR(Y4, Y6, Y8)
	PAIR(Y0, Y4, Y8)
	SCALE(Y13, Y2)
	SCALE(Y13, Y6)
	SCALE(Y14, Y4)
	VMOVUPD Y2, (R15)(R12*2)
	VMOVUPD Y6, 32(R15)(R12*2)
	VMOVUPD Y4, (DI)(R12*1)
	VMOVUPD Y0, (DX)(R12*1)
	ADDQ    $32, R12
	CMPQ    R12, R11
	JLT     tile
	SUBQ    R11, DI
	MOVQ    DX, BX
	CMPQ    R11, $32
	JNE     rest
	JMP     top

four: // 128 bytes, two levels
	PAIRMEM(BX, R11, 1, -128, Y0, Y1) // BX+R11 is the end
	PAIRMEM(BX, R11, 1, -64, Y2, Y3)
	PAIR(Y0, Y2, Y8)
	SCALEMEM((0<<SHIFT)(R13), Y12, Y1)
	SCALEMEM((0<<SHIFT)(R13), Y12, Y3)
	SCALEMEM((1<<SHIFT)(R13), Y12, Y2)
	VMOVUPD Y2, 32(DI)
	VMOVUPD Y1, 64(DI)
	VMOVUPD Y3, 96(DI)
	JMP     top

two: // 64 bytes, one level
	PAIRMEM(BX, R11, 1, -64, Y0, Y1)
	SCALEMEM((0<<SHIFT)(R13), Y12, Y1)
	VMOVUPD Y1, 32(DI)

top: // what is left is in Y0
	DOWNTOP
	SCALETOP
	VMOVUPD Y0, (DI)
	ADDQ    R8, DI
	ADDQ    R9, SI
	DECQ    CX
	JNZ     row
