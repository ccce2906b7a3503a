//	for i := pairs-1; i >= 0; i-- { s[i], d[i] = x[2i]+x[2i+1], (x[2i]-x[2i+1])*c }
// pairs fills a positive multiple of four vectors. d may be the upper half of x, or lie behind x.
//   DI d, SI s, BX x, CX bytes of d left.
	SHLQ  $SHIFT, CX
	PAIRCONST

loop:
	SUBQ    $(4*W), CX
	SPLIT8(BX, CX, 2)
	MUL     V12, V1, V1
	MUL     V12, V3, V3
	MUL     V12, V5, V5
	MUL     V12, V7, V7
	VMOVUPD V1, (DI)(CX*1)
	VMOVUPD V3, W(DI)(CX*1)
	VMOVUPD V5, (2*W)(DI)(CX*1)
	VMOVUPD V7, (3*W)(DI)(CX*1)
	VMOVUPD V0, (SI)(CX*1)
	VMOVUPD V2, W(SI)(CX*1)
	VMOVUPD V4, (2*W)(SI)(CX*1)
	VMOVUPD V6, (3*W)(SI)(CX*1)
	TESTQ   CX, CX
	JNZ     loop
