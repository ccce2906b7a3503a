package bka

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/cluster/kernelkmeans"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// A fit with the partition of another fit makes the same machines; the rows without weight are left out of it. Labels
// alone are taken as they are, and rows then go to the part with the nearest mean.
func TestGiven(t *testing.T) {
	x, y := gen.Blobs(150, 2, 3, 1, 5)
	w := make([]float64, 150)
	for i := range w {
		w[i] = float64(i % 3)
	}
	machine := svm.Config{Kernel: kernel.Gaussian{Gamma: 1}, C: 2, Tol: 1e-8}
	for name, p := range map[string]Partition{"clusters": {Clusters: 4}, "balanced": {Clusters: 4, Balance: 1.1}} {
		m := must.Have(SVM{Machine: machine, Partition: p}.Fit(t.Context(), x, y, w))(t)
		given := m.Given()
		again := must.Have(SVM{Machine: machine, Partition: Partition{Given: given}}.Fit(t.Context(), x, y, w))(t)
		if again.Config().Clusters != given.Parts() || !again.Config().Given.IsZero() {
			t.Errorf("%s: settings %+v, %d parts were given", name, again.Config().Partition, given.Parts())
		}
		if !slices.Equal(again.Given().Labels, given.Labels) || again.Given().Router != given.Router || !slices.Equal(again.Stats().Sizes, m.Stats().Sizes) {
			t.Errorf("%s: another partition than was given", name)
		}
		if !mat.Equal(again.Scores(nil, x), m.Scores(nil, x)) {
			t.Errorf("%s: other scores by the same partition", name)
		}
	}
	label := make([]int, 150)
	for i := range label {
		if x.At(i, 0) > 0 {
			label[i] = 1
		}
	}
	m := must.Have(SVM{Machine: machine, Partition: Partition{Given: kmeans.Partition{Labels: label}}}.Fit(t.Context(), x, y, nil))(t)
	if !slices.Equal(m.Given().Labels, label) || m.Clusters() != 2 || m.Given().Parts() != 2 {
		t.Errorf("%d parts, labels %v", m.Clusters(), m.Given().Labels)
	}
	a := must.Have(Config{Kernel: machine.Kernel, Partition: Partition{Given: kmeans.Partition{Labels: label}}}.Fit(t.Context(), x))(t)
	n := 0
	for _, l := range label {
		n += l
	}
	if !slices.Equal(slices.Sorted(slices.Values(a.Sizes())), slices.Sorted(slices.Values([]int{n, 150 - n}))) || a.Dim() != 150 {
		t.Errorf("blocks of %v of %d rows, %d of them of label 1", a.Sizes(), a.Dim(), n)
	}
}

// A partition that is given must be one by centers, have a part for every row, and leave no choice to the settings.
func TestGivenErrors(t *testing.T) {
	x, y := gen.Blobs(40, 2, 2, 2, 3)
	k := kernel.Gaussian{Gamma: 1}
	byKernel := must.Have(kernelkmeans.Config{Kernel: k, K: 2}.Fit(t.Context(), x))(t)
	centers := kmeans.NewModel(mat.NewDense(2, 2, []float64{0, 0, 1, 1}))
	nowhere := kmeans.NewModel(mat.NewDense(2, 2, []float64{math.NaN(), 0, math.NaN(), 1}))
	for name, c := range map[string]struct {
		p     Partition
		field string
		plan  bool // refuses it, too
	}{
		"by a kernel":     {Partition{Given: kmeans.Partition{Router: byKernel}}, "Given.Router", true},
		"balanced":        {Partition{Given: kmeans.Partition{Router: centers}, Balance: 1}, "Balance", true},
		"another number":  {Partition{Given: kmeans.Partition{Router: centers}, Clusters: 3}, "Clusters", true},
		"labels of parts": {Partition{Given: kmeans.Partition{Labels: make([]int, 39)}}, "Given.Labels", true},
		"nowhere":         {Partition{Given: kmeans.Partition{Router: nowhere}}, "Given.Router", false},
	} {
		is := func(what string, err error) {
			var ce *gram.ConfigError
			if !errors.As(err, &ce) || ce.Field != c.field {
				t.Errorf("%s, %s: %v, want an error for %s", name, what, err, c.field)
			}
		}
		blocks, machines := Config{Kernel: k, Partition: c.p}, SVM{Machine: svm.Config{Kernel: k}, Partition: c.p}
		_, err := blocks.Fit(t.Context(), x)
		is("blocks", err)
		_, err = machines.Fit(t.Context(), x, y, nil)
		is("machines", err)
		if _, err = blocks.Plan(gram.Shape{N: 40, D: 2}); c.plan {
			is("plan of blocks", err)
		}
		if _, err = machines.Plan(gram.Shape{N: 40, D: 2, Outputs: 2}); c.plan {
			is("plan of machines", err)
		}
	}
}

// Plans are made of those of the clusters and of their machines, worked out by the definition.
func TestPlans(t *testing.T) {
	s := gram.Shape{N: 4000, D: 10, Outputs: 3}
	run := gram.Run{Workers: 2}
	k := kernel.Gaussian{Gamma: 1}
	means := must.Have(kmeans.Config{K: 40, MaxIter: 10, Sample: 4000, Run: run}.Plan(s))(t)
	const blocks = 16*4000*10 + 24*4000
	p := must.Have(Config{Kernel: k, Partition: Partition{Clusters: 40}, Run: run}.Plan(s))(t)
	if p.Flops != means.Flops || p.PeakBytes != max(means.PeakBytes, blocks) || p.ModelBytes != blocks {
		t.Errorf("the blocks cost %+v, the clusters %+v", p, means)
	}
	given := kmeans.Partition{Router: kmeans.NewModel(mat.NewDense(40, 10, nil))}
	if q := must.Have(Config{Kernel: k, Partition: Partition{Given: given}, Run: run}.Plan(s))(t); q.Flops != 0 || q.PeakBytes != blocks || q.ModelBytes != blocks {
		t.Errorf("the blocks of parts that are given cost %+v", q)
	}
	// 40 machines of 100 rows each, two at a time with half of the cache.
	machine := svm.Config{Kernel: k, CacheBytes: 8 << 20, Run: run}
	one := machine
	one.Start, one.Workers, one.CacheBytes = svm.ZeroStart, 1, 4<<20
	part := must.Have(one.Plan(gram.Shape{N: 100, D: 10, Outputs: 3}))(t)
	pair := must.Have(one.Plan(gram.Shape{N: 100, D: 10, Outputs: 2}))(t)
	m := must.Have(SVM{Machine: machine, Partition: Partition{Clusters: 40}}.Plan(s))(t)
	peak := max(means.PeakBytes, 2*pair.PeakBytes+8*4000*3+2*40*part.ModelBytes)
	if !(math.Abs(m.Flops-means.Flops-40*pair.Flops) <= 1e-9*m.Flops) || m.ModelBytes != 40*part.ModelBytes || m.PeakBytes != peak {
		t.Errorf("the machines cost %+v, want %g flops, %d and %d bytes", m, means.Flops+40*pair.Flops, 40*part.ModelBytes, peak)
	}
	q := must.Have(SVM{Machine: machine, Partition: Partition{Given: given}}.Plan(s))(t)
	if !(math.Abs(q.Flops-40*pair.Flops) <= 1e-9*q.Flops) || q.ModelBytes != m.ModelBytes {
		t.Errorf("with parts that are given %+v, without %+v", q, m)
	}
	for name, err := range map[string]error{
		"Clusters": second(Config{Kernel: k, Partition: Partition{Clusters: 4001}}.Plan(s)),
		"Kernel":   second(Config{}.Plan(s)),
		"Balance":  second(SVM{Machine: machine, Partition: Partition{Balance: .5}}.Plan(s)),
		"C":        second(SVM{Machine: svm.Config{Kernel: k, C: -1}}.Plan(s)),
	} {
		algotest.Names(t, name, nil, err)
	}
}

// The scores of a row are those of the machine of its cluster, votes of pairs of classes as well as values, for more
// rows than are held together; the settings and the names of classes are those of the fit.
func TestScores(t *testing.T) {
	x, y := gen.Blobs(700, 2, 4, 2, 5)
	run := gram.Run{Seed: 7, Workers: 2}
	for _, multi := range []svm.Multi{svm.OneVsOne, svm.OneVsRest} {
		c := SVM{Machine: svm.Config{Kernel: kernel.Gaussian{Gamma: 1}, C: 2, Multi: multi}, Partition: Partition{Clusters: 6}}
		c.SetRun(run)
		m := must.Have(c.Fit(t.Context(), x, y, nil))(t)
		if c.GetRun().Seed != 7 || m.Config().Machine.Seed != 7 || m.Config().Machine.Workers != 2 || m.Config().Clusters != 6 || m.Whole() != nil {
			t.Errorf("settings %+v", m.Config())
		}
		if !slices.Equal(m.Classes(), y.Names) || m.Dim() != 2 || m.Clusters() != 6 {
			t.Errorf("classes %v, %d columns, %d clusters", m.Classes(), m.Dim(), m.Clusters())
		}
		scores := m.Scores(nil, x)
		support := 0
		for i, label := range m.Given().Router.Assign(nil, x) {
			local, class := m.Local(label)
			want := m.Certain(max(class, 0))
			if local != nil {
				want = local.Scores(nil, x.Slice(i, i+1, 0, 2)).RawRowView(0)
			}
			for k, v := range scores.RawRowView(i) {
				if !(math.Abs(v-want[k]) <= 1e-9) {
					t.Fatalf("%v: row %d of cluster %d has the scores %v, want %v", multi, i, label, scores.RawRowView(i), want)
				}
			}
		}
		for cluster := range m.Clusters() {
			local, class := m.Local(cluster)
			if (local == nil) != (class >= 0) {
				t.Errorf("%v: cluster %d of class %d has the machine %v", multi, cluster, class, local)
			}
			if local == nil {
				continue
			}
			if multi == svm.OneVsRest {
				_, coef, _ := local.Expand()
				for i := range coef.N {
					for _, v := range coef.Row(i) {
						if v != 0 {
							support++
						}
					}
				}
			}
		}
		if multi == svm.OneVsRest && m.Stats().Support != support {
			t.Errorf("%d support vectors of all functions, the models have %d", m.Stats().Support, support)
		}
		want := []float64{-1, -1, 1, -1}
		if multi == svm.OneVsOne {
			want = []float64{0, 0, 3, 0}
		}
		if got := m.Certain(2); !slices.Equal(got, want) {
			t.Errorf("%v: a cluster of class 2 has the scores %v, want %v", multi, got, want)
		}
	}
	// Two clusters that are apart: one of both classes, and one of the second class alone.
	two := &Model{names: []string{"a", "b"}}
	if a, b := two.Certain(0), two.Certain(1); !slices.Equal(a, []float64{-1}) || !slices.Equal(b, []float64{1}) {
		t.Errorf("scores %v and %v of two classes", a, b)
	}
}

// Votes cost two flops for each pair of classes, and the values of a block of rows.
func TestVotes(t *testing.T) {
	x, y := gen.Blobs(500, 2, 4, 1, 5)
	m := must.Have(svm.Config{Kernel: kernel.Gaussian{Gamma: 1}}.Fit(t.Context(), x, y, nil))(t)
	p := must.Have(scoresOf[float32](m, 4))(t)
	values := must.Have(m.Program32())(t)
	got, of := p.Cost(), values.Cost()
	if got.Flops != of.Flops+2*6 || got.PeakBytes != of.PeakBytes+4*240*6 || got.ModelBytes != of.ModelBytes {
		t.Errorf("votes cost %+v, the values %+v", got, of)
	}
	if d, k := p.Dims(); d != 2 || k != 4 {
		t.Errorf("%d scores of %d columns", k, d)
	}
	dst, alone := gram.MakeRows[float32](500, 4), make([]float32, 4)
	rows := gram.As[float32](gram.Of(x), nil)
	p.Rows(dst, rows)
	want := m.Scores(nil, x)
	for i := range 500 {
		for c, v := range dst.Row(i) {
			if float64(v) != want.At(i, c) {
				t.Fatalf("row %d has the votes %v, want %v", i, dst.Row(i), want.RawRowView(i))
			}
		}
		if p.Row(alone, rows.Row(make([]float32, 2), i)); !slices.Equal(alone, dst.Row(i)) {
			t.Fatalf("row %d alone has the votes %v, among others %v", i, alone, dst.Row(i))
		}
	}
}

// Products and rows of an approximation need destinations of their shapes.
func TestApproximationShapes(t *testing.T) {
	x := gen.Normal(6, 2, 1)
	a := Of(kernel.Linear{}, x, []int{0, 1, 0, 1, 2, 2})
	dense := func(n, s int) *mat.Dense { return mat.NewDense(n, s, nil) }
	const product, rows = "bka: the shapes of the product do not fit", "bka: the destination has the wrong shape"
	for name, c := range map[string]struct {
		f    func()
		want string
	}{
		"fewer rows of x":          {func() { a.Apply(dense(6, 2), dense(5, 2)) }, product},
		"fewer rows of a product":  {func() { a.Apply(dense(5, 2), dense(6, 2)) }, product},
		"other columns":            {func() { a.Apply(dense(6, 3), dense(6, 2)) }, product},
		"another number of rows":   {func() { a.Rows(dense(2, 6), []int{1}) }, rows},
		"another number of places": {func() { a.Rows(dense(1, 5), []int{1}) }, rows},
	} {
		if p := must.Recovered(c.f); p != c.want {
			t.Errorf("%s: panic %v", name, p)
		}
	}
	// What a destination held is gone, and a row may be asked for twice.
	dst := dense(3, 6)
	for i := range dst.RawMatrix().Data {
		dst.RawMatrix().Data[i] = 7
	}
	a.Rows(dst, []int{4, 1, 4})
	exact := fixture.KernelMatrix(kernel.Linear{}, x, x)
	for r, i := range []int{4, 1, 4} {
		for j := range 6 {
			want := 0.0
			if []int{0, 1, 0, 1, 2, 2}[i] == []int{0, 1, 0, 1, 2, 2}[j] {
				want = exact.At(i, j)
			}
			if !(math.Abs(dst.At(r, j)-want) <= 1e-14) {
				t.Errorf("row %d, column %d: %v, want %v", i, j, dst.At(r, j), want)
			}
		}
	}
	if none := Of(kernel.Linear{}, new(mat.Dense), nil); none.Dim() != 0 || none.Entries() != 0 || none.Sizes() != nil {
		t.Errorf("no rows have %d blocks of %d entries", len(none.Sizes()), none.Entries())
	}
}
