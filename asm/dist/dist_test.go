package dist

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// distance is one of the kernels with the function it sums.
type distance[F num.Float] struct {
	name string
	rows func(dst, x, z []F, ld int)
	term func(difference *big.Float) *big.Float
}

func square(d *big.Float) *big.Float { return d.Mul(d, d) }

func magnitude(d *big.Float) *big.Float { return d.Abs(d) }

var (
	of64 = []distance[float64]{{"Squared64", Squared64, square}, {"Abs64", Abs64, magnitude}}
	of32 = []distance[float32]{{"Squared32", Squared32, square}, {"Abs32", Abs32, magnitude}}
)

// exact is the oracle.
func exact[F num.Float](x, z []F, term func(*big.Float) *big.Float) float64 {
	sum := new(big.Float).SetPrec(300)
	for j := range x {
		a, b := new(big.Float).SetPrec(300).SetFloat64(float64(x[j])), new(big.Float).SetPrec(300).SetFloat64(float64(z[j]))
		sum.Add(sum, term(a.Sub(a, b)))
	}
	f, _ := sum.Float64()
	return f
}

func columns() []int {
	if testing.Short() {
		return append(asmtest.Lengths(4), 31, 32, 33, 50)
	}
	return append(asmtest.Lengths(16), 127, 128, 129, 784, maxColumns-1, maxColumns, maxColumns+1, 2*maxColumns+5)
}

func TestDistances(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, d := range of64 {
			testDistance(t, d)
		}
		for _, d := range of32 {
			testDistance(t, d)
		}
	})
}

func testDistance[F num.Float](t *testing.T, f distance[F]) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, d := range columns() {
		counts := []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 26}
		if testing.Short() {
			counts = []int{0, 1, 3, 5, 8, 17}
		}
		if d > 40 {
			counts = []int{1, 9}
		}
		if !testing.Short() && (d == 2 || d == 8) {
			counts = append(counts, 1000, maxElements/d+3)
		}
		for _, m := range counts {
			o := r.IntN(8)
			ld := d + r.IntN(4)
			size := 0
			if m > 0 {
				size = (m-1)*ld + d
			}
			x := asmtest.Normal[F](r, d)
			cx, cz, cd := asmtest.NewCanary[F](d, 1, o), asmtest.NewCanary[F](size, 1, r.IntN(8)), asmtest.NewCanary[F](m, 1, r.IntN(8))
			cx.Set(x)
			// The gaps between the rows hold NaN.
			z := cz.Slice()
			for i := range m {
				copy(z[i*ld:i*ld+d], asmtest.Normal[F](r, d))
				if i%5 == 3 {
					copy(z[i*ld:i*ld+d], x)
				}
			}
			before := append([]F(nil), z...)
			f.rows(cd.Slice(), cx.Slice(), z, ld)
			cx.Check(t)
			cz.Check(t)
			cd.Check(t)
			for i, v := range z {
				if !asmtest.SameBits(v, before[i]) {
					t.Fatalf("%s, %d×%d: z changed", f.name, m, d)
				}
			}
			for i, got := range cd.Get() {
				row := z[i*ld : i*ld+d]
				what := fmt.Sprintf("%s, row %d of %d×%d, ld %d", f.name, i, m, d, ld)
				if i%5 == 3 && got != 0 {
					t.Fatalf("%s: %v for equal rows", what, got)
				}
				if i > 30 && i < m-10 {
					continue
				}
				if i < 10 && (d < 40 || i%8 == 0) {
					want := exact(x, row, f.term)
					if !(math.Abs(float64(got)-want) <= float64(d+3)*asmtest.Epsilon[F]()/2*want) {
						t.Fatalf("%s: %v, want %v", what, got, want)
					}
				}
				alone, back := []F{-1}, []F{-1}
				f.rows(alone, x, row, d)
				f.rows(back, row, x, d)
				if !asmtest.SameBits(alone[0], got) || !asmtest.SameBits(back[0], got) {
					t.Fatalf("%s: %v, alone %v, with the points swapped %v", what, got, alone[0], back[0])
				}
			}
		}
		if d > 0 && d < 40 {
			for _, m := range []int{1, 11} {
				asmtest.Guarded(t, d, func(x []F) {
					asmtest.Guarded(t, m*d, func(z []F) {
						asmtest.Guarded(t, m, func(dst []F) { f.rows(dst, x, z, d) })
					})
				})
			}
		}
	}
}

func TestOffsets(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, f := range of64 {
			testOffsets(t, f)
		}
		for _, f := range of32 {
			testOffsets(t, f)
		}
	})
}

func testOffsets[F num.Float](t *testing.T, f distance[F]) {
	const m, d = 19, 21
	r := rand.New(rand.NewPCG(3, 4))
	x, z := asmtest.Normal[F](r, d), asmtest.Normal[F](r, m*d)
	want := make([]F, m)
	f.rows(want, x, z, d)
	for operand := range 3 {
		for o := range 8 {
			off := [3]int{}
			off[operand] = o
			cd, cx, cz := asmtest.NewCanary[F](m, 1, off[0]), asmtest.NewCanary[F](d, 1, off[1]), asmtest.NewCanary[F](m*d, 1, off[2])
			cx.Set(x)
			cz.Set(z)
			f.rows(cd.Slice(), cx.Slice(), cz.Slice(), d)
			for i, v := range cd.Get() {
				if !asmtest.SameBits(v, want[i]) {
					t.Fatalf("%s: row %d at offsets %v is %v, want %v", f.name, i, off, v, want[i])
				}
			}
			cd.Check(t)
		}
	}
}

func TestSpecials(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, f := range of64 {
			testSpecials(t, f)
		}
		for _, f := range of32 {
			testSpecials(t, f)
		}
	})
}

// testSpecials puts every special value against every other one, at every
// column of one row among ten.
func testSpecials[F num.Float](t *testing.T, f distance[F]) {
	const m = 10
	for _, d := range []int{1, 3, 19} {
		for _, a := range asmtest.Specials[F]() {
			for _, b := range asmtest.Specials[F]() {
				for at := range d {
					x, z, dst := make([]F, d), make([]F, m*d), make([]F, m)
					x[at] = a
					for i := range m {
						z[i*d+at] = a
					}
					row := at % m
					z[row*d+at] = b
					f.rows(dst, x, z, d)
					diff := a - b
					want := F(diff * diff)
					if f.name[0] == 'A' {
						want = F(math.Abs(float64(diff)))
					}
					if !asmtest.Same(dst[row], want) {
						t.Fatalf("%s: %v against %v is %v, want %v", f.name, a, b, dst[row], want)
					}
				}
			}
		}
	}
}

func TestPanics(t *testing.T) {
	x := make([]float64, 10)
	for want, call := range map[string]func(){
		"dist: row distance is below the number of columns": func() { Squared64(x[:1], x[:3], x, 2) },
		"dist: matrix is too short":                         func() { Abs64(x[:4], x[:3], x, 3) },
	} {
		func() {
			defer func() {
				if r := recover(); r != want {
					t.Errorf("panic %v, want %q", r, want)
				}
			}()
			call()
		}()
	}
}

func TestAllocs(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		dst, x, z := make([]float32, 9), make([]float32, maxColumns+1), make([]float32, 9*(maxColumns+1))
		if n := testing.AllocsPerRun(5, func() {
			Squared32(dst, x, z, len(x))
			Abs32(dst, x, z, len(x))
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}
