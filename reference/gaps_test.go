package reference_test

import (
	"context"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/divide/aesvm"
	"github.com/gramworks/gram/algos/divide/bka"
	"github.com/gramworks/gram/algos/divide/dcpred"
	"github.com/gramworks/gram/algos/divide/dcsvm"
	"github.com/gramworks/gram/algos/kernels/itml"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/learned/goal"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/algos/trees/ldkl"
	"github.com/gramworks/gram/kernel"
)

// Classes of which there are no rows are never predicted, and do not change what is said of the others.
func TestClassesWithoutRows(t *testing.T) {
	const n = 90
	x := probeNormal(1, n, 3)
	dense := gram.Labels{Class: make([]int, n), Names: []string{"a", "b", "c"}}
	gaps := gram.Labels{Class: make([]int, n), Names: []string{"a", "-", "b", "--", "---", "c"}}
	to := []int{0, 2, 5}
	for i := range n {
		k := 0
		for c := range 3 {
			if x.At(i, c) > x.At(i, k) {
				k = c
			}
		}
		dense.Class[i], gaps.Class[i] = k, to[k]
	}
	gauss := kernel.Gaussian{Gamma: .3}
	type fit func(ctx context.Context, y gram.Labels) (gram.Classifier, error)
	machine := svm.Config{Kernel: gauss, C: 2, Tol: 1e-6}
	for name, f := range map[string]fit{
		"svm": func(ctx context.Context, y gram.Labels) (gram.Classifier, error) { return machine.Fit(ctx, x, y, nil) },
		"svm against the rest": func(ctx context.Context, y gram.Labels) (gram.Classifier, error) {
			c := machine
			c.Multi = svm.OneVsRest
			return c.Fit(ctx, x, y, nil)
		},
		"bka": func(ctx context.Context, y gram.Labels) (gram.Classifier, error) {
			return bka.SVM{Machine: machine, Partition: bka.Partition{Clusters: 3}}.Fit(ctx, x, y, nil)
		},
		"dcsvm": func(ctx context.Context, y gram.Labels) (gram.Classifier, error) {
			m, _, err := dcsvm.Config{Machine: machine, Levels: gram.Set(1), Branch: 2}.Fit(ctx, x, y, nil)
			return m, err
		},
		"aesvm": func(ctx context.Context, y gram.Labels) (gram.Classifier, error) {
			m, _, err := aesvm.Config{Machine: machine}.Fit(ctx, x, y, nil)
			return m, err
		},
		"dcpred": func(ctx context.Context, y gram.Labels) (gram.Classifier, error) {
			return dcpred.Config{Kernel: gauss, Leaf: 40}.Fit(ctx, x, y, nil)
		},
		"krr": func(ctx context.Context, y gram.Labels) (gram.Classifier, error) {
			return krr.Config{Kernel: gauss, NoBias: true}.FitClasses(ctx, x, y, nil)
		},
		"linear": func(ctx context.Context, y gram.Labels) (gram.Classifier, error) {
			return linear.SVM{Tol: 1e-6}.Fit(ctx, nil, x, y, nil)
		},
		"logistic": func(ctx context.Context, y gram.Labels) (gram.Classifier, error) {
			return linear.Logistic{}.Fit(ctx, nil, x, y, nil)
		},
		"goal": func(ctx context.Context, y gram.Labels) (gram.Classifier, error) {
			return goal.Config{Kernel: gauss, M: 20}.Fit(ctx, x, y, nil)
		},
		"gbdt": func(ctx context.Context, y gram.Labels) (gram.Classifier, error) {
			return gbdt.Config{Rounds: 20}.Fit(ctx, x, y, nil)
		},
		"ldkl": func(ctx context.Context, y gram.Labels) (gram.Classifier, error) {
			return ldkl.Config{Depth: 2}.Fit(ctx, x, y, nil)
		},
		"itml": func(ctx context.Context, y gram.Labels) (gram.Classifier, error) {
			return itml.KNN{Config: itml.Config{Kernel: gauss}}.Fit(ctx, x, y, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			with := fitted[gram.Classifier](t)(f(t.Context(), gaps))
			without := fitted[gram.Classifier](t)(f(t.Context(), dense))
			if !slices.Equal(with.Classes(), gaps.Names) {
				t.Errorf("classes %q", with.Classes())
			}
			same := 0
			want := without.Predict(nil, x)
			for i, class := range with.Predict(nil, x) {
				if !slices.Contains(to, class) {
					t.Fatalf("row %d is of class %d, of which there are no rows", i, class)
				}
				if class == to[want[i]] {
					same++
				}
			}
			if same < n*9/10 {
				t.Errorf("%d of %d rows have the class that they have without the gaps", same, n)
			}
		})
	}
}
