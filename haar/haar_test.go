package haar

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

// matrix builds H by its recursion.
func matrix(d int) [][]float64 {
	if d == 1 {
		return [][]float64{{1}}
	}
	half := matrix(d / 2)
	var h [][]float64
	for _, r := range half {
		row := make([]float64, d)
		for j, v := range r {
			row[2*j], row[2*j+1] = v, v
		}
		h = append(h, row)
	}
	for i := range d / 2 {
		row := make([]float64, d)
		row[2*i], row[2*i+1] = 1, -1
		h = append(h, row)
	}
	return h
}

func TestMatrix(t *testing.T) {
	for d := 1; d <= 256; d *= 2 {
		h := matrix(d)
		x := asmtest.Integers[float64](rng.New(1, uint64(d)), d, 1000)
		var forward, back, norm []float64
		for _, row := range h {
			var s, n float64
			for j, v := range row {
				s += v * x[j]
				n += v * v
			}
			forward, norm = append(forward, s), append(norm, n)
		}
		back = make([]float64, d)
		for q, row := range h {
			for j, v := range row {
				back[j] += v * x[q]
			}
		}
		y := slices.Clone(x)
		Transform(y)
		if !slices.Equal(y, forward) {
			t.Fatalf("d %d: Transform gives %v, want %v", d, y, forward)
		}
		Inverse(y)
		if !slices.Equal(y, x) {
			t.Fatalf("d %d: Inverse gives %v, want %v", d, y, x)
		}
		Transpose(y)
		if !slices.Equal(y, back) {
			t.Fatalf("d %d: Transpose gives %v, want %v", d, y, back)
		}
		y = slices.Clone(x)
		Orthonormal(y)
		for i := range y {
			if want := forward[i] / math.Sqrt(norm[i]); !(math.Abs(y[i]-want) <= 1e-15*math.Abs(want)) {
				t.Fatalf("d %d: Orthonormal gives %v at %d, want %v", d, y[i], i, want)
			}
		}
		InverseOrthonormal(y)
		for i := range y {
			if !(math.Abs(y[i]-x[i]) <= 1e-11) {
				t.Fatalf("d %d: InverseOrthonormal gives %v at %d, want %v", d, y[i], i, x[i])
			}
		}
	}
}

func TestRows(t *testing.T) {
	t.Run("float32", checkRows[float32])
	t.Run("float64", checkRows[float64])
}

func checkRows[F num.Float](t *testing.T) {
	ops := []struct {
		name string
		one  func([]F)
		rows func(num.Rows[F], int)
	}{
		{"Transform", Transform[F], TransformRows[F]},
		{"Inverse", Inverse[F], InverseRows[F]},
		{"Transpose", Transpose[F], TransposeRows[F]},
		{"Orthonormal", Orthonormal[F], OrthonormalRows[F]},
		{"InverseOrthonormal", InverseOrthonormal[F], InverseOrthonormalRows[F]},
	}
	for _, shape := range [][3]int{{0, 8, 8}, {1, 1, 3}, {5, 2, 2}, {3, 64, 70}, {2000, 64, 65}, {40, 4096, 4096}, {3, 1 << 17, 1 << 17}} {
		n, d, stride := shape[0], shape[1], shape[2]
		data := asmtest.Normal[F](rng.New(2, uint64(d)), max(0, (n-1)*stride+d))
		for _, op := range ops {
			want := slices.Clone(data)
			for i := range n {
				op.one(want[i*stride:][:d])
			}
			for _, workers := range []int{0, 1, 2, 7} {
				x := num.Rows[F]{Data: slices.Clone(data), N: n, D: d, Stride: stride}
				op.rows(x, workers)
				if !slices.Equal(x.Data, want) {
					t.Errorf("%sRows of %d rows of %d, stride %d, %d workers, differs from %s of each", op.name, n, d, stride, workers, op.name)
				}
			}
		}
	}
}

func TestPanics(t *testing.T) {
	data := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	before := slices.Clone(data)
	for name, c := range map[string]struct {
		message string
		call    func()
	}{
		"nil":        {"haar: length is not a power of two", func() { Transform[float32](nil) }},
		"length 3":   {"haar: length is not a power of two", func() { Transform(data[:3]) }},
		"inverse 6":  {"haar: length is not a power of two", func() { Inverse(data[:6]) }},
		"rows of 3":  {"haar: length is not a power of two", func() { TransformRows(num.Rows[float64]{Data: data, N: 2, D: 3, Stride: 4}, 1) }},
		"rows of 0":  {"haar: length is not a power of two", func() { OrthonormalRows(num.Rows[float64]{N: 0, D: 0, Stride: 1}, 1) }},
		"stride":     {"haar: rows do not fit their memory", func() { TransformRows(num.Rows[float64]{Data: data, N: 2, D: 4, Stride: 3}, 1) }},
		"short data": {"haar: rows do not fit their memory", func() { TransposeRows(num.Rows[float64]{Data: data, N: 3, D: 4, Stride: 4}, 2) }},
		"pad 0":      {"haar: length is out of range", func() { Pad(0) }},
		"pad huge":   {"haar: length is out of range", func() { Pad(math.MaxInt) }},
	} {
		t.Run(name, func(t *testing.T) {
			if p := must.Recovered(c.call); p != c.message {
				t.Errorf("panic %v, want %q", p, c.message)
			}
			if !slices.Equal(data, before) {
				t.Error("data were changed before the panic")
			}
		})
	}
}

func TestPad(t *testing.T) {
	for d, want := range map[int]int{1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 784: 1024, 1024: 1024, 1025: 2048} {
		if got := Pad(d); got != want {
			t.Errorf("Pad(%d) = %d, want %d", d, got, want)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	if poolForgets {
		t.Skip("scratch areas are not kept under the race detector")
	}
	for _, d := range []int{8, 128, 1024, 1 << 15} {
		x := num.MakeRows[float64](3, d)
		Transform(x.Row(0))
		if a := testing.AllocsPerRun(20, func() { Transform(x.Row(0)); Inverse(x.Row(0)) }); a >= 1 {
			t.Errorf("d %d: %v allocations", d, a)
		}
		if a := testing.AllocsPerRun(20, func() { TransformRows(x, 1); InverseOrthonormalRows(x, 1) }); a >= 1 {
			t.Errorf("rows of %d: %v allocations", d, a)
		}
	}
}
