package dcpred

import (
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/lowrank/pseudo"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/structured"
)

func TestFingerprints(t *testing.T) {
	for name, c := range map[string]Config{
		"all":              {Kernel: kernel.Polynomial{Degree: 2, Offset: 1}, Leaf: 40, M: 4, All: true, Lambda: gram.Set(.2)},
		"upper, deep":      {Kernel: kernel.Gaussian{Gamma: 0.3}, Leaf: 20, Branch: 2, Depth: 3, M: 5, P: 3, Kind: pseudo.Upper, C: 5, Penalty: solve.PerRow, Lambda: gram.Set(.01)},
		"structured, rows": {Kernel: kernel.Gaussian{Gamma: 0.3}, Leaf: 50, M: 8, Structured: true, Matrix: structured.Hadamard, Rows: 2},
	} {
		classes := algotest.Subject{Kind: algotest.Classification, Weighted: true}
		algotest.Fingerprints(t, classes, map[string]Config{name + "/classes": c}, algotest.Classes(Config.Fit))
		values := algotest.Subject{Kind: algotest.Regression, Weighted: true}
		algotest.Fingerprints(t, values, map[string]Config{name + "/values": c}, algotest.Values(Config.FitValues))
	}
}
