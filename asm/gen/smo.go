package main

var smo = family{"smo", []routine{
	{Func: "step(g, u, d []float64, k, l []F, a, b float64, least, most *Best, first int)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "pair(g, d, diag []float64, k []F, m, kii float64, best *Best, first int)", Cases: on(AVX2 | AVX512 | NEON)},
}}
