// Code generated from the table in internal/neon; DO NOT EDIT.

#include "textflag.h"
#include "neon_arm64.h"

// Each function loads m, n and d from p[0], p[1], p[2], runs one macro and
// stores d to p[2]; that of a pair stores m to p[1] and n to p[2].

// func exec0(p *[3]vec)
TEXT ·exec0(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFADD_S4(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec1(p *[3]vec)
TEXT ·exec1(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFADD_S4(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec2(p *[3]vec)
TEXT ·exec2(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFADD_D2(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec3(p *[3]vec)
TEXT ·exec3(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFADD_D2(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec4(p *[3]vec)
TEXT ·exec4(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFSUB_S4(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec5(p *[3]vec)
TEXT ·exec5(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFSUB_S4(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec6(p *[3]vec)
TEXT ·exec6(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFSUB_D2(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec7(p *[3]vec)
TEXT ·exec7(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFSUB_D2(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec8(p *[3]vec)
TEXT ·exec8(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMUL_S4(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec9(p *[3]vec)
TEXT ·exec9(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMUL_S4(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec10(p *[3]vec)
TEXT ·exec10(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMUL_D2(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec11(p *[3]vec)
TEXT ·exec11(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMUL_D2(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec12(p *[3]vec)
TEXT ·exec12(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFDIV_S4(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec13(p *[3]vec)
TEXT ·exec13(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFDIV_S4(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec14(p *[3]vec)
TEXT ·exec14(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFDIV_D2(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec15(p *[3]vec)
TEXT ·exec15(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFDIV_D2(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec16(p *[3]vec)
TEXT ·exec16(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMAX_S4(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec17(p *[3]vec)
TEXT ·exec17(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMAX_S4(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec18(p *[3]vec)
TEXT ·exec18(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMAX_D2(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec19(p *[3]vec)
TEXT ·exec19(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMAX_D2(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec20(p *[3]vec)
TEXT ·exec20(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMIN_S4(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec21(p *[3]vec)
TEXT ·exec21(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMIN_S4(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec22(p *[3]vec)
TEXT ·exec22(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMIN_D2(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec23(p *[3]vec)
TEXT ·exec23(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMIN_D2(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec24(p *[3]vec)
TEXT ·exec24(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFABD_S4(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec25(p *[3]vec)
TEXT ·exec25(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFABD_S4(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec26(p *[3]vec)
TEXT ·exec26(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFABD_D2(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec27(p *[3]vec)
TEXT ·exec27(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFABD_D2(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec28(p *[3]vec)
TEXT ·exec28(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFADDP_S4(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec29(p *[3]vec)
TEXT ·exec29(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFADDP_S4(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec30(p *[3]vec)
TEXT ·exec30(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFADDP_D2(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec31(p *[3]vec)
TEXT ·exec31(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFADDP_D2(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec32(p *[3]vec)
TEXT ·exec32(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFCMEQ_S4(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec33(p *[3]vec)
TEXT ·exec33(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFCMEQ_S4(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec34(p *[3]vec)
TEXT ·exec34(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFCMEQ_D2(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec35(p *[3]vec)
TEXT ·exec35(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFCMEQ_D2(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec36(p *[3]vec)
TEXT ·exec36(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFCMGE_S4(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec37(p *[3]vec)
TEXT ·exec37(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFCMGE_S4(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec38(p *[3]vec)
TEXT ·exec38(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFCMGE_D2(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec39(p *[3]vec)
TEXT ·exec39(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFCMGE_D2(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec40(p *[3]vec)
TEXT ·exec40(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFCMGT_S4(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec41(p *[3]vec)
TEXT ·exec41(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFCMGT_S4(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec42(p *[3]vec)
TEXT ·exec42(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFCMGT_D2(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec43(p *[3]vec)
TEXT ·exec43(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFCMGT_D2(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec44(p *[3]vec)
TEXT ·exec44(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFABS_S4(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec45(p *[3]vec)
TEXT ·exec45(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFABS_S4(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec46(p *[3]vec)
TEXT ·exec46(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFABS_D2(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec47(p *[3]vec)
TEXT ·exec47(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFABS_D2(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec48(p *[3]vec)
TEXT ·exec48(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFNEG_S4(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec49(p *[3]vec)
TEXT ·exec49(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFNEG_S4(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec50(p *[3]vec)
TEXT ·exec50(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFNEG_D2(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec51(p *[3]vec)
TEXT ·exec51(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFNEG_D2(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec52(p *[3]vec)
TEXT ·exec52(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFSQRT_S4(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec53(p *[3]vec)
TEXT ·exec53(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFSQRT_S4(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec54(p *[3]vec)
TEXT ·exec54(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFSQRT_D2(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec55(p *[3]vec)
TEXT ·exec55(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFSQRT_D2(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec56(p *[3]vec)
TEXT ·exec56(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFRINTN_S4(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec57(p *[3]vec)
TEXT ·exec57(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFRINTN_S4(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec58(p *[3]vec)
TEXT ·exec58(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFRINTN_D2(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec59(p *[3]vec)
TEXT ·exec59(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFRINTN_D2(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec60(p *[3]vec)
TEXT ·exec60(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFRINTM_S4(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec61(p *[3]vec)
TEXT ·exec61(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFRINTM_S4(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec62(p *[3]vec)
TEXT ·exec62(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFRINTM_D2(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec63(p *[3]vec)
TEXT ·exec63(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFRINTM_D2(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec64(p *[3]vec)
TEXT ·exec64(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFCVTNS_S4(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec65(p *[3]vec)
TEXT ·exec65(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFCVTNS_S4(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec66(p *[3]vec)
TEXT ·exec66(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFCVTNS_D2(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec67(p *[3]vec)
TEXT ·exec67(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFCVTNS_D2(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec68(p *[3]vec)
TEXT ·exec68(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFCVTZS_S4(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec69(p *[3]vec)
TEXT ·exec69(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFCVTZS_S4(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec70(p *[3]vec)
TEXT ·exec70(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFCVTZS_D2(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec71(p *[3]vec)
TEXT ·exec71(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFCVTZS_D2(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec72(p *[3]vec)
TEXT ·exec72(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSCVTF_S4(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec73(p *[3]vec)
TEXT ·exec73(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSCVTF_S4(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec74(p *[3]vec)
TEXT ·exec74(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSCVTF_D2(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec75(p *[3]vec)
TEXT ·exec75(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSCVTF_D2(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec76(p *[3]vec)
TEXT ·exec76(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMLAE_S4(0, 1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec77(p *[3]vec)
TEXT ·exec77(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMLAE_S4(0, 30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec78(p *[3]vec)
TEXT ·exec78(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMLAE_S4(1, 1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec79(p *[3]vec)
TEXT ·exec79(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMLAE_S4(1, 30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec80(p *[3]vec)
TEXT ·exec80(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMLAE_S4(2, 1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec81(p *[3]vec)
TEXT ·exec81(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMLAE_S4(2, 30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec82(p *[3]vec)
TEXT ·exec82(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMLAE_S4(3, 1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec83(p *[3]vec)
TEXT ·exec83(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMLAE_S4(3, 30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec84(p *[3]vec)
TEXT ·exec84(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMLAE_D2(0, 1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec85(p *[3]vec)
TEXT ·exec85(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMLAE_D2(0, 30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec86(p *[3]vec)
TEXT ·exec86(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMLAE_D2(1, 1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec87(p *[3]vec)
TEXT ·exec87(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMLAE_D2(1, 30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec88(p *[3]vec)
TEXT ·exec88(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMLSE_S4(0, 1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec89(p *[3]vec)
TEXT ·exec89(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMLSE_S4(0, 30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec90(p *[3]vec)
TEXT ·exec90(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMLSE_S4(1, 1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec91(p *[3]vec)
TEXT ·exec91(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMLSE_S4(1, 30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec92(p *[3]vec)
TEXT ·exec92(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMLSE_S4(2, 1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec93(p *[3]vec)
TEXT ·exec93(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMLSE_S4(2, 30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec94(p *[3]vec)
TEXT ·exec94(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMLSE_S4(3, 1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec95(p *[3]vec)
TEXT ·exec95(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMLSE_S4(3, 30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec96(p *[3]vec)
TEXT ·exec96(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMLSE_D2(0, 1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec97(p *[3]vec)
TEXT ·exec97(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMLSE_D2(0, 30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec98(p *[3]vec)
TEXT ·exec98(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMLSE_D2(1, 1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec99(p *[3]vec)
TEXT ·exec99(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMLSE_D2(1, 30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec100(p *[3]vec)
TEXT ·exec100(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMULE_S4(0, 1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec101(p *[3]vec)
TEXT ·exec101(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMULE_S4(0, 30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec102(p *[3]vec)
TEXT ·exec102(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMULE_S4(1, 1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec103(p *[3]vec)
TEXT ·exec103(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMULE_S4(1, 30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec104(p *[3]vec)
TEXT ·exec104(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMULE_S4(2, 1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec105(p *[3]vec)
TEXT ·exec105(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMULE_S4(2, 30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec106(p *[3]vec)
TEXT ·exec106(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMULE_S4(3, 1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec107(p *[3]vec)
TEXT ·exec107(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMULE_S4(3, 30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec108(p *[3]vec)
TEXT ·exec108(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMULE_D2(0, 1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec109(p *[3]vec)
TEXT ·exec109(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMULE_D2(0, 30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec110(p *[3]vec)
TEXT ·exec110(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFMULE_D2(1, 1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec111(p *[3]vec)
TEXT ·exec111(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFMULE_D2(1, 30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec112(p *[3]vec)
TEXT ·exec112(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VCMGT_S4(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec113(p *[3]vec)
TEXT ·exec113(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VCMGT_S4(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec114(p *[3]vec)
TEXT ·exec114(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VCMGT_D2(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec115(p *[3]vec)
TEXT ·exec115(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VCMGT_D2(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec116(p *[3]vec)
TEXT ·exec116(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSSHL_S4(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec117(p *[3]vec)
TEXT ·exec117(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSSHL_S4(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec118(p *[3]vec)
TEXT ·exec118(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSSHL_D2(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec119(p *[3]vec)
TEXT ·exec119(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSSHL_D2(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec120(p *[3]vec)
TEXT ·exec120(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSSHR_S4(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec121(p *[3]vec)
TEXT ·exec121(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSSHR_S4(1, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec122(p *[3]vec)
TEXT ·exec122(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSSHR_S4(13, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec123(p *[3]vec)
TEXT ·exec123(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSSHR_S4(13, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec124(p *[3]vec)
TEXT ·exec124(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSSHR_S4(31, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec125(p *[3]vec)
TEXT ·exec125(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSSHR_S4(31, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec126(p *[3]vec)
TEXT ·exec126(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSSHR_D2(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec127(p *[3]vec)
TEXT ·exec127(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSSHR_D2(1, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec128(p *[3]vec)
TEXT ·exec128(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSSHR_D2(13, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec129(p *[3]vec)
TEXT ·exec129(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSSHR_D2(13, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec130(p *[3]vec)
TEXT ·exec130(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSSHR_D2(31, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec131(p *[3]vec)
TEXT ·exec131(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSSHR_D2(31, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec132(p *[3]vec)
TEXT ·exec132(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFCVTL(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec133(p *[3]vec)
TEXT ·exec133(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFCVTL(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec134(p *[3]vec)
TEXT ·exec134(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFCVTL2(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec135(p *[3]vec)
TEXT ·exec135(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFCVTL2(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec136(p *[3]vec)
TEXT ·exec136(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFCVTN(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec137(p *[3]vec)
TEXT ·exec137(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFCVTN(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec138(p *[3]vec)
TEXT ·exec138(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VFCVTN2(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec139(p *[3]vec)
TEXT ·exec139(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VFCVTN2(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec140(p *[3]vec)
TEXT ·exec140(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VXTN_S2(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec141(p *[3]vec)
TEXT ·exec141(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VXTN_S2(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec142(p *[3]vec)
TEXT ·exec142(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSXTL_D2(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec143(p *[3]vec)
TEXT ·exec143(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSXTL_D2(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec144(p *[3]vec)
TEXT ·exec144(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSXTL_H8(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec145(p *[3]vec)
TEXT ·exec145(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSXTL_H8(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec146(p *[3]vec)
TEXT ·exec146(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSXTL2_H8(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec147(p *[3]vec)
TEXT ·exec147(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSXTL2_H8(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec148(p *[3]vec)
TEXT ·exec148(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSMLAL_S4(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec149(p *[3]vec)
TEXT ·exec149(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSMLAL_S4(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec150(p *[3]vec)
TEXT ·exec150(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSMLAL2_S4(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec151(p *[3]vec)
TEXT ·exec151(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSMLAL2_S4(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec152(p *[3]vec)
TEXT ·exec152(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSMULL_H8(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec153(p *[3]vec)
TEXT ·exec153(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSMULL_H8(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec154(p *[3]vec)
TEXT ·exec154(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSMULL2_H8(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec155(p *[3]vec)
TEXT ·exec155(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSMULL2_H8(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec156(p *[3]vec)
TEXT ·exec156(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSMLAL_H8(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec157(p *[3]vec)
TEXT ·exec157(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSMLAL_H8(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec158(p *[3]vec)
TEXT ·exec158(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSMLAL2_H8(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec159(p *[3]vec)
TEXT ·exec159(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSMLAL2_H8(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec160(p *[3]vec)
TEXT ·exec160(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VUMULL_H8(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec161(p *[3]vec)
TEXT ·exec161(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VUMULL_H8(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec162(p *[3]vec)
TEXT ·exec162(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VUMULL2_H8(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec163(p *[3]vec)
TEXT ·exec163(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VUMULL2_H8(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec164(p *[3]vec)
TEXT ·exec164(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSADALP_S4(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec165(p *[3]vec)
TEXT ·exec165(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSADALP_S4(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec166(p *[3]vec)
TEXT ·exec166(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VUADALP_S4(2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec167(p *[3]vec)
TEXT ·exec167(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VUADALP_S4(29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec168(p *[3]vec)
TEXT ·exec168(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VSABD_B16(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec169(p *[3]vec)
TEXT ·exec169(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VSABD_B16(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec170(p *[3]vec)
TEXT ·exec170(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	VUABD_B16(1, 2, 3)
	SUB  $16, R0
	VST1 [V3.B16], (R0)
	RET

// func exec171(p *[3]vec)
TEXT ·exec171(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V28.B16]
	VUABD_B16(30, 29, 28)
	SUB  $16, R0
	VST1 [V28.B16], (R0)
	RET

// func exec172(p *[3]vec)
TEXT ·exec172(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	SUB  $32, R0, R3
	VSTNP(0, 1, 2, 3)
	RET

// func exec173(p *[3]vec)
TEXT ·exec173(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V12.B16]
	SUB  $32, R0, R12
	VSTNP(0, 30, 29, 12)
	RET

// func exec174(p *[3]vec)
TEXT ·exec174(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	SUB  $368, R0, R3
	VSTNP(21, 1, 2, 3)
	RET

// func exec175(p *[3]vec)
TEXT ·exec175(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V12.B16]
	SUB  $368, R0, R12
	VSTNP(21, 30, 29, 12)
	RET

// func exec176(p *[3]vec)
TEXT ·exec176(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	SUB  $704, R0, R3
	VSTNP(42, 1, 2, 3)
	RET

// func exec177(p *[3]vec)
TEXT ·exec177(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V12.B16]
	SUB  $704, R0, R12
	VSTNP(42, 30, 29, 12)
	RET

// func exec178(p *[3]vec)
TEXT ·exec178(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V1.B16]
	VLD1.P 16(R0), [V2.B16]
	VLD1.P 16(R0), [V3.B16]
	SUB  $1040, R0, R3
	VSTNP(63, 1, 2, 3)
	RET

// func exec179(p *[3]vec)
TEXT ·exec179(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	VLD1.P 16(R0), [V30.B16]
	VLD1.P 16(R0), [V29.B16]
	VLD1.P 16(R0), [V12.B16]
	SUB  $1040, R0, R12
	VSTNP(63, 30, 29, 12)
	RET
