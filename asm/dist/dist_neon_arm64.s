//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// func squared64NEON(dst, x, z []float64, ld int)
//	for i := range dst { s := 0; for j := range x { s += (x[j]-z[i*ld+j])^2 }; dst[i] = s }
//   rows of z hold x: ld >= len(x), or one row; dst apart from x and z; any alignment
//   R0 dst, R1 rows left, R2 x, R3 len(x), R4 row of z, R5 ld in bytes; R6 z, R7 x, R8 elements left of the row;
//   V0, V1 sums, V2, V3 z, V4, V5 x
// Invariant at row: R0, R4 at the first row not done; at the inner loops: R6, R7 at its first element.
// Two sums hide some of the latency. Tail: single elements in lane 0, the other lanes 0.
TEXT ·squared64NEON(SB), NOSPLIT, $0-80
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R1
	MOVD x_base+24(FP), R2
	MOVD x_len+32(FP), R3
	MOVD z_base+48(FP), R4
	MOVD ld+72(FP), R5
	LSL  $3, R5, R5

row:
	CBZ  R1, done
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	MOVD R4, R6
	MOVD R2, R7
	MOVD R3, R8

loop:
	CMP  $4, R8
	BLT  tail
	VLD1.P 32(R6), [V2.D2, V3.D2]
	VLD1.P 32(R7), [V4.D2, V5.D2]
	VFSUB_D2(2, 4, 2)
	VFMLA V2.D2, V2.D2, V0.D2
	VFSUB_D2(3, 5, 3)
	VFMLA V3.D2, V3.D2, V1.D2
	SUB  $4, R8
	B    loop

tail:
	CBZ  R8, sum
	FMOVD.P 8(R6), F2
	FMOVD.P 8(R7), F4
	VFSUB_D2(2, 4, 2)
	VFMLA V2.D2, V2.D2, V0.D2
	SUB  $1, R8
	B    tail

sum:
	VFADD_D2(1, 0, 0)
	VFADDP_D2(0, 0, 0)
	FMOVD.P F0, 8(R0)
	ADD  R5, R4
	SUB  $1, R1
	B    row

done:
	RET

// func abs64NEON(dst, x, z []float64, ld int)
//	for i := range dst { s := 0; for j := range x { s += |x[j]-z[i*ld+j]| }; dst[i] = s }
//   rows of z hold x: ld >= len(x), or one row; dst apart from x and z; any alignment
//   R0 dst, R1 rows left, R2 x, R3 len(x), R4 row of z, R5 ld in bytes; R6 z, R7 x, R8 elements left of the row;
//   V0, V1 sums, V2, V3 z, V4, V5 x
// Invariant at row: R0, R4 at the first row not done; at the inner loops: R6, R7 at its first element.
// Two sums hide some of the latency. Tail: single elements in lane 0, the other lanes 0.
TEXT ·abs64NEON(SB), NOSPLIT, $0-80
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R1
	MOVD x_base+24(FP), R2
	MOVD x_len+32(FP), R3
	MOVD z_base+48(FP), R4
	MOVD ld+72(FP), R5
	LSL  $3, R5, R5

row:
	CBZ  R1, done
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	MOVD R4, R6
	MOVD R2, R7
	MOVD R3, R8

loop:
	CMP  $4, R8
	BLT  tail
	VLD1.P 32(R6), [V2.D2, V3.D2]
	VLD1.P 32(R7), [V4.D2, V5.D2]
	VFABD_D2(2, 4, 2)
	VFADD_D2(2, 0, 0)
	VFABD_D2(3, 5, 3)
	VFADD_D2(3, 1, 1)
	SUB  $4, R8
	B    loop

tail:
	CBZ  R8, sum
	FMOVD.P 8(R6), F2
	FMOVD.P 8(R7), F4
	VFABD_D2(2, 4, 2)
	VFADD_D2(2, 0, 0)
	SUB  $1, R8
	B    tail

sum:
	VFADD_D2(1, 0, 0)
	VFADDP_D2(0, 0, 0)
	FMOVD.P F0, 8(R0)
	ADD  R5, R4
	SUB  $1, R1
	B    row

done:
	RET

// func squared32NEON(dst, x, z []float32, ld int)
// As squared64NEON.
TEXT ·squared32NEON(SB), NOSPLIT, $0-80
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R1
	MOVD x_base+24(FP), R2
	MOVD x_len+32(FP), R3
	MOVD z_base+48(FP), R4
	MOVD ld+72(FP), R5
	LSL  $2, R5, R5

row:
	CBZ  R1, done
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	MOVD R4, R6
	MOVD R2, R7
	MOVD R3, R8

loop:
	CMP  $8, R8
	BLT  tail
	VLD1.P 32(R6), [V2.S4, V3.S4]
	VLD1.P 32(R7), [V4.S4, V5.S4]
	VFSUB_S4(2, 4, 2)
	VFMLA V2.S4, V2.S4, V0.S4
	VFSUB_S4(3, 5, 3)
	VFMLA V3.S4, V3.S4, V1.S4
	SUB  $8, R8
	B    loop

tail:
	CBZ  R8, sum
	FMOVS.P 4(R6), F2
	FMOVS.P 4(R7), F4
	VFSUB_S4(2, 4, 2)
	VFMLA V2.S4, V2.S4, V0.S4
	SUB  $1, R8
	B    tail

sum:
	VFADD_S4(1, 0, 0)
	VFADDP_S4(0, 0, 0)
	VFADDP_S4(0, 0, 0)
	FMOVS.P F0, 4(R0)
	ADD  R5, R4
	SUB  $1, R1
	B    row

done:
	RET

// func abs32NEON(dst, x, z []float32, ld int)
// As abs64NEON.
TEXT ·abs32NEON(SB), NOSPLIT, $0-80
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R1
	MOVD x_base+24(FP), R2
	MOVD x_len+32(FP), R3
	MOVD z_base+48(FP), R4
	MOVD ld+72(FP), R5
	LSL  $2, R5, R5

row:
	CBZ  R1, done
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	MOVD R4, R6
	MOVD R2, R7
	MOVD R3, R8

loop:
	CMP  $8, R8
	BLT  tail
	VLD1.P 32(R6), [V2.S4, V3.S4]
	VLD1.P 32(R7), [V4.S4, V5.S4]
	VFABD_S4(2, 4, 2)
	VFADD_S4(2, 0, 0)
	VFABD_S4(3, 5, 3)
	VFADD_S4(3, 1, 1)
	SUB  $8, R8
	B    loop

tail:
	CBZ  R8, sum
	FMOVS.P 4(R6), F2
	FMOVS.P 4(R7), F4
	VFABD_S4(2, 4, 2)
	VFADD_S4(2, 0, 0)
	SUB  $1, R8
	B    tail

sum:
	VFADD_S4(1, 0, 0)
	VFADDP_S4(0, 0, 0)
	VFADDP_S4(0, 0, 0)
	FMOVS.P F0, 4(R0)
	ADD  R5, R4
	SUB  $1, R1
	B    row

done:
	RET
