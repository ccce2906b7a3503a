package meka

import (
	"context"
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// resolveGiven checks what is given, as far as that is known before the clusters are, and
// sets Clusters and Rank accordingly.
func (c *Config) resolveGiven(s *settings.Fields) {
	if !s.Resolving() {
		return
	}
	g := &c.Given
	g.Check(s, &c.Clusters)
	if g.Router != nil {
		_, ok := g.Router.(*kmeans.Model)
		s.Require(ok, &g.Router, "a *kmeans.Model")
	}
	for _, list := range []struct {
		p      any
		length int
	}{{&g.Landmarks, len(g.Landmarks)}, {&g.Roots, len(g.Roots)}, {&g.Samples, len(g.Samples)}} {
		if n := list.length; n > 0 && (g.IsZero() || n != c.Clusters) {
			s.Refuse(list.p, fmt.Sprintf("of length %d", n), "an entry for each cluster of a partition that is given")
			return
		}
	}
	rank := 0
	for t, u := range g.Landmarks {
		if u == nil {
			continue
		}
		m, d := u.Dims()
		if s.Shape.D > 0 && d != s.Shape.D {
			s.Refuse(&g.Landmarks, fmt.Sprintf("%d×%d of cluster %d", m, d, t), fmt.Sprintf("%d columns", s.Shape.D))
		}
		s.Check(gram.Of(u).Finite())
		if c.Rank == 0 && g.root(t) == nil {
			rank = max(rank, m)
		}
	}
	for t, r := range g.Roots {
		if r == nil {
			continue
		}
		m, k := r.Dims()
		if u := g.landmarks(t); u == nil || u.RawMatrix().Rows != m || c.Ranks == PooledEigenvalues || c.Rank > 0 && k > c.Rank {
			s.Refuse(&g.Roots, fmt.Sprintf("%d×%d of cluster %d", m, k, t), "as many rows as there are landmarks given, at most the rank of columns, and no ranks by eigenvalues")
		}
		s.Check(gram.Of(r).Finite())
		rank = max(rank, k)
	}
	if c.Rank == 0 {
		c.Rank = min(rank, s.Shape.N)
	}
	for t, v := range g.Samples {
		s.Check(check.Index("Given.Samples", v.Rows, s.Shape.N))
		if check.Weights(v.Weights, len(v.Rows)) != nil {
			s.Refuse(&g.Samples, fmt.Sprintf("the weights %v of cluster %d", v.Weights, t), fmt.Sprintf("%d numbers ≥ 0, not all of them 0", len(v.Rows)))
		}
	}
}

// landmarks returns those that are given for a cluster, nil for none.
func (g *Given) landmarks(s int) *mat.Dense {
	if g.Landmarks == nil {
		return nil
	}
	return g.Landmarks[s]
}

// root returns the one that is given for a cluster, nil for none.
func (g *Given) root(s int) *mat.Dense {
	if g.Roots == nil {
		return nil
	}
	return g.Roots[s]
}

// sample returns the one that is given for a cluster; it has no rows if there is none.
func (g *Given) sample(s int) Sample {
	if g.Samples == nil {
		return Sample{}
	}
	return g.Samples[s]
}

// samplesFit returns a *gram.ConfigError for a row of a sample that is of another cluster.
func (g *Given) samplesFit(label []int) error {
	for s, v := range g.Samples {
		for _, i := range v.Rows {
			if label[i] != s {
				return settings.Refuse("Given.Samples", fmt.Sprintf("row %d", i), "rows of cluster %d", s)
			}
		}
	}
	return nil
}

// divide returns the cluster of every row and the clusters.
func (c Config) divide(ctx context.Context, x gram.Samples[float64]) ([]int, *kmeans.Model, error) {
	if !c.Given.IsZero() {
		label, router, err := c.Given.Divide(x)
		if err != nil {
			return nil, nil, err
		}
		return label, router.(*kmeans.Model), nil
	}
	m, err := c.partition().Fit(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	return m.Labels(), m, nil
}

// places returns where the rows of v are among the ascending rows member.
func (v Sample) places(member []int) []int {
	at := make([]int, len(v.Rows))
	for b, i := range v.Rows {
		at[b], _ = slices.BinarySearch(member, i)
	}
	return at
}
