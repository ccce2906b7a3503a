package haar

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

var edges = map[string]Edge{"symmetric": Symmetric, "zero": Zero, "periodic": Periodic, "reflect": Reflect}

// wavelets is the definition of a decomposition in float64, level by level: the coefficients of x from coarse to fine, and how
// many of them are approximations.
func wavelets(x []float64, levels int, edge string) (coefficients []float64, approximations int) {
	x = slices.Clone(x)
	for ; levels > 0; levels-- {
		n := len(x)
		if n%2 == 1 {
			x = append(x, map[string]float64{"symmetric": x[n-1], "zero": 0, "periodic": x[0], "reflect": x[max(0, n-2)]}[edge])
		}
		var sums, differences []float64
		for i := 0; i < len(x); i += 2 {
			sums = append(sums, (x[i]+x[i+1])/math.Sqrt2)
			differences = append(differences, (x[i]-x[i+1])/math.Sqrt2)
		}
		coefficients = append(differences, coefficients...)
		x = sums
	}
	return append(x, coefficients...), len(x)
}

func near[F num.Float](got []F, want []float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d elements, not %d", len(got), len(want))
	}
	size := 0.
	for _, v := range want {
		size = max(size, math.Abs(v))
	}
	for i, v := range want {
		if !(math.Abs(float64(got[i])-v) <= 20*asmtest.Epsilon[F]()*size) {
			return fmt.Errorf("element %d is %v, not %v", i, got[i], v)
		}
	}
	return nil
}

// The coefficients that PyWavelets 1.1.1 prints for wavedec([1, 5, 2, 8, 3, 9, 4], 'haar', mode, level=3).
func TestPyWavelets(t *testing.T) {
	for edge, want := range map[string][]float64{
		"symmetric": {12.7279, -1.4142, -2, 2, -2.8284, -4.2426, -4.2426, 0},
		"zero":      {11.3137, 0, -2, 4, -2.8284, -4.2426, -4.2426, 2.8284},
		"periodic":  {11.6673, -.3536, -2, 3.5, -2.8284, -4.2426, -4.2426, 2.1213},
		"reflect":   {14.4957, -3.182, -2, -.5, -2.8284, -4.2426, -4.2426, -3.5355},
	} {
		d := NewDecomposition[float64](7, AllLevels, edges[edge])
		y := make([]float64, d.Len())
		d.Forward(y, []float64{1, 5, 2, 8, 3, 9, 4})
		for i, v := range y {
			if !(math.Abs(v-want[i]) <= 5e-5) {
				t.Errorf("%s: %.4f, not %v", edge, y, want)
				break
			}
		}
	}
}

// A decomposition is its definition, and Inverse undoes it, for all lengths up to some blocks of the assembly, all numbers
// of levels and edges.
func TestDecomposition(t *testing.T) {
	asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
		t.Run("float32", checkDecomposition[float32])
		t.Run("float64", checkDecomposition[float64])
	})
}

func checkDecomposition[F num.Float](t *testing.T) {
	lengths := asmtest.Lengths(8, 128, 256)
	if !testing.Short() {
		lengths = append(asmtest.Lengths(20, 64, 128, 256, 512), 8190, 8193, 3<<13, 40000)
	}
	for _, n := range slices.Compact(lengths) {
		if n == 0 {
			continue
		}
		x := asmtest.Normal[F](rng.New(1, uint64(n)), n)
		wide := make([]float64, n)
		for i, v := range x {
			wide[i] = float64(v)
		}
		for edge, e := range edges {
			for levels := range NewDecomposition[F](n, AllLevels, e).Levels() + 1 {
				d := NewDecomposition[F](n, levels, e)
				want, approximations := wavelets(wide, levels, edge)
				src, dst, back := asmtest.NewCanary[F](n, 1, n%8), asmtest.NewCanary[F](len(want), 1, 7-n%8), asmtest.NewCanary[F](n, 1, 3)
				src.Set(x)
				d.Forward(dst.Slice(), src.Slice())
				if err := near(dst.Get(), want); err != nil || d.Len() != len(want) || d.Approximations() != approximations || d.Levels() != levels {
					t.Fatalf("n = %d, %d levels, %s: %v, %d approximations", n, levels, edge, err, d.Approximations())
				}
				d.Inverse(back.Slice(), dst.Slice())
				if err := near(back.Get(), wide); err != nil {
					t.Fatalf("n = %d, %d levels, %s: the inverse has %v", n, levels, edge, err)
				}
				for _, c := range []*asmtest.Canary[F]{src, dst, back} {
					c.Check(t)
				}
				if !slices.Equal(src.Get(), x) {
					t.Fatalf("n = %d: the argument was changed", n)
				}
				end := d.Len()
				for level := 1; level <= levels; level++ {
					lo, hi := d.Details(level)
					if hi != end || lo >= hi {
						t.Fatalf("n = %d, %d levels: level %d is in %d … %d", n, levels, level, lo, hi)
					}
					end = lo
				}
				if end != approximations {
					t.Fatalf("n = %d, %d levels: details begin at %d", n, levels, end)
				}
			}
		}
	}
}

// Rows and columns have the bits of vectors, whatever the level, the stride and the number of workers, in place where that is
// allowed, and where Orthonormal takes the length its bits.
func TestDecompositionBits(t *testing.T) {
	t.Run("float32", checkDecompositionBits[float32])
	t.Run("float64", checkDecompositionBits[float64])
}

func checkDecompositionBits[F num.Float](t *testing.T) {
	for _, shape := range [][3]int{{1, 7, -1}, {3, 1, 0}, {5, 96, 5}, {70, 37, 3}, {40, 256, -1}, {40, 256, 2}, {9, 12000, -1}, {7, 1152, 7}, {3000, 41, 2}} {
		n, d := shape[1], NewDecomposition[F](shape[1], shape[2], Edge(shape[1]%4))
		x := num.Rows[F]{Data: asmtest.Normal[F](rng.New(2, uint64(n)), shape[0]*(n+3)), N: shape[0], D: n, Stride: n + 3}
		want := num.MakeRows[F](x.N, d.Len())
		asmtest.At(cpu.Generic, func() {
			for i := range x.N {
				d.Forward(want.Row(i), x.Row(i))
			}
		})
		if d.Approximations() == 1 && powerOfTwo(n) {
			y := slices.Clone(x.Row(0))
			if Orthonormal(y); !slices.Equal(y, want.Row(0)) {
				t.Errorf("%v: not the bits of Orthonormal", shape)
			}
		}
		turned, wantTurned := transposed(x), transposed(want)
		asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
			for _, workers := range []int{0, 1, 3} {
				name := fmt.Sprintf("%v, %d workers", shape, workers)
				y, back := gaps[F](x.N, d.Len()), gaps[F](x.N, n)
				d.ForwardRows(y, x, workers)
				sameRows(t, name+", rows", y, want)
				d.InverseRows(back, y, workers)
				z, zback := gaps[F](d.Len(), x.N), gaps[F](n, x.N)
				d.ForwardColumns(z, turned, workers)
				sameRows(t, name+", columns", z, wantTurned)
				d.InverseColumns(zback, z, workers)
				sameRows(t, name+", back", transposed(zback), back)
				if d.Len() == n {
					d.ForwardRows(back, back, workers)
					d.InverseRows(back, back, workers)
					d.ForwardColumns(zback, zback, workers)
					d.InverseColumns(zback, zback, workers)
					sameRows(t, name+", in place", transposed(zback), back)
				}
				for i := range x.N {
					wide := make([]float64, n)
					for j, v := range x.Row(i) {
						wide[j] = float64(v)
					}
					if err := near(back.Row(i), wide); err != nil {
						t.Fatalf("%s, back: %v", name, err)
					}
				}
			}
		})
	}
}

// gaps returns a matrix with an element between the rows that no row has.
func gaps[F num.Float](n, d int) num.Rows[F] {
	x := num.Rows[F]{Data: make([]F, n*(d+1)), N: n, D: d, Stride: d + 1}
	for i := range x.Data {
		x.Data[i] = 77
	}
	return x
}

// sameRows compares bits, and looks between the rows of gaps.
func sameRows[F num.Float](t *testing.T, name string, got, want num.Rows[F]) {
	t.Helper()
	for i := range want.N {
		if !slices.Equal(got.Row(i), want.Row(i)) {
			t.Fatalf("%s: row %d is %v, not %v", name, i, got.Row(i), want.Row(i))
		}
		if got.Stride > got.D && got.Data[i*got.Stride+got.D] != 77 {
			t.Fatalf("%s: the element behind row %d was written", name, i)
		}
	}
}

func transposed[F num.Float](x num.Rows[F]) num.Rows[F] {
	y := num.MakeRows[F](x.D, x.N)
	for i := range x.N {
		for j, v := range x.Row(i) {
			y.Row(j)[i] = v
		}
	}
	return y
}

// definedPyramid is the definition of the nonstandard decomposition: at each level one level of the rows and then of the columns of what is left.
func definedPyramid(x num.Rows[float64], levels int, edge string) num.Rows[float64] {
	d := NewDecomposition[float64](x.D, levels, edges[edge])
	c := NewDecomposition[float64](x.N, levels, edges[edge])
	y := num.MakeRows[float64](c.Len(), d.Len())
	for level := 1; level <= levels; level++ {
		var half, whole num.Rows[float64]
		for i := range x.N {
			row, _ := wavelets(x.Row(i), 1, edge)
			if half.Data == nil {
				half = num.MakeRows[float64](x.N, len(row))
			}
			copy(half.Row(i), row)
		}
		half = transposed(half)
		for i := range half.N {
			row, _ := wavelets(half.Row(i), 1, edge)
			if whole.Data == nil {
				whole = num.MakeRows[float64](half.N, len(row))
			}
			copy(whole.Row(i), row)
		}
		whole = transposed(whole)
		n, g := whole.N/2, whole.D/2
		top, _ := c.Details(level)
		left, _ := d.Details(level)
		x = num.MakeRows[float64](n, g)
		for i := range n {
			copy(x.Row(i), whole.Row(i))
			copy(y.Row(i)[left:], whole.Row(i)[g:])
			copy(y.Row(top + i)[:g], whole.Row(n+i))
			copy(y.Row(top + i)[left:], whole.Row(n + i)[g:])
		}
	}
	for i := range x.N {
		copy(y.Row(i), x.Row(i))
	}
	return y
}

// A pyramid is its definition, has the same bits at every level and for any number of workers, and Inverse undoes it.
func TestPyramid(t *testing.T) {
	t.Run("float32", checkPyramid[float32])
	t.Run("float64", checkPyramid[float64])
}

func checkPyramid[F num.Float](t *testing.T) {
	shapes := [][3]int{{1, 1, 0}, {1, 9, -1}, {2, 2, -1}, {3, 5, 2}, {8, 16, 3}, {37, 70, -1}, {64, 300, 2}, {131, 521, 3}}
	if !testing.Short() {
		shapes = append(shapes, [3]int{600, 520, 1}, [3]int{601, 521, 3})
	}
	for _, shape := range shapes {
		x := num.MakeRows[F](shape[0], shape[1])
		x.Data = asmtest.Normal[F](rng.New(3, uint64(shape[0])), len(x.Data))
		wide := num.MakeRows[float64](x.N, x.D)
		for i, v := range x.Data {
			wide.Data[i] = float64(v)
		}
		for edge, e := range edges {
			p := NewPyramid[F](x.N, x.D, shape[2], e)
			want := definedPyramid(wide, p.Rows().Levels(), edge)
			first := num.MakeRows[F](p.Columns().Len(), p.Rows().Len())
			asmtest.At(cpu.Generic, func() { p.Forward(first, x, 1) })
			if err := near(first.Data, want.Data); err != nil {
				t.Fatalf("%v, %s: %v", shape, edge, err)
			}
			inverse := num.MakeRows[F](x.N, x.D)
			asmtest.At(cpu.Generic, func() { p.Inverse(inverse, first, 1) })
			if err := near(inverse.Data, wide.Data); err != nil {
				t.Fatalf("%v, %s: the inverse has %v", shape, edge, err)
			}
			asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
				for _, workers := range []int{1, 3} {
					y, back := gaps[F](first.N, first.D), gaps[F](x.N, x.D)
					p.Forward(y, x, workers)
					sameRows(t, fmt.Sprintf("%v, %s, %d workers", shape, edge, workers), y, first)
					p.Inverse(back, y, workers)
					sameRows(t, fmt.Sprintf("%v, %s, %d workers, back", shape, edge, workers), back, inverse)
				}
			})
		}
	}
}

// The coefficients that PyWavelets 1.1.1 prints for coeffs_to_array(wavedec2(x, 'haar', level=2)) of a matrix with an odd number
// of rows and columns.
func TestPyramidPyWavelets(t *testing.T) {
	x := num.MakeRows[float64](3, 5)
	for i := range x.Data {
		x.Data[i] = float64(i * i % 17)
	}
	p := NewPyramid[float64](3, 5, 2, Symmetric)
	y := num.MakeRows[float64](4, 7)
	p.Forward(y, x, 1)
	want := []float64{
		33.5, 47, -11, 0, 2.5, -1.5, 0,
		-7.5, 11, -4, 0, 13, -8, 0,
		-4.5, -7.5, 3, 0, -3.5, -3.5, 0,
		0, 0, 0, 0, 0, 0, 0,
	}
	if !slices.Equal(y.Data, want) { // all factors are powers of two
		t.Errorf("%v, not %v", y.Data, want)
	}
}

func TestDecompositionPanics(t *testing.T) {
	x := num.MakeRows[float64](4, 6)
	d, p := NewDecomposition[float64](6, 1, Symmetric), NewPyramid[float64](4, 6, 1, Symmetric)
	for _, level := range []int{-1, 0, 2} {
		if got := must.Recovered(func() { d.Details(level) }); got != "haar: the level is out of range" {
			t.Errorf("details of level %d: panic %v", level, got)
		}
	}
	for i, call := range []func(){
		func() { NewDecomposition[float64](0, AllLevels, Zero) },
		func() { NewDecomposition[float64](8, 4, Zero) },
		func() { NewDecomposition[float64](8, 1, Reflect+1) },
		func() { NewPyramid[float64](8, 1, 1, Zero) },
		func() { d.Forward(x.Data[:6], x.Data[2:8]) },
		func() { d.Forward(x.Data[:5], x.Data[6:12]) },
		func() { d.Inverse(x.Data[:6], x.Data[6:13]) },
		func() { d.ForwardRows(x, num.Rows[float64]{Data: x.Data, N: 4, D: 6, Stride: 5}, 1) },
		func() { d.ForwardColumns(x, x, 1) },
		func() { p.Forward(x, x, 1) },
		func() { p.Inverse(num.MakeRows[float64](4, 5), x, 1) },
	} {
		if must.Recovered(call) == nil {
			t.Errorf("call %d does not panic", i)
		}
	}
	for _, v := range x.Data {
		if v != 0 {
			t.Fatal("a call that panics has written")
		}
	}
}

func TestDecompositionAllocates(t *testing.T) {
	if poolForgets {
		t.Skip("scratch areas are not kept under the race detector")
	}
	d, p := NewDecomposition[float64](96, 3, Zero), NewPyramid[float64](96, 96, 3, Zero)
	long := NewDecomposition[float64](1152, 4, Zero)
	x, y := num.MakeRows[float64](96, 96), num.MakeRows[float64](96, 96)
	if a := testing.AllocsPerRun(20, func() {
		d.ForwardRows(y, x, 1)
		d.InverseColumns(x, y, 1)
		long.Forward(y.Data[:1152], x.Data[:1152])
		long.Inverse(y.Data[:1152], x.Data[:1152])
		p.Forward(y, x, 1)
		p.Inverse(x, y, 1)
	}); a >= 1 {
		t.Errorf("%v allocations", a)
	}
}
