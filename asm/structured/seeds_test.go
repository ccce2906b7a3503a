package structured

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

func eachType(t *testing.T, f32, f64 func(t *testing.T)) {
	t.Run("float32", f32)
	t.Run("float64", f64)
}

// TestRanges compares with sums of integers that are exact, bit for bit, with
// canaries around the operands.
func TestRanges(t *testing.T) {
	eachType(t, checkRanges[float32], checkRanges[float64])
}

func checkRanges[F num.Float](t *testing.T) {
	lanes := Lanes[F]()
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for groups := 1; groups <= 7; groups++ {
			for n := range 18 {
				if testing.Short() && (groups > 4 || n > 9) {
					break
				}
				for _, w := range []int{1, 2, 5, 33} {
					s := groups * lanes
					r := rng.New(1, uint64(s*n*w))
					ts, xs := s, w+r.IntN(4)
					t.Run(fmt.Sprintf("s=%d/n=%d/w=%d", s, n, w), func(t *testing.T) {
						x, v := asmtest.NewCanary[F](max(0, (n-1)*xs+w), 1, n%8), asmtest.NewCanary[F](w*s, 1, w%8)
						x.Set(asmtest.Integers[F](r, max(0, (n-1)*xs+w), 99))
						v.Set(asmtest.Integers[F](r, w*s, 99))
						to := asmtest.NewCanary[F](max(0, (n-1)*ts+s), 1, groups%8)
						Ranges(to.Slice(), []int{0}, x.Slice(), xs, n, v.Slice(), s, w, w)
						to.Check(t)
						for k, got := range to.Slice() {
							i, l := k/ts, k%ts
							var want F
							for j := range w {
								want += x.Slice()[i*xs+j] * v.Slice()[j*s+l]
							}
							if got != want {
								t.Fatalf("row %d, seed %d: %v, want %v", i, l, got, want)
							}
						}
					})
				}
			}
		}
	})
}

// TestRowsAlike checks that the bits of a row do not depend on the batch, and
// the error bound of doc.go.
func TestRowsAlike(t *testing.T) {
	eachType(t, checkRowsAlike[float32], checkRowsAlike[float64])
}

func checkRowsAlike[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		s, n, w := 5*Lanes[F](), 21, 200
		r := rng.New(2, 0)
		x, v := asmtest.Mixed[F](r, n*w), asmtest.Mixed[F](r, w*s)
		all, one := make([]F, n*s), make([]F, s)
		Ranges(all, []int{0}, x, w, n, v, s, w, w)
		for i := range n {
			Ranges(one, []int{0}, x[i*w:], w, 1, v, s, w, w)
			if !slices.Equal(one, all[i*s:][:s]) {
				t.Fatalf("row %d alone has other bits", i)
			}
			for l, got := range one {
				var want, mass float64
				for j := range w {
					p := float64(x[i*w+j]) * float64(v[j*s+l])
					want, mass = want+p, mass+math.Abs(p)
				}
				if bound := float64(w+1) * asmtest.Epsilon[F]() * mass; !(math.Abs(float64(got)-want) <= bound) {
					t.Fatalf("row %d, seed %d: %v, want %v within %g", i, l, got, want, bound)
				}
			}
		}
	})
}

// TestElementwise checks Split and AddSub on integers and special values.
func TestElementwise(t *testing.T) {
	eachType(t, checkElementwise[float32], checkElementwise[float64])
}

func checkElementwise[F num.Float](t *testing.T) {
	special := asmtest.Specials[F]()
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for k := 1; k <= 9; k++ {
			for offset := range 8 {
				n := 2 * k * Lanes[F]()
				r := rng.New(3, uint64(n))
				operand := func(i int) *asmtest.Canary[F] {
					c := asmtest.NewCanary[F](n, 1, (offset+i)%8)
					c.Set(asmtest.Integers[F](r, n, 1000))
					return c
				}
				x, y, v, u, s, d := operand(0), operand(1), operand(2), operand(3), operand(4), operand(5)
				if offset == 7 {
					for i := range n {
						x.Slice()[i], y.Slice()[i] = special[i%len(special)], special[i/len(special)%len(special)]
						v.Slice()[i], u.Slice()[i] = 1, 1
					}
				}
				Split(s.Slice(), n, d.Slice(), n, x.Slice(), y.Slice(), v.Slice(), u.Slice(), 1, n)
				for _, c := range []*asmtest.Canary[F]{x, y, v, u, s, d} {
					c.Check(t)
				}
				for i := range n {
					p, q := x.Slice()[i]*v.Slice()[i], y.Slice()[i]*u.Slice()[i]
					if !asmtest.Same(s.Slice()[i], p+q) || !asmtest.Same(d.Slice()[i], p-q) {
						t.Fatalf("Split: element %d is %v, %v, want %v, %v", i, s.Slice()[i], d.Slice()[i], p+q, p-q)
					}
				}
				pairs := asmtest.NewCanary[F](4*n, 1, offset)
				pairs.Set(append(append(x.Get(), y.Get()...), append(v.Get(), u.Get()...)...))
				a := pairs.Get()
				diff := asmtest.NewCanary[F](2*n, 1, (offset+1)%8)
				AddSub(pairs.Slice(), diff.Slice(), pairs.Slice(), 2, n)
				pairs.Check(t)
				diff.Check(t)
				for k, got := range diff.Slice() {
					p, q := a[k/n*2*n+k%n], a[k/n*2*n+n+k%n]
					if !asmtest.Same(pairs.Slice()[k], p+q) || !asmtest.Same(got, p-q) {
						t.Fatalf("AddSub: element %d of %v and %v", k, p, q)
					}
				}
			}
		}
	})
}

// TestGuarded puts the operands beside pages without access.
func TestGuarded(t *testing.T) {
	eachType(t, checkGuarded[float32], checkGuarded[float64])
}

func checkGuarded[F num.Float](t *testing.T) {
	lanes := Lanes[F]()
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, c := range [][3]int{{1, 1, 1}, {9, 1, 3}, {8, 3, 7}, {5, 2, 4}, {12, 4, 6}} {
			n, s, w := c[0], c[1]*lanes, c[2]
			asmtest.Guarded(t, n*s, func(to []F) {
				asmtest.Guarded(t, n*w, func(x []F) {
					asmtest.Guarded(t, w*s, func(v []F) { Ranges(to, []int{0}, x, w, n, v, s, w, w) })
				})
			})
		}
		asmtest.Guarded(t, 4*lanes, func(s []F) {
			asmtest.Guarded(t, 4*lanes, func(x []F) {
				d := make([]F, 4*lanes)
				Split(s, 4*lanes, d, 4*lanes, x, x, x, x, 1, 4*lanes)
				Split(d, 4*lanes, s, 4*lanes, x, x, x, x, 1, 4*lanes)
				AddSub(s[:2*lanes], d, x, 1, 2*lanes)
				AddSub(d, s, x, 1, 2*lanes)
			})
		})
	})
}

// TestSplitRows compares several seeds with strides with one seed at a time.
func TestSplitRows(t *testing.T) {
	eachType(t, checkSplitRows[float32], checkSplitRows[float64])
}

func checkSplitRows[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		none := make([]F, 2*Lanes[F]())
		Split(nil, 3*len(none), nil, 3*len(none), none, none, nil, nil, 0, len(none)) // no seeds need no memory
		for n := 1; n <= 5; n++ {
			h := 2 * n * Lanes[F]()
			r := rng.New(4, uint64(n))
			ss, ds := h+n, h+3
			x, y := asmtest.Normal[F](r, h), asmtest.Normal[F](r, h)
			v, u := asmtest.Normal[F](r, n*h), asmtest.Normal[F](r, n*h)
			s, d := asmtest.NewCanary[F]((n-1)*ss+h, 1, 1), asmtest.NewCanary[F]((n-1)*ds+h, 1, 2)
			gap := s.Get()[0]
			Split(s.Slice(), ss, d.Slice(), ds, x, y, v, u, n, h)
			s.Check(t)
			d.Check(t)
			one, two := make([]F, h), make([]F, h)
			for g := range n {
				Split(one, h, two, h, x, y, v[g*h:], u[g*h:], 1, h)
				if !slices.Equal(one, s.Get()[g*ss:][:h]) || !slices.Equal(two, d.Get()[g*ds:][:h]) {
					t.Fatalf("seed %d of %d differs from that seed alone", g, n)
				}
				if g+1 < n && !asmtest.SameBits(s.Get()[g*ss+h], gap) {
					t.Fatalf("an element behind seed %d was written", g)
				}
			}
		}
	})
}

func TestTranspose(t *testing.T) {
	eachType(t, checkTranspose[float32], checkTranspose[float64])
}

func checkTranspose[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for rows := 1; rows <= 24; rows++ {
			if testing.Short() && rows > 9 && rows%8 != 0 {
				continue
			}
			for cols := 1; cols <= 21; cols++ {
				ts := cols + rows%4
				x, dst := asmtest.NewCanary[F]((rows-1)*ts+cols, 1, cols%8), asmtest.NewCanary[F](rows*cols, 1, rows%8)
				for i := range x.Slice() {
					x.Slice()[i] = F(i)
				}
				Transpose(dst.Slice(), 0, x.Slice(), 0, ts, 1, rows, cols)
				dst.Check(t)
				for k, got := range dst.Slice() {
					if want := F(k%rows*ts + k/rows); got != want {
						t.Fatalf("%d×%d: element %d is %v, want %v", rows, cols, k, got, want)
					}
				}
				asmtest.Guarded(t, rows*cols, func(to []F) {
					asmtest.Guarded(t, (rows-1)*ts+cols, func(x []F) { Transpose(to, 0, x, 0, ts, 1, rows, cols) })
				})
				if cols == 8 && rows > 8 {
					break
				}
			}
		}
	})
}

func TestDeal(t *testing.T) {
	eachType(t, checkDeal[float32], checkDeal[float64])
}

func checkDeal[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for n := range 40 {
			asmtest.Guarded(t, n, func(a []F) {
				asmtest.Guarded(t, n, func(b []F) {
					asmtest.Guarded(t, 2*n, func(x []F) {
						for i := range x {
							x[i] = F(i)
						}
						Deal(a, b, x)
						for i := range a {
							if a[i] != F(2*i) || b[i] != F(2*i+1) {
								t.Fatalf("%d: element %d is %v, %v", n, i, a[i], b[i])
							}
						}
					})
				})
			})
		}
	})
}
