package main

import "fmt"

// The assembly of AVX-512 masks the edges of tiles. That of AVX2 writes four
// whole rows and v whole vectors, that of NEON whole tiles; other tiles go
// through a buffer.
var gemm = family{"gemm", []routine{
	{
		Func:    "tile(k int, a *F, ras, cas int, b *F, bs int, c *F, cs, m, n, next int, alpha, beta F)",
		Generic: "tileGeneric(k, a, ras, cas, b, bs, c, cs, m, n, alpha, beta)",
		Cases: []variant{
			{Levels: AVX512, Stub: "gemm(k int, a *F, ras, cas int, b *F, bs int, c *F, cs, m, n, next int, alpha, beta F)"},
			{Levels: AVX2, When: "m == 4 && n%lanes == 0", Stub: vectorTile, Args: "k, a, ras, cas, b, bs, c, cs, n/lanes, alpha, beta"},
			{Levels: NEON, When: "m == 4 && n == 6*lanes", Stub: wholeTile},
			{Levels: AVX2, Go: "tileAVX2"},
			{Levels: NEON, Go: "tileNEON"},
		},
	},
	{
		Func: "vectors(k int, a *F, ras, cas int, b *F, bs int, c *F, cs, n int, alpha, beta F)",
		Cases: []variant{
			{Levels: AVX2, Stub: vectorTile, Args: "k, a, ras, cas, b, bs, c, cs, (n+lanes-1)/lanes, alpha, beta"},
			{Levels: NEON, Stub: wholeTile},
		},
		Direct: true,
	},
	{
		Func: "few(k int, a *F, ras, cas int, b *F, bs int, c *F, cs, m, n int, alpha, beta F) (done bool)",
		Doc:  "computes a product of few columns if the level has a kernel for it",
		Cases: []variant{
			{Levels: AVX512, When: "n <= lanes", Stub: "few" + fewProducts},
			{Levels: AVX512, When: "n <= 2*lanes", Stub: "fewPairs" + fewProducts},
			{Levels: AVX2 | NEON, Go: "fewVectors"},
		},
		Generic: "false",
	},
	{
		Func: "fewTransposed(k int, a *F, ras, cas int, b *F, bs int, c *F, cs, m, n int, alpha, beta F) (done bool)",
		Doc:  "computes a product with the transpose of few rows if the level has a kernel for it",
		Cases: []variant{
			{Levels: AVX512, Only: 64, When: "n <= lanes && k <= 16", Stub: "fewTransposed" + fewProducts},
			{Levels: AVX512, Only: 64, When: "n <= 2*lanes && k <= 16", Stub: "fewPairsTransposed" + fewProducts},
			{Levels: NEON, Only: 64, When: "k <= 16", Go: "fewTransposedNEON"},
		},
		Generic: "false",
	},
	{
		Func:   "fourTransposed(k int, a *float64, ras, cas int, b *float64, bs int, c *float64, cs, m, n int, alpha, beta float64)",
		Cases:  on(NEON),
		Direct: true,
	},
	{
		Func:   "fewColumns(k int, a *F, ras, cas int, b *F, bs int, c *F, cs, m, n int, alpha, beta F)",
		Cases:  []variant{{Levels: AVX2 | NEON, Stub: "few(k int, a *F, ras, cas int, b *F, bs int, c *F, cs, m, n int, alpha, beta F)"}},
		Direct: true,
	},
	{
		Func: "many(count, k int, a []F, ras, cas, am int, b []F, bs, bm int, c []F, cs, cm, m, n, put int, alpha, beta F)",
		Cases: []variant{
			{Levels: AVX512, When: "n <= lanes && 2*n != lanes", Stub: "many" + manyProducts},
			{Levels: AVX512, When: "n > lanes", Go: "manyFew"},
			{Levels: AVX2, When: "n == lanes", Stub: "many" + manyProducts},
			{Levels: AVX2, When: "n == 2*lanes", Stub: "manyPairs" + manyProducts},
			{Levels: AVX2, Go: "manyFew"},
			{Levels: NEON, When: "n == 1", Stub: "manyNumber" + manyProducts},
			{Levels: NEON, Only: 32, When: "n == 2", Stub: "manyHalf" + manyProducts},
			{Levels: NEON, Only: 32, When: "n == 3", Stub: "manyHalves" + manyProducts},
			{Levels: NEON, When: "n == lanes", Stub: "many" + manyProducts},
			{Levels: NEON, When: "n <= 2*lanes", Stub: "manyPairs" + manyProducts},
			{Levels: NEON, When: "n <= 3*lanes", Stub: "manyTriples" + manyProducts},
			{Levels: NEON, Stub: "manyFours" + manyProducts},
		},
	},
	{
		Func: "packRows(dst, x []F, ps, m, k, w int)",
		Cases: []variant{{
			Levels: AVX2 | NEON, When: "m == w && w*size%16 == 0",
			Stub: "packRows(k int, x unsafe.Pointer, ps int, dst unsafe.Pointer, w int)",
			Args: "k, unsafe.Pointer(&x[0]), ps*size, unsafe.Pointer(&dst[0]), w*size",
		}},
	},
	{
		Func:    "packTransposed(dst, x []F, is, m, k, w int) (lines, cols int)",
		Doc:     "packs the leading lines and columns in groups of four and returns how many",
		Cases:   []variant{{Levels: AVX2, When: "k >= 4", Go: "packTransposedAVX2"}, {Levels: NEON, When: "k >= 4", Go: "packTransposedNEON"}},
		Generic: "0, 0",
	},
	{
		Func:   "packFour(k int, x *F, is int, dst *F, w int)",
		Cases:  []variant{{Levels: AVX2 | NEON, Stub: "packTransposed(k int, x *F, is int, dst *F, w int)"}},
		Direct: true,
	},
}}

const (
	vectorTile   = "gemm(k int, a *F, ras, cas int, b *F, bs int, c *F, cs, v int, alpha, beta F)"
	fewProducts  = "(k int, a *F, ras, cas int, b *F, bs int, c *F, cs, m, n int, alpha, beta F) (done bool)"
	manyProducts = "(count, k int, a *F, ras, cas, am int, b *F, bs, bm int, c *F, cs, cm, m, n, put int, alpha, beta F)"
	wholeTile    = "gemm(k int, a *F, ras, cas int, b *F, bs int, c *F, cs int, alpha, beta F)"
)

// What the entries of products of few columns load at AVX-512, and the rows that they have: of one vector, or of two.
const (
	inB         = "b=R14; bs=R13; "
	fewRows     = "a=R15; ras=R8; cas=R12; cs=DX; n=CX; alpha=Z20:all; beta=Z21:all; beta=AX; "
	maskedRows  = "ZEROROW=ZEROSINGLE; LOADROW=LOADMASKED; FMAROW=FMAMEMORY; SCALEROW=SCALEMASKED; BLENDROW=BLENDMASKED; PUTROW=PUTMASKED"
	pairsOfRows = "ZEROROW=ZEROBOTH; LOADROW=LOADBOTH; FMAROW=FMABOTH; SCALEROW=SCALEBOTH; BLENDROW=BLENDBOTH; PUTROW=PUTBOTH"
)

// The rows of many: of one vector, eight at a time, or of two.
const (
	oneVector  = "LOADROW=LOADONE; FMAROW=FMASINGLE; SUMROW=PUTSINGLE; SCALEROW=SCALESINGLE; BLENDROW=BLENDSINGLE"
	twoVectors = "LOADROW=LOADPAIR; FMAROW=FMAPAIR; SUMROW=PUTPAIR; SCALEROW=SCALEPAIR; BLENDROW=BLENDPAIR"
)

// rowsOf returns the rows of many at NEON: so many vectors, of which each has unit bytes.
func rowsOf(vectors, unit int, memory string) string {
	const row = "PUTROW=STOREC%[1]d; LOADB=LOADB%[1]d; LOADC=LOADC%[1]d; ZEROROW=ZEROROW%[1]d; FMAROW=FMAROW%[1]d; TIMESALPHA=TIMESALPHA%[1]d; PLUSC=PLUSC%[1]d; UNIT=%[2]d; M=%[3]s"
	return manyNEON + fmt.Sprintf(row, vectors, unit, memory)
}

const (
	manyNEON = `count=R0; k=R1; a=R2; ras=R9; cas=R3; am=R23; b=R4; bs=R10; bm=R24; c=R21; cs=R12; cm=R25; n=R15; put=R14
		MOVD $@alpha, R20; VLD1R (R20), [V28.T]; MOVD $@beta, R20; VLD1R (R20), [V29.T]; #many
		`
	fewNEON = `k=R2; a=R5; ras=R9; cas=R3; b=R4; bs=R10; c=R11; cs=R12; m=R13; n=R14
		MOVD $@alpha, R20; VLD1R (R20), [V28.T]; MOVD $@beta, R20; VLD1R (R20), [V29.T]; beta=R21
		`
	oneNumber = manyNEON + "PUTROW=STORECNUMBER; LOADB=LOADBNUMBER; LOADC=LOADCNUMBER; ZEROROW=ZEROROW1; FMAROW=FMAROW1; TIMESALPHA=TIMESALPHA1; PLUSC=PLUSC1; UNIT=8|4"
)

var gemmAssembly = assembly{
	Names: []names{
		{AVX2 | AVX512, "V0-V10 SHIFT=3|2 MOVU=VMOVUP? BROADCAST=VBROADCASTS? FMA=VFMADD231P? MUL=VMULP? SHL=SHLQ|SHLL"},
		{AVX2, "FOURBYFOUR=FOURBYFOUR# MASKMOV=VMASKMOVP? ADD=VADDP? LANES=4|8"},
		{AVX512, "MOVINT=MOVQ|MOVL LANES=8|16"},
		{NEON, "SHIFT=3|2 T=D2|S4 MUL=VFMUL_D2|VFMUL_S4 LSLINT=LSL|LSLW LANES=2|4 COLUMNS=COLUMNS# E=?"},
	},
	Data: []data{
		// Four words of ones, then four of zeros: tailMask+32-n begins with n bytes of ones.
		{"tailMask", AVX2, 64, 4, "#-1 #0"},
	},
	Entries: []entry{
		{"gemm", AVX512, `again:
			k=CX; a=SI; ras=R8; cas=R12; b=BX; bs=R13; c=DI; cs=DX; START(@m, @n, @next)
			JE two; JB one; THREE(@n, @next); STOREROWS(@alpha, @beta, BLEND3, SCALE3, scale3)
			TWO(@n); STOREROWS(@alpha, @beta, BLEND2, SCALE2, scale2)
			ONE; STOREROWS(@alpha, @beta, BLEND1, SCALE1, scale1)
			MOREROWS(@m, @a, @c)`},
		{"gemm", AVX2, "k=CX; a=SI; ras=R8; cas=R12; b=BX; bs=R13; c=DI; cs=DX; v=AX; #sums_avx2; store:; alpha=Y14:all; beta=Y15:all; beta=R8; STORE"},
		{"gemm", NEON, `k=R2; a=R5; ras=R9; cas=R3; b=R4; bs=R10; c=R11; cs=R12; #sums
			MOVD $@alpha, R9; VLD1R (R9), [V30.T]; MOVD $@beta, R9; VLD1R (R9), [V31.T]; beta=R13; #stores`},
		{"few", AVX2, "k=R11; a=SI; ras=R8; cas=R12; b=BX; bs=R13; c=DI; cs=DX; m=R10; n=AX; alpha=Y8:all; beta=Y9:all; #few"},
		{"few", AVX512, inB + fewRows + "BEGINFEW(0); #rows; done=AX; " + maskedRows},
		{"fewPairs", AVX512, inB + fewRows + "BEGINFEW(LANES); #rows; done=AX; " + pairsOfRows},
		{"fewTransposed", AVX512, "locals 1024; ROW=64; " + inB + "n=CX; #bytransposed; " + fewRows + "BEGINFEW(0); #rows; done=AX; " + maskedRows},
		{"fewPairsTransposed", AVX512, "locals 2048; ROW=128; " + inB + "n=CX; #bytransposed; " + fewRows + "BEGINFEW(LANES); #rows; done=AX; " + pairsOfRows},
		{"few", NEON, fewNEON + "#few"},
		{"fourTransposed", NEON, "locals 512; " + fewNEON + "#bytransposed; #few"},
		{"many", AVX512, "a=R15; ras=R8; cas=R12; bs=R13; c=DI; cs=DX; alpha=Z30:all; beta=Z31:all; COLUMNS(@n); put=AX; BEGINMANY; #manyeight; #many; " + oneVector},
		{"many", AVX2, "a=R15; ras=R8; cas=R12; bs=R13; c=DI; cs=DX; alpha=Y14:all; beta=Y15:all; put=AX; BEGINMANY; #manyeight; #many; " + oneVector},
		{"manyPairs", AVX2, "a=R15; ras=R8; cas=R12; bs=R13; c=DI; cs=DX; alpha=Y14:all; beta=Y15:all; put=AX; BEGINMANY; #many; " + twoVectors},
		{"manyNumber", NEON, oneNumber},
		{"manyHalf", NEON, rowsOf(1, 8, "S2")},
		{"manyHalves", NEON, rowsOf(2, 8, "S2")},
		{"many", NEON, rowsOf(1, 16, "D2|S4")},
		{"manyPairs", NEON, rowsOf(2, 16, "D2|S4")},
		{"manyTriples", NEON, rowsOf(3, 16, "D2|S4")},
		{"manyFours", NEON, rowsOf(4, 16, "D2|S4")},
		{"packRows", AVX2, "k=CX; x=SI; ps=R8; dst=DI; w=DX; #packrows"},
		{"packRows", NEON, "k=R0; x=R1; ps=R2; dst=R3; w=R4; #packrows"},
		{"packTransposed", AVX2, "k=CX; x=SI; is=R8; dst=DI; w=DX; #packtransposed"},
		{"packTransposed", NEON, "k=R0; x=R1; is=R2; dst=R3; w=R4; #packtransposed"},
	},
}
