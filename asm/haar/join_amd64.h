//	for i := range pairs { x[2i], x[2i+1] = s[i]+d[i]*c, s[i]-d[i]*c }
// pairs fills a positive multiple of four vectors. d may be the upper half of x, or lie behind x.
//   DI x, SI d, BX s, DX length of s in bytes, CX bytes of s done
	SHLQ  $SHIFT, DX
	JOINCONST
	XORQ  CX, CX

loop:
	VMOVUPD (BX)(CX*1), V0
	VMOVUPD W(BX)(CX*1), V1
	VMOVUPD (2*W)(BX)(CX*1), V8
	VMOVUPD (3*W)(BX)(CX*1), V2
	MUL     (SI)(CX*1), V12, V4
	MUL     W(SI)(CX*1), V12, V5
	MUL     (2*W)(SI)(CX*1), V12, V6
	MUL     (3*W)(SI)(CX*1), V12, V7
	JOINS4
	STORE8(DI, CX, 2)
	ADDQ    $(4*W), CX
	CMPQ    CX, DX
	JLT     loop
