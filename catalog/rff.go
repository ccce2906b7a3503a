package catalog

import (
	"context"
	"flag"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/rff"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/pipeline"
	"gonum.org/v1/gonum/mat"
)

var rffMethod = Method{
	Name:    "rff",
	Summary: "random Fourier features or Fastfood with a linear model: support vector machine, logistic or ridge regression",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     func() Fitter { return &rffFitter{} },
	Decode: func(f *modelfile.File) (modelfile.Model, error) {
		return pipeline.DecodeLinear(f, "rff", rff.Decode)
	},
}

type rffFitter struct {
	kernel      kernelFlags
	m           int
	frequencies string
	model       linearFlags
}

func (f *rffFitter) Flags(fs *flag.FlagSet) {
	f.kernel.defineNames(fs, "gaussian", "laplacian")
	fs.IntVar(&f.m, "m", 256, "frequencies; there are twice as many features")
	oneOf(fs, &f.frequencies, "frequencies", "how they are drawn; orthogonal and fastfood: gaussian alone",
		rff.Independent.String(), rff.Orthogonal.String(), rff.Halton.String(), rff.Fastfood.String())
	f.model.define(fs)
}

func (f *rffFitter) config(x mat.Matrix, run gram.Run) (rff.Config, error) {
	k, err := f.kernel.kernel(x, run.Seed)
	if err != nil {
		return rff.Config{}, err
	}
	if f.m < 1 {
		return rff.Config{}, &gram.ConfigError{Field: "m", Value: f.m, Want: "at least 1"}
	}
	c := rff.Config{Kernel: k, M: f.m, Run: run}
	for _, v := range []rff.Frequencies{rff.Independent, rff.Orthogonal, rff.Halton, rff.Fastfood} {
		if v.String() == f.frequencies {
			c.Frequencies = v
		}
	}
	return c, nil
}

func (f *rffFitter) Plan(s gram.Shape) (gram.Plan, error) {
	p, err := planOf(f.config, s)
	if err != nil {
		return gram.Plan{}, err
	}
	return f.model.planOn(p, 2*f.m, s)
}

func (f *rffFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	m, _, err := fitOn(ctx, "rff", f.config, &f.model, d, run)
	return m, err
}
