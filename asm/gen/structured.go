package main

var structured = family{"structured", []routine{
	{Func: "ranges(t []F, place []int, x []F, xs, n int, v []F, s, d, width int)", Cases: []variant{{Levels: AVX2 | AVX512 | NEON, Go: "rangesBlocks"}}},
	{Func: "block(t []F, ts int, x []F, xs int, v []F, vs, w, c int)", Generic: "none", Cases: []variant{
		{Levels: AVX2 | AVX512 | NEON, Stub: "block(t *F, ts int, x *F, xs int, v *F, vs, w, c int)"}}},
	{Func: "line(t, x, v []F, vs, w, c int)", Generic: "none", Cases: []variant{
		{Levels: AVX2 | AVX512 | NEON, Stub: "line(t, x, v *F, vs, w, c int)"}}},
	{Func: "split(s []F, ss int, d []F, ds int, x, y, v, u []F, n, h int)", Cases: []variant{
		{Levels: AVX2 | AVX512 | NEON, Stub: "split(s *F, ss int, d *F, ds int, x, y, v, u *F, n, h int)"}}},
	{Func: "addSub(s, d, a []F, pairs, n int)", Cases: []variant{
		{Levels: AVX2 | AVX512 | NEON, Stub: "addSub(s, d, a *F, pairs, n int)"}}},
	{Func: "transpose(dst, t []F, ts, rows, cols int)", Cases: []variant{
		{Levels: AVX2 | NEON, When: "rows%(32/size) == 0 && cols%4 == 0", Stub: "transpose(dst, t *F, ts, rows, cols int)"}}},
	{Func: "deal(a, b, x []F)", Cases: []variant{
		{Levels: AVX2 | NEON, When: "len(a)%(32/size) == 0", Stub: "deal(a, b, x *F, n int)", Args: "a, b, x, len(a)"}}},
}}

var structuredAssembly = assembly{
	Names: []names{
		{AVX2 | AVX512, "W SHIFT=3|2 BCAST=VBROADCASTS? MADD=VFMADD231P? MUL=VMULP? MSUB=VFMSUB231P? ADD=VADDP? SUB=VSUBP?"},
		{AVX2, "APART=APART# TRANSPOSE=TRANSPOSE# DEAL=DEAL#"},
		{NEON, "T=D2|S4 SHIFT=3|2 BYTES=8|4 FADD=VFADD_D2|VFADD_S4 FSUB=VFSUB_D2|VFSUB_S4 FMUL=VFMUL_D2|VFMUL_S4 FNEG=VFNEG_D2|VFNEG_S4 COLUMNS=COLUMNS#"},
	},
	Entries: []entry{
		{"block", AVX2 | AVX512, "t=DI; ts=R12; x=SI; xs=R8; v=BX; vs=R11; w=CX; c=AX; BLOCK"},
		{"block", NEON, "t=R0; ts=R1; x=R2; xs=R8; v=R6; w=R7; #block"},
		{"line", AVX2 | AVX512, "t=DI; x=SI; v=BX; vs=R11; w=CX; c=AX; LINE"},
		{"line", NEON, "t=R0; x=R2; v=R6; vs=R1; w=R7; #line"},
		{"split", AVX2 | AVX512, "s=DI; ss=R11; d=SI; ds=R12; x=BX; y=R8; v=R9; u=R10; n=AX; h=CX; SPLIT"},
		{"split", NEON, "s=R0; ss=R2; d=R1; ds=R3; x=R12; y=R13; v=R6; u=R7; n=R8; h=R9; #split"},
		{"addSub", AVX2 | AVX512, "s=DI; d=SI; a=BX; pairs=AX; n=CX; ADDSUB"},
		{"addSub", NEON, "s=R0; d=R1; a=R2; pairs=R4; n=R5; #addsub"},
		{"transpose", AVX2, "dst=DI; t=SI; ts=R8; rows=DX; cols=CX; #transpose"},
		{"transpose", NEON, "dst=R0; t=R1; ts=R2; rows=R3; cols=R4; #transpose"},
		{"deal", NEON, "a=R0; b=R1; x=R2; n=R3; #deal"},
		{"deal", AVX2, "a=DI; b=SI; x=BX; n=CX; #deal"},
	},
}
