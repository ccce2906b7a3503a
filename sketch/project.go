package sketch

import (
	"math"
	"slices"

	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

// A Projection is a fast Johnson–Lindenstrauss map from n to k ≤ n dimensions: k
// coordinates of a Rotation, chosen at random, times √(n/k). It keeps the squared
// distance of two vectors within a factor 1 ± ε, with the probability that JLDim
// speaks of, and takes O(n·log n) operations instead of n·k. A Projection is safe for
// concurrent use.
type Projection[F num.Float] struct {
	rotation *Rotation[F]
	index    []int // ascending
	scale    F
}

// NewProjection returns a projection from n to k dimensions that is drawn from seed,
// with a rotation of four rounds. It panics unless 1 ≤ k ≤ n.
func NewProjection[F num.Float](n, k int, seed uint64) *Projection[F] {
	if k < 1 || k > n {
		panic("sketch: a projection has from 1 to n dimensions")
	}
	index := rng.New(rng.Derive(seed, "sample"), 0).Perm(n)[:k]
	slices.Sort(index)
	return &Projection[F]{NewRotation[F](n, 4, seed), index, F(math.Sqrt(float64(n) / float64(k)))}
}

// Dims returns the length n of vectors and the length k of their projections.
func (p *Projection[F]) Dims() (n, k int) { return p.rotation.n, len(p.index) }

// Apply computes the projection of src, of length n, into dst, of length k. It uses
// scratch, of length n, and may overwrite src if that is the scratch memory. It
// panics if a length differs or scratch overlaps dst. Apply allocates nothing.
func (p *Projection[F]) Apply(dst, src, scratch []F) {
	if len(dst) != len(p.index) {
		panic("sketch: the destination has not the dimension of the projection")
	}
	if num.Overlap(oneRow(dst), oneRow(scratch)) {
		panic("sketch: the vectors overlap")
	}
	p.rotation.Apply(scratch, src)
	for i, at := range p.index {
		dst[i] = scratch[at] * p.scale
	}
}

// ApplyRows projects the rows of x, N×n, into those of dst, N×k, on up to workers
// goroutines (≤ 0: GOMAXPROCS). It panics if the shapes differ or if rows do not fit
// their memory.
func (p *Projection[F]) ApplyRows(dst, x num.Rows[F], workers int) {
	if !dst.Valid() || !x.Valid() {
		panic("sketch: rows do not fit their memory")
	}
	if dst.N != x.N || x.D != p.rotation.n || dst.D != len(p.index) {
		panic("sketch: the rows have not the shape of the projection")
	}
	eachRange(workers, x.N, grain(x.D), func(lo, hi int) {
		scratch := make([]F, x.D)
		for i := lo; i < hi; i++ {
			p.Apply(dst.Row(i), x.Row(i), scratch)
		}
	})
}

// JLDim returns the least dimension k for which a projection on Gaussian directions
// keeps all squared distances between points of a set within a factor 1 ± ε with
// probability at least one half [Dasgupta Gupta 2003, theorem 2.1]:
//
//	k ≥ 4·ln(points)/(ε²/2 − ε³/3).
//
// In experiments projections of this package do no worse. It panics unless points ≥ 2
// and 0 < ε < 1, or if the result does not fit an int.
func JLDim(points int, epsilon float64) int {
	if points < 2 || !(epsilon > 0 && epsilon < 1) {
		panic("sketch: there is no dimension for fewer than two points or an error outside (0, 1)")
	}
	k := math.Ceil(4 * math.Log(float64(points)) / (epsilon*epsilon/2 - epsilon*epsilon*epsilon/3))
	if !(k < math.MaxInt) {
		panic("sketch: the dimension is out of range")
	}
	return int(k)
}
