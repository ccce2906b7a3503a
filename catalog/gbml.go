package catalog

import (
	"context"
	"flag"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/gbml"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var gbmlMethod = Method{
	Name:    "gbml",
	Summary: "boosted trees with sparse leaves for sets of many labels (GBML), on the columns that LEML projects to",
	Tasks:   []dataset.Task{dataset.MultiLabel},
	New:     func() Fitter { return &gbmlFitter{} },
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return gbml.Decode(f) },
}

type gbmlFitter struct{ c gbml.Config }

func (f *gbmlFitter) Flags(fs *flag.FlagSet) {
	fs.IntVar(&f.c.Trees, "trees", 30, "trees")
	fs.Float64Var(&f.c.Shrinkage, "shrinkage", 0.2, "factor of every tree's values")
	fs.IntVar(&f.c.Depth, "depth", 10, "splits on the way to a leaf at most")
	fs.IntVar(&f.c.MinRows, "min-rows", 0, "rows of a leaf at least (default 100, at most half of all)")
	fs.Float64Var(&f.c.Lambda, "lambda", 5, "added to the number of rows of a leaf; 0: nothing")
	fs.IntVar(&f.c.Keep, "keep", 20, "labels of a leaf")
	fs.IntVar(&f.c.Bins, "bins", 255, "bins of a column")
	fs.Float64Var(&f.c.ColumnSample, "column-sample", 1, "share of the columns tried at each node")
	fs.IntVar(&f.c.Projection.Rank, "rank", 0, "columns of the projection (default 100, at most the number of labels and of columns)")
	fs.Float64Var(&f.c.Projection.Lambda, "projection-lambda", 50, "weight of the projection's squared factors")
	fs.IntVar(&f.c.Projection.Rounds, "projection-rounds", 10, "alternations of the projection")
}

func (f *gbmlFitter) config(run gram.Run) gbml.Config {
	c := f.c
	c.NoPenalty = c.Lambda == 0
	c.Run = run
	return c
}

func (f *gbmlFitter) Plan(s gram.Shape) (gram.Plan, error) { return f.config(gram.Run{}).Plan(s) }

func (f *gbmlFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	return result(f.config(run).Fit(ctx, d.X, d.Tags))
}
