// The exponential on AVX-512: macros that work on registers.
//
// A kernel that ends in an exponential includes this file and gets the bits of
// Exp for the same argument, factor and level: every lane is computed alike,
// whatever its position, and no other rounding takes part. Only the order of the
// steps may change, not the steps. Package panel has a copy, which a test there
// compares.
//
// exp(s*x) with s*log2(e) = hi + lo:
//
//	t = x*hi + shift                  shift = 1.5*2^48 (f64), 1.5*2^19 (f32): t ends in round(16*x*hi)
//	k = t - shift                     x*hi rounded to a multiple of 1/16
//	f = x*lo + (x*hi - k)             two fused operations, |f| <= 1/32; 0 where s*x > 1416 (f32 174): there
//	                                  the result is +Inf, and f might be anything
//	T, e = table[t mod 16]            2^(j/16) rounded, and what rounding took from it, relative
//	p = f*(c1 + f*(c2 + ...)) + e     Horner, fused; minimax for 2^f - 1
//	y = (T*p + T) * 2^floor(k)        VSCALEFPD, 0 where x < cut (s > 0) or x > cut (s < 0)
//
// Nothing here is exact but k; the bound is 0.5 ULP for the last rounding and
// below 0.1 for the rest.
//
// The constants are expData of asm/gen.

// Comparisons with cut that keep a lane, and with limit that keep f, both true
// for NaN: for s > 0 not less, not greater or equal; for s < 0 the mirror image.
#define EXP_NLT $5
#define EXP_NGE $9
#define EXP_NGT $10
#define EXP_NLE $6

// Registers of the constants; the kernel loads hi, lo and cut, and for EXP64Z and
// EXP32Z the limit.
#define EXP_SHIFT Z31
#define EXP_LIMIT Z30
#define EXP_HI    Z29
#define EXP_LO    Z28
#define EXP_CUT   Z27
#define EXP_T0    Z26
#define EXP_T1    Z25
#define EXP_E0    Z24
#define EXP_E1    Z23
#define EXP_C1    Z22
#define EXP_C2    Z21
#define EXP_C3    Z20
#define EXP_C4    Z19
#define EXP_C5    Z18
#define EXP_C6    Z17

#define EXP64Z_CONSTANTS \
	VBROADCASTSD expConst64<>+0(SB), EXP_SHIFT; \
	VMOVUPD expTable64<>+0(SB), EXP_T0; \
	VMOVUPD expTable64<>+64(SB), EXP_T1; \
	VMOVUPD expTable64<>+128(SB), EXP_E0; \
	VMOVUPD expTable64<>+192(SB), EXP_E1; \
	VBROADCASTSD expConst64<>+16(SB), EXP_C1; \
	VBROADCASTSD expConst64<>+24(SB), EXP_C2; \
	VBROADCASTSD expConst64<>+32(SB), EXP_C3; \
	VBROADCASTSD expConst64<>+40(SB), EXP_C4; \
	VBROADCASTSD expConst64<>+48(SB), EXP_C5; \
	VBROADCASTSD expConst64<>+56(SB), EXP_C6

// From t = x*hi + shift to x = T*p + T and k; f, a are scratch. ADDLO(x, f, n) adds
// x*lo to f, under the mask n where x may be beyond the limit. The polynomial by
// pairs (one operation more, a shorter chain) was slower on Skylake-SP.
#define EXP64Z_STEPS(x, t, k, f, a, n, ADDLO) \
	VSUBPD      EXP_SHIFT, t, k; \
	VMOVAPD     x, f; \
	VFMSUB213PD k, EXP_HI, f; \
	ADDLO(x, f, n); \
	VMOVAPD     t, a; \
	VPERMI2PD   EXP_T1, EXP_T0, a; \
	VPERMI2PD   EXP_E1, EXP_E0, t; \
	VMOVAPD     EXP_C6, x; \
	VFMADD213PD EXP_C5, f, x; \
	VFMADD213PD EXP_C4, f, x; \
	VFMADD213PD EXP_C3, f, x; \
	VFMADD213PD EXP_C2, f, x; \
	VFMADD213PD EXP_C1, f, x; \
	VFMADD213PD t, f, x; \
	VFMADD213PD a, a, x
#define EXP64Z_ADDALL(x, f, n) VFMADD231PD EXP_LO, x, f
#define EXP64Z_ADDNEAR(x, f, n) VFMADD231PD.Z EXP_LO, x, n, f

// x = exp(s*x); t, k, f, a are scratch, m and n mask registers, keep and near
// EXP_NLT, EXP_NGE for s > 0 and EXP_NGT, EXP_NLE for s < 0. 16 operations on
// the two vector ports.
#define EXP64Z(x, t, k, f, a, m, n, keep, near) \
	VMOVAPD     EXP_SHIFT, t; \
	VFMADD231PD x, EXP_HI, t; \
	VCMPPD      keep, EXP_CUT, x, m; \
	VCMPPD      near, EXP_LIMIT, x, n; \
	EXP64Z_STEPS(x, t, k, f, a, n, EXP64Z_ADDNEAR); \
	VSCALEFPD.Z k, x, m, x

// The same, in all bits, for s < 0 and x >= 0 or NaN, where nothing overflows.
#define EXP64Z_DECAY(x, t, k, f, a, m) \
	VMOVAPD     EXP_SHIFT, t; \
	VFMADD231PD x, EXP_HI, t; \
	VCMPPD      EXP_NGT, EXP_CUT, x, m; \
	EXP64Z_STEPS(x, t, k, f, a, m, EXP64Z_ADDALL); \
	VSCALEFPD.Z k, x, m, x

#define EXP32Z_CONSTANTS \
	VBROADCASTSS expConst32<>+0(SB), EXP_SHIFT; \
	VMOVUPS expTable32<>+0(SB), EXP_T0; \
	VMOVUPS expTable32<>+64(SB), EXP_E0; \
	VBROADCASTSS expConst32<>+8(SB), EXP_C1; \
	VBROADCASTSS expConst32<>+12(SB), EXP_C2; \
	VBROADCASTSS expConst32<>+16(SB), EXP_C3

// The same in float32: 13 operations.
#define EXP32Z_STEPS(x, t, k, f, a, n, ADDLO) \
	VSUBPS      EXP_SHIFT, t, k; \
	VMOVAPS     x, f; \
	VFMSUB213PS k, EXP_HI, f; \
	ADDLO(x, f, n); \
	VPERMPS     EXP_T0, t, a; \
	VPERMPS     EXP_E0, t, t; \
	VMOVAPS     EXP_C3, x; \
	VFMADD213PS EXP_C2, f, x; \
	VFMADD213PS EXP_C1, f, x; \
	VFMADD213PS t, f, x; \
	VFMADD213PS a, a, x
#define EXP32Z_ADDALL(x, f, n) VFMADD231PS EXP_LO, x, f
#define EXP32Z_ADDNEAR(x, f, n) VFMADD231PS.Z EXP_LO, x, n, f

#define EXP32Z(x, t, k, f, a, m, n, keep, near) \
	VMOVAPS     EXP_SHIFT, t; \
	VFMADD231PS x, EXP_HI, t; \
	VCMPPS      keep, EXP_CUT, x, m; \
	VCMPPS      near, EXP_LIMIT, x, n; \
	EXP32Z_STEPS(x, t, k, f, a, n, EXP32Z_ADDNEAR); \
	VSCALEFPS.Z k, x, m, x

#define EXP32Z_DECAY(x, t, k, f, a, m) \
	VMOVAPS     EXP_SHIFT, t; \
	VFMADD231PS x, EXP_HI, t; \
	VCMPPS      EXP_NGT, EXP_CUT, x, m; \
	EXP32Z_STEPS(x, t, k, f, a, m, EXP32Z_ADDALL); \
	VSCALEFPS.Z k, x, m, x
