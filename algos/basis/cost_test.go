package basis

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/structured"
)

// The costs of a row are those that the definitions give, worked out by hand: a value of the Gaussian kernel takes
// 2d+30 flops.
func TestCosts(t *testing.T) {
	const d, k, size = 6, 3, 4
	x := normal(1, 40, d)
	values := NewValues(rbf, normal(2, 10, d), 1)
	for _, c := range []struct {
		name        string
		b           Basis
		flops       float64
		bytes, peak int64
	}{
		{"identity", Identity(d), 2 * 6 * 3, 4 * 18, 0},
		{"values", values, 10 * (42 + 6), 4 * (60 + 30), 256<<10 + 12<<10 + 240*4*3},
		{"fourier", NewFourier(normal(3, d, 5), 1), 5 * (12 + 12 + 40), 4 * 5 * (6 + 6), 48 * 4 * (15 + 6)},
		// Two seeds with 4 rows of Haar's matrix each, which is of order 8: 2·(12+6) flops for the products.
		{"haar", NewStructured(rbf, structured.Haar, normal(4, 2, d), 4, nil, 1), 36 + 8*(30+6), 4 * (24 + 12), 32 * 4 * (8 + 6)},
		// Hadamard's takes two rounds of 4 sums for each seed.
		{"hadamard", NewStructured(rbf, structured.Hadamard, normal(4, 2, d), 4, nil, 1), 2*(12+8) + 8*(30+6), 4 * (24 + 12), 32 * 4 * (8 + 6)},
		{"products", columns(rbf, Products, x, 5, 7), 5*(42+6) + 7 + 6*7, 4 * (36 + 30), 4 * (48*(12+6) + 15)},
		// A bound takes 2m flops, the square and κ two more; the roots of m squares are one flop each.
		{"lower", columns(rbf, Lower, x, 5, 7), 5*(42+6) + 5 + 7*12 + 6*7, 4 * (36 + 30), 4 * (48*(12+6) + 15)},
		{"mid", columns(rbf, Mid, x, 5, 7), 5*(42+6) + 5 + 7*24 + 6*7, 4 * (36 + 30), 4 * (48*(12+6) + 15)},
	} {
		got := c.b.Cost(k, size)
		if got.Flops != c.flops || got.ModelBytes != c.bytes || got.PeakBytes != c.peak || got.Description == "" {
			t.Errorf("%s: %+v, want %g flops, %d and %d bytes", c.name, got, c.flops, c.bytes, c.peak)
		}
	}
	if got, want := StructuredFlops(rbf, 8, 4, d, k), 36+8*36.; !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("%g flops of structured points, want %g", got, want)
	}
	if got, want := PseudoFlops(rbf, 5, 7, d, k), 5*48+7*7.; got != want {
		t.Errorf("%g flops with products, want %g", got, want)
	}
	if fast, dense := NewStructured(rbf, structured.Haar, normal(4, 2, d), 4, nil, 1).Flops(); fast != 36 || dense != 2*8*6 {
		t.Errorf("%g flops by transforms and %g without them", fast, dense)
	}
	// For many functions whole rows of the kernel matrix are held, and of a narrow root the features.
	if got := values.Cost(manyValues, size); got.PeakBytes != 256<<10+48*4*11 {
		t.Errorf("many functions have a peak of %d bytes", got.PeakBytes)
	}
	narrow := NewRooted(values, normal(5, 10, 2)).Cost(manyOutputs, size)
	if inner := values.Cost(2, size); narrow.Flops != inner.Flops+2*2*96 || narrow.ModelBytes != inner.ModelBytes+4*2*96 ||
		narrow.PeakBytes != inner.PeakBytes+4*48*3 {
		t.Errorf("a narrow root costs %+v, its features %+v", narrow, inner)
	}
}

// A program holds the numbers that it was made of, as many bytes each as its type has, and at most four times
// that where rows are padded or kept in two forms. A product of kernel values adds its constants to what the product costs.
func TestProgramsHold(t *testing.T) {
	const d = 64
	x := normal(1, 200, d)
	for name, b := range map[string]Basis{
		"identity": Identity(d), "values": NewValues(rbf, normal(2, 100, d), 1), "fourier": NewFourier(normal(3, d, 50), 1),
		"structured": ofSeeds(rbf, structured.Haar, x, 8, 16), "products": columns(rbf, Products, x, 40, 60),
		"mid": columns(rbf, Mid, x, 40, 60), "user": squares{d}, "narrow": NewRooted(Identity(d), normal(5, d, 4)),
	} {
		_, m := b.Dims()
		for _, k := range []int{1, manyValues, manyOutputs} {
			f := Function{b, normal(8, m, k), make([]float64, k)}
			wide, single := b.With64(f.Coef, f.Bias).Cost().ModelBytes, b.With32(f.Coef, f.Bias).Cost().ModelBytes
			for _, c := range []struct{ size, got int64 }{{8, wide}, {4, single}} {
				told := f.Cost(int(c.size)).ModelBytes
				if c.got < told || c.got > 4*told+8*int64(k+m)+256 {
					t.Errorf("%s, %d functions in %d bytes a number: %d bytes, the numbers take %d", name, k, c.size, c.got, told)
				}
			}
		}
	}
	v := kernel.Against[float64](rbf, normal(2, 20, d)).Times(gram.View(normal(3, 20, 5)))
	bias := []float64{1, 2, 3, 4, 5}
	p := NewProduct(v, bias)
	if got, of := p.Cost(), v.Cost(); got.Flops != of.Flops+5 || got.ModelBytes != v.Bytes()+40 || got.PeakBytes != of.PeakBytes {
		t.Errorf("the program costs %+v, the product %+v", got, of)
	}
	if cols, k := p.Dims(); cols != d || k != 5 {
		t.Errorf("%d functions of %d columns", k, cols)
	}
	got, want := gram.MakeRows[float64](200, 5), gram.MakeRows[float64](200, 5)
	p.Rows(got, gram.Of(x))
	v.Rows(want, gram.Of(x))
	for i := range 200 {
		for c, b := range bias {
			if !(math.Abs(got.Row(i)[c]-want.Row(i)[c]-b) <= 1e-12) {
				t.Fatalf("row %d, function %d: %v, the product is %v", i, c, got.Row(i)[c], want.Row(i)[c])
			}
		}
	}
}

// The peak of a program's cost is what one goroutine allocates for many rows of many columns, to a half, but for
// 32 KiB that do not depend on the sizes.
func TestCostsBoundMemory(t *testing.T) {
	if race.Enabled {
		t.Skip("under the detector a sync.Pool drops what it is given")
	}
	const d, m = 1500, 400
	values := NewValues(rbf, normal(1, m, d), 1)
	for name, b := range map[string]Basis{
		"values": values, "fourier": NewFourier(normal(2, d, m/2), 0), "rooted": NewRooted(values, normal(3, m, m)),
		"narrow": NewRooted(values, normal(3, m, 9)),
	} {
		_, m := b.Dims()
		for _, k := range []int{1, manyValues, manyOutputs} {
			f := Function{b, normal(8, m, k), make([]float64, k)}
			x := normal(7, 100, d)
			within(t, fmt.Sprintf("%s, %d functions in float64", name, k), f.Basis.With64(f.Coef, f.Bias), program.Rows[float64](x))
			within(t, fmt.Sprintf("%s, %d functions in float32", name, k), f.Basis.With32(f.Coef, f.Bias), program.Rows[float32](x))
		}
	}
}

func within[F gram.Float](t *testing.T, name string, p gram.Program[F], x gram.Rows[F]) {
	t.Helper()
	_, k := p.Dims()
	dst := gram.MakeRows[F](x.N, k)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // a pool keeps memory for each processor
	runtime.GC()                                    // twice, so that pools are empty
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p.Rows(dst, gram.Dense(x))
	runtime.ReadMemStats(&after)
	used, peak := int64(after.TotalAlloc-before.TotalAlloc), p.Cost().PeakBytes
	if used > peak+peak/2+32<<10 || peak > used+used/2+32<<10 {
		t.Errorf("%s: %d bytes, and a peak of %d", name, used, peak)
	}
}
