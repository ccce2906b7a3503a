// The exponential on AVX2: constants and macros that work on registers, as in
// exp_avx512_amd64.h but for the table (4 entries in float64, 8 in float32), the
// degree of the polynomial (8, 4) and the scaling:
//
//	k = round(4*x*hi), T' = bits of 2^(j/4) - j<<50: adding k<<50 to T' gives 2^(k/4)
//
// Where k > 0 one is taken from the exponent and the result is doubled, because
// 2^1024 times T < 1 may be a number. A copy of this file gives the bits of
// Exp64 and Exp32 at this level.

// T', then the relative error (2^(j/4) - rounded)/rounded, then 0, 1 in 32 bits.
DATA expTable64<>+0(SB)/8, $0x3FF0000000000000 // 2^(0/4) = 1.0
DATA expTable64<>+8(SB)/8, $0x3FEF06FE0A31B715 // 2^(1/4) = 1.189207115002721
DATA expTable64<>+16(SB)/8, $0x3FEEA09E667F3BCD // 2^(2/4) = 1.4142135623730951
DATA expTable64<>+24(SB)/8, $0x3FEEE89F995AD3AD // 2^(3/4) = 1.681792830507429
DATA expTable64<>+32(SB)/8, $0x0000000000000000 // 0.0
DATA expTable64<>+40(SB)/8, $0x3C834D754DB0ABB6 // 3.3484623336251524e-17
DATA expTable64<>+48(SB)/8, $0xBC93B3EFBF5E2228 // -6.835808657661922e-17
DATA expTable64<>+56(SB)/8, $0x3C8C1A7792CB3387 // 4.875160526227062e-17
DATA expTable64<>+64(SB)/8, $0x0000000100000000 // 0, 1
DATA expTable64<>+72(SB)/8, $0x0000000100000000 // 0, 1
DATA expTable64<>+80(SB)/8, $0x0000000100000000 // 0, 1
DATA expTable64<>+88(SB)/8, $0x0000000100000000 // 0, 1
GLOBL expTable64<>(SB), RODATA|NOPTR, $96

// T', bits of 2^(j/8) - j<<20, then the relative error.
DATA expTable32<>+0(SB)/4, $0x3F800000 // 2^(0/8) = 1.0
DATA expTable32<>+4(SB)/4, $0x3F7B95C2 // 2^(1/8) = 1.0905077457427979
DATA expTable32<>+8(SB)/4, $0x3F7837F0 // 2^(2/8) = 1.1892070770263672
DATA expTable32<>+12(SB)/4, $0x3F75FED7 // 2^(3/8) = 1.2968395948410034
DATA expTable32<>+16(SB)/4, $0x3F7504F3 // 2^(4/8) = 1.4142135381698608
DATA expTable32<>+20(SB)/4, $0x3F75672A // 2^(5/8) = 1.5422108173370361
DATA expTable32<>+24(SB)/4, $0x3F7744FD // 2^(6/8) = 1.6817928552627563
DATA expTable32<>+28(SB)/4, $0x3F7AC0C7 // 2^(7/8) = 1.8340080976486206
DATA expTable32<>+32(SB)/4, $0x00000000 // 0.0
DATA expTable32<>+36(SB)/4, $0xB24E0611 // -1.199215748926008e-08
DATA expTable32<>+40(SB)/4, $0x33092801 // 3.1934181521364735e-08
DATA expTable32<>+44(SB)/4, $0xB3051AA8 // -3.0990719324108795e-08
DATA expTable32<>+48(SB)/4, $0x329302AE // 1.7114270889351246e-08
DATA expTable32<>+52(SB)/4, $0x31B3D0E5 // 5.233334210430485e-09
DATA expTable32<>+56(SB)/4, $0xB27CE182 // -1.4719605090363075e-08
DATA expTable32<>+60(SB)/4, $0xB1D290BE // -6.128259677495862e-09
GLOBL expTable32<>(SB), RODATA|NOPTR, $64

// One in the exponent, 1.0, then c8..c1, each four times.
DATA expConst64<>+0(SB)/8, $0x0010000000000000 // 1 in the exponent
DATA expConst64<>+8(SB)/8, $0x0010000000000000 // 1 in the exponent
DATA expConst64<>+16(SB)/8, $0x0010000000000000 // 1 in the exponent
DATA expConst64<>+24(SB)/8, $0x0010000000000000 // 1 in the exponent
DATA expConst64<>+32(SB)/8, $0x3FF0000000000000 // 1.0
DATA expConst64<>+40(SB)/8, $0x3FF0000000000000 // 1.0
DATA expConst64<>+48(SB)/8, $0x3FF0000000000000 // 1.0
DATA expConst64<>+56(SB)/8, $0x3FF0000000000000 // 1.0
DATA expConst64<>+64(SB)/8, $0x3EB62B1C43E87F9A // c8 = 1.3213396098457403e-06
DATA expConst64<>+72(SB)/8, $0x3EB62B1C43E87F9A // c8 = 1.3213396098457403e-06
DATA expConst64<>+80(SB)/8, $0x3EB62B1C43E87F9A // c8 = 1.3213396098457403e-06
DATA expConst64<>+88(SB)/8, $0x3EB62B1C43E87F9A // c8 = 1.3213396098457403e-06
DATA expConst64<>+96(SB)/8, $0x3EEFFEAE0D34DD80 // c7 = 1.5256330164177849e-05
DATA expConst64<>+104(SB)/8, $0x3EEFFEAE0D34DD80 // c7 = 1.5256330164177849e-05
DATA expConst64<>+112(SB)/8, $0x3EEFFEAE0D34DD80 // c7 = 1.5256330164177849e-05
DATA expConst64<>+120(SB)/8, $0x3EEFFEAE0D34DD80 // c7 = 1.5256330164177849e-05
DATA expConst64<>+128(SB)/8, $0x3F24309147FBB925 // c6 = 0.00015403531505548646
DATA expConst64<>+136(SB)/8, $0x3F24309147FBB925 // c6 = 0.00015403531505548646
DATA expConst64<>+144(SB)/8, $0x3F24309147FBB925 // c6 = 0.00015403531505548646
DATA expConst64<>+152(SB)/8, $0x3F24309147FBB925 // c6 = 0.00015403531505548646
DATA expConst64<>+160(SB)/8, $0x3F55D87FDBEAB484 // c5 = 0.001333355772355633
DATA expConst64<>+168(SB)/8, $0x3F55D87FDBEAB484 // c5 = 0.001333355772355633
DATA expConst64<>+176(SB)/8, $0x3F55D87FDBEAB484 // c5 = 0.001333355772355633
DATA expConst64<>+184(SB)/8, $0x3F55D87FDBEAB484 // c5 = 0.001333355772355633
DATA expConst64<>+192(SB)/8, $0x3F83B2AB6FB94415 // c4 = 0.00961812910751018
DATA expConst64<>+200(SB)/8, $0x3F83B2AB6FB94415 // c4 = 0.00961812910751018
DATA expConst64<>+208(SB)/8, $0x3F83B2AB6FB94415 // c4 = 0.00961812910751018
DATA expConst64<>+216(SB)/8, $0x3F83B2AB6FB94415 // c4 = 0.00961812910751018
DATA expConst64<>+224(SB)/8, $0x3FAC6B08D705080D // c3 = 0.05550410866500508
DATA expConst64<>+232(SB)/8, $0x3FAC6B08D705080D // c3 = 0.05550410866500508
DATA expConst64<>+240(SB)/8, $0x3FAC6B08D705080D // c3 = 0.05550410866500508
DATA expConst64<>+248(SB)/8, $0x3FAC6B08D705080D // c3 = 0.05550410866500508
DATA expConst64<>+256(SB)/8, $0x3FCEBFBDFF82C59B // c2 = 0.24022650695910105
DATA expConst64<>+264(SB)/8, $0x3FCEBFBDFF82C59B // c2 = 0.24022650695910105
DATA expConst64<>+272(SB)/8, $0x3FCEBFBDFF82C59B // c2 = 0.24022650695910105
DATA expConst64<>+280(SB)/8, $0x3FCEBFBDFF82C59B // c2 = 0.24022650695910105
DATA expConst64<>+288(SB)/8, $0x3FE62E42FEFA39ED // c1 = 0.6931471805599451
DATA expConst64<>+296(SB)/8, $0x3FE62E42FEFA39ED // c1 = 0.6931471805599451
DATA expConst64<>+304(SB)/8, $0x3FE62E42FEFA39ED // c1 = 0.6931471805599451
DATA expConst64<>+312(SB)/8, $0x3FE62E42FEFA39ED // c1 = 0.6931471805599451
GLOBL expConst64<>(SB), RODATA|NOPTR, $320

// One in the exponent, 1.0, then c4..c1, each eight times.
DATA expConst32<>+0(SB)/4, $0x00800000 // 1 in the exponent
DATA expConst32<>+4(SB)/4, $0x00800000 // 1 in the exponent
DATA expConst32<>+8(SB)/4, $0x00800000 // 1 in the exponent
DATA expConst32<>+12(SB)/4, $0x00800000 // 1 in the exponent
DATA expConst32<>+16(SB)/4, $0x00800000 // 1 in the exponent
DATA expConst32<>+20(SB)/4, $0x00800000 // 1 in the exponent
DATA expConst32<>+24(SB)/4, $0x00800000 // 1 in the exponent
DATA expConst32<>+28(SB)/4, $0x00800000 // 1 in the exponent
DATA expConst32<>+32(SB)/4, $0x3F800000 // 1.0
DATA expConst32<>+36(SB)/4, $0x3F800000 // 1.0
DATA expConst32<>+40(SB)/4, $0x3F800000 // 1.0
DATA expConst32<>+44(SB)/4, $0x3F800000 // 1.0
DATA expConst32<>+48(SB)/4, $0x3F800000 // 1.0
DATA expConst32<>+52(SB)/4, $0x3F800000 // 1.0
DATA expConst32<>+56(SB)/4, $0x3F800000 // 1.0
DATA expConst32<>+60(SB)/4, $0x3F800000 // 1.0
DATA expConst32<>+64(SB)/4, $0x3C1D9446 // c4 = 0.009617870673537254
DATA expConst32<>+68(SB)/4, $0x3C1D9446 // c4 = 0.009617870673537254
DATA expConst32<>+72(SB)/4, $0x3C1D9446 // c4 = 0.009617870673537254
DATA expConst32<>+76(SB)/4, $0x3C1D9446 // c4 = 0.009617870673537254
DATA expConst32<>+80(SB)/4, $0x3C1D9446 // c4 = 0.009617870673537254
DATA expConst32<>+84(SB)/4, $0x3C1D9446 // c4 = 0.009617870673537254
DATA expConst32<>+88(SB)/4, $0x3C1D9446 // c4 = 0.009617870673537254
DATA expConst32<>+92(SB)/4, $0x3C1D9446 // c4 = 0.009617870673537254
DATA expConst32<>+96(SB)/4, $0x3D635F25 // c3 = 0.05551065877079964
DATA expConst32<>+100(SB)/4, $0x3D635F25 // c3 = 0.05551065877079964
DATA expConst32<>+104(SB)/4, $0x3D635F25 // c3 = 0.05551065877079964
DATA expConst32<>+108(SB)/4, $0x3D635F25 // c3 = 0.05551065877079964
DATA expConst32<>+112(SB)/4, $0x3D635F25 // c3 = 0.05551065877079964
DATA expConst32<>+116(SB)/4, $0x3D635F25 // c3 = 0.05551065877079964
DATA expConst32<>+120(SB)/4, $0x3D635F25 // c3 = 0.05551065877079964
DATA expConst32<>+124(SB)/4, $0x3D635F25 // c3 = 0.05551065877079964
DATA expConst32<>+128(SB)/4, $0x3E75FDF0 // c2 = 0.24022650718688965
DATA expConst32<>+132(SB)/4, $0x3E75FDF0 // c2 = 0.24022650718688965
DATA expConst32<>+136(SB)/4, $0x3E75FDF0 // c2 = 0.24022650718688965
DATA expConst32<>+140(SB)/4, $0x3E75FDF0 // c2 = 0.24022650718688965
DATA expConst32<>+144(SB)/4, $0x3E75FDF0 // c2 = 0.24022650718688965
DATA expConst32<>+148(SB)/4, $0x3E75FDF0 // c2 = 0.24022650718688965
DATA expConst32<>+152(SB)/4, $0x3E75FDF0 // c2 = 0.24022650718688965
DATA expConst32<>+156(SB)/4, $0x3E75FDF0 // c2 = 0.24022650718688965
DATA expConst32<>+160(SB)/4, $0x3F317218 // c1 = 0.6931471824645996
DATA expConst32<>+164(SB)/4, $0x3F317218 // c1 = 0.6931471824645996
DATA expConst32<>+168(SB)/4, $0x3F317218 // c1 = 0.6931471824645996
DATA expConst32<>+172(SB)/4, $0x3F317218 // c1 = 0.6931471824645996
DATA expConst32<>+176(SB)/4, $0x3F317218 // c1 = 0.6931471824645996
DATA expConst32<>+180(SB)/4, $0x3F317218 // c1 = 0.6931471824645996
DATA expConst32<>+184(SB)/4, $0x3F317218 // c1 = 0.6931471824645996
DATA expConst32<>+188(SB)/4, $0x3F317218 // c1 = 0.6931471824645996
GLOBL expConst32<>(SB), RODATA|NOPTR, $192

// Shift, and the factor from cut to the largest argument.
DATA expShift64<>+0(SB)/8, $0x4318000000000000 // 1.5*2^50: rounds to multiples of 1/4
DATA expShift64<>+8(SB)/8, $0xBFF00902DE00D1B7 // -1.0022: times cut it is s*x = 709.95, beyond overflow
GLOBL expShift64<>(SB), RODATA|NOPTR, $16

DATA expShift32<>+0(SB)/4, $0x49C00000 // 1.5*2^20: rounds to multiples of 1/8
DATA expShift32<>+4(SB)/4, $0xBF828F5C // -1.02: times cut it is s*x = 89.08, beyond overflow
GLOBL expShift32<>(SB), RODATA|NOPTR, $8

// Comparisons with cut that keep a lane, true for NaN: not less for s > 0, not
// greater for s < 0.
#define EXP_NLT $5
#define EXP_NGT $10

// Registers of the constants of EXP64Y and EXP32Y; the kernel loads hi, lo, cut.
#define EXP_SHIFT Y15
#define EXP_LIMIT Y14
#define EXP_HI    Y13
#define EXP_LO    Y12
#define EXP_CUT   Y11
#define EXP_T     Y10
#define EXP_E     Y9

#define EXP64Y_CONSTANTS \
	VBROADCASTSD expShift64<>+0(SB), EXP_SHIFT; \
	VBROADCASTSD expShift64<>+8(SB), EXP_LIMIT; \
	VMULPD EXP_CUT, EXP_LIMIT, EXP_LIMIT; \
	VMOVUPD expTable64<>+0(SB), EXP_T; \
	VMOVUPD expTable64<>+32(SB), EXP_E

// x = exp(s*x); t, k, f, g, m, b, h are scratch; keep and clamp are EXP_NLT and
// VMINPD for s > 0, EXP_NGT and VMAXPD for s < 0 (both return the second operand,
// x, where that is NaN). 18 operations on the two floating-point ports, 29 in all on three;
// the polynomial goes by pairs, which shortens the chain of dependent operations
// that otherwise fills the scheduler.
#define EXP64Y(x, t, k, f, g, m, b, h, keep, clamp) \
	VCMPPD      keep, EXP_CUT, x, m; \
	clamp       x, EXP_LIMIT, x; \
	VMOVAPD     EXP_SHIFT, t; \
	VFMADD231PD x, EXP_HI, t; \
	VSUBPD      EXP_SHIFT, t, k; \
	VMOVAPD     x, f; \
	VFMSUB213PD k, EXP_HI, f; \
	VFMADD231PD EXP_LO, x, f; \
	VPADDQ      t, t, x; \
	VMOVSLDUP   x, x; \
	VPADDD      expTable64<>+64(SB), x, x; \
	VPERMPS     EXP_T, x, k; \
	VPERMPS     EXP_E, x, x; \
	VPCMPGTQ    EXP_SHIFT, t, g; \
	VPAND       expConst64<>+0(SB), g, g; \
	VPSLLQ      $50, t, t; \
	VPADDQ      t, k, k; \
	VPSUBQ      g, k, k; \
	VPADDQ      expConst64<>+32(SB), g, g; \
	VMULPD      f, f, h; \
	VMOVUPD     expConst64<>+64(SB), t; \
	VFMADD213PD expConst64<>+96(SB), f, t; \
	VMOVUPD     expConst64<>+128(SB), b; \
	VFMADD213PD expConst64<>+160(SB), f, b; \
	VFMADD213PD b, h, t; \
	VMOVUPD     expConst64<>+192(SB), b; \
	VFMADD213PD expConst64<>+224(SB), f, b; \
	VFMADD213PD b, h, t; \
	VMOVUPD     expConst64<>+256(SB), b; \
	VFMADD213PD expConst64<>+288(SB), f, b; \
	VFMADD213PD b, h, t; \
	VFMADD213PD x, f, t; \
	VFMADD213PD k, k, t; \
	VMULPD      g, t, t; \
	VANDPD      m, t, x

#define EXP32Y_CONSTANTS \
	VBROADCASTSS expShift32<>+0(SB), EXP_SHIFT; \
	VBROADCASTSS expShift32<>+4(SB), EXP_LIMIT; \
	VMULPS EXP_CUT, EXP_LIMIT, EXP_LIMIT; \
	VMOVUPS expTable32<>+0(SB), EXP_T; \
	VMOVUPS expTable32<>+32(SB), EXP_E

#define EXP32Y(x, t, k, f, g, m, b, h, keep, clamp) \
	VCMPPS      keep, EXP_CUT, x, m; \
	clamp       x, EXP_LIMIT, x; \
	VMOVAPS     EXP_SHIFT, t; \
	VFMADD231PS x, EXP_HI, t; \
	VSUBPS      EXP_SHIFT, t, k; \
	VMOVAPS     x, f; \
	VFMSUB213PS k, EXP_HI, f; \
	VFMADD231PS EXP_LO, x, f; \
	VPERMPS     EXP_T, t, k; \
	VPERMPS     EXP_E, t, x; \
	VPCMPGTD    EXP_SHIFT, t, g; \
	VPAND       expConst32<>+0(SB), g, g; \
	VPSLLD      $20, t, t; \
	VPADDD      t, k, k; \
	VPSUBD      g, k, k; \
	VPADDD      expConst32<>+32(SB), g, g; \
	VMOVUPS     expConst32<>+64(SB), t; \
	VFMADD213PS expConst32<>+96(SB), f, t; \
	VFMADD213PS expConst32<>+128(SB), f, t; \
	VFMADD213PS expConst32<>+160(SB), f, t; \
	VFMADD213PS x, f, t; \
	VFMADD213PS k, k, t; \
	VMULPS      g, t, t; \
	VANDPS      m, t, x

