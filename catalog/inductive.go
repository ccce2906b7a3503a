package catalog

import (
	"context"
	"flag"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/inductive"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

var inductiveMethod = Method{
	Name:    "inductive",
	Summary: "nearest neighbours in a kernel learned from pairs of rows: LogDet (ITML), Frobenius, trace norm",
	Tasks:   []dataset.Task{dataset.Classes},
	New:     func() Fitter { return &inductiveFitter{} },
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return inductive.DecodeClassifier(f) },
}

type inductiveFitter struct {
	kernel      kernelFlags
	regularizer string
	tau, slack  float64
	hard        bool
	neighbours  int
	pairs       int
	low, high   float64
	m           int
	basis       string
	rank        int
	tol         float64
	iterations  int
}

func (f *inductiveFitter) Flags(fs *flag.FlagSet) {
	f.kernel.define(fs)
	oneOf(fs, &f.regularizer, "regularizer", "what stays small: log-determinant divergence from the kernel, |W|², |W-I|², tau·trace W+|W|²",
		"logdet", "frobenius", "near-identity", "trace")
	fs.Float64Var(&f.tau, "tau", 1, "trace: weight of the trace")
	fs.Float64Var(&f.slack, "slack", 0, "weight of violated constraints (default 1 for logdet, 100 for the others)")
	fs.BoolVar(&f.hard, "hard", false, "constraints have no slack")
	fs.IntVar(&f.neighbours, "k", 0, "neighbours that vote (default 5, or the number of rows if that is less)")
	fs.IntVar(&f.pairs, "pairs", 0, "constraints, on pairs of rows (default 40·c·(c-1) for c classes, from 80 to 2000)")
	fs.Float64Var(&f.low, "low", 5, "percentile of the squared distances that pairs of one class are to be within")
	fs.Float64Var(&f.high, "high", 95, "percentile of the squared distances that pairs of two classes are to be beyond")
	fs.IntVar(&f.m, "m", 0, "learn in the span of that many vectors; 0: of all constraints")
	oneOf(fs, &f.basis, "basis", "with m, the vectors: landmarks, random combinations of all rows, sums over clusters", "subset", "random", "clusters")
	fs.IntVar(&f.rank, "rank", 0, "frobenius, trace: eigenvalues that are kept; 0: all")
	fs.Float64Var(&f.tol, "tol", 1e-4, "violation of the optimality conditions")
	fs.IntVar(&f.iterations, "max-iter", 0, "iterations (default 500; 5000 sweeps of projections)")
}

func (f *inductiveFitter) config(x mat.Matrix, run gram.Run) (inductive.KNN, error) {
	k, err := f.kernel.kernel(x, run.Seed)
	if err != nil {
		return inductive.KNN{}, err
	}
	if err := positive("tol", f.tol); err != nil {
		return inductive.KNN{}, err
	}
	c := inductive.KNN{K: f.neighbours, Hard: f.hard, Pairs: inductive.Pairs{Count: f.pairs, Low: f.low, High: f.high}}
	c.Config = inductive.Config{Kernel: k, Tau: f.tau, Slack: f.slack, M: f.m, Rank: f.rank, Tol: f.tol, MaxIter: f.iterations, Run: run}
	c.Regularizer = map[string]inductive.Regularizer{
		"logdet": inductive.LogDet, "frobenius": inductive.Frobenius, "near-identity": inductive.NearIdentity, "trace": inductive.Trace,
	}[f.regularizer]
	if f.m != 0 {
		c.Reduction = map[string]inductive.Reduction{"subset": inductive.Subset, "random": inductive.Random, "clusters": inductive.Clusters}[f.basis]
	}
	return c, nil
}

func (f *inductiveFitter) Plan(s gram.Shape) (gram.Plan, error) { return planOf(f.config, s) }

func (f *inductiveFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	c, err := f.config(d.X, run)
	if err != nil {
		return nil, err
	}
	return result(c.Fit(ctx, d.X, d.Labels, nil))
}
