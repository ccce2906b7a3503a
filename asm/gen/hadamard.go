package main

// The kernels are called only at levels for which limits has sizes.
var hadamard = family{"hadamard", []routine{
	{Func: "rowKernel(x []F, bits, n, stride int)", Generic: "none", Doc: "transforms n rows of length 2^bits, bits in the range of limits", Cases: []variant{
		{Levels: AVX512, When: "1<<bits >= lanes && bothPipes", Stub: "rowsBoth(x []F, bits, n, stride int)"},
		{Levels: AVX512, When: "1<<bits >= lanes", Stub: "rows(x []F, bits, n, stride int)"},
		{Levels: AVX2, When: "bothPipes", Stub: "rowsBoth(x []F, bits, n, stride int)"},
		{Levels: AVX2 | NEON, Stub: "rows(x []F, bits, n, stride int)"}}},
	{Func: "signedKernel(x []F, bits, n, stride int, s []F, step int)", Generic: "none", Doc: "multiplies n rows of length 2^bits, bits in the range of limits, by the factors s[i*step:] and transforms them", Cases: []variant{
		{Levels: AVX512, When: "1<<bits >= lanes && bothPipes", Stub: "signedBoth(x []F, bits, n, stride int, s []F, step int)"},
		{Levels: AVX512, When: "1<<bits >= lanes", Stub: "signed(x []F, bits, n, stride int, s []F, step int)"},
		{Levels: AVX2, When: "bothPipes", Stub: "signedBoth(x []F, bits, n, stride int, s []F, step int)"},
		{Levels: AVX2 | NEON, Stub: "signed(x []F, bits, n, stride int, s []F, step int)"}}},
	{Func: "columnKernel(x []F, bits, h, width, n, stride int)", Generic: "none", Doc: "transforms, for i < n and c < width, the 2^bits elements x[i*stride+c], x[i*stride+c+h] …; width is a multiple of 64 bytes", Cases: []variant{
		{Levels: AVX2 | AVX512, When: "bothPipes", Stub: "columnsBoth(x []F, bits, h, width, n, stride int)"},
		{Levels: AVX2 | AVX512 | NEON, Stub: "columns(x []F, bits, h, width, n, stride int)"}}},
	{Func: "baseKernel(x []F, m, h, width int)", Generic: "none", Doc: "computes Base for the first width columns of x; width is a multiple of 64 bytes", Cases: []variant{
		{Levels: AVX2 | AVX512 | NEON, Stub: "base(x []F, m, h, width int)"}}},
	{Func: "scaleKernel(x []F, a F)", Generic: "none", Doc: "multiplies x by a; len(x) is a positive multiple of 64", Cases: []variant{
		{Levels: AVX2 | AVX512 | NEON, Stub: "scale(x []F, a F)"}}},
	{Func: "productKernel(dst, x, s []F)", Generic: "none", Doc: "computes Product; len(dst) is a positive multiple of 64 bytes", Cases: []variant{
		{Levels: AVX2 | AVX512 | NEON, Stub: "product(dst, x, s []F)"}}},
}}
