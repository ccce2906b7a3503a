package bka

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/settings"
)

// Partition says how rows are divided.
type Partition struct {
	Clusters int // default 64, or one for each 20 rows if that is less
	// Given is a partition of the rows to take instead of k-means clusters. Its Router is a
	// kmeans.Centered. Clusters are its parts then, and Balance is 0.
	Given   kmeans.Partition `json:"-"`
	Balance float64          // no cluster gets more than Balance·n/Clusters rows, but for copies of a row: larger ones are split, so that there may be more; ≥ 1; 0: no limit
}

// What k-means does at most: the blocks gain little by more.
const (
	iterations = 10
	sampled    = 100 // rows for each cluster
)

// Settings describes the settings.
func (p *Partition) Settings(s *settings.Set) {
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

// tree splits nodes in two until they are small enough.
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

// divide returns the part of every row, the number of parts, and the function that sends
// rows there.
func (p Partition) divide(ctx context.Context, x gram.Samples[float64], run gram.Run) (label []int, parts int, r kmeans.Centered, err error) {
	switch {
	case !p.Given.IsZero():
		label, given := p.Given.Divide(x)
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
