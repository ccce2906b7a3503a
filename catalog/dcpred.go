package catalog

import (
	"context"
	"flag"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/dcpred"
	"github.com/gramworks/gram/algos/pseudo"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/seeds"
	"gonum.org/v1/gonum/mat"
)

var dcpredMethod = Method{
	Name:    "dcpred",
	Summary: "kernel machine for fast prediction: a tree of clusters with a local model of few landmarks in each leaf",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     func() Fitter { return &dcpredFitter{} },
	Decode: func(f *modelfile.File) (modelfile.Model, error) {
		if f.Has("classes") {
			return dcpred.DecodeClassifier(f)
		}
		return dcpred.DecodeRegressor(f)
	},
}

type dcpredFitter struct {
	kernel               kernelFlags
	branch, depth, leaf  int
	c, lambda            float64
	perRow               bool
	m, p, rows           int
	all                  bool
	kind, matrix, marked string
}

func (f *dcpredFitter) Flags(fs *flag.FlagSet) {
	f.kernel.define(fs)
	fs.IntVar(&f.branch, "branch", 4, "children of a node of the tree")
	fs.IntVar(&f.depth, "depth", 20, "levels of the tree")
	fs.IntVar(&f.leaf, "leaf", 1000, "nodes of at most that many rows are not split")
	fs.Float64Var(&f.c, "c", 1, "classes: weight of the loss against the norm")
	fs.Float64Var(&f.lambda, "lambda", 0, "values: weight of the squared norm (default 1/n)")
	fs.BoolVar(&f.perRow, "per-row", false, "values: count lambda once per row")
	fs.IntVar(&f.m, "m", 16, "landmarks of a leaf")
	oneOf(fs, &f.marked, "landmarks", "k-means centroids with pseudo-landmarks, or structured ones", "kmeans", "structured")
	oneOf(fs, &f.kind, "kind", "kmeans: columns of the pseudo-landmarks",
		pseudo.Products.String(), pseudo.Lower.String(), pseudo.Upper.String(), pseudo.Mid.String())
	fs.IntVar(&f.p, "p", 0, "kmeans: pseudo-landmarks (default 2m, or the most there are)")
	fs.BoolVar(&f.all, "all", false, "kmeans: all products of two kernel values")
	oneOf(fs, &f.matrix, "matrix", "structured: fast transform", "haar", "hadamard")
	fs.IntVar(&f.rows, "rows", 0, "structured: rows of the matrix for each seed (default 8, or what the columns allow)")
}

func (f *dcpredFitter) config(x mat.Matrix, run gram.Run) (dcpred.Config, error) {
	k, err := f.kernel.kernel(x, run.Seed)
	if err != nil {
		return dcpred.Config{}, err
	}
	c := dcpred.Config{
		Kernel: k, Branch: f.branch, Depth: f.depth, Leaf: f.leaf, C: f.c, Lambda: f.lambda,
		M: f.m, P: f.p, All: f.all, Structured: f.marked == "structured", Rows: f.rows, Run: run,
	}
	if f.perRow {
		c.Penalty = solve.PerRow
	}
	if f.matrix == "hadamard" {
		c.Matrix = seeds.Hadamard
	}
	for _, v := range []pseudo.Kind{pseudo.Products, pseudo.Lower, pseudo.Upper, pseudo.Mid} {
		if v.String() == f.kind {
			c.Kind = v
		}
	}
	return c, positive("c", f.c)
}

func (f *dcpredFitter) Plan(s gram.Shape) (gram.Plan, error) { return planOf(f.config, s) }

func (f *dcpredFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	c, err := f.config(d.X, run)
	if err != nil {
		return nil, err
	}
	if d.Task() == dataset.Classes {
		return result(c.Fit(ctx, d.X, d.Labels, nil))
	}
	return result(c.FitValues(ctx, d.X, d.Value, nil))
}
