// The rotations that make the elements pq zero, two lanes a turn; the formulas are in angle_amd64.h.
//
// Registers: R0 pp, R1 pq, R2 qq, R3 c and s behind it; R4 bits of rotated, R5 lanes' bits, R6 turns left. V0 pp, V1 qq,
// V2 pq, V3 the mask of lanes that are not rotated, V4 tau, V5 h, V6 t, V7 s or scratch; V16 0.5, V17 1, V18 0x1p-54,
// V19 0x1p500, V20 the sign, V21 zeros, V22 rotated, V23 bits of lanes.
// Invariant at turn: the pointers are at the first lane that is not done, R6 >= 1. No tail.
	MOVD $bits<>(SB), R5
	MOVD $4, R6
	FMOVD $0.5, F16
	VDUP V16.D[0], V16.D2
	FMOVD $1.0, F17
	VDUP V17.D[0], V17.D2
	MOVD $0x3c90000000000000, R7
	VDUP R7, V18.D2
	MOVD $0x5f30000000000000, R7
	VDUP R7, V19.D2
	MOVD $0x8000000000000000, R7
	VDUP R7, V20.D2
	VEOR V21.B16, V21.B16, V21.B16
	VEOR V22.B16, V22.B16, V22.B16

turn:
	FMOVQ (R0), F0
	FMOVQ (R2), F1
	FMOVQ (R1), F2
	VLD1.P 16(R5), [V23.D2]
	VFABS_D2(0, 4)
	VFABS_D2(1, 5)
	VFMIN_D2(5, 4, 4)
	VFMUL_D2(18, 4, 4)
	VFABS_D2(2, 5)
	VFCMGE_D2(5, 4, 3)
	VFMUL_D2(16, 0, 5)
	VFMUL_D2(16, 1, 4)
	VFSUB_D2(5, 4, 4)
	VFDIV_D2(2, 4, 4)
	VFABS_D2(4, 5)
	VFMIN_D2(19, 5, 6)
	VFMUL_D2(6, 6, 6)
	VFADD_D2(17, 6, 6)
	VFSQRT_D2(6, 6)
	VFMAX_D2(5, 6, 6)
	VFADD_D2(5, 6, 6)
	VFDIV_D2(6, 17, 6)
	VBIT V20.B16, V4.B16, V6.B16  // the sign of tau
	VBIT V3.B16, V21.B16, V6.B16  // t = 0 where not rotated
	VBIT V3.B16, V21.B16, V23.B16
	VORR V23.B16, V22.B16, V22.B16
	VFMUL_D2(6, 2, 5)
	VFSUB_D2(5, 0, 0)
	VFADD_D2(5, 1, 1)
	VAND V3.B16, V2.B16, V2.B16
	VST1.P [V0.D2], 16(R0)
	VST1.P [V1.D2], 16(R2)
	VST1.P [V2.D2], 16(R1)
	VFMUL_D2(6, 6, 5)
	VFADD_D2(17, 5, 5)
	VFSQRT_D2(5, 5)
	VFDIV_D2(5, 17, 5)
	VFMUL_D2(5, 6, 7)
	FMOVQ F7, 64(R3)
	VST1.P [V5.D2], 16(R3)
	SUBS $1, R6, R6
	BNE  turn
	VADDP V22.D2, V22.D2, V22.D2
	VMOV V22.D[0], R4
