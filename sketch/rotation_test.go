package sketch

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/asm/hadamard/paley"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num"
)

// atLevels runs body at every level of the CPU.
func atLevels(t *testing.T, body func(t *testing.T)) {
	for _, l := range cpu.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			restore, err := cpu.Lower(l)
			if err != nil {
				t.Skip("the level is not available: ", err)
			}
			defer restore()
			body(t)
		})
	}
}

// orders are of every kind: powers of two, fast orders, large orders, Kac walks of
// even and odd length.
var orders = []int{1, 2, 3, 5, 6, 7, 8, 12, 17, 24, 31, 40, 36, 64, 65, 100, 127, 128, 224, 300, 512, 768, 960, 1000}

// definition computes R·x in float64 from the definition, one round after the other.
func definition[F num.Float](r *Rotation[F], x []F) []float64 {
	n := r.n
	y := make([]float64, n)
	for i, v := range x {
		y[i] = float64(v)
	}
	m, t := r.m, r.t
	base := [][]int8{{1}}
	if m > 1 {
		base = paley.Matrix(m)
	}
	words := (n + 63) / 64
	for k := range r.rounds {
		lo := 0
		if k%2 == 1 {
			lo = n - m*t
		}
		for i := lo; i < lo+m*t; i++ {
			if r.signs[k*words+i/64]>>(i%64)&1 == 1 {
				y[i] = -y[i]
			}
		}
		z := slices.Clone(y)
		for i := range m * t {
			s := 0.
			for j := range m * t {
				if bits.OnesCount(uint(i%t)&uint(j%t))%2 == 0 {
					s += float64(base[i/t][j/t]) * y[lo+j]
				} else {
					s -= float64(base[i/t][j/t]) * y[lo+j]
				}
			}
			z[lo+i] = s / math.Sqrt(float64(m*t))
		}
		if m*t < n && k%2 == 1 {
			half := (n + 1) / 2
			for i := range n / 2 {
				a, b := z[i], z[i+half]
				z[i], z[i+half] = (a+b)*math.Sqrt2/2, (a-b)*math.Sqrt2/2
			}
		}
		y = z
	}
	return y
}

func TestRotation(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		checkRotation[float32](t)
		checkRotation[float64](t)
	})
}

func checkRotation[F num.Float](t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	tolerance := 100 * asmtest.Epsilon[F]()
	for _, n := range append(slices.Clone(orders), 36*64) {
		rounds := 1 + n%4
		r := NewRotation[F](n, rounds, uint64(n))
		if n%16 == 8 {
			r = NewKacRotation[F](n, rounds, uint64(n))
		}
		x := asmtest.Normal[F](random, n)
		want := definition(r, x)
		norm := 0.
		for _, v := range want {
			norm += v * v
		}
		norm = math.Sqrt(norm / float64(n))
		near := func(what string, got []F, want func(i int) float64) {
			t.Helper()
			for i, v := range got {
				if !(math.Abs(float64(v)-want(i)) <= tolerance*norm) {
					t.Fatalf("%T n=%d, %d rounds, %s: element %d is %v, want %v", v, n, rounds, what, i, v, want(i))
				}
			}
		}
		original := func(i int) float64 { return float64(x[i]) }
		y := make([]F, n)
		r.Apply(y, x)
		near("Apply", y, func(i int) float64 { return want[i] })
		z := slices.Clone(x)
		r.Apply(z, z)
		if !slices.Equal(z, y) {
			t.Fatalf("%T n=%d: in place the result differs", y[0], n)
		}
		r.Inverse(z, y)
		near("Inverse", z, original)
		r.Inverse(y, y)
		if !slices.Equal(z, y) {
			t.Fatalf("%T n=%d: in place the inverse differs", y[0], n)
		}
		const d, stride = 3, 5
		c := num.Rows[F]{Data: make([]F, (n-1)*stride+d), N: n, D: d, Stride: stride}
		for i := range n {
			for j := range d {
				c.Row(i)[j] = x[i] * F(j)
			}
		}
		r.ApplyColumns(c, 2)
		for j := range d {
			for i := range n {
				y[i] = c.Row(i)[j]
			}
			near("ApplyColumns", y, func(i int) float64 { return want[i] * float64(j) })
		}
		r.InverseColumns(c, 2)
		for i := range n {
			y[i] = c.Row(i)[1]
		}
		near("InverseColumns", y, original)
	}
}

// TestLargeOrders compares columns and rows of T with the matrices of package paley.
func TestLargeOrders(t *testing.T) {
	for _, m := range paley.Large {
		n := 64 * m
		r := NewRotation[float64](n, 1, 1)
		h := paley.Matrix(m)
		for _, j := range []int{0, 1, 65, n / 3, n - 1} {
			sign := func(i int) float64 { return 1 - 2*float64(r.signs[i/64]>>(i%64)&1) }
			entry := func(i, j int) float64 {
				v := float64(h[i/64][j/64]) / math.Sqrt(float64(n))
				if bits.OnesCount(uint(i%64&(j%64)))%2 == 1 {
					v = -v
				}
				return v
			}
			unit, x := make([]float64, n), make([]float64, n)
			unit[j] = 1
			r.Apply(x, unit)
			for i, v := range x {
				if want := entry(i, j) * sign(j); !(math.Abs(v-want) <= 1e-15) {
					t.Fatalf("n=%d: R[%d][%d] = %v, want %v", n, i, j, v, want)
				}
			}
			r.Inverse(x, unit)
			for i, v := range x {
				if want := entry(j, i) * sign(i); !(math.Abs(v-want) <= 1e-15) {
					t.Fatalf("n=%d: Rᵀ[%d][%d] = %v, want %v", n, i, j, v, want)
				}
			}
		}
	}
}

// TestRotationExact rotates integers where the factors are powers of two.
func TestRotationExact(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, c := range [][2]int{{1, 3}, {16, 3}, {128, 4}, {1024, 5}, {24, 2}, {300, 4}} {
		n, rounds := c[0], c[1]
		r := NewRotation[float64](n, rounds, 5)
		x := asmtest.Integers[float64](random, n, 1000)
		y := make([]float64, n)
		r.Apply(y, x)
		r.Inverse(y, y)
		same := slices.Equal(x, y)
		if exact := n != 24; same != exact {
			t.Errorf("n=%d, %d rounds: the inverse is exact: %v, want %v", n, rounds, same, exact)
		}
	}
}

// TestRotationBits compares levels, rows with vectors and numbers of workers.
func TestRotationBits(t *testing.T) {
	checkRotationBits[float32](t)
	checkRotationBits[float64](t)
}

func checkRotationBits[F num.Float](t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, n := range append(slices.Clone(orders), 36*64, 140*64) {
		r := NewRotation[F](n, 3, 7)
		const rows = 9
		x := num.Rows[F]{Data: asmtest.Normal[F](random, (rows-1)*(n+2)+n), N: rows, D: n, Stride: n + 2}
		want := num.Rows[F]{Data: slices.Clone(x.Data), N: rows, D: n, Stride: n + 2}
		back := num.Rows[F]{Data: slices.Clone(x.Data), N: rows, D: n, Stride: n + 2}
		asmtest.AtGeneric(func() {
			for i := range rows {
				r.Apply(want.Row(i), want.Row(i))
				r.Inverse(back.Row(i), back.Row(i))
			}
		})
		for _, l := range cpu.Levels() {
			if restore, err := cpu.Lower(l); err != nil {
				continue
			} else {
				restore()
			}
			asmtest.At(l, func() {
				for _, workers := range []int{1, 3} {
					got, inverse := x, x
					got.Data, inverse.Data = slices.Clone(x.Data), slices.Clone(x.Data)
					r.ApplyRows(got, workers)
					r.InverseRows(inverse, workers)
					if !slices.Equal(got.Data, want.Data) || !slices.Equal(inverse.Data, back.Data) {
						t.Fatalf("%T n=%d, level %v, %d workers: bits differ", x.Data[0], n, l, workers)
					}
				}
			})
		}
	}
}

// TestMixing rotates unit vectors: the fourth moments of their elements are those of a
// Gaussian vector, 3/n², within noise, wherever the one is.
func TestMixing(t *testing.T) {
	for _, n := range []int{768, 960, 1000, 1100, 2000, 2047} {
		for kind, r := range map[string]*Rotation[float64]{"default": NewRotation[float64](n, 4, 1), "Kac": NewKacRotation[float64](n, 4, 2)} {
			x := make([]float64, n)
			for _, at := range []int{0, n / 3, n / 2, n - 1} {
				clear(x)
				x[at] = 1
				r.Apply(x, x)
				fourth := 0.
				for _, v := range x {
					fourth += v * v * v * v
				}
				if !(fourth*float64(n) <= 4.5 && fourth*float64(n) >= 2) {
					t.Errorf("n=%d, %s: unit vector %d has fourth moment %.2f/n, want about 3/n", n, kind, at, fourth*float64(n))
				}
			}
		}
	}
}

func TestRotationSeeds(t *testing.T) {
	a, b, c := NewRotation[float64](100, 2, 1), NewRotation[float32](100, 2, 1), NewRotation[float64](100, 2, 2)
	if !slices.Equal(a.signs, b.signs) {
		t.Error("the signs depend on the type")
	}
	if slices.Equal(a.signs, c.signs) {
		t.Error("the signs do not depend on the seed")
	}
	if slices.Equal(a.signs[:2], a.signs[2:]) {
		t.Error("the rounds have the same signs")
	}
}

func TestRotationAllocates(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector, which -short goes with, drops pooled memory")
	}
	for _, n := range []int{512, 768, 1000, 36 * 64} {
		r := NewRotation[float32](n, 4, 1)
		x := num.MakeRows[float32](4, n)
		if got := testing.AllocsPerRun(10, func() {
			r.Apply(x.Row(0), x.Row(1))
			r.Inverse(x.Row(0), x.Row(0))
			r.ApplyRows(x, 1)
		}); got != 0 {
			t.Errorf("n=%d: %v allocations", n, got)
		}
	}
}

func TestRotationPanics(t *testing.T) {
	r := NewRotation[float64](8, 1, 1)
	x := make([]float64, 64)
	for i, body := range []func(){
		func() { NewRotation[float64](0, 1, 1) },
		func() { NewRotation[float64](1, 0, 1) },
		func() { r.Apply(x[:7], x[:8]) },
		func() { r.Inverse(x[:8], x[:9]) },
		func() { r.Apply(x[:8], x[1:9]) },
		func() { r.Inverse(x[7:15], x[:8]) },
		func() { r.ApplyRows(num.MakeRows[float64](3, 7), 1) },
		func() { r.InverseRows(num.Rows[float64]{Data: x, N: 9, D: 8, Stride: 8}, 1) },
		func() { r.ApplyRows(num.Rows[float64]{Data: x, N: 3, D: 8, Stride: 4}, 1) }, // rows that overlap
		func() { r.ApplyColumns(num.MakeRows[float64](7, 8), 1) },
		func() { r.InverseColumns(num.Rows[float64]{Data: x[:7], N: 8, D: 1, Stride: 1}, 1) },
	} {
		if must.Recovered(body) == nil {
			t.Errorf("case %d does not panic", i)
		}
	}
}

func BenchmarkRotation(b *testing.B) {
	for _, n := range []int{128, 256, 512, 768, 960, 1024, 1536, 2048, 11008, 13824} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			r := NewRotation[float32](n, 4, 1)
			x, y := make([]float32, n), make([]float32, n)
			x[0] = 1
			b.SetBytes(int64(4 * n))
			for b.Loop() {
				r.Apply(y, x)
			}
		})
	}
}
