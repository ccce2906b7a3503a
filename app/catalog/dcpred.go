package catalog

import (
	"github.com/gramworks/gram/algos/divide/dcpred"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var dcpredMethod = Method{
	Name:    "dcpred",
	Summary: "kernel machine for fast prediction: a tree of clusters with a local model of few landmarks in each leaf",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     choosing(of(dcpred.Config{}, byTask(classes(dcpred.Config.Fit), values(dcpred.Config.FitValues)))),
	Decode: func(f *modelfile.File) (modelfile.Model, error) {
		if f.Has("classes") {
			return dcpred.DecodeClassifier(f)
		}
		return dcpred.DecodeRegressor(f)
	},
}
