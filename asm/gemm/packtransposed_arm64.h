//   for p < k, i < 4: dst[p*w+i] = x[i*is+p]       k > 0 a multiple of 4
//
// R0 k left, R1, R5, R6, R7 four lines of x, R2 is, R3 dst, R4 w; strides in bytes.
// Invariant at loop: R1, R5, R6, R7 point at column p of x, R3 at row p of dst, R0 = k-p.
	LSL $SHIFT, R2, R2
	LSL $SHIFT, R4, R4
	ADD R2, R1, R5
	ADD R2, R5, R6
	ADD R2, R6, R7

loop:
	COLUMNS
	BNE loop
