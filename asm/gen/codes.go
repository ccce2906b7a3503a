package main

import "strings"

var codes = family{"codes", []routine{
	{Func: "xorCount(a, b []uint64) int", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "andCount(a, b []uint64) int", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "dot8(a []uint8, b []int8) int", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "dot4(a []uint8, low, high []int8) int", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "squares8(a, b []uint8) int", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "squares4(a, b []uint8) int", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "dotSigned(a, b []int8) int", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "squaresSigned(a, b []int8) int", Cases: on(AVX2 | AVX512 | NEON)},
}}

const (
	twoCodes = "a=SI,CX; b=DI; "
	neonTwo  = "a=R0,R1; b=R2; "
)

var codesAssembly = assembly{
	Names: []names{
		{AVX2 | AVX512, "V0-V6 A=V0 B=V1 ACC=V2 ZERO=V3 LOW=V4 TABLE=V5 ONES=V6"},
		{AVX2, "MOVE=VMOVDQU XOR=VPXOR AND=VPAND"},
		{AVX512, "MOVE=VMOVDQU64 XOR=VPXORQ AND=VPANDQ"},
	},
	Data: []data{
		// Number of each half byte's bits, and 15 in each byte.
		{"counts", AVX2 | AVX512, 8, 0, strings.Repeat("0 1 1 2 1 2 2 3 1 2 2 3 2 3 3 4 ", 4)},
		{"fifteen", AVX2 | AVX512, 64, 8, "0x0f0f0f0f0f0f0f0f"},
		{"ones", AVX2 | AVX512, 64, 8, "0x0001000100010001"},
	},
	Entries: []entry{
		{"xorCount", AVX2 | AVX512, twoCodes + "COUNTLOOP(XORSTEP); ret=AX"},
		{"xorCount", NEON, neonTwo + "COUNTLOOP(VEOR); ret=R4"},
		{"andCount", AVX2 | AVX512, twoCodes + "COUNTLOOP(ANDSTEP); ret=AX"},
		{"andCount", NEON, neonTwo + "COUNTLOOP(VAND); ret=R4"},
		{"dot8", AVX2 | AVX512, twoCodes + "BYTELOOP(PRODUCTSTEP); ret=AX"},
		{"dot8", NEON, neonTwo + "BYTELOOP(PRODUCTS); ret=R4"},
		{"dot4", AVX2 | AVX512, "a=SI,CX; low=DI; high=DX; NIBBLELOOP(NIBBLESTEP); ret=AX"},
		{"dot4", NEON, "a=R0,R1; low=R2; high=R3; NIBBLELOOP(LOWHIGH, SPLITALREADY, NIBBLEPRODUCTS(4, 5, 6, 7)); ret=R4"},
		{"squares8", AVX2 | AVX512, twoCodes + "BYTELOOP(DIFFERENCESTEP); ret=AX"},
		{"squares8", NEON, neonTwo + "BYTELOOP(SQUARES); ret=R4"},
		{"squares4", AVX2 | AVX512, twoCodes + "NIBBLELOOP(NIBBLEDIFFERENCESTEP); ret=AX"},
		{"squares4", NEON, neonTwo + "NIBBLELOOP(BOTH, HALVED, NIBBLESQUARES); ret=R4"},
		{"dotSigned", AVX2 | AVX512, twoCodes + "BYTELOOP(SIGNEDPRODUCTSTEP); ret=AX"},
		{"dotSigned", NEON, neonTwo + "BYTELOOP(SIGNEDPRODUCTS); ret=R4"},
		{"squaresSigned", AVX2 | AVX512, twoCodes + "BYTELOOP(SIGNEDDIFFERENCESTEP); ret=AX"},
		{"squaresSigned", NEON, neonTwo + "BYTELOOP(SIGNEDSQUARES); ret=R4"},
	},
}
