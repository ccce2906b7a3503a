package main

var trees = family{"trees", []routine{
	{Func: "choose(buffer []uint8, choices []Choice)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "walk(nodes []uint64, keys *[Keys]uint8, at *[Walks]uint64, steps int)", Cases: on(AVX2 | NEON)},
	{Func: "rank(keys []uint8, stride int, x []F, step, n int, tables []F, columns []ranked)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "add(sums []F, leaves []uint8, value []F, starts []int32, step, most int)", Cases: []variant{
		{Levels: AVX512, When: "most <= 32", Stub: "add(sums []F, leaves []uint8, value []F, starts []int32, step int)"},
		{Levels: AVX2 | NEON, Stub: "add(sums []F, leaves []uint8, value []F, starts []int32, step int)"},
	}},
	{Func: "descend(leaves, places, keys []uint8, splits []Splits, steps []int32)", Cases: on(AVX2 | NEON)},
}}

var treesAssembly = assembly{
	Names: []names{
		{AVX2 | AVX512, "SHIFT=3|2 SIZE=8|4 ADDP=VADDP? BROADCAST=VBROADCASTS? COUNT=COUNT#"},
		{AVX2, "ADD64=ADD64ROWS#"},
		{NEON, "T=D2|S4 SHIFT=3|2 SIZE=8|4 FMOV=FMOV? FADD=FADD? FCMGT=VFCMGT_D2|VFCMGT_S4 COUNT=COUNT#"},
		{AVX512, "ACCUMULATE=ACCUMULATE# MOVESUMS=MOVESUMS#"},
	},
	Data: []data{
		{"sixteen", AVX2, 8, 0, "16 16 16 16 16 16 16 16"},
		{"sixteen", AVX512, 64, 0, "#16"},
		{"least", AVX2, 8, 0, "0x70 0x70 0x70 0x70 0x70 0x70 0x70 0x70"},
	},
	Entries: []entry{
		{"rank", AVX2 | AVX512, "keys=DI; stride=R9; x=SI; step=R8; n=R13; tables=R10; columns=BX,DX; RANKLOOP"},
		{"add", AVX2 | AVX512, "sums=DI; leaves=SI; value=R8; starts=BX,CX; step=DX; ADDLOOP"},
		{"rank", NEON, "keys=R0; stride=R9; x=R1; step=R8; n=R13; tables=R10; columns=R2,R3; RANKLOOP"},
		{"add", NEON, "sums=R0; leaves=R1; value=R2; starts=R3,R4; step=R5; #add"},
		{"descend", NEON, "leaves=R0; places=R1; keys=R2,R3; splits=R4,R5; steps=R6; DESCEND"},
		{"descend", AVX2, "leaves=R10; places=DI; keys=R8,R9; splits=SI,CX; steps=R11; DESCEND"},
	},
}
