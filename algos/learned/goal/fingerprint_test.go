package goal

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/kernel"
)

func TestFingerprints(t *testing.T) {
	for _, s := range []struct {
		name string
		kind algotest.Kind
		c    Config
	}{
		{"no learning", algotest.Classification, Config{Kernel: kernel.Gaussian{Gamma: .3}, M: 6, MaxIter: gram.Set(0), Loss: Logistic}},
		{"folds", algotest.Classification, Config{Kernel: kernel.Gaussian{Gamma: .3}, M: 4, MaxIter: gram.Set(4), Steps: 3, Folds: 2, NoBias: true}},
		{"squared", algotest.Classification, Config{Kernel: kernel.Gaussian{Gamma: .3}, Features: Fourier, M: 4, MaxIter: gram.Set(3), Loss: Squared, Holdout: gram.Set(0.)}},
		{"Laplacian", algotest.Regression, Config{Kernel: kernel.Laplacian{Gamma: .3}, Features: Fourier, M: 4, MaxIter: gram.Set(3), Folds: 2}},
		{"turns", algotest.Regression, Config{Kernel: kernel.Gaussian{Gamma: .3}, M: 6, MaxIter: gram.Set(12), Steps: 2, Lambda: gram.Set(.1), Landmarks: landmark.Uniform{}, Holdout: gram.Set(0.)}},
	} {
		t.Run(s.name, func(t *testing.T) {
			algotest.Subject{
				Kind: s.kind,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c := s.c
					c.Run = run
					if s.kind == algotest.Regression {
						return algotest.Fitted(c.FitValues(ctx, d.X, d.Value, d.Weights))
					}
					return algotest.Fitted(c.Fit(ctx, d.X, d.Labels, d.Weights))
				},
				Weighted: true,
			}.Fingerprint(t)
		})
	}
}
