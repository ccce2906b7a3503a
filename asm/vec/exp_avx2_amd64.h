// The exponential on AVX2: macros that work on registers, as in
// exp_avx512_amd64.h but for the table (4 entries in float64, 8 in float32), the
// degree of the polynomial (8, 4) and the scaling:
//
//	k = round(4*x*hi), T' = bits of 2^(j/4) - j<<50: adding k<<50 to T' gives 2^(k/4)
//
// Where k > 0 one is taken from the exponent and the result is doubled, because
// 2^1024 times T < 1 may be a number.
//
// The constants are expData of asm/gen.

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
