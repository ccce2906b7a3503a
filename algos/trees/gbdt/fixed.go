package gbdt

import (
	"math"
	"math/bits"

	"github.com/gramworks/gram/asm/hist"
)

// gradient is the first and second derivative of a row's loss, times its weight.
type gradient struct{ g, c float64 }

// fixed writes the gradients of a round as integers, so that their sums are exact: the same for any order of the
// rows, any division of them and any machine.
//
// A row is a word of 128 bits: its g in the first integer, and c·2ᵇ+1 in the second, where b is the number of
// bits of n, the number of rows, so that the lower b bits of a sum count rows. g and c are multiples of units that are
// powers of two. With G and C the largest |g| and c of all rows, and 2ˣ > G, 2ʸ > C the least such powers, the units are
//
//	2^(x+b−51) of g and 2^(y−min(51−b, 64−2b)) of c.
//
// Sums fit: n < 2ᵇ integers of at most 2^(51−b) are below 2⁵¹, and n of at most 2^(64−2b) below the 2^(64−b) that the
// count leaves. Both sums are thus integers below 2⁵³, numbers of float64 hold them exactly, and their
// differences. So do those of g and c in all other code.
//
// Loss: a gradient and a curvature are off by at most half a unit, so those of m rows, Γ and H, by m/2 units. The gain ½Γ²/(H+λ)
// of a leaf of value v = −Γ/(H+λ) changes by at most |v|·|ΔΓ| + ½v²·|ΔH| to first order. For a million rows, b = 20, a unit
// is at most 2⁻³⁰ G or 2⁻²³ C. From there on c loses two bits when rows double; rows of small c would all become 0. So
// with more rows c is rounded up or down by the number of the row: at row i up if the fraction of c in units is above
// 1−frac(i·φ). These numbers are spread evenly in [0, 1), so that the errors of many rows cancel.
type fixed struct {
	hist.Units   // integers of one, and b
	unitG, unitC float64
	spread       bool // c is rounded by the number of the row
}

// fewUnits is the number of bits of c below which it is rounded by the number of the row.
const fewUnits = 24

// newFixed returns units for n rows, of which the largest |g| and c are given.
func newFixed(largest gradient, n int) fixed {
	b := bits.Len(uint(n))
	f := fixed{spread: 64-2*b < fewUnits}
	f.Count = uint(b)
	f.G, f.unitG = unit(largest.g, 51-b)
	f.C, f.unitC = unit(largest.c, min(51-b, 64-2*b))
	return f
}

// unit returns the power of two that makes numbers of at most most integers below 2^bits, and its inverse.
func unit(most float64, width int) (to, unit float64) {
	_, x := math.Frexp(most)
	e := max(-1000, min(1000, width-x)) // such that neither overflows
	return math.Ldexp(1, e), math.Ldexp(1, -e)
}

// words sets dst to the words of the rows from number first on with derivatives g and c.
func (f *fixed) words(dst []hist.Cell, g, c []float64, first int) hist.Total {
	if f.spread {
		t := hist.Words(dst, g, c, f.Units) // for the largest ones
		for p := range dst {
			c[p] += (float64(uint32(first+p)*0x9e3779b9)*0x1p-32 - .5) / f.C
		}
		t.Sum = hist.Words(dst, g, c, f.Units).Sum
		return t
	}
	return hist.Words(dst, g, c, f.Units)
}

// sum returns the gradients and the number of rows whose words have the sum c.
func (f *fixed) sum(c hist.Cell) sum {
	g, h := f.integers(c)
	return sum{g * f.unitG, h * f.unitC, int(f.rows(c))}
}

// integers returns the sums of g and c in a cell as numbers of units, which float64 holds exactly.
func (f *fixed) integers(c hist.Cell) (g, curvature float64) {
	return float64(int64(c[0])), float64(int64(c[1] >> (f.Count & 63)))
}

// rows returns the number of rows that a cell sums, which is in the lower Count bits of its second integer.
func (f *fixed) rows(c hist.Cell) uint64 { return c[1] & (1<<(f.Count&63) - 1) }

// cell returns the cell whose sum is s; it is the inverse of sum.
func (f *fixed) cell(s sum) hist.Cell {
	return hist.Cell{uint64(int64(s.g * f.G)), uint64(s.c*f.C)<<f.Count | uint64(s.n)}
}

// upTo returns the larger ones of magnitudes, of which NaN are the largest.
func (a gradient) upTo(t hist.Total) gradient { return gradient{max(a.g, t.G), max(a.c, t.C)} }
