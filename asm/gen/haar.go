package main

// The assembly for a row takes whole vectors, or two elements on AVX-512. It has
// versions without factors, for factors that are all ones. more holds further
// conditions for AVX-512 and begins with a comma.
func haarRows(name, more string) routine {
	const args = "(dst, src *F, n, d, ds, ss int, scratch, f *F"
	r := routine{Func: name + "Rows(dst []F, ds int, src []F, ss, n, d int, s Scaling, scratch, f []F" + more + ")", Generic: name + "Generic(dst, ds, src, ss, n, d, scratch, f)"}
	for _, c := range []struct {
		levels      level
		least, more string
	}{{AVX512, "d >= 2", more}, {AVX2 | NEON, "d >= lanes", ""}} {
		r.Cases = append(r.Cases,
			variant{Levels: c.levels, When: c.least + " && s == Ones", Stub: name + args + c.more + ")"},
			variant{Levels: c.levels, When: c.least, Stub: name + "Scaled" + args + c.more + ")"})
	}
	return r
}

var haar = family{"haar", []routine{
	haarRows("forward", ", far bool"),
	haarRows("backward", ""),
	{Func: "split(d, s, x, c []F)", Generic: "splitGeneric(d, s, x, c[0])", Cases: []variant{
		{Levels: AVX2 | AVX512, Stub: "split(d, s, x *F, pairs int, c F)", Args: "d, s, x, len(s), c[0]"},
		{Levels: NEON, Stub: "split(d, s, x *F, pairs int, c *F)", Args: "d, s, x, len(s), c"}}},
	{Func: "split3(d1, d2, d3, s, x, c []F)", Cases: []variant{
		{Levels: AVX2 | AVX512 | NEON, Stub: "split3#(d1, d2, d3, s, x *F, m int, c *F)", Args: "d1, d2, d3, s, x, len(s), c"}}},
	{Func: "join(x, d, s, c []F)", Generic: "joinGeneric(x, d, s, c[0])", Cases: []variant{
		{Levels: AVX2 | AVX512, Stub: "join(x, d, s *F, pairs int, c F)", Args: "x, d, s, len(s), c[0]"},
		{Levels: NEON, Stub: "join(x, d, s *F, pairs int, c *F)", Args: "x, d, s, len(s), c"}}},
	{Func: "join3(x, d1, d2, d3, s, c []F)", Cases: []variant{
		{Levels: AVX2 | AVX512 | NEON, Stub: "join3#(x, d1, d2, d3, s *F, m int, c *F)", Args: "x, d1, d2, d3, s, len(s), c"}}},
}}
