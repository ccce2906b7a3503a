package hadamard

import (
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// TestSigned compares the fused products and transforms with the product and the
// transform one after the other, bit by bit, for factors that are not powers of
// two.
func TestSigned(t *testing.T) {
	forEachForm(t, func(t *testing.T) {
		checkSigned[float32](t)
		checkSigned[float64](t)
	})
}

func checkSigned[F num.Float](t *testing.T) {
	most := 1 << 15
	if testing.Short() {
		most = 1 << 12
	}
	r := rand.New(rand.NewPCG(13, 14))
	for n := 1; n <= most; n *= 2 {
		values(n, func(kind string, x []F) {
			if n > 1<<11 && kind != "normal" {
				return
			}
			s := asmtest.NewCanary[F](n, 1, n%7)
			s.Set(asmtest.Normal[F](r, n))
			want := make([]F, n)
			for i := range want {
				want[i] = x[i] * s.Slice()[i]
			}
			transformGeneric(want)
			asmtest.Guarded(t, n, func(g []F) {
				copy(g, x)
				Signed(g, s.Slice())
				same(t, kind, g, want)
			})
		})
	}
}

// TestSignedRows covers every number of rows that is done side by side, rows
// with gaps, and factors for each row or for all of them.
func TestSignedRows(t *testing.T) {
	forEachForm(t, func(t *testing.T) {
		checkSignedRows[float32](t)
		checkSignedRows[float64](t)
	})
}

func checkSignedRows[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for d := 1; d <= 1<<13; d *= 2 {
		for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 19} {
			if n*d > 1<<14 || testing.Short() && n*d > 1<<11 {
				continue
			}
			for _, gap := range []int{0, 3} {
				for _, step := range []int{0, d} {
					stride, size := d+gap, 0
					if n > 0 {
						size = (n-1)*stride + d
					}
					x, s := asmtest.Normal[F](r, size), asmtest.Normal[F](r, max(1, n)*d)
					want := append([]F(nil), x...)
					for i := range n {
						row := want[i*stride : i*stride+d]
						for j := range row {
							row[j] *= s[i*step+j]
						}
						transformGeneric(row)
					}
					asmtest.Guarded(t, size, func(g []F) {
						copy(g, x)
						SignedRows(g, n, d, stride, s[:max(0, n-1)*step+d], step)
						same(t, "rows", g, want) // the gaps too
					})
				}
			}
		}
	}
}

func TestProduct(t *testing.T) {
	forEachForm(t, func(t *testing.T) {
		checkProduct[float32](t)
		checkProduct[float64](t)
	})
}

func checkProduct[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	lengths := asmtest.Lengths(32, chunkBytes/16, chunkBytes/8)
	if testing.Short() {
		lengths = asmtest.Lengths(16)
	}
	for _, n := range lengths {
		values(n, func(kind string, x []F) {
			s := asmtest.NewCanary[F](n, 1, 1)
			s.Set(asmtest.Normal[F](r, n))
			product := make([]F, n)
			for i, v := range x {
				product[i] = v * s.Slice()[i]
			}
			asmtest.Guarded(t, n, func(g []F) {
				Product(g, x, s.Slice())
				same(t, kind+" product", g, product)
				copy(g, x)
				Product(g, g, s.Slice())
				same(t, kind+" product in place", g, product)
			})
		})
	}
}
