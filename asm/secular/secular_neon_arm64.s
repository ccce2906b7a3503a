//go:build !noasm

#include "textflag.h"
#include "neon_arm64.h"

// func quadsNEON(d, z2 []float64, base, tau float64) (f, df float64)
//
//	for i { x := (d[i] − base) − tau; f += z2[i]/x; df += z2[i]/x² }
//
// len(z2) == len(d), a positive multiple of 4.
//   R0 d, R1 z2, R2 elements left; V0 base, V1 tau, V31 ones; V2, V4 f, V3, V5 df; V6-V9 scratch
// Invariant at loop: pointers at the first unprocessed element. Two vectors a turn; the divider is the bound.
TEXT ·quadsNEON(SB), NOSPLIT, $0-80
	MOVD d_base+0(FP), R0
	MOVD d_len+8(FP), R2
	MOVD z2_base+24(FP), R1
	MOVD base+48(FP), R3
	VDUP R3, V0.D2
	MOVD tau+56(FP), R3
	VDUP R3, V1.D2
	MOVD $0x3ff0000000000000, R3 // 1
	VDUP R3, V31.D2
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
loop:
	VLD1.P 32(R0), [V6.D2, V7.D2]
	VLD1.P 32(R1), [V8.D2, V9.D2]
	VFSUB_D2(0, 6, 6)
	VFSUB_D2(0, 7, 7)
	VFSUB_D2(1, 6, 6)             // x = (d − base) − tau
	VFSUB_D2(1, 7, 7)
	VFDIV_D2(6, 31, 6)            // 1/x
	VFDIV_D2(7, 31, 7)
	VFMUL_D2(6, 8, 8)             // q = z2/x
	VFMUL_D2(7, 9, 9)
	VFADD_D2(8, 2, 2)             // f += q
	VFADD_D2(9, 4, 4)
	VFMLA V6.D2, V8.D2, V3.D2     // df += q/x
	VFMLA V7.D2, V9.D2, V5.D2
	SUBS $4, R2, R2
	BNE  loop
	VFADD_D2(4, 2, 2)
	VFADD_D2(5, 3, 3)
	VFADDP_D2(3, 2, 2)            // f, df
	MOVD $f+64(FP), R3
	VST1 [V2.D2], (R3)
	RET

// func octetsNEON(base, tau, d []float64, p float64) float64
//
//	v := 1; for j { v *= ((base[j] − p) + tau[j]) / (d[j] − p or, if 0, 1) }
//
// All of one length, a positive multiple of 4.
//   R0 base, R1 tau, R2 d, R3 elements left; V0 p, V30 zeros, V31 ones; V1 v; V2-V9 scratch
// Invariant at loop: pointers at the first unprocessed element.
// Two vectors a turn share a division.
TEXT ·octetsNEON(SB), NOSPLIT, $0-88
	MOVD base_base+0(FP), R0
	MOVD tau_base+24(FP), R1
	MOVD d_base+48(FP), R2
	MOVD d_len+56(FP), R3
	MOVD p+72(FP), R4
	VDUP R4, V0.D2
	MOVD $0x3ff0000000000000, R4 // 1
	VDUP R4, V31.D2
	VEOR V30.B16, V30.B16, V30.B16
	VORR V31.B16, V31.B16, V1.B16
loop:
	VLD1.P 32(R0), [V2.D2, V3.D2]
	VLD1.P 32(R1), [V4.D2, V5.D2]
	VLD1.P 32(R2), [V6.D2, V7.D2]
	VFSUB_D2(0, 2, 2)
	VFSUB_D2(0, 3, 3)
	VFADD_D2(4, 2, 2)             // (base − p) + tau
	VFADD_D2(5, 3, 3)
	VFSUB_D2(0, 6, 6)             // d − p
	VFSUB_D2(0, 7, 7)
	VFCMEQ_D2(30, 6, 8)
	VFCMEQ_D2(30, 7, 9)
	VBIT V8.B16, V31.B16, V6.B16  // or 1
	VBIT V9.B16, V31.B16, V7.B16
	VFMUL_D2(3, 2, 2)
	VFMUL_D2(7, 6, 6)
	VFDIV_D2(6, 2, 2)
	VFMUL_D2(2, 1, 1)
	SUBS $4, R3, R3
	BNE  loop
	VMOV V1.D[1], R4
	FMOVD R4, F2
	FMULD F2, F1, F1
	FMOVD F1, ret+80(FP)
	RET

// func rows4NEON(dst, base, tau, scale []float64, p, w float64)
//
//	for j { dst[j] = w * scale[j] / ((base[j] − p) + tau[j]) }
//
// All of one length, a positive multiple of 2.
//   R0 dst, R1 base, R2 tau, R3 scale, R4 elements left; V0 p, V1 w; V2-V4 scratch
// Invariant at loop: pointers at the first unprocessed element. No unroll: the divider is the bound.
TEXT ·rows4NEON(SB), NOSPLIT, $0-112
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R4
	MOVD base_base+24(FP), R1
	MOVD tau_base+48(FP), R2
	MOVD scale_base+72(FP), R3
	MOVD p+96(FP), R5
	VDUP R5, V0.D2
	MOVD w+104(FP), R5
	VDUP R5, V1.D2
loop:
	VLD1.P 16(R1), [V2.D2]
	VLD1.P 16(R2), [V3.D2]
	VLD1.P 16(R3), [V4.D2]
	VFSUB_D2(0, 2, 2)
	VFADD_D2(3, 2, 2)             // (base − p) + tau
	VFMUL_D2(1, 4, 4)
	VFDIV_D2(2, 4, 4)
	VST1.P [V4.D2], 16(R0)
	SUBS $2, R4, R4
	BNE  loop
	RET
