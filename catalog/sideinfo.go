package catalog

import (
	"context"
	"flag"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/algos/sideinfo"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/pipeline"
	"gonum.org/v1/gonum/mat"
)

var sideinfoMethod = Method{
	Name:    "sideinfo",
	Summary: "generalised Nyström features, learned from the classes, with a linear model: support vector machine or logistic regression",
	Tasks:   []dataset.Task{dataset.Classes},
	New:     func() Fitter { return &sideinfoFitter{} },
	Decode: func(f *modelfile.File) (modelfile.Model, error) {
		return pipeline.DecodeLinear(f, "sideinfo", sideinfo.Decode)
	},
}

type sideinfoFitter struct {
	kernel    kernelFlags
	m         int
	landmarks string
	prior     float64
	csi       bool
	kappa     float64
	model     linearFlags
}

func (f *sideinfoFitter) Flags(fs *flag.FlagSet) {
	f.kernel.define(fs)
	fs.IntVar(&f.m, "m", 0, "landmarks (default a tenth of the rows, at most 500)")
	oneOf(fs, &f.landmarks, "landmarks", "choice of the landmarks", "kmeans", "uniform")
	fs.Float64Var(&f.prior, "prior", 0, "weight of the distance from Nyström's solution, relative to |P|²; 0: chosen by cross-validation")
	fs.BoolVar(&f.csi, "csi", false, "Cholesky with side information instead: landmarks chosen by the classes")
	fs.Float64Var(&f.kappa, "kappa", 0.99, "csi: weight of the classes in the choice")
	f.model.define(fs)
}

func (f *sideinfoFitter) config(x mat.Matrix, run gram.Run) (sideinfo.Config, error) {
	k, err := f.kernel.kernel(x, run.Seed)
	if err != nil {
		return sideinfo.Config{}, err
	}
	c := sideinfo.Config{Kernel: k, M: f.m, Lambda: f.prior, Accelerated: true, Run: run}
	if f.landmarks == "uniform" {
		c.Landmarks = landmark.Uniform{}
	}
	return c, nil
}

func (f *sideinfoFitter) csiConfig(c sideinfo.Config) sideinfo.CSI {
	return sideinfo.CSI{Kernel: c.Kernel, M: c.M, Kappa: f.kappa, Run: c.Run}
}

// Plan adds the linear model to the features.
func (f *sideinfoFitter) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := f.config(nil, gram.Run{})
	if err != nil {
		return gram.Plan{}, err
	}
	p, err := c.Plan(s)
	if f.csi {
		p, err = f.csiConfig(c).Plan(s)
	}
	if err != nil {
		return gram.Plan{}, err
	}
	m := f.m
	if m == 0 {
		m = max(1, min(s.N/10, 500))
	}
	return f.model.planOn(p, m, s)
}

func (f *sideinfoFitter) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	c, err := f.config(d.X, run)
	if err != nil {
		return nil, err
	}
	if err := f.model.check(); err != nil {
		return nil, err
	}
	var m *sideinfo.Model
	if f.csi {
		m, err = f.csiConfig(c).Fit(ctx, d.X, d.Labels)
	} else {
		m, err = c.Fit(ctx, d.X, d.Labels)
	}
	if err != nil {
		return nil, err
	}
	return f.model.fit(ctx, "sideinfo", m, d, run)
}
