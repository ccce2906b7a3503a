package catalog

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/pairwise"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
)

var pairwiseMethod = Method{
	Name:     "pairwise",
	Summary:  "clusters of the rows from pairs of them that belong together or do not, semi-supervised clustering (MCCC, GIMC-LFF); needs no target if there is a file of pairs",
	Tasks:    []dataset.Task{dataset.Classes, dataset.NoTarget},
	Clusters: true,
	New: of(clusters{Config: pairwise.Config{Map: completion.Side{Map: completion.Fourier}}}, func(ctx context.Context, c clusters, d *dataset.Set) (modelfile.Model, error) {
		statements, err := c.File.read(ctx, d)
		if err != nil {
			return nil, err
		}
		pairs, err := constraint.Unbounded(statements)
		if err == nil && c.File == "" {
			if d.Task() == dataset.NoTarget {
				return nil, settings.Refuse(PairsFile, "not given", "a file of pairs, as there are no classes to draw pairs from")
			}
			err = d.CheckTargets()
		}
		if err != nil {
			return nil, err
		}
		if c, err = settings.Resolved(c, gram.ShapeOf(d.X, len(d.Labels.Names))); err != nil {
			return nil, err
		}
		if c.File == "" {
			pairs = constraint.Sample(d.Labels.Class, c.Pairs, c.Seed)
		}
		return result(c.Config.Fit(ctx, d.X, pairs))
	}),
	Decode: func(f *modelfile.File) (modelfile.Model, error) { return pairwise.Decode(f) },
}

// clusters holds the settings of clusters from pairs.
type clusters struct {
	pairwise.Config
	File  pairsFitter
	Pairs int
}

// Settings describes the file of pairs or the number of drawn pairs, the number of clusters, and the settings of the clustering.
func (c *clusters) Settings(s *settings.Fields) {
	c.File.describe(s)
	s.Int(&c.Pairs, "pairs", "pairs that are drawn from the classes").DefaultRule(10*s.Shape.N, "10 for each row").AtLeast(1)
	s.Int(&c.K, "k", "clusters").DefaultRule(s.Shape.Outputs, "the number of classes").AtLeast(1).AtMostRule(s.Shape.N, "the number of rows")
	s.Embedded(&c.Config, "k")
}

// Plan returns what a fit with pairs from the classes will cost.
func (c clusters) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	return c.Config.Plan(s, c.Pairs)
}
