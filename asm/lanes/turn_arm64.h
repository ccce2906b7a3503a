// Rotations of n pairs in all lanes:
//
//   for i < n:  x[i*xs], y[i*ys] = c*x[i*xs] - s*y[i*ys], s*x[i*xs] + c*y[i*ys]
//
// Preconditions: 1 <= n; elements are 64 bytes apart.
//
// Registers: R2 pairs left, R0 x, R3 xs, R1 y, R4 ys, R5 c and s behind it; strides in bytes. V0-V3 c, V4-V7 s, V8-V11 -s,
// V16-V19 x, V20-V23 y, V24-V31 the new x and y. -(s*y) is (-s)*y to the bit. A pair is eight vectors that do not wait
// for each other.
	LSL  $6, R3, R3
	LSL  $6, R4, R4
	VLD1.P 64(R5), [V0.D2, V1.D2, V2.D2, V3.D2]
	VLD1 (R5), [V4.D2, V5.D2, V6.D2, V7.D2]
	VFNEG_D2(4, 8)
	VFNEG_D2(5, 9)
	VFNEG_D2(6, 10)
	VFNEG_D2(7, 11)
pair:
	VLD1 (R0), [V16.D2, V17.D2, V18.D2, V19.D2]
	VLD1 (R1), [V20.D2, V21.D2, V22.D2, V23.D2]
	VFMUL_D2(20, 8, 24)
	VFMUL_D2(21, 9, 25)
	VFMUL_D2(22, 10, 26)
	VFMUL_D2(23, 11, 27)
	VFMUL_D2(16, 4, 28)
	VFMUL_D2(17, 5, 29)
	VFMUL_D2(18, 6, 30)
	VFMUL_D2(19, 7, 31)
	VFMLA V16.D2, V0.D2, V24.D2
	VFMLA V17.D2, V1.D2, V25.D2
	VFMLA V18.D2, V2.D2, V26.D2
	VFMLA V19.D2, V3.D2, V27.D2
	VFMLA V20.D2, V0.D2, V28.D2
	VFMLA V21.D2, V1.D2, V29.D2
	VFMLA V22.D2, V2.D2, V30.D2
	VFMLA V23.D2, V3.D2, V31.D2
	VST1.P [V24.D2, V25.D2, V26.D2, V27.D2], (R0)(R3)
	VST1.P [V28.D2, V29.D2, V30.D2, V31.D2], (R1)(R4)
	SUBS $1, R2, R2
	BNE  pair
