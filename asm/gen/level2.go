package main

var level2 = family{"level2", []routine{
	{Func: "dot(x, y []F) F", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "scale(x []F, alpha F)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "ger(a []F, lda int, x, y []F, alpha F)", Cases: []variant{{Levels: AVX2 | AVX512}, {Levels: NEON, Go: "gerNEON"}}},
	{Func: "gemvN(y, a []F, lda int, x []F, alpha F)", Cases: []variant{{Levels: AVX2 | AVX512}, {Levels: NEON, Go: "gemvNNEON"}}},
	{Func: "gemvT(y, a []F, lda int, x []F, alpha F)", Cases: []variant{{Levels: AVX2 | AVX512}, {Levels: NEON, Go: "gemvTNEON"}}},
	{Func: "symv(a []F, lda int, x, y []F, xr, s *[4]F)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "axpy(y, x []F, alpha F)", Cases: on(NEON), Direct: true},
}}
