// What the routines do; their entries are in the table of asm/gen. Nothing reads or writes past the last element. Source: see doc.go.

// SI rows, DI words of all rows, CX rows left, AX row, BX the place of its word and then of its cells, X0 word;
// R8-R11 histograms, R12, R13, DX, R14 codes.
#define ADDARGS \
	MOVQ h+0(FP), BX; \
	MOVQ code+8(FP), AX; \
	MOVQ rows_base+16(FP), SI; \
	MOVQ rows_len+24(FP), CX; \
	MOVQ v_base+40(FP), DI

// Column number of the arrays of slices: its histogram and its codes.
#define COLUMN(number, h, c) \
	MOVQ (24*number)(BX), h; \
	MOVQ (24*number)(AX), c

#define COLUMN1 COLUMN(0, R8, R12)
#define COLUMN2 \
	COLUMN1; \
	COLUMN(1, R9, R13)
#define COLUMN3 \
	COLUMN2; \
	COLUMN(2, R10, DX)
#define COLUMN4 \
	COLUMN3; \
	COLUMN(3, R11, R14)

#define STEP(h, c) \
	MOVBLZX (c)(AX*1), BX; \
	SHLQ    $4, BX; \
	VPADDQ  (h)(BX*1), X0, X1; \
	VMOVDQU X1, (h)(BX*1)

#define STEPS1 STEP(R8, R12)
#define STEPS2 \
	STEPS1; \
	STEP(R9, R13)
#define STEPS3 \
	STEPS2; \
	STEP(R10, DX)
#define STEPS4 \
	STEPS3; \
	STEP(R11, R14)

// The loop of Add:
//	for _, i := range rows { for c := range k { h[c][code[c][i]] += v[i] } }
//   every number of rows below the length of each code and of v, every code below the length of its histogram; any alignment
// Invariant at loop: SI is at the first row not done, of which CX are left. No tail: one row at a time.
// Unroll: the columns of a row are independent.
#define ADDLOOP(steps) \
	TESTQ CX, CX; \
	JEQ   done; \
loop: \
	MOVLQSX (SI), AX; \
	MOVQ    AX, BX; \
	SHLQ    $4, BX; \
	VMOVDQU (DI)(BX*1), X0; \
	ADDQ    $4, SI; \
	steps; \
	DECQ CX; \
	JNE  loop; \
done:

// The loop of AddLists:
//	for _, i := range rows { for _, b := range bin[start[i]:start[i+1]] { h[b] += v[i] } }
//   every number of rows below len(start)-1 and len(v), every bin below len(h); any alignment
//   R8 h, R9 bin, R10 start, SI rows, DI words of all rows, CX rows left, AX row, DX and R11 the next and the end of its
//   list, BX bin, X0 word
// Invariant at row: SI is at the first row not done, of which CX are left; at list: DX < R11.
// Unroll: none, as the bins of a list are different and so independent. No tail.
#define ADDLISTS \
	TESTQ CX, CX; \
	JEQ   done; \
row: \
	MOVLQSX (SI), AX; \
	ADDQ    $4, SI; \
	MOVQ    (R10)(AX*8), DX; \
	MOVQ    8(R10)(AX*8), R11; \
	SHLQ    $4, AX; \
	VMOVDQU (DI)(AX*1), X0; \
	CMPQ    DX, R11; \
	JGE     next; \
list: \
	MOVL    (R9)(DX*4), BX; \
	SHLQ    $4, BX; \
	VPADDQ  (R8)(BX*1), X0, X1; \
	VMOVDQU X1, (R8)(BX*1); \
	INCQ    DX; \
	CMPQ    DX, R11; \
	JLT     list; \
next: \
	DECQ CX; \
	JNE  row; \
done:

// The loop of Divide:
//	for _, i := range rows { left[l], right[r] = i, i; if code[i] <= most { l++ } else { r++ } }
//   left and right at least as long as rows, which either may begin where rows begins or before; every number of rows below len(code)
//   SI rows, CX their number, R12 those done, R11 left, R9 those there, DI right, R10 those there, R8 codes, BX most, AX row
// Invariant at loop: R9+R10 = R12 < CX. No branch depends on the codes: the carry of the comparison is what r grows by.
#define DIVIDE \
	XORQ  R9, R9; \
	XORQ  R10, R10; \
	XORQ  R12, R12; \
	TESTQ CX, CX; \
	JEQ   done; \
loop: \
	MOVLQSX (SI)(R12*4), AX; \
	MOVL    AX, (R11)(R9*4); \
	MOVL    AX, (DI)(R10*4); \
	INCQ    R12; \
	CMPB    BX, (R8)(AX*1); \
	ADCQ    $0, R10; \
	MOVQ    R12, R9; \
	SUBQ    R10, R9; \
	CMPQ    R12, CX; \
	JLT     loop; \
done:

// The loop of Words, for a multiple of four rows:
//	for i := range dst { dst[i] = {integer(g[i]·u.G), integer(c[i]·u.C)<<u.Count | 1}; and t }
// where an integer is what the sum with magic has beside the bits of magic.
//   DI dst, SI g, DX c, CX rows left, AX u, BX t; Y15 u.G, Y14 u.C, Y13 magic, Y12 1, X11 u.Count, Y10 mask of magnitudes;
//   Y0, Y1 sums of both integers, Y2, Y3 largest bits of the magnitudes of g and c
// Unroll: the four rows of a vector.
#define MOST(x, most) \
	VPCMPGTQ  most, x, Y7; \
	VBLENDVPD Y7, x, most, most
#define WORDS \
	VBROADCASTSD 0(AX), Y15; \
	VBROADCASTSD 8(AX), Y14; \
	VBROADCASTSD magic<>(SB), Y13; \
	VPBROADCASTQ integer<>(SB), Y12; \
	VMOVQ        16(AX), X11; \
	VPBROADCASTQ magnitude<>(SB), Y10; \
	VMOVDQU      0(BX), Y0; \
	VMOVDQU      32(BX), Y1; \
	VMOVDQU      64(BX), Y2; \
	VMOVDQU      96(BX), Y3; \
	TESTQ        CX, CX; \
	JEQ          done; \
loop: \
	VMOVUPD     (SI), Y4; \
	VMOVUPD     (DX), Y5; \
	VPAND       Y10, Y4, Y6; \
	VPAND       Y10, Y5, Y8; \
	MOST(Y6, Y2); \
	MOST(Y8, Y3); \
	VMULPD      Y15, Y4, Y4; \
	VMULPD      Y14, Y5, Y5; \
	VADDPD      Y13, Y4, Y4; \
	VADDPD      Y13, Y5, Y5; \
	VPSUBQ      Y13, Y4, Y4; \
	VPSUBQ      Y13, Y5, Y5; \
	VPSLLQ      X11, Y5, Y5; \
	VPOR        Y12, Y5, Y5; \
	VPADDQ      Y4, Y0, Y0; \
	VPADDQ      Y5, Y1, Y1; \
	VPUNPCKLQDQ Y5, Y4, Y6; \
	VPUNPCKHQDQ Y5, Y4, Y7; \
	VPERM2I128  $0x20, Y7, Y6, Y8; \
	VPERM2I128  $0x31, Y7, Y6, Y9; \
	VMOVDQU     Y8, 0(DI); \
	VMOVDQU     Y9, 32(DI); \
	ADDQ        $32, SI; \
	ADDQ        $32, DX; \
	ADDQ        $64, DI; \
	SUBQ        $4, CX; \
	JNE         loop; \
done: \
	VMOVDQU Y0, 0(BX); \
	VMOVDQU Y1, 32(BX); \
	VMOVDQU Y2, 64(BX); \
	VMOVDQU Y3, 96(BX)

// The loop of Logistic, for a multiple of four rows; value holds log(1+odds):
//	p := 1/(1+odds); q := odds·p; g = w·(q where score > 0 agrees with class == 1, else p), negative where class == 1;
//	c = w·p·q; value += |score| where they do not agree
//   DI g, SI c, DX value, R8 score, R9 odds, R10 w, R11 class, CX rows left; Y15 1, Y14 integer 1, Y13 sign, Y12 mask of magnitudes
// Unroll: the four rows of a vector.
#define LOGISTIC \
	VBROADCASTSD one<>(SB), Y15; \
	VPBROADCASTQ integer<>(SB), Y14; \
	VBROADCASTSD sign<>(SB), Y13; \
	VBROADCASTSD magnitude<>(SB), Y12; \
	VXORPD       Y11, Y11, Y11; \
	TESTQ        CX, CX; \
	JEQ          done; \
loop: \
	VMOVUPD   (R9), Y0; \
	VADDPD    Y0, Y15, Y1; \
	VDIVPD    Y1, Y15, Y1; \ // p
	VMULPD    Y1, Y0, Y2; \ // q
	VMOVUPD   (R8), Y3; \
	VPCMPEQQ  (R11), Y14, Y4; \ // class is 1
	VCMPPD    $0x1e, Y11, Y3, Y5; \ // score > 0
	VXORPD    Y4, Y5, Y5; \ // they differ
	VBLENDVPD Y5, Y1, Y2, Y6; \
	VANDPD    Y13, Y4, Y4; \
	VXORPD    Y4, Y6, Y6; \
	VMOVUPD   (R10), Y7; \
	VMULPD    Y7, Y6, Y6; \
	VMOVUPD   Y6, (DI); \
	VMULPD    Y1, Y7, Y7; \
	VMULPD    Y2, Y7, Y7; \
	VMOVUPD   Y7, (SI); \
	VANDPD    Y12, Y3, Y3; \
	VMOVUPD   (DX), Y8; \
	VADDPD    Y3, Y8, Y3; \
	VBLENDVPD Y5, Y3, Y8, Y8; \
	VMOVUPD   Y8, (DX); \
	ADDQ      $32, DI; \
	ADDQ      $32, SI; \
	ADDQ      $32, DX; \
	ADDQ      $32, R8; \
	ADDQ      $32, R9; \
	ADDQ      $32, R10; \
	ADDQ      $32, R11; \
	SUBQ      $4, CX; \
	JNE       loop; \
done:

// The loop of Subtract, for a multiple of four cells: for i := range h { h[i] -= other[i] }
//   DI h, SI other, CX cells left
#define SUBTRACT \
	TESTQ CX, CX; \
	JEQ   done; \
loop: \
	VMOVDQU 0(DI), Y0; \
	VMOVDQU 32(DI), Y1; \
	VPSUBQ  0(SI), Y0, Y0; \
	VPSUBQ  32(SI), Y1, Y1; \
	VMOVDQU Y0, 0(DI); \
	VMOVDQU Y1, 32(DI); \
	ADDQ    $64, DI; \
	ADDQ    $64, SI; \
	SUBQ    $4, CX; \
	JNE     loop; \
done:

// The fields of Scan.
#define WHOLEG   0(AX)
#define WHOLEC   32(AX)
#define LAMBDA   64(AX)
#define LEAST    96(AX)
#define NONE     128(AX)
#define ROWMASK  160(AX)
#define LOWROWS  192(AX)
#define HIGHROWS 224(AX)
#define SHIFT    256(AX)
#define ACC      264(AX)
#define GAIN     280(AX)
#define BIN      312(AX)

// G²/(H+λ) to g, 0 where H+λ is 0; c holds H. Y6 is free.
#define PART(g, c) \
	VADDPD LAMBDA, c, c; \
	VMULPD g, g, g; \
	VDIVPD c, g, g; \
	VCMPPD $4, Y15, c, Y6; \ // is not 0
	VANDPD Y6, g, g

// The loop of Scan, for a multiple of four cells, as the generic code; sums of cells are integers below 2⁵¹ in magnitude, so that
// they become floating-point numbers as parts of those between 2⁵² and 2⁵³.
//   SI h, CX cells left, AX s; X0 sum of the cells so far; Y1 mask of splits that count, Y8 and Y5 G and H on the left, Y3 and Y2 on the
//   right; Y10 and Y11 largest gains and their bins; Y12 bins, Y13 magic, X14 shift, Y15 0
// Unroll: the four bins of a vector, of which each lane keeps the first of its largest gains.
#define SCAN \
	VMOVDQU      ACC, X0; \
	VMOVUPD      GAIN, Y10; \
	VMOVDQU      BIN, Y11; \
	VMOVDQU      numbers<>(SB), Y12; \
	VBROADCASTSD magic<>(SB), Y13; \
	VMOVQ        SHIFT, X14; \
	VPXOR        Y15, Y15, Y15; \
	TESTQ        CX, CX; \
	JEQ          done; \
loop: \
	VMOVDQU     0(SI), X1; \
	VMOVDQU     16(SI), X2; \
	VMOVDQU     32(SI), X3; \
	VMOVDQU     48(SI), X4; \
	VPADDQ      X1, X0, X5; \
	VPADDQ      X2, X5, X6; \
	VPADDQ      X3, X6, X7; \
	VPADDQ      X4, X7, X0; \
	VPUNPCKLQDQ X6, X5, X8; \
	VPUNPCKLQDQ X0, X7, X9; \
	VINSERTI128 $1, X9, Y8, Y8; \
	VPUNPCKHQDQ X6, X5, X5; \
	VPUNPCKHQDQ X0, X7, X7; \
	VINSERTI128 $1, X7, Y5, Y5; \
	VPUNPCKHQDQ X2, X1, X1; \
	VPUNPCKHQDQ X4, X3, X3; \
	VINSERTI128 $1, X3, Y1, Y1; \
	VPCMPEQQ    Y15, Y1, Y1; \ // without rows
	VPAND       ROWMASK, Y5, Y2; \
	VPCMPGTQ    HIGHROWS, Y2, Y3; \
	VPOR        Y3, Y1, Y1; \
	VPCMPGTQ    LOWROWS, Y2, Y2; \
	VPANDN      Y2, Y1, Y1; \
	VPTEST      Y1, Y1; \
	JEQ         next; \
	VPSRLQ      X14, Y5, Y5; \
	VPADDQ      Y13, Y5, Y5; \
	VSUBPD      Y13, Y5, Y5; \
	VPADDQ      Y13, Y8, Y8; \
	VSUBPD      Y13, Y8, Y8; \
	VMOVUPD     WHOLEC, Y2; \
	VSUBPD      Y5, Y2, Y2; \
	VCMPPD      $1, LEAST, Y5, Y3; \
	VANDNPD     Y1, Y3, Y1; \
	VCMPPD      $1, LEAST, Y2, Y3; \
	VANDNPD     Y1, Y3, Y1; \
	VMOVUPD     WHOLEG, Y3; \
	VSUBPD      Y8, Y3, Y3; \
	PART(Y8, Y5); \
	PART(Y3, Y2); \
	VADDPD      Y3, Y8, Y8; \
	VSUBPD      NONE, Y8, Y8; \
	VCMPPD      $0x1e, Y10, Y8, Y6; \ // larger
	VANDPD      Y1, Y6, Y6; \
	VBLENDVPD   Y6, Y8, Y10, Y10; \
	VBLENDVPD   Y6, Y12, Y11, Y11; \
next: \
	VPBROADCASTQ four<>(SB), Y6; \
	VPADDQ       Y6, Y12, Y12; \
	ADDQ         $64, SI; \
	SUBQ         $4, CX; \
	JNE          loop; \
done: \
	VMOVDQU X0, ACC; \
	VMOVUPD Y10, GAIN; \
	VMOVDQU Y11, BIN
