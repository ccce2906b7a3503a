package main

var hist = family{"hist", []routine{
	{Func: "add1(h *[Most][]Cell, code *[Most][]uint8, rows []int32, v []Cell)", Cases: on(AVX2 | NEON), Generic: "addGeneric(1, h, code, rows, v)"},
	{Func: "add2(h *[Most][]Cell, code *[Most][]uint8, rows []int32, v []Cell)", Cases: on(AVX2 | NEON), Generic: "addGeneric(2, h, code, rows, v)"},
	{Func: "add3(h *[Most][]Cell, code *[Most][]uint8, rows []int32, v []Cell)", Cases: on(AVX2 | NEON), Generic: "addGeneric(3, h, code, rows, v)"},
	{Func: "add4(h *[Most][]Cell, code *[Most][]uint8, rows []int32, v []Cell)", Cases: on(AVX2 | NEON), Generic: "addGeneric(4, h, code, rows, v)"},
	{Func: "addLists(h []Cell, bin []uint32, start []int, rows []int32, v []Cell)", Cases: on(AVX2 | NEON)},
	{Func: "divide(left, right, rows []int32, code []uint8, most uint) int", Cases: on(AVX2 | NEON)},
	{Func: "words(dst []Cell, g, c []float64, u *Units, t *lanes)", Cases: on(AVX2 | NEON)},
	{Func: "subtract(h, other []Cell)", Cases: on(AVX2 | NEON)},
	{Func: "scan(h []Cell, s *Scan)", Cases: on(AVX2 | NEON)},
	{Func: "logistic(g, c, value, score, odds, w []float64, class []int)", Cases: on(AVX2 | NEON)},
}}

var histAssembly = assembly{
	Data: []data{
		{"one", AVX2, 64, 0, "1"},
		{"integer", AVX2, 64, 0, "#1"},
		{"sign", AVX2, 64, 0, "0x8000000000000000"},
		{"magnitude", AVX2, 64, 0, "0x7fffffffffffffff"},
		{"magic", AVX2, 64, 0, "0x1.8p52"},
		{"four", AVX2, 64, 0, "#4"},
		{"numbers", AVX2, 64, 0, "#0 #1 #2 #3"},
	},
	Entries: []entry{
		{"add1", AVX2 | NEON, "ADDARGS; COLUMN1; ADDLOOP(STEPS1)"},
		{"add2", AVX2 | NEON, "ADDARGS; COLUMN2; ADDLOOP(STEPS2)"},
		{"add3", AVX2 | NEON, "ADDARGS; COLUMN3; ADDLOOP(STEPS3)"},
		{"add4", AVX2 | NEON, "ADDARGS; COLUMN4; ADDLOOP(STEPS4)"},
		{"addLists", AVX2, "h=R8; bin=R9; start=R10; rows=SI,CX; v=DI; ADDLISTS"},
		{"addLists", NEON, "h=R5; bin=R6; start=R7; rows=R0,R2; v=R1; ADDLISTS"},
		{"divide", AVX2, "left=R11; right=DI; rows=SI,CX; code=R8; most=BX; DIVIDE; ret=R9"},
		{"divide", NEON, "left=R0; right=R1; rows=R2,R3; code=R4; most=R5; DIVIDE; ret=R9"},
		{"words", AVX2, "dst=DI,CX; g=SI; c=DX; u=AX; t=BX; WORDS"},
		{"words", NEON, "dst=R0,R3; g=R1; c=R2; u=R4; t=R5; WORDS"},
		{"subtract", AVX2, "h=DI,CX; other=SI; SUBTRACT"},
		{"subtract", NEON, "h=R0,R2; other=R1; SUBTRACT"},
		{"scan", AVX2, "h=SI,CX; s=AX; SCAN"},
		{"scan", NEON, "h=R0,R1; s=R2; SCAN"},
		{"logistic", AVX2, "g=DI,CX; c=SI; value=DX; score=R8; odds=R9; w=R10; class=R11; LOGISTIC"},
		{"logistic", NEON, "g=R0,R7; c=R1; value=R2; score=R3; odds=R4; w=R5; class=R6; LOGISTIC"},
	},
}
