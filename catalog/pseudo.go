package catalog

import (
	"context"
	"flag"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/algos/pseudo"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/pipeline"
	"gonum.org/v1/gonum/mat"
)

var pseudoMethod = Method{
	Name:    "pseudo",
	Summary: "Nyström features of few landmarks and pseudo-landmarks computed from their kernel values, with a linear model",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     func() Fitter { return &pseudoFitter{} },
	Decode: func(f *modelfile.File) (modelfile.Model, error) {
		return pipeline.DecodeLinear(f, "pseudo", basis.DecodePseudo)
	},
}

type pseudoFitter struct {
	kernel          kernelFlags
	m, p, sample    int
	kind, landmarks string
	all             bool
	certificate     int
	model           linearFlags
}

func (f *pseudoFitter) Flags(fs *flag.FlagSet) {
	f.kernel.define(fs)
	fs.IntVar(&f.m, "m", 0, "landmarks (default 32, or the number of rows if that is less)")
	fs.IntVar(&f.p, "p", 0, "pseudo-landmarks (default 2m, or the most there are)")
	oneOf(fs, &f.kind, "kind", "columns of the pseudo-landmarks: products of kernel values, or values at a bound of the distance",
		pseudo.Products.String(), pseudo.Lower.String(), pseudo.Upper.String(), pseudo.Mid.String())
	fs.BoolVar(&f.all, "all", false, "all m(m+1)/2 products")
	fs.IntVar(&f.sample, "sample", 0, "rows that the approximation is fitted to (default 2000, or all)")
	oneOf(fs, &f.landmarks, "landmarks", "choice of the landmarks", "kmeans", "uniform")
	fs.IntVar(&f.certificate, "certificate", 0, "rows from which the error of the approximation is estimated; 0: none")
	f.model.define(fs)
}

func (f *pseudoFitter) config(x mat.Matrix, run gram.Run) (pseudo.Config, error) {
	k, err := f.kernel.kernel(x, run.Seed)
	if err != nil {
		return pseudo.Config{}, err
	}
	c := pseudo.Config{Kernel: k, M: f.m, P: f.p, All: f.all, Sample: f.sample, Certificate: f.certificate, Run: run}
	for _, v := range []pseudo.Kind{pseudo.Products, pseudo.Lower, pseudo.Upper, pseudo.Mid} {
		if v.String() == f.kind {
			c.Kind = v
		}
	}
	if f.landmarks == "uniform" {
		c.Landmarks = landmark.Uniform{}
	}
	return c, nil
}

// Plan adds the linear model to the features.
func (f *pseudoFitter) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := f.config(nil, gram.Run{})
	if err != nil {
		return gram.Plan{}, err
	}
	p, err := c.Plan(s)
	if err != nil {
		return gram.Plan{}, err
	}
	return f.model.planOn(p, c.Features(s), s)
}

// Fit stores the linear model as one of the columns.
func (f *pseudoFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	model, m, err := fitOn(ctx, "pseudo", f.config, &f.model, d, run)
	if model == nil {
		return nil, err
	}
	return pipeline.Onto(model, m.Columns(), m.Root()), err
}
