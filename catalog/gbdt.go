package catalog

import (
	"context"
	"flag"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/gbdt"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var gbdtMethod = Method{
	Name:    "gbdt",
	Summary: "gradient boosted decision trees with histograms; criterion=direct splits by the logistic loss itself",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     func() Fitter { return &gbdtFitter{} },
	Decode: func(f *modelfile.File) (modelfile.Model, error) {
		if f.Has("classes") {
			return gbdt.DecodeClassifier(f)
		}
		return gbdt.DecodeRegressor(f)
	},
}

type gbdtFitter struct {
	c         gbdt.Config
	criterion string
}

func (f *gbdtFitter) Flags(fs *flag.FlagSet) {
	fs.IntVar(&f.c.Rounds, "rounds", 100, "trees; for more than two classes, trees for each class")
	fs.Float64Var(&f.c.Shrinkage, "shrinkage", 0.1, "factor of every tree's values")
	fs.IntVar(&f.c.MaxLeaves, "leaves", 31, "leaves of a tree at most")
	fs.IntVar(&f.c.MaxDepth, "depth", 0, "splits on the way to a leaf at most; 0: no limit")
	fs.IntVar(&f.c.MinRows, "min-rows", 20, "rows of a leaf at least")
	fs.Float64Var(&f.c.Lambda, "lambda", 1, "weight of the squared leaf values; 0: none")
	fs.IntVar(&f.c.Bins, "bins", 255, "bins of a column")
	fs.BoolVar(&f.c.Exact, "exact", false, "every distinct value a bin")
	oneOf(fs, &f.criterion, "criterion", "what a split is judged by; direct: the loss itself, for two classes", "second-order", "direct")
	fs.IntVar(&f.c.Screen, "screen", 16, "direct: splits tried for each leaf")
	fs.Float64Var(&f.c.RowSample, "row-sample", 1, "share of the rows for each round")
	fs.Float64Var(&f.c.ColumnSample, "column-sample", 1, "share of the columns for each tree")
	fs.Float64Var(&f.c.Holdout, "holdout", 0, "share of the rows kept for early stopping")
	fs.IntVar(&f.c.Patience, "patience", 10, "rounds without progress on these before it stops")
}

func (f *gbdtFitter) config(run gram.Run) gbdt.Config {
	c := f.c
	c.Run = run
	c.NoPenalty = c.Lambda == 0
	if f.criterion == "direct" {
		c.Criterion = gbdt.DirectLoss
	}
	return c
}

func (f *gbdtFitter) Plan(s gram.Shape) (gram.Plan, error) { return f.config(gram.Run{}).Plan(s) }

func (f *gbdtFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	if d.Task() == dataset.Classes {
		return result(f.config(run).Fit(ctx, d.X, d.Labels, nil))
	}
	return result(f.config(run).FitValues(ctx, d.X, d.Value, nil))
}
