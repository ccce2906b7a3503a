package dckrr

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Method is the name of divided kernel ridge regression in model files, for clusters and for
// random parts.
const Method = "dc-krr"

// PlanClasses returns the expected cost of FitClasses for data of shape s, where Outputs is
// the number of classes.
func (c Config) PlanClasses(s gram.Shape) (gram.Plan, error) {
	s.Outputs = multiclass.Functions(s.Outputs)
	return c.Plan(s)
}

// PlanClasses returns the expected cost of FitClasses for data of shape s, where Outputs is
// the number of classes.
func (c Random) PlanClasses(s gram.Shape) (gram.Plan, error) {
	s.Outputs = multiclass.Functions(s.Outputs)
	return c.Plan(s)
}

// FitClasses trains a classifier on the rows of x with weights w; nil means ones. It neither keeps nor changes x and y. It
// returns the errors of Fit.
func (c Config) FitClasses(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*krr.Classifier, error) {
	return krr.FitClasses(ctx, Method, x, y, w, c.FitAll)
}

// FitClasses trains a classifier on the rows of x with weights w; nil means ones. It neither keeps nor changes x and y. It
// returns the errors of Fit.
func (c Random) FitClasses(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*krr.Classifier, error) {
	return krr.FitClasses(ctx, Method, x, y, w, c.FitAll)
}

// DecodeAny reads a model of this package: a *krr.Classifier or a *krr.Regressor of
// Method, a *Model, or a bare *krr.Model, which Random makes.
func DecodeAny(f *modelfile.File) (modelfile.Model, error) {
	return krr.DecodeNamed(f, Method, func(f *modelfile.File) (m krr.Functions, err error) {
		if f.Method() == dividedMethod {
			m, err = Decode(f)
		} else {
			m, err = krr.Decode(f)
		}
		if err != nil {
			return nil, err
		}
		return m, nil
	})
}
