// The exponential on AVX-512: constants and macros that work on registers.
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

// 2^(j/16) rounded, then its relative error (2^(j/16) - rounded)/rounded, j = 0..15.
DATA expTable64<>+0(SB)/8, $0x3FF0000000000000 // 2^(0/16) = 1.0
DATA expTable64<>+8(SB)/8, $0x3FF0B5586CF9890F // 2^(1/16) = 1.0442737824274138
DATA expTable64<>+16(SB)/8, $0x3FF172B83C7D517B // 2^(2/16) = 1.0905077326652577
DATA expTable64<>+24(SB)/8, $0x3FF2387A6E756238 // 2^(3/16) = 1.1387886347566916
DATA expTable64<>+32(SB)/8, $0x3FF306FE0A31B715 // 2^(4/16) = 1.189207115002721
DATA expTable64<>+40(SB)/8, $0x3FF3DEA64C123422 // 2^(5/16) = 1.241857812073484
DATA expTable64<>+48(SB)/8, $0x3FF4BFDAD5362A27 // 2^(6/16) = 1.2968395546510096
DATA expTable64<>+56(SB)/8, $0x3FF5AB07DD485429 // 2^(7/16) = 1.3542555469368927
DATA expTable64<>+64(SB)/8, $0x3FF6A09E667F3BCD // 2^(8/16) = 1.4142135623730951
DATA expTable64<>+72(SB)/8, $0x3FF7A11473EB0187 // 2^(9/16) = 1.4768261459394993
DATA expTable64<>+80(SB)/8, $0x3FF8ACE5422AA0DB // 2^(10/16) = 1.5422108254079407
DATA expTable64<>+88(SB)/8, $0x3FF9C49182A3F090 // 2^(11/16) = 1.6104903319492543
DATA expTable64<>+96(SB)/8, $0x3FFAE89F995AD3AD // 2^(12/16) = 1.681792830507429
DATA expTable64<>+104(SB)/8, $0x3FFC199BDD85529C // 2^(13/16) = 1.7562521603732995
DATA expTable64<>+112(SB)/8, $0x3FFD5818DCFBA487 // 2^(14/16) = 1.8340080864093424
DATA expTable64<>+120(SB)/8, $0x3FFEA4AFA2A490DA // 2^(15/16) = 1.9152065613971474
DATA expTable64<>+128(SB)/8, $0x0000000000000000 // 0.0
DATA expTable64<>+136(SB)/8, $0x3C979AA65D837B6D // 8.189317638195515e-17
DATA expTable64<>+144(SB)/8, $0xBC801B15EAA59348 // -2.7939114859515733e-17
DATA expTable64<>+152(SB)/8, $0x3C968EFDE3A8A894 // 7.826573258636076e-17
DATA expTable64<>+160(SB)/8, $0x3C834D754DB0ABB6 // 3.3484623336251524e-17
DATA expTable64<>+168(SB)/8, $0x3C859F48A72A4C6D // 3.750854201303127e-17
DATA expTable64<>+176(SB)/8, $0x3C7690CEBB7AAFB0 // 1.9572585293112036e-17
DATA expTable64<>+184(SB)/8, $0x3C9063E1E21C5409 // 5.68648095791174e-17
DATA expTable64<>+192(SB)/8, $0xBC93B3EFBF5E2228 // -6.835808657661922e-17
DATA expTable64<>+200(SB)/8, $0xBC7B32DCB94DA51D // -2.3591094770850053e-17
DATA expTable64<>+208(SB)/8, $0x3C8DB72FC1F0EAB4 // 5.1548301170786783e-17
DATA expTable64<>+216(SB)/8, $0x3C71AFFC2B91CE27 // 1.5341410053603723e-17
DATA expTable64<>+224(SB)/8, $0x3C8C1A7792CB3387 // 4.875160526227062e-17
DATA expTable64<>+232(SB)/8, $0x3C736EAE30AF0CB3 // 1.685487290628973e-17
DATA expTable64<>+240(SB)/8, $0x3C74A385A63D07A7 // 1.790126907604513e-17
DATA expTable64<>+248(SB)/8, $0xBC8FF7128FD391F0 // -5.545065618639427e-17
GLOBL expTable64<>(SB), RODATA|NOPTR, $256

// The same in float32.
DATA expTable32<>+0(SB)/4, $0x3F800000 // 2^(0/16) = 1.0
DATA expTable32<>+4(SB)/4, $0x3F85AAC3 // 2^(1/16) = 1.0442737340927124
DATA expTable32<>+8(SB)/4, $0x3F8B95C2 // 2^(2/16) = 1.0905077457427979
DATA expTable32<>+12(SB)/4, $0x3F91C3D3 // 2^(3/16) = 1.1387885808944702
DATA expTable32<>+16(SB)/4, $0x3F9837F0 // 2^(4/16) = 1.1892070770263672
DATA expTable32<>+20(SB)/4, $0x3F9EF532 // 2^(5/16) = 1.2418577671051025
DATA expTable32<>+24(SB)/4, $0x3FA5FED7 // 2^(6/16) = 1.2968395948410034
DATA expTable32<>+28(SB)/4, $0x3FAD583F // 2^(7/16) = 1.3542555570602417
DATA expTable32<>+32(SB)/4, $0x3FB504F3 // 2^(8/16) = 1.4142135381698608
DATA expTable32<>+36(SB)/4, $0x3FBD08A4 // 2^(9/16) = 1.4768261909484863
DATA expTable32<>+40(SB)/4, $0x3FC5672A // 2^(10/16) = 1.5422108173370361
DATA expTable32<>+44(SB)/4, $0x3FCE248C // 2^(11/16) = 1.610490322113037
DATA expTable32<>+48(SB)/4, $0x3FD744FD // 2^(12/16) = 1.6817928552627563
DATA expTable32<>+52(SB)/4, $0x3FE0CCDF // 2^(13/16) = 1.7562521696090698
DATA expTable32<>+56(SB)/4, $0x3FEAC0C7 // 2^(14/16) = 1.8340080976486206
DATA expTable32<>+60(SB)/4, $0x3FF5257D // 2^(15/16) = 1.9152065515518188
DATA expTable32<>+64(SB)/4, $0x00000000 // 0.0
DATA expTable32<>+68(SB)/4, $0x3346CB6A // 4.6285471455576044e-08
DATA expTable32<>+72(SB)/4, $0xB24E0611 // -1.199215748926008e-08
DATA expTable32<>+76(SB)/4, $0x334B2482 // 4.7297824323777604e-08
DATA expTable32<>+80(SB)/4, $0x33092801 // 3.1934181521364735e-08
DATA expTable32<>+84(SB)/4, $0x331B85F2 // 3.621057231839586e-08
DATA expTable32<>+88(SB)/4, $0xB3051AA8 // -3.0990719324108795e-08
DATA expTable32<>+92(SB)/4, $0xB2006C56 // -7.475213337215791e-09
DATA expTable32<>+96(SB)/4, $0x329302AE // 1.7114270889351246e-08
DATA expTable32<>+100(SB)/4, $0xB302E5A2 // -3.047683350132502e-08
DATA expTable32<>+104(SB)/4, $0x31B3D0E5 // 5.233334210430485e-09
DATA expTable32<>+108(SB)/4, $0x31D1DAF2 // 6.10759176566944e-09
DATA expTable32<>+112(SB)/4, $0xB27CE182 // -1.4719605090363075e-08
DATA expTable32<>+116(SB)/4, $0xB1B4B0DA // -5.258795177098818e-09
DATA expTable32<>+120(SB)/4, $0xB1D290BE // -6.128259677495862e-09
DATA expTable32<>+124(SB)/4, $0x31B0A147 // 5.140609271592211e-09
GLOBL expTable32<>(SB), RODATA|NOPTR, $128

// Shift, shift+1025, coefficients c1..c6.
DATA expConst64<>+0(SB)/8, $0x42F8000000000000 // 1.5*2^48: rounds to multiples of 1/16
DATA expConst64<>+8(SB)/8, $0x42F8000000004010 // 1.5*2^48 + 1025
DATA expConst64<>+16(SB)/8, $0x3FE62E42FEFA39FE // c1 = 0.693147180559947
DATA expConst64<>+24(SB)/8, $0x3FCEBFBDFF82C560 // c2 = 0.24022650695909942
DATA expConst64<>+32(SB)/8, $0x3FAC6B08D6E839A7 // c3 = 0.05550410865190552
DATA expConst64<>+40(SB)/8, $0x3F83B2AB6FD902CD // c4 = 0.009618129111119167
DATA expConst64<>+48(SB)/8, $0x3F55D89C1A6E892D // c5 = 0.0013333820768158353
DATA expConst64<>+56(SB)/8, $0x3F2430880AB339C4 // c6 = 0.00015403423944922005
GLOBL expConst64<>(SB), RODATA|NOPTR, $64

// Shift, shift+129, coefficients c1..c3.
DATA expConst32<>+0(SB)/4, $0x49400000 // 1.5*2^19
DATA expConst32<>+4(SB)/4, $0x49400810 // 1.5*2^19 + 129
DATA expConst32<>+8(SB)/4, $0x3F317218 // c1 = 0.6931471824645996
DATA expConst32<>+12(SB)/4, $0x3E75FFFE // c2 = 0.2402343451976776
DATA expConst32<>+16(SB)/4, $0x3D635631 // c3 = 0.05550212040543556
GLOBL expConst32<>(SB), RODATA|NOPTR, $20

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
