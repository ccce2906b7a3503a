package kernel

import (
	"runtime"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// TestProduct checks that products of all rows, of a single row and of sparse
// rows have the bits of Mul and are computed without allocations.
func TestProduct(t *testing.T) {
	t.Run("float64", testProduct[float64])
	t.Run("float32", testProduct[float32])
}

func testProduct[F gram.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels(), func(t *testing.T) {
		for _, d := range []int{3, 20} {
			const n, m, s = 70, 37, 3
			r := rng.New(3, uint64(d))
			x, z, v := gram.MakeRows[F](n, d), mat.NewDense(m, d, nil), gram.MakeRows[F](m, s)
			copied := mat.NewDense(n, d, nil)
			for i := range x.Data {
				x.Data[i] = F(r.NormFloat64())
				copied.RawMatrix().Data[i] = float64(x.Data[i])
			}
			csr := sparse.FromDense(copied)
			for i := range m {
				for j := range d {
					z.Set(i, j, r.NormFloat64()+1)
				}
			}
			for i := range v.Data {
				v.Data[i] = F(r.NormFloat64())
			}
			for _, k := range every {
				b := Against[F](k, z)
				want, got := gram.MakeRows[F](n, s), gram.MakeRows[F](n, s)
				b.Mul(want, gram.Dense(x), v)
				p := b.Times(v)
				p.Rows(got, gram.Dense(x))
				same(t, "rows", got, want)
				clear(got.Data)
				for i := range n {
					p.Row(got.Row(i), x.Row(i))
				}
				same(t, "row", got, want)
				clear(got.Data)
				thin := gram.Sparse[F](csr)
				p.Rows(got, thin)
				same(t, "sparse rows", got, want)
				all, serial := gram.MakeRows[F](n, m), gram.MakeRows[F](n, m)
				b.Fill(all, gram.Dense(x))
				b.FillSerial(serial, gram.Dense(x))
				same(t, "fill", serial, all)
				clear(serial.Data)
				b.FillSerial(serial, thin)
				same(t, "fill of sparse rows", serial, all)
				if raceDetector {
					continue // sync.Pool drops values then
				}
				if a := testing.AllocsPerRun(20, func() { p.Row(got.Row(0), x.Row(0)) }); a != 0 {
					t.Errorf("%s: Row allocates %g times", k.Spec().Name, a)
				}
				if a := testing.AllocsPerRun(20, func() { b.FillSerial(serial, gram.Dense(x)) }); a != 0 {
					t.Errorf("%s: FillSerial allocates %g times", k.Spec().Name, a)
				}
				if a := testing.AllocsPerRun(20, func() { p.Rows(got, gram.Dense(x)) }); a != 0 {
					t.Errorf("%s: Rows allocates %g times", k.Spec().Name, a)
				}
				if a := testing.AllocsPerRun(20, func() { p.Rows(got, thin) }); a != 0 {
					t.Errorf("%s: Rows allocates %g times for sparse rows", k.Spec().Name, a)
				}
			}
		}
	})
}

// TestProductColumns checks products with a kernel by Columns.
func TestProductColumns(t *testing.T) {
	k := Columns(func(dst []float64, j int) {
		for i := range dst {
			dst[i] = float64(i*10 + j)
		}
	}, 4)
	p := Against[float64](k, mat.NewDense(2, 1, []float64{1, 3})).Times(gram.Rows[float64]{Data: []float64{1, 100}, N: 2, D: 1, Stride: 1})
	got := gram.MakeRows[float64](2, 1)
	p.Rows(got, gram.Dense(gram.Rows[float64]{Data: []float64{0, 2}, N: 2, D: 1, Stride: 1}))
	if got.Data[0] != 1+300 || got.Data[1] != 21+2300 {
		t.Errorf("%v", got.Data)
	}
}

// The transposed product with a kernel by Columns is the sum over the rows of x that its definition is.
func TestTransposedProductColumns(t *testing.T) {
	t.Run("float64", testTransposedProductColumns[float64])
	t.Run("float32", testTransposedProductColumns[float32])
}

func testTransposedProductColumns[F gram.Float](t *testing.T) {
	g := mat.NewSymDense(4, []float64{5, 1, 2, 3, 1, 6, 4, 7, 2, 4, 8, 9, 3, 7, 9, 10})
	k := must.Have(FromMatrix(g))(t)
	b := Against[F](k, mat.NewDense(2, 1, []float64{3, 1}))
	v := gram.Rows[F]{Data: []F{1, 10, -1, 2, 20, -1, 3, 30, -1}, N: 3, D: 2, Stride: 3}
	got := gram.Rows[F]{Data: []F{-1, -1, -1, -1, -1, -1}, N: 2, D: 2, Stride: 3}
	b.MulT(got, gram.Dense(gram.Rows[F]{Data: []F{0, 2, 3}, N: 3, D: 1, Stride: 1}), v)
	if want := []F{3 + 2*9 + 3*10, 510, -1, 1 + 2*4 + 3*7, 300, -1}; !slices.Equal(got.Data, want) {
		t.Errorf("%v, want %v", got.Data, want)
	}
}

// A product of many blocks of rows takes the memory for one of them, and gives it back.
func TestBlocksShareMemory(t *testing.T) {
	if raceDetector {
		t.Skip("pools drop what they hold under the race detector")
	}
	const n, m, d = 20_000, 512, 4
	x, v := gram.MakeRows[float64](n, d), gram.MakeRows[float64](m, 1)
	for i := range x.Data {
		x.Data[i] = float64(i%7) / 7
	}
	for i := range v.Data {
		v.Data[i] = float64(i%3) - 1
	}
	z, dst := gram.MakeRows[float64](m, d), gram.MakeRows[float64](n, 1)
	copy(z.Data, x.Data)
	b := Against[float64](Gaussian{Gamma: 1}, mat.NewDense(m, d, z.Data)).Limit(1)
	if blocks := n / b.mulRows(n, 1); blocks < 10 {
		t.Fatalf("%d blocks", blocks)
	}
	b.Mul(dst, gram.Dense(x), v)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.Mul(dst, gram.Dense(x), v)
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 1<<20 {
		t.Errorf("%d bytes are allocated", bytes)
	}
}
