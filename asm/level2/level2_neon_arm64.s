//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// func dot64NEON(x, y []float64) float64
//	s := 0; for i := range x { s += x[i] * y[i] }
//   len(x) == len(y); any alignment
//   R0 x, R1 y, R2 elements left; V0-V3 sums, V4-V7 x, V16-V19 y
// Invariant at loop: R0, R1 at the first element not done. Unroll 4 vectors: latency 4 of the fused product.
// Tail: single elements into lane 0 of the first sum.
TEXT ·dot64NEON(SB), NOSPLIT, $0-56
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	MOVD y_base+24(FP), R1
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16

loop:
	CMP  $8, R2
	BLT  sum
	VLD1.P 64(R0), [V4.D2, V5.D2, V6.D2, V7.D2]
	VLD1.P 64(R1), [V16.D2, V17.D2, V18.D2, V19.D2]
	VFMLA V4.D2, V16.D2, V0.D2
	VFMLA V5.D2, V17.D2, V1.D2
	VFMLA V6.D2, V18.D2, V2.D2
	VFMLA V7.D2, V19.D2, V3.D2
	SUB  $8, R2
	B    loop

sum:
	VFADD_D2(1, 0, 0)
	VFADD_D2(3, 2, 2)
	VFADD_D2(2, 0, 0)
	VFADDP_D2(0, 0, 0)

tail:
	CBZ  R2, done
	FMOVD.P 8(R0), F4
	FMOVD.P 8(R1), F5
	FMADDD F4, F0, F5, F0
	SUB  $1, R2
	B    tail

done:
	FMOVD F0, ret+48(FP)
	RET

// func scale64NEON(x []float64, alpha float64)
//	for i := range x { x[i] *= alpha }
//   any alignment; R0 x, R2 elements left; V0 alpha, V4-V7 x
// Invariant at loop: R0 at the first element not done. Tail: single elements.
TEXT ·scale64NEON(SB), NOSPLIT, $0-32
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	FMOVD alpha+24(FP), F0
	VDUP V0.D[0], V0.D2

loop:
	CMP  $8, R2
	BLT  tail
	VLD1 (R0), [V4.D2, V5.D2, V6.D2, V7.D2]
	VFMUL_D2(0, 4, 4)
	VFMUL_D2(0, 5, 5)
	VFMUL_D2(0, 6, 6)
	VFMUL_D2(0, 7, 7)
	VST1.P [V4.D2, V5.D2, V6.D2, V7.D2], 64(R0)
	SUB  $8, R2
	B    loop

tail:
	CBZ  R2, done
	FMOVD (R0), F4
	FMULD F0, F4, F4
	FMOVD.P F4, 8(R0)
	SUB  $1, R2
	B    tail

done:
	RET

// func axpy64NEON(y, x []float64, alpha float64)
//	for i := range y { y[i] += alpha * x[i] }
//   len(x) == len(y); no overlap; any alignment; R0 y, R1 x, R2 elements left; V0 alpha, V4-V7 x, V16-V19 y
// Invariant at loop: R0, R1 at the first element not done. Tail: single elements, fused as in the loop.
TEXT ·axpy64NEON(SB), NOSPLIT, $0-56
	MOVD y_base+0(FP), R0
	MOVD y_len+8(FP), R2
	MOVD x_base+24(FP), R1
	FMOVD alpha+48(FP), F0
	VDUP V0.D[0], V0.D2

loop:
	CMP  $8, R2
	BLT  tail
	VLD1.P 64(R1), [V4.D2, V5.D2, V6.D2, V7.D2]
	VLD1 (R0), [V16.D2, V17.D2, V18.D2, V19.D2]
	VFMLA V4.D2, V0.D2, V16.D2
	VFMLA V5.D2, V0.D2, V17.D2
	VFMLA V6.D2, V0.D2, V18.D2
	VFMLA V7.D2, V0.D2, V19.D2
	VST1.P [V16.D2, V17.D2, V18.D2, V19.D2], 64(R0)
	SUB  $8, R2
	B    loop

tail:
	CBZ  R2, done
	FMOVD.P 8(R1), F4
	FMOVD (R0), F5
	FMADDD F4, F5, F0, F5
	FMOVD.P F5, 8(R0)
	SUB  $1, R2
	B    tail

done:
	RET

// func dot32NEON(x, y []float32) float32
// As dot64NEON.
TEXT ·dot32NEON(SB), NOSPLIT, $0-52
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	MOVD y_base+24(FP), R1
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16

loop:
	CMP  $16, R2
	BLT  sum
	VLD1.P 64(R0), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P 64(R1), [V16.S4, V17.S4, V18.S4, V19.S4]
	VFMLA V4.S4, V16.S4, V0.S4
	VFMLA V5.S4, V17.S4, V1.S4
	VFMLA V6.S4, V18.S4, V2.S4
	VFMLA V7.S4, V19.S4, V3.S4
	SUB  $16, R2
	B    loop

sum:
	VFADD_S4(1, 0, 0)
	VFADD_S4(3, 2, 2)
	VFADD_S4(2, 0, 0)
	VFADDP_S4(0, 0, 0)
	VFADDP_S4(0, 0, 0)

tail:
	CBZ  R2, done
	FMOVS.P 4(R0), F4
	FMOVS.P 4(R1), F5
	FMADDS F4, F0, F5, F0
	SUB  $1, R2
	B    tail

done:
	FMOVS F0, ret+48(FP)
	RET

// func scale32NEON(x []float32, alpha float32)
// As scale64NEON.
TEXT ·scale32NEON(SB), NOSPLIT, $0-28
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	FMOVS alpha+24(FP), F0
	VDUP V0.S[0], V0.S4

loop:
	CMP  $16, R2
	BLT  tail
	VLD1 (R0), [V4.S4, V5.S4, V6.S4, V7.S4]
	VFMUL_S4(0, 4, 4)
	VFMUL_S4(0, 5, 5)
	VFMUL_S4(0, 6, 6)
	VFMUL_S4(0, 7, 7)
	VST1.P [V4.S4, V5.S4, V6.S4, V7.S4], 64(R0)
	SUB  $16, R2
	B    loop

tail:
	CBZ  R2, done
	FMOVS (R0), F4
	FMULS F0, F4, F4
	FMOVS.P F4, 4(R0)
	SUB  $1, R2
	B    tail

done:
	RET

// func axpy32NEON(y, x []float32, alpha float32)
// As axpy64NEON.
TEXT ·axpy32NEON(SB), NOSPLIT, $0-52
	MOVD y_base+0(FP), R0
	MOVD y_len+8(FP), R2
	MOVD x_base+24(FP), R1
	FMOVS alpha+48(FP), F0
	VDUP V0.S[0], V0.S4

loop:
	CMP  $16, R2
	BLT  tail
	VLD1.P 64(R1), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1 (R0), [V16.S4, V17.S4, V18.S4, V19.S4]
	VFMLA V4.S4, V0.S4, V16.S4
	VFMLA V5.S4, V0.S4, V17.S4
	VFMLA V6.S4, V0.S4, V18.S4
	VFMLA V7.S4, V0.S4, V19.S4
	VST1.P [V16.S4, V17.S4, V18.S4, V19.S4], 64(R0)
	SUB  $16, R2
	B    loop

tail:
	CBZ  R2, done
	FMOVS.P 4(R1), F4
	FMOVS (R0), F5
	FMADDS F4, F5, F0, F5
	FMOVS.P F5, 4(R0)
	SUB  $1, R2
	B    tail

done:
	RET
