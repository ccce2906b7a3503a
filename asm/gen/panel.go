package main

import "fmt"

var panel = family{"panel", []routine{
	{
		Func: "sums(dst []F, ldd int, x, z []F, d, stride, rows, panels int, op Op, add int)",
		Cases: append(tiles(AVX512, 4, 12),
			variant{Levels: AVX2, Go: "sumsAVX2"},
			variant{Levels: NEON, Go: "sumsNEON"}),
	},
	{Func: "tile(dst *F, ldd int, x, z *F, d, stride, rows, panels int, op Op, add int)", Cases: tiles(AVX2|NEON, 4, 6), Direct: true},
	atAllLevels("norms(dst, p []F, width, d int)", "", "norms(dst, p *F, width, d int)"),
	{
		Func: "sparseRow(dst, z []F, stride, panels int, val []F, at, col []int32)",
		Cases: []variant{{
			Levels: AVX2 | AVX512 | NEON,
			Stub:   "sparse(dst, z *F, stride, panels int, val *F, at, col *int32, n int)",
			Args:   "dst, z, stride*128, panels, val, at, col, len(at)",
		}},
		Generic: "sparseGeneric",
	},
	{
		Func: "axpy(y []F, a F, x []F, at []int32, first int)",
		Cases: []variant{{
			Levels: AVX2 | NEON,
			Stub:   "axpy(y *F, a F, x *F, at *int32, n, first int)",
			Args:   "y, a, x, at, len(at), first",
		}},
	},
	streamed("gaussRows(dst []F, ldd int, s []F, lds int, xn, zn []F, rows, cols int, gamma, hi, lo, cut F, past bool)", "gaussGeneric(dst, ldd, s, lds, xn, zn, rows, cols, gamma)",
		"gauss", "(dst *F, ldd int, s *F, lds int, xn, zn *F, rows, cols int, hi, lo, cut F)"),
	streamed("expRows(dst []F, ldd int, s []F, lds int, rows, cols int, gamma, hi, lo, cut F, past bool)", "expGeneric(dst, ldd, s, lds, rows, cols, gamma)",
		"exp", "(dst *F, ldd int, s *F, lds int, rows, cols int, hi, lo, cut F)"),
	atAllLevels("distanceRows(dst []F, ldd int, s []F, lds int, xn, zn []F, rows, cols int)", "distanceGeneric",
		"distance(dst *F, ldd int, s *F, lds int, xn, zn *F, rows, cols int)"),
	atAllLevels("powerRows(dst []F, ldd int, s []F, lds int, rows, cols int, offset F, p int)", "powerGeneric",
		"power(dst *F, ldd int, s *F, lds int, rows, cols int, offset F, p int)"),
	atAllLevels("rowSums(sum, s []F, lds int, v []F, rows, cols int)", "",
		"rowSums(sum, s *F, lds int, v *F, rows, cols int)"),
	atAllLevels("colSums(sum, s []F, lds int, v []F, rows, cols int)", "",
		"colSums(sum, s *F, lds int, v *F, rows, cols int)"),
	{
		Func: "gaussSums(row, col, s []F, lds int, xn, zn, v, w []F, rows, cols int, gamma, scale F)",
		Cases: []variant{{
			Levels: AVX512,
			Stub:   "gaussSums(row, col, s *F, lds int, xn, zn, v, w *F, rows, cols int, scale F)",
			Args:   "row, col, s, lds, xn, zn, v, w, rows, cols, scale",
		}},
		Generic: "gaussSumsInSteps(row, col, s, lds, xn, zn, v, w, rows, cols, gamma)",
	},
}}

// tiles lists the routines that sum by tiles of few rows or of many.
func tiles(l level, few, many int) (all []variant) {
	for i, name := range []string{"dot", "square", "absolute"} {
		for _, rows := range []int{few, many} {
			v := variant{
				Levels: l,
				When:   fmt.Sprintf("op == %s", []string{"Dot", "Squares", "Absolute"}[i]),
				Stub:   fmt.Sprintf("%s#x%d(dst *F, ldd int, x, z *F, d, stride, panels, add int)", name, rows),
				Args:   "dst, ldd, x, z, d, stride*128, panels, add",
			}
			if rows == few {
				v.When += fmt.Sprintf(" && rows == %d", few)
			}
			all = append(all, v)
		}
	}
	all[len(all)-1].When = "" // the last case takes all that is left
	return all
}

// atAllLevels returns a routine whose assembly takes its slices by pointers.
func atAllLevels(function, generic, stub string) routine {
	return routine{Func: function, Cases: []variant{{Levels: AVX2 | AVX512 | NEON, Stub: stub}}, Generic: generic}
}

// streamed returns a routine that has a second one, which passes the caches by, on amd64.
func streamed(function, generic, name, parameters string) routine {
	r := atAllLevels(function, generic, name+parameters)
	r.Cases = append([]variant{{Levels: AVX2 | AVX512, When: "past", Stub: name + "Stream" + parameters}}, r.Cases...)
	return r
}
