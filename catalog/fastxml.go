package catalog

import (
	"context"
	"flag"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/fastxml"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var fastxmlMethod = Method{
	Name:    "fastxml",
	Summary: "trees of linear separators for sets of many labels (FastXML)",
	Tasks:   []dataset.Task{dataset.MultiLabel},
	New:     func() Fitter { return &fastxmlFitter{} },
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return fastxml.Decode(f) },
}

type fastxmlFitter struct{ c fastxml.Config }

func (f *fastxmlFitter) Flags(fs *flag.FlagSet) {
	fs.IntVar(&f.c.Trees, "trees", 50, "trees")
	fs.IntVar(&f.c.Leaf, "leaf", 10, "nodes of at most that many rows are not divided")
	fs.IntVar(&f.c.Keep, "keep", 100, "labels of a leaf")
	fs.IntVar(&f.c.Depth, "depth", 60, "nodes on the way to a leaf at most")
	fs.Float64Var(&f.c.C, "c", 1, "weight of the logistic loss of a node")
}

func (f *fastxmlFitter) Plan(s gram.Shape) (gram.Plan, error) { return f.c.Plan(s) }

func (f *fastxmlFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	c := f.c
	c.Run = run
	return result(c.Fit(ctx, d.X, d.Tags))
}
