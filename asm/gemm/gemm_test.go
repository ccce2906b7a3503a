package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// tolerance is the accuracy class of Tile: reassociated.
const tolerance = 1.5 // times k·eps·(|alpha|·Σ|a·b| + |beta·c|)

type tileCase[F num.Float] struct {
	k, m, n     int
	ras, cas    int
	bs, cs      int
	alpha, beta F
}

// naive returns the element, summed in twice the precision, and the scale of
// its rounding errors.
func naive[F num.Float](q tileCase[F], a, b []F, c F, i, j int) (value, scale float64) {
	var hi, lo float64
	add := func(x, y float64) {
		p := x * y
		e := math.FMA(x, y, -p)
		s := hi + p
		t := s - hi
		lo += (hi - (s - t)) + (p - t) + e
		hi = s
		scale += math.Abs(p)
	}
	for p := range q.k {
		add(float64(q.alpha)*float64(a[i*q.ras+p*q.cas]), float64(b[p*q.bs+j]))
	}
	if q.beta != 0 {
		add(float64(q.beta), float64(c))
	}
	return hi + lo, scale
}

func checkTile[F num.Float](t *testing.T, r *rand.Rand, q tileCase[F], aOff, bOff, cOff int) {
	t.Helper()
	rows, cols := Edges[F]()
	a := asmtest.NewCanary[F](((q.m+rows-1)/rows*rows-1)*q.ras+(q.k-1)*q.cas+1, 1, aOff)
	a.Set(asmtest.Normal[F](r, len(a.Slice())))
	bCols := (q.n + cols - 1) / cols * cols
	b := asmtest.NewCanary[F]((q.k-1)*q.bs+bCols, 1, bOff)
	b.Set(asmtest.Normal[F](r, len(b.Slice())))
	av, bv := slices.Clone(a.Slice()), slices.Clone(b.Slice())
	c := asmtest.NewCanary[F]((q.m-1)*q.cs+q.n, 1, cOff)
	before := asmtest.Normal[F](r, len(c.Slice()))
	if q.beta == 0 { // not read then
		for i := range before {
			before[i] = F(math.NaN())
		}
	}
	c.Set(before)
	Tile(q.k, a.Slice(), q.ras, q.cas, b.Slice(), q.bs, c.Slice(), q.cs, q.m, q.n, q.alpha, q.beta)
	a.Check(t)
	b.Check(t)
	c.Check(t)
	if !slices.Equal(av, a.Slice()) || !slices.Equal(bv, b.Slice()) {
		t.Fatalf("%+v: an input has changed", q)
	}
	got := c.Slice()
	for i := range q.m {
		for j := range q.cs {
			at := i*q.cs + j
			if at >= len(got) {
				break
			}
			if j >= q.n {
				if !asmtest.SameBits(got[at], before[at]) {
					t.Fatalf("%+v: wrote %d,%d outside the tile", q, i, j)
				}
				continue
			}
			want, scale := naive(q, av, bv, before[at], i, j)
			tol := tolerance * float64(q.k+2) * asmtest.Epsilon[F]() * scale
			if !(math.Abs(float64(got[at])-want) <= tol) {
				t.Fatalf("%+v: element %d,%d is %v, want %v within %v", q, i, j, got[at], want, tol)
			}
		}
	}
}

func tileCases[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	mr, nr := Shape[F]()
	coef := []F{1, 0, -1, 0.5, 2}
	// every tile size, packed panels
	step := 1
	if testing.Short() {
		step = 5
	}
	for m := 1; m <= mr; m++ {
		for n := 1 + m%step; n <= nr; n += step {
			for _, beta := range []F{0, 1, -0.5} {
				k := 1 + r.IntN(9)
				checkTile(t, r, tileCase[F]{k, m, n, 1, mr, nr, nr + r.IntN(4), coef[r.IntN(len(coef))], beta}, 0, 0, 0)
			}
		}
	}
	// lengths of k, strides of unpacked operands, offsets
	ks := asmtest.Lengths(4, 64)
	if testing.Short() {
		ks = []int{0, 1, 2, 3, 19}
	} else {
		ks = append(ks, K[F]()-1, K[F]())
	}
	for _, k := range ks[1:] {
		for off := range 8 {
			m, n := 1+r.IntN(mr), 1+r.IntN(nr)
			q := tileCase[F]{k, m, n, k + r.IntN(5), 1, nr + r.IntN(9), n + r.IntN(9), coef[r.IntN(5)], coef[r.IntN(5)]}
			if off%2 == 1 {
				q.ras, q.cas = 1, mr+r.IntN(9)
			}
			o := [3]int{}
			o[r.IntN(3)] = off
			checkTile(t, r, q, o[0], o[1], o[2])
		}
	}
}

func TestTile(t *testing.T) {
	asmtest.ForEachLevel(t, levels, asmtest.Types(tileCases[float64], tileCases[float32]))
}

// TestTileExact compares bits on integers, for which every order is exact.
func TestTileExact(t *testing.T) {
	asmtest.ForEachLevel(t, levels, asmtest.Types(exactTile[float64], exactTile[float32]))
}

func exactTile[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	mr, nr := Shape[F]()
	for _, k := range []int{1, 2, 3, 7, 64, K[F]()} {
		a, b := asmtest.Integers[F](r, k*mr, 8), asmtest.Integers[F](r, k*nr, 8)
		c := asmtest.Integers[F](r, mr*nr, 100)
		want := slices.Clone(c)
		for i := range mr {
			for j := range nr {
				s := 0
				for p := range k {
					s += int(a[p*mr+i]) * int(b[p*nr+j])
				}
				want[i*nr+j] = F(2*s) - 3*c[i*nr+j]
			}
		}
		Tile(k, a, 1, mr, b, nr, c, nr, mr, nr, 2, -3)
		if !slices.Equal(c, want) {
			t.Fatalf("k=%d: not exact", k)
		}
	}
}

// TestTileGuard puts every operand beside pages without access.
func TestTileGuard(t *testing.T) {
	asmtest.ForEachLevel(t, levels, asmtest.Types(guardTile[float64], guardTile[float32]))
}

func guardTile[F num.Float](t *testing.T) {
	mr, nr := Shape[F]()
	const k = 5
	// No row of an unpacked A is read beyond those that Edges names.
	rows, cols := Edges[F]()
	for m := rows; m <= mr; m += rows {
		asmtest.Guarded(t, k*m, func(a []F) {
			for i := range a {
				a[i] = 1
			}
			for _, n := range []int{1, nr / 3, nr/3 + 1, 2 * nr / 3, 2*nr/3 + 1, nr} {
				width := (n + cols - 1) / cols * cols
				asmtest.Guarded(t, k*width, func(b []F) {
					for i := range b {
						b[i] = 1
					}
					c := make([]F, m*n)
					Tile(k, a, k, 1, b, width, c, n, m, n, 1, 0)
					if slices.ContainsFunc(c, func(v F) bool { return v != k }) {
						t.Fatalf("%d×%d, unpacked: %v, want %d", m, n, c, k)
					}
				})
			}
		})
	}
	asmtest.Guarded(t, k*mr, func(a []F) {
		asmtest.Guarded(t, k*nr, func(b []F) {
			for _, s := range [][2]int{{mr, nr}, {1, 1}, {mr, nr - 1}, {mr - 1, nr}, {1, nr/3 + 1}, {mr, nr / 3}} {
				m, n := s[0], s[1]
				if cols == 1 && m%rows == 0 {
					asmtest.Guarded(t, k*n, func(b []F) {
						for i := range b {
							b[i] = 1
						}
						c := make([]F, m*n)
						Tile(k, a, k, 1, b, n, c, n, m, n, 0, 1)
					})
				}
				asmtest.Guarded(t, m*n, func(c []F) {
					for i := range a {
						a[i] = 1
					}
					for i := range b {
						b[i] = 1
					}
					clear(c)
					Tile(k, a, 1, mr, b, nr, c, n, m, n, 1, 1)
					Tile(k, a, 1, mr, b, nr, c, n, m, n, 1, 0)
					for _, v := range c {
						if v != k {
							t.Fatalf("%d×%d: %v, want %d", m, n, v, k)
						}
					}
				})
			}
		})
	})
}

// TestTileSpecials checks that NaN and Inf reach exactly their row or column,
// also if the other factor is zero.
func TestTileSpecials(t *testing.T) {
	asmtest.ForEachLevel(t, levels, asmtest.Types(specialTile[float64], specialTile[float32]))
}

func specialTile[F num.Float](t *testing.T) {
	mr, nr := Shape[F]()
	const k = 3
	for _, v := range asmtest.Specials[F]() {
		for i := range mr {
			a, b, c := make([]F, k*mr), make([]F, k*nr), make([]F, mr*nr)
			a[mr+i] = v
			Tile(k, a, 1, mr, b, nr, c, nr, mr, nr, 1, 0)
			for e, got := range c {
				if want := v * 0; (e/nr == i) && !asmtest.Same(got, want) || (e/nr != i) && got != 0 {
					t.Fatalf("%v in row %d: element %d,%d is %v", v, i, e/nr, e%nr, got)
				}
			}
		}
		for j := range nr {
			a, b, c := make([]F, k*mr), make([]F, k*nr), make([]F, mr*nr)
			for i := range a {
				a[i] = 1
			}
			b[2*nr+j] = v
			Tile(k, a, 1, mr, b, nr, c, nr, mr, nr, 1, 0)
			for e, got := range c {
				if (e%nr == j) && !asmtest.Same(got, v) || (e%nr != j) && got != 0 {
					t.Fatalf("%v in column %d: element %d,%d is %v", v, j, e/nr, e%nr, got)
				}
			}
		}
	}
}

// TestChain checks that with assembly an element is the chain of fused products
// of doc.go, bit for bit, in every position of the tile.
func TestChain(t *testing.T) {
	for _, l := range asmtest.Available(levels) {
		if l == cpu.Generic {
			continue
		}
		asmtest.At(l, func() {
			r := rand.New(rand.NewPCG(5, 6))
			mr, nr := Shape[float64]()
			step, ks := 1, []int{1, 2, 17, K[float64]()}
			if testing.Short() {
				step, ks = 5, ks[:3]
			}
			for _, k := range ks {
				for m := 1; m <= mr; m++ {
					for n := 1 + m%step; n <= nr; n += step {
						a, b := asmtest.Normal[float64](r, k*mr), asmtest.Normal[float64](r, k*nr)
						c := asmtest.Normal[float64](r, m*n)
						want := slices.Clone(c)
						alpha, beta := r.NormFloat64(), r.NormFloat64()
						for i := range m {
							for j := range n {
								var s float64
								for p := range k {
									s = math.FMA(a[p*mr+i], b[p*nr+j], s)
								}
								want[i*n+j] = math.FMA(alpha, s, float64(beta*c[i*n+j]))
							}
						}
						Tile(k, a, 1, mr, b, nr, c, n, m, n, alpha, beta)
						if !slices.Equal(c, want) {
							t.Fatalf("%s: %d×%d, k=%d: not the chain", l, m, n, k)
						}
					}
				}
			}
		})
	}
}

// checkTiles compares Tiles with a call of Tile for each of its tiles.
func checkTiles[F num.Float](t *testing.T, r *rand.Rand, q tileCase[F]) {
	t.Helper()
	mr, _ := Shape[F]()
	_, cols := Edges[F]()
	a := asmtest.NewCanary[F]((q.m-1)*q.ras+(q.k-1)*q.cas+1, 1, q.k%8)
	a.Set(asmtest.Normal[F](r, len(a.Slice())))
	b := asmtest.Normal[F](r, (q.k-1)*q.bs+(q.n+cols-1)/cols*cols)
	c := asmtest.NewCanary[F]((q.m-1)*q.cs+q.n, 1, q.m%8)
	want := asmtest.Normal[F](r, len(c.Slice()))
	c.Set(want)
	for i := 0; i < q.m; i += mr {
		Tile(q.k, a.Slice()[i*q.ras:], q.ras, q.cas, b, q.bs, want[i*q.cs:], q.cs, min(mr, q.m-i), q.n, q.alpha, q.beta)
	}
	Tiles(q.k, a.Slice(), q.ras, q.cas, b, q.bs, c.Slice(), q.cs, q.m, q.n, q.alpha, q.beta)
	a.Check(t)
	c.Check(t)
	if !slices.Equal(c.Get(), want) {
		t.Fatalf("%+v: other bits than those of Tile", q)
	}
}

func tilesCases[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	_, nr := Shape[F]()
	for m := 4; m <= 36; m += 4 {
		for n := 1; n <= nr; n++ {
			k := 1 + r.IntN(9)
			beta := F(n % 3)
			checkTiles(t, r, tileCase[F]{k, m, n, k, 1, nr, nr + 1, 1, beta})
			checkTiles(t, r, tileCase[F]{k, m, n, 1, m, nr + 3, nr, -2, beta})
		}
	}
}

// TestTiles checks that many rows have the bits of one tile after the other.
func TestTiles(t *testing.T) {
	asmtest.ForEachLevel(t, levels, asmtest.Types(tilesCases[float64], tilesCases[float32]))
}

func checkPack[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	widths := []int{2, 4, 6, 8, 12, 24, 48}
	if testing.Short() {
		widths = []int{4, 8, 12}
	}
	for _, w := range widths {
		for _, m := range []int{1, 2, 3, 4, 5, 7, 8, 9, w - 1, w, w + 1, 2*w + 3} {
			for _, k := range []int{1, 2, 3, 4, 5, 8, 11, 16, 19} {
				for kind := range 3 {
					is, ps := 1, m+r.IntN(5)
					if kind == 1 {
						is, ps = k+r.IntN(5), 1
					} else if kind == 2 {
						is, ps = 3*k+2, 3
					}
					x := asmtest.NewCanary[F]((m-1)*is+(k-1)*ps+1, 1, r.IntN(8))
					x.Set(asmtest.Normal[F](r, len(x.Slice())))
					dst := asmtest.NewCanary[F](PackedLen(m, k, w), 1, r.IntN(8))
					Pack(dst.Slice(), x.Slice(), is, ps, m, k, w)
					x.Check(t)
					dst.Check(t)
					for i := range (m + w - 1) / w * w {
						for p := range k {
							var want F
							if i < m {
								want = x.Slice()[i*is+p*ps]
							}
							if got := dst.Slice()[i/w*w*k+p*w+i%w]; !asmtest.SameBits(got, want) {
								t.Fatalf("w=%d m=%d k=%d strides %d, %d: line %d element %d is %v, want %v", w, m, k, is, ps, i, p, got, want)
							}
						}
					}
				}
			}
		}
	}
	asmtest.Guarded(t, 48*5, func(x []F) {
		asmtest.Guarded(t, 48*5, func(dst []F) {
			for _, w := range []int{4, 8, 12, 24, 48} {
				Pack(dst, x, 1, 48, 48, 5, w)
				Pack(dst, x, 5, 1, 48, 5, w)
			}
		})
	})
}

func TestPack(t *testing.T) {
	asmtest.ForEachLevel(t, levels, asmtest.Types(checkPack[float64], checkPack[float32]))
}

func TestTranspose(t *testing.T) {
	asmtest.ForEachLevel(t, levels, asmtest.Types(checkTranspose[float64], checkTranspose[float32]))
}

func checkTranspose[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(9, 8))
	for _, m := range []int{0, 1, 3, 4, 5, 8, 11, 70} {
		for _, n := range []int{0, 1, 3, 4, 6, 64, 66, 68, 131} {
			xs, ds := n+r.IntN(3), m+r.IntN(3)
			x := asmtest.NewCanary[F](max(0, (m-1)*xs+n), 1, r.IntN(8))
			x.Set(asmtest.Normal[F](r, len(x.Slice())))
			dst := asmtest.NewCanary[F](max(0, (n-1)*ds+m), 1, r.IntN(8))
			before := slices.Clone(dst.Slice())
			Transpose(dst.Slice(), ds, x.Slice(), xs, m, n)
			x.Check(t)
			dst.Check(t)
			for at, got := range dst.Slice() {
				want := before[at]
				if i, j := at%max(ds, 1), at/max(ds, 1); i < m && j < n {
					want = x.Slice()[i*xs+j]
				}
				if !asmtest.SameBits(got, want) {
					t.Fatalf("%d×%d, distances %d and %d: element %d is %v, want %v", m, n, xs, ds, at, got, want)
				}
			}
		}
	}
	asmtest.Guarded(t, 4*66, func(x []F) {
		asmtest.Guarded(t, 4*66, func(dst []F) {
			Transpose(dst, 4, x, 66, 4, 66)
			Transpose(dst, 66, x, 4, 66, 4)
		})
	})
}

func TestTilePanics(t *testing.T) {
	mr, nr := Shape[float64]()
	a, b, c := make([]float64, 2*mr), make([]float64, 2*nr), make([]float64, mr*nr)
	for i, f := range []func(){
		func() { Tile(0, a, 1, mr, b, nr, c, nr, mr, nr, 1, 1) },
		func() { Tile(2, a, 1, mr, b, nr, c, nr, mr+1, nr, 1, 1) },
		func() { Tile(2, a, 1, mr, b, nr, c, nr, mr, nr+1, 1, 1) },
		func() { Tile(2, a, 1, mr, b, nr, c, nr, 0, nr, 1, 1) },
		func() { Tile(2, a, 1, mr, b, nr, c, nr, mr, 0, 1, 1) },
		func() { Tile(3, a, 1, mr, b, nr, c, nr, mr, nr, 1, 1) },
		func() { Tile(2, a, 1, mr, b[1:], nr, c, nr, mr, nr, 1, 1) },
		func() { Tile(2, a, 1, mr, b, nr, c[1:], nr, mr, nr, 1, 1) },
	} {
		func() {
			defer func() {
				const size = "gemm: bad size of a tile"
				if got := recover(); got == nil || (got == size) != (i < 5) {
					t.Errorf("case %d: panic %v", i, got)
				}
			}()
			f()
		}()
	}
	for _, v := range c {
		if v != 0 {
			t.Fatal("written before the panic")
		}
	}
}

func FuzzTile(f *testing.F) {
	f.Add(uint64(1), 3, 2, 5)
	f.Add(uint64(2), 256, 8, 24)
	f.Fuzz(func(t *testing.T, seed uint64, k, m, n int) {
		r := rand.New(rand.NewPCG(seed, 0))
		for _, l := range asmtest.Available(levels) {
			asmtest.At(l, func() {
				mr, nr := Shape[float64]()
				q := tileCase[float64]{1 + abs(k)%64, 1 + abs(m)%mr, 1 + abs(n)%nr, 1, mr, nr, nr, r.NormFloat64(), r.NormFloat64()}
				checkTile(t, r, q, 0, 0, 0)
				mr, nr = Shape[float32]()
				checkTile(t, r, tileCase[float32]{q.k, 1 + abs(m)%mr, 1 + abs(n)%nr, 1, mr, nr, nr, 2, -1}, 0, 0, 0)
			})
		}
	})
}

func abs(x int) int { return max(x, -(x + 1)) }

func ExampleTile() {
	mr, nr := Shape[float64]()
	a := []float64{1, 2, 3, 4} // 2×2
	b := []float64{5, 6, 7, 8}
	pa, pb := make([]float64, PackedLen(2, 2, mr)), make([]float64, PackedLen(2, 2, nr))
	Pack(pa, a, 2, 1, 2, 2, mr) // rows of A
	Pack(pb, b, 1, 2, 2, 2, nr) // columns of B
	c := make([]float64, 4)
	Tile(2, pa, 1, mr, pb, nr, c, 2, 2, 2, 1, 0)
	fmt.Println(c)
	// Output: [19 22 43 50]
}

// checkFew compares a product of Few with naive sums and with the bits of Tile.
func checkFew[F num.Float](t *testing.T, r *rand.Rand, q tileCase[F], aOff, bOff, cOff int) {
	t.Helper()
	a := asmtest.NewCanary[F]((q.m-1)*q.ras+(q.k-1)*q.cas+1, 1, aOff)
	a.Set(asmtest.Normal[F](r, len(a.Slice())))
	b := asmtest.NewCanary[F]((q.k-1)*q.bs+q.n, 1, bOff)
	b.Set(asmtest.Normal[F](r, len(b.Slice())))
	c := asmtest.NewCanary[F]((q.m-1)*q.cs+q.n, 1, cOff)
	before := asmtest.Normal[F](r, len(c.Slice()))
	if q.beta == 0 { // not read then
		for i := range before {
			before[i] = F(math.NaN())
		}
	}
	c.Set(before)
	av, bv := slices.Clone(a.Slice()), slices.Clone(b.Slice())
	if !Few(q.k, a.Slice(), q.ras, q.cas, b.Slice(), q.bs, c.Slice(), q.cs, q.m, q.n, q.alpha, q.beta) {
		t.Fatal("the level has no kernel")
	}
	a.Check(t)
	b.Check(t)
	c.Check(t)
	if !slices.Equal(av, a.Slice()) || !slices.Equal(bv, b.Slice()) {
		t.Fatalf("%+v: an input has changed", q)
	}
	mr, nr := Shape[F]()
	packedA, packedB := make([]F, PackedLen(q.m, q.k, mr)), make([]F, PackedLen(q.n, q.k, nr))
	Pack(packedA, av, q.ras, q.cas, q.m, q.k, mr)
	Pack(packedB, bv, 1, q.bs, q.n, q.k, nr)
	tiled := slices.Clone(before)
	for i := 0; i < q.m; i += mr {
		for j := 0; j < q.n; j += nr {
			Tile(q.k, packedA[i*q.k:], 1, mr, packedB[j*q.k:], nr, tiled[i*q.cs+j:], q.cs, min(mr, q.m-i), min(nr, q.n-j), q.alpha, q.beta)
		}
	}
	for at, got := range c.Slice() {
		if !asmtest.SameBits(got, tiled[at]) {
			t.Fatalf("%+v: element %d is %v, %v by tiles", q, at, got, tiled[at])
		}
		i, j := at/q.cs, at%q.cs
		if j >= q.n {
			continue
		}
		want, scale := naive(q, av, bv, before[at], i, j)
		if tol := tolerance * float64(q.k+2) * asmtest.Epsilon[F]() * scale; !(math.Abs(float64(got)-want) <= tol) {
			t.Fatalf("%+v: element %d,%d is %v, want %v within %v", q, i, j, got, want, tol)
		}
	}
}

func fewCases[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	coef := []F{1, -1, 0.5, 2}
	for _, m := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 19} {
		for n := 1; n <= 35; n++ {
			for i, beta := range []F{0, F(math.Copysign(0, -1)), 1, -0.5} {
				k := 1 + r.IntN(17)
				q := tileCase[F]{k, m, n, k + r.IntN(3), 1, n + r.IntN(3), n + r.IntN(3), coef[r.IntN(len(coef))], beta}
				if i%2 == 1 {
					q.ras, q.cas = 1, m+r.IntN(3)
				}
				checkFew(t, r, q, r.IntN(8), r.IntN(8), r.IntN(8))
			}
		}
	}
}

func TestFew(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		if !Few(1, []float64{1}, 1, 1, []float64{1}, 1, []float64{0}, 1, 1, 1, 1, 0) {
			return // at this level products of any size are tiles
		}
		t.Run("float64", fewCases[float64])
		t.Run("float32", fewCases[float32])
	})
}

// guardedFew runs products whose A, B and C lie beside pages without access, row by row and with columns of A
// that are contiguous.
func guardedFew[F num.Float](t *testing.T) {
	const k = 3
	for m := 1; m <= 6; m++ {
		for n := 1; n <= 20; n++ {
			asmtest.Guarded(t, m*k, func(a []F) {
				asmtest.Guarded(t, k*n, func(b []F) {
					asmtest.Guarded(t, m*n, func(c []F) {
						Few(k, a, k, 1, b, n, c, n, m, n, 1, 1)
						Few(k, a, 1, m, b, n, c, n, m, n, 1, 0)
					})
				})
			})
		}
	}
}

func TestFewGuarded(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		guardedFew[float64](t)
		guardedFew[float32](t)
	})
}

// A product with the transpose of B has the bits of Few with the transpose written out, and touches nothing else.
func TestFewTransposed(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		one := []float64{1}
		if !FewTransposedAt(1, &one[0], 1, 1, &one[0], 1, &one[0], 1, 1, 1, 1, 0) {
			return // the level has no kernel
		}
		r := rand.New(rand.NewPCG(7, 8))
		for n := 1; n <= 16; n++ {
			for k := 1; k <= 16; k++ {
				m, as, bs, cs := 1+r.IntN(18), 18+r.IntN(3), k+r.IntN(3), n+r.IntN(3)
				a := asmtest.Normal[float64](r, (k-1)*as+m)
				b := asmtest.NewCanary[float64]((n-1)*bs+k, 1, r.IntN(8))
				b.Set(asmtest.Normal[float64](r, len(b.Slice())))
				c := asmtest.NewCanary[float64]((m-1)*cs+n, 1, r.IntN(8))
				c.Set(asmtest.Normal[float64](r, len(c.Slice())))
				alpha, beta := []float64{1, -.3}[r.IntN(2)], []float64{0, 1, .7}[r.IntN(3)]
				turned, want := make([]float64, n*k), slices.Clone(c.Slice())
				Transpose(turned, n, b.Slice(), bs, n, k)
				Few(k, a, 1, as, turned, n, want, cs, m, n, alpha, beta)
				FewTransposedAt(k, &a[0], 1, as, &b.Slice()[0], bs, &c.Slice()[0], cs, m, n, alpha, beta)
				if !slices.Equal(c.Slice(), want) {
					t.Fatalf("%d×%d over %d: %v, want %v", m, n, k, c.Slice(), want)
				}
				b.Check(t)
				c.Check(t)
				asmtest.Guarded(t, n*k, func(b []float64) {
					FewTransposedAt(k, &a[0], 1, as, &b[0], k, &want[0], cs, m, n, 1, 0)
				})
			}
		}
	})
}

// The stack grows under a routine that has its transpose there.
func TestFewTransposedOnSmallStacks(t *testing.T) {
	x, want := make([]float64, 256), make([]float64, 256)
	for i := range x {
		x[i] = float64(i % 13)
	}
	FewTransposedAt(16, &x[0], 16, 1, &x[0], 16, &want[0], 16, 16, 16, 1, 0)
	for range 100 {
		done := make(chan []float64)
		go func() {
			var c [256]float64
			FewTransposedAt(16, &x[0], 16, 1, &x[0], 16, &c[0], 16, 16, 16, 1, 0)
			done <- c[:]
		}()
		if got := <-done; !slices.Equal(got, want) {
			t.Fatal("another product on a small stack")
		}
	}
}
