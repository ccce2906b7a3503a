// Code generated from the table in internal/neon; DO NOT EDIT.

package neon

type vec [16]byte

// run holds, for "macro(operands)", a function that executes it on m, n, d.
var run = map[string]func(p *[3]vec){
	"VFADD_S4(1, 2, 3)":        exec0,
	"VFADD_S4(30, 29, 28)":     exec1,
	"VFADD_D2(1, 2, 3)":        exec2,
	"VFADD_D2(30, 29, 28)":     exec3,
	"VFSUB_S4(1, 2, 3)":        exec4,
	"VFSUB_S4(30, 29, 28)":     exec5,
	"VFSUB_D2(1, 2, 3)":        exec6,
	"VFSUB_D2(30, 29, 28)":     exec7,
	"VFMUL_S4(1, 2, 3)":        exec8,
	"VFMUL_S4(30, 29, 28)":     exec9,
	"VFMUL_D2(1, 2, 3)":        exec10,
	"VFMUL_D2(30, 29, 28)":     exec11,
	"VFDIV_S4(1, 2, 3)":        exec12,
	"VFDIV_S4(30, 29, 28)":     exec13,
	"VFDIV_D2(1, 2, 3)":        exec14,
	"VFDIV_D2(30, 29, 28)":     exec15,
	"VFMAX_S4(1, 2, 3)":        exec16,
	"VFMAX_S4(30, 29, 28)":     exec17,
	"VFMAX_D2(1, 2, 3)":        exec18,
	"VFMAX_D2(30, 29, 28)":     exec19,
	"VFMIN_S4(1, 2, 3)":        exec20,
	"VFMIN_S4(30, 29, 28)":     exec21,
	"VFMIN_D2(1, 2, 3)":        exec22,
	"VFMIN_D2(30, 29, 28)":     exec23,
	"VFABD_S4(1, 2, 3)":        exec24,
	"VFABD_S4(30, 29, 28)":     exec25,
	"VFABD_D2(1, 2, 3)":        exec26,
	"VFABD_D2(30, 29, 28)":     exec27,
	"VFADDP_S4(1, 2, 3)":       exec28,
	"VFADDP_S4(30, 29, 28)":    exec29,
	"VFADDP_D2(1, 2, 3)":       exec30,
	"VFADDP_D2(30, 29, 28)":    exec31,
	"VFCMEQ_S4(1, 2, 3)":       exec32,
	"VFCMEQ_S4(30, 29, 28)":    exec33,
	"VFCMEQ_D2(1, 2, 3)":       exec34,
	"VFCMEQ_D2(30, 29, 28)":    exec35,
	"VFCMGE_S4(1, 2, 3)":       exec36,
	"VFCMGE_S4(30, 29, 28)":    exec37,
	"VFCMGE_D2(1, 2, 3)":       exec38,
	"VFCMGE_D2(30, 29, 28)":    exec39,
	"VFCMGT_S4(1, 2, 3)":       exec40,
	"VFCMGT_S4(30, 29, 28)":    exec41,
	"VFCMGT_D2(1, 2, 3)":       exec42,
	"VFCMGT_D2(30, 29, 28)":    exec43,
	"VFABS_S4(2, 3)":           exec44,
	"VFABS_S4(29, 28)":         exec45,
	"VFABS_D2(2, 3)":           exec46,
	"VFABS_D2(29, 28)":         exec47,
	"VFNEG_S4(2, 3)":           exec48,
	"VFNEG_S4(29, 28)":         exec49,
	"VFNEG_D2(2, 3)":           exec50,
	"VFNEG_D2(29, 28)":         exec51,
	"VFSQRT_S4(2, 3)":          exec52,
	"VFSQRT_S4(29, 28)":        exec53,
	"VFSQRT_D2(2, 3)":          exec54,
	"VFSQRT_D2(29, 28)":        exec55,
	"VFRINTN_S4(2, 3)":         exec56,
	"VFRINTN_S4(29, 28)":       exec57,
	"VFRINTN_D2(2, 3)":         exec58,
	"VFRINTN_D2(29, 28)":       exec59,
	"VFRINTM_S4(2, 3)":         exec60,
	"VFRINTM_S4(29, 28)":       exec61,
	"VFRINTM_D2(2, 3)":         exec62,
	"VFRINTM_D2(29, 28)":       exec63,
	"VFCVTNS_S4(2, 3)":         exec64,
	"VFCVTNS_S4(29, 28)":       exec65,
	"VFCVTNS_D2(2, 3)":         exec66,
	"VFCVTNS_D2(29, 28)":       exec67,
	"VFCVTZS_S4(2, 3)":         exec68,
	"VFCVTZS_S4(29, 28)":       exec69,
	"VFCVTZS_D2(2, 3)":         exec70,
	"VFCVTZS_D2(29, 28)":       exec71,
	"VSCVTF_S4(2, 3)":          exec72,
	"VSCVTF_S4(29, 28)":        exec73,
	"VSCVTF_D2(2, 3)":          exec74,
	"VSCVTF_D2(29, 28)":        exec75,
	"VFMLAE_S4(0, 1, 2, 3)":    exec76,
	"VFMLAE_S4(0, 30, 29, 28)": exec77,
	"VFMLAE_S4(1, 1, 2, 3)":    exec78,
	"VFMLAE_S4(1, 30, 29, 28)": exec79,
	"VFMLAE_S4(2, 1, 2, 3)":    exec80,
	"VFMLAE_S4(2, 30, 29, 28)": exec81,
	"VFMLAE_S4(3, 1, 2, 3)":    exec82,
	"VFMLAE_S4(3, 30, 29, 28)": exec83,
	"VFMLAE_D2(0, 1, 2, 3)":    exec84,
	"VFMLAE_D2(0, 30, 29, 28)": exec85,
	"VFMLAE_D2(1, 1, 2, 3)":    exec86,
	"VFMLAE_D2(1, 30, 29, 28)": exec87,
	"VFMLSE_S4(0, 1, 2, 3)":    exec88,
	"VFMLSE_S4(0, 30, 29, 28)": exec89,
	"VFMLSE_S4(1, 1, 2, 3)":    exec90,
	"VFMLSE_S4(1, 30, 29, 28)": exec91,
	"VFMLSE_S4(2, 1, 2, 3)":    exec92,
	"VFMLSE_S4(2, 30, 29, 28)": exec93,
	"VFMLSE_S4(3, 1, 2, 3)":    exec94,
	"VFMLSE_S4(3, 30, 29, 28)": exec95,
	"VFMLSE_D2(0, 1, 2, 3)":    exec96,
	"VFMLSE_D2(0, 30, 29, 28)": exec97,
	"VFMLSE_D2(1, 1, 2, 3)":    exec98,
	"VFMLSE_D2(1, 30, 29, 28)": exec99,
	"VFMULE_S4(0, 1, 2, 3)":    exec100,
	"VFMULE_S4(0, 30, 29, 28)": exec101,
	"VFMULE_S4(1, 1, 2, 3)":    exec102,
	"VFMULE_S4(1, 30, 29, 28)": exec103,
	"VFMULE_S4(2, 1, 2, 3)":    exec104,
	"VFMULE_S4(2, 30, 29, 28)": exec105,
	"VFMULE_S4(3, 1, 2, 3)":    exec106,
	"VFMULE_S4(3, 30, 29, 28)": exec107,
	"VFMULE_D2(0, 1, 2, 3)":    exec108,
	"VFMULE_D2(0, 30, 29, 28)": exec109,
	"VFMULE_D2(1, 1, 2, 3)":    exec110,
	"VFMULE_D2(1, 30, 29, 28)": exec111,
	"VCMGT_S4(1, 2, 3)":        exec112,
	"VCMGT_S4(30, 29, 28)":     exec113,
	"VCMGT_D2(1, 2, 3)":        exec114,
	"VCMGT_D2(30, 29, 28)":     exec115,
	"VSSHL_S4(1, 2, 3)":        exec116,
	"VSSHL_S4(30, 29, 28)":     exec117,
	"VSSHL_D2(1, 2, 3)":        exec118,
	"VSSHL_D2(30, 29, 28)":     exec119,
	"VSSHR_S4(1, 2, 3)":        exec120,
	"VSSHR_S4(1, 29, 28)":      exec121,
	"VSSHR_S4(13, 2, 3)":       exec122,
	"VSSHR_S4(13, 29, 28)":     exec123,
	"VSSHR_S4(31, 2, 3)":       exec124,
	"VSSHR_S4(31, 29, 28)":     exec125,
	"VSSHR_D2(1, 2, 3)":        exec126,
	"VSSHR_D2(1, 29, 28)":      exec127,
	"VSSHR_D2(13, 2, 3)":       exec128,
	"VSSHR_D2(13, 29, 28)":     exec129,
	"VSSHR_D2(31, 2, 3)":       exec130,
	"VSSHR_D2(31, 29, 28)":     exec131,
	"VFCVTL(2, 3)":             exec132,
	"VFCVTL(29, 28)":           exec133,
	"VFCVTL2(2, 3)":            exec134,
	"VFCVTL2(29, 28)":          exec135,
	"VFCVTN(2, 3)":             exec136,
	"VFCVTN(29, 28)":           exec137,
	"VFCVTN2(2, 3)":            exec138,
	"VFCVTN2(29, 28)":          exec139,
	"VXTN_S2(2, 3)":            exec140,
	"VXTN_S2(29, 28)":          exec141,
	"VSXTL_D2(2, 3)":           exec142,
	"VSXTL_D2(29, 28)":         exec143,
	"VSXTL_H8(2, 3)":           exec144,
	"VSXTL_H8(29, 28)":         exec145,
	"VSXTL2_H8(2, 3)":          exec146,
	"VSXTL2_H8(29, 28)":        exec147,
	"VSMLAL_S4(1, 2, 3)":       exec148,
	"VSMLAL_S4(30, 29, 28)":    exec149,
	"VSMLAL2_S4(1, 2, 3)":      exec150,
	"VSMLAL2_S4(30, 29, 28)":   exec151,
	"VSMULL_H8(1, 2, 3)":       exec152,
	"VSMULL_H8(30, 29, 28)":    exec153,
	"VSMULL2_H8(1, 2, 3)":      exec154,
	"VSMULL2_H8(30, 29, 28)":   exec155,
	"VSMLAL_H8(1, 2, 3)":       exec156,
	"VSMLAL_H8(30, 29, 28)":    exec157,
	"VSMLAL2_H8(1, 2, 3)":      exec158,
	"VSMLAL2_H8(30, 29, 28)":   exec159,
	"VUMULL_H8(1, 2, 3)":       exec160,
	"VUMULL_H8(30, 29, 28)":    exec161,
	"VUMULL2_H8(1, 2, 3)":      exec162,
	"VUMULL2_H8(30, 29, 28)":   exec163,
	"VSADALP_S4(2, 3)":         exec164,
	"VSADALP_S4(29, 28)":       exec165,
	"VUADALP_S4(2, 3)":         exec166,
	"VUADALP_S4(29, 28)":       exec167,
	"VSABD_B16(1, 2, 3)":       exec168,
	"VSABD_B16(30, 29, 28)":    exec169,
	"VUABD_B16(1, 2, 3)":       exec170,
	"VUABD_B16(30, 29, 28)":    exec171,
	"VSTNP(0, 1, 2, 3)":        exec172,
	"VSTNP(0, 30, 29, 12)":     exec173,
	"VSTNP(21, 1, 2, 3)":       exec174,
	"VSTNP(21, 30, 29, 12)":    exec175,
	"VSTNP(42, 1, 2, 3)":       exec176,
	"VSTNP(42, 30, 29, 12)":    exec177,
	"VSTNP(63, 1, 2, 3)":       exec178,
	"VSTNP(63, 30, 29, 12)":    exec179,
}

//go:noescape
func exec0(p *[3]vec)

//go:noescape
func exec1(p *[3]vec)

//go:noescape
func exec2(p *[3]vec)

//go:noescape
func exec3(p *[3]vec)

//go:noescape
func exec4(p *[3]vec)

//go:noescape
func exec5(p *[3]vec)

//go:noescape
func exec6(p *[3]vec)

//go:noescape
func exec7(p *[3]vec)

//go:noescape
func exec8(p *[3]vec)

//go:noescape
func exec9(p *[3]vec)

//go:noescape
func exec10(p *[3]vec)

//go:noescape
func exec11(p *[3]vec)

//go:noescape
func exec12(p *[3]vec)

//go:noescape
func exec13(p *[3]vec)

//go:noescape
func exec14(p *[3]vec)

//go:noescape
func exec15(p *[3]vec)

//go:noescape
func exec16(p *[3]vec)

//go:noescape
func exec17(p *[3]vec)

//go:noescape
func exec18(p *[3]vec)

//go:noescape
func exec19(p *[3]vec)

//go:noescape
func exec20(p *[3]vec)

//go:noescape
func exec21(p *[3]vec)

//go:noescape
func exec22(p *[3]vec)

//go:noescape
func exec23(p *[3]vec)

//go:noescape
func exec24(p *[3]vec)

//go:noescape
func exec25(p *[3]vec)

//go:noescape
func exec26(p *[3]vec)

//go:noescape
func exec27(p *[3]vec)

//go:noescape
func exec28(p *[3]vec)

//go:noescape
func exec29(p *[3]vec)

//go:noescape
func exec30(p *[3]vec)

//go:noescape
func exec31(p *[3]vec)

//go:noescape
func exec32(p *[3]vec)

//go:noescape
func exec33(p *[3]vec)

//go:noescape
func exec34(p *[3]vec)

//go:noescape
func exec35(p *[3]vec)

//go:noescape
func exec36(p *[3]vec)

//go:noescape
func exec37(p *[3]vec)

//go:noescape
func exec38(p *[3]vec)

//go:noescape
func exec39(p *[3]vec)

//go:noescape
func exec40(p *[3]vec)

//go:noescape
func exec41(p *[3]vec)

//go:noescape
func exec42(p *[3]vec)

//go:noescape
func exec43(p *[3]vec)

//go:noescape
func exec44(p *[3]vec)

//go:noescape
func exec45(p *[3]vec)

//go:noescape
func exec46(p *[3]vec)

//go:noescape
func exec47(p *[3]vec)

//go:noescape
func exec48(p *[3]vec)

//go:noescape
func exec49(p *[3]vec)

//go:noescape
func exec50(p *[3]vec)

//go:noescape
func exec51(p *[3]vec)

//go:noescape
func exec52(p *[3]vec)

//go:noescape
func exec53(p *[3]vec)

//go:noescape
func exec54(p *[3]vec)

//go:noescape
func exec55(p *[3]vec)

//go:noescape
func exec56(p *[3]vec)

//go:noescape
func exec57(p *[3]vec)

//go:noescape
func exec58(p *[3]vec)

//go:noescape
func exec59(p *[3]vec)

//go:noescape
func exec60(p *[3]vec)

//go:noescape
func exec61(p *[3]vec)

//go:noescape
func exec62(p *[3]vec)

//go:noescape
func exec63(p *[3]vec)

//go:noescape
func exec64(p *[3]vec)

//go:noescape
func exec65(p *[3]vec)

//go:noescape
func exec66(p *[3]vec)

//go:noescape
func exec67(p *[3]vec)

//go:noescape
func exec68(p *[3]vec)

//go:noescape
func exec69(p *[3]vec)

//go:noescape
func exec70(p *[3]vec)

//go:noescape
func exec71(p *[3]vec)

//go:noescape
func exec72(p *[3]vec)

//go:noescape
func exec73(p *[3]vec)

//go:noescape
func exec74(p *[3]vec)

//go:noescape
func exec75(p *[3]vec)

//go:noescape
func exec76(p *[3]vec)

//go:noescape
func exec77(p *[3]vec)

//go:noescape
func exec78(p *[3]vec)

//go:noescape
func exec79(p *[3]vec)

//go:noescape
func exec80(p *[3]vec)

//go:noescape
func exec81(p *[3]vec)

//go:noescape
func exec82(p *[3]vec)

//go:noescape
func exec83(p *[3]vec)

//go:noescape
func exec84(p *[3]vec)

//go:noescape
func exec85(p *[3]vec)

//go:noescape
func exec86(p *[3]vec)

//go:noescape
func exec87(p *[3]vec)

//go:noescape
func exec88(p *[3]vec)

//go:noescape
func exec89(p *[3]vec)

//go:noescape
func exec90(p *[3]vec)

//go:noescape
func exec91(p *[3]vec)

//go:noescape
func exec92(p *[3]vec)

//go:noescape
func exec93(p *[3]vec)

//go:noescape
func exec94(p *[3]vec)

//go:noescape
func exec95(p *[3]vec)

//go:noescape
func exec96(p *[3]vec)

//go:noescape
func exec97(p *[3]vec)

//go:noescape
func exec98(p *[3]vec)

//go:noescape
func exec99(p *[3]vec)

//go:noescape
func exec100(p *[3]vec)

//go:noescape
func exec101(p *[3]vec)

//go:noescape
func exec102(p *[3]vec)

//go:noescape
func exec103(p *[3]vec)

//go:noescape
func exec104(p *[3]vec)

//go:noescape
func exec105(p *[3]vec)

//go:noescape
func exec106(p *[3]vec)

//go:noescape
func exec107(p *[3]vec)

//go:noescape
func exec108(p *[3]vec)

//go:noescape
func exec109(p *[3]vec)

//go:noescape
func exec110(p *[3]vec)

//go:noescape
func exec111(p *[3]vec)

//go:noescape
func exec112(p *[3]vec)

//go:noescape
func exec113(p *[3]vec)

//go:noescape
func exec114(p *[3]vec)

//go:noescape
func exec115(p *[3]vec)

//go:noescape
func exec116(p *[3]vec)

//go:noescape
func exec117(p *[3]vec)

//go:noescape
func exec118(p *[3]vec)

//go:noescape
func exec119(p *[3]vec)

//go:noescape
func exec120(p *[3]vec)

//go:noescape
func exec121(p *[3]vec)

//go:noescape
func exec122(p *[3]vec)

//go:noescape
func exec123(p *[3]vec)

//go:noescape
func exec124(p *[3]vec)

//go:noescape
func exec125(p *[3]vec)

//go:noescape
func exec126(p *[3]vec)

//go:noescape
func exec127(p *[3]vec)

//go:noescape
func exec128(p *[3]vec)

//go:noescape
func exec129(p *[3]vec)

//go:noescape
func exec130(p *[3]vec)

//go:noescape
func exec131(p *[3]vec)

//go:noescape
func exec132(p *[3]vec)

//go:noescape
func exec133(p *[3]vec)

//go:noescape
func exec134(p *[3]vec)

//go:noescape
func exec135(p *[3]vec)

//go:noescape
func exec136(p *[3]vec)

//go:noescape
func exec137(p *[3]vec)

//go:noescape
func exec138(p *[3]vec)

//go:noescape
func exec139(p *[3]vec)

//go:noescape
func exec140(p *[3]vec)

//go:noescape
func exec141(p *[3]vec)

//go:noescape
func exec142(p *[3]vec)

//go:noescape
func exec143(p *[3]vec)

//go:noescape
func exec144(p *[3]vec)

//go:noescape
func exec145(p *[3]vec)

//go:noescape
func exec146(p *[3]vec)

//go:noescape
func exec147(p *[3]vec)

//go:noescape
func exec148(p *[3]vec)

//go:noescape
func exec149(p *[3]vec)

//go:noescape
func exec150(p *[3]vec)

//go:noescape
func exec151(p *[3]vec)

//go:noescape
func exec152(p *[3]vec)

//go:noescape
func exec153(p *[3]vec)

//go:noescape
func exec154(p *[3]vec)

//go:noescape
func exec155(p *[3]vec)

//go:noescape
func exec156(p *[3]vec)

//go:noescape
func exec157(p *[3]vec)

//go:noescape
func exec158(p *[3]vec)

//go:noescape
func exec159(p *[3]vec)

//go:noescape
func exec160(p *[3]vec)

//go:noescape
func exec161(p *[3]vec)

//go:noescape
func exec162(p *[3]vec)

//go:noescape
func exec163(p *[3]vec)

//go:noescape
func exec164(p *[3]vec)

//go:noescape
func exec165(p *[3]vec)

//go:noescape
func exec166(p *[3]vec)

//go:noescape
func exec167(p *[3]vec)

//go:noescape
func exec168(p *[3]vec)

//go:noescape
func exec169(p *[3]vec)

//go:noescape
func exec170(p *[3]vec)

//go:noescape
func exec171(p *[3]vec)

//go:noescape
func exec172(p *[3]vec)

//go:noescape
func exec173(p *[3]vec)

//go:noescape
func exec174(p *[3]vec)

//go:noescape
func exec175(p *[3]vec)

//go:noescape
func exec176(p *[3]vec)

//go:noescape
func exec177(p *[3]vec)

//go:noescape
func exec178(p *[3]vec)

//go:noescape
func exec179(p *[3]vec)
