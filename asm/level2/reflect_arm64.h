// for j := range x { s := tau * (x[j] + a*y[j] + b*z[j]); x[j] -= s; y[j] -= a*s; z[j] -= b*s }
//   len(x) == len(y) == len(z); the rows apart from each other; any alignment
//   in: R0 x, R1 y, R3 z, R2 length, then bytes left, F4 a, F5 b, F6 tau; V4-V6 them in every lane, V0-V2 x, y, z, V3 s
// Invariant at loop, tail: R0, R1, R3 at the first element not done.
// No unroll: the elements do not wait for each other. Tail: single elements in lane 0, computed as in the loop.
#define REFLECT \
	TIMES(4, 1, 3); \
	VFMLA V5.T, V2.T, V3.T; \
	PLUS(3, 0, 3); \
	TIMES(6, 3, 3); \
	MINUS(3, 0, 0); \
	VFMLS V4.T, V3.T, V1.T; \
	VFMLS V5.T, V3.T, V2.T

	LSL  $SHIFT, R2, R2
	VDUP V4.E[0], V4.T
	VDUP V5.E[0], V5.T
	VDUP V6.E[0], V6.T

loop:
	SUBS $16, R2, R2
	BLT  tail
	VLD1 (R0), [V0.T]
	VLD1 (R1), [V1.T]
	VLD1 (R3), [V2.T]
	REFLECT
	VST1.P [V0.T], 16(R0)
	VST1.P [V1.T], 16(R1)
	VST1.P [V2.T], 16(R3)
	B    loop

tail:
	ADDS $16, R2, R2
	BEQ  done

one:
	FMOV (R0), F0
	FMOV (R1), F1
	FMOV (R3), F2
	REFLECT
	FMOV.P F0, SIZE(R0)
	FMOV.P F1, SIZE(R1)
	FMOV.P F2, SIZE(R3)
	SUBS $SIZE, R2, R2
	BNE  one

done:
#undef REFLECT
