// The values of leaves.
//	for t := 0; t < len(starts); t += step { for i := range 64 { sums[i] += value[starts[t]+leaves[64*t+i]] } }
//   step >= 1, and value has all these elements; any alignment
//   R0 sums, R1 leaves, R2 value, R3 starts, R4 their number, R5 step; R6 leaves and R7 start of a tree, R8 trees left, R9 values
//   of the tree, R14 bytes from a tree's leaves to the next one's, R15 rows left; F16-F31 the sums of sixteen rows; R10-R13,
//   F0-F3 leaves and their values
// Invariant at sixteen: R0 and R1 at the first row that is not done, R15 >= 16; at loop: R6 and R7 at the first tree that is not
// added, R8 >= 1. No tail.
// Unroll: sixteen rows, whose sums stay in registers.
#define ROW(i, leaf, v, sum) \
	MOVBU (i)(R6), leaf; \
	FMOV  (R9)(leaf<<SHIFT), v; \
	FADD  v, sum, sum

	CMP  $0, R4
	BLE  done
	LSL  $6, R5, R14
	MOVD $64, R15

sixteen:
	FMOV (0*SIZE)(R0), F16
	FMOV (1*SIZE)(R0), F17
	FMOV (2*SIZE)(R0), F18
	FMOV (3*SIZE)(R0), F19
	FMOV (4*SIZE)(R0), F20
	FMOV (5*SIZE)(R0), F21
	FMOV (6*SIZE)(R0), F22
	FMOV (7*SIZE)(R0), F23
	FMOV (8*SIZE)(R0), F24
	FMOV (9*SIZE)(R0), F25
	FMOV (10*SIZE)(R0), F26
	FMOV (11*SIZE)(R0), F27
	FMOV (12*SIZE)(R0), F28
	FMOV (13*SIZE)(R0), F29
	FMOV (14*SIZE)(R0), F30
	FMOV (15*SIZE)(R0), F31
	MOVD R1, R6
	MOVD R3, R7
	MOVD R4, R8

loop:
	MOVWU (R7), R9
	ADD  R9<<SHIFT, R2, R9
	ROW(0, R10, F0, F16)
	ROW(1, R11, F1, F17)
	ROW(2, R12, F2, F18)
	ROW(3, R13, F3, F19)
	ROW(4, R10, F0, F20)
	ROW(5, R11, F1, F21)
	ROW(6, R12, F2, F22)
	ROW(7, R13, F3, F23)
	ROW(8, R10, F0, F24)
	ROW(9, R11, F1, F25)
	ROW(10, R12, F2, F26)
	ROW(11, R13, F3, F27)
	ROW(12, R10, F0, F28)
	ROW(13, R11, F1, F29)
	ROW(14, R12, F2, F30)
	ROW(15, R13, F3, F31)
	ADD  R14, R6, R6
	ADD  R5<<2, R7, R7
	SUBS R5, R8, R8
	BGT  loop
	FMOV F16, (0*SIZE)(R0)
	FMOV F17, (1*SIZE)(R0)
	FMOV F18, (2*SIZE)(R0)
	FMOV F19, (3*SIZE)(R0)
	FMOV F20, (4*SIZE)(R0)
	FMOV F21, (5*SIZE)(R0)
	FMOV F22, (6*SIZE)(R0)
	FMOV F23, (7*SIZE)(R0)
	FMOV F24, (8*SIZE)(R0)
	FMOV F25, (9*SIZE)(R0)
	FMOV F26, (10*SIZE)(R0)
	FMOV F27, (11*SIZE)(R0)
	FMOV F28, (12*SIZE)(R0)
	FMOV F29, (13*SIZE)(R0)
	FMOV F30, (14*SIZE)(R0)
	FMOV F31, (15*SIZE)(R0)
	ADD  $(16*SIZE), R0, R0
	ADD  $16, R1, R1
	SUBS $16, R15, R15
	BNE  sixteen

done:
#undef ROW
