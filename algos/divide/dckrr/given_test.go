package dckrr

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// A fit with the partition of another fit makes the same models, with rows without a weight as well, and the parts of rows are those
// of their clusters.
func TestGiven(t *testing.T) {
	x, y, w := data(120)
	z := algotest.Problem(2, 50, 3, 3).X.(*mat.Dense)
	local := krr.Config{Kernel: gauss, NoBias: true}
	for _, partition := range []Partition{KMeans, KernelKMeans, Voronoi} {
		m := fit(t, Config{Local: local, Partition: partition, Parts: 4, Radius: 0.3}, x, y, w)
		if c := m.Config(); c.Partition != partition || c.Local.Workers != 0 || c.Soft != 1 {
			t.Errorf("%v: settings %+v", partition, c)
		}
		given := m.Given()
		again := fit(t, Config{Local: local, Given: given}, x, y, w)
		if c := again.Config(); c.Parts != given.Parts() || !c.Given.IsZero() {
			t.Errorf("%v: settings %+v, %d parts were given", partition, c, given.Parts())
		}
		if !slices.Equal(again.Given().Labels, given.Labels) || again.Given().Router != given.Router || !slices.Equal(again.Stats().Sizes, m.Stats().Sizes) {
			t.Errorf("%v: another partition than was given", partition)
		}
		if !mat.Equal(again.PredictAll(nil, z), m.PredictAll(nil, z)) {
			t.Errorf("%v: other predictions by the same partition", partition)
		}
		clusters, part := m.Clusters()
		if clusters != given.Router {
			t.Errorf("%v: other clusters than those of the partition", partition)
		}
		of := m.Assign(nil, z)
		for i, c := range clusters.Assign(nil, z) {
			if part[c] != of[i] {
				t.Fatalf("%v: row %d is in cluster %d and part %d, which is of part %d", partition, i, c, of[i], part[c])
			}
		}
	}
	label := make([]int, 120)
	for i := range label {
		if x.At(i, 0) > 0 {
			label[i] = 1
		}
	}
	m := fit(t, Config{Local: local, Given: kmeans.Partition{Labels: label}}, x, y, w)
	if !slices.Equal(m.Given().Labels, label) || len(m.Parts()) != 2 {
		t.Errorf("%d parts, labels %v", len(m.Parts()), m.Given().Labels)
	}
}

// The mean over parts that are given is that over random ones if they are the same; parts without rows do not count.
func TestRandomGiven(t *testing.T) {
	x, y, _ := data(90)
	z := algotest.Problem(2, 20, 3, 3).X
	c := Random{Local: krr.Config{Kernel: gauss}, Parts: 4, Run: gram.Run{Seed: 3}}
	want := must.Have(c.FitAll(ctx, x, y, nil))(t)
	label := c.Deal(90)
	c.Given, c.Parts = kmeans.Partition{Labels: label}, 0
	if got := must.Have(c.FitAll(ctx, x, y, nil))(t); !mat.Equal(got.PredictAll(nil, z), want.PredictAll(nil, z)) {
		t.Error("other predictions by the same parts")
	}
	// The router has a fifth part, in which no row is.
	c.Given = kmeans.Partition{Labels: label, Router: kmeans.NewModel(mat.NewDense(5, 3, nil))}
	if got := must.Have(c.FitAll(ctx, x, y, nil))(t); !mat.EqualApprox(got.PredictAll(nil, z), want.PredictAll(nil, z), 1e-12) {
		t.Error("a part without rows counts")
	}
	c.Given = kmeans.Partition{Router: kmeans.NewModel(mat.NewDense(2, 3, slices.Repeat([]float64{math.NaN()}, 6)))}
	_, err := c.FitAll(ctx, x, y, nil)
	algotest.Names(t, "Router", "NaN", err)
	c.Given = kmeans.Partition{Labels: label[1:]}
	_, err = c.FitAll(ctx, x, y, nil)
	algotest.Names(t, "Labels", "too few", err)
	_, err = c.Plan(gram.Shape{N: 90, D: 3})
	algotest.Names(t, "Labels", "too few", err)
}

// Clusters that do not measure distances, and parts for other rows, are refused.
func TestGivenErrors(t *testing.T) {
	x, y, _ := data(30)
	tree := must.Have(kmeans.Tree{Branch: 2, Leaf: 10}.Fit(ctx, x))(t)
	local := krr.Config{Kernel: gauss, NoBias: true}
	for field, c := range map[string]Config{
		"Given.Router": {Local: local, Given: kmeans.Partition{Router: tree}},
		"Parts":        {Local: local, Parts: 3, Given: kmeans.Partition{Labels: slices.Repeat([]int{0, 1}, 15)}},
		"Given.Labels": {Local: local, Given: kmeans.Partition{Labels: slices.Repeat([]int{0, 2}, 15)}},
	} {
		var ce *gram.ConfigError
		if _, err := c.FitAll(ctx, x, y, nil); !errors.As(err, &ce) || ce.Field != field {
			t.Errorf("%s: %v", field, err)
		}
		if _, err := c.Plan(gram.Shape{N: 30, D: 3}); !errors.As(err, &ce) || ce.Field != field {
			t.Errorf("%s: %v of the plan", field, err)
		}
	}
}

// A plan is that of the partition and of the problems of the parts: of one with all rows for Voronoi's cells, and without a partition
// to find if it is given.
func TestPlans(t *testing.T) {
	s := gram.Shape{N: 3000, D: 5, Outputs: 2}
	run := gram.Run{Workers: 2}
	local := krr.Config{Kernel: gauss, Lambda: gram.Set(.1), NoBias: true}
	part := func(rows int) gram.Plan {
		c := local
		c.Workers = 2
		return must.Have(c.Plan(gram.Shape{N: rows, D: 5, Outputs: 2}))(t)
	}
	const models = 8 * 3000 * (2*5 + 2)
	own := func(rows int) int64 { return 8 * int64(rows) * (2*5 + 2) }
	voronoi := must.Have(kmeans.Voronoi{MaxParts: 1000, Run: run}.Plan(s))(t)
	means := must.Have(kmeans.Config{K: 6, Run: run}.Plan(s))(t)
	given := kmeans.Partition{Router: kmeans.NewModel(mat.NewDense(6, 5, nil))}
	for name, c := range map[string]struct {
		c     Config
		by    gram.Plan
		parts int
		rows  int
	}{
		"voronoi": {Config{Partition: Voronoi}, voronoi, 1, 3000},
		"k-means": {Config{Parts: 6}, means, 6, 750},
		"given":   {Config{Given: given}, gram.Plan{PeakBytes: 8 * 3000}, 6, 750},
	} {
		c.c.Local, c.c.Run = local, run
		got, one := must.Have(c.c.Plan(s))(t), part(c.rows)
		flops := c.by.Flops + float64(c.parts)*one.Flops
		peak := max(c.by.PeakBytes, c.by.ModelBytes+models+int64(min(c.parts, 2))*(one.PeakBytes-own(c.rows))+16*3000)
		if !(math.Abs(got.Flops-flops) <= 1e-9*flops) || got.PeakBytes != peak || got.ModelBytes != 8*3000*7 || got.FullKernel != (c.parts == 1) {
			t.Errorf("%s: %+v, want %g flops and a peak of %d bytes", name, got, flops, peak)
		}
	}
}

// forgedSizes writes a model whose parts have other numbers of rows than the rest of its file says.
type forgedSizes struct {
	m     *Model
	sizes []int
}

func (f forgedSizes) Encode(w *modelfile.Writer) error {
	return modelfile.Put(w, func(x *modelfile.Exchange) {
		points, coefficients, bias := f.m.together()
		x.Header(dividedMethod, 1, &f.m.cfg, kernel.Stored(&f.m.cfg.Local.Kernel))
		modelfile.Part(x, "clusters", &f.m.route.clusters, decodeClusters)
		x.Ints("part", &f.m.route.part, 0, -1, math.MaxInt)
		x.Ints("sizes", &f.sizes, -1, 1, math.MaxInt)
		x.Dense("points", &points, -1, -1)
		x.Dense("coefficients", &coefficients, -1, -1)
		x.Dense("bias", &bias, -1, -1)
	})
}

func TestForgedSizes(t *testing.T) {
	x, y, _ := data(30)
	m := fit(t, Config{Local: krr.Config{Kernel: gauss, NoBias: true}, Parts: 2}, x, y, nil)
	for name, sizes := range map[string][]int{"more rows": {20, 11}, "fewer rows": {20, 9}, "all rows in the first": {31, 1}, "a part more": {10, 10, 10}, "a part less": {30}} {
		fixture.Misfits(t, name, forgedSizes{m, sizes}, Decode)
	}
}
