package catalog

import (
	"context"
	"flag"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/algos/nystrom"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/pipeline"
	"gonum.org/v1/gonum/mat"
)

var nystromMethod = Method{
	Name:    "nystrom",
	Summary: "Nyström features from landmarks with a linear model: support vector machine, logistic or ridge regression",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     func() Fitter { return &nystromFitter{} },
	Decode: func(f *modelfile.File) (modelfile.Model, error) {
		return pipeline.DecodeLinear(f, "nystrom", nystrom.Decode)
	},
}

type nystromFitter struct {
	kernel      kernelFlags
	m, rank     int
	landmarks   string
	certificate int
	model       linearFlags
}

func (f *nystromFitter) Flags(fs *flag.FlagSet) {
	f.kernel.define(fs)
	fs.IntVar(&f.m, "m", 0, "landmarks (default 256, or the number of rows if that is less)")
	fs.IntVar(&f.rank, "rank", 0, "features at most (default m)")
	oneOf(fs, &f.landmarks, "landmarks", "choice of the landmarks", "kmeans", "uniform", "leverage", "column-norm", "farthest")
	fs.IntVar(&f.certificate, "certificate", 0, "rows from which the error of the approximation is estimated; 0: none")
	f.model.define(fs)
}

func (f *nystromFitter) config(x mat.Matrix, run gram.Run) (nystrom.Config, error) {
	k, err := f.kernel.kernel(x, run.Seed)
	if err != nil {
		return nystrom.Config{}, err
	}
	c := nystrom.Config{Kernel: k, M: f.m, Rank: f.rank, Certificate: f.certificate, Run: run}
	switch f.landmarks {
	case "uniform":
		c.Landmarks = landmark.Uniform{}
	case "leverage":
		c.Landmarks = landmark.Leverage{}
	case "column-norm":
		c.Landmarks = landmark.ColumnNorm{}
	case "farthest":
		c.Landmarks = landmark.Farthest{}
	default:
		c.Landmarks = landmark.KMeans{}
	}
	return c, nil
}

// Plan adds the linear model to the features.
func (f *nystromFitter) Plan(s gram.Shape) (gram.Plan, error) {
	p, err := planOf(f.config, s)
	if err != nil {
		return gram.Plan{}, err
	}
	m := f.m
	if m == 0 {
		m = min(256, s.N)
	}
	rank := m
	if f.rank > 0 {
		rank = min(m, f.rank)
	}
	return f.model.planOn(p, rank, s)
}

func (f *nystromFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	m, _, err := fitOn(ctx, "nystrom", f.config, &f.model, d, run)
	return m, err
}
