package main

var vec = family{"vec", []routine{
	{
		Func: "exp(dst, src []F, scale, hi, lo, cut F)",
		Cases: []variant{{
			Levels: AVX2 | AVX512 | NEON,
			Stub:   "exp#U10(dst, src []F, hi, lo, cut F)",
		}},
		Generic: "expGeneric(dst, src, scale, cut)",
	},
	{Func: "log(dst, src []F)", Cases: []variant{{Levels: AVX2 | AVX512 | NEON, Stub: "log#U10(dst, src []F)"}}},
	{Func: "sincos(sin, cos, src []F) (large bool)", Cases: []variant{{Levels: AVX2 | AVX512 | NEON, Stub: "sincos#U10(sin, cos, src []F) (large bool)"}}},
}}
