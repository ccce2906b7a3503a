package itml

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 30, 3, 3)
	inf := math.Inf(1)
	gauss := kernel.Gaussian{Gamma: 0.1}
	fit := func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, []constraint.Linear{constraint.Distance(0, 3, constraint.AtMost, 0.3), constraint.Distance(0, 1, constraint.AtLeast, 0.5)})
		return err
	}
	algotest.Refused(t, Config{Kernel: gauss, Slack: 1}, map[string][]any{
		"Kernel": {nil}, "Tau": {inf}, "Slack": {inf}, "M": {31}, "Rank": {1}, "Solver": {Lanczos}, "Tol": {1.0},
	}, fit)
	algotest.Refused(t, Config{Kernel: gauss, Slack: 10, Regularizer: Trace, Reduction: Subset, M: 20}, map[string][]any{
		"Kernel": {nil}, "Tau": {inf}, "Slack": {inf}, "M": {31}, "Solver": {Projections}, "Tol": {1.0},
	}, fit)
	knn := func(c KNN) error {
		_, err := c.Fit(t.Context(), d.X, d.Labels, nil)
		return err
	}
	algotest.Refused(t, KNN{Config: Config{Kernel: gauss}, Pairs: constraint.Pairs{Count: 30}}, map[string][]any{
		"Kernel": {nil}, "Tau": {inf}, "Slack": {inf}, "M": {31}, "Rank": {1}, "Solver": {Lanczos}, "Tol": {1.0},
		"K": {31}, "Low": {100.0}, "High": {5.0, 101.0},
	}, knn)
	algotest.Names(t, "Slack", "with Hard", knn(KNN{Config: Config{Kernel: gauss, Slack: 1}, Hard: true}))
	algotest.Names(t, "High", "below Low", knn(KNN{Config: Config{Kernel: gauss}, Pairs: constraint.Pairs{Low: gram.Set(50.0), High: 40}}))
	algotest.Refused(t, Manifold{Kernel: gauss}, map[string][]any{"Kernel": {nil}, "Neighbors": {30}, "Ratio": {inf}, "Power": {17}, "Gamma": {inf}}, func(c Manifold) error {
		_, err := c.Fit(t.Context(), d.X)
		return err
	})
	algotest.Refused(t, PCA{Kernel: gauss}, map[string][]any{"Kernel": {nil}, "Rank": {31}}, func(c PCA) error {
		_, err := c.Fit(t.Context(), d.X)
		return err
	})
}

func TestUsesRefused(t *testing.T) {
	d := algotest.Problem(5, 30, 3, 3)
	m, err := Config{Kernel: kernel.Gaussian{Gamma: 0.1}, Slack: 1}.Fit(t.Context(), d.X, []constraint.Linear{constraint.Distance(0, 3, constraint.AtMost, 0.3)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Kernel().Embedding()
	algotest.Names(t, "Regularizer", LogDet, err)
	_, err = m.Kernel().Mahalanobis()
	algotest.Names(t, "Kernel", "gaussian", err)
	for _, k := range []int{0, 31} {
		_, err = Neighbors(m.Kernel(), d.X, d.Labels, nil, k)
		algotest.Names(t, "K", k, err)
	}
}

func TestDescribed(t *testing.T) {
	algotest.Described(t, &Config{}, &KNN{}, &Manifold{}, &PCA{})
}

// Vectors without a kind are landmarks; a kind without a number has as many as its default.
func TestReductionFollows(t *testing.T) {
	for _, s := range []struct {
		c, want Config
		n       int
	}{
		{Config{}, Config{}, 300},
		{Config{M: 7}, Config{Reduction: Subset, M: 7}, 300},
		{Config{Reduction: Random, M: 7}, Config{Reduction: Random, M: 7}, 300},
		{Config{Reduction: Clusters}, Config{Reduction: Clusters, M: 256}, 300},
		{Config{Reduction: Subset}, Config{Reduction: Subset, M: 30}, 30},
	} {
		s.c.Kernel = kernel.Linear{}
		got, err := settings.Resolved(s.c, gram.Shape{N: s.n})
		if err != nil || got.Reduction != s.want.Reduction || got.M != s.want.M {
			t.Errorf("%v with %d of %d rows: %v with %d, %v", s.c.Reduction, s.c.M, s.n, got.Reduction, got.M, err)
		}
	}
}
