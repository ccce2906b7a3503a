package svm

import (
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
)

func TestFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{Kind: algotest.Classification, Weighted: true}, map[string]Config{
		"double":       {Kernel: kernel.Gaussian{Gamma: 0.3}, Double: true, Tol: 1e-6},
		"tight":        {Kernel: kernel.Gaussian{Gamma: 1}, C: 100, Tol: 1e-5},
		"linear":       {Kernel: kernel.Linear{}, C: .2, Multi: OneVsRest},
		"sigmoid":      {Kernel: kernel.Sigmoid{Scale: 0.1, Offset: -1}, CacheBytes: 4096},
		"ended early":  {Kernel: kernel.Matern{Nu: 2.5, Length: 1}, MaxIter: 30},
		"without bias": {Kernel: kernel.Laplacian{Gamma: 0.3}, NoBias: true, Multi: OneVsRest},
	}, algotest.Classes(Config.Fit))
}

func TestRegressionFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{Kind: algotest.Regression, Weighted: true}, map[string]Regression{
		"no epsilon": {Kernel: kernel.Gaussian{Gamma: 0.3}, Epsilon: gram.Set(0.0), NoBias: true},
		"double":     {Kernel: kernel.Laplacian{Gamma: 0.3}, Double: true, C: 3},
	}, algotest.Values(Regression.Fit))
}

// A problem that starts from another solution, as those of divide and conquer do.
func TestStartFingerprints(t *testing.T) {
	d := algotest.Problem(24, 100, 4, 2)
	p := Problem{Kernel: kernel.Gaussian{Gamma: 0.3}, X: d.X}
	start := make([]float64, 100)
	for i, c := range d.Labels.Class {
		y := float64(2*c - 1)
		p.Target = append(p.Target, y)
		p.Lower, p.Upper = append(p.Lower, min(0, y*d.Weights[i])), append(p.Upper, max(0, y*d.Weights[i]))
		start[i] = y * float64(i%5) / 3
	}
	for name, start := range map[string][]float64{"zero": nil, "warm": start} {
		for _, noBias := range []bool{false, true} {
			if noBias {
				name += ", no bias"
			}
			t.Run(name, func(t *testing.T) {
				p.Start, p.NoBias = start, noBias
				algotest.AtGeneric(t, func() {
					s := must.Have(Solve(t.Context(), p))(t)
					algotest.Fingerprint(t, "coef", s.Coef, "bias", []float64{s.Bias})
				})
			})
		}
	}
}
