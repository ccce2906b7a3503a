package main

var secular = family{"secular", []routine{
	{Func: "sums(t *Terms, d, z2 []float64, split int, base, tau float64)", Cases: []variant{{Levels: AVX512}, {Levels: AVX2 | NEON, Go: "sumsCut"}}},
	{Func: "ratios(base, tau, d []float64, p float64) float64", Cases: []variant{{Levels: AVX512}, {Levels: AVX2 | NEON, Go: "ratiosCut"}}},
	{Func: "cauchy(dst, base, tau, scale []float64, p, w float64)", Cases: []variant{{Levels: AVX512}, {Levels: AVX2 | NEON, Go: "cauchyCut"}}},
	{Func: "quads(d, z2 []float64, base, tau float64) (f, df float64)", Generic: "rangeGeneric", Cases: on(AVX2 | NEON)},
	{Func: "octets(base, tau, d []float64, p float64) float64", Generic: "ratiosGeneric", Cases: on(AVX2 | NEON)},
	{Func: "rows4(dst, base, tau, scale []float64, p, w float64)", Generic: "cauchyGeneric", Cases: on(AVX2 | NEON)},
}}
