package catalog

import (
	"context"
	"flag"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/meka"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/pipeline"
	"gonum.org/v1/gonum/mat"
)

var mekaMethod = Method{
	Name:    "meka",
	Summary: "features of a memory efficient kernel approximation, clusters with bases and links, with a linear model: support vector machine, logistic or ridge regression",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     func() Fitter { return &mekaFitter{} },
	Decode: func(f *modelfile.File) (modelfile.Model, error) {
		return pipeline.DecodeLinear(f, "meka", func(f *modelfile.File) (pipeline.Map, error) {
			m, err := meka.Decode(f)
			if err == nil && !m.HasFeatures() {
				err = f.Errorf("", "a MEKA model without features")
			}
			return m, err
		})
	},
}

type mekaFitter struct {
	kernel                  kernelFlags
	clusters, rank, columns int
	basis, ranks            string
	rho, epsilon, cut       float64
	balance                 float64
	certificate             int
	model                   linearFlags
}

func (f *mekaFitter) Flags(fs *flag.FlagSet) {
	f.kernel.define(fs)
	fs.IntVar(&f.clusters, "clusters", 0, "clusters (default 10, or a hundredth of the number of rows if that is less)")
	fs.IntVar(&f.rank, "m", 0, "rank of a cluster's basis (default 128, or the number of rows if that is less); there are clusters·m features at most")
	fs.IntVar(&f.columns, "columns", 0, "landmarks of a basis for each unit of its rank (default 2; kmeans 1)")
	oneOf(fs, &f.basis, "basis", "landmarks and core of a cluster's basis", "nystrom", "kmeans", "randomised")
	oneOf(fs, &f.ranks, "ranks", "how ranks are shared out", "equal", "proportional", "eigenvalues")
	fs.Float64Var(&f.rho, "rho", 2, "(1+rho)·m rows of a cluster are the sample for its links")
	fs.Float64Var(&f.epsilon, "epsilon", 0, "no link between clusters whose centres have a kernel value of at most this")
	fs.Float64Var(&f.cut, "cut", 1e-2, "relative cut-off of the least-squares problems of the links")
	fs.Float64Var(&f.balance, "balance", 0, "no cluster gets more than this times its even share of the rows; 0: no limit")
	fs.IntVar(&f.certificate, "certificate", 0, "rows from which the error of the approximation is estimated; 0: none")
	f.model.define(fs)
}

func (f *mekaFitter) config(x mat.Matrix, run gram.Run) (meka.Config, error) {
	k, err := f.kernel.kernel(x, run.Seed)
	if err != nil {
		return meka.Config{}, err
	}
	c := meka.Config{
		Kernel: k, Clusters: f.clusters, Rank: f.rank, Columns: f.columns,
		Rho: f.rho, Epsilon: f.epsilon, Cut: f.cut, Balance: f.balance, Certificate: f.certificate, Run: run,
	}
	switch f.basis {
	case "kmeans":
		c.Basis = meka.KMeansNystrom
	case "randomised":
		c.Basis = meka.RandomisedNystrom
	}
	switch f.ranks {
	case "proportional":
		c.Ranks = meka.Proportional
	case "eigenvalues":
		c.Ranks = meka.PooledEigenvalues
	}
	if err := positive("rho", f.rho); err != nil {
		return c, err
	}
	return c, positive("cut", f.cut)
}

// Plan adds the linear model to the features.
func (f *mekaFitter) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := f.config(nil, gram.Run{})
	if err != nil {
		return gram.Plan{}, err
	}
	p, err := c.Plan(s)
	if err != nil {
		return gram.Plan{}, err
	}
	features, err := c.Features(s)
	if err != nil {
		return gram.Plan{}, err
	}
	return f.model.planOn(p, features, s)
}

func (f *mekaFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	m, _, err := fitOn(ctx, "meka", f.config, &f.model, d, run)
	return m, err
}
