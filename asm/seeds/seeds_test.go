package seeds

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/rng"
)

func eachType(t *testing.T, f32, f64 func(t *testing.T)) {
	t.Run("float32", f32)
	t.Run("float64", f64)
}

// TestProducts compares with sums in big enough integers, bit for bit, with
// canaries around and between the rows of the result.
func TestProducts(t *testing.T) {
	eachType(t, testProducts[float32], testProducts[float64])
}

func testProducts[F gram.Float](t *testing.T) {
	lanes := Lanes[F]()
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for groups := 1; groups <= 7; groups++ {
			for n := range 18 {
				for _, w := range []int{1, 2, 5, 33} {
					s := groups * lanes
					r := rng.New(1, uint64(s*n*w))
					ts, xs := s+r.IntN(4), w+r.IntN(4)
					t.Run(fmt.Sprintf("s=%d/n=%d/w=%d", s, n, w), func(t *testing.T) {
						x, v := asmtest.NewCanary[F](max(0, (n-1)*xs+w), 1, n%8), asmtest.NewCanary[F](w*s, 1, w%8)
						x.Set(asmtest.Integers[F](r, max(0, (n-1)*xs+w), 99))
						v.Set(asmtest.Integers[F](r, w*s, 99))
						to := asmtest.NewCanary[F](max(0, (n-1)*ts+s), 1, groups%8)
						before := to.Get()
						Products(to.Slice(), ts, x.Slice(), xs, n, v.Slice(), s, w)
						to.Check(t)
						for k, got := range to.Slice() {
							i, l := k/ts, k%ts
							if l >= s {
								if !asmtest.SameBits(got, before[k]) {
									t.Fatalf("an element behind row %d was written", i)
								}
								continue
							}
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
// the bound of doc.go.
func TestRowsAlike(t *testing.T) {
	eachType(t, testRowsAlike[float32], testRowsAlike[float64])
}

func testRowsAlike[F gram.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		s, n, w := 5*Lanes[F](), 21, 200
		r := rng.New(2, 0)
		x, v := asmtest.Mixed[F](r, n*w), asmtest.Mixed[F](r, w*s)
		all, one := make([]F, n*s), make([]F, s)
		Products(all, s, x, w, n, v, s, w)
		for i := range n {
			Products(one, s, x[i*w:], w, 1, v, s, w)
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
	eachType(t, testElementwise[float32], testElementwise[float64])
}

func testElementwise[F gram.Float](t *testing.T) {
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
				Split(s.Slice(), d.Slice(), x.Slice(), y.Slice(), v.Slice(), u.Slice())
				for _, c := range []*asmtest.Canary[F]{x, y, v, u, s, d} {
					c.Check(t)
				}
				for i := range n {
					p, q := x.Slice()[i]*v.Slice()[i], y.Slice()[i]*u.Slice()[i]
					if !asmtest.Same(s.Slice()[i], p+q) || !asmtest.Same(d.Slice()[i], p-q) {
						t.Fatalf("Split: element %d is %v, %v, want %v, %v", i, s.Slice()[i], d.Slice()[i], p+q, p-q)
					}
				}
				a := x.Get()
				AddSub(x.Slice(), d.Slice(), x.Slice(), y.Slice())
				x.Check(t)
				d.Check(t)
				for i, a := range a {
					if b := y.Slice()[i]; !asmtest.Same(x.Slice()[i], a+b) || !asmtest.Same(d.Slice()[i], a-b) {
						t.Fatalf("AddSub: element %d of %v and %v", i, a, b)
					}
				}
			}
		}
	})
}

// TestGuarded pushes the operands against pages without access.
func TestGuarded(t *testing.T) {
	eachType(t, testGuarded[float32], testGuarded[float64])
}

func testGuarded[F gram.Float](t *testing.T) {
	lanes := Lanes[F]()
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, c := range [][3]int{{1, 1, 1}, {9, 1, 3}, {8, 3, 7}, {5, 2, 4}, {12, 4, 6}} {
			n, s, w := c[0], c[1]*lanes, c[2]
			asmtest.Guarded(t, n*s, func(to []F) {
				asmtest.Guarded(t, n*w, func(x []F) {
					asmtest.Guarded(t, w*s, func(v []F) { Products(to, s, x, w, n, v, s, w) })
				})
			})
		}
		asmtest.Guarded(t, 4*lanes, func(s []F) {
			asmtest.Guarded(t, 4*lanes, func(x []F) {
				d := make([]F, 4*lanes)
				Split(s, d, x, x, x, x)
				Split(d, s, x, x, x, x)
				AddSub(s, d, x, x)
				AddSub(d, s, x, x)
			})
		})
	})
}

func TestTranspose(t *testing.T) {
	for rows := 1; rows <= 17; rows++ {
		for cols := 1; cols <= 33; cols += 4 {
			ts := cols + 3
			x, dst := make([]float32, rows*ts), make([]float32, rows*cols)
			for i := range x {
				x[i] = float32(i)
			}
			Transpose(dst, x, ts, rows, cols)
			for k, got := range dst {
				if want := x[k%rows*ts+k/rows]; got != want {
					t.Fatalf("%d×%d: element %d is %v, want %v", rows, cols, k, got, want)
				}
			}
		}
	}
}
