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
}}
