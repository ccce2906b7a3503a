package panel

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

// pack puts row-major rows into panels of width rows.
func pack[F num.Float](rows [][]F, width, d int) []F {
	panels := (len(rows) + width - 1) / width
	p := make([]F, panels*width*d)
	for i, row := range rows {
		for k, v := range row {
			p[(i/width)*width*d+k*width+i%width] = v
		}
	}
	return p
}

func randomRows[F num.Float](seed uint64, n, d int) [][]F {
	r := rng.New(seed, 0)
	x := make([][]F, n)
	for i := range x {
		x[i] = asmtest.Normal[F](r, d)
	}
	return x
}

func term[F num.Float](op Op, x, z F) (value, size float64) {
	a, b := float64(x), float64(z)
	switch op {
	case Dot:
		return a * b, math.Abs(a * b)
	case Squares:
		return (a - b) * (a - b), (a - b) * (a - b)
	default:
		return math.Abs(a - b), math.Abs(a - b)
	}
}

// exact returns the sum over the columns, computed in a wide format.
func exact[F num.Float](op Op, x, z []F) (value, size float64) {
	sum := new(big.Float).SetPrec(200)
	for k := range x {
		a, b := new(big.Float).SetPrec(200).SetFloat64(float64(x[k])), new(big.Float).SetPrec(200).SetFloat64(float64(z[k]))
		switch op {
		case Dot:
			a.Mul(a, b)
		default:
			a.Sub(a, b)
			if op == Squares {
				a.Mul(a, a)
			} else {
				a.Abs(a)
			}
		}
		sum.Add(sum, a)
		_, s := term(op, x[k], z[k])
		size += s
	}
	value, _ = sum.Float64()
	return value, size
}

func both(t *testing.T, f64, f32 func(t *testing.T)) {
	t.Run("float64", f64)
	t.Run("float32", f32)
}

// columns lists the numbers of columns for tests of sums: all small ones, and
// those around a chunk and around the largest size of a call.
func columns[F num.Float]() []int {
	c := Chunk[F]()
	d := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 17, c - 1, c, c + 1, 2*c + 3}
	if !testing.Short() {
		d = append(d, limit-1, limit, limit+1, 2*limit+c+5)
	}
	return d
}

func TestSums(t *testing.T) { both(t, sumsTest[float64], sumsTest[float32]) }

func sumsTest[F num.Float](t *testing.T) {
	type place struct {
		op      Op
		d, i, j int
	}
	type sum struct{ value, size float64 }
	known := map[place]sum{} // of every level, which get the same rows
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		u, c := asmtest.Epsilon[F]()/2, Cols[F]()
		for _, d := range columns[F]() {
			panels := 3
			if d > 600 {
				panels = 1
			}
			xs, zs := randomRows[F](1, Rows, d), randomRows[F](2, panels*c, d)
			x, z := pack(xs, Rows, d), pack(zs, c, d)
			for op := Dot; op <= Absolute; op++ {
				for _, at := range []struct{ lo, n int }{{0, 12}, {0, 4}, {4, 4}, {8, 4}} {
					ldd := panels*c + 5
					dst := make([]F, (at.n-1)*ldd+panels*c)
					for i := range dst {
						dst[i] = -7
					}
					Sums(dst, ldd, x[min(at.lo, len(x)):], z, d, at.n, panels, op)
					step := 1 + min(d, 60)/2
					if testing.Short() {
						step = 4*step + 1
					}
					for r := range at.n {
						for j := r % step; j < panels*c; j += step {
							key := place{op, d, at.lo + r, j}
							of, is := known[key]
							if !is {
								of.value, of.size = exact(op, xs[at.lo+r], zs[j])
								known[key] = of
							}
							want, size := of.value, of.size
							chunks := (d + Chunk[F]() - 1) / Chunk[F]()
							tol := float64(min(d, Chunk[F]())+chunks+3) * u * size
							if got := float64(dst[r*ldd+j]); !(math.Abs(got-want) <= tol) {
								t.Fatalf("op %d, d %d, rows %v: sum %d,%d is %v, want %v ± %g", op, d, at, r, j, got, want, tol)
							}
						}
						if r+1 < at.n {
							for j := panels * c; j < ldd; j++ {
								if dst[r*ldd+j] != -7 {
									t.Fatalf("op %d, d %d: wrote behind row %d", op, d, r)
								}
							}
						}
					}
				}
			}
		}
	})
}

// TestEqualRows checks that the position in a panel, and which operand a row
// belongs to, do not change a bit, and that the product of a row with itself is
// its norm.
func TestEqualRows(t *testing.T) { both(t, equalRows[float64], equalRows[float32]) }

func equalRows[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		c := Cols[F]()
		for _, d := range []int{1, 2, 7, 50, Chunk[F](), Chunk[F]() + 1, 1000} {
			if testing.Short() && (d == 50 || d == 1000) {
				continue
			}
			rows := randomRows[F](uint64(d), c, d)
			z := pack(rows, c, d)
			zn := make([]F, c)
			Norms(zn, z, c, d)
			step := 1
			if testing.Short() {
				step = 7
			}
			for lo := 0; lo+Rows <= c; lo += step {
				x := pack(rows[lo:lo+Rows], Rows, d)
				xn := make([]F, Rows)
				Norms(xn, x, Rows, d)
				for op := Dot; op <= Absolute; op++ {
					large, small := make([]F, Rows*c), make([]F, Rows*c)
					Sums(large, c, x, z, d, Rows, 1, op)
					for r := 0; r < Rows; r += 4 {
						Sums(small[r*c:], c, x[r:], z, d, 4, 1, op)
					}
					for i, v := range large {
						if small[i] != v {
							t.Fatalf("d %d, op %d: tiles differ: %v and %v", d, op, v, small[i])
						}
					}
					for r := range Rows {
						want := F(0)
						if op == Dot {
							want = zn[lo+r]
						}
						if xn[r] != zn[lo+r] || large[r*c+lo+r] != want {
							t.Fatalf("d %d, op %d: row against itself is %v, norms %v and %v", d, op, large[r*c+lo+r], xn[r], zn[lo+r])
						}
						for q := range Rows {
							if large[r*c+lo+q] != large[q*c+lo+r] {
								t.Fatalf("d %d, op %d: not symmetric: %v and %v", d, op, large[r*c+lo+q], large[q*c+lo+r])
							}
						}
					}
				}
			}
		}
	})
}

// bigExp returns exp(a·b) with many more digits than float64.
func bigExp(a, b float64) *big.Float {
	const prec = 220
	// exp(t) = exp(t/2^k)^(2^k)
	k := uint(20)
	r := new(big.Float).SetPrec(prec).SetFloat64(a)
	r.Mul(r, new(big.Float).SetPrec(prec).SetFloat64(b))
	r.SetMantExp(r, -int(k))
	sum, p := big.NewFloat(1).SetPrec(prec), big.NewFloat(1).SetPrec(prec)
	for i := 1; i < 30; i++ {
		p.Mul(p, r)
		p.Quo(p, big.NewFloat(float64(i)).SetPrec(prec))
		sum.Add(sum, p)
	}
	for range k {
		sum.Mul(sum, sum)
	}
	return sum
}

func TestExp(t *testing.T) { both(t, expTest[float64], expTest[float32]) }

func expTest[F num.Float](t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 100
	}
	known := map[[2]F]*big.Float{} // of every level, which get the same numbers
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rng.New(5, 0)
		end, u := 1022*math.Ln2, asmtest.Epsilon[F]()
		if Cols[F]() == 32 {
			end = 126 * math.Ln2
		}
		products := []float64{end, end * (1 + 1e-6), end * (1 - 1e-6), 1e-30}
		for range n {
			products = append(products, r.Float64()*end*1.01, r.Float64(), math.Pow(10, -12*r.Float64()))
		}
		for _, gamma := range []F{1, 0.37, 1e-3, 1e5} {
			s := []F{0, F(math.Inf(1)), F(math.NaN()), F(asmtest.Unit(F(0)))}
			for _, p := range products {
				s = append(s, F(p/float64(gamma)))
			}
			dst := make([]F, len(s))
			Exp(dst, len(s), s, len(s), 1, len(s), gamma, false)
			worst := 0.0
			for i, v := range s {
				product := float64(gamma) * float64(v)
				switch got := dst[i]; {
				case v != v:
					if got == got {
						t.Fatalf("NaN gives %v", got)
					}
				case v == 0:
					if got != 1 {
						t.Fatalf("exp(0) is %v", got)
					}
				case product > end*(1+2*u):
					if got != 0 {
						t.Fatalf("exp(−%v) is %v, want 0", product, got)
					}
				case product > end*(1-2*u) && got == 0: // the threshold is rounded
				default:
					want := known[[2]F{gamma, v}]
					if want == nil {
						want = bigExp(-float64(gamma), float64(v))
						known[[2]F{gamma, v}] = want
					}
					w, _ := want.Float64()
					diff := new(big.Float).Sub(new(big.Float).SetPrec(220).SetFloat64(float64(got)), want)
					e, _ := diff.Float64()
					worst = max(worst, math.Abs(e)/asmtest.Unit(F(w)))
					if !(got <= 1 && got > 0) {
						t.Fatalf("exp(−%v) is %v", product, got)
					}
				}
			}
			if !(worst <= ExpULP) {
				t.Errorf("γ %v: error of %.3f ULP, bound %v", gamma, worst, ExpULP)
			}
			t.Logf("γ %v: %.3f ULP", gamma, worst)
		}
	})
}

// TestValues compares every function with its generic version for every number
// of columns, with canaries around and between the rows.
func TestValues(t *testing.T) { both(t, valuesTest[float64], valuesTest[float32]) }

type strip[F num.Float] struct {
	rows, cols, lds, ldd int
	s, xn, zn            []F
}

func valuesTest[F num.Float](t *testing.T) {
	functions := []struct {
		name string
		run  func(dst []F, k strip[F])
		gen  func(dst []F, k strip[F])
		tol  float64 // in units in the last place
	}{
		{"Gauss", func(dst []F, k strip[F]) { Gauss(dst, k.ldd, k.s, k.lds, k.xn, k.zn, k.rows, k.cols, 0.5, false) },
			func(dst []F, k strip[F]) {
				gaussGeneric(dst, k.ldd, k.s, k.lds, k.xn, k.zn, k.rows, k.cols, 0.5)
			}, 40},
		{"Exp", func(dst []F, k strip[F]) { Exp(dst, k.ldd, k.s, k.lds, k.rows, k.cols, 0.5, false) },
			func(dst []F, k strip[F]) { expGeneric(dst, k.ldd, k.s, k.lds, k.rows, k.cols, 0.5) }, 2 * ExpULP},
		{"Gauss past the caches", func(dst []F, k strip[F]) { Gauss(dst, k.ldd, k.s, k.lds, k.xn, k.zn, k.rows, k.cols, 0.5, true) },
			func(dst []F, k strip[F]) {
				gaussGeneric(dst, k.ldd, k.s, k.lds, k.xn, k.zn, k.rows, k.cols, 0.5)
			}, 40},
		{"Exp past the caches", func(dst []F, k strip[F]) { Exp(dst, k.ldd, k.s, k.lds, k.rows, k.cols, 0.5, true) },
			func(dst []F, k strip[F]) { expGeneric(dst, k.ldd, k.s, k.lds, k.rows, k.cols, 0.5) }, 2 * ExpULP},
		{"Distance", func(dst []F, k strip[F]) { Distance(dst, k.ldd, k.s, k.lds, k.xn, k.zn, k.rows, k.cols) },
			func(dst []F, k strip[F]) { distanceGeneric(dst, k.ldd, k.s, k.lds, k.xn, k.zn, k.rows, k.cols) }, 40},
		{"Power1", func(dst []F, k strip[F]) { Power(dst, k.ldd, k.s, k.lds, k.rows, k.cols, 0.25, 1) },
			func(dst []F, k strip[F]) { powerGeneric(dst, k.ldd, k.s, k.lds, k.rows, k.cols, 0.25, 1) }, 0},
		{"Power2", func(dst []F, k strip[F]) { Power(dst, k.ldd, k.s, k.lds, k.rows, k.cols, 0.25, 2) },
			func(dst []F, k strip[F]) { powerGeneric(dst, k.ldd, k.s, k.lds, k.rows, k.cols, 0.25, 2) }, 0},
		{"Power5", func(dst []F, k strip[F]) { Power(dst, k.ldd, k.s, k.lds, k.rows, k.cols, 0.25, 5) },
			func(dst []F, k strip[F]) { powerGeneric(dst, k.ldd, k.s, k.lds, k.rows, k.cols, 0.25, 5) }, 0},
		{"Power64", func(dst []F, k strip[F]) { Power(dst, k.ldd, k.s, k.lds, k.rows, k.cols, 0.25, 64) },
			func(dst []F, k strip[F]) { powerGeneric(dst, k.ldd, k.s, k.lds, k.rows, k.cols, 0.25, 64) }, 0},
	}
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rng.New(9, 0)
		for _, cols := range asmtest.Lengths(Cols[F]() / 2) {
			if testing.Short() && cols%3 == 1 {
				continue
			}
			for _, rows := range []int{0, 1, 3} {
				k := strip[F]{rows: rows, cols: cols, lds: cols + 2, ldd: cols + 3}
				k.s = asmtest.Normal[F](r, 3*k.lds)
				k.xn, k.zn = asmtest.Normal[F](r, 3), asmtest.Normal[F](r, cols)
				for i := range k.xn {
					k.xn[i] += 4
				}
				for i := range k.zn {
					k.zn[i] += 4
				}
				for i := range k.s {
					k.s[i] = F(math.Abs(float64(k.s[i]))) // as Exp wants it
				}
				for _, special := range []bool{false, true} {
					if special && cols > 0 {
						k.s[cols-1], k.zn[0], k.xn[0] = F(math.NaN()), F(math.Inf(1)), 1e20
					}
					for _, f := range functions {
						for off := range 8 {
							if rows == 0 && off > 0 || testing.Short() && off%3 != 0 {
								continue
							}
							c := asmtest.NewCanary[F](rows*k.ldd, 1, off)
							want := make([]F, rows*k.ldd)
							fill := asmtest.Normal[F](r, rows*k.ldd)
							c.Set(fill)
							copy(want, fill)
							f.run(c.Slice(), k)
							if rows > 0 && cols > 0 {
								asmtest.At(cpu.Generic, func() { f.gen(want, k) })
							}
							c.Check(t)
							for i, g := range c.Slice() {
								if w := want[i]; !asmtest.Same(g, w) && !(asmtest.ULP(g, float64(w)) <= f.tol) {
									t.Fatalf("%s, %d×%d, offset %d: element %d is %v, want %v", f.name, rows, cols, off, i, g, w)
								}
							}
						}
					}
				}
			}
		}
	})
}

func TestSumsOfStrips(t *testing.T) { both(t, stripSums[float64], stripSums[float32]) }

func stripSums[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rng.New(10, 0)
		u := asmtest.Epsilon[F]() / 2
		for _, cols := range asmtest.Lengths(Cols[F]()/2, 200) {
			for _, rows := range []int{1, 2, 12} {
				lds := cols + 1
				s, v, w := asmtest.Normal[F](r, rows*lds), asmtest.Normal[F](r, cols), asmtest.Normal[F](r, rows)
				a, b := asmtest.NewCanary[F](rows, 1, cols%8), asmtest.NewCanary[F](cols, 1, rows%8)
				startA, startB := asmtest.Normal[F](r, rows), asmtest.Normal[F](r, cols)
				a.Set(startA)
				b.Set(startB)
				RowSums(a.Slice(), s, lds, v, rows, cols)
				ColSums(b.Slice(), s, lds, w, rows, cols)
				a.Check(t)
				b.Check(t)
				for i, got := range a.Get() {
					want, size := float64(startA[i]), math.Abs(float64(startA[i]))
					for j := range cols {
						p := float64(s[i*lds+j]) * float64(v[j])
						want += p
						size += math.Abs(p)
					}
					if !(math.Abs(float64(got)-want) <= float64(cols+2)*u*size) {
						t.Fatalf("RowSums %d×%d: %d is %v, want %v", rows, cols, i, got, want)
					}
				}
				for j, got := range b.Get() {
					want, size := float64(startB[j]), math.Abs(float64(startB[j]))
					for i := range rows {
						p := float64(s[i*lds+j]) * float64(w[i])
						want += p
						size += math.Abs(p)
					}
					if !(math.Abs(float64(got)-want) <= float64(rows+2)*u*size) {
						t.Fatalf("ColSums %d×%d: %d is %v, want %v", rows, cols, j, got, want)
					}
				}
			}
		}
	})
}

// TestGuards puts every operand beside pages without access, one at a time.
func TestGuards(t *testing.T) { both(t, guards[float64], guards[float32]) }

func guards[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		c := Cols[F]()
		for _, d := range []int{1, 3} {
			for _, rows := range []int{4, 12} {
				asmtest.Guarded(t, rows*2*c, func(dst []F) {
					asmtest.Guarded(t, (d-1)*Rows+rows, func(x []F) {
						asmtest.Guarded(t, 2*c*d, func(z []F) {
							for op := Dot; op <= Absolute; op++ {
								Sums(dst, 2*c, x, z, d, rows, 2, op)
							}
						})
					})
				})
			}
			for _, panels := range []int{1, 4} {
				asmtest.Guarded(t, panels*c, func(dst []F) {
					asmtest.Guarded(t, panels*c*d, func(z []F) {
						asmtest.Guarded(t, 1, func(val []F) {
							SparseDot(dst, z, d, panels, val, []int32{int32(d - 1)}, []int32{int32(d - 1)})
						})
					})
				})
			}
			for _, width := range []int{Rows, c} {
				asmtest.Guarded(t, width, func(dst []F) {
					asmtest.Guarded(t, width*d, func(p []F) { Norms(dst, p, width, d) })
				})
			}
		}
		for _, cols := range asmtest.Lengths(c / 2) {
			asmtest.Guarded(t, 2*cols, func(dst []F) {
				asmtest.Guarded(t, 2*cols, func(s []F) {
					asmtest.Guarded(t, cols, func(zn []F) {
						two := make([]F, 2)
						Gauss(dst, cols, s, cols, two, zn, 2, cols, 1, false)
						Exp(dst, cols, s, cols, 2, cols, 1, false)
						Gauss(dst, cols, s, cols, two, zn, 2, cols, 1, true)
						Exp(dst, cols, s, cols, 2, cols, 1, true)
						Distance(dst, cols, s, cols, two, zn, 2, cols)
						Power(dst, cols, s, cols, 2, cols, 1, 3)
						RowSums(two, s, cols, zn, 2, cols)
						ColSums(zn, s, cols, two, 2, cols)
					})
				})
			})
		}
	})
}

func TestPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"short destination": func() { Sums(make([]float64, 10), 16, make([]float64, 12), make([]float64, 16), 1, 4, 1, Dot) },
		"short x":           func() { Sums(make([]float64, 64), 16, make([]float64, 3), make([]float64, 16), 1, 4, 1, Dot) },
		"short z":           func() { Sums(make([]float64, 64), 16, make([]float64, 12), make([]float64, 15), 1, 4, 1, Dot) },
		"power 0":           func() { Power(make([]float64, 1), 1, make([]float64, 1), 1, 1, 1, 0, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			if must.Recovered(f) == nil {
				t.Error("no panic")
			}
		})
	}
}

func ExampleGauss() {
	// One row x = (1, 0) against the rows (1, 0) and (0, 1).
	x := make([]float64, 2*Rows)
	x[0] = 1
	z := make([]float64, 2*Cols[float64]())
	z[0], z[Cols[float64]()+1] = 1, 1
	s := make([]float64, 4*Cols[float64]())
	Sums(s, Cols[float64](), x, z, 2, 4, 1, Dot)
	k := make([]float64, 2)
	Gauss(k, 2, s, Cols[float64](), []float64{1}, []float64{1, 1}, 1, 2, 0.5, false)
	fmt.Printf("%.4f\n", k)
	// Output: [1.0000 0.3679]
}

// TestSparseAxpy checks that the columns of rows with few nonzeros, one after the other,
// give the bits of a chunk of Sums, and that nothing else is written.
func TestSparseAxpy(t *testing.T) { both(t, definedSparseAxpy[float64], definedSparseAxpy[float32]) }

func definedSparseAxpy[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		const first = 7
		c, d := Cols[F](), Chunk[F]()
		r := rng.New(8, 1)
		x, z := randomRows[F](9, 1, d)[0], randomRows[F](10, c, d)
		got := asmtest.NewCanary[F](c, 1, 3)
		clear(got.Slice())
		for k := range d {
			var value []F
			var at []int32
			for j := range z {
				if r.IntN(3) == 0 {
					value, at = append(value, z[j][k]), append(at, int32(first+j))
				} else {
					z[j][k] = 0
				}
			}
			SparseAxpy(got.Slice(), x[k], value, at, first)
		}
		got.Check(t)
		want := make([]F, 4*c)
		Sums(want, c, pack([][]F{x}, Rows, d), pack(z, c, d), d, 4, 1, Dot)
		for j, g := range got.Slice() {
			if g != want[j] {
				t.Fatalf("sum %d is %v, want %v", j, g, want[j])
			}
		}
	})
}

// TestSparseDot checks that a sparse row gives the bits of the same row with
// its zeros, and equal sums whether its columns of z are in place or gathered.
func TestSparseDot(t *testing.T) { both(t, definedSparseDot[float64], definedSparseDot[float32]) }

func definedSparseDot[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		c := Cols[F]()
		for _, d := range []int{1, 5, Chunk[F](), Chunk[F]() + 1, 700} {
			for _, panels := range []int{1, 3, 4, 6, 9} {
				for _, one := range []int{1, 2, 9, 80} {
					if testing.Short() && (panels+one)%2 == 0 {
						continue
					}
					r := rng.New(6, uint64(d))
					row := make([]F, d)
					var val []F
					var col, at []int32
					for k := range row {
						if r.IntN(one) == 0 {
							row[k] = F(r.NormFloat64())
							val, col, at = append(val, row[k]), append(col, int32(k)), append(at, int32(len(at)))
						}
					}
					zs := randomRows[F](7, panels*c, d)
					z := pack(zs, c, d)
					want := make([]F, 4*panels*c)
					Sums(want, panels*c, pack([][]F{row}, Rows, d), z, d, 4, panels, Dot)
					got := asmtest.NewCanary[F](panels*c, 1, d%8)
					SparseDot(got.Slice(), z, d, panels, val, col, col)
					got.Check(t)
					gathered := make([][]F, len(zs))
					for j := range zs {
						for _, k := range col {
							gathered[j] = append(gathered[j], zs[j][k])
						}
					}
					again := make([]F, panels*c)
					SparseDot(again, pack(gathered, c, len(col)), len(col), panels, val, at, col)
					for j, g := range got.Slice() {
						if g != want[j] || again[j] != want[j] {
							t.Fatalf("d %d, %d panels, 1 of %d: sum %d is %v and %v, want %v", d, panels, one, j, g, again[j], want[j])
						}
					}
				}
			}
		}
	})
}
