package bka

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
)

func TestContract(t *testing.T) {
	for _, s := range []struct {
		name   string
		c      SVM
		golden []string // the first is that of this version
		random string
	}{
		{"early", SVM{Machine: svm.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, C: 4}, Partition: Partition{Clusters: 3}}, []string{"bka-svm.v1.svm.v2.gram", "bka-svm.v1.gram"}, "partition"},
		{"whole", SVM{Machine: svm.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, NoBias: true}, Partition: Partition{Clusters: 3}, Whole: true}, nil, "partition"},
		{"balanced", SVM{Machine: svm.Config{Kernel: kernel.Laplacian{Gamma: 0.3}, Multi: svm.OneVsRest}, Partition: Partition{Clusters: 4, Balance: 1.2}}, nil, "partition/node #"},
	} {
		t.Run(s.name, func(t *testing.T) {
			with := func(n int, run gram.Run) SVM {
				c := s.c
				c.Machine.Run = run
				c.Clusters = min(c.Clusters, n)
				return c
			}
			subject := algotest.Subject{
				Kind: algotest.Classification,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					n, _ := d.X.Dims()
					return algotest.Fitted(with(n, run).Fit(ctx, d.X, d.Labels, d.Weights))
				},
				Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return with(s.N, run).Plan(s) },
				Decode:   func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
				Share:    0.5, // the cache is cleared memory
				Weighted: true,
				Exact: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					c := with(3, run)
					c.Clusters, c.Balance, c.Machine.Tol = 3, 0, 1e-9
					return algotest.Fitted(c.Fit(ctx, d.X, d.Labels, d.Weights))
				},
				WeightTol: 1e-6,
				Random:    []string{s.random},
				Memory:    gram.Shape{N: 6000, D: 8, Outputs: 3},
			}
			if s.golden != nil {
				subject.Golden, subject.Older = s.golden[0], s.golden[1:]
			}
			algotest.Check(t, subject)
		})
	}
}

// TestForged has parts that do not fit together, in files without other faults.
func TestForged(t *testing.T) {
	fit := func(d, classes int, whole bool) *Model {
		x, y := gen.Blobs(90, d, classes, 1, 2)
		c := SVM{Machine: svm.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, NoBias: whole}, Partition: Partition{Clusters: 3}, Whole: whole}
		m := must.Have(c.Fit(t.Context(), x, y, nil))(t)
		return m
	}
	donor := fit(3, 3, false)
	for name, forge := range map[string]func(m *Model){
		"columns": func(m *Model) { m.local[0] = donor.local[0] },
		"classes": func(m *Model) { m.local[0], _ = fit(2, 4, false).Local(0) },
		"class":   func(m *Model) { m.constant[1] = 3 },
		"nothing": func(m *Model) { m.local[2] = nil },
		"one class": func(m *Model) {
			m.names = m.names[:1]
			clear(m.constant)
			clear(m.local)
		},
		"other clusters": func(m *Model) { m.router = donor.router },
	} {
		m := fit(2, 3, false)
		forge(m)
		fixture.Misfits(t, name, m, Decode)
	}
}

func TestApproximationDraws(t *testing.T) {
	x, _ := gen.Blobs(90, 3, 3, 1, 2)
	algotest.Draws(t, "blocks of clusters", []string{"partition"}, nil, func(run gram.Run) {
		c := Config{Kernel: kernel.Gaussian{Gamma: 0.3}, Partition: Partition{Clusters: 3}, Run: run}
		if _, err := c.Fit(t.Context(), x); err != nil {
			t.Error(err)
		}
	})
}
