package catalog

import (
	"context"
	"flag"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/sleec"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var sleecMethod = Method{
	Name:    "sleec",
	Summary: "nearest neighbours in embeddings that keep neighbouring sets of labels (SLEEC)",
	Tasks:   []dataset.Task{dataset.MultiLabel},
	New:     func() Fitter { return &sleecFitter{} },
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return sleec.Decode(f) },
}

type sleecFitter struct{ c sleec.Config }

func (f *sleecFitter) Flags(fs *flag.FlagSet) {
	fs.IntVar(&f.c.Learners, "learners", 5, "divisions into clusters whose scores are averaged")
	fs.IntVar(&f.c.Cluster, "cluster", 6000, "rows of a cluster, about")
	fs.IntVar(&f.c.Rank, "rank", 100, "dimension of the embeddings")
	fs.IntVar(&f.c.Neighbors, "neighbors", 100, "neighbours of a row whose inner products are kept")
	fs.IntVar(&f.c.Steps, "steps", 30, "steps of singular value projection at most")
	fs.Float64Var(&f.c.Tol, "tol", 1e-3, "relative progress of a step below which it stops")
	fs.Float64Var(&f.c.Lambda, "lambda", 1, "weight of the squared norm of the regression on the embeddings")
	fs.IntVar(&f.c.K, "k", 20, "neighbours of a prediction")
}

func (f *sleecFitter) Plan(s gram.Shape) (gram.Plan, error) { return f.c.Plan(s) }

func (f *sleecFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	c := f.c
	c.Run = run
	return result(c.Fit(ctx, d.X, d.Tags))
}
