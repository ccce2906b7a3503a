// Products of few columns, see gemm_avx2_amd64.h.
	SHLQ   $SHIFT, R8
	SHLQ   $SHIFT, R12
	SHLQ   $SHIFT, R13
	SHLQ   $SHIFT, DX
	VXORPS Y10, Y10, Y10
	ADD    Y10, Y9, Y9 // -0 is 0
	MOVQ   AX, CX
	SUBQ   $LANES, CX
	CMOVQLE AX, CX // the columns of the last vector
	SHLQ   $SHIFT, CX
	LEAQ   tailMask<>+32(SB), R9
	SUBQ   CX, R9
	VMOVUPS (R9), Y14
	VMOVQ  CX, X11
	CMPQ   AX, $LANES
	JLE    one

two:
	OFFSETS
twoloop:
	MOVU    (BX), Y12
	MASKMOV 32(BX), Y14, Y13
	TWOFMA((AX), Y0, Y1)
	TWOFMA((AX)(R14*1), Y2, Y3)
	TWOFMA((AX)(R15*1), Y4, Y5)
	TWOFMA((AX)(R9*1), Y6, Y7)
	NEXTP
	JNZ     twoloop
	VMOVQ   X11, AX
	TWOOUT(Y0, Y1, X1, plain0, both0, scale0, out0, parts0, eight0, four0, done0)
	TWOOUT(Y2, Y3, X3, plain1, both1, scale1, out1, parts1, eight1, four1, done1)
	TWOOUT(Y4, Y5, X5, plain2, both2, scale2, out2, parts2, eight2, four2, done2)
	TWOOUT(Y6, Y7, X7, plain3, both3, scale3, out3, parts3, eight3, four3, done3)
	NEXTGROUP
	JMP     two

one:
	OFFSETS
oneloop:
	MASKMOV (BX), Y14, Y13
	ONEFMA((AX), Y1)
	ONEFMA((AX)(R14*1), Y3)
	ONEFMA((AX)(R15*1), Y5)
	ONEFMA((AX)(R9*1), Y7)
	NEXTP
	JNZ     oneloop
	VMOVQ   X11, AX
	ONEOUT(Y1, X1, scale4, out4, parts4, eight4, four4, done4)
	ONEOUT(Y3, X3, scale5, out5, parts5, eight5, four5, done5)
	ONEOUT(Y5, X5, scale6, out6, parts6, eight6, four6, done6)
	ONEOUT(Y7, X7, scale7, out7, parts7, eight7, four7, done7)
	NEXTGROUP
	JMP     one

finished:
