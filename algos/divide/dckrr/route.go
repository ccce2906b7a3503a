package dckrr

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kernelkmeans"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// routeRows is the number of rows whose distances from all parts are held at a time.
const routeRows = 4096

// router finds the parts of rows by their distances from clusters. Clusters without rows have no part.
type router struct {
	clusters clusters
	part     []int // of each cluster; −1: none
}

// clusters is a *kmeans.Model or a *kernelkmeans.Model.
type clusters interface {
	kmeans.Assigner
	Distances(dst *mat.Dense, x mat.Matrix) *mat.Dense
}

func decodeClusters(f *modelfile.File) (clusters, error) {
	if f.Method() == "kmeans.kernel" {
		return kernelkmeans.Decode(f)
	}
	return kmeans.Decode(f)
}

// share is the weight of a part's model in a prediction.
type share struct {
	part   int
	weight float64
}

// each calls body with every row of x and its squared distances from the clusters.
func (r *router) each(ctx context.Context, x gram.Samples[float64], body func(i int, dist []float64)) error {
	k, _ := r.clusters.Dims()
	for lo := 0; lo < x.N(); lo += routeRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+routeRows, x.N())
		dist := rows.Borrow(hi-lo, k)
		r.clusters.Distances(dist, x.Slice(lo, hi))
		for i := lo; i < hi; i++ {
			body(i, dist.RawRowView(i-lo))
		}
		rows.Return(dist)
	}
	return nil
}

// divide returns, for each cluster that has rows, these rows. It numbers the parts.
func (r *router) divide(label []int) (groups [][]int) {
	count, _ := r.clusters.Dims()
	r.part = make([]int, count)
	for c, g := range rows.Groups(label, count) {
		r.part[c] = -1
		if len(g) > 0 {
			r.part[c] = len(groups)
			groups = append(groups, g)
		}
	}
	return groups
}

// nearest returns the index of the smallest distance, or −1 if all are NaN.
func nearest(dist []float64) int {
	at := -1
	for c, v := range dist {
		if v == v && (at < 0 || v < dist[at]) {
			at = c
		}
	}
	return at
}

// shares appends to near, which must be empty, the positive weights of the soft nearest parts of
// a row, in the order of the parts. It appends nothing for a row with NaN. part holds the parts of
// the clusters, and dist their squared distances from the row.
func shares(near []share, part []int, dist []float64, soft int) []share {
	for c, v := range dist {
		if part[c] >= 0 && v == v {
			near = append(near, share{part[c], max(0, v)})
		}
	}
	if len(near) == 0 {
		return near
	}
	slices.SortStableFunc(near, func(a, b share) int { return cmp.Compare(a.weight, b.weight) })
	beyond := math.Inf(1)
	if soft < len(near) {
		beyond = near[soft].weight
		near = near[:soft]
	}
	return mix(near, beyond)
}

// mix turns ascending squared distances into weights that sum to 1. beyond is the squared distance
// of the next part.
func mix(near []share, beyond float64) []share {
	least := near[0].weight
	if len(near) == 1 || least == 0 || least >= beyond || math.IsInf(least, 1) {
		near[0].weight = 1
		return near[:1]
	}
	// Relative to the nearest, so that no power overflows.
	inverse := func(v float64) float64 { q := least / v; return q * q * q * q }
	var sum float64
	for k := range near {
		near[k].weight = inverse(near[k].weight) - inverse(beyond)
		sum += near[k].weight
	}
	for k := range near {
		near[k].weight /= sum
	}
	near = slices.DeleteFunc(near, func(s share) bool { return s.weight == 0 })
	slices.SortFunc(near, func(a, b share) int { return a.part - b.part })
	return near
}
