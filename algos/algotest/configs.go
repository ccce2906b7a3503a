package algotest

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// A FitOf fits one of several configurations; its receiver comes first, as in a method expression.
type FitOf[C any] = func(c C, ctx context.Context, d Data) (*Model, error)

// A result is a model that can be stored, or nil.
type result interface {
	comparable
	modelfile.Model
}

// Rows makes a FitOf of a method that fits rows alone, such as Config.Fit.
func Rows[C any, M result](fit func(C, context.Context, mat.Matrix) (M, error)) FitOf[C] {
	return func(c C, ctx context.Context, d Data) (*Model, error) { return Fitted(fit(c, ctx, d.X)) }
}

// Weighted makes a FitOf of a method that fits rows with weights, such as Config.FitWeighted.
func Weighted[C any, M result](fit func(C, context.Context, mat.Matrix, []float64) (M, error)) FitOf[C] {
	return func(c C, ctx context.Context, d Data) (*Model, error) { return Fitted(fit(c, ctx, d.X, d.Weights)) }
}

// Values makes a FitOf of the method of a regressor.
func Values[C any, M result](fit func(C, context.Context, mat.Matrix, []float64, []float64) (M, error)) FitOf[C] {
	return func(c C, ctx context.Context, d Data) (*Model, error) {
		return Fitted(fit(c, ctx, d.X, d.Value, d.Weights))
	}
}

// Classes makes a FitOf of the method of a classifier.
func Classes[C any, M result](fit func(C, context.Context, mat.Matrix, gram.Labels, []float64) (M, error)) FitOf[C] {
	return func(c C, ctx context.Context, d Data) (*Model, error) {
		return Fitted(fit(c, ctx, d.X, d.Labels, d.Weights))
	}
}

// Tags makes a FitOf of a method that fits sets of labels. The output of the model is the scores of all labels, and missing for
// labels that the model does not list.
func Tags[C any, M interface {
	result
	gram.Ranker
}](missing float64, fit func(C, context.Context, mat.Matrix, *sparse.CSR) (M, error)) FitOf[C] {
	return func(c C, ctx context.Context, d Data) (*Model, error) {
		return Ranking[M](missing)(fit(c, ctx, d.X, d.Tags))
	}
}

// Fingerprints compares the fit of every one of the configurations with its fingerprint, in a subtest of
// that name. It sets the run of the configurations; s says the kind and whether Data.Weights is used.
func Fingerprints[C any, P interface {
	*C
	SetRun(run gram.Run)
}](t *testing.T, s Subject, configs map[string]C, fit FitOf[C]) {
	for name, c := range configs {
		s.Fit = func(ctx context.Context, d Data, run gram.Run) (*Model, error) {
			one := c
			P(&one).SetRun(run)
			return fit(one, ctx, d)
		}
		t.Run(name, s.Fingerprint)
	}
}
