// for i := range y { y[i] += alpha * x[i] }
//   len(x) == len(y); no overlap; any alignment
//   in: R0 y, R1 x, R2 elements left, F0 alpha; V0 alpha in every lane, V4-V7 x, V16-V19 y
// Invariant at loop: R0, R1 at the first element not done. Tail: single elements, fused as in the loop.
	VDUP V0.E[0], V0.T

loop:
	CMP  $(64/SIZE), R2
	BLT  tail
	VLD1.P 64(R1), [V4.T, V5.T, V6.T, V7.T]
	VLD1 (R0), [V16.T, V17.T, V18.T, V19.T]
	VFMLA V4.T, V0.T, V16.T
	VFMLA V5.T, V0.T, V17.T
	VFMLA V6.T, V0.T, V18.T
	VFMLA V7.T, V0.T, V19.T
	VST1.P [V16.T, V17.T, V18.T, V19.T], 64(R0)
	SUB  $(64/SIZE), R2
	B    loop

tail:
	CBZ  R2, done
	FMOV.P SIZE(R1), F4
	FMOV (R0), F5
	FMADD F4, F5, F0, F5
	FMOV.P F5, SIZE(R0)
	SUB  $1, R2
	B    tail

done:
