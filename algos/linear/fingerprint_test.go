package linear

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/solve"
)

func TestFingerprints(t *testing.T) {
	classes := map[string]func(ctx context.Context, d algotest.Data, run gram.Run) (*Classifier, error){
		"svm": func(ctx context.Context, d algotest.Data, run gram.Run) (*Classifier, error) {
			return SVM{C: 10, Bias: 3, Tol: 1e-5, Run: run}.Fit(ctx, newCosines(4, 12), d.X, d.Labels, d.Weights)
		},
		"svm, ended early": func(ctx context.Context, d algotest.Data, run gram.Run) (*Classifier, error) {
			return SVM{MaxIter: 2, NoBias: true, Run: run}.Fit(ctx, nil, d.X, d.Labels, d.Weights)
		},
		"hinge": func(ctx context.Context, d algotest.Data, run gram.Run) (*Classifier, error) {
			return SVM{Loss: Hinge, C: .3, Run: run}.Fit(ctx, nil, d.X, d.Labels, d.Weights)
		},
		"logistic": func(ctx context.Context, d algotest.Data, run gram.Run) (*Classifier, error) {
			return Logistic{C: 10, NoBias: true, Run: run}.Fit(ctx, newCosines(4, 12), d.X, d.Labels, d.Weights)
		},
		"logistic, ended early": func(ctx context.Context, d algotest.Data, run gram.Run) (*Classifier, error) {
			return Logistic{MaxIter: 2, Bias: 2, Run: run}.Fit(ctx, nil, d.X, d.Labels, d.Weights)
		},
	}
	for name, fit := range classes {
		t.Run(name, func(t *testing.T) {
			algotest.Subject{
				Kind: algotest.Classification,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					return algotest.Fitted(fit(ctx, d, run))
				},
				Weighted: true,
			}.Fingerprint(t)
		})
	}
	algotest.Fingerprints(t, algotest.Subject{Kind: algotest.Regression, Weighted: true}, map[string]Ridge{
		"ridge, per row":    {Lambda: gram.Set(.01), Penalty: solve.PerRow},
		"ridge, no bias":    {NoBias: true, Lambda: gram.Set(2.)},
		"ridge, no penalty": {Lambda: gram.Set(0.0)},
		"ridge, cg":         {Solver: CG, NoBias: true, Lambda: gram.Set(.1), MaxIter: 200},
	}, func(c Ridge, ctx context.Context, d algotest.Data) (*algotest.Model, error) {
		return algotest.Fitted(c.Fit(ctx, newCosines(4, 12), d.X, d.Value, d.Weights))
	})
}
