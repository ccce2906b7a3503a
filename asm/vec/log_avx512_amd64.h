// The logarithm on AVX-512.

#define ONE   Z31
#define INV0  Z30
#define INV1  Z29
#define LOGC0 Z28
#define LOGC1 Z27
#define LN2HI Z26
#define LN2LO Z25
#define FIX   Z24
#define C10   Z23
#define C9    Z22
#define C8    Z21
#define C7    Z20
#define C6    Z19
#define C5    Z18
#define C4    Z17
#define C3    Z16
#define C2    Z15

// t = log(x); x stays, m, e, a, b are scratch. 24 operations on two ports. The
// polynomial goes by pairs, r*r being there anyway.
//   x = 2^e*m, m in [3/4, 3/2); r = m/c - 1; hi = e*ln2hi + log(c), exact
//   s = hi + r, d = (hi - s) + r: their sum is exact
//   t = s + (d + e*ln2lo + r*r*(c2 + c3*r + ...))
#define LOG(x, m, e, a, b, t) \
	GETMANT $11, x, m; \
	GETEXP x, e; \
	GETEXP m, a; \
	SUB a, e, e; \
	LOOKUP(m, a, b); \
	FMSUB213 ONE, a, m; \
	FMADD231 LN2HI, e, b; \
	ADD m, b, a; \
	SUB a, b, b; \
	ADD m, b, b; \
	FMADD231 LN2LO, e, b; \
	MUL m, m, e; \
	LOGPOLYNOMIAL(m, e, t); \
	FMADD213 b, e, t; \
	ADD a, t, t; \
	FIXUPIMM $0, FIX, x, t

// 1/c in a and log(c) in b by the leading bits of the fraction of m.
#define LOOKUP64(m, a, b) \
	VPSRLQ $48, m, a; \
	MOVA a, b; \
	VPERMI2PD INV1, INV0, a; \
	VPERMI2PD LOGC1, LOGC0, b

#define LOOKUP32(m, a, b) \
	VPSRLD $19, m, b; \
	VPERMPS INV0, b, a; \
	VPERMPS LOGC0, b, b

// The polynomial without its last step, in t.
#define LOGPOLYNOMIAL64(m, e, t) \
	MOVA C10, t; \
	FMADD213 C9, m, t; \
	MOVA C8, Z12; \
	FMADD213 C7, m, Z12; \
	FMADD213 Z12, e, t; \
	MOVA C6, Z13; \
	FMADD213 C5, m, Z13; \
	FMADD213 Z13, e, t; \
	MOVA C4, Z14; \
	FMADD213 C3, m, Z14; \
	FMADD213 Z14, e, t; \
	FMADD213 C2, m, t

#define LOGPOLYNOMIAL32(m, e, t) \
	MOVA C5, t; \
	FMADD213 C4, m, t; \
	MOVA C3, Z12; \
	FMADD213 C2, m, Z12; \
	FMADD213 Z12, e, t

#define LOGCONSTANTS64 \
	VMOVUPD logTable64<>+0(SB), INV0; \
	VMOVUPD logTable64<>+64(SB), INV1; \
	VMOVUPD logTable64<>+128(SB), LOGC0; \
	VMOVUPD logTable64<>+192(SB), LOGC1; \
	VBROADCASTSD logConst64<>+0(SB), ONE; \
	VBROADCASTSD logConst64<>+8(SB), LN2HI; \
	VBROADCASTSD logConst64<>+16(SB), LN2LO; \
	VBROADCASTSD logConst64<>+24(SB), FIX; \
	VBROADCASTSD logConst64<>+32(SB), C10; \
	VBROADCASTSD logConst64<>+40(SB), C9; \
	VBROADCASTSD logConst64<>+48(SB), C8; \
	VBROADCASTSD logConst64<>+56(SB), C7; \
	VBROADCASTSD logConst64<>+64(SB), C6; \
	VBROADCASTSD logConst64<>+72(SB), C5; \
	VBROADCASTSD logConst64<>+80(SB), C4; \
	VBROADCASTSD logConst64<>+88(SB), C3; \
	VBROADCASTSD logConst64<>+96(SB), C2

#define LOGCONSTANTS32 \
	VMOVUPS logTable32<>+0(SB), INV0; \
	VMOVUPS logTable32<>+64(SB), LOGC0; \
	VBROADCASTSS logConst32<>+0(SB), ONE; \
	VBROADCASTSS logConst32<>+4(SB), LN2HI; \
	VBROADCASTSS logConst32<>+8(SB), LN2LO; \
	VBROADCASTSS logConst32<>+12(SB), FIX; \
	VBROADCASTSS logConst32<>+16(SB), C5; \
	VBROADCASTSS logConst32<>+20(SB), C4; \
	VBROADCASTSS logConst32<>+24(SB), C3; \
	VBROADCASTSS logConst32<>+28(SB), C2
