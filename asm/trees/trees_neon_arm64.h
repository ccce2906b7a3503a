// Ranks, and the leaves of a single row. The loops are those of amd64.

// count = how many of the sixteen numbers from p on are less than V0, which has a number in all lanes; V1-V8 are free.
#define COUNT64(p, count) \
	VLD1.P 64(p), [V1.D2, V2.D2, V3.D2, V4.D2]; \
	VLD1   (p), [V5.D2, V6.D2, V7.D2, V8.D2]; \
	FCMGT(1, 0, 1); \
	FCMGT(2, 0, 2); \
	FCMGT(3, 0, 3); \
	FCMGT(4, 0, 4); \
	FCMGT(5, 0, 5); \
	FCMGT(6, 0, 6); \
	FCMGT(7, 0, 7); \
	FCMGT(8, 0, 8); \
	VADD   V2.D2, V1.D2, V1.D2; \
	VADD   V4.D2, V3.D2, V3.D2; \
	VADD   V6.D2, V5.D2, V5.D2; \
	VADD   V8.D2, V7.D2, V7.D2; \
	VADD   V3.D2, V1.D2, V1.D2; \
	VADD   V7.D2, V5.D2, V5.D2; \
	VADD   V5.D2, V1.D2, V1.D2; \
	VADDP  V1.D2, V1.D2, V1.D2; \
	VMOV   V1.D[0], count; \
	NEG    count, count

#define COUNT32(p, count) \
	VLD1   (p), [V1.S4, V2.S4, V3.S4, V4.S4]; \
	FCMGT(1, 0, 1); \
	FCMGT(2, 0, 2); \
	FCMGT(3, 0, 3); \
	FCMGT(4, 0, 4); \
	VADD   V2.S4, V1.S4, V1.S4; \
	VADD   V4.S4, V3.S4, V3.S4; \
	VADD   V3.S4, V1.S4, V1.S4; \
	VADDV  V1.S4, V1; \
	VMOV   V1.S[0], count; \
	NEGW   count, count

// See ranks_amd64.h.
//   R0 keys, R9 stride, R1 x, R8 bytes of step, R13 n, R10 tables, R2 column, R3 columns left; R11 number, R12 its key, R14
//   table, R4 rows left; R5, R6 counts, R7 block
// Invariant at column: R2 points at the first column not done, R3 >= 1; at row: R11 and R12 at the first row, R4 >= 1.
#define RANKLOOP \
	CBZ   R3, done; \
	LSL   $SHIFT, R8, R8; \
column: \
	MOVWU 0(R2), R11; \
	ADD   R11<<SHIFT, R1, R11; \
	MOVWU 4(R2), R12; \
	MUL   R9, R12, R12; \
	ADD   R0, R12, R12; \
	MOVWU 8(R2), R14; \
	ADD   R14<<SHIFT, R10, R14; \
	MOVD  R13, R4; \
row: \
	VLD1R (R11), [V0.T]; \
	MOVD  R14, R7; \
	COUNT(R7, R5); \
	ADD   R5<<(SHIFT+4), R14, R7; \
	ADD   $(16*SIZE), R7, R7; \
	COUNT(R7, R6); \
	ADD   R5<<4, R6, R6; \
	EOR   $0x80, R6, R6; \
	MOVB  R6, (R12); \
	ADD   R8, R11, R11; \
	ADD   $1, R12, R12; \
	SUBS  $1, R4, R4; \
	BNE   row; \
	ADD   $16, R2, R2; \
	SUBS  $1, R3, R3; \
	BNE   column; \
done:

// Where sixteen splits lead: to = low, or high where key > limit; with the highest bits turned, signed numbers have the order
// of unsigned ones, and limit >= key where the larger of both is limit. V29 is free.
#define LEAD(key, limit, low, to) \
	VEOR  V31.B16, key.B16, key.B16; \
	VEOR  V31.B16, limit.B16, limit.B16; \
	VUMAX key.B16, limit.B16, V29.B16; \
	VCMEQ limit.B16, V29.B16, V29.B16; \
	VBIT  V29.B16, low.B16, to.B16

// One step of a tree.
#define STEP(places, at) MOVBU (places)(at), at

// See trees_avx2_amd64.h.
//   R0 leaves, R1 places, R2 keys, R3 their number, R4 split, R5 trees left, R6 steps; R7 keys and R8 how many are left to look
//   at; V0, V1 numbers of keys, V2, V3 limits, V4, V5 low, V6, V7 high, V16, V17 keys, V20 16 keys, V30 16, V31 the highest
//   bit; then R1-R4, R22-R25 the places of eight trees, R10-R15, R19, R20 those that have been reached, R21 steps left, R5
//   trees left
// Invariant at tree: R1 and R4 point at the first tree that is not done, R5 >= 1; at eight: R0, R6 and the places at the first of
// R5 trees.
// Unroll: eight trees, whose loads do not wait for one another. A look-up knows 16 keys and gives 0 for numbers of others.
#define DESCEND \
	CBZ   R5, done; \
	VMOVI $0x80, V31.B16; \
	VMOVI $16, V30.B16; \
	MOVD  R1, R9; \
	MOVD  R5, R21; \
tree: \
	VLD1.P 64(R4), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	VLD1.P 64(R4), [V4.B16, V5.B16, V6.B16, V7.B16]; \
	VEOR  V16.B16, V16.B16, V16.B16; \
	VEOR  V17.B16, V17.B16, V17.B16; \
	MOVD  R2, R7; \
	MOVD  R3, R8; \
keys: \
	VLD1.P 16(R7), [V20.B16]; \
	VTBL  V0.B16, [V20.B16], V21.B16; \
	VTBL  V1.B16, [V20.B16], V22.B16; \
	VORR  V21.B16, V16.B16, V16.B16; \
	VORR  V22.B16, V17.B16, V17.B16; \
	VSUB  V30.B16, V0.B16, V0.B16; \
	VSUB  V30.B16, V1.B16, V1.B16; \
	SUBS  $16, R8, R8; \
	BGT   keys; \
	LEAD(V16, V2, V4, V6); \
	LEAD(V17, V3, V5, V7); \
	VST1  [V6.B16, V7.B16], (R1); \
	ADD   $64, R1, R1; \
	SUBS  $1, R21, R21; \
	BNE   tree; \
	MOVD  R9, R1; \
	ADD   $64, R1, R2; \
	ADD   $64, R2, R3; \
	ADD   $64, R3, R4; \
	ADD   $64, R4, R22; \
	ADD   $64, R22, R23; \
	ADD   $64, R23, R24; \
	ADD   $64, R24, R25; \
eight: \
	MOVWU.P 4(R6), R21; \
	MOVD  $0, R10; \
	MOVD  $0, R11; \
	MOVD  $0, R12; \
	MOVD  $0, R13; \
	MOVD  $0, R14; \
	MOVD  $0, R15; \
	MOVD  $0, R19; \
	MOVD  $0, R20; \
step: \
	STEP(R1, R10); \
	STEP(R2, R11); \
	STEP(R3, R12); \
	STEP(R4, R13); \
	STEP(R22, R14); \
	STEP(R23, R15); \
	STEP(R24, R19); \
	STEP(R25, R20); \
	SUBSW $1, R21, R21; \
	BNE   step; \
	MOVB  R10, 0(R0); \
	MOVB  R11, 1(R0); \
	MOVB  R12, 2(R0); \
	MOVB  R13, 3(R0); \
	MOVB  R14, 4(R0); \
	MOVB  R15, 5(R0); \
	MOVB  R19, 6(R0); \
	MOVB  R20, 7(R0); \
	ADD   $8, R0, R0; \
	ADD   $512, R1, R1; \
	ADD   $512, R2, R2; \
	ADD   $512, R3, R3; \
	ADD   $512, R4, R4; \
	ADD   $512, R22, R22; \
	ADD   $512, R23, R23; \
	ADD   $512, R24, R24; \
	ADD   $512, R25, R25; \
	SUBS  $8, R5, R5; \
	BGT   eight; \
done:
