package main

// The lanes of a group are one vector at AVX-512, two halves, one after the other, at AVX2, and four vectors at NEON.
var lanes = family{"lanes", []routine{
	{
		Func:  "reduce(x, u []float64, us int, b []float64, bs, k, r int, d []float64)",
		Cases: []variant{{Levels: AVX512 | NEON, Stub: "reduce" + reduceStub, Args: reduceArgs}, {Levels: AVX2, Go: "reduceHalves"}},
	},
	{Func: "reduceHalf" + reduceStub, Cases: on(AVX2), Direct: true},
	{
		Func:  "angle(pp, pq, qq, cs []float64) (rotated int)",
		Cases: []variant{{Levels: AVX512 | NEON, Stub: "angle" + angleStub}, {Levels: AVX2, Go: "angleHalves"}},
	},
	{Func: "angleHalf" + angleStub, Cases: on(AVX2), Direct: true},
	{
		Func:  "turn(n int, x []float64, xs int, y []float64, ys int, cs []float64)",
		Cases: []variant{{Levels: AVX512 | NEON, Stub: "turn" + turnStub}, {Levels: AVX2, Go: "turnHalves"}},
	},
	{Func: "turnHalf" + turnStub, Cases: on(AVX2), Direct: true},
	{
		Func:  "eliminate(n int, x []float64, xs int)",
		Cases: []variant{{Levels: AVX512 | NEON, Stub: "eliminate" + eliminateStub}, {Levels: AVX2, Go: "eliminateHalves"}},
	},
	{Func: "eliminateHalf" + eliminateStub, Cases: on(AVX2), Direct: true},
	{
		Func:  "largest(n int, x []float64, xs int, at []int)",
		Cases: []variant{{Levels: AVX512 | NEON, Stub: "largest" + largestStub}, {Levels: AVX2, Go: "largestHalves"}},
	},
	{Func: "largestHalf" + largestStub, Cases: on(AVX2), Direct: true},
}}

const (
	reduceStub    = "(x, u *float64, us int, b *float64, bs, k, r int, d *float64)"
	reduceArgs    = "&x[0], unsafe.SliceData(u), us, unsafe.SliceData(b), bs, k, r, unsafe.SliceData(d)"
	angleStub     = "(pp, pq, qq, cs *float64) (rotated int)"
	turnStub      = "(n int, x *float64, xs int, y *float64, ys int, cs *float64)"
	eliminateStub = "(n int, x *float64, xs int)"
	largestStub   = "(n int, x *float64, xs int, at *int)"

	reduceEntry    = "x=DI; u=SI; us=R8; b=BX; bs=R9; k=R10; r=CX; d=DX; #reduce"
	angleEntry     = "pp=SI; pq=DX; qq=DI; cs=BX; #angle; rotated=AX"
	turnEntry      = "n=CX; x=SI; xs=R8; y=DI; ys=R9; cs=BX; #turn"
	eliminateEntry = "n=R9; x=SI; xs=R8; #eliminate"
	largestEntry   = "n=CX; x=SI; xs=R8; at=DI; #largest"
)

var lanesAssembly = assembly{
	Names: []names{{AVX2 | AVX512, "V0-V8"}},
	Data: []data{
		{"magnitude", AVX2 | AVX512, 64, 0, "#0x7fffffffffffffff // all bits but the sign"},
		{"half", AVX2 | AVX512, 64, 0, "0.5"},
		{"one", AVX2 | AVX512, 64, 0, "1"},
		{"negligible", AVX2 | AVX512, 64, 0, "0x1p-54"},
		{"unit", AVX2 | AVX512, 64, 0, "#1"},
		{"large", AVX2 | AVX512, 64, 0, "0x1p500"},
		{"bits", NEON, 64, 0, "#1 #2 #4 #8 #16 #32 #64 #128 // of the lanes"},
	},
	Entries: []entry{
		{"reduce", AVX512, reduceEntry},
		{"reduce", NEON, "x=R0; u=R1; us=R2; b=R3; bs=R4; k=R5; r=R6; d=R7; #reduce"},
		{"reduceHalf", AVX2, reduceEntry},
		{"angle", AVX512, angleEntry},
		{"angle", NEON, "pp=R0; pq=R1; qq=R2; cs=R3; #angle; rotated=R4"},
		{"angleHalf", AVX2, angleEntry},
		{"turn", AVX512, turnEntry},
		{"turn", NEON, "n=R2; x=R0; xs=R3; y=R1; ys=R4; cs=R5; #turn"},
		{"turnHalf", AVX2, turnEntry},
		{"eliminate", AVX512, eliminateEntry},
		{"eliminate", NEON, "n=R1; x=R0; xs=R2; #eliminate"},
		{"eliminateHalf", AVX2, eliminateEntry},
		{"largest", AVX512, largestEntry},
		{"largest", NEON, "n=R1; x=R0; xs=R2; at=R3; #largest"},
		{"largestHalf", AVX2, largestEntry},
	},
}
