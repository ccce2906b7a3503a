package pairwise

import (
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/sparse"
)

// Pair says that rows I and J are of one cluster, or that they are not.
type Pair struct {
	I, J int
	Same bool
}

// Sample draws count pairs of different rows at random, which are told by their
// classes; a pair can be drawn twice. It panics if there are fewer than two rows.
func Sample(class []int, count int, seed uint64) []Pair {
	n := len(class)
	if n < 2 {
		panic("pairwise: there are no pairs of fewer than two rows")
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

// Contradictions is the share of the pairs that a clustering separates wrongly or
// puts together wrongly; 0 without pairs.
func Contradictions(cluster []int, pairs []Pair) float64 {
	wrong := 0
	for _, p := range pairs {
		if (cluster[p.I] == cluster[p.J]) != p.Same {
			wrong++
		}
	}
	return float64(wrong) / float64(max(1, len(pairs)))
}

// observed is the symmetric matrix of the pairs: what is stored is known, 1 or 0.
func observed(n int, pairs []Pair) (*sparse.CSR, error) {
	sorted := make([]Pair, 0, 2*len(pairs))
	for at, p := range pairs {
		if p.I < 0 || p.I >= n || p.J < 0 || p.J >= n || p.I == p.J {
			return nil, &gram.ConfigError{Field: fmt.Sprintf("pairs[%d]", at), Value: p, Want: fmt.Sprintf("two different rows from 0 to %d", n-1)}
		}
		sorted = append(sorted, p, Pair{p.J, p.I, p.Same})
	}
	slices.SortFunc(sorted, func(a, b Pair) int {
		if a.I != b.I {
			return a.I - b.I
		}
		return a.J - b.J
	})
	s := &sparse.CSR{N: n, D: n, Ptr: make([]int, n+1)}
	for at, p := range sorted {
		if at > 0 && sorted[at-1].I == p.I && sorted[at-1].J == p.J {
			if sorted[at-1].Same != p.Same {
				return nil, &gram.ConfigError{Field: "pairs", Value: fmt.Sprintf("rows %d and %d together and apart", min(p.I, p.J), max(p.I, p.J)), Want: "one of the two"}
			}
			continue
		}
		v := 0.0
		if p.Same {
			v = 1
		}
		s.Col, s.Val = append(s.Col, int32(p.J)), append(s.Val, v)
		s.Ptr[p.I+1]++
	}
	for i := range n {
		s.Ptr[i+1] += s.Ptr[i]
	}
	return s, nil
}
