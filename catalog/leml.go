package catalog

import (
	"context"
	"flag"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/multilabel"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var lemlMethod = Method{
	Name:    "leml",
	Summary: "low-rank linear regression on sets of labels (LEML)",
	Tasks:   []dataset.Task{dataset.MultiLabel},
	New:     func() Fitter { return &lemlFitter{} },
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return multilabel.DecodeLEML(f) },
}

type lemlFitter struct{ c multilabel.LEML }

func (f *lemlFitter) Flags(fs *flag.FlagSet) {
	fs.IntVar(&f.c.Rank, "rank", 0, "rank (default 100, at most the number of labels and of columns)")
	fs.Float64Var(&f.c.Lambda, "lambda", 1, "weight of the squared factors")
	fs.IntVar(&f.c.Rounds, "rounds", 10, "alternations at most")
	fs.IntVar(&f.c.Products, "products", 20, "steps of conjugate gradients in a round at most")
	fs.Float64Var(&f.c.Tol, "tol", 1e-4, "relative progress of a round below which it stops")
	fs.BoolVar(&f.c.NoConstant, "no-constant", false, "no constant column")
}

func (f *lemlFitter) Plan(s gram.Shape) (gram.Plan, error) { return f.c.Plan(s) }

func (f *lemlFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	c := f.c
	c.Run = run
	return result(c.Fit(ctx, d.X, d.Tags))
}
