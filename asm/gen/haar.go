package main

// The assembly for a row takes whole vectors, or two elements on AVX-512. It has
// versions without factors, for factors that are all ones. more holds further
// conditions for AVX-512 and begins with a comma.
func haarRows(name, more string) routine {
	const args = "(dst, src *F, n, d, ds, ss int, scratch, f *F"
	r := routine{Func: name + "Rows(dst []F, ds int, src []F, ss, n, d int, s Scaling, scratch, f []F" + more + ")", Generic: name + "Generic(dst, ds, src, ss, n, d, scratch, f)"}
	for _, c := range []struct {
		levels      level
		least, more string
	}{{AVX512, "d >= 2", more}, {AVX2 | NEON, "d >= lanes", ""}} {
		r.Cases = append(r.Cases,
			variant{Levels: c.levels, When: c.least + " && s == Ones", Stub: name + args + c.more + ")"},
			variant{Levels: c.levels, When: c.least, Stub: name + "Scaled" + args + c.more + ")"})
	}
	return r
}

var haar = family{"haar", []routine{
	haarRows("forward", ", far bool"),
	haarRows("backward", ""),
	{Func: "split(d, s, x, c []F)", Generic: "splitGeneric(d, s, x, c[0])", Cases: []variant{
		{Levels: AVX2 | AVX512, Stub: "split(d, s, x *F, pairs int, c F)", Args: "d, s, x, len(s), c[0]"},
		{Levels: NEON, Stub: "split(d, s, x *F, pairs int, c *F)", Args: "d, s, x, len(s), c"}}},
	{Func: "split3(d1, d2, d3, s, x, c []F)", Cases: []variant{
		{Levels: AVX2 | AVX512 | NEON, Stub: "split3#(d1, d2, d3, s, x *F, m int, c *F)", Args: "d1, d2, d3, s, x, len(s), c"}}},
	{Func: "join(x, d, s, c []F)", Generic: "joinGeneric(x, d, s, c[0])", Cases: []variant{
		{Levels: AVX2 | AVX512, Stub: "join(x, d, s *F, pairs int, c F)", Args: "x, d, s, len(s), c[0]"},
		{Levels: NEON, Stub: "join(x, d, s *F, pairs int, c *F)", Args: "x, d, s, len(s), c"}}},
	{Func: "join3(x, d1, d2, d3, s, c []F)", Cases: []variant{
		{Levels: AVX2 | AVX512 | NEON, Stub: "join3#(x, d1, d2, d3, s *F, m int, c *F)", Args: "x, d1, d2, d3, s, len(s), c"}}},
}}

const (
	haarArgs     = "dst=DI; src=SI; n=CX; d=R10; ds=R8; ss=R9; scratch=DX; f=AX; "
	haarArgsNEON = "dst=R0; src=R1; n=R2; d=R3; ds=R4; ss=R5; scratch=R6; f=R7; "
	haarOnes     = "SCALE=ONES; SCALEMEM=ONESMEM; SCALETOP=ONESTOP; "
	haarFactors  = "SCALE=FACTORS; SCALEMEM=FACTORSMEM; SCALETOP=FACTORSTOP; "
	neonOnes     = "SCALE=ONES; LOADSCALE=ONESLOAD; SCALETOP=ONESTOP; "
	neonFactors  = "SCALE=FACTORS; LOADSCALE=FACTORSLOAD; SCALETOP=FACTORSTOP; "
)

var haarAssembly = assembly{
	Names: []names{
		{AVX2 | AVX512, "W V0-V14 SHIFT=3|2 BYTES=8|4 BCAST=VBROADCASTS? ADD=VADDP? SUB=VSUBP? MUL=VMULP? DOWNTOP=DOWNTOP# UPTOP=UPTOP#"},
		{AVX2, "BLEND=VBLENDP? EVENS=EVENS# ODDS=ODDS# INTERLEAVE=INTERLEAVE#"},
		{AVX512, "MERGE=VPERMT2P? PERM=VPERMP? MADD=VFMADD231P? INDEX=INDEX# SIGNS=SIGNS# LOW=low8|low16 HIGH=high8|high16 CONSTS=CONSTSOF#"},
		{NEON, "T=D2|S4 SHIFT=3|2 BYTES=8|4 FADD=VFADD_D2|VFADD_S4 FSUB=VFSUB_D2|VFSUB_S4 FMUL=VFMUL_D2|VFMUL_S4 DOWNTOP=DOWNTOP# UPTOP=UPTOP#"},
	},
	Data: []data{
		// Evens and odds of a pair of registers.
		{"even", AVX512, 8, 0, "0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30"},
		{"odd", AVX512, 8, 0, "1 3 5 7 9 11 13 15 17 19 21 23 25 27 29 31"},
		// First and second halves of a pair of registers, interleaved: 8 and 16 lanes.
		{"low8", AVX512, 8, 0, "0 8 1 9 2 10 3 11 0 0 0 0 0 0 0 0"},
		{"high8", AVX512, 8, 0, "4 12 5 13 6 14 7 15 0 0 0 0 0 0 0 0"},
		{"low16", AVX512, 8, 0, "0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23"},
		{"high16", AVX512, 8, 0, "8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31"},
		// Forward in one register: the first m lanes become evens ± odds.
		{"even16", AVX512, 8, 0, "0 2 4 6 8 10 12 14 0 2 4 6 8 10 12 14"},
		{"odd16", AVX512, 8, 0, "1 3 5 7 9 11 13 15 1 3 5 7 9 11 13 15"},
		{"signs16", AVX512, 8, 0, "1 1 1 1 1 1 1 1 -1 -1 -1 -1 -1 -1 -1 -1"},
		{"even8", AVX512, 8, 0, "0 2 4 6 0 2 4 6 8 9 10 11 12 13 14 15"},
		{"odd8", AVX512, 8, 0, "1 3 5 7 1 3 5 7 8 9 10 11 12 13 14 15"},
		{"signs8", AVX512, 8, 0, "1 1 1 1 -1 -1 -1 -1 0 0 0 0 0 0 0 0"},
		{"even4", AVX512, 8, 0, "0 2 0 2 4 5 6 7 8 9 10 11 12 13 14 15"},
		{"odd4", AVX512, 8, 0, "1 3 1 3 4 5 6 7 8 9 10 11 12 13 14 15"},
		{"signs4", AVX512, 8, 0, "1 1 -1 -1 0 0 0 0 0 0 0 0 0 0 0 0"},
		{"even2", AVX512, 8, 0, "0 0 2 3 4 5 6 7 8 9 10 11 12 13 14 15"},
		{"odd2", AVX512, 8, 0, "1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"},
		{"signs2", AVX512, 8, 0, "1 -1 0 0 0 0 0 0 0 0 0 0 0 0 0 0"},
		// Backward in one register: the first m lanes become sums ± differences, interleaved.
		{"sum16", AVX512, 8, 0, "0 0 1 1 2 2 3 3 4 4 5 5 6 6 7 7"},
		{"diff16", AVX512, 8, 0, "8 8 9 9 10 10 11 11 12 12 13 13 14 14 15 15"},
		{"sum8", AVX512, 8, 0, "0 0 1 1 2 2 3 3 8 9 10 11 12 13 14 15"},
		{"diff8", AVX512, 8, 0, "4 4 5 5 6 6 7 7 8 9 10 11 12 13 14 15"},
		{"sum4", AVX512, 8, 0, "0 0 1 1 4 5 6 7 8 9 10 11 12 13 14 15"},
		{"diff4", AVX512, 8, 0, "2 2 3 3 4 5 6 7 8 9 10 11 12 13 14 15"},
		{"alternating", AVX512, 8, 0, "1 -1 1 -1 1 -1 1 -1 1 -1 1 -1 1 -1 1 -1"},
	},
	Entries: []entry{
		{"forward", AVX2, haarOnes + haarArgs + "#forward_avx2"},
		{"forward", AVX512, haarOnes + haarArgs + "far=R11; #forward_avx512"},
		{"forward", NEON, neonOnes + haarArgsNEON + "#forward_neon"},
		{"forwardScaled", AVX2, haarFactors + haarArgs + "#forward_avx2"},
		{"forwardScaled", AVX512, haarFactors + haarArgs + "far=R11; #forward_avx512"},
		{"forwardScaled", NEON, neonFactors + haarArgsNEON + "#forward_neon"},
		{"backward", AVX2, haarOnes + haarArgs + "#backward_avx2"},
		{"backward", AVX512, haarOnes + haarArgs + "#backward_avx512"},
		{"backward", NEON, neonOnes + haarArgsNEON + "#backward_neon"},
		{"backwardScaled", AVX2, haarFactors + haarArgs + "#backward_avx2"},
		{"backwardScaled", AVX512, haarFactors + haarArgs + "#backward_avx512"},
		{"backwardScaled", NEON, neonFactors + haarArgsNEON + "#backward_neon"},
		{"split", AVX2 | AVX512, "d=DI; s=SI; x=BX; pairs=CX; c=V12:all; #split"},
		{"split", NEON, "d=R0; s=R1; x=R2; pairs=R4; c=R5; #split"},
		{"split3#", AVX2 | AVX512, "d1=DI; d2=SI; d3=R8; s=R9; x=BX; m=DX; c=AX; #split3"},
		{"split3#", NEON, "d1=R0; d2=R1; d3=R2; s=R3; x=R4; m=R5; c=R6; #split3"},
		{"join", AVX2 | AVX512, "x=DI; d=SI; s=BX; pairs=DX; c=V12:all; #join"},
		{"join", NEON, "x=R0; d=R1; s=R2; pairs=R3; c=R5; #join"},
		{"join3#", AVX2 | AVX512, "x=DI; d1=SI; d2=R8; d3=R9; s=BX; m=CX; c=AX; #join3"},
		{"join3#", NEON, "x=R0; d1=R1; d2=R2; d3=R3; s=R4; m=R6; c=R7; #join3"},
	},
}
