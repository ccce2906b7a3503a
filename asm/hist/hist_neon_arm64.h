// What the routines do; their entries are in the table of asm/gen. Nothing reads or writes past the last element. Source: see doc.go.

// R0 rows, R1 words of all rows, R2 rows left, R3 row, V0 its word, R4 bin and its cell; R5-R8 histograms, R9-R12 codes.
#define ADDARGS \
	MOVD h+0(FP), R13; \
	MOVD code+8(FP), R14; \
	MOVD rows_base+16(FP), R0; \
	MOVD rows_len+24(FP), R2; \
	MOVD v_base+40(FP), R1

// Column number of the arrays of slices: its histogram and its codes.
#define COLUMN(number, h, c) \
	MOVD (24*number)(R13), h; \
	MOVD (24*number)(R14), c

#define COLUMN1 COLUMN(0, R5, R9)
#define COLUMN2 \
	COLUMN1; \
	COLUMN(1, R6, R10)
#define COLUMN3 \
	COLUMN2; \
	COLUMN(2, R7, R11)
#define COLUMN4 \
	COLUMN3; \
	COLUMN(3, R8, R12)

#define STEP(h, c) \
	MOVBU (c)(R3), R4; \
	ADD   R4<<4, h, R4; \
	VLD1  (R4), [V1.D2]; \
	VADD  V0.D2, V1.D2, V1.D2; \
	VST1  [V1.D2], (R4)

#define STEPS1 STEP(R5, R9)
#define STEPS2 \
	STEPS1; \
	STEP(R6, R10)
#define STEPS3 \
	STEPS2; \
	STEP(R7, R11)
#define STEPS4 \
	STEPS3; \
	STEP(R8, R12)

// The loop of Add:
//	for _, i := range rows { for c := range k { h[c][code[c][i]] += v[i] } }
//   every number of rows below the length of each code and of v, every code below the length of its histogram; any alignment
// Invariant at loop: R0 is at the first row not done, of which R2 are left. No tail: one row at a time.
// Unroll: the columns of a row are independent.
#define ADDLOOP(steps) \
	CBZ R2, done; \
loop: \
	MOVW.P 4(R0), R3; \
	ADD    R3<<4, R1, R4; \
	VLD1   (R4), [V0.D2]; \
	steps; \
	SUBS $1, R2; \
	BNE  loop; \
done:

// The loop of AddLists:
//	for _, i := range rows { for _, b := range bin[start[i]:start[i+1]] { h[b] += v[i] } }
//   every number of rows below len(start)-1 and len(v), every bin below len(h); any alignment
//   R0 rows, R1 words of all rows, R2 rows left, R3 row, R5 h, R6 bin, R7 start, R8 the next of its list, R9 those left,
//   R4 bin and its cell, V0 word
// Invariant at row: R0 is at the first row not done, of which R2 are left; at list: R9 > 0.
// Unroll: none, as the bins of a list are different and so independent. No tail.
#define ADDLISTS \
	CBZ R2, done; \
row: \
	MOVW.P 4(R0), R3; \
	ADD    R3<<4, R1, R4; \
	VLD1   (R4), [V0.D2]; \
	ADD    R3<<3, R7, R10; \
	LDP    (R10), (R8, R9); \
	SUBS   R8, R9; \
	BLE    next; \
	ADD    R8<<2, R6, R8; \
list: \
	MOVWU.P 4(R8), R4; \
	ADD     R4<<4, R5, R4; \
	VLD1    (R4), [V1.D2]; \
	VADD    V0.D2, V1.D2, V1.D2; \
	VST1    [V1.D2], (R4); \
	SUBS    $1, R9; \
	BNE     list; \
next: \
	SUBS $1, R2; \
	BNE  row; \
done:

// The loop of Divide:
//	for _, i := range rows { left[l], right[r] = i, i; if code[i] <= most { l++ } else { r++ } }
//   left and right at least as long as rows, which either may begin where rows begins or before; every number of rows below len(code)
//   R0 left, R1 right, R2 rows, R3 those not done, R4 codes, R5 most, R6 row, R7 its code, R8 1 if it goes right, R9 where left began
// Invariant at loop: R2 is at the first of R3 rows not done, R0 and R1 are behind the rows copied. No branch depends on the codes.
#define DIVIDE \
	MOVD R0, R9; \
	CBZ  R3, done; \
loop: \
	MOVW.P 4(R2), R6; \
	MOVBU  (R4)(R6), R7; \
	MOVW   R6, (R0); \
	MOVW   R6, (R1); \
	CMP    R5, R7; \
	CSET   HI, R8; \
	ADD    R8<<2, R1, R1; \
	EOR    $1, R8, R8; \
	ADD    R8<<2, R0, R0; \
	SUBS   $1, R3; \
	BNE    loop; \
done: \
	SUB R9, R0, R9; \
	LSR $2, R9, R9

// A constant in both lanes; R9 is free.
#define BOTH(bits, v) \
	MOVD bits, R9; \
	VDUP R9, v.D2

#define MAGIC $0x4338000000000000 // 0x1.8p52

// The larger ones of signed integers in x and in most, which has this number; V30 is free.
#define MOST(x, number, most, mostNumber) \
	VCMGT_D2(mostNumber, number, 30); \
	VBIT V30.B16, x.B16, most.B16

// Two rows of Words, of which the sums and, with their numbers, the largest magnitudes are given; V22-V25 are free.
#define WORDPAIR(sumG, sumC, mostG, mostC, g, c) \
	VLD1.P 16(R1), [V22.D2]; \
	VLD1.P 16(R2), [V23.D2]; \
	VAND   V21.B16, V22.B16, V24.B16; \
	VAND   V21.B16, V23.B16, V25.B16; \
	MOST(V24, 24, mostG, g); \
	MOST(V25, 25, mostC, c); \
	VFMUL_D2(16, 22, 22); \
	VFMUL_D2(17, 23, 23); \
	VFADD_D2(18, 22, 22); \
	VFADD_D2(18, 23, 23); \
	VSUB   V18.D2, V22.D2, V22.D2; \
	VSUB   V18.D2, V23.D2, V23.D2; \
	VSSHL_D2(20, 23, 23); \
	VORR   V19.B16, V23.B16, V23.B16; \
	VADD   V22.D2, sumG.D2, sumG.D2; \
	VADD   V23.D2, sumC.D2, sumC.D2; \
	VST2.P [V22.D2, V23.D2], 32(R0)

// The loop of Words, for a multiple of four rows:
//	for i := range dst { dst[i] = {integer(g[i]·u.G), integer(c[i]·u.C)<<u.Count | 1}; and t }
// where an integer is what the sum with magic has beside the bits of magic.
//   R0 dst, R1 g, R2 c, R3 rows left, R4 u, R5 t; V0-V3 sums of both integers, V4-V7 largest bits of the magnitudes of g and c;
//   V16 u.G, V17 u.C, V18 magic, V19 1, V20 u.Count, V21 mask of magnitudes
// Unroll: the four lanes of t.
#define WORDS \
	BOTH(0(R4), V16); \
	BOTH(8(R4), V17); \
	BOTH(MAGIC, V18); \
	BOTH($1, V19); \
	BOTH(16(R4), V20); \
	BOTH($0x7fffffffffffffff, V21); \
	MOVD   R5, R6; \
	VLD1.P 64(R6), [V0.D2, V1.D2, V2.D2, V3.D2]; \
	VLD1   (R6), [V4.D2, V5.D2, V6.D2, V7.D2]; \
	CBZ    R3, done; \
loop: \
	WORDPAIR(V0, V2, V4, V6, 4, 6); \
	WORDPAIR(V1, V3, V5, V7, 5, 7); \
	SUBS $4, R3; \
	BNE  loop; \
done: \
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R5); \
	VST1   [V4.D2, V5.D2, V6.D2, V7.D2], (R5)

// Two rows of Logistic; V0-V8 are free.
#define LOGISTICPAIR \
	VLD1.P 16(R4), [V0.D2]; \
	VFADD_D2(0, 16, 1); \
	VFDIV_D2(1, 16, 1); \ // p
	VFMUL_D2(1, 0, 2); \ // q
	VLD1.P 16(R3), [V3.D2]; \
	VLD1.P 16(R6), [V4.D2]; \
	VCMEQ  V17.D2, V4.D2, V4.D2; \ // class is 1
	VFCMGT_D2(19, 3, 5); \ // score > 0
	VEOR   V4.B16, V5.B16, V5.B16; \ // they differ
	VLD1.P 16(R5), [V7.D2]; \
	VFMUL_D2(1, 7, 8); \
	VFMUL_D2(2, 8, 8); \
	VST1.P [V8.D2], 16(R1); \
	VBIT   V5.B16, V1.B16, V2.B16; \
	VAND   V18.B16, V4.B16, V4.B16; \
	VEOR   V4.B16, V2.B16, V2.B16; \
	VFMUL_D2(2, 7, 2); \
	VST1.P [V2.D2], 16(R0); \
	VFABS_D2(3, 3); \
	VLD1   (R2), [V8.D2]; \
	VFADD_D2(3, 8, 3); \
	VBIT   V5.B16, V3.B16, V8.B16; \
	VST1.P [V8.D2], 16(R2)

// The loop of Logistic, for a multiple of four rows; value holds log(1+odds):
//	p := 1/(1+odds); q := odds·p; g = w·(q where score > 0 agrees with class == 1, else p), negative where class == 1;
//	c = w·p·q; value += |score| where they do not agree
//   R0 g, R1 c, R2 value, R3 score, R4 odds, R5 w, R6 class, R7 rows left; V16 1, V17 integer 1, V18 sign, V19 0
// Unroll: two pairs, whose divisions are independent.
#define LOGISTIC \
	BOTH($0x3ff0000000000000, V16); \
	BOTH($1, V17); \
	BOTH($0x8000000000000000, V18); \
	VEOR V19.B16, V19.B16, V19.B16; \
	CBZ  R7, done; \
loop: \
	LOGISTICPAIR; \
	LOGISTICPAIR; \
	SUBS $4, R7; \
	BNE  loop; \
done:

// The loop of Subtract, for a multiple of four cells: for i := range h { h[i] -= other[i] }
//   R0 h, R1 other, R2 cells left
#define SUBTRACT \
	CBZ R2, done; \
loop: \
	VLD1   (R0), [V0.D2, V1.D2, V2.D2, V3.D2]; \
	VLD1.P 64(R1), [V4.D2, V5.D2, V6.D2, V7.D2]; \
	VSUB   V4.D2, V0.D2, V0.D2; \
	VSUB   V5.D2, V1.D2, V1.D2; \
	VSUB   V6.D2, V2.D2, V2.D2; \
	VSUB   V7.D2, V3.D2, V3.D2; \
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R0); \
	SUBS   $4, R2; \
	BNE    loop; \
done:

// G²/(H+λ) to vector, whose number is g, 0 where H+λ is 0; vector number c holds H. V12 is free.
#define PART(vector, g, c) \
	VFADD_D2(18, c, c); \
	VFMUL_D2(g, g, g); \
	VFDIV_D2(c, g, g); \
	VFCMEQ_D2(27, c, 12); \
	VBIT V12.B16, V27.B16, vector.B16

// A field of Scan whose lanes are the same, R3 bytes behind the last one.
#define FIELD(v) \
	VLD1.P (R3)(R4), [v.D2]

// Two bins of Scan, of which the largest gains, with their number, their bins and the numbers of the bins in hand are given: G and H
// on the left to V3 and V4, on the right to V8 and V9, mask of splits that count to V7; V1-V12 are free.
#define SCANPAIR(gain, gainNumber, bin, number, next) \
	VLD1.P 32(R0), [V1.D2, V2.D2]; \
	VADD   V1.D2, V0.D2, V5.D2; \
	VADD   V2.D2, V5.D2, V0.D2; \
	VZIP1  V0.D2, V5.D2, V3.D2; \
	VZIP2  V0.D2, V5.D2, V4.D2; \
	VZIP2  V2.D2, V1.D2, V5.D2; \
	VAND   V21.B16, V4.B16, V6.B16; \
	VCMGT_D2(22, 6, 7); \
	VCMGT_D2(23, 6, 6); \
	VBIT   V6.B16, V27.B16, V7.B16; \
	VCMEQ  V27.D2, V5.D2, V5.D2; \ // without rows
	VBIT   V5.B16, V27.B16, V7.B16; \
	VMOV   V7.D[0], R5; \
	VMOV   V7.D[1], R6; \
	ORR    R5, R6, R5; \
	CBZ    R5, next; \
	VSSHL_D2(24, 4, 4); \
	VAND   V25.B16, V4.B16, V4.B16; \
	VADD   V26.D2, V4.D2, V4.D2; \
	VFSUB_D2(26, 4, 4); \
	VADD   V26.D2, V3.D2, V3.D2; \
	VFSUB_D2(26, 3, 3); \
	VFSUB_D2(4, 17, 9); \
	VFSUB_D2(3, 16, 8); \
	VFCMGT_D2(4, 19, 5); \
	VBIT   V5.B16, V27.B16, V7.B16; \
	VFCMGT_D2(9, 19, 5); \
	VBIT   V5.B16, V27.B16, V7.B16; \
	PART(V3, 3, 4); \
	PART(V8, 8, 9); \
	VFADD_D2(8, 3, 3); \
	VFSUB_D2(20, 3, 3); \
	VFCMGT_D2(gainNumber, 3, 5); \ // larger
	VAND   V7.B16, V5.B16, V5.B16; \
	VBIT   V5.B16, V3.B16, gain.B16; \
	VBIT   V5.B16, number.B16, bin.B16; \
next: \
	VADD V13.D2, number.D2, number.D2

// The loop of Scan, for a multiple of four cells, as the generic code; sums of cells are integers below 2⁵¹ in magnitude, so that
// they become floating-point numbers as parts of those between 2⁵² and 2⁵³. The lanes of most fields are the same: two are loaded.
//   R0 h, R1 cells left, R2 s; V0 sum of the cells so far, V13 4, V14, V15 bins; V16-V23 fields up to the most rows, V24 minus the shift, V25
//   mask of what it leaves, V26 magic, V27 0, V28, V29 largest gains, V30, V31 their bins
// Unroll: the four lanes of the result, of which each keeps the first of its largest gains. A pair that has no split saves its divisions.
#define SCAN \
	MOVD R2, R3; \
	MOVD $32, R4; \
	FIELD(V16); \
	FIELD(V17); \
	FIELD(V18); \
	FIELD(V19); \
	FIELD(V20); \
	FIELD(V21); \
	FIELD(V22); \
	FIELD(V23); \
	MOVD (R3), R5; \
	NEG  R5, R6; \
	VDUP R6, V24.D2; \
	MOVD $-1, R6; \
	LSR  R5, R6, R6; \
	VDUP R6, V25.D2; \
	BOTH(MAGIC, V26); \
	VEOR V27.B16, V27.B16, V27.B16; \
	ADD  $8, R3; \
	VLD1.P 16(R3), [V0.D2]; \
	VLD1   (R3), [V28.D2, V29.D2, V30.D2, V31.D2]; \
	BOTH($4, V13); \
	VEOR V14.B16, V14.B16, V14.B16; \
	MOVD $1, R9; \
	VMOV R9, V14.D[1]; \
	BOTH($2, V15); \
	VADD V14.D2, V15.D2, V15.D2; \
	CBZ  R1, done; \
loop: \
	SCANPAIR(V28, 28, V30, V14, second); \
	SCANPAIR(V29, 29, V31, V15, last); \
	SUBS $4, R1; \
	BNE  loop; \
done: \
	SUB    $16, R3; \
	VST1.P [V0.D2], 16(R3); \
	VST1   [V28.D2, V29.D2, V30.D2, V31.D2], (R3)
