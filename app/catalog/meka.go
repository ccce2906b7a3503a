package catalog

import (
	"github.com/gramworks/gram/algos/lowrank/meka"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var mekaMethod = Method{
	Name:    "meka",
	Summary: "features of a memory efficient kernel approximation, clusters with bases and links, with a linear model: support vector machine, logistic or ridge regression",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     choosing(features("meka", meka.Config{}, meka.Config.Fit)),
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
