package bka

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/settings"
)

// Partition says how rows are divided: by k-means clusters or as Given says.
type Partition struct {
	Clusters int // number of clusters; default 64, or one for each 20 rows if that is less
	// Given is a partition of the rows to be used instead of k-means clusters. Its Router must
	// be a kmeans.Centered. Clusters then is its number of parts, and Balance is 0.
	Given   kmeans.Partition `json:"-"`
	Balance float64          // no cluster gets more than Balance·n/Clusters rows, except copies of a row; larger clusters are split, which can increase their number; ≥ 1; 0: no limit
}

// Limits of k-means. More work would hardly improve the blocks.
const (
	iterations = 10
	sampled    = 100 // rows for each cluster
)

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (p *Partition) Settings(s *settings.Fields) {
	p.Given.Check(s, &p.Clusters)
	if r := p.Given.Router; r != nil {
		_, centered := r.(kmeans.Centered)
		s.Require(centered, &p.Given.Router, "a kmeans.Centered: a model of package kmeans")
	}
	s.Int(&p.Clusters, "clusters", "clusters").DefaultRule(max(1, min(64, s.Shape.N/20)), "64, or one for each 20 rows if that is less").
		AtLeast(1).AtMostRule(s.Shape.N, "the number of rows")
	s.Float(&p.Balance, "balance", "no cluster gets more than that many times its even share of the rows; 0: no limit")
	s.Require(p.Balance == 0 || p.Balance >= 1, &p.Balance, "0 or a number ≥ 1")
	s.Require(p.Balance == 0 || p.Given.IsZero(), &p.Balance, "0 for a partition that is given")
}

func (p Partition) means(run gram.Run) kmeans.Config {
	return kmeans.Config{K: p.Clusters, MaxIter: iterations, Sample: sampled * p.Clusters, Run: run}
}

// tree returns the settings of a tree that splits nodes in two until they are small enough.
func (p Partition) tree(n int, run gram.Run) kmeans.Tree {
	leaf := max(1, int(math.Ceil(p.Balance*float64(n)/float64(p.Clusters))))
	return kmeans.Tree{Branch: 2, Depth: 60, Leaf: leaf, Split: kmeans.Config{MaxIter: iterations, Sample: 2000}, Run: run}
}

func (p Partition) plan(s gram.Shape, run gram.Run) (gram.Plan, error) {
	switch {
	case !p.Given.IsZero():
		return gram.Plan{PeakBytes: 8 * int64(s.N), Description: "a partition that is given"}, nil
	case p.Balance > 0:
		return p.tree(s.N, run).Plan(s)
	}
	return p.means(run).Plan(s)
}

// divide returns the part of every row, the number of parts, and the function that assigns rows
// to parts.
func (p Partition) divide(ctx context.Context, x gram.Samples[float64], run gram.Run) (label []int, parts int, r kmeans.Centered, err error) {
	switch {
	case !p.Given.IsZero():
		label, given, err := p.Given.Divide(x)
		if err != nil {
			return nil, 0, nil, err
		}
		return label, p.Clusters, given.(kmeans.Centered), nil
	case p.Balance > 0:
		t, err := p.tree(x.N(), run).Fit(ctx, x)
		if err != nil {
			return nil, 0, nil, err
		}
		r, parts = t, t.Leaves()
	default:
		m, err := p.means(run).Fit(ctx, x)
		if err != nil {
			return nil, 0, nil, err
		}
		r, parts = m, p.Clusters
	}
	return r.Assign(nil, x), parts, r, nil
}
