package gbdt

import (
	"math"
	"math/big"
	"testing"

	"github.com/gramworks/gram/asm/hist"
	"github.com/gramworks/gram/num/rng"
)

// word returns the word of row i.
func (f *fixed) word(v gradient, i int) hist.Cell {
	dst := make([]hist.Cell, 1)
	f.words(dst, []float64{v.g}, []float64{v.c}, i)
	return dst[0]
}

// Words are gradients rounded to units, their sums those of the units, and no sum of the largest gradients of all
// rows leaves its bits: compared with numbers of any length.
func TestFixed(t *testing.T) {
	r := rng.New(9, 0)
	for _, n := range []int{1, 2, 3, 1000, 1<<20 - 1, 1 << 20, 1<<24 - 1, 1<<31 - 1} {
		for _, scale := range []float64{1, 3, 1e-30, 1e30, 1e-290, 1e290} {
			top := gradient{scale * (1 + r.Float64()), scale * (1 + r.Float64())}
			f := newFixed(top, n)
			bits := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
			for _, v := range []gradient{top, {-top.g, 0}, {top.g * r.NormFloat64() / 8, top.c * r.Float64()}, {}} {
				i := r.IntN(n)
				w := f.word(v, i)
				one := f.sum(w)
				slack := .5
				if f.spread {
					slack = 1
				}
				if one.n != 1 || !(math.Abs(one.g-v.g) <= .5*f.unitG) || !(math.Abs(one.c-v.c) <= slack*f.unitC) || one.c < 0 {
					t.Fatalf("n %d: %v of row %d became %v, units %g, %g", n, v, i, one, f.unitG, f.unitC)
				}
				all := hist.Cell{w[0] * uint64(n), w[1] * uint64(n)} // n rows of it
				s := f.sum(all)
				times := new(big.Float).SetPrec(200).SetInt64(int64(n))
				g := new(big.Float).SetPrec(200).Mul(times, bits(one.g))
				c := new(big.Float).SetPrec(200).Mul(times, bits(one.c))
				if s.n != n || bits(s.g).Cmp(g) != 0 || bits(s.c).Cmp(c) != 0 {
					t.Fatalf("n %d, scale %g: %d times %v is %v, want %v %v", n, scale, n, one, s, g, c)
				}
				if f.cell(s) != all {
					t.Fatalf("n %d: %v is not the sum %v", n, f.cell(s), all)
				}
			}
		}
	}
}

// Curvatures far below a unit are not lost where there are many rows: their mean stays.
func TestFixedSpread(t *testing.T) {
	const n, m = 1 << 28, 1 << 16
	f := newFixed(gradient{1, 1}, n)
	small := f.unitC / 20
	var total hist.Cell
	for i := range m {
		total = total.Plus(f.word(gradient{0, small}, 3*n/5+i))
	}
	if got, want := f.sum(total).c, small*m; !(math.Abs(got-want) <= .01*want) {
		t.Errorf("sum %v, want %v", got, want)
	}
}
