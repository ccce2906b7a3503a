package catalog

import (
	"context"
	"flag"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/bka"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

var bkaMethod = Method{
	Name:    "bka-svm",
	Summary: "kernel support vector machines of clusters: every row is predicted by that of its cluster, or by all together",
	Tasks:   []dataset.Task{dataset.Classes},
	New:     func() Fitter { return &bkaFitter{} },
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return bka.Decode(f) },
}

// The models are those of svm, in their files too.
var dcsvmMethod = Method{
	Name:    "dc-svm",
	Summary: "exact kernel support vector machine, solved for clusters first, then for larger ones, at last for all rows",
	Tasks:   []dataset.Task{dataset.Classes},
	New:     func() Fitter { return &dcsvmFitter{} },
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return svm.Decode(f) },
}

type bkaFitter struct {
	machine  svmFitter
	clusters int
	balance  float64
	whole    bool
}

func (f *bkaFitter) Flags(fs *flag.FlagSet) {
	f.machine.Flags(fs)
	fs.IntVar(&f.clusters, "clusters", 0, "clusters (default 64, or one for each 20 rows if that is less)")
	fs.Float64Var(&f.balance, "balance", 0, "no cluster gets more than this times its even share of the rows; 0: no limit")
	fs.BoolVar(&f.whole, "whole", false, "predict by the coefficients of all clusters; needs no-bias")
}

func (f *bkaFitter) config(x mat.Matrix, run gram.Run) (bka.SVM, error) {
	m, err := f.machine.config(x, run)
	return bka.SVM{Machine: m, Partition: bka.Partition{Clusters: f.clusters, Balance: f.balance}, Whole: f.whole}, err
}

func (f *bkaFitter) Plan(s gram.Shape) (gram.Plan, error) { return planOf(f.config, s) }

func (f *bkaFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	c, err := f.config(d.X, run)
	if err != nil {
		return nil, err
	}
	return result(c.Fit(ctx, d.X, d.Labels, nil))
}

type dcsvmFitter struct {
	machine        svmFitter
	branch, levels int
	levelTol       float64
}

func (f *dcsvmFitter) Flags(fs *flag.FlagSet) {
	f.machine.Flags(fs)
	fs.IntVar(&f.branch, "branch", 0, "clusters that are joined from one level to the next (default 32)")
	fs.IntVar(&f.levels, "levels", 0, "levels of clusters (default as many as it takes that clusters have at most 2000 rows)")
	fs.Float64Var(&f.levelTol, "level-tol", 0, "tol of the problems before the last one (default 0.1, or tol if that is more)")
}

func (f *dcsvmFitter) config(x mat.Matrix, run gram.Run) (bka.Divided, error) {
	m, err := f.machine.config(x, run)
	return bka.Divided{Machine: m, Branch: f.branch, Levels: f.levels, LevelTol: f.levelTol}, err
}

func (f *dcsvmFitter) Plan(s gram.Shape) (gram.Plan, error) { return planOf(f.config, s) }

func (f *dcsvmFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	c, err := f.config(d.X, run)
	if err != nil {
		return nil, err
	}
	m, _, err := c.Fit(ctx, d.X, d.Labels, nil)
	if m == nil {
		return nil, err
	}
	return m, err
}
