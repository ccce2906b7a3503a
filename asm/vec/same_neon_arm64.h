// The exponential and the logarithm whose bits are those of exp64Generic and log64Generic on NEON: the operations of
// same_avx2_amd64.h in the same order, none of which is fused.

// SAME is the loop of both:
//	for ; done+2 <= len(src); done += 2 { if one of the two is special { break }; dst[done:] = two results }
//   R1 src, R0 dst, R2 elements, R3 done, R13 table; V12-V31 constants, V0-V9 one vector in work, R5, R6 scratch
// Invariant at loop: R3 elements are done, and none was special. regular sets the bits of V1 where an element is not special.
// Not unrolled. No tail: the caller does what is left.
#define SAME(constants, regular, body) \
	constants; \
	MOVD $0, R3; \
loop: \
	ADD  $2, R3, R4; \
	CMP  R2, R4; \
	BGT  end; \
	FMOVQ (R1), F0; \
	regular; \
	VMOV V1.D[0], R5; \
	VMOV V1.D[1], R6; \
	AND  R6, R5, R5; \
	CBZ  R5, end; \
	body; \
	FMOVQ F0, (R0); \
	ADD  $16, R0; \
	ADD  $16, R1; \
	MOVD R4, R3; \
	B    loop; \
end:

#define SAMEEXPCONSTANTS \
	MOVD $expTable64<>(SB), R13; \
	MOVD $sameExpConst<>+8(SB), R5; \
	VLD1R.P 8(R5), [V17.D2]; \
	VLD1R.P 8(R5), [V18.D2]; \
	VLD1R.P 8(R5), [V19.D2]; \
	VLD1R.P 8(R5), [V20.D2]; \
	VLD1R.P 8(R5), [V21.D2]; \
	ADD $8, R5; \
	VLD1R.P 8(R5), [V24.D2]; \
	VLD1R.P 8(R5), [V25.D2]; \
	VLD1R.P 8(R5), [V26.D2]; \
	VLD1R.P 8(R5), [V27.D2]; \
	VLD1R.P 8(R5), [V28.D2]

// |x| <= 708
#define SAMEEXPREGULAR \
	VFABS_D2(0, 1); \
	VFCMGE_D2(1, 17, 1)

// t = x*(16/ln 2) + shift, k = t - shift, r = x - k*hi - k*lo; f = 2^(k/16) from T'; x = f + f*p.
#define SAMEEXPBODY \
	VFMUL_D2(18, 0, 1); \
	VFADD_D2(19, 1, 1); \
	VFSUB_D2(19, 1, 2); \
	VFMUL_D2(20, 2, 3); \
	VFSUB_D2(3, 0, 0); \
	VFMUL_D2(21, 2, 3); \
	VFSUB_D2(3, 0, 0); \
	VMOV V1.D[0], R5; \
	VMOV V1.D[1], R6; \
	AND  $15, R5, R5; \
	AND  $15, R6, R6; \
	ADD  R5<<4, R13, R5; \
	ADD  R6<<4, R13, R6; \
	FMOVQ (R5), F6; \
	FMOVQ (R6), F7; \
	VZIP1 V7.D2, V6.D2, V4.D2; \
	VZIP2 V7.D2, V6.D2, V6.D2; \ // the relative error of T
	VSHL $48, V1.D2, V1.D2; \
	VADD V1.D2, V4.D2, V4.D2; \ // f
	VFMUL_D2(24, 0, 2); \
	VFADD_D2(25, 2, 2); \
	VFMUL_D2(0, 2, 2); \
	VFADD_D2(26, 2, 2); \
	VFMUL_D2(0, 2, 2); \
	VFADD_D2(27, 2, 2); \
	VFMUL_D2(0, 2, 2); \
	VFADD_D2(28, 2, 2); \
	VFMUL_D2(0, 0, 3); \
	VFMUL_D2(3, 2, 2); \
	VFADD_D2(2, 0, 2); \
	VFADD_D2(6, 2, 2); \
	VFMUL_D2(4, 2, 2); \
	VFADD_D2(4, 2, 0)

// V16 and V17 the least and the largest regular number, V18 bits of 1 - bits of 3/4, V19 2^52, V20 2^52 + 1023, V21 exponent,
// V22 1, V23 33 bits of a fraction, V24 and V25 ln 2, V26-V31 c10-c5, V12-V14 c4-c2.
#define SAMELOGCONSTANTS \
	MOVD $sameLogTable<>(SB), R13; \
	MOVD $sameLogConst<>(SB), R5; \
	VLD1R.P 8(R5), [V16.D2]; \
	VLD1R.P 8(R5), [V17.D2]; \
	VLD1R.P 8(R5), [V18.D2]; \
	VLD1R.P 8(R5), [V19.D2]; \
	VLD1R.P 8(R5), [V20.D2]; \
	VLD1R.P 8(R5), [V21.D2]; \
	VLD1R.P 8(R5), [V22.D2]; \
	ADD $8, R5; \
	VLD1R.P 8(R5), [V23.D2]; \
	VLD1R.P 8(R5), [V24.D2]; \
	VLD1R.P 8(R5), [V25.D2]; \
	VLD1R.P 8(R5), [V26.D2]; \
	VLD1R.P 8(R5), [V27.D2]; \
	VLD1R.P 8(R5), [V28.D2]; \
	VLD1R.P 8(R5), [V29.D2]; \
	VLD1R.P 8(R5), [V30.D2]; \
	VLD1R.P 8(R5), [V31.D2]; \
	VLD1R.P 8(R5), [V12.D2]; \
	VLD1R.P 8(R5), [V13.D2]; \
	VLD1R.P 8(R5), [V14.D2]

// 2^-1022 <= x <= the largest number
#define SAMELOGREGULAR \
	VFCMGE_D2(16, 0, 1); \
	VFCMGE_D2(0, 17, 2); \
	VAND V2.B16, V1.B16, V1.B16

// Two steps of the polynomial: q = (a + r*b) + r2*q; V3 r, V2 r2, V5 q.
#define SAMELOGSTEP(b, a) \
	VFMUL_D2(b, 3, 6); \
	VFADD_D2(a, 6, 6); \
	VFMUL_D2(2, 5, 5); \
	VFADD_D2(5, 6, 5)

// u = bits + (bits of 1 - bits of 3/4) has the exponent e, in V2, of x = 2^e*m; r = mh*(1/c) - 1 + (m - mh)*(1/c), where
// mh has 33 bits; hi = e*ln2hi + log(c); s = hi + r, d = (hi - s) + r + e*ln2lo + (the rest of log(c)); x = s + (d + r2*q).
#define SAMELOGBODY \
	VADD V18.D2, V0.D2, V1.D2; \
	VUSHR $52, V1.D2, V2.D2; \
	VORR V19.B16, V2.B16, V2.B16; \
	VFSUB_D2(20, 2, 2); \
	VAND V21.B16, V1.B16, V1.B16; \
	VSUB V1.D2, V0.D2, V0.D2; \
	VADD V22.D2, V0.D2, V0.D2; \ // m
	VMOV V0.D[0], R5; \
	VMOV V0.D[1], R6; \
	LSR  $43, R5, R5; \
	LSR  $43, R6, R6; \
	AND  $0x1E0, R5, R5; \
	AND  $0x1E0, R6, R6; \
	ADD  R13, R5, R5; \
	ADD  R13, R6, R6; \
	FMOVQ (R5), F4; \
	FMOVQ (R6), F7; \
	FMOVD 16(R5), F8; \
	FMOVD 16(R6), F9; \
	VZIP1 V7.D2, V4.D2, V6.D2; \ // 1/c
	VZIP2 V7.D2, V4.D2, V4.D2; \ // log(c)
	VZIP1 V9.D2, V8.D2, V8.D2; \ // its rest
	VAND V23.B16, V0.B16, V1.B16; \
	VFMUL_D2(6, 1, 3); \
	VFSUB_D2(22, 3, 3); \
	VFSUB_D2(1, 0, 1); \
	VFMUL_D2(6, 1, 1); \
	VFADD_D2(1, 3, 3); \ // r
	VFMUL_D2(24, 2, 1); \
	VFADD_D2(4, 1, 1); \ // hi
	VFADD_D2(3, 1, 4); \ // s
	VFSUB_D2(4, 1, 1); \
	VFADD_D2(3, 1, 1); \
	VFMUL_D2(25, 2, 5); \
	VFADD_D2(5, 1, 1); \
	VFADD_D2(8, 1, 1); \ // d
	VFMUL_D2(3, 3, 2); \ // r2
	VFMUL_D2(26, 3, 5); \
	VFADD_D2(27, 5, 5); \
	SAMELOGSTEP(28, 29); \
	SAMELOGSTEP(30, 31); \
	SAMELOGSTEP(12, 13); \
	VFMUL_D2(3, 5, 5); \
	VFADD_D2(14, 5, 5); \
	VFMUL_D2(2, 5, 5); \
	VFADD_D2(5, 1, 1); \
	VFADD_D2(1, 4, 0)
