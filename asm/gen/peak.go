package main

var peak = family{"peak", []routine{
	{Func: "fma(x []F, a, b F, rounds int)", Generic: "fmaGeneric(x, a, four(b), rounds)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "add(x []F, b F, rounds int)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "mix(x []F, a, b F, rounds int)", Generic: "mixGeneric(x, a, four(b), rounds)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "sum(x []F) F", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "move(dst, src []F)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "shift(x []F, b F)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "fill(dst []F, v F)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "stream(dst []F, v F)", Generic: "fill(dst, v)", Cases: on(AVX2 | AVX512 | NEON)},
}}

const (
	neonA = "a=R5; VDUP R5, V24.T; "
	neonB = "b=R5; VDUP R5, V25.T; "
)

var peakAssembly = assembly{
	Names: []names{
		{AVX2 | AVX512, "W V0-V7 LOG=3|2 SIZE=8|4 ADDV=VADDP? ADDS=VADDS? MOVS=VMOVS? FMAV=VFMADD231P? FOLD=FOLD#"},
		{AVX2, "A=Y12 B=Y13 XB=X13"},
		{AVX512, "A=Z24 B=Z25 XB=X25"},
		{NEON, "T=D2|S4 LOG=3|2 SIZE=8|4 PLUS=VFADD_D2|VFADD_S4 MOVE=FMOV? ADDS=FADD? FOLD=FOLD#"},
	},
	Entries: []entry{
		{"fma", AVX2 | AVX512, "x=DI,CX; a=A:all; b=B:all; rounds=R9; REGISTERS(ROWS(FMA))"},
		{"fma", NEON, "x=R0,R2; " + neonA + neonB + "rounds=R6; REGISTERS(FMA24)"},
		{"add", AVX2 | AVX512, "x=DI,CX; b=B:all; rounds=R9; REGISTERS(ROWS(ADD))"},
		{"add", NEON, "x=R0,R2; " + neonB + "rounds=R6; REGISTERS(ADD24)"},
		{"mix", AVX2 | AVX512, "x=DI,CX; a=A:all; b=B:all; rounds=R9; REGISTERS(MIX)"},
		{"mix", NEON, "x=R0,R2; " + neonA + neonB + "rounds=R6; REGISTERS(MIX24)"},
		{"sum", AVX2 | AVX512, "x=SI,CX; SUM; ret=X0"},
		{"sum", NEON, "x=R1,R2; SUM; ret=F0"},
		{"move", AVX2 | AVX512, "dst=DI; src=SI,CX; COPY"},
		{"move", NEON, "dst=R0; src=R1,R2; COPY"},
		{"shift", AVX2 | AVX512, "x=DI,CX; b=B:all; SHIFT"},
		{"shift", NEON, "x=R0,R2; " + neonB + "SHIFT"},
		{"fill", AVX2 | AVX512, "dst=DI,CX; v=B:all; FILL"},
		{"fill", NEON, "dst=R0,R2; v=R5; VDUP R5, V25.T; FILL"},
		{"stream", AVX2 | AVX512, "dst=DI,CX; v=B:all; STREAM"},
		{"stream", NEON, "dst=R0,R2; v=R5; VDUP R5, V25.T; STREAM"},
	},
}
