package catalog

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/gp"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

var gpMethod = Method{
	Name:    "gp",
	Summary: "Gaussian process: of values, kernel ridge regression whose values have a variance, on all rows or on landmarks (DTC, FITC); of classes, by Laplace's approximation, on all rows; with lambda, and with ard=true a width for each column, by marginal likelihood",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     of(process{}, byTask(classes(process.FitClasses), values(process.FitValues))),
	Decode:  decodeProcess,
}

// classifierOfProcess is the method in the files of Gaussian processes of classes.
const classifierOfProcess = "gp.classifier"

func decodeProcess(f *modelfile.File) (modelfile.Model, error) {
	if f.Method() == classifierOfProcess {
		return result(gp.DecodeClassifier(f))
	}
	return result(gp.Decode(f))
}

// process is a Gaussian process of classes or of values.
type process struct {
	Values  gp.Config
	Classes gp.ClassConfig
	gram.Run
}

// Settings describes those of both. Each configuration checks its own when it is fitted.
func (c *process) Settings(s *settings.Fields) { s.Alternatives(c.kinds()...) }

const ofValues, ofClasses = "values", "classes"

func (c *process) kinds() []settings.Alternative {
	return []settings.Alternative{{Name: ofValues, Described: &c.Values}, {Name: ofClasses, Described: &c.Classes}}
}

// of returns the configuration with its run in the kind that is used, and refuses settings of the other.
func (c process) of(kind string) (process, error) {
	c.Values.Run, c.Classes.Run = c.Run, c.Run
	return c, settings.Unused(kind, c.kinds()...)
}

// Plan returns the expected cost of a fit; more than one output means classes.
func (c process) Plan(s gram.Shape) (gram.Plan, error) {
	if s.Outputs > 1 {
		c, err := c.of(ofClasses)
		if err != nil {
			return gram.Plan{}, err
		}
		return c.Classes.Plan(s)
	}
	c, err := c.of(ofValues)
	if err != nil {
		return gram.Plan{}, err
	}
	return c.Values.Plan(s)
}

// FitValues fits a regression to values, and refuses settings that only classes use.
func (c process) FitValues(ctx context.Context, x mat.Matrix, y, w []float64) (*gp.Model, error) {
	c, err := c.of(ofValues)
	if err != nil {
		return nil, err
	}
	return c.Values.Fit(ctx, x, y, w)
}

// FitClasses fits a classifier, and refuses settings that only values use.
func (c process) FitClasses(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*gp.Classifier, error) {
	c, err := c.of(ofClasses)
	if err != nil {
		return nil, err
	}
	return c.Classes.Fit(ctx, x, y, w)
}
