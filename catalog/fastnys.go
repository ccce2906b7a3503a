package catalog

import (
	"context"
	"flag"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/fastnys"
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/pipeline"
	"github.com/gramworks/gram/seeds"
	"gonum.org/v1/gonum/mat"
)

var fastnysMethod = Method{
	Name:    "fastnys",
	Summary: "Nyström features of landmarks made by fast transforms from a few seeds, with a linear model",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     func() Fitter { return &fastnysFitter{} },
	Decode: func(f *modelfile.File) (modelfile.Model, error) {
		return pipeline.DecodeLinear(f, "fastnys", basis.DecodeStructured)
	},
}

type fastnysFitter struct {
	kernel        kernelFlags
	m, rows, rank int
	matrix, seeds string
	noLearning    bool
	steps, sample int
	noCentre      bool
	certificate   int
	model         linearFlags
}

func (f *fastnysFitter) Flags(fs *flag.FlagSet) {
	f.kernel.define(fs)
	fs.IntVar(&f.m, "m", 0, "landmarks, a multiple of rows (default 256, or less for few rows)")
	fs.IntVar(&f.rows, "rows", 0, "rows of the matrix for each seed, a power of two (default 8, or what the columns allow)")
	fs.IntVar(&f.rank, "rank", 0, "features at most (default m)")
	oneOf(fs, &f.matrix, "matrix", "fast transform", "haar", "hadamard")
	oneOf(fs, &f.seeds, "seeds", "choice of the seeds, from which learning starts", "uniform", "kmeans")
	fs.BoolVar(&f.noLearning, "no-learning", false, "take the seeds as chosen")
	fs.IntVar(&f.steps, "steps", 0, "steps of learning at most (default 10)")
	fs.IntVar(&f.sample, "sample", 0, "rows that seeds are learned from (default 2000)")
	fs.BoolVar(&f.noCentre, "no-centre", false, "do not centre the data")
	fs.IntVar(&f.certificate, "certificate", 0, "rows from which the error of the approximation is estimated; 0: none")
	f.model.define(fs)
}

func (f *fastnysFitter) config(x mat.Matrix, run gram.Run) (fastnys.Config, error) {
	k, err := f.kernel.kernel(x, run.Seed)
	if err != nil {
		return fastnys.Config{}, err
	}
	c := fastnys.Config{
		Kernel: k, M: f.m, Rows: f.rows, Rank: f.rank, NoLearning: f.noLearning, Steps: f.steps, Sample: f.sample,
		NoCentre: f.noCentre, Certificate: f.certificate, Run: run,
	}
	if f.matrix == "hadamard" {
		c.Matrix = seeds.Hadamard
	}
	if f.seeds == "kmeans" {
		c.Seeds = landmark.KMeans{}
	}
	return c, nil
}

// Plan adds the linear model to the features.
func (f *fastnysFitter) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := f.config(nil, gram.Run{})
	if err != nil {
		return gram.Plan{}, err
	}
	p, err := c.Plan(s)
	if err != nil {
		return gram.Plan{}, err
	}
	m, err := c.Features(s)
	if err != nil {
		return gram.Plan{}, err
	}
	return f.model.planOn(p, m, s)
}

// Fit stores the linear model as one of the kernel values with the landmarks.
func (f *fastnysFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	model, m, err := fitOn(ctx, "fastnys", f.config, &f.model, d, run)
	if model == nil {
		return nil, err
	}
	return pipeline.Onto(model, m.Landmarks(), m.Root()), err
}
