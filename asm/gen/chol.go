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
