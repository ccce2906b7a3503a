package main

// byColumns lists the cases of ger and gemvT on amd64, which give the same bits at AVX2 and at
// AVX-512. A row of half a register of AVX-512 is a whole register of AVX2. AVX2 then
// needs no mask, for whose stores the loads of the next row or call would wait.
func byColumns(neon variant) []variant {
	return []variant{{Levels: AVX512, When: "len(y) != lanes/2"}, {Levels: AVX2}, neon}
}

var level2 = family{"level2", []routine{
	{Func: "dot(x, y []F) F", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "scale(x []F, alpha F)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "ger(a []F, lda int, x, y []F, alpha F)", Cases: byColumns(variant{Levels: NEON, Go: "gerNEON"})},
	{Func: "gemvN(y, a []F, lda int, x []F, alpha F)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "gemvT(y, a []F, lda int, x []F, alpha F)", Cases: byColumns(variant{Levels: NEON})},
	{Func: "symv(a []F, lda int, x, y []F, xr, s *[4]F)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "symvRows(a []F, lda, first, rows int, x, y []F, lower bool)", Cases: on(AVX2 | AVX512 | NEON)},
	{
		Func:  "substitute(b []F, ldb, n, k int, t []F, rs, cs int, d *[8]F, back bool)",
		Cases: []variant{{Levels: AVX512, Go: "substituteAVX512"}, {Levels: AVX2, Go: "substituteAVX2"}, {Levels: NEON, Go: "substituteNEON"}},
	},
	{Func: "solve(b *F, ldb, n, k int, t *F, rs, cs int, d *F)", Cases: on(AVX2 | AVX512 | NEON), Direct: true},
	{Func: "reflect(x, y, z []F, a, b, tau F)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "rotate(a *F, lda, n int, c, s []F)", Cases: on(AVX2 | AVX512 | NEON), Direct: true},
	{
		Func:  "rotateRows(a []F, lda, n int, c, s []F, back bool)",
		Cases: []variant{{Levels: AVX512, Go: "rotateRowsAVX512"}, {Levels: AVX2, Go: "rotateRowsAVX2"}, {Levels: NEON, Go: "rotateRowsNEON"}},
	},
	{Func: "axpy(y, x []F, alpha F)", Cases: on(NEON), Direct: true},
}}

var level2Assembly = assembly{
	Names: []names{
		{AVX2 | AVX512, `W V0-V14 SHIFT=3|2 SIZE=8|4 MOVU=VMOVUP? MASKMOV=VMASKMOVP? ADD=VADDP? SUB=VSUBP? MUL=VMULP? FMA=VFMADD231P?
			FNMADD=VFNMADD231P? FNMADDB=VFNMADD231P?.BCST MULB=VMULP?.BCST BROADCAST=VBROADCASTS? MOVS=VMOVS? MULS=VMULS?
			FMAS=VFMADD231S? SUM=SUM# SUMS=SUMS# SUMSV=Y0|X0 TERMV=Y1|X1 ALPHAV=Y11|X11`},
		{NEON, `T=D2|S4 E=? SHIFT=3|2 SIZE=8|4 FMOV=FMOV? FMUL=FMUL? FMADD=FMADD? PLUS=VFADD_D2|VFADD_S4 MINUS=VFSUB_D2|VFSUB_S4 TIMES=VFMUL_D2|VFMUL_S4 SUM=SUM#
			FOURSUMS=FOURSUMS# ADDSUMS=ADDSUMS# LOADBLOCK=LOADBLOCK# UPPERBLOCK=UPPERBLOCK# LOWERBLOCK=LOWERBLOCK# BLOCKPRODUCTS=BLOCKPRODUCTS#`},
	},
	Data: []data{
		// Four words of ones, then four of zeros: tailMask+32-n begins with n bytes of ones.
		{"tailMask", AVX2, 64, 4, "#-1 #0"},
		// A vector of zeros, one of ones and one of zeros: the lanes that symvRows takes beside the diagonal.
		{"besides", AVX2, 64, 4, "#0 #-1 #0"},
		{"besides", AVX512, 64, 8, "#0 #-1 #0"},
	},
	Entries: []entry{
		{"dot", AVX2 | AVX512, "x=SI,CX; y=DI; #dot; ret=X0"},
		{"dot", NEON, "x=R0,R2; y=R1; #dot; ret=F0"},
		{"scale", AVX2 | AVX512, "x=SI,CX; alpha=V0:all; #scale"},
		{"scale", NEON, "x=R0,R2; alpha=F0; #scale"},
		{"ger", AVX2 | AVX512, "a=SI; lda=R8; x=DX,BX; y=DI,CX; alpha=X0; #ger"},
		{"gemvN", AVX2 | AVX512, "y=DI,BX; a=SI; lda=R8; x=DX,CX; alpha=X11; #gemvn"},
		{"gemvT", AVX2 | AVX512, "y=DI,CX; a=SI; lda=R8; x=DX,BX; alpha=X7; #gemvt"},
		{"gemvN", NEON, "y=R5,R7; a=R0; lda=R3; x=R4,R6; alpha=F24; #gemvn"},
		{"gemvT", NEON, "y=R5,R6; a=R0; lda=R3; x=R4,R7; alpha=F24; #gemvt"},
		{"symv", AVX2 | AVX512, "a=SI; lda=R8; x=DX,CX; y=DI; xr=BX; s=R10; #symv"},
		{"symv", NEON, "a=R0; lda=R3; x=R4,R6; y=R5; xr=R7; s=R8; #symv"},
		{"symvRows", AVX2 | AVX512, "a=SI; lda=R8; first=R10; rows=BX; x=DX,CX; y=DI; lower=R11; #symvrows"},
		{"symvRows", NEON, "a=R0; lda=R3; first=R8; rows=R7; x=R4,R6; y=R5; lower=R9; #symvrows"},
		{"rotate", AVX2 | AVX512, "a=SI; lda=R8; n=CX; c=DI,BX; s=DX; #rotate"},
		{"rotate", NEON, "a=R0; lda=R3; n=R2; c=R4,R6; s=R5; #rotate"},
		{"solve", AVX2 | AVX512, "locals 32; b=DI; ldb=R8; n=DX; k=CX; t=BX; rs=R13; cs=R14; d=AX; #solve"},
		{"solve", NEON, "b=R0; ldb=R3; n=R2; k=R4; t=R19; rs=R20; cs=R6; d=R5; #solve"},
		{"reflect", AVX2 | AVX512, "x=SI,CX; y=DI; z=BX; a=X4; b=X5; tau=X6; #reflect"},
		{"reflect", NEON, "x=R0,R2; y=R1; z=R3; a=F4; b=F5; tau=F6; #reflect"},
		{"axpy", NEON, "y=R0,R2; x=R1; alpha=F0; #axpy"},
	},
}
