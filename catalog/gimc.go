package catalog

import (
	"context"
	"flag"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/imc"
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/algos/multilabel"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var gimcMethod = Method{
	Name:    "gimc-lff",
	Summary: "ridge regression on sets of labels in learned Fourier or Nyström features (GIMC-LFF, GIMC-LNYS)",
	Tasks:   []dataset.Task{dataset.MultiLabel},
	New:     func() Fitter { return &gimcFitter{} },
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return multilabel.DecodeGIMC(f) },
}

type gimcFitter struct {
	c               multilabel.GIMC
	kind, landmarks string
}

func (f *gimcFitter) Flags(fs *flag.FlagSet) {
	oneOf(fs, &f.kind, "features", "kind of features", imc.Fourier.String(), imc.Nystrom.String())
	fs.IntVar(&f.c.M, "m", 0, "frequencies, of two features each, or landmarks (default 100; landmarks: at most the number of rows)")
	fs.Float64Var(&f.c.Gamma, "gamma", 0, "width of the Gaussian kernel that the features start from; 0: a tenth of one over the mean squared distance of rows")
	oneOf(fs, &f.landmarks, "landmarks", "choice of the landmarks that learning starts from", "uniform", "kmeans")
	fs.Float64Var(&f.c.Lambda, "lambda", 1, "weight of the squared coefficients")
	fs.BoolVar(&f.c.Fixed, "fixed", false, "features as drawn, not learned")
	fs.IntVar(&f.c.Steps, "steps", 10, "gradient steps on the features at most")
	fs.Float64Var(&f.c.Tol, "tol", 1e-4, "relative progress of a step below which it stops")
	fs.Float64Var(&f.c.Validation, "validation", 0, "part of the rows that decides on the number of steps; 0: none, all steps are taken")
	fs.BoolVar(&f.c.NoConstant, "no-constant", false, "no constant feature")
}

func (f *gimcFitter) config() multilabel.GIMC {
	c := f.c
	if f.kind == imc.Nystrom.String() {
		c.Map = imc.Nystrom
	}
	if f.landmarks == "kmeans" {
		c.Landmarks = landmark.KMeans{}
	}
	return c
}

func (f *gimcFitter) Plan(s gram.Shape) (gram.Plan, error) { return f.config().Plan(s) }

func (f *gimcFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	c := f.config()
	c.Run = run
	return result(c.Fit(ctx, d.X, d.Tags))
}
