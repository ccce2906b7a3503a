package main

var structured = family{"structured", []routine{
	{Func: "ranges(t []F, place []int, x []F, xs, n int, v []F, s, d, width int)", Cases: []variant{{Levels: AVX2 | AVX512 | NEON, Go: "rangesBlocks"}}},
	{Func: "block(t []F, ts int, x []F, xs int, v []F, vs, w, c int)", Generic: "none", Cases: []variant{
		{Levels: AVX2 | AVX512 | NEON, Stub: "block(t *F, ts int, x *F, xs int, v *F, vs, w, c int)"}}},
	{Func: "line(t, x, v []F, vs, w, c int)", Generic: "none", Cases: []variant{
		{Levels: AVX2 | AVX512 | NEON, Stub: "line(t, x, v *F, vs, w, c int)"}}},
	{Func: "split(s []F, ss int, d []F, ds int, x, y, v, u []F, n, h int)", Cases: []variant{
		{Levels: AVX2 | AVX512 | NEON, Stub: "split(s *F, ss int, d *F, ds int, x, y, v, u *F, n, h int)"}}},
	{Func: "addSub(s, d, a []F, pairs, n int)", Cases: []variant{
		{Levels: AVX2 | AVX512 | NEON, Stub: "addSub(s, d, a *F, pairs, n int)"}}},
	{Func: "transpose(dst, t []F, ts, rows, cols int)", Cases: []variant{
		{Levels: AVX2, When: "rows%(32/size) == 0 && cols%4 == 0", Stub: "transpose(dst, t *F, ts, rows, cols int)"}}},
	{Func: "deal(a, b, x []F)", Cases: []variant{
		{Levels: AVX2, When: "len(a)%(32/size) == 0", Stub: "deal(a, b, x *F, n int)", Args: "a, b, x, len(a)"}}},
}}
