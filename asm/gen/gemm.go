package main

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
		Func: "packRows(dst, x []F, ps, m, k, w int)",
		Cases: []variant{{
			Levels: AVX2, When: "m == w && w*size%16 == 0",
			Stub: "packRows(k int, x unsafe.Pointer, ps int, dst unsafe.Pointer, w int)",
			Args: "k, unsafe.Pointer(&x[0]), ps*size, unsafe.Pointer(&dst[0]), w*size",
		}},
	},
	{
		Func:    "packTransposed(dst, x []F, is, m, k, w int) (lines, cols int)",
		Doc:     "packs the leading lines and columns in groups of four and returns how many",
		Cases:   []variant{{Levels: AVX2, When: "k >= 4", Go: "packTransposedAVX2"}},
		Generic: "0, 0",
	},
	{
		Func:   "packFour(k int, x *F, is int, dst *F, w int)",
		Cases:  []variant{{Levels: AVX2, Stub: "packTransposed(k int, x *F, is int, dst *F, w int)"}},
		Direct: true,
	},
}}

const (
	vectorTile = "gemm(k int, a *F, ras, cas int, b *F, bs int, c *F, cs, v int, alpha, beta F)"
	wholeTile  = "gemm(k int, a *F, ras, cas int, b *F, bs int, c *F, cs int, alpha, beta F)"
)
