package panel

import (
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

// TestChunks runs every sum on sizes that exceed a multiple of the size of one
// assembly call by one, on integers, for which all sums are exact.
func TestChunks(t *testing.T) { both(t, checkChunks[float64], checkChunks[float32]) }

func checkChunks[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rng.New(12, 0)
		c := Cols[F]()
		slice := sliceBytes / (Rows * 128 / c)
		for _, s := range []struct{ d, panels int }{
			{slice, limit/slice + 1}, {slice + 1, 2*limit/slice + 1}, {2*slice + 1, 2}, {40, limit/40 + 1},
		} {
			x, z := asmtest.Integers[F](r, s.d*Rows, 3), asmtest.Integers[F](r, s.panels*s.d*c, 3)
			dst := make([]F, Rows*s.panels*c)
			for op := Dot; op <= Absolute; op++ {
				for _, rows := range []int{4, Rows} {
					ldd := s.panels * c
					Sums(dst, ldd, x, z, s.d, rows, s.panels, op)
					// The first, the last and a column between of every row.
					for i := range rows {
						for _, j := range []int{0, ldd / 2, ldd - c, ldd - 1} {
							var want float64
							for k := range s.d {
								v, _ := term(op, x[k*Rows+i], z[(j/c*s.d+k)*c+j%c])
								want += v
							}
							if got := float64(dst[i*ldd+j]); got != want {
								t.Fatalf("op %d, d %d, %d panels: sum %d,%d is %v, want %v", op, s.d, s.panels, i, j, got, want)
							}
						}
					}
				}
			}
		}

		const n = 2048
		panels := 8*limit/n + 1
		val, z, dst := asmtest.Integers[F](r, n, 3), asmtest.Integers[F](r, panels*n*c, 3), make([]F, panels*c)
		at := make([]int32, n)
		for k := range at {
			at[k] = int32(k)
		}
		SparseDot(dst, z, n, panels, val, at, at)
		for j, got := range dst {
			var want F
			for k, v := range val {
				want += v * z[(j/c*n+k)*c+j%c]
			}
			if got != want {
				t.Fatalf("SparseDot of %d panels: sum %d is %v, want %v", panels, j, got, want)
			}
		}

		const d = 8*limit + 1
		for _, width := range []int{Rows, c} {
			p, dst := asmtest.Integers[F](r, width*d, 3), make([]F, width)
			Norms(dst, p, width, d)
			for i, got := range dst {
				var want F
				for k := range d {
					want += p[k*width+i] * p[k*width+i]
				}
				if got != want {
					t.Fatalf("norm %d of %d is %v, want %v", i, width, got, want)
				}
			}
		}
	})
}

// TestLimitsInLanes puts arguments around the limits of the exponential, and
// numbers that are not finite, into every lane in turn, between ordinary ones.
func TestLimitsInLanes(t *testing.T) { both(t, limitsInLanes[float64], limitsInLanes[float32]) }

func limitsInLanes[F num.Float](t *testing.T) {
	end := 1022 * math.Ln2
	if Cols[F]() == 32 {
		end = 126 * math.Ln2
	}
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		n := 2*Cols[F]() + 7
		ordinary := asmtest.Normal[F](rng.New(13, 0), n)
		for i, v := range ordinary {
			ordinary[i] = F(math.Abs(float64(v)))
		}
		one, zn := []F{1}, make([]F, n)
		for name, f := range map[string]func(dst, s []F){
			"Exp":   func(dst, s []F) { Exp(dst, len(s), s, len(s), 1, len(s), 1, false) },
			"Power": func(dst, s []F) { Power(dst, len(s), s, len(s), 1, len(s), 1, 3) },
			"Gauss": func(dst, s []F) { Gauss(dst, len(s), s, len(s), one, zn[:len(s)], 1, len(s), 1, false) },
			"Distance": func(dst, s []F) {
				Distance(dst, len(s), s, len(s), one, zn[:len(s)], 1, len(s))
			},
		} {
			want := make([]F, n)
			for i := range n {
				f(want[i:i+1], ordinary[i:i+1])
			}
			for _, v := range []float64{0, end * (1 - 1e-6), end * (1 + 1e-6), 2 * end, math.Inf(1), math.NaN(), 1e30} {
				special := []F{F(v)}
				if name == "Gauss" || name == "Distance" { // −2·s makes the argument
					special[0] = F(-v / 2)
				}
				out := []F{0}
				f(out, special)
				for at := range n {
					s, dst := append([]F(nil), ordinary...), make([]F, n)
					s[at] = special[0]
					f(dst, s)
					for i, got := range dst {
						w := want[i]
						if i == at {
							w = out[0]
						}
						if !asmtest.Same(got, w) {
							t.Fatalf("%s with %v at %d: element %d is %v, want %v", name, special[0], at, i, got, w)
						}
					}
				}
			}
		}
	})
}

// TestSpecialsOfStrips checks that NaN and infinities reach exactly the sums to
// which they belong.
func TestSpecialsOfStrips(t *testing.T) {
	both(t, specialsOfStrips[float64], specialsOfStrips[float32])
}

func specialsOfStrips[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		const rows = 3
		cols := Cols[F]() + 7
		for _, v := range []F{F(math.NaN()), F(math.Inf(1))} {
			for at := range rows * cols {
				s, rowSum, colSum := make([]F, rows*cols), make([]F, rows), make([]F, cols)
				s[at] = v
				RowSums(rowSum, s, cols, make([]F, cols), rows, cols)
				ColSums(colSum, s, cols, make([]F, rows), rows, cols)
				for i, got := range rowSum {
					if (got != got) != (i == at/cols) {
						t.Fatalf("%s: row %d is %v", fmt.Sprintf("%v·0 at %d", v, at), i, got)
					}
				}
				for j, got := range colSum {
					if (got != got) != (j == at%cols) {
						t.Fatalf("%s: column %d is %v", fmt.Sprintf("%v·0 at %d", v, at), j, got)
					}
				}
			}
		}
	})
}
