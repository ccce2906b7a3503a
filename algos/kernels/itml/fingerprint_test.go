package itml

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

func TestFingerprints(t *testing.T) {
	k := kernel.Gaussian{Gamma: 0.1}
	constraints := func(d algotest.Data) (cs []constraint.Linear) {
		for i := range 20 {
			j, l := (i*7+3)%40, (i*11+5)%40
			if i == j || i == l || j == l {
				continue
			}
			if d.Labels.Class[i] == d.Labels.Class[j] {
				cs = append(cs, constraint.Distance(i, j, constraint.AtMost, 0.5))
			} else {
				cs = append(cs, constraint.Similarity(i, j, constraint.AtMost, 0.6), constraint.RelativeDistance(i, l, i, j, constraint.AtMost, -.1))
			}
			cs = append(cs, constraint.RelativeSimilarity(i, j, i, i, constraint.AtMost, -.05))
		}
		return append(cs, constraint.Probability(1, []int{1, 4, 7}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}, .4))
	}
	algotest.Fingerprints(t, algotest.Subject{}, map[string]Config{
		"LogDet, projections": {Slack: 1, Solver: Projections, Tol: 1e-4},
		"LogDet, random":      {Slack: 1, Reduction: Random, M: 12},
		"Frobenius":           {Regularizer: Frobenius, Slack: 10},
		"NearIdentity":        {Regularizer: NearIdentity, Slack: 10},
		"Trace, Newton":       {Regularizer: Trace, Slack: 10, Tau: gram.Set(.1), Solver: Newton, Rank: 4},
		"Trace, Lanczos":      {Regularizer: Trace, Slack: 10, Tau: gram.Set(.1), Solver: Lanczos},
		"subset, farthest":    {Regularizer: Frobenius, Slack: 10, Reduction: Subset, M: 15, Landmarks: landmark.Farthest{}},
		"clusters":            {Slack: 1, Reduction: Clusters, M: 12},
	}, func(c Config, ctx context.Context, d algotest.Data) (*algotest.Model, error) {
		c.Kernel = k
		m, err := c.Fit(ctx, d.X, constraints(d))
		if m == nil {
			return nil, err
		}
		return &algotest.Model{Public: m, Output: func(x mat.Matrix) *mat.Dense { return m.Kernel().Gram(nil, x, x) }, Encode: m.Encode}, err
	})
}

func TestKNNFingerprints(t *testing.T) {
	algotest.Fingerprints(t, algotest.Subject{Kind: algotest.Classification, Weighted: true}, map[string]KNN{
		"hard":      {Config: Config{Regularizer: NearIdentity, Tol: 1e-3}, Hard: true, Pairs: constraint.Pairs{Count: 10}},
		"Frobenius": {Config: Config{Regularizer: Frobenius, Reduction: Subset, M: 30}, K: 3, Pairs: constraint.Pairs{Count: 50, Low: gram.Set(10.0), High: 90}},
	}, func(c KNN, ctx context.Context, d algotest.Data) (*algotest.Model, error) {
		c.Kernel = kernel.Gaussian{Gamma: 0.1}
		return algotest.Fitted(c.Fit(ctx, d.X, d.Labels, d.Weights))
	})
}

func TestFunctionFingerprints(t *testing.T) {
	k := kernel.Gaussian{Gamma: 0.1}
	for name, fit := range map[string]func(ctx context.Context, x mat.Matrix, run gram.Run) (*Function, error){
		"manifold": func(ctx context.Context, x mat.Matrix, run gram.Run) (*Function, error) {
			return Manifold{Kernel: k, Run: run}.Fit(ctx, x)
		},
		"manifold, weights": func(ctx context.Context, x mat.Matrix, run gram.Run) (*Function, error) {
			return Manifold{Kernel: k, Neighbors: 4, Ratio: gram.Set(3.), Power: 2, Normalized: true, Gamma: .2, Run: run}.Fit(ctx, x)
		},
	} {
		t.Run(name, func(t *testing.T) {
			algotest.Subject{
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					f, err := fit(ctx, d.X, run)
					if err != nil {
						return nil, err
					}
					return &algotest.Model{Public: f, Output: func(x mat.Matrix) *mat.Dense { return f.Gram(nil, x, x) }, Encode: f.Encode}, nil
				},
			}.Fingerprint(t)
		})
	}
}

// A kernel that was learned from one that was learned.
func TestCorrupted(t *testing.T) {
	x := algotest.Problem(24, 30, 4, 3).X
	algotest.AtGeneric(t, func() {
		base := must.Have(Manifold{Kernel: kernel.Gaussian{Gamma: 0.1}}.Fit(t.Context(), x))(t)
		m := must.Have(Config{Kernel: base, Regularizer: Frobenius, Slack: 10}.Fit(t.Context(), x, []constraint.Linear{constraint.Similarity(1, 2, constraint.AtLeast, 1), constraint.Similarity(3, 4, constraint.AtMost, 0)}))(t)
		algotest.Corrupted(t, m, func(f *modelfile.File) (*algotest.Model, error) {
			m, err := Decode(f)
			if err != nil {
				return nil, err
			}
			return &algotest.Model{Output: func(x mat.Matrix) *mat.Dense { return m.Kernel().Gram(nil, x, x) }}, nil
		}, x)
	})
}
