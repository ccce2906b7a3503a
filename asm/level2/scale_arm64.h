// for i := range x { x[i] *= alpha }
//   any alignment; in: R0 x, R2 elements left, F0 alpha; V0 alpha in every lane, V4-V7 x
// Invariant at loop: R0 at the first element not done. Tail: single elements.
	VDUP V0.E[0], V0.T

loop:
	CMP  $(64/SIZE), R2
	BLT  tail
	VLD1 (R0), [V4.T, V5.T, V6.T, V7.T]
	TIMES(0, 4, 4)
	TIMES(0, 5, 5)
	TIMES(0, 6, 6)
	TIMES(0, 7, 7)
	VST1.P [V4.T, V5.T, V6.T, V7.T], 64(R0)
	SUB  $(64/SIZE), R2
	B    loop

tail:
	CBZ  R2, done
	FMOV (R0), F4
	FMUL F0, F4, F4
	FMOV.P F4, SIZE(R0)
	SUB  $1, R2
	B    tail

done:
