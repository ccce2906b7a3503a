//   for p < k: copy(dst[p*w:p*w+w], x[p*ps:])      in bytes; w > 0 a multiple of 16
//
// R0 k left, R1 row of x, R2 ps, R3 dst, R4 w, R5 x in the row, R6 bytes left of it.
// Invariant at row: R1 points at row p of x, R3 at row p of dst, R0 = k-p > 0.
// 64 bytes a time, the last ones by sixteens; nothing is read past the row.
row:
	MOVD R1, R5
	MOVD R4, R6

wide:
	SUBS $64, R6, R6
	BLT  last
	VLD1.P 64(R5), [V0.B16, V1.B16, V2.B16, V3.B16]
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R3)
	B    wide

last:
	ADDS $64, R6, R6
	BEQ  next

sixteen:
	VLD1.P 16(R5), [V0.B16]
	VST1.P [V0.B16], 16(R3)
	SUBS $16, R6, R6
	BNE  sixteen

next:
	ADD  R2, R1, R1
	SUBS $1, R0, R0
	BNE  row
