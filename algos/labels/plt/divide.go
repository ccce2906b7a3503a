package plt

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
)

// vector is a sparse vector, its columns ascending.
type vector struct {
	col []int32
	val []float32
}

// dot is the product of v and a dense vector.
func (v vector) dot(w []float64) (s float64) {
	val := v.val[:len(v.col)]
	for q, j := range v.col {
		s += float64(float64(val[q]) * w[j])
	}
	return s
}

// add adds f times v to a dense vector.
func (v vector) add(w []float64, f float64) {
	val := v.val[:len(v.col)]
	for q, j := range v.col {
		w[j] += float64(float64(val[q]) * f)
	}
}

// features returns the features of the labels that have rows: sums of unit rows, divided by
// their lengths.
func (g *grower) features(yt *sparse.CSR) ([]vector, error) {
	f := make([]vector, len(g.order))
	err := par.For(g.ctx, g.c.Workers, len(f), 256, func(lo, hi int) {
		sum, met := make([]float64, g.x.D), make([]bool, g.x.D)
		var names []int32
		for k := lo; k < hi; k++ {
			rows, _ := yt.Row(int(g.order[k]))
			for _, i := range rows {
				col, val := g.x.Row(int(i))
				for q, j := range col {
					if !met[j] {
						met[j] = true
						names = append(names, j)
					}
					sum[j] += g.unit(i, col, val, q)
				}
			}
			slices.Sort(names)
			norm := 0.0
			for _, j := range names {
				norm += float64(sum[j] * sum[j])
			}
			norm = math.Sqrt(max(norm, math.SmallestNonzeroFloat64))
			v := vector{make([]int32, 0, len(names)), make([]float32, 0, len(names))}
			for _, j := range names {
				if s := float32(sum[j] / norm); s != 0 {
					v.col, v.val = append(v.col, j), append(v.val, s)
				}
				sum[j], met[j] = 0, false
			}
			f[k], names = v, names[:0]
		}
	})
	return f, err
}

// span is a node: the labels at places lo to hi of the order of the tree.
type span struct{ lo, hi int }

// divide orders the labels for a tree and returns its nodes, parents before their children and
// those of one level one after another, with the spans of the children of each, or none for a
// node whose children are labels.
func (g *grower) divide(tree int) (order []int32, nodes []span, children [][]span, err error) {
	place := make([]int32, len(g.order)) // of g.order
	for k := range place {
		place[k] = int32(k)
	}
	seed := rng.Derive(g.c.Seed, "centers of labels")
	nodes = []span{{0, len(place)}}
	for level := 0; level < len(nodes); {
		end := len(nodes)
		list := make([][]span, end-level)
		errs := make([]error, end-level)
		err = par.For(g.ctx, g.c.Workers, end-level, 1, func(k, _ int) {
			s := nodes[level+k]
			if s.hi-s.lo > g.c.Leaf {
				parts := min(g.c.Branch, (s.hi-s.lo-1)/g.c.Leaf+1)
				list[k], errs[k] = g.halve(place, s, parts, seed, uint64(tree), nil)
			}
		})
		if err = cmp.Or(append(errs, err)...); err != nil {
			return nil, nil, nil, err
		}
		for _, l := range list {
			children, nodes = append(children, l), append(nodes, l...)
		}
		level = end
	}
	order = make([]int32, len(place))
	for k, p := range place {
		order[k] = g.order[p]
	}
	return order, nodes, children, nil
}

// halve divides the labels of a span into parts of equal size, give or take one, and appends them to list.
func (g *grower) halve(place []int32, s span, parts int, seed, tree uint64, list []span) ([]span, error) {
	if parts == 1 {
		return append(list, s), nil
	}
	left := parts / 2
	middle := s.lo + (s.hi-s.lo)*left/parts
	err := g.twoMeans(place[s.lo:s.hi], middle-s.lo, rng.New(seed, tree<<56^uint64(s.lo)<<28^uint64(s.hi)))
	if err == nil {
		list, err = g.halve(place, span{s.lo, middle}, left, seed, tree, list)
	}
	if err != nil {
		return nil, err
	}
	return g.halve(place, span{middle, s.hi}, parts-left, seed, tree, list)
}

// twoMeans orders the labels so that the first k are one cluster of balanced spherical 2-means and the rest are the other. The
// search begins with a label drawn at random and the one farthest from it. Its time depends on the nonzeros of the features
// alone.
func (g *grower) twoMeans(place []int32, k int, r *rand.Rand) error {
	const rounds, progress = 20, 1e-4
	n := len(place)
	center := g.centers.Get().(*[2][]float64) // all zero
	a := r.IntN(n)
	b := g.farthest(place, a, center[0])
	part := [2][]int32{place[a : a+1], place[b : b+1]}
	list := make([]scored, n)
	last := 0.0
	for round := range rounds {
		var scale [2]float64
		total := 0.0 // the sum of the cosines to the centers
		for c, sum := range center {
			for _, p := range part[c] {
				g.feature[p].add(sum, 1)
			}
			norm := 0.0
			for _, p := range part[c] {
				norm += g.feature[p].dot(sum)
			}
			if norm > 0 {
				total, scale[c] = total+math.Sqrt(norm), 1/math.Sqrt(norm)
			}
		}
		done := round > 1 && total-last <= progress*float64(n)
		last = total
		err := par.For(g.ctx, g.c.Workers, n, 4096, func(lo, hi int) {
			for i, p := range place[lo:hi] {
				v := g.feature[p]
				list[lo+i] = scored{p, float64(v.dot(center[0])*scale[0]) - float64(v.dot(center[1])*scale[1])}
			}
		})
		if err != nil {
			return err
		}
		for c, sum := range center {
			for _, p := range part[c] {
				for _, j := range g.feature[p].col {
					sum[j] = 0
				}
			}
		}
		slices.SortFunc(list, func(a, b scored) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.place, b.place))
		})
		for i, s := range list {
			place[i] = s.place
		}
		if part = [2][]int32{place[:k], place[k:]}; done {
			break
		}
	}
	g.centers.Put(center)
	return nil
}

// farthest returns the label of the smallest cosine to label a, another one. zero is so before and after.
func (g *grower) farthest(place []int32, a int, zero []float64) int {
	v := g.feature[place[a]]
	v.add(zero, 1)
	best, least := (a+1)%len(place), math.Inf(1)
	for i, p := range place {
		if s := g.feature[p].dot(zero); i != a && s < least {
			best, least = i, s
		}
	}
	for _, j := range v.col {
		zero[j] = 0
	}
	return best
}

// scored is the place of a label with the difference of its cosines to two centers.
type scored struct {
	place int32
	score float64
}
