package itml

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Bounds are the squared distances of pairs constraints: similar pairs are to be
// at most Low apart, dissimilar ones at least High.
type Bounds struct{ Low, High float64 }

// Percentiles returns the low and high percentile of the squared distances
//
//	κ(x_i,x_i) + κ(x_j,x_j) − 2κ(x_i,x_j)
//
// of the pairs i < j of rows of x, or of 50 000 pairs drawn with replacement when
// there are more. The percentile p of N values is the one with number ⌈p·N/100⌉
// in ascending order. Distances are squared, as everywhere in this package.
func Percentiles(ctx context.Context, k kernel.Kernel, x mat.Matrix, low, high float64, seed uint64) (Bounds, error) {
	n, _ := x.Dims()
	if !(low >= 0 && low < high && high <= 100) {
		return Bounds{}, &gram.ConfigError{Field: "Percentiles", Value: fmt.Sprintf("%v, %v", low, high), Want: "0 ≤ low < high ≤ 100"}
	}
	if n < 2 {
		return Bounds{}, &gram.ConfigError{Field: "rows", Value: n, Want: "at least 2, to have distances"}
	}
	const most = 50_000
	var pairs [][2]int
	if n*(n-1)/2 <= most {
		for i := range n {
			for j := i + 1; j < n; j++ {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	} else {
		r := rng.New(rng.Derive(seed, "percentiles"), 0)
		for range most {
			i := r.IntN(n)
			j := (i + 1 + r.IntN(n-1)) % n
			pairs = append(pairs, [2]int{i, j})
		}
	}
	d, err := squaredDistances(ctx, k, gram.Of(x), pairs)
	if err != nil {
		return Bounds{}, err
	}
	slices.Sort(d)
	at := func(p float64) float64 { return d[max(0, int(math.Ceil(p*float64(len(d))/100))-1)] }
	return Bounds{at(low), at(high)}, nil
}

// squaredDistances returns those of pairs of rows of x.
func squaredDistances(ctx context.Context, k kernel.Kernel, x gram.Samples[float64], pairs [][2]int) ([]float64, error) {
	n := x.N()
	diag := make([]float64, n)
	diagonal(diag, k, x)
	// The pairs in the order of their first row: blocks of rows against all.
	order := make([]int, len(pairs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return pairs[a][0] - pairs[b][0] })
	out := make([]float64, len(pairs))
	b := kernel.Against[float64](k, x)
	step := max(1, min(n, (1<<20)/n))
	g := mat.NewDense(step, n, nil)
	next := 0
	for lo := 0; lo < n; lo += step {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+step, n)
		b.Fill(gram.View(g).Slice(0, hi-lo), x.Slice(lo, hi))
		for ; next < len(order) && pairs[order[next]][0] < hi; next++ {
			i, j := pairs[order[next]][0], pairs[order[next]][1]
			out[order[next]] = max(0, diag[i]+diag[j]-2*g.At(i-lo, j))
		}
	}
	return out, nil
}

// FromPairs returns the constraints of similar and dissimilar pairs of rows.
func FromPairs(similar, dissimilar [][2]int, b Bounds) []Constraint {
	var out []Constraint
	for _, p := range similar {
		out = append(out, Distance(p[0], p[1], AtMost, b.Low))
	}
	for _, p := range dissimilar {
		out = append(out, Distance(p[0], p[1], AtLeast, b.High))
	}
	return out
}

// FromTriplets returns d²_ij + margin ≤ d²_il for every triplet (i, j, l).
func FromTriplets(triplets [][3]int, margin float64) []Constraint {
	var out []Constraint
	for _, t := range triplets {
		out = append(out, Relative(t[0], t[1], t[0], t[2], margin))
	}
	return out
}

// Pairs draws constraints on distances from the classes of rows.
type Pairs struct {
	Count int               // pairs of different rows, drawn with replacement; default 40·c·(c−1) for c classes, at least 80 and at most 2000
	Low   gram.Opt[float64] // percentile of the squared distances that is the bound for pairs of one class; default 5
	High  float64           // the same for pairs of two classes; default 95
}

// Settings describes the settings.
func (p *Pairs) Settings(s *settings.Set) {
	c := s.Shape.Outputs
	s.Int(&p.Count, "pairs", "constraints, on pairs of rows").
		DefaultRule(min(2000, max(80, 40*c*(c-1))), "40·c·(c-1) for c classes, from 80 to 2000").AtLeast(1)
	s.OptFloat(&p.Low, "low", "percentile of the squared distances that pairs of one class are to be within").Default(5).AtLeast(0).Below(100)
	s.Float(&p.High, "high", "percentile of the squared distances that pairs of two classes are to be beyond").Default(95).Above(0).AtMost(100)
	s.Require(p.Low.Value() < p.High, &p.High, "above Low, %v", p.Low.Value())
}

// FromLabels returns constraints for rows of x with classes y: pairs of one class
// are to be at most Low, others at least High apart, both percentiles of the
// squared distances in kernel k. Rows of class −1 are left alone. Pairs of rows
// that coincide are drawn again, since nothing can be learned from them, up to a
// hundred times, and pairs of one class are left out if the low percentile is 0:
// where most rows coincide there are fewer constraints than Count.
func (p Pairs) FromLabels(ctx context.Context, k kernel.Kernel, x mat.Matrix, y gram.Labels, seed uint64) ([]Constraint, error) {
	n, _ := x.Dims()
	p, err := settings.Resolved(p, gram.Shape{Outputs: len(y.Names)})
	if err != nil {
		return nil, err
	}
	if len(y.Class) != n {
		return nil, &gram.DataError{Row: min(n, len(y.Class)), Col: -1, Reason: fmt.Sprintf("%d classes for %d rows", len(y.Class), n)}
	}
	var known []int
	for i, c := range y.Class {
		if c >= 0 {
			known = append(known, i)
		}
	}
	if len(known) < 2 {
		return nil, &gram.DataError{Row: 0, Col: -1, Reason: "fewer than two rows have a class, so there are no pairs"}
	}
	labeled := gram.Of(x).Select(known)
	b, err := Percentiles(ctx, k, labeled, p.Low.Value(), p.High, seed)
	if err != nil {
		return nil, err
	}
	r := rng.New(rng.Derive(seed, "pairs"), 0)
	draw := func(m int) [][2]int {
		var out [][2]int
		for range m {
			i := r.IntN(len(known))
			j := (i + 1 + r.IntN(len(known)-1)) % len(known)
			out = append(out, [2]int{i, j})
		}
		return out
	}
	var out []Constraint
	for range 100 {
		if len(out) == p.Count {
			break
		}
		pairs := draw(p.Count - len(out))
		d, err := squaredDistances(ctx, k, labeled, pairs)
		if err != nil {
			return nil, err
		}
		for m, q := range pairs {
			i, j := known[q[0]], known[q[1]]
			switch {
			case d[m] <= 1e-12*b.High:
			case y.Class[i] != y.Class[j]:
				out = append(out, Distance(i, j, AtLeast, b.High))
			case b.Low > 0:
				out = append(out, Distance(i, j, AtMost, b.Low))
			}
		}
	}
	return out, nil
}
