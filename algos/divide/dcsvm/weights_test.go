package dcsvm

import (
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
)

// Rows of weight zero are left out, but row numbers and labels are those of all rows, and
// clusters that are given are those of all rows.
func TestRowsWithoutWeight(t *testing.T) {
	d := algotest.Problem(5, 80, 3, 2)
	for i := 0; i < 80; i += 4 {
		d.Weights[i] = 0
	}
	c := Config{Machine: svm.Config{Kernel: kernel.Gaussian{Gamma: .3}, Tol: 1e-9}, Branch: 4, Levels: gram.Set(1)}
	m, stats := must.Have2(c.Fit(t.Context(), d.X, d.Labels, d.Weights))(t)
	one := must.Have(c.Machine.Fit(t.Context(), d.X, d.Labels, d.Weights))(t)
	if !slices.Equal(m.Support(), one.Support()) {
		t.Errorf("support vectors %v, want %v", m.Support(), one.Support())
	}
	labels := stats.Levels[0].Labels
	if len(labels) != 80 || slices.Min(labels) < 0 {
		t.Fatalf("clusters %v", labels)
	}
	c.Given = []kmeans.Partition{{Labels: labels}}
	c.Levels = gram.Opt[int]{}
	_, again := must.Have2(c.Fit(t.Context(), d.X, d.Labels, d.Weights))(t)
	if !slices.Equal(again.Levels[0].Labels, labels) || again.Levels[0].Iterations != stats.Levels[0].Iterations {
		t.Errorf("clusters %v when given as %v", again.Levels[0].Labels, labels)
	}
}
