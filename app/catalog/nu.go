package catalog

import (
	"context"

	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

// The models of the ν-machines are those of svm and svr, in their files too.

var nuSVMMethod = Method{
	Name:    "nu-svm",
	Summary: "exact kernel support vector machine for classes that bounds the share of rows within the margin (nu-SVC)",
	Tasks:   []dataset.Task{dataset.Classes},
	New:     of(svm.NuSVC{}, classes(svm.NuSVC.Fit)),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return svm.Decode(f) },
}

var nuSVRMethod = Method{
	Name:    "nu-svr",
	Summary: "exact kernel support vector regression that bounds the share of rows outside the tube (nu-SVR)",
	Tasks:   []dataset.Task{dataset.Regression},
	New:     choosing(of(svm.NuSVR{}, values(svm.NuSVR.Fit))),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return svm.DecodeRegressor(f) },
}

var oneClassMethod = Method{
	Name:    "one-class",
	Summary: "one-class support vector machine: where rows lie, and which are outside; without a target",
	Tasks:   []dataset.Task{dataset.NoTarget},
	New: of(svm.OneClass{}, func(ctx context.Context, c svm.OneClass, d *dataset.Set) (modelfile.Model, error) {
		return result(c.Fit(ctx, d.X, d.Weight))
	}),
	Decode: func(f *modelfile.File) (modelfile.Model, error) { return svm.Decode(f) },
}
