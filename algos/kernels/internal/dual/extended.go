package dual

import "math"

// extended is hi + lo, a number of about 106 bits: |lo| is at most half an ulp of hi.
//
// The multipliers of Burg's divergence need it. A kernel that is 10¹² times larger in
// one direction than in the start has 1 − y·p = 10⁻¹² there, which a float64 y gives
// with four digits.
type extended struct{ hi, lo float64 }

// split returns the high and the low parts of y.
func split(y []extended) (high, low []float64) {
	high, low = make([]float64, len(y)), make([]float64, len(y))
	for i, v := range y {
		high[i], low[i] = v.hi, v.lo
	}
	return high, low
}

// twoSum returns a + b exactly, as the rounded sum and its error.
func twoSum(a, b float64) extended {
	s := a + b
	t := s - a
	return extended{s, (a - (s - t)) + (b - t)}
}

// twoProduct returns a·b exactly, as the rounded product and its error.
func twoProduct(a, b float64) extended {
	p := a * b
	return extended{p, math.FMA(a, b, -p)}
}

// renormalized returns hi + lo for |hi| ≥ |lo|, with the parts of an extended.
func renormalized(hi, lo float64) extended {
	s := hi + lo
	return extended{s, lo - (s - hi)}
}

func (x extended) plus(y extended) extended {
	s, t := twoSum(x.hi, y.hi), twoSum(x.lo, y.lo)
	s = renormalized(s.hi, s.lo+t.hi)
	return renormalized(s.hi, s.lo+t.lo)
}

func (x extended) times(y extended) extended {
	p := twoProduct(x.hi, y.hi)
	return renormalized(p.hi, p.lo+(x.hi*y.lo+x.lo*y.hi))
}

func (x extended) minus() extended { return extended{-x.hi, -x.lo} }

// over returns x/y by two steps of long division.
func (x extended) over(y extended) extended {
	q := x.hi / y.hi
	rest := x.plus(y.times(extended{hi: -q}))
	p := rest.hi / y.hi
	rest = rest.plus(y.times(extended{hi: -p}))
	return renormalized(q, p).plus(extended{hi: rest.hi / y.hi})
}

func (x extended) sqrt() extended {
	s := math.Sqrt(x.hi)
	if s == 0 {
		return extended{}
	}
	rest := x.plus(twoProduct(s, s).minus())
	return renormalized(s, rest.hi/(2*s))
}
