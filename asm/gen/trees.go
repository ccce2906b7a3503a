package main

var trees = family{"trees", []routine{
	{Func: "choose(buffer []uint8, choices []Choice)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "walk(nodes []uint64, keys *[Keys]uint8, at *[Walks]uint64, steps int)", Cases: on(AVX2)},
}}
