// The logarithm on AVX2.

#define LOGCONOF64(n) logCon64<>+n(SB)
#define LOGCONOF32(n) logCon32<>+n(SB)

// Y1 = log(Y0), scratch Y2-Y9. Y12 +Inf, Y13 exponent bits, Y14 1.0, Y15 0; the
// steps are those of log_avx512_amd64.h, with the exponent and fraction taken
// apart by integer operations: denormals are first multiplied by 2^52 (2^23);
// u = bits + (bits of 1 - bits of 3/4) has the exponent of the interval
// [3/4, 3/2). At the end +Inf and NaN are added, Inf is subtracted for 0, and
// all bits are set for negative x. The table of float64 is at R8
// and read by scalar loads: VGATHERQPD took four times as long on Skylake-SP with
// current microcode.
#define LOG \
	CMPF $17, LOGCON(0), Y0, Y1; \
	MUL LOGCON(32), Y0, Y2; \
	BLENDV Y1, Y2, Y0, Y2; \
	ANDF LOGCON(64), Y1, Y1; \
	ADDI LOGCON(96), Y2, Y3; \
	SRLI $FRACTION, Y3, Y4; \
	TOFLOAT; \
	SUB Y1, Y4, Y4; \
	VPAND Y13, Y3, Y3; \
	SUBI Y3, Y2, Y2; \
	ADDI Y14, Y2, Y2; \
	SRLI $(FRACTION-INDEXBITS), Y2, Y3; \
	LOOKUP; \
	FMSUB213 Y14, Y8, Y2; \
	FMADD231 LOGCON(LN2), Y4, Y6; \
	ADD Y2, Y6, Y5; \
	SUB Y5, Y6, Y6; \
	ADD Y2, Y6, Y6; \
	FMADD231 LOGCON(LN2+32), Y4, Y6; \
	MUL Y2, Y2, Y4; \
	LOGPOLYNOMIAL; \
	FMADD213 Y6, Y4, Y1; \
	ADD Y5, Y1, Y1; \
	CMPF $5, Y12, Y0, Y2; \
	ANDF Y0, Y2, Y2; \
	CMPF $0, Y15, Y0, Y3; \
	ANDF Y12, Y3, Y3; \
	CMPF $17, Y15, Y0, Y4; \
	ADD Y2, Y1, Y1; \
	SUB Y3, Y1, Y1; \
	ORF Y4, Y1, Y1

// The exponent in Y4 as a number.
#define TOFLOAT64 \
	VPOR LOGCON(192), Y4, Y4; \
	SUB LOGCON(224), Y4, Y4

#define TOFLOAT32 \
	VPSUBD LOGCON(192), Y4, Y4; \
	VCVTDQ2PS Y4, Y4

// 1/c in Y8 and log(c) in Y6 by the bits in Y3.
#define LOOKUP64 \
	VPAND LOGCON(256), Y3, Y3; \
	VMOVQ X3, R9; \
	VPEXTRQ $1, X3, R10; \
	VEXTRACTI128 $1, Y3, X7; \
	VMOVQ X7, R11; \
	VPEXTRQ $1, X7, R12; \
	MOVU (R8)(R9*1), X5; \
	MOVU (R8)(R10*1), X6; \
	VINSERTF128 $1, (R8)(R11*1), Y5, Y5; \
	VINSERTF128 $1, (R8)(R12*1), Y6, Y6; \
	VUNPCKLPD Y6, Y5, Y8; \
	VUNPCKHPD Y6, Y5, Y6

#define LOOKUP32 \
	VPERMPS Y10, Y3, Y8; \
	VPERMPS Y11, Y3, Y6

// The polynomial without its last step, in Y1.
#define LOGPOLYNOMIAL64 \
	MOVU LOGCON(384), Y1; \
	FMADD213 LOGCON(416), Y2, Y1; \
	MOVU LOGCON(448), Y7; \
	FMADD213 LOGCON(480), Y2, Y7; \
	FMADD213 Y7, Y4, Y1; \
	MOVU LOGCON(512), Y8; \
	FMADD213 LOGCON(544), Y2, Y8; \
	FMADD213 Y8, Y4, Y1; \
	MOVU LOGCON(576), Y9; \
	FMADD213 LOGCON(608), Y2, Y9; \
	FMADD213 Y9, Y4, Y1; \
	FMADD213 LOGCON(640), Y2, Y1

#define LOGPOLYNOMIAL32 \
	MOVU LOGCON(320), Y1; \
	FMADD213 LOGCON(352), Y2, Y1; \
	MOVU LOGCON(384), Y7; \
	FMADD213 LOGCON(416), Y2, Y7; \
	FMADD213 Y7, Y4, Y1; \
	FMADD213 LOGCON(448), Y2, Y1

// The constants that stay in registers. The table of float64 is at R8; Y10 and Y11 are those of 1/c and log(c) of
// float32.
#define LOGCONSTANTS64 \
	LEAQ logTab64<>(SB), R8; \
	MOVU LOGCON(352), Y12; \
	MOVU LOGCON(128), Y13; \
	MOVU LOGCON(160), Y14; \
	VXORPD Y15, Y15, Y15
#define LOGCONSTANTS32 \
	MOVU logTab32<>+0(SB), Y10; \
	MOVU logTab32<>+32(SB), Y11; \
	MOVU LOGCON(288), Y12; \
	MOVU LOGCON(128), Y13; \
	MOVU LOGCON(160), Y14; \
	VXORPS Y15, Y15, Y15
