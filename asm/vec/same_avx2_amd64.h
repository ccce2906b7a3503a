// The exponential and the logarithm whose bits are those of exp64Generic and log64Generic: the same operations in
// the same order, none of which is fused. Adding 0, which is e there, changes nothing.
//
// SAME is the loop of both:
//	for ; done+4 <= len(src); done += 4 { if any of the four is special { break }; dst[done:] = four results }
//   SI src, DI dst, CX elements, DX done, R8 table; Y9-Y15 constants, Y0-Y8 one vector in work
// Invariant at loop: DX elements are done, and none was special.
// Not unrolled: renaming overlaps the iterations. No tail: the caller does what is left. The tables are read by scalar
// loads, as in log_avx2_amd64.h.
#define SAME(constants, special, body) \
	constants; \
	XORL DX, DX; \
loop: \
	LEAQ 4(DX), AX; \
	CMPQ AX, CX; \
	JGT  end; \
	VMOVUPD (SI)(DX*8), Y0; \
	special; \
	VMOVMSKPD Y1, AX; \
	TESTL AX, AX; \
	JNE   end; \
	body; \
	VMOVUPD Y0, (DI)(DX*8); \
	ADDQ $4, DX; \
	JMP  loop; \
end:

// R9, R10, R11, R12 are the elements of Y3; X7 is scratch.
#define SAMEOFFSETS \
	VMOVQ X3, R9; \
	VPEXTRQ $1, X3, R10; \
	VEXTRACTI128 $1, Y3, X7; \
	VMOVQ X7, R11; \
	VPEXTRQ $1, X7, R12

#define SAMEEXPCONSTANTS \
	LEAQ sameExpTable<>(SB), R8; \
	VMOVUPD sameExpConst<>+0(SB), Y15; \
	VMOVUPD sameExpConst<>+32(SB), Y14; \
	VMOVUPD sameExpConst<>+64(SB), Y13; \
	VMOVUPD sameExpConst<>+96(SB), Y12; \
	VMOVUPD sameExpConst<>+128(SB), Y11; \
	VMOVUPD sameExpConst<>+160(SB), Y10; \
	VMOVUPD sameExpConst<>+192(SB), Y9

// |x| <= 708 is not true.
#define SAMEEXPSPECIAL \
	VANDPD Y15, Y0, Y1; \
	VCMPPD $6, Y14, Y1, Y1

// t = x*(16/ln 2) + shift, k = t - shift, r = x - k*hi - k*lo; f = 2^(k/16) from T' of the table, whose entries have j taken
// from the exponent; x = f + f*p.
#define SAMEEXPBODY \
	VMULPD Y13, Y0, Y1; \
	VADDPD Y12, Y1, Y1; \
	VSUBPD Y12, Y1, Y2; \
	VMULPD Y11, Y2, Y3; \
	VSUBPD Y3, Y0, Y0; \
	VMULPD Y10, Y2, Y3; \
	VSUBPD Y3, Y0, Y0; \
	VPAND  Y9, Y1, Y3; \
	VPSLLQ $4, Y3, Y3; \
	SAMEOFFSETS; \
	VMOVUPD (R8)(R9*1), X5; \
	VMOVUPD (R8)(R10*1), X6; \
	VINSERTF128 $1, (R8)(R11*1), Y5, Y5; \
	VINSERTF128 $1, (R8)(R12*1), Y6, Y6; \
	VUNPCKLPD Y6, Y5, Y8; \
	VUNPCKHPD Y6, Y5, Y6; \ // the relative error of T
	VPSLLQ $48, Y1, Y1; \
	VPADDQ Y1, Y8, Y8; \ // f
	VMULPD sameExpConst<>+224(SB), Y0, Y2; \
	VADDPD sameExpConst<>+256(SB), Y2, Y2; \
	VMULPD Y0, Y2, Y2; \
	VADDPD sameExpConst<>+288(SB), Y2, Y2; \
	VMULPD Y0, Y2, Y2; \
	VADDPD sameExpConst<>+320(SB), Y2, Y2; \
	VMULPD Y0, Y2, Y2; \
	VADDPD sameExpConst<>+352(SB), Y2, Y2; \
	VMULPD Y0, Y0, Y3; \
	VMULPD Y3, Y2, Y2; \
	VADDPD Y2, Y0, Y2; \
	VADDPD Y6, Y2, Y2; \
	VMULPD Y8, Y2, Y2; \
	VADDPD Y8, Y2, Y0

#define SAMELOGCONSTANTS \
	LEAQ sameLogTable<>(SB), R8; \
	VMOVUPD sameLogConst<>+0(SB), Y15; \
	VMOVUPD sameLogConst<>+32(SB), Y14; \
	VMOVUPD sameLogConst<>+64(SB), Y13; \
	VMOVUPD sameLogConst<>+96(SB), Y12; \
	VMOVUPD sameLogConst<>+128(SB), Y11; \
	VMOVUPD sameLogConst<>+160(SB), Y10; \
	VMOVUPD sameLogConst<>+192(SB), Y9

// x >= 2^-1022 or x <= the largest number is not true.
#define SAMELOGSPECIAL \
	VCMPPD $9, Y15, Y0, Y1; \
	VCMPPD $6, Y14, Y0, Y2; \
	VORPD  Y2, Y1, Y1

// Two steps of the polynomial: q = (a + r*b) + r2*q, where b and a are constants; Y3 r, Y2 r2, Y5 q.
#define SAMELOGSTEP(b, a) \
	VMULPD sameLogConst<>+b(SB), Y3, Y6; \
	VADDPD sameLogConst<>+a(SB), Y6, Y6; \
	VMULPD Y2, Y5, Y5; \
	VADDPD Y5, Y6, Y5

// u = bits + (bits of 1 - bits of 3/4) has the exponent e, in Y2, of x = 2^e*m; r = mh*(1/c) - 1 + (m - mh)*(1/c), where
// mh has 33 bits; hi = e*ln2hi + log(c); s = hi + r, d = (hi - s) + r + e*ln2lo + (the rest of log(c)); x = s + (d + r2*q).
#define SAMELOGBODY \
	VPADDQ Y13, Y0, Y1; \
	VPSRLQ $52, Y1, Y2; \
	VPOR   Y12, Y2, Y2; \
	VSUBPD Y11, Y2, Y2; \
	VPAND  Y10, Y1, Y1; \
	VPSUBQ Y1, Y0, Y0; \
	VPADDQ Y9, Y0, Y0; \ // m
	VPSRLQ $43, Y0, Y3; \
	VPAND  sameLogConst<>+224(SB), Y3, Y3; \
	SAMEOFFSETS; \
	VMOVUPD (R8)(R9*1), Y4; \
	VMOVUPD (R8)(R10*1), Y5; \
	VMOVUPD (R8)(R11*1), Y6; \
	VMOVUPD (R8)(R12*1), Y7; \
	VUNPCKLPD Y5, Y4, Y8; \
	VUNPCKHPD Y5, Y4, Y4; \
	VUNPCKLPD Y7, Y6, Y5; \
	VUNPCKHPD Y7, Y6, Y6; \
	VPERM2F128 $0x20, Y5, Y8, Y7; \ // 1/c
	VPERM2F128 $0x31, Y5, Y8, Y8; \ // the rest of log(c)
	VPERM2F128 $0x20, Y6, Y4, Y4; \ // log(c)
	VPAND  sameLogConst<>+256(SB), Y0, Y1; \
	VMULPD Y7, Y1, Y3; \
	VSUBPD Y9, Y3, Y3; \
	VSUBPD Y1, Y0, Y1; \
	VMULPD Y7, Y1, Y1; \
	VADDPD Y1, Y3, Y3; \ // r
	VMULPD sameLogConst<>+288(SB), Y2, Y1; \
	VADDPD Y4, Y1, Y1; \ // hi
	VADDPD Y3, Y1, Y4; \ // s
	VSUBPD Y4, Y1, Y1; \
	VADDPD Y3, Y1, Y1; \
	VMULPD sameLogConst<>+320(SB), Y2, Y5; \
	VADDPD Y5, Y1, Y1; \
	VADDPD Y8, Y1, Y1; \ // d
	VMULPD Y3, Y3, Y2; \ // r2
	VMULPD sameLogConst<>+352(SB), Y3, Y5; \
	VADDPD sameLogConst<>+384(SB), Y5, Y5; \
	SAMELOGSTEP(416, 448); \
	SAMELOGSTEP(480, 512); \
	SAMELOGSTEP(544, 576); \
	VMULPD Y3, Y5, Y5; \
	VADDPD sameLogConst<>+608(SB), Y5, Y5; \
	VMULPD Y2, Y5, Y5; \
	VADDPD Y5, Y1, Y1; \
	VADDPD Y1, Y4, Y0
