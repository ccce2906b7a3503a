package fwht

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/asm/hadamard/paley"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
)

// TestMatrixOrders compares the matrix of every large order, times a few powers of two, with its definition as a Kronecker product at
// every level, and checks that H·Hᵀ = n·I and that the inverses are inverses.
func TestMatrixOrders(t *testing.T) {
	if race.Enabled && testing.Short() {
		t.Skip("arithmetic: runs without the race detector")
	}
	for _, l := range asmtest.Available(cpu.Levels()) {
		t.Run(l.String(), func(t *testing.T) {
			asmtest.At(l, func() {
				for i, m := range append(paley.Large[:], 28) {
					for _, q := range []int{1, 2, 4, 8} {
						if os.Getenv("GRAM_LONG") == "" && q != 1<<(i%2) || m*q > 700 {
							continue
						}
						testMatrixOrder[float32](t, m, q)
						testMatrixOrder[float64](t, m, q)
					}
				}
			})
		})
	}
}

func testMatrixOrder[F num.Float](t *testing.T, m, q int) {
	n, b := m*q, paley.Matrix(m)
	a := NewMatrix[F](n)
	if !HasMatrix(n) || a.Len() != n {
		t.Fatalf("no matrix of order %d", n)
	}
	h := num.MakeRows[F](n, n) // columns of H as rows
	for i := range n {
		h.Data[i*n+i] = 1
	}
	a.TransformRows(h, 1)
	for i := range n {
		for j, v := range h.Row(i) {
			want := F(b[j/q][i/q])
			for bit := 1; bit < q; bit *= 2 {
				if i%q&j%q&bit != 0 {
					want = -want
				}
			}
			if v != want {
				t.Fatalf("%T n=%d: H[%d][%d] = %v, want %v", v, n, j, i, v, want)
			}
		}
	}
	if !asmtest.InForce() { // at the other levels H is the same
		for i := range n {
			for j := range i + 1 {
				sum := F(0)
				for k, v := range h.Row(i) {
					sum += v * h.Row(j)[k]
				}
				if sum != 0 && i != j || i == j && sum != F(n) {
					t.Fatalf("%T n=%d: (HᵀH)[%d][%d] = %v", sum, n, i, j, sum)
				}
			}
		}
	}
	x := asmtest.Integers[F](rand.New(rand.NewPCG(1, uint64(n))), n, 100)
	y := slices.Clone(x)
	a.Transform(y)
	z := slices.Clone(x)
	a.Orthonormal(z)
	for i, v := range y {
		if !(math.Abs(float64(z[i])-float64(v)/math.Sqrt(float64(n))) <= 4*asmtest.Epsilon[F]()*math.Abs(float64(v))) {
			t.Fatalf("%T n=%d: Orthonormal gives %v at %d of %v", v, n, z[i], i, v)
		}
	}
	a.Inverse(y)
	a.InverseOrthonormal(z)
	for i, v := range x {
		if e := 1000 * asmtest.Epsilon[F](); !(math.Abs(float64(y[i]-v)) <= 100*e && math.Abs(float64(z[i]-v)) <= 100*e) {
			t.Fatalf("%T n=%d: element %d is %v, then %v and %v", v, n, i, v, y[i], z[i])
		}
	}
}

// TestMatrixRows compares rows at every level and for several numbers of workers with a sum in the order of the rows of H_m, bit by bit.
func TestMatrixRows(t *testing.T) {
	t.Run("float32", checkMatrixRows[float32])
	t.Run("float64", checkMatrixRows[float64])
}

func checkMatrixRows[F num.Float](t *testing.T) {
	for _, shape := range [][3]int{{3, 36, 64}, {70, 52, 16}, {2, 172, 32}, {5, 156, 1}, {40, 28, 32}} {
		rows, m, q := shape[0], shape[1], shape[2]
		n := m * q
		a, b := NewMatrix[F](n), paley.Matrix(m)
		x := num.Rows[F]{Data: asmtest.Normal[F](rand.New(rand.NewPCG(2, uint64(n))), rows*(n+3)), N: rows, D: n, Stride: n + 3}
		want := slices.Clone(x.Data)
		for i := range rows {
			row := want[i*x.Stride:][:n]
			if m <= 28 {
				Transform(row)
				continue
			}
			TransformRows(num.Rows[F]{Data: row, N: m, D: q, Stride: q}, 1)
			before := slices.Clone(row)
			for r := range m {
				for c := range q {
					var sum F
					for k := range m {
						sum += F(b[r][k]) * before[k*q+c]
					}
					row[r*q+c] = sum
				}
			}
		}
		for _, l := range asmtest.Available(cpu.Levels()) {
			for _, workers := range []int{0, 1, 3} {
				got := x
				got.Data = slices.Clone(x.Data)
				asmtest.At(l, func() { a.TransformRows(got, workers) })
				if !slices.Equal(got.Data, want) {
					t.Fatalf("%d rows of %d·%d, level %s, %d workers: not the bits of the sums", rows, m, q, l, workers)
				}
			}
		}
		one, back := slices.Clone(x.Row(0)), num.Rows[F]{Data: slices.Clone(x.Data), N: rows, D: n, Stride: x.Stride}
		a.Inverse(one)
		a.InverseRows(back, 2)
		if !slices.Equal(one, back.Row(0)) {
			t.Fatalf("%d·%d: InverseRows differs from Inverse", m, q)
		}
		one = slices.Clone(x.Row(1))
		a.Orthonormal(one)
		copy(back.Data, x.Data)
		a.OrthonormalRows(back, 2)
		if !slices.Equal(one, back.Row(1)) {
			t.Fatalf("%d·%d: OrthonormalRows differs from Orthonormal", m, q)
		}
		a.InverseOrthonormal(one)
		a.InverseOrthonormalRows(back, 1)
		if !slices.Equal(one, back.Row(1)) {
			t.Fatalf("%d·%d: InverseOrthonormalRows differs from InverseOrthonormal", m, q)
		}
	}
}

func TestMatrixPanics(t *testing.T) {
	a, x := NewMatrix[float64](36), make([]float64, 40)
	for want, call := range map[string]func(){
		"fwht: there is no matrix of this order":          func() { NewMatrix[float32](44) },
		"fwht: the rows have not the order of the matrix": func() { a.Transform(x) },
		"fwht: rows do not fit their memory":              func() { a.InverseRows(num.Rows[float64]{Data: x, N: 2, D: 36, Stride: 36}, 1) },
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v, want %q", got, want)
				}
			}()
			call()
		}()
	}
	for _, n := range []int{0, -36, 3, 44, 18, 76, 36 * 5, math.MaxInt} {
		if HasMatrix(n) {
			t.Errorf("HasMatrix(%d)", n)
		}
	}
	for n := 8192; n < 1<<14; n++ {
		next := n
		for !HasMatrix(next) {
			next++
		}
		if next > n+n/8 {
			t.Fatalf("the next order of %d is %d", n, next)
		}
	}
}

func TestMatrixAllocates(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector, which -short goes with, drops pooled memory")
	}
	a, x := NewMatrix[float64](36*64), num.MakeRows[float64](3, 36*64)
	if n := testing.AllocsPerRun(20, func() { a.TransformRows(x, 1); a.Inverse(x.Row(1)) }); n >= 1 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkMatrix(b *testing.B) {
	for _, n := range []int{36 << 7, 108 << 5, 172 << 5, 28 << 7, 1 << 12} {
		a, x := NewMatrix[float64](n), make([]float64, n)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				a.Transform(x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
		})
	}
}
