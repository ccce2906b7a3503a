package bregman

import (
	"cmp"
	"math"
	"slices"

	"github.com/gramworks/gram/algos/kernels/constraint"
	"gonum.org/v1/gonum/mat"
)

// proves tells whether d proves that the hard constraints cannot be kept together:
// d_c ≤ 0 for AtMost and ≥ 0 for AtLeast, Σ d_c·b_c > 0 and M = Σ d_c·H_c ⪯ 0. For
// every X ⪰ 0 that keeps them 0 < Σ d_c·b_c ≤ Σ d_c·tr(XH_c) = tr(XM) ≤ 0.
//
// Both are checked up to the rounding of their own sums, M in the span of its terms.
// With these as rows, scaled by the roots of their weights, largest first, U = L·Q for
// orthonormal rows of Q, and M is negative semidefinite with LᵀSL for the signs S of the
// weights. A row adds a direction to Q only if what it has beside the others is more
// than the rounding errors of the row, and a pivot of −LᵀSL is compared with the
// sums of squares it was made from. So the proof holds for rows and bounds that differ
// from the given ones by rounding errors, and numbers that are large in one direction
// hide nothing in another: that a kernel must be 10¹² times the start is not enough.
func (e *engine) proves(d []float64) bool {
	const u = 0x1p-52
	var gain, size float64
	var terms int
	for i, v := range d {
		c := &e.cs[i]
		if v == 0 {
			continue
		}
		if v-v != 0 || c.price != hard || c.relation == constraint.AtMost && v > 0 || c.relation == constraint.AtLeast && v < 0 {
			return false
		}
		gain += v * c.bound
		size += math.Abs(v * c.bound)
		terms += len(c.weight)
		if c.identity != 0 {
			terms += e.start.rank()
		}
	}
	if !(gain > 4*u*float64(len(d))*size) {
		return false
	}
	_, r := e.f.Dims()
	rows := mat.NewDense(max(1, terms), r, nil)
	sign, noise := make([]float64, terms), make([]float64, terms)
	k := 0
	add := func(weight float64, v []float64, size float64) {
		root := math.Sqrt(math.Abs(weight))
		sign[k] = math.Copysign(1, weight)
		noise[k] = root * size * u * float64(8+r)
		for j, x := range v {
			rows.Set(k, j, root*x)
		}
		k++
	}
	for i, v := range d {
		if v == 0 {
			continue
		}
		c := &e.cs[i]
		dirs := e.directions(c)
		for t, w := range c.weight {
			add(v*w, dirs.RawRowView(t), c.size[t])
		}
		if c.identity != 0 {
			for t := range e.start.rank() {
				row := e.start.left.RawRowView(t)
				add(v*c.identity, row, norm(row))
			}
		}
	}
	l := lowerFactor(rows, noise)
	_, k = l.Dims()
	// −LᵀSL and what its elements on the diagonal were summed from.
	m := mat.NewSymDense(max(1, k), nil)
	from := make([]float64, k)
	for t := range terms {
		row := l.RawRowView(t)
		for i, x := range row {
			from[i] += x * x
			for j := i; j < k; j++ {
				m.SetSym(i, j, m.At(i, j)-sign[t]*x*row[j])
			}
		}
	}
	tol := 8 * u * float64(terms+k)
	for p := range k {
		pivot := m.At(p, p)
		switch {
		case pivot > tol*from[p]:
			for i := p + 1; i < k; i++ {
				f := m.At(p, i) / pivot
				for j := i; j < k; j++ {
					m.SetSym(i, j, m.At(i, j)-f*m.At(p, j))
				}
			}
		case !(pivot >= -tol*from[p]):
			return false
		default:
			for i := p + 1; i < k; i++ {
				if !(math.Abs(m.At(p, i)) <= tol*math.Sqrt(from[p]*from[i])) {
					return false
				}
			}
		}
	}
	return true
}

// lowerFactor returns L with rows = L·Q for orthonormal rows of Q: Gram–Schmidt, twice,
// by the largest remainder. It ends when what is left of every row is at most its noise.
func lowerFactor(rows *mat.Dense, noise []float64) *mat.Dense {
	t, r := rows.Dims()
	rest := mat.DenseCopyOf(rows)
	left := make([]float64, t)
	for i := range left {
		left[i] = norm(rest.RawRowView(i))
	}
	l := mat.NewDense(t, r, nil)
	q := make([]float64, r)
	k := 0
	for ; k < r; k++ {
		best := -1
		for i, v := range left[:len(noise)] {
			if v > noise[i] && (best < 0 || v > left[best]) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		for j, x := range rest.RawRowView(best) {
			q[j] = x / left[best]
		}
		for i := range t {
			row := rest.RawRowView(i)
			for range 2 {
				f := dot(row, q)
				for j, x := range q {
					row[j] -= f * x
				}
				l.Set(i, k, l.At(i, k)+f)
			}
			left[i] = norm(row)
		}
		left[best] = 0
	}
	if k == 0 {
		return mat.NewDense(t, 1, nil)
	}
	return l.Slice(0, t, 0, k).(*mat.Dense)
}

// proof tells whether d is one, or becomes one when what lowers Σ d_c·b_c is multiplied
// until half of that sum is left, which takes M further from zero.
func (e *engine) proof(d []float64) bool {
	if e.proves(d) {
		return true
	}
	var plus, minus float64
	for i, v := range d {
		if b := v * e.cs[i].bound; b > 0 {
			plus += b
		} else {
			minus -= b
		}
	}
	if !(plus > minus && minus > 0) {
		return false
	}
	more := slices.Clone(d)
	for i, v := range d {
		if v*e.cs[i].bound < 0 {
			more[i] *= (1 + plus/minus) / 2
		}
	}
	if !e.proves(more) {
		return false
	}
	copy(d, more)
	return true
}

// contradiction is the *InfeasibleError with the proof d, or nil if d does not prove
// anything. Constraints whose share is not needed are left out.
func (e *engine) contradiction(d []float64) error {
	clean := make([]float64, len(d))
	var who []int
	for i, v := range d {
		c := &e.cs[i]
		if v != 0 && c.price == hard && !(c.relation == constraint.AtMost && v > 0) && !(c.relation == constraint.AtLeast && v < 0) {
			clean[i] = v
			who = append(who, i)
		}
	}
	if len(who) == 0 || !e.proof(clean) {
		return nil
	}
	weight := func(i int) float64 { return math.Abs(d[i]) * max(math.Abs(e.cs[i].bound), e.cs[i].scale) }
	slices.SortStableFunc(who, func(i, j int) int { return cmp.Compare(weight(j), weight(i)) })
	// What can be left out is no part of it: halves, quarters, … of those that weigh least,
	// at the end one by one.
	for drop, tries := len(who)/2, 0; drop > 0 && tries < 100; tries++ {
		fewer := slices.Clone(clean)
		for _, i := range who[len(who)-drop:] {
			fewer[i] = 0
		}
		if e.proof(fewer) {
			clean, who = fewer, who[:len(who)-drop]
			drop = min(drop, len(who)/2)
		} else {
			drop /= 2
		}
	}
	for k := len(who) - 1; k >= 0 && len(who) > 1 && len(who) <= 50; k-- {
		fewer := slices.Clone(clean)
		fewer[who[k]] = 0
		if e.proof(fewer) {
			clean, who = fewer, slices.Delete(who, k, k+1)
		}
	}
	return &constraint.InfeasibleError{Constraints: who, Farkas: clean, Reason: "no kernel in the range of the start keeps them together (slack allows for that)"}
}
