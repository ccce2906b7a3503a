// s := 0; for i := range x { s += x[i] * y[i] }
//   len(x) == len(y); any alignment
//   in: R0 x, R1 y, R2 elements left; V0-V3 sums, V4-V7 x, V16-V19 y; out: F0 the sum
// Invariant at loop: R0, R1 at the first element not done. Unroll 4 vectors: latency 4 of the fused product.
// Tail: single elements into lane 0 of the first sum.
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16

loop:
	CMP  $(64/SIZE), R2
	BLT  sum
	VLD1.P 64(R0), [V4.T, V5.T, V6.T, V7.T]
	VLD1.P 64(R1), [V16.T, V17.T, V18.T, V19.T]
	VFMLA V4.T, V16.T, V0.T
	VFMLA V5.T, V17.T, V1.T
	VFMLA V6.T, V18.T, V2.T
	VFMLA V7.T, V19.T, V3.T
	SUB  $(64/SIZE), R2
	B    loop

sum:
	PLUS(1, 0, 0)
	PLUS(3, 2, 2)
	PLUS(2, 0, 0)
	SUM(0)

tail:
	CBZ  R2, done
	FMOV.P SIZE(R0), F4
	FMOV.P SIZE(R1), F5
	FMADD F4, F0, F5, F0
	SUB  $1, R2
	B    tail

done:
