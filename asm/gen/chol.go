package main

var chol = family{"chol", []routine{
	{
		Func:  "rotate(kind Kind, u []F, stride int, w []F, r *Rotations[F])",
		Cases: []variant{{Levels: AVX2 | AVX512}, {Levels: NEON, Go: "rotateNEON"}},
	},
	{
		Func:  "rotateLower(kind Kind, l []F, stride int, w []F, r *Rotations[F])",
		Cases: []variant{{Levels: AVX2, Go: "rotateLowerAVX2"}, {Levels: NEON, Go: "rotateLowerNEON"}},
	},
	{
		Func:  "rotatePanel(kind Kind, l []F, stride int, w []F, r []Rotations[F])",
		Cases: []variant{{Levels: AVX2, Only: 64}},
	},
	{
		Func:  "sweep(b []F, n, stride int, w, d, c []F)",
		Cases: []variant{{Levels: AVX512 | NEON}, {Levels: AVX2, Only: 32}, {Levels: AVX2, Only: 64, Go: "sweepAVX2"}},
	},
	// What the functions written by hand call.
	{
		Func:   "rotateVectors(kind Kind, u []F, stride int, w []F, r *Rotations[F])",
		Cases:  []variant{{Levels: NEON, Stub: "rotate(kind Kind, u []F, stride int, w []F, r *Rotations[F])"}},
		Direct: true,
	},
	{
		Func:   "rotateLowerVectors(kind Kind, l []F, stride int, w []F, r *Rotations[F])",
		Cases:  []variant{{Levels: AVX2 | NEON, Stub: "rotateLower(kind Kind, l []F, stride int, w []F, r *Rotations[F])"}},
		Direct: true,
	},
	{Func: "sweepPanel(b []F, n, stride int, w, d, c []F, s *[8]F)", Cases: []variant{{Levels: AVX2, Only: 64}}, Direct: true},
	{Func: "sweepRow(b, w, d, c []F, s *[8]F)", Cases: []variant{{Levels: AVX2, Only: 64}}, Direct: true},
}}
