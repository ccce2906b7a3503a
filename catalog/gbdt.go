package catalog

import (
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var gbdtMethod = Method{
	Name:    "gbdt",
	Trees:   true,
	Summary: "gradient boosted decision trees with histograms; criterion=direct splits by the logistic loss itself",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     of(gbdt.Config{}, byTask(classes(gbdt.Config.Fit), values(gbdt.Config.FitValues))),
	Decode: func(f *modelfile.File) (modelfile.Model, error) {
		if f.Has("classes") {
			return gbdt.DecodeClassifier(f)
		}
		return gbdt.DecodeRegressor(f)
	},
}
