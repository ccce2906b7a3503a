package bka

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
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

// Settings describes the settings.
func (p *Partition) Settings(s *settings.Set) {
	s.Int(&p.Clusters, "clusters", "clusters").DefaultRule(max(1, min(64, s.Shape.N/20)), "64, or one for each 20 rows if that is less").
		AtLeast(1).AtMostRule(s.Shape.N, "the number of rows")
	s.Float(&p.Balance, "balance", "no cluster gets more than that many times its even share of the rows; 0: no limit")
	s.Require(p.Balance == 0 || p.Balance >= 1, &p.Balance, "0 or a number ≥ 1")
}

// router sends rows to parts.
type router interface {
	kmeans.Assigner
	Dims() (parts, d int)
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
	return rows.Groups(r.Assign(nil, x), parts), r, nil
}

// decodeRouter reads what a router's Encode wrote.
func decodeRouter(f *modelfile.File) (router, error) {
	if f.Method() == "kmeans" {
		return kmeans.Decode(f)
	}
	return kmeans.DecodeTree(f)
}
