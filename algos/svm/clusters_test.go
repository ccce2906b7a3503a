package svm

import (
	"errors"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Large problems start from those of clusters, and end at the same optimum.
func TestStart(t *testing.T) {
	k := kernel.Gaussian{Gamma: .3}
	for _, c := range []struct {
		config     Config
		n, classes int
		want       bool
	}{
		{Config{}, clusteredRows, 2, true}, {Config{}, clusteredRows - 1, 2, false},
		{Config{}, 2 * clusteredRows, 4, true}, {Config{}, 2*clusteredRows - 2, 4, false},
		{Config{Multi: OneVsRest}, clusteredRows, 4, true},
		{Config{Start: ZeroStart}, clusteredRows, 2, false}, {Config{Start: ClusterStart}, 10, 2, true},
		{Config{Kernel: &kernel.Precomputed{}}, clusteredRows, 2, false},
	} {
		if got := c.config.clustered(c.n, c.classes); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
	if testing.Short() {
		return
	}
	x, y := gen.Blobs(4100, 3, 2, 5, 1)
	objective := func(start Start) (dual float64, clusters bool) {
		run := gram.Run{Progress: func(e gram.Event) { clusters = clusters || strings.Contains(e.Phase, "clusters") }}
		m := must.Have(Config{Kernel: k, Start: start, Run: run}.Fit(t.Context(), x, y, nil))(t)
		if m.Config().Start != AutoStart {
			t.Errorf("%v: the model keeps its start", start)
		}
		return m.Stats().Problems[0].Objective, clusters
	}
	got, clusters := objective(ClusterStart)
	want, none := objective(ZeroStart)
	if !clusters || none {
		t.Errorf("clusters: %t, from zero %t", clusters, none)
	}
	if !(got <= want*(1-1e-4)) || !(got >= want*(1+1e-4)) {
		t.Errorf("objective %v, want %v", got, want)
	}
}

// Clusters need kernel values of other points, which a matrix does not have.
func TestClustersOfKernelMatrix(t *testing.T) {
	var wrong *gram.ConfigError
	_, _, err := Clusters{Machine: Config{Kernel: kernel.Matrix{}}}.Fit(t.Context(), mat.NewDense(2, 2, []float64{1, 0, 0, 1}), gram.Labels{Class: []int{0, 1}, Names: []string{"a", "b"}}, nil)
	if !errors.As(err, &wrong) || wrong.Field != "Machine.Kernel" {
		t.Errorf("%v", err)
	}
}
