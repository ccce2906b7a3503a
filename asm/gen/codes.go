package main

var codes = family{"codes", []routine{
	{Func: "xorCount(a, b []uint64) int", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "andCount(a, b []uint64) int", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "dot8(a []uint8, b []int8) int", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "dot4(a []uint8, low, high []int8) int", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "squares8(a, b []uint8) int", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "squares4(a, b []uint8) int", Cases: on(AVX2 | AVX512 | NEON)},
}}
