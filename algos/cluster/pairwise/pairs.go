package pairwise

import (
	"fmt"
	"slices"

	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
)

// Contradictions returns the share of the pairs that a clustering contradicts, by separating
// rows that belong together or joining rows that do not. Without pairs it is 0.
func Contradictions(cluster []int, pairs []constraint.Pair) float64 {
	wrong := 0
	for _, p := range pairs {
		if (cluster[p.I] == cluster[p.J]) != p.Same {
			wrong++
		}
	}
	return float64(wrong) / float64(max(1, len(pairs)))
}

// observed returns the symmetric matrix of the pairs. Its stored entries, 1 or 0, are known.
func observed(n int, pairs []constraint.Pair) (*sparse.CSR, error) {
	sorted := make([]constraint.Pair, 0, 2*len(pairs))
	for _, p := range pairs {
		sorted = append(sorted, p, constraint.Pair{I: p.J, J: p.I, Same: p.Same})
	}
	slices.SortFunc(sorted, func(a, b constraint.Pair) int {
		if a.I != b.I {
			return a.I - b.I
		}
		return a.J - b.J
	})
	s := &sparse.CSR{N: n, D: n, Ptr: make([]int, n+1)}
	for at, p := range sorted {
		if at > 0 && sorted[at-1].I == p.I && sorted[at-1].J == p.J {
			if sorted[at-1].Same != p.Same {
				return nil, settings.Refuse("pairs", fmt.Sprintf("rows %d and %d together and apart", min(p.I, p.J), max(p.I, p.J)), "one of the two")
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
