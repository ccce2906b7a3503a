package fwht

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/asm/hadamard/paley"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num"
)

// lengths returns all supported lengths up to most.
func lengths(most int) []int {
	var out []int
	for n := 1; n <= most; n++ {
		if Supported(n) {
			out = append(out, n)
		}
	}
	return out
}

func most() int {
	if testing.Short() {
		return 128
	}
	return 512
}

// hadamardMatrix returns the rows of the matrix that transform applies to rows.
func hadamardMatrix[F num.Float](n int, transform func(num.Rows[F], int)) num.Rows[F] {
	x := num.MakeRows[F](n, n)
	for i := range n {
		x.Data[i*n+i] = 1
	}
	transform(x, 1)
	return x
}

// TestMatrix compares H with its definition as a Kronecker product for every
// supported length and level, and checks H·Hᵀ = n·I.
func TestMatrix(t *testing.T) {
	for _, l := range cpu.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			restore, err := cpu.Lower(l)
			if err != nil {
				t.Skip("the level is not available: ", err)
			}
			defer restore()
			for _, n := range lengths(most()) {
				checkMatrix[float32](t, n)
				checkMatrix[float64](t, n)
			}
		})
	}
}

func checkMatrix[F num.Float](t *testing.T, n int) {
	m, _ := base(n)
	b := [][]int8{{1}}
	if m > 1 {
		b = paley.Matrix(m)
	}
	h := hadamardMatrix(n, TransformRows[F])
	for i := range n {
		for j := range n {
			q := n / m
			want := F(b[i/q][j/q])
			for bit := 1; bit < q; bit *= 2 {
				if i%q&j%q&bit != 0 {
					want = -want
				}
			}
			if h.Data[i*n+j] != want {
				t.Fatalf("%T n=%d: H[%d][%d] = %v, want %v", want, n, i, j, h.Data[i*n+j], want)
			}
		}
	}
	TransformRows(h, 1) // rows of H·Hᵀ, as row i of H becomes H·(row i)
	for i := range n {
		for j, v := range h.Row(i) {
			if want := map[bool]int{true: n}[i == j]; v != F(want) {
				t.Fatalf("%T n=%d: (H·Hᵀ)[%d][%d] = %v, want %d", v, n, i, j, v, want)
			}
		}
	}
}

func TestSequency(t *testing.T) {
	for n := 1; n <= most(); n *= 2 {
		w := hadamardMatrix(n, SequencyRows[float64])
		h := hadamardMatrix(n, TransformRows[float64])
		for s := range n {
			changes := 0
			for j := 1; j < n; j++ {
				if w.Data[s*n+j] != w.Data[s*n+j-1] {
					changes++
				}
			}
			// Row s of the result is W applied to the s-th unit vector: column s,
			// which is row s because W is symmetric.
			if changes != s {
				t.Fatalf("n=%d: row %d has %d sign changes", n, s, changes)
			}
			for j := range n {
				if w.Data[s*n+j] != w.Data[j*n+s] {
					t.Fatalf("n=%d: W is not symmetric at (%d, %d)", n, s, j)
				}
			}
			if !slices.Equal(w.Row(s), h.Row(SequencyRow(n, s))) {
				t.Fatalf("n=%d: SequencyRow(%d) is not row %d of W", n, s, s)
			}
		}
	}
}

func TestInverses(t *testing.T) {
	checkInverses[float32](t)
	checkInverses[float64](t)
}

func checkInverses[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	eps := asmtest.Epsilon[F]()
	for _, n := range append(lengths(most()), 1<<16, 28<<10) {
		x := asmtest.Normal[F](r, n)
		norm := func(x []F) float64 {
			s := 0.0
			for _, v := range x {
				s += float64(v) * float64(v)
			}
			return math.Sqrt(s)
		}
		near := func(what string, got, want []F) {
			t.Helper()
			d := make([]F, n)
			for i := range d {
				d[i] = got[i] - want[i]
			}
			if !(norm(d) <= 60*eps*norm(want)) {
				t.Fatalf("%T n=%d %s: distance %g of %g", x[0], n, what, norm(d), norm(want))
			}
		}
		y := slices.Clone(x)
		Transform(y)
		if a, b := norm(y), math.Sqrt(float64(n))*norm(x); !(math.Abs(a-b) <= 60*eps*b) {
			t.Fatalf("%T n=%d: norm %g, want %g", x[0], n, a, b)
		}
		z := slices.Clone(x)
		Orthonormal(z)
		scaled := slices.Clone(y)
		for i := range scaled {
			scaled[i] *= F(1 / math.Sqrt(float64(n)))
		}
		near("Orthonormal", z, scaled)
		Orthonormal(z)
		near("Orthonormal twice", z, x)
		Inverse(y)
		near("Inverse", y, x)
		if powerOfTwo(n) {
			k := asmtest.Integers[F](r, n, 7)
			y := slices.Clone(k)
			Transform(y)
			Inverse(y)
			for i := range y {
				if y[i] != k[i] {
					t.Fatalf("%T n=%d: element %d is %v after a round trip, was %v", y[i], n, i, y[i], k[i])
				}
			}
		}
	}
}

// TestRows compares every function of rows with that of a vector, bit by bit, for
// several numbers of workers, and checks that the gaps between rows do not
// change.
func TestRows(t *testing.T) {
	checkRows[float32](t)
	checkRows[float64](t)
}

func checkRows[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	for _, c := range []struct {
		name string
		all  func(num.Rows[F], int)
		one  func([]F)
	}{
		{"Transform", TransformRows[F], Transform[F]}, {"Inverse", InverseRows[F], Inverse[F]},
		{"Orthonormal", OrthonormalRows[F], Orthonormal[F]}, {"Sequency", SequencyRows[F], Sequency[F]},
	} {
		for _, d := range []int{1, 2, 4, 8, 12, 16, 28, 32, 40, 64, 128, 256, 448, 512, 1024, 1 << 12, 1 << 15} {
			if c.name == "Sequency" && !powerOfTwo(d) {
				continue
			}
			for _, n := range []int{0, 1, 3, 70} {
				if n*d > 1<<19 || testing.Short() && n*d > 1<<12 {
					continue
				}
				for _, gap := range []int{0, 5} {
					stride := d + gap
					size := max(0, n-1)*stride + d
					x := num.Rows[F]{Data: asmtest.Normal[F](r, size), N: n, D: d, Stride: stride}
					want := slices.Clone(x.Data)
					for i := range n {
						c.one(want[i*stride : i*stride+d])
					}
					before := slices.Clone(x.Data)
					for _, workers := range []int{0, 1, 2, 7} {
						copy(x.Data, before)
						c.all(x, workers)
						for i, v := range x.Data {
							if !asmtest.SameBits(v, want[i]) {
								t.Fatalf("%s of %d rows of %d %T, gap %d, %d workers: element %d is %v, want %v",
									c.name, n, d, v, gap, workers, i, v, want[i])
							}
						}
					}
				}
			}
		}
	}
}

// TestLong compares the parallel transform of a vector with the serial transform.
func TestLong(t *testing.T) {
	checkLong[float32](t)
	checkLong[float64](t)
}

func checkLong[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	for _, n := range []int{parallelLength, 4 * parallelLength, 12 * blockLength * 4, 28 * blockLength} {
		if testing.Short() && n > parallelLength {
			break
		}
		m, _ := base(n)
		x := asmtest.Normal[F](r, n)
		want := slices.Clone(x)
		long(want, m, 1)
		for _, workers := range []int{2, 3, 8} {
			got := slices.Clone(x)
			long(got, m, workers)
			for i, v := range got {
				if !asmtest.SameBits(v, want[i]) {
					t.Fatalf("%T n=%d, %d workers: element %d is %v, want %v", v, n, workers, i, v, want[i])
				}
			}
		}
		// The vector is the only row of a batch, and there are more workers than
		// rows.
		got := num.Rows[F]{Data: slices.Clone(x), N: 1, D: n, Stride: n}
		OrthonormalRows(got, 4)
		Orthonormal(x)
		if !slices.Equal(got.Data, x) {
			t.Fatalf("%T n=%d: OrthonormalRows of one row differs from Orthonormal", x[0], n)
		}
	}
}

func TestLengths(t *testing.T) {
	want := []int{1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128}
	if got := lengths(130); !slices.Equal(got, want) {
		t.Errorf("supported lengths %v, want %v", got, want)
	}
	all := lengths(3000)
	for n := 1; n <= 2500; n++ {
		i, found := slices.BinarySearch(all, n)
		if got := NextLength(n); got != all[i] {
			t.Errorf("NextLength(%d) = %d, want %d", n, got, all[i])
		}
		if found != Supported(n) {
			t.Errorf("Supported(%d) = %v", n, !found)
		}
		if p := Pad(n); !powerOfTwo(p) || p < n || p >= 2*n {
			t.Errorf("Pad(%d) = %d", n, p)
		}
	}
	for _, n := range []int{0, -1, -12, 3, 6, 36, 44, math.MaxInt} {
		if Supported(n) {
			t.Errorf("Supported(%d)", n)
		}
	}
}

func TestPadRows(t *testing.T) {
	src := num.Rows[float64]{Data: []float64{1, 2, 3, -1, 4, 5, 6}, N: 2, D: 3, Stride: 4}
	dst := num.Rows[float64]{Data: []float64{9, 9, 9, 9, 7, 9, 9, 9, 9}, N: 2, D: 4, Stride: 5}
	PadRows(dst, src)
	if want := []float64{1, 2, 3, 0, 7, 4, 5, 6, 0}; !slices.Equal(dst.Data, want) {
		t.Errorf("%v, want %v", dst.Data, want)
	}
}

// Rows directly in front of or behind the destination do not overlap it.
func TestPadRowsBeside(t *testing.T) {
	one := func(x []float64) num.Rows[float64] {
		return num.Rows[float64]{Data: x, N: 1, D: len(x), Stride: len(x)}
	}
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	for _, c := range [][2][]float64{{x[4:], x[:4]}, {x[:8], x[8:]}} {
		dst, src := c[0], c[1]
		want := append(slices.Clone(src), 0, 0, 0, 0)
		PadRows(one(dst), one(src))
		if !slices.Equal(dst, want) {
			t.Errorf("%v, want %v", dst, want)
		}
	}
}

// TestPanics checks the messages, and that nothing is written before a panic.
func TestPanics(t *testing.T) {
	const length = "fwht: length is not 1, 12, 20 or 28 times a power of two"
	const power = "fwht: length is not a power of two"
	const memory = "fwht: rows do not fit their memory"
	x := make([]float64, 64)
	for i := range x {
		x[i] = float64(i)
	}
	before := slices.Clone(x)
	r := func(n, d, stride int) num.Rows[float64] {
		return num.Rows[float64]{Data: x, N: n, D: d, Stride: stride}
	}
	for i, c := range []struct {
		want string
		body func()
	}{
		{length, func() { Transform[float64](nil) }},
		{length, func() { Transform(x[:3]) }},
		{length, func() { Transform(x[:36]) }},
		{length, func() { Inverse[float32](nil) }},
		{length, func() { Inverse(x[:60]) }},
		{length, func() { Orthonormal(x[:7]) }},
		{power, func() { Sequency(x[:12]) }},
		{power, func() { Sequency[float64](nil) }},
		{length, func() { TransformRows(r(2, 9, 16), 1) }},
		{length, func() { TransformRows(r(0, 9, 16), 1) }},
		{length, func() { TransformRows(r(1, 0, 1), 1) }},
		{memory, func() { TransformRows(r(3, 32, 32), 1) }},
		{memory, func() { TransformRows(r(2, 32, 33), 2) }},
		{memory, func() { InverseRows(r(2, 16, 8), 1) }},
		{memory, func() { OrthonormalRows(r(-1, 16, 16), 1) }},
		{memory, func() { TransformRows(num.Rows[float64]{N: 1, D: 4, Stride: 4}, 1) }},
		{power, func() { SequencyRows(r(2, 20, 20), 1) }},
		{power, func() { SequencyRow(12, 1) }},
		{"fwht: row is out of range", func() { SequencyRow(8, 8) }},
		{"fwht: row is out of range", func() { SequencyRow(8, -1) }},
		{"fwht: length is out of range", func() { Pad(0) }},
		{"fwht: length is out of range", func() { Pad(math.MaxInt) }},
		{"fwht: length is out of range", func() { NextLength(0) }},
		{memory, func() { PadRows(r(9, 8, 8), r(9, 4, 4)) }},
		{memory, func() { PadRows(r(2, 8, 8), r(2, 4, 3)) }},
		{"fwht: destination has the wrong shape", func() { PadRows(r(2, 8, 8), r(3, 4, 4)) }},
		{"fwht: destination has the wrong shape", func() { PadRows(r(2, 8, 8), r(2, 12, 12)) }},
		{"fwht: destination and rows overlap", func() { PadRows(r(2, 8, 8), r(2, 4, 4)) }},
	} {
		if got := must.Recovered(func() { c.body() }); got != c.want {
			t.Errorf("case %d: panic %v, want %q", i, got, c.want)
		}
	}
	if !slices.Equal(x, before) {
		t.Error("something was written before a panic")
	}
}

func TestNoAllocation(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector, which -short goes with, drops pooled memory")
	}
	x := make([]float64, parallelLength)
	s := make([]float32, 28<<7)
	r := num.Rows[float64]{Data: x, N: len(x) / 256, D: 256, Stride: 256}
	for name, body := range map[string]func(){
		"Transform":            func() { Transform(x[:4096]); Transform(s) },
		"Transform of 4 MiB":   func() { Transform(x) },
		"Orthonormal":          func() { Orthonormal(x[:4096]) },
		"Sequency":             func() { Sequency(x[:4096]) },
		"TransformRows":        func() { TransformRows(r, 1) },
		"TransformRows, two":   func() { TransformRows(r, 2) },
		"OrthonormalRows, two": func() { OrthonormalRows(r, 2) },
		"SequencyRows, two":    func() { SequencyRows(r, 2) },
	} {
		body()
		if n := testing.AllocsPerRun(20, body); n >= 1 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func FuzzRoundTrip(f *testing.F) {
	f.Add(uint8(3), uint8(1), uint64(1))
	f.Add(uint8(7), uint8(3), uint64(2))
	f.Fuzz(func(t *testing.T, k, which uint8, seed uint64) {
		n := []int{1, 12, 20, 28}[which%4] << (k % 13)
		r := rand.New(rand.NewPCG(seed, 0))
		x := asmtest.Integers[float64](r, n, 1<<20)
		y := slices.Clone(x)
		Transform(y)
		// The first row of H is of ones, except for Paley's matrices.
		if m, _ := base(n); m == 1 {
			sum := 0.0
			for _, v := range x {
				sum += v
			}
			if y[0] != sum {
				t.Fatalf("n=%d: y[0] = %v, want %v", n, y[0], sum)
			}
		}
		Transform(y)
		for i, v := range y {
			if v != float64(n)*x[i] {
				t.Fatalf("n=%d: H·H·x is %v at %d, want %v", n, v, i, float64(n)*x[i])
			}
		}
	})
}

func BenchmarkTransform(b *testing.B) {
	measureTransform[float32](b)
	measureTransform[float64](b)
}

func measureTransform[F num.Float](b *testing.B) {
	for _, n := range []int{16, 64, 256, 1 << 10, 12 << 7, 20 << 7, 28 << 7, 1 << 12, 1 << 16, 1 << 20, 1 << 24} {
		x := make([]F, n)
		flops := float64(n) * math.Log2(float64(n))
		for _, l := range cpu.Levels() {
			b.Run(fmt.Sprintf("type=%T/n=%d/isa=%s", x[0], n, l), func(b *testing.B) {
				asmtest.At(l, func() {
					b.SetBytes(int64(2 * n * int(unsafe.Sizeof(x[0]))))
					b.ReportAllocs()
					for b.Loop() {
						Transform(x)
					}
					b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
				})
			})
		}
	}
}
