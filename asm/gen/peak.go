package main

var peak = family{"peak", []routine{
	{Func: "fma(x []F, a, b F, rounds int)", Generic: "fmaGeneric(x, a, four(b), rounds)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "add(x []F, b F, rounds int)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "mix(x []F, a, b F, rounds int)", Generic: "mixGeneric(x, a, four(b), rounds)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "sum(x []F) F", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "move(dst, src []F)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "shift(x []F, b F)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "fill(dst []F, v F)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "stream(dst []F, v F)", Generic: "fill(dst, v)", Cases: on(AVX2 | AVX512)},
}}
