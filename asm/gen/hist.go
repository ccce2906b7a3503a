package main

var hist = family{"hist", []routine{
	{Func: "add1(h *[Most][]Cell, code *[Most][]uint8, rows []int32, v []Cell)", Cases: on(AVX2 | NEON), Generic: "addGeneric(1, h, code, rows, v)"},
	{Func: "add2(h *[Most][]Cell, code *[Most][]uint8, rows []int32, v []Cell)", Cases: on(AVX2 | NEON), Generic: "addGeneric(2, h, code, rows, v)"},
	{Func: "add3(h *[Most][]Cell, code *[Most][]uint8, rows []int32, v []Cell)", Cases: on(AVX2 | NEON), Generic: "addGeneric(3, h, code, rows, v)"},
	{Func: "add4(h *[Most][]Cell, code *[Most][]uint8, rows []int32, v []Cell)", Cases: on(AVX2 | NEON), Generic: "addGeneric(4, h, code, rows, v)"},
	{Func: "addLists(h []Cell, bin []uint32, start []int, rows []int32, v []Cell)", Cases: on(AVX2 | NEON)},
}}
