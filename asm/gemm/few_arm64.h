// Products of few columns, see gemm_neon_arm64.h.
	LSL    $SHIFT, R9, R9
	LSL    $SHIFT, R3, R3
	LSL    $SHIFT, R10, R10
	LSL    $SHIFT, R12, R12
	LSLINT $1, R21, R21 // ±0 is 0
	CMP    $LANES, R14
	BLE    first
	SUB    $LANES, R14, R15
	LSL    $SHIFT, R15, R15

two:
	GROUP
twoloop:
	VLD1   (R16), [V24.T]
	ADD    $16, R16, R20
	ADD    R10, R16, R16
	GETLAST(V25, bparts, bsingle, bdone)
	TWOFMA(R5, V0, V1)
	TWOFMA(R6, V2, V3)
	TWOFMA(R7, V4, V5)
	TWOFMA(R8, V6, V7)
	SUBS   $1, R17, R17
	BNE    twoloop
	TWOOUT(0, V0, V1, plain0, both0, scale0, gparts0, gsingle0, gdone0, put0, parts0, single0, done0)
	TWOOUT(2, V2, V3, plain1, both1, scale1, gparts1, gsingle1, gdone1, put1, parts1, single1, done1)
	TWOOUT(4, V4, V5, plain2, both2, scale2, gparts2, gsingle2, gdone2, put2, parts2, single2, done2)
	TWOOUT(6, V6, V7, plain3, both3, scale3, gparts3, gsingle3, gdone3, put3, parts3, single3, done3)
	NEXTGROUP
	B      two

first:
	LSL    $SHIFT, R14, R15
one:
	GROUP
oneloop:
	MOVD   R16, R20
	ADD    R10, R16, R16
	GETLAST(V25, cparts, csingle, cdone)
	ONEFMA(R5, V1)
	ONEFMA(R6, V3)
	ONEFMA(R7, V5)
	ONEFMA(R8, V7)
	SUBS   $1, R17, R17
	BNE    oneloop
	ONEOUT(1, V1, scale4, gparts4, gsingle4, gdone4, put4, parts4, single4, done4)
	ONEOUT(3, V3, scale5, gparts5, gsingle5, gdone5, put5, parts5, single5, done5)
	ONEOUT(5, V5, scale6, gparts6, gsingle6, gdone6, put6, parts6, single6, done6)
	ONEOUT(7, V7, scale7, gparts7, gsingle7, gdone7, put7, parts7, single7, done7)
	NEXTGROUP
	B      one

finished:
