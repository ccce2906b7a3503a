package bka

import (
	"context"
	"fmt"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kmeans"
	"github.com/gramworks/gram/modelfile"
)

// Partition says how rows are divided.
type Partition struct {
	Clusters int     // default 64, or one for each 20 rows if that is less
	Balance  float64 // no cluster gets more than Balance·n/Clusters rows, but for copies of a row: larger ones are split, so that there may be more; ≥ 1; 0: no limit
}

// What k-means does at most: the blocks gain little by more.
const (
	iterations = 10
	sampled    = 100 // rows for each cluster
)

func (p Partition) resolve(n int) (Partition, error) {
	if p.Clusters == 0 {
		p.Clusters = max(1, min(64, n/20))
	}
	switch {
	case p.Clusters < 1 || p.Clusters > n:
		return p, &gram.ConfigError{Field: "Clusters", Value: p.Clusters, Want: fmt.Sprintf("from 1 to the number of rows, %d", n)}
	case p.Balance != 0 && !(p.Balance >= 1):
		return p, &gram.ConfigError{Field: "Balance", Value: p.Balance, Want: "0 or a number ≥ 1"}
	}
	return p, nil
}

// router sends rows to parts.
type router interface {
	kmeans.Assigner
	Encode(w *modelfile.Writer) error
}

func (p Partition) means(run gram.Run) kmeans.Config {
	return kmeans.Config{K: p.Clusters, MaxIter: iterations, Sample: sampled * p.Clusters, Run: run}
}

// tree splits nodes in two until they are small enough.
func (p Partition) tree(n int, run gram.Run) kmeans.Tree {
	leaf := max(1, int(math.Ceil(p.Balance*float64(n)/float64(p.Clusters))))
	return kmeans.Tree{Branch: 2, Depth: 60, Leaf: leaf, Split: kmeans.Config{MaxIter: iterations, Sample: 2000}, Run: run}
}

func (p Partition) plan(s gram.Shape, run gram.Run) (gram.Plan, error) {
	if p.Balance > 0 {
		return p.tree(s.N, run).Plan(s)
	}
	return p.means(run).Plan(s)
}

// divide returns the rows of every part and the function that sends rows there.
func (p Partition) divide(ctx context.Context, x gram.Samples[float64], run gram.Run) ([][]int, router, error) {
	var r router
	parts := p.Clusters
	if p.Balance > 0 {
		t, err := p.tree(x.N(), run).Fit(ctx, x)
		if err != nil {
			return nil, nil, err
		}
		r, parts = t, t.Leaves()
	} else {
		m, err := p.means(run).Fit(ctx, x)
		if err != nil {
			return nil, nil, err
		}
		r = m
	}
	return members(r.Assign(nil, x), parts), r, nil
}

// members returns the rows of every part, ascending.
func members(label []int, parts int) [][]int {
	index := make([][]int, parts)
	for i, c := range label {
		index[c] = append(index[c], i)
	}
	return index
}

// decodeRouter reads what a router's Encode wrote and returns how many parts it
// has, and columns.
func decodeRouter(f *modelfile.File) (r router, parts, columns int, err error) {
	if f.Method() == "kmeans" {
		m, err := kmeans.Decode(f)
		if err != nil {
			return nil, 0, 0, err
		}
		k, d := m.Centers().Dims()
		return m, k, d, nil
	}
	t, err := kmeans.DecodeTree(f)
	if err != nil {
		return nil, 0, 0, err
	}
	_, centres := t.Nodes()
	_, d := centres.Dims()
	return t, t.Leaves(), d, nil
}
