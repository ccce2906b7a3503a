package catalog

import (
	"context"
	"flag"
	"fmt"
	"strconv"
	"strings"

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

// svmFlags are the settings of kernel support vector machines.
type svmFlags struct {
	kernel     kernelFlags
	c          float64
	noBias     bool
	tol        float64
	iterations int
	cache      int64
	double     bool
}

func (f *svmFlags) define(fs *flag.FlagSet) {
	f.kernel.define(fs)
	fs.Float64Var(&f.c, "c", 1, "weight of the loss against the norm")
	fs.BoolVar(&f.noBias, "no-bias", false, "no constant")
	fs.Float64Var(&f.tol, "tol", 1e-3, "violation of the optimality conditions")
	fs.IntVar(&f.iterations, "max-iter", 0, "iterations (default 10⁷, or 100 for each row)")
	fs.Int64Var(&f.cache, "cache", 256, "`MIB` for rows of the kernel matrix")
	fs.BoolVar(&f.double, "double", false, "rows of the kernel matrix in float64 from the start")
}

func (f *svmFlags) check() error {
	if err := positive("c", f.c); err != nil {
		return err
	}
	if err := positive("tol", f.tol); err != nil {
		return err
	}
	return positive("cache", float64(f.cache))
}

// weights is a flag of numbers: a,b,c.
type weights []float64

func (w *weights) String() string {
	var s []string
	for _, v := range *w {
		s = append(s, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return strings.Join(s, ",")
}

func (w *weights) Set(s string) error {
	*w = nil
	if s == "" {
		return nil
	}
	for part := range strings.SplitSeq(s, ",") {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return fmt.Errorf("want numbers with commas between them")
		}
		*w = append(*w, v)
	}
	return nil
}

type svmFitter struct {
	svmFlags
	multi   string
	weights weights
}

func (f *svmFitter) Flags(fs *flag.FlagSet) {
	f.define(fs)
	oneOf(fs, &f.multi, "multi", "more than two classes: one function for each pair, or for each class", "one-vs-one", "one-vs-rest")
	fs.Var(&f.weights, "class-weights", "`FACTORS` of c for the classes in the order of their names: 1,2.5")
}

func (f *svmFitter) config(x mat.Matrix, run gram.Run) (svm.Config, error) {
	if err := f.check(); err != nil {
		return svm.Config{}, err
	}
	k, err := f.kernel.kernel(x, run.Seed)
	c := svm.Config{Kernel: k, C: f.c, ClassWeights: f.weights, NoBias: f.noBias, Tol: f.tol, MaxIter: f.iterations,
		CacheBytes: f.cache << 20, Double: f.double, Run: run}
	if f.multi == "one-vs-rest" {
		c.Multi = svm.OneVsRest
	}
	return c, err
}

func (f *svmFitter) Plan(s gram.Shape) (gram.Plan, error) { return planOf(f.config, s) }

func (f *svmFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	c, err := f.config(d.X, run)
	if err != nil {
		return nil, err
	}
	return result(c.Fit(ctx, d.X, d.Labels, nil))
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
