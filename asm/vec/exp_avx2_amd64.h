// The exponential on AVX2: constants and macros that work on registers, as in
// exp_avx512_amd64.h but for the table (4 entries in float64, 8 in float32), the
// degree of the polynomial (8, 4) and the scaling:
//
//	k = round(4*x*hi), T' = bits of 2^(j/4) - j<<50: adding k<<50 to T' gives 2^(k/4)
//
// Where k > 0 one is taken from the exponent and the result is doubled, because
// 2^1024 times T < 1 may be a number.

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

// A constant in all of a register: four times, eight times.
#define EXP_FOUR(off, bits) \
	DATA expConst64<>+off+0(SB)/8, bits  \
	DATA expConst64<>+off+8(SB)/8, bits  \
	DATA expConst64<>+off+16(SB)/8, bits \
	DATA expConst64<>+off+24(SB)/8, bits
#define EXP_TWO(off, bits) \
	DATA expConst32<>+off+0(SB)/4, bits  \
	DATA expConst32<>+off+4(SB)/4, bits
#define EXP_EIGHT(off, bits) \
	EXP_TWO(off, bits)    \
	EXP_TWO(off+8, bits)  \
	EXP_TWO(off+16, bits) \
	EXP_TWO(off+24, bits)

EXP_FOUR(0, $0x0010000000000000) // 1 in the exponent
EXP_FOUR(32, $0x3FF0000000000000) // 1.0
EXP_FOUR(64, $0x3EB62B1C43E87F9A) // c8 = 1.3213396098457403e-06
EXP_FOUR(96, $0x3EEFFEAE0D34DD80) // c7 = 1.5256330164177849e-05
EXP_FOUR(128, $0x3F24309147FBB925) // c6 = 0.00015403531505548646
EXP_FOUR(160, $0x3F55D87FDBEAB484) // c5 = 0.001333355772355633
EXP_FOUR(192, $0x3F83B2AB6FB94415) // c4 = 0.00961812910751018
EXP_FOUR(224, $0x3FAC6B08D705080D) // c3 = 0.05550410866500508
EXP_FOUR(256, $0x3FCEBFBDFF82C59B) // c2 = 0.24022650695910105
EXP_FOUR(288, $0x3FE62E42FEFA39ED) // c1 = 0.6931471805599451
GLOBL expConst64<>(SB), RODATA|NOPTR, $320

EXP_EIGHT(0, $0x00800000) // 1 in the exponent
EXP_EIGHT(32, $0x3F800000) // 1.0
EXP_EIGHT(64, $0x3C1D9446) // c4 = 0.009617870673537254
EXP_EIGHT(96, $0x3D635F25) // c3 = 0.05551065877079964
EXP_EIGHT(128, $0x3E75FDF0) // c2 = 0.24022650718688965
EXP_EIGHT(160, $0x3F317218) // c1 = 0.6931471824645996
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

// Registers of the constants of EXP64Y and EXP32Y; the kernel loads hi, lo, cut,
// and the limit where it needs that.
#define EXP_SHIFT Y15
#define EXP_LIMIT Y14
#define EXP_HI    Y13
#define EXP_LO    Y12
#define EXP_CUT   Y11
#define EXP_T     Y10
#define EXP_E     Y9

#define EXP64Y_CONSTANTS \
	VBROADCASTSD expShift64<>+0(SB), EXP_SHIFT; \
	VMOVUPD expTable64<>+0(SB), EXP_T; \
	VMOVUPD expTable64<>+32(SB), EXP_E
#define EXP64Y_LIMIT \
	VBROADCASTSD expShift64<>+8(SB), EXP_LIMIT; \
	VMULPD EXP_CUT, EXP_LIMIT, EXP_LIMIT

// The argument is reduced: t ends in k, f is the rest.
#define EXP64Y_REDUCE(x, t, k, f) \
	VMOVAPD     EXP_SHIFT, t; \
	VFMADD231PD x, EXP_HI, t; \
	VSUBPD      EXP_SHIFT, t, k; \
	VMOVAPD     x, f; \
	VFMSUB213PD k, EXP_HI, f; \
	VFMADD231PD EXP_LO, x, f

// k = T', x = e of t.
#define EXP64Y_TABLE(x, t, k) \
	VPADDQ      t, t, x; \
	VMOVSLDUP   x, x; \
	VPADDD      expTable64<>+64(SB), x, x; \
	VPERMPS     EXP_T, x, k; \
	VPERMPS     EXP_E, x, x

// t = k*(1 + p), p by pairs, which shortens the chain of dependent operations
// that otherwise fills the scheduler.
#define EXP64Y_POLYNOMIAL(x, t, k, f, b, h) \
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
	VFMADD213PD k, k, t

// x = exp(s*x); t, k, f, g, m, b, h are scratch; keep and clamp are EXP_NLT and
// VMINPD for s > 0, EXP_NGT and VMAXPD for s < 0 (both return the second operand,
// x, where that is NaN). 18 operations on the two floating-point ports, 29 in
// all on three.
#define EXP64Y(x, t, k, f, g, m, b, h, keep, clamp) \
	VCMPPD      keep, EXP_CUT, x, m; \
	clamp       x, EXP_LIMIT, x; \
	EXP64Y_REDUCE(x, t, k, f); \
	EXP64Y_TABLE(x, t, k); \
	VPCMPGTQ    EXP_SHIFT, t, g; \
	VPAND       expConst64<>+0(SB), g, g; \
	VPSLLQ      $50, t, t; \
	VPADDQ      t, k, k; \
	VPSUBQ      g, k, k; \
	VPADDQ      expConst64<>+32(SB), g, g; \
	EXP64Y_POLYNOMIAL(x, t, k, f, b, h); \
	VMULPD      g, t, t; \
	VANDPD      m, t, x

// The same, in all bits, for s < 0 and x >= 0 or NaN, where neither k > 0 nor
// overflow occurs: 22 operations.
#define EXP64Y_DECAY(x, t, k, f, m, b, h) \
	VCMPPD      EXP_NGT, EXP_CUT, x, m; \
	EXP64Y_REDUCE(x, t, k, f); \
	EXP64Y_TABLE(x, t, k); \
	VPSLLQ      $50, t, t; \
	VPADDQ      t, k, k; \
	EXP64Y_POLYNOMIAL(x, t, k, f, b, h); \
	VANDPD      m, t, x

#define EXP32Y_CONSTANTS \
	VBROADCASTSS expShift32<>+0(SB), EXP_SHIFT; \
	VMOVUPS expTable32<>+0(SB), EXP_T; \
	VMOVUPS expTable32<>+32(SB), EXP_E
#define EXP32Y_LIMIT \
	VBROADCASTSS expShift32<>+4(SB), EXP_LIMIT; \
	VMULPS EXP_CUT, EXP_LIMIT, EXP_LIMIT

// The same in float32; k = T', x = e.
#define EXP32Y_REDUCE(x, t, k, f) \
	VMOVAPS     EXP_SHIFT, t; \
	VFMADD231PS x, EXP_HI, t; \
	VSUBPS      EXP_SHIFT, t, k; \
	VMOVAPS     x, f; \
	VFMSUB213PS k, EXP_HI, f; \
	VFMADD231PS EXP_LO, x, f; \
	VPERMPS     EXP_T, t, k; \
	VPERMPS     EXP_E, t, x

#define EXP32Y_POLYNOMIAL(x, t, k, f) \
	VMOVUPS     expConst32<>+64(SB), t; \
	VFMADD213PS expConst32<>+96(SB), f, t; \
	VFMADD213PS expConst32<>+128(SB), f, t; \
	VFMADD213PS expConst32<>+160(SB), f, t; \
	VFMADD213PS x, f, t; \
	VFMADD213PS k, k, t

#define EXP32Y(x, t, k, f, g, m, b, h, keep, clamp) \
	VCMPPS      keep, EXP_CUT, x, m; \
	clamp       x, EXP_LIMIT, x; \
	EXP32Y_REDUCE(x, t, k, f); \
	VPCMPGTD    EXP_SHIFT, t, g; \
	VPAND       expConst32<>+0(SB), g, g; \
	VPSLLD      $20, t, t; \
	VPADDD      t, k, k; \
	VPSUBD      g, k, k; \
	VPADDD      expConst32<>+32(SB), g, g; \
	EXP32Y_POLYNOMIAL(x, t, k, f); \
	VMULPS      g, t, t; \
	VANDPS      m, t, x

#define EXP32Y_DECAY(x, t, k, f, m, b, h) \
	VCMPPS      EXP_NGT, EXP_CUT, x, m; \
	EXP32Y_REDUCE(x, t, k, f); \
	VPSLLD      $20, t, t; \
	VPADDD      t, k, k; \
	EXP32Y_POLYNOMIAL(x, t, k, f); \
	VANDPS      m, t, x
