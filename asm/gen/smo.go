package main

var smo = family{"smo", []routine{
	{Func: "step(g, u, d []float64, k, l []F, a, b float64, least, most *Best, first int)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "pair(g, d, diag []float64, k []F, m, kii float64, best *Best, first int)", Cases: on(AVX2 | AVX512 | NEON)},
}}

var smoAssembly = assembly{
	Names: []names{{AVX2 | AVX512, "V0-V1 KBYTES=64|32 LOADK=LOADK#"}, {NEON, "LOADK=LOADK#"}},
	Data: []data{
		{"lanes", AVX2 | AVX512, 64, 0, "#0 #1 #2 #3 #4 #5 #6 #7"},
		{"eight", AVX2 | AVX512, 64, 0, "#8"},
		{"two", AVX2 | AVX512, 64, 0, "2"},
		{"tau", AVX2 | AVX512, 64, 0, "1e-12"},
	},
	Entries: []entry{
		{"step", AVX2 | AVX512, "g=gp,left; u=up; d=dp; k=kp; l=lp; a=V0:all; b=V1:all; least=DI; most=DX; first=NOW:all; STEPSTATE; STEPLOOP; STEPEND"},
		{"step", NEON, "g=gp,left; u=up; d=dp; k=kp; l=lp; a=R8; VDUP R8, V16.D2; b=R8; VDUP R8, V17.D2; least=R6; most=R7; first=R8; STEP"},
		{"pair", AVX2 | AVX512, "g=gp,left; d=dp; diag=up; k=kp; m=V0:all; kii=V1:all; best=DI; first=PAIRNOW:all; PAIRSTATE; PAIRLOOP; PAIREND"},
		{"pair", NEON, "g=gp,left; d=dp; diag=up; k=kp; m=R8; VDUP R8, V16.D2; kii=R8; VDUP R8, V17.D2; best=R6; first=R8; PAIR"},
	},
}
