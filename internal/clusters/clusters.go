// Package clusters has what k-means and kernel k-means share: settings, the sample of
// rows that are clustered, random draws in proportion to a mass, the objective and the
// sizes of clusters.
package clusters

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/settings"
)

// Settings describes the settings that k-means and kernel k-means share. The default of
// maxIter is iterations, which rule explains, and the default of sample is rows.
func Settings(s *settings.Fields, k, starts, maxIter *int, iterations int, rule string, tol *float64, sample *int, rows int, all *bool) {
	s.Int(k, "k", "clusters").Default(8).AtLeast(1).AtMostRule(s.Shape.N, "the number of rows")
	s.Int(starts, "starts", "seedings, of which the best counts").Default(1).AtLeast(1)
	s.Int(maxIter, "max-iter", "iterations of a start at most").DefaultRule(iterations, rule).AtLeast(1)
	s.Float(tol, "tol", "a start ends when an iteration lowers the objective by less than that share").Default(1e-4).Above(0)
	s.Int(sample, "sample", "rows that are clustered when there are more").DefaultRule(max(rows, *k), fmt.Sprintf("%d, or k if that is more", rows)).AtLeast(1)
	s.Require(*all || *sample >= *k, sample, "at least k, %d", *k)
	s.Bool(all, "all-rows", "cluster all rows, however many")
}

// Sample returns m different indices below n in ascending order.
func Sample(n, m int, r *rand.Rand) []int {
	index := r.Perm(n)[:m]
	slices.Sort(index)
	return index
}

// Draw returns an index with probability proportional to its mass, or −1 if all masses
// are 0.
func Draw(mass []float64, r *rand.Rand) int {
	var total float64
	for _, v := range mass {
		total += v
	}
	if !(total > 0) || math.IsInf(total, 0) {
		return -1
	}
	t := r.Float64() * total
	last := -1
	for i, v := range mass {
		if v > 0 {
			last = i
			if t -= v; t < 0 {
				return i
			}
		}
	}
	return last
}

// Objective returns the sum of the squared distances, weighted by w; a nil w stands for
// ones.
func Objective(w, dist []float64) float64 {
	if w == nil {
		var s float64
		for _, v := range dist {
			s += v
		}
		return s
	}
	return linalg.Dot(w, dist)
}

// Sizes returns the number of rows in each of k clusters. Rows with a negative label
// are in none.
func Sizes(label []int, k int) []int {
	size := make([]int, k)
	for _, c := range label {
		if c >= 0 {
			size[c]++
		}
	}
	return size
}
