package svm

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/rows"
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
	// A few rows have no clusters, but take the same way.
	few, labels := gen.Blobs(40, 3, 2, 1, 1)
	plain := must.Have(Config{Kernel: k, Start: ZeroStart}.Fit(t.Context(), few, labels, nil))(t)
	if m := must.Have(Config{Kernel: k, Start: ClusterStart}.Fit(t.Context(), few, labels, nil))(t); m.Config().Start != AutoStart || !mat.Equal(m.Values(nil, few), plain.Values(nil, few)) {
		t.Error("clusters of a few rows change the model")
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

// The figures of the levels are those of machines that are trained on the parts alone, of rows that have a weight; the parts that a
// tree made, given to another fit, make the same levels. The model is that of the exact problem.
func TestLevels(t *testing.T) {
	const n = 400
	x, y := gen.Blobs(n, 3, 3, 1, 5)
	w := make([]float64, n)
	for i := range w {
		w[i] = float64(i%5) / 2
	}
	machine := Config{Kernel: kernel.Gaussian{Gamma: 1}, C: 5, Tol: 1e-5}
	want := must.Have(machine.Fit(t.Context(), x, y, w))(t)
	tree := Clusters{Machine: machine, Branch: 3, Levels: gram.Set(2), LevelTol: 1e-5}
	var given []kmeans.Partition
	for _, c := range []string{"tree", "given"} {
		if c == "given" {
			tree.Given, tree.Branch = given, 0
		}
		m, stats := must.Have2(tree.Fit(t.Context(), x, y, w))(t)
		if !slices.Equal(m.Support(), want.Support()) || !mat.EqualApprox(m.Values(nil, x), want.Values(nil, x), 1e-4) {
			t.Errorf("%s: the model is another", c)
		}
		if len(stats.Levels) != 4 {
			t.Fatalf("%s: %d levels", c, len(stats.Levels))
		}
		support := 0
		for depth, l := range stats.Levels {
			count := 320 // of rows with a weight
			switch {
			case depth == 2:
				count = support // of the level before
			case depth == 0 && l.Parts <= 3, depth == 1 && l.Parts != 3, depth >= 2 && (l.Parts != 1 || l.Labels != nil):
				t.Errorf("%s: level %d has %d parts, labels %v", c, depth, l.Parts, l.Labels)
			}
			if support = l.Support; l.Rows != count || l.Support == 0 || l.Iterations == 0 && depth < 2 {
				t.Errorf("%s: level %d: %+v", c, depth, l)
			}
			if depth >= 2 {
				continue
			}
			if len(l.Labels) != n {
				t.Fatalf("%s: labels of %d rows", c, len(l.Labels))
			}
			var sum float64
			var kept int
			for part := range l.Parts {
				var index []int
				for i, label := range l.Labels {
					if label == part && w[i] > 0 {
						index = append(index, i)
					}
				}
				if len(index) == 0 {
					continue
				}
				some := gram.Labels{Class: rows.Pick(y.Class, index), Names: y.Names}
				coef, _, problems, err := machine.Train(t.Context(), rows.Dense(gram.Of(x), index), some, rows.Pick(w, index), nil)
				if err != nil {
					t.Fatal(err)
				}
				kept += len(supportOf(coef))
				for _, p := range problems {
					sum += p.Objective
				}
			}
			if !(math.Abs(l.Objective-sum) <= 1e-3*math.Abs(sum)) || !(math.Abs(float64(l.Support-kept)) <= 3) {
				t.Errorf("%s: level %d has the objective %v and %d support vectors, its parts %v and %d", c, depth, l.Objective, l.Support, sum, kept)
			}
			if c == "tree" {
				given = append(given, kmeans.Partition{Labels: l.Labels})
			} else if !slices.Equal(l.Labels, given[depth].Labels) {
				t.Errorf("level %d has other labels than those that are given", depth)
			}
		}
		last := stats.Levels[3]
		var objective float64
		var iterations int
		for _, p := range m.Stats().Problems {
			objective, iterations = objective+p.Objective, iterations+p.Iterations
		}
		if last.Rows != 320 || last.Support != m.Stats().Support || last.Objective != objective || last.Iterations != iterations {
			t.Errorf("%s: the last level is %+v, the fit %+v", c, last, m.Stats())
		}
	}
	// What is given must fit the settings and the rows.
	for field, c := range map[string]Clusters{
		"Levels":       {Given: given, Levels: gram.Set(1)},
		"Given":        {Given: []kmeans.Partition{given[0], {}}},
		"Given.Labels": {Given: []kmeans.Partition{{Labels: given[0].Labels[1:]}}},
	} {
		c.Machine = machine
		_, _, err := c.Fit(t.Context(), x, y, nil)
		var ce *gram.ConfigError
		if !errors.As(err, &ce) || ce.Field != field {
			t.Errorf("%s: %v", field, err)
		}
		if _, err := c.Plan(gram.Shape{N: n, D: 3, Outputs: 3}); err == nil {
			t.Errorf("%s: a plan", field)
		}
	}
	small, labels := gen.Blobs(60, 3, 2, 1, 5)
	looktest.Every(t, func(ctx context.Context) (any, error) {
		m, _, err := Clusters{Machine: machine, Branch: 2, Levels: gram.Set(1)}.Fit(ctx, small, labels, nil)
		return looktest.Unless(err, func() any { return m.Values(nil, small) })
	})
}

// Clusters need kernel values of other points, which a matrix does not have.
func TestClustersOfKernelMatrix(t *testing.T) {
	var wrong *gram.ConfigError
	_, _, err := Clusters{Machine: Config{Kernel: kernel.Matrix{}}}.Fit(t.Context(), mat.NewDense(2, 2, []float64{1, 0, 0, 1}), gram.Labels{Class: []int{0, 1}, Names: []string{"a", "b"}}, nil)
	if !errors.As(err, &wrong) || wrong.Field != "Machine.Kernel" {
		t.Errorf("%v", err)
	}
}
