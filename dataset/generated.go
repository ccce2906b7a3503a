package dataset

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Blobs returns n rows of k classes in d columns: Gaussians of standard deviation 1 around
// centers that are at least gap apart. With a gap of about 10 a linear model separates them
// for d ≥ k−1. Row i has class i mod k.
func Blobs(n, d, k int, gap float64, seed uint64) (*mat.Dense, gram.Labels) {
	return gen.Blobs(n, d, k, gap, seed)
}

// Normal returns an n×d matrix of independent standard normal numbers.
func Normal(n, d int, seed uint64) *mat.Dense { return gen.Normal(n, d, seed) }

// Smooth returns a regression problem that a linear model cannot solve. x is uniform on
// [−1,1]^d and y = sin(3·x·u) + ½cos(5·x·v) + noise·N(0,1) for two random unit vectors u and v.
func Smooth(n, d int, noise float64, seed uint64) (*mat.Dense, []float64) {
	return gen.Smooth(n, d, noise, seed)
}

// Tagged returns n sparse rows of d columns with at most k ones each, and a set of at most
// tags labels for each row. Every row has a topic, to which an equal share of the columns and
// of the labels belongs: four fifths of the row's columns and labels come from it.
func Tagged(n, d, k, labels, tags int, seed uint64) (x, y *sparse.CSR) {
	return gen.Tagged(n, d, k, labels, tags, seed)
}
