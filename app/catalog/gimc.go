package catalog

import (
	"github.com/gramworks/gram/algos/labels/gimc"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

var gimcMethod = Method{
	Name:    "gimc-lff",
	Summary: "ridge regression on sets of labels in learned Fourier or Nyström features (GIMC-LFF, GIMC-LNYS)",
	Tasks:   []dataset.Task{dataset.MultiLabel},
	New:     of(gimc.Config{}, tags(gimc.Config.Fit)),
	Decode:  func(f *modelfile.File) (modelfile.Model, error) { return gimc.Decode(f) },
}
