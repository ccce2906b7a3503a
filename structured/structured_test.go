package structured

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

type key struct {
	h Matrix
	d int
}

var made = map[key][][]int{}

// matrix returns H by its definition: Haar by its recursion, Hadamard by sorting
// the rows of the natural order by their sign changes.
func matrix(h Matrix, d int) [][]int {
	if m := made[key{h, d}]; m != nil {
		return m
	}
	rows := [][]int{{1}}
	for n := 1; n < d; n *= 2 {
		var next [][]int
		for _, r := range rows {
			row := make([]int, 2*n)
			for j, e := range r {
				if h == Haar {
					row[2*j], row[2*j+1] = e, e
				} else {
					row[j], row[j+n] = e, e
				}
			}
			next = append(next, row)
		}
		for i, r := range rows {
			row := make([]int, 2*n)
			if h == Haar {
				row[2*i], row[2*i+1] = 1, -1
			} else {
				for j, e := range r {
					row[j], row[j+n] = e, -e
				}
			}
			next = append(next, row)
		}
		rows = next
	}
	if h == Hadamard {
		changes := func(r []int) (n int) {
			for j := 1; j < len(r); j++ {
				if r[j] != r[j-1] {
					n++
				}
			}
			return n
		}
		slices.SortFunc(rows, func(a, b []int) int { return changes(a) - changes(b) })
	}
	made[key{h, d}] = rows
	return rows
}

// landmarks forms U by its definition.
func landmarks[F num.Float](h Matrix, v num.Rows[F], b int) num.Rows[F] {
	d := 1
	for d < v.D {
		d *= 2
	}
	rows := matrix(h, d)
	u := num.MakeRows[F](v.N*b, v.D)
	for i := range u.N {
		for j := range u.D {
			u.Row(i)[j] = F(rows[i%b][j]) * v.Row(i / b)[j]
		}
	}
	return u
}

func filled[F num.Float](x []F, n, d, stride int) num.Rows[F] {
	r := num.Rows[F]{Data: make([]F, max(0, (n-1)*stride+d)), N: n, D: d, Stride: stride}
	for i := range r.Data {
		r.Data[i] = -77
	}
	for i := range n {
		copy(r.Row(i), x[i*d:][:d])
	}
	return r
}

var names = map[Matrix]string{Haar: "haar", Hadamard: "hadamard"}

func eachType(t *testing.T, f32, f64 func(t *testing.T)) {
	t.Run("float32", f32)
	t.Run("float64", f64)
}

func eachLevel(t *testing.T, body func(t *testing.T)) {
	asmtest.ForEachLevel(t, cpu.Levels()[1:], body)
}

// TestForward compares with products with explicit landmarks on integers, bit
// for bit.
func TestForward(t *testing.T) {
	eachType(t, testForward[float32], testForward[float64])
}

func testForward[F num.Float](t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, h := range []Matrix{Haar, Hadamard} {
			for _, d := range []int{1, 2, 3, 8, 13, 31, 64, 100, 128, 250} {
				if testing.Short() && d > 64 {
					break
				}
				order := 1
				for order < d {
					order *= 2
				}
				for b := 1; b <= order; b *= 2 {
					if b > 8 && b < order && (testing.Short() || d > 64) {
						continue
					}
					for _, s := range []int{1, 3, 20, 70} {
						for _, n := range []int{1, 7, 8, 19} {
							small := d <= 16 || d == 31 && n < 19
							switch {
							case s == 70:
								if d != 31 || b != 4 {
									continue
								}
							case small && (n == 8 || !testing.Short()):
							case s == 1 || n != 19 || s == 20 && b > 8:
								continue
							}
							t.Run(fmt.Sprintf("%s/d=%d/b=%d/s=%d/n=%d", names[h], d, b, s, n), func(t *testing.T) {
								r := rng.New(1, uint64(d*b*s+n))
								v := filled(asmtest.Integers[F](r, s*d, 30), s, d, d+r.IntN(3))
								x := filled(asmtest.Integers[F](r, n*d, 30), n, d, d+r.IntN(3))
								before := slices.Clone(x.Data)
								u := landmarks(h, v, b)
								z := New(h, v, b)
								dst := filled(make([]F, n*u.N), n, u.N, u.N+r.IntN(3))
								z.Forward(dst, x, 1+n%3)
								for i := range n {
									for k := range u.N {
										var want F
										for j, a := range u.Row(k) {
											want += a * x.Row(i)[j]
										}
										if got := dst.Row(i)[k]; got != want {
											t.Fatalf("row %d, landmark %d: %v, want %v", i, k, got, want)
										}
									}
								}
								for i, a := range dst.Data {
									if i%dst.Stride >= dst.D && a != -77 {
										t.Fatal("an element between the rows of the result was written")
									}
								}
								if !slices.Equal(x.Data, before) {
									t.Fatal("the rows were changed")
								}
							})
						}
					}
				}
			}
		}
	})
}

// TestAccuracy checks the error bound of doc.go, and that the bits of a row
// depend neither on the batch nor on the workers.
func TestAccuracy(t *testing.T) {
	eachType(t, testAccuracy[float32], testAccuracy[float64])
}

func testAccuracy[F num.Float](t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, h := range []Matrix{Haar, Hadamard} {
			for _, c := range [][3]int{{200, 8, 5}, {256, 256, 3}, {64, 16, 20}} {
				d, b, s, n := c[0], c[1], c[2], 150
				if testing.Short() {
					n = 70
				}
				r := rng.New(2, uint64(d))
				v, x := filled(asmtest.Mixed[F](r, s*d), s, d, d), filled(asmtest.Mixed[F](r, n*d), n, d, d)
				u, z := landmarks(h, v, b), New(h, v, b)
				dst := num.MakeRows[F](n, s*b)
				z.Forward(dst, x, 2)
				for i := range 20 {
					for k := range u.N {
						var want, mass float64
						for j, a := range u.Row(k) {
							want += float64(a) * float64(x.Row(i)[j])
							mass += math.Abs(float64(a) * float64(x.Row(i)[j]))
						}
						bound := float64(d+2) * asmtest.Epsilon[F]() * mass
						if got := float64(dst.Row(i)[k]); !(math.Abs(got-want) <= bound) {
							t.Fatalf("row %d, landmark %d: %v, want %v within %g", i, k, got, want, bound)
						}
					}
				}
				single := num.MakeRows[F](1, s*b)
				for i := range n {
					z.Forward(single, x.Slice(i, i+1), 1)
					if !slices.Equal(single.Row(0), dst.Row(i)) {
						t.Fatalf("row %d alone has other bits than in the batch", i)
					}
				}
				for _, workers := range []int{0, 1, 5} {
					again := num.MakeRows[F](n, s*b)
					z.Forward(again, x, workers)
					if !slices.Equal(again.Data, dst.Data) {
						t.Fatalf("%d workers give other bits", workers)
					}
				}
			}
		}
	})
}

func TestLandmarks(t *testing.T) {
	for _, h := range []Matrix{Haar, Hadamard} {
		for _, b := range []int{1, 4, 16} {
			v := filled(asmtest.Integers[float64](rng.New(3, 0), 3*13, 9), 3, 13, 14)
			z, want := New(h, v, b), landmarks(h, v, b)
			if d, m := z.Dims(); d != 13 || m != 3*b {
				t.Fatalf("Dims %d, %d", d, m)
			}
			got := num.MakeRows[float64](3*b, 13)
			z.Landmarks(got)
			norms := z.SquaredNorms(nil)
			for i := range want.N {
				var n float64
				for _, a := range want.Row(i) {
					n += a * a
				}
				if !slices.Equal(got.Row(i), want.Row(i)) || norms[i] != n {
					t.Fatalf("%s, b %d: landmark %d is %v with norm %v, want %v and %v", names[h], b, i, got.Row(i), norms[i], want.Row(i), n)
				}
			}
		}
	}
}

// Squared norms have a small relative error also where the squares of some ranges are far larger
// than those of others, or all are very small or large.
func TestSquaredNorms(t *testing.T) {
	testSquaredNorms[float64](t, 2e-16)
	testSquaredNorms[float32](t, 6e-8)
}

func testSquaredNorms[F num.Float](t *testing.T, unit float64) {
	for _, h := range []Matrix{Haar, Hadamard} {
		for _, d := range []int{1, 13, 16, 64} {
			for b := 1; b <= 1<<bits.Len(uint(d-1)); b *= 2 {
				r := rng.New(9, uint64(b))
				v := num.MakeRows[F](5, d)
				for j := range d {
					v.Row(0)[j] = 1
					v.Row(1)[j] = F(r.NormFloat64() * math.Pow(10, float64(r.IntN(24)-12)))
					v.Row(2)[j] = F(math.Pow(10, float64(9*(1-j%2))))
					v.Row(3)[j] = F(1e-15 * r.NormFloat64())
				}
				v.Row(0)[0] = 1e9
				z, u := New(h, v, b), landmarks(h, v, b)
				for i, got := range z.SquaredNorms(nil) {
					want := new(big.Float).SetPrec(400)
					for _, a := range u.Row(i) {
						w := new(big.Float).SetPrec(400).SetFloat64(float64(a))
						want.Add(want, w.Mul(w, w))
					}
					exact, _ := want.Float64()
					if !(math.Abs(float64(got)-exact) <= (unit+float64(d)*1.2e-16)*exact) {
						t.Errorf("%s, d %d, b %d: the norm of landmark %d is %g, want %g", names[h], d, b, i, got, exact)
					}
				}
			}
		}
	}
}

// TestUpdate compares with the sums of the definition, and checks that the
// objective does not rise.
func TestUpdate(t *testing.T) {
	for _, h := range []Matrix{Haar, Hadamard} {
		r := rng.New(4, 0)
		s, d, b, n := 3, 13, 8, 40
		v, x := filled(asmtest.Normal[float64](r, s*d), s, d, d), filled(asmtest.Normal[float64](r, n*d), n, d, d+1)
		z, rows := New(h, v, b), matrix(h, 16)
		assign := make([]int, n)
		for i := range assign {
			assign[i] = r.IntN(2*b+3) - 3 // no row for the last seed, and some rows left out
		}
		got := num.MakeRows[float64](s, d)
		z.Update(got, x, assign)
		for g := range s {
			for j := range d {
				var num, den float64
				for i, t := range assign {
					if t >= 0 && t/b == g {
						e := float64(rows[t%b][j])
						num += e * x.Row(i)[j]
						den += e * e
					}
				}
				want := v.Row(g)[j]
				if den > 0 {
					want = num / den
				}
				if !(math.Abs(got.Row(g)[j]-want) <= 1e-14*(1+math.Abs(want))) {
					t.Fatalf("%s: element %d of seed %d is %v, want %v", names[h], j, g, got.Row(g)[j], want)
				}
			}
		}
		objective := func(v num.Rows[float64]) (sum float64) {
			u := landmarks(h, v, b)
			for i, t := range assign {
				if t >= 0 {
					for j, a := range u.Row(t) {
						sum += (x.Row(i)[j] - a) * (x.Row(i)[j] - a)
					}
				}
			}
			return sum
		}
		if before, after := objective(v), objective(got); !(after < before) {
			t.Errorf("%s: the objective goes from %v to %v", names[h], before, after)
		}
	}
}

func TestPanics(t *testing.T) {
	v := num.MakeRows[float64](2, 5)
	z := New(Haar, v, 4)
	x, dst := num.MakeRows[float64](3, 5), num.MakeRows[float64](3, 8)
	short := dst
	short.Data = short.Data[:20]
	for name, c := range map[string]struct {
		message string
		call    func()
	}{
		"matrix":      {"structured: unknown matrix", func() { New(Matrix(9), v, 4) }},
		"no seeds":    {"structured: no seeds", func() { New(Haar, num.MakeRows[float64](0, 5), 4) }},
		"b 3":         {"structured: number of rows is not a power of two of at most the padded length", func() { New(Haar, v, 3) }},
		"b 0":         {"structured: number of rows is not a power of two of at most the padded length", func() { New(Haar, v, 0) }},
		"b 16":        {"structured: number of rows is not a power of two of at most the padded length", func() { New(Haar, v, 16) }},
		"seeds":       {"structured: rows do not fit their memory", func() { New(Haar, num.Rows[float64]{N: 2, D: 5, Stride: 5}, 4) }},
		"length":      {"structured: rows have the wrong length", func() { z.Forward(dst, num.MakeRows[float64](3, 6), 1) }},
		"shape":       {"structured: destination has the wrong shape", func() { z.Forward(num.MakeRows[float64](2, 8), x, 1) }},
		"memory":      {"structured: rows do not fit their memory", func() { z.Forward(short, x, 1) }},
		"overlap":     {"structured: destination and rows overlap", func() { z.Forward(dst, num.Rows[float64]{Data: dst.Data, N: 3, D: 5, Stride: 5}, 1) }},
		"landmarks":   {"structured: destination has the wrong shape", func() { z.Landmarks(dst) }},
		"norms":       {"structured: destination has the wrong length", func() { z.SquaredNorms(make([]float64, 7)) }},
		"assignment":  {"structured: assignment has the wrong length", func() { z.Update(v, x, []int{1}) }},
		"no landmark": {"structured: assignment to a landmark that does not exist", func() { z.Update(v, x, []int{1, 2, 8}) }},
		"update":      {"structured: destination has the wrong shape", func() { z.Update(x, x, []int{1, 2, 3}) }},
	} {
		t.Run(name, func(t *testing.T) {
			if p := must.Recovered(func() { c.call() }); p != c.message {
				t.Errorf("panic %v, want %q", p, c.message)
			}
		})
	}
}

// Forward and Update do nothing for 0 rows, whatever their memory.
func TestNoRows(t *testing.T) {
	z := New(Haar, num.MakeRows[float64](2, 5), 4)
	some := make([]float64, 40)
	for _, r := range [][2]num.Rows[float64]{
		{num.MakeRows[float64](0, 8), num.MakeRows[float64](0, 5)},
		{{Data: some, D: 8, Stride: 8}, {Data: some, D: 5, Stride: 5}},
		{{D: 8, Stride: 8}, {D: 5, Stride: 5}},
	} {
		z.Forward(r[0], r[1], 1)
	}
	if slices.ContainsFunc(some, func(v float64) bool { return v != 0 }) {
		t.Error("something was written")
	}
}

func TestNoAllocation(t *testing.T) {
	if poolForgets {
		t.Skip("scratch areas are not kept under the race detector")
	}
	for _, b := range []int{8, 1024} {
		v, x := num.MakeRows[float64](4, 784), num.MakeRows[float64](3, 784)
		for _, h := range []Matrix{Haar, Hadamard} {
			z, dst := New(h, v, b), num.MakeRows[float64](3, 4*b)
			z.Forward(dst, x, 1)
			if a := testing.AllocsPerRun(10, func() { z.Forward(dst, x, 1) }); a >= 1 {
				t.Errorf("%s, b %d: %v allocations", names[h], b, a)
			}
		}
	}
}
