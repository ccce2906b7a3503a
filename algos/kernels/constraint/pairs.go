package constraint

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Pair says that rows I and J belong together (to one class or cluster), or that they
// do not.
type Pair struct {
	I, J int
	Same bool
}

// CheckPairs returns a *gram.ConfigError unless there are pairs, each of two different
// ones of n rows.
func CheckPairs(pairs []Pair, n int) error {
	if len(pairs) == 0 {
		return settings.Refuse("pairs", "empty", "at least one pair")
	}
	for at, p := range pairs {
		if p.I < 0 || p.I >= n || p.J < 0 || p.J >= n || p.I == p.J {
			return settings.Refuse(fmt.Sprintf("pairs[%d]", at), p, "two different rows from 0 to %d", n-1)
		}
	}
	return nil
}

// Sample draws count pairs of different rows at random, which are told by their
// classes; a pair can be drawn twice. It panics if there are fewer than two rows.
func Sample(class []int, count int, seed uint64) []Pair {
	n := len(class)
	if n < 2 {
		panic("constraint: there are no pairs of fewer than two rows")
	}
	r := rng.New(rng.Derive(seed, "pairs"), 0)
	pairs := make([]Pair, count)
	for p := range pairs {
		i, j := r.IntN(n), r.IntN(n-1)
		if j >= i {
			j++
		}
		pairs[p] = Pair{i, j, class[i] == class[j]}
	}
	return pairs
}

// Bounds are the squared distances of pairs: rows that belong together are to be at
// most Low apart, others at least High.
type Bounds struct{ Low, High float64 }

// FromPairs returns a constraint on the squared distance of each pair: at most b.Low for rows that belong together, at least
// b.High for others.
func FromPairs(pairs []Pair, b Bounds) []Linear {
	var out []Linear
	for _, p := range pairs {
		out = append(out, b.distance(p))
	}
	return out
}

func (b Bounds) distance(p Pair) Linear {
	if p.Same {
		return Distance(p.I, p.J, AtMost, b.Low)
	}
	return Distance(p.I, p.J, AtLeast, b.High)
}

// FromTriplets returns d(i,j) + margin ≤ d(i,l) for every triplet (i, j, l).
func FromTriplets(triplets [][3]int, margin float64) []Linear {
	var out []Linear
	for _, t := range triplets {
		out = append(out, RelativeDistance(t[0], t[1], t[0], t[2], AtMost, -margin))
	}
	return out
}

// FromLabels draws count different pairs of rows that have a class, a Class of −1
// meaning none, and asks for squared distances of at most (1−margin)·d in one
// class and at least (1+margin)·d between two, where d is the distance in the kernel
// g0·g0ᵀ ([K06] §6, margin .25; 0 for none). Rows that are equal in g0 make no
// constraint. It returns fewer than count where there are no more pairs, and a
// *gram.DataError if there is none.
func FromLabels(g0 mat.Matrix, class []int, count int, margin float64, seed uint64) ([]Linear, error) {
	n, r := g0.Dims()
	if len(class) != n {
		panic("constraint: as many classes as rows are needed")
	}
	if !(margin >= 0 && margin < 1) {
		return nil, settings.Refuse("margin", margin, "at least 0 and less than 1")
	}
	if count < 1 {
		return nil, settings.Refuse("count", count, "at least 1")
	}
	labeled := known(class)
	x := gram.Of(g0)
	src := rng.New(rng.Derive(seed, "pairs"), 0)
	a, b := make([]float64, r), make([]float64, r)
	seen := map[[2]int]bool{}
	var out []Linear
	l := len(labeled)
	for total := l * (l - 1) / 2; len(out) < count && len(seen) < total; {
		i, j := labeled[src.IntN(l)], labeled[src.IntN(l)]
		if i > j {
			i, j = j, i
		}
		if i == j || seen[[2]int{i, j}] {
			continue
		}
		seen[[2]int{i, j}] = true
		x.CopyRow(a, i)
		x.CopyRow(b, j)
		var d float64
		for k := range a {
			d += (a[k] - b[k]) * (a[k] - b[k])
		}
		if d != 0 {
			out = append(out, Bounds{(1 - margin) * d, (1 + margin) * d}.distance(Pair{i, j, class[i] == class[j]}))
		}
	}
	if len(out) == 0 {
		return nil, &gram.DataError{Row: 0, Col: -1, Reason: "there are no two different rows with a class"}
	}
	return out, nil
}

// known returns the rows that have a class.
func known(class []int) (rows []int) {
	for i, c := range class {
		if c >= 0 {
			rows = append(rows, i)
		}
	}
	return rows
}

// PercentilePairs is the number of pairs that Percentiles looks at, at most.
const PercentilePairs = 50_000

// DistanceCost returns how many kernel values the squared distances of some pairs of n rows of
// d columns take, and the numbers that are in memory for these values.
func DistanceCost(n, d, pairs int) (values, memory float64) {
	all, few := float64(n)*float64(n), groupPairs*float64(pairs)
	if all <= few {
		return all, float64(n)*float64(d) + max(float64(n), 1<<20)
	}
	return few, groupPairs * (groupPairs + 4*float64(d))
}

// Percentiles returns the low and high percentile of the squared distances
//
//	κ(x_i,x_i) + κ(x_j,x_j) − 2κ(x_i,x_j)
//
// of the pairs i < j of rows of x, or of 50 000 pairs drawn with replacement when
// there are more. The percentile p of N values is the one with number ⌈p·N/100⌉
// in ascending order.
func Percentiles(ctx context.Context, k kernel.Kernel, x mat.Matrix, low, high float64, seed uint64) (Bounds, error) {
	n, _ := x.Dims()
	if !(low >= 0 && low < high && high <= 100) {
		return Bounds{}, settings.Refuse("Percentiles", fmt.Sprintf("%v, %v", low, high), "0 ≤ low < high ≤ 100")
	}
	if n < 2 {
		return Bounds{}, settings.Refuse("rows", n, "at least 2, to have distances")
	}
	const most = PercentilePairs
	var pairs []Pair
	if n*(n-1)/2 <= most {
		for i := range n {
			for j := i + 1; j < n; j++ {
				pairs = append(pairs, Pair{I: i, J: j})
			}
		}
	} else {
		r := rng.New(rng.Derive(seed, "percentiles"), 0)
		for range most {
			i := r.IntN(n)
			pairs = append(pairs, Pair{I: i, J: (i + 1 + r.IntN(n-1)) % n})
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

// groupPairs is the number of pairs whose kernel values are computed as one matrix where
// few of all pairs are wanted.
const groupPairs = 64

// squaredDistances returns those of pairs of rows of x: groupPairs kernel values for each, or
// those of all pairs of rows if these are fewer.
func squaredDistances(ctx context.Context, k kernel.Kernel, x gram.Samples[float64], pairs []Pair) ([]float64, error) {
	n := x.N()
	diag := make([]float64, n)
	kernel.Diagonal(diag, k, x)
	if float64(n)*float64(n) > groupPairs*float64(len(pairs)) {
		out := make([]float64, 0, len(pairs))
		g := mat.NewDense(groupPairs, groupPairs, nil)
		for group := range slices.Chunk(pairs, groupPairs) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var first, second []int
			for _, p := range group {
				first, second = append(first, p.I), append(second, p.J)
			}
			part := g.Slice(0, len(group), 0, len(group)).(*mat.Dense)
			kernel.Against[float64](k, x.Select(second)).Limit(1).Fill(gram.View(part), x.Select(first))
			for r, p := range group {
				out = append(out, max(0, diag[p.I]+diag[p.J]-2*part.At(r, r)))
			}
		}
		return out, nil
	}
	// The pairs in the order of their first row: blocks of rows against all.
	order := make([]int, len(pairs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return pairs[a].I - pairs[b].I })
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
		for ; next < len(order) && pairs[order[next]].I < hi; next++ {
			i, j := pairs[order[next]].I, pairs[order[next]].J
			out[order[next]] = max(0, diag[i]+diag[j]-2*g.At(i-lo, j))
		}
	}
	return out, nil
}

// Pairs draws constraints on distances from the classes of rows ([DKJSD07]).
type Pairs struct {
	Count int               // pairs of different rows, drawn with replacement; default 40·c·(c−1) for c classes, at least 80 and at most 2000
	Low   gram.Opt[float64] // percentile of the squared distances that is the bound for pairs of one class; default 5
	High  float64           // the same for pairs of two classes; default 95
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (p *Pairs) Settings(s *settings.Fields) {
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
func (p Pairs) FromLabels(ctx context.Context, k kernel.Kernel, x mat.Matrix, y gram.Labels, seed uint64) ([]Linear, error) {
	n, _ := x.Dims()
	p, err := settings.Resolved(p, gram.Shape{Outputs: len(y.Names)})
	if err != nil {
		return nil, err
	}
	if len(y.Class) != n {
		return nil, &gram.DataError{Row: min(n, len(y.Class)), Col: -1, Reason: fmt.Sprintf("%d classes for %d rows", len(y.Class), n)}
	}
	known := known(y.Class)
	if len(known) < 2 {
		return nil, &gram.DataError{Row: 0, Col: -1, Reason: "fewer than two rows have a class, so there are no pairs"}
	}
	labeled := gram.Of(x).Select(known)
	b, err := Percentiles(ctx, k, labeled, p.Low.Value(), p.High, seed)
	if err != nil {
		return nil, err
	}
	r := rng.New(rng.Derive(seed, "pairs"), 0)
	draw := func(m int) []Pair {
		pairs := make([]Pair, m)
		for at := range pairs {
			i := r.IntN(len(known))
			pairs[at] = Pair{I: i, J: (i + 1 + r.IntN(len(known)-1)) % len(known)}
		}
		return pairs
	}
	var out []Linear
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
			i, j := known[q.I], known[q.J]
			same := y.Class[i] == y.Class[j]
			if d[m] > 1e-12*b.High && !(same && b.Low == 0) {
				out = append(out, b.distance(Pair{i, j, same}))
			}
		}
	}
	return out, nil
}
