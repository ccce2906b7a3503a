package krr

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

func TestFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{Kind: algotest.Regression, Weighted: true}, map[string]Config{
		"per row":         {Kernel: kernel.Gaussian{Gamma: 0.3}, Lambda: gram.Set(1e-3), Penalty: solve.PerRow},
		"no penalty":      {Kernel: kernel.Polynomial{Degree: 2, Offset: 1}, Solver: Eigen, Lambda: gram.Set(0.0), NoBias: true},
		"cg, landmarks":   {Kernel: kernel.Laplacian{Gamma: 0.2}, Lambda: gram.Set(0.1), Solver: CG, M: 20, Landmarks: landmark.KMeans{}, NoBias: true},
		"cg, ended early": {Kernel: kernel.Gaussian{Gamma: 0.2}, Lambda: gram.Set(1e-4), Solver: CG, MaxIter: 4, NoBias: true},
	}, func(c Config, ctx context.Context, d algotest.Data) (*algotest.Model, error) {
		n := len(d.Value)
		y := mat.NewDense(n, 2, nil)
		y.SetCol(0, d.Value)
		y.SetCol(1, mat.Col(nil, 1, d.X))
		return algotest.Fitted(c.FitAll(ctx, d.X, y, d.Weights))
	})
}

func TestPathFingerprints(t *testing.T) {
	d := algotest.Problem(24, 60, 4, 3)
	y := mat.NewDense(60, 2, nil)
	y.SetCol(0, d.Value)
	y.SetCol(1, mat.Col(nil, 1, d.X))
	lambda := []float64{1e-3, .1, 10}
	k := kernel.Gaussian{Gamma: 0.3}
	algotest.AtGeneric(t, func() {
		var items []any
		for _, bias := range []bool{false, true} {
			name := "path."
			if bias {
				name = "path.bias."
			}
			p := must.Have(Config{Kernel: k, NoBias: modelfile.Not(!bias)}.Path(t.Context(), d.X, y, d.Weights))(t)
			var scores []float64
			for _, s := range p.Scores(lambda) {
				scores = append(scores, s.Degrees, s.Training, s.LeaveOneOut, s.GCV)
			}
			items = append(items, name+"eigenvalues", p.Eigenvalues(), name+"scores", scores, name+"output", p.Model(.2).PredictAll(nil, d.X))
		}
		models := must.Have(Config{Kernel: k, NoBias: true}.FitEach(t.Context(), d.X, y, d.Weights, lambda))(t)
		items = append(items, "each", models[1].PredictAll(nil, d.X))
		goodness := must.Have(Goodness(t.Context(), k, d.X, d.Labels.Class, lambda, gram.Run{}))(t)
		algotest.Fingerprint(t, append(items, "goodness", goodness)...)
	})
}
