package main

var chol = family{"chol", []routine{
	{
		Func:  "rotate(kind Kind, u []F, stride int, w []F, r *Rotations[F])",
		Cases: []variant{{Levels: AVX512, When: "wide(kind, len(w), stride, lanes)"}, {Levels: AVX2}, {Levels: NEON, Go: "rotateNEON"}},
	},
	{
		Func:  "rotateLower(kind Kind, l []F, stride int, w []F, r *Rotations[F])",
		Cases: []variant{{Levels: AVX512, Only: 64, When: "len(w) >= lanes", Go: "rotateLowerAVX512"}, {Levels: AVX2, Go: "rotateLowerAVX2"}, {Levels: NEON, Go: "rotateLowerNEON"}},
	},
	{
		Func:  "rotatePanel(kind Kind, l []F, stride int, w []F, r []Rotations[F])",
		Cases: []variant{{Levels: AVX512, Only: 64, When: "kind == Solved"}, {Levels: AVX2 | NEON}},
	},
	{
		Func:  "sweep(b []F, n, stride int, w, d, c []F)",
		Cases: []variant{{Levels: AVX512 | NEON}, {Levels: AVX2, Only: 32}, {Levels: AVX2, Only: 64, Go: "sweep#AVX2"}},
	},
	// The following routines are called by functions written by hand.
	{
		Func:   "rotateVectors(kind Kind, u []F, stride int, w []F, r *Rotations[F])",
		Cases:  []variant{{Levels: NEON, Stub: "rotate(kind Kind, u []F, stride int, w []F, r *Rotations[F])"}},
		Direct: true,
	},
	{
		Func: "rotateLowerVectors(kind Kind, l []F, stride int, w []F, r *Rotations[F])",
		Cases: []variant{
			{Levels: AVX512, Only: 64, Stub: "rotateLower(kind Kind, l []F, stride int, w []F, r *Rotations[F])"},
			{Levels: AVX2 | NEON, Stub: "rotateLower(kind Kind, l []F, stride int, w []F, r *Rotations[F])"},
		},
		Direct: true,
	},
	{Func: "sweepPanel64(b []float64, n, stride int, w, d, c []float64, s *[8]float64)", Cases: on(AVX2), Direct: true},
	{Func: "sweepRow64(b, w, d, c []float64, s *[8]float64)", Cases: on(AVX2), Direct: true},
}}

const (
	rotation = "kind=DX; u=SI; stride=AX; w=DI,CX; r=BX; #rotate"
	lower    = "kind=DX; l=SI; stride=AX; w=DI,CX; r=BX; "
	sweeps   = "b=SI; n=DX; stride=BX; w=R8,CX; d=R9; c=R10; "
)

var cholAssembly = assembly{
	Names: []names{
		{AVX2 | AVX512, `W V0-V15 SHIFT=3|2 SIZE=8|4 MOVU=VMOVUP? MASKMOV=VMASKMOVP? ADD=VADDP? MUL=VMULP? FMADD231=VFMADD231P?
			FMSUB213=VFMSUB213P? FNMADD231=VFNMADD231P? BROADCAST=VBROADCASTS? TOCOLUMNS=TOCOLUMNS# TOROWS=TOROWS# NEXTROWS=NEXTROWS#
			SCAN=SCAN# POINTERS=POINTERS# EIGHT=EIGHT#`},
		{NEON, `T=D2|S4 E=? SHIFT=3|2 SIZE=8|4 FMOV=FMOV? FMUL=FMUL? FMADD=FMADD? PLUS=VFADD_D2|VFADD_S4 TIMES=VFMUL_D2|VFMUL_S4
			TOCOLUMNS=TOCOLUMNS# TOROWS=TOROWS# POINTERS=POINTERS# EIGHT=EIGHT# SCAN=SCAN#`},
		{AVX2 | NEON, "GETW=GETW# PUTW=PUTW#"},
	},
	Data: []data{
		// Four words of ones, then four of zeros: tail+32-n begins with n bytes of ones.
		{"tail", AVX2, 64, 4, "#-1 #0"},
		// Indices of 32 bits that move lanes down by one and by two.
		{"down1", AVX2, 64, 0, "0x0000000200000001 0x0000000400000003 0x0000000600000005 0x0000000000000007"},
		{"down2", AVX2, 64, 0, "0x0000000300000002 0x0000000500000004 0x0000000700000006 0x0000000100000000"},
		// Pairs of the first four and of the last four of two registers' lanes.
		{"pairs", AVX512, 64, 0, "#0 #1 #8 #9 #2 #3 #10 #11 #4 #5 #12 #13 #6 #7 #14 #15"},
	},
	Entries: []entry{
		{"rotate", AVX2 | AVX512, rotation},
		{"rotate", NEON, "u=R0; stride=R7; w=R4,R5; r=R6; kind=R8; #rotate"},
		{"rotateLower", AVX2, lower + "#lower"},
		{"rotateLower", AVX512, lower + "VMOVUPD pairs<>(SB), Z16; VMOVUPD pairs<>+64(SB), Z17; #lower"},
		{"rotateLower", NEON, "l=R0; stride=R1; w=R2,R5; r=R6; kind=R8; #lower"},
		{"rotatePanel", AVX2, "kind=CX; l=SI; stride=AX; w=DI; r=BX,DX; #panels"},
		{"rotatePanel", AVX512, "l=SI; stride=AX; w=DI; r=BX,DX; #solved_avx512"},
		{"rotatePanel", NEON, "kind=R8; l=R0; stride=R1; w=R10; r=R6,R9; #panel"},
		{"sweep", AVX2, sweeps + "VMOVUPS down1<>(SB), Y13; VMOVUPS down2<>(SB), Y14; #sweep"},
		{"sweep", AVX512, sweeps + "#sweep"},
		{"sweep", NEON, "b=R0; n=R1; stride=R2; w=R3,R6; d=R4; c=R5; #sweep"},
		{"sweepPanel64", AVX2, "b=SI; n=DX; stride=AX; w=R13,CX; d=R9; c=R10; s=DI; #sweeppanel_avx2"},
		{"sweepRow64", AVX2, "b=SI; w=R8,CX; d=R9; c=R10; s=DI; #sweeprow_avx2; RET"},
	},
}
