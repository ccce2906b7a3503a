package catalog

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/learned/rfm"
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/mat"
)

var rfmMethod = Method{
	Name:    rfm.Method,
	Summary: "recursive feature machine: kernel ridge regression with the Laplace kernel, whose metric is learned from its own gradients; classes as in krr",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	Scaled:  true,
	New:     of(recursive{}, byTask(classes(recursive.FitClasses), values(recursive.FitValues))),
	Decode:  rfm.DecodeAny,
}

// recursive is a recursive feature machine for classes or for values.
type recursive struct{ rfm.Config }

// Plan is that of the functions of all classes.
func (c recursive) Plan(s gram.Shape) (gram.Plan, error) { return c.PlanClasses(s) }

// FitValues trains on values.
func (c recursive) FitValues(ctx context.Context, x mat.Matrix, y, w []float64) (*krr.Regressor, error) {
	m, err := c.Fit(ctx, x, y, w)
	return regressor(m, rfm.Method, err)
}
