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
