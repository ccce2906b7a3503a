// The inverse of split3 in descending order: c[0], c[1], c[2] multiply d1, d2,
// d3 before the sums. s may be at x or before it.
//   DI x; SI, R8, R9 d1, d2, d3; BX s; CX bytes of s left
	SHLQ  $SHIFT, CX
	BCAST (0<<SHIFT)(AX), V12
	BCAST (1<<SHIFT)(AX), V13
	BCAST (2<<SHIFT)(AX), V14
	JOINCONST

loop:
	SUBQ    $W, CX
	VMOVUPD (BX)(CX*1), V0
	MUL     (R9)(CX*1), V14, V1
	MUL     (R8)(CX*2), V13, V2
	MUL     W(R8)(CX*2), V13, V3
	MUL     (SI)(CX*4), V12, V4
	MUL     W(SI)(CX*4), V12, V5
	MUL     (2*W)(SI)(CX*4), V12, V6
	MUL     (3*W)(SI)(CX*4), V12, V7
	JOINS7
	STORE8(DI, CX, 8)
	TESTQ   CX, CX
	JNZ     loop
