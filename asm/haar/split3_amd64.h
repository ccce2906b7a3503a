// Three levels of split of 8m elements of x, m a positive multiple of a vector, in
// ascending order: d1 gets 4m differences times c[0], d2 2m times c[1], d3 m
// times c[2], s m sums. s may be at x or before it.
//   DI, SI, R8, R9 d1, d2, d3, s; BX x; DX length of s in bytes; CX bytes of s done
	SHLQ  $SHIFT, DX
	BCAST (0<<SHIFT)(AX), V12
	BCAST (1<<SHIFT)(AX), V13
	BCAST (2<<SHIFT)(AX), V14
	PAIRCONST
	XORQ  CX, CX

loop:
	SPLIT8(BX, CX, 8)
	PAIR(V0, V2, V8)
	PAIR(V4, V6, V9)
	PAIR(V0, V4, V10)
	MUL     V12, V1, V1
	MUL     V12, V3, V3
	MUL     V12, V5, V5
	MUL     V12, V7, V7
	MUL     V13, V2, V2
	MUL     V13, V6, V6
	MUL     V14, V4, V4
	VMOVUPD V1, (DI)(CX*4)
	VMOVUPD V3, W(DI)(CX*4)
	VMOVUPD V5, (2*W)(DI)(CX*4)
	VMOVUPD V7, (3*W)(DI)(CX*4)
	VMOVUPD V2, (SI)(CX*2)
	VMOVUPD V6, W(SI)(CX*2)
	VMOVUPD V4, (R8)(CX*1)
	VMOVUPD V0, (R9)(CX*1)
	ADDQ    $W, CX
	CMPQ    CX, DX
	JLT     loop
