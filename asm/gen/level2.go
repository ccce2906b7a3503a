package main

// byColumns lists the cases of ger and gemvT, which give the same bits at AVX2 and at
// AVX-512. A row of half a register of AVX-512 is a whole register of AVX2. AVX2 then
// needs no mask, for whose stores the loads of the next row or call would wait.
func byColumns(neon string) []variant {
	return []variant{{Levels: AVX512, When: "len(y) != lanes/2"}, {Levels: AVX2}, {Levels: NEON, Go: neon}}
}

var level2 = family{"level2", []routine{
	{Func: "dot(x, y []F) F", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "scale(x []F, alpha F)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "ger(a []F, lda int, x, y []F, alpha F)", Cases: byColumns("gerNEON")},
	{Func: "gemvN(y, a []F, lda int, x []F, alpha F)", Cases: []variant{{Levels: AVX2 | AVX512}, {Levels: NEON, Go: "gemvNNEON"}}},
	{Func: "gemvT(y, a []F, lda int, x []F, alpha F)", Cases: byColumns("gemvTNEON")},
	{Func: "symv(a []F, lda int, x, y []F, xr, s *[4]F)", Cases: on(AVX2 | AVX512 | NEON)},
	{Func: "symvRows(a []F, lda, first, rows int, x, y []F, lower bool)", Cases: on(AVX2 | AVX512)},
	{
		Func:  "substitute(b []F, ldb, n, k int, t []F, rs, cs int, d *[8]F, back bool)",
		Cases: []variant{{Levels: AVX512, Go: "substituteAVX512"}, {Levels: AVX2, Go: "substituteAVX2"}},
	},
	{Func: "solve(b *F, ldb, n, k int, t *F, rs, cs int, d *F)", Cases: on(AVX2 | AVX512), Direct: true},
	{Func: "reflect(x, y, z []F, a, b, tau F)", Cases: on(AVX2 | AVX512)},
	{Func: "rotate(a *F, lda, n int, c, s []F)", Cases: on(AVX2 | AVX512), Direct: true},
	{
		Func:  "rotateRows(a []F, lda, n int, c, s []F, back bool)",
		Cases: []variant{{Levels: AVX512, Go: "rotateRowsAVX512"}, {Levels: AVX2, Go: "rotateRowsAVX2"}},
	},
	{Func: "axpy(y, x []F, alpha F)", Cases: on(NEON), Direct: true},
}}
