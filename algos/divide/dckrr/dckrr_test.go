package dckrr

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"gonum.org/v1/gonum/mat"
)

var (
	gauss = kernel.Gaussian{Gamma: 0.3}
	ctx   = context.Background()
)

// data returns n rows of 3 numbers with two targets, and weights of which some are 0.
func data(n int) (x, y *mat.Dense, w []float64) {
	p := algotest.Problem(1, n, 3, 3)
	x, y, w = p.X.(*mat.Dense), mat.NewDense(n, 2, nil), p.Weights
	y.SetCol(0, p.Value)
	y.SetCol(1, mat.Col(nil, 1, x))
	for i := 4; i < n; i += 7 {
		w[i] = 0
	}
	return x, y, w
}

// whole is the model of one problem.
func whole(t *testing.T, c krr.Config, x mat.Matrix, y *mat.Dense, w []float64) *krr.Model {
	t.Helper()
	m := must.Have(c.FitAll(ctx, x, y, w))(t)
	return m
}

func fit(t *testing.T, c Config, x mat.Matrix, y *mat.Dense, w []float64) *Model {
	t.Helper()
	m := must.Have(c.FitAll(ctx, x, y, w))(t)
	return m
}

// Every part is the problem of its rows, with the λ of all rows, and a row is
// predicted by the part that Assign names.
func TestPartsAreLocalProblems(t *testing.T) {
	x, y, w := data(120)
	z := algotest.Problem(2, 50, 3, 3).X.(*mat.Dense)
	for _, partition := range []Partition{KMeans, KernelKMeans, Voronoi} {
		for _, penalty := range []solve.Penalty{solve.Total, solve.PerRow} {
			c := Config{Local: krr.Config{Kernel: gauss, Penalty: penalty, NoBias: true}, Partition: partition, Parts: 4, Radius: 0.3}
			m := fit(t, c, x, y, w)
			label := m.Assign(nil, x)
			for p, part := range m.Parts() {
				var index []int
				for i, l := range label {
					if l == p && w[i] > 0 {
						index = append(index, i)
					}
				}
				if len(index) != m.Stats().Sizes[p] {
					t.Fatalf("%v: %d rows are assigned to part %d, trained were %d", partition, len(index), p, m.Stats().Sizes[p])
				}
				var weights []float64
				for _, i := range index {
					weights = append(weights, w[i])
				}
				local := c.Local
				local.Lambda = gram.Set(1.0 / 103) // rows that have a weight
				px, py := rows.Dense(gram.Of(x), index), rows.Dense(gram.Of(y), index)
				if want := whole(t, local, px, py, weights); !mat.EqualApprox(part.PredictAll(nil, z), want.PredictAll(nil, z), 1e-8) {
					t.Fatalf("%v: part %d is not the problem of its rows", partition, p)
				}
			}
			got := m.PredictAll(nil, z)
			for i, p := range m.Assign(nil, z) {
				want := m.Parts()[p].PredictAll(nil, z.Slice(i, i+1, 0, 3))
				for j := range 2 {
					if got.At(i, j) != want.At(0, j) {
						t.Fatalf("%v: row %d is not predicted by its part", partition, i)
					}
				}
			}
		}
	}
}

// One part is the whole problem.
func TestOnePart(t *testing.T) {
	x, y, w := data(60)
	want := whole(t, krr.Config{Kernel: gauss, NoBias: true}, x, y, w).PredictAll(nil, x)
	for _, got := range []*mat.Dense{
		fit(t, Config{Local: krr.Config{Kernel: gauss, NoBias: true}, Parts: 1}, x, y, w).PredictAll(nil, x),
		fit(t, Config{Local: krr.Config{Kernel: gauss, NoBias: true}, Partition: Voronoi, Radius: 1}, x, y, w).PredictAll(nil, x),
	} {
		if !mat.EqualApprox(got, want, 1e-8) {
			t.Error("one part is not the whole")
		}
	}
	a := must.Have(Random{Local: krr.Config{Kernel: gauss, NoBias: true}, Parts: 1}.FitAll(ctx, x, y, w))(t)
	if !mat.EqualApprox(a.PredictAll(nil, x), want, 1e-8) {
		t.Error("the average of one is not the whole")
	}
}

func TestRandomIsTheMean(t *testing.T) {
	x, y, w := data(90)
	z := algotest.Problem(2, 20, 3, 3).X
	c := Random{Local: krr.Config{Kernel: gauss}, Parts: 4, Run: gram.Run{Seed: 3}}
	m := must.Have(c.FitAll(ctx, x, y, w))(t)
	want := mat.NewDense(20, 2, nil)
	// The parts are those of kmeans.Random; find them from the settings.
	points, alpha, _ := m.Expand()
	var kept []int
	for i, v := range w {
		if v > 0 {
			kept = append(kept, i)
		}
	}
	if points.N != len(kept) || alpha.D != 2 {
		t.Fatalf("an expansion of %d rows", points.N)
	}
	groups := make([][]int, 4)
	for i, p := range kmeans.Random(len(kept), 4, partitionSeed(3)) {
		groups[p] = append(groups[p], kept[i])
	}
	for _, g := range groups {
		var weights []float64
		for _, i := range g {
			weights = append(weights, w[i])
		}
		part := whole(t, krr.Config{Kernel: gauss, Lambda: gram.Set(1 / float64(len(kept)))}, rows.Dense(gram.Of(x), g), rows.Dense(gram.Of(y), g), weights)
		p := part.PredictAll(nil, z)
		p.Scale(0.25, p)
		want.Add(want, p)
	}
	if !mat.EqualApprox(m.PredictAll(nil, z), want, 1e-8) {
		t.Error("the model is not the mean of the parts")
	}
}

// Along a line through all parts the soft prediction has no jumps, and the hard
// one has.
func TestSoftRoutingIsContinuous(t *testing.T) {
	s, _ := dataset.Steps.Draw(600, 1)
	y := mat.NewDense(600, 1, s.Value)
	line := mat.NewDense(20001, 1, nil)
	for i := range 20001 {
		line.Set(i, 0, 3*float64(i)/20000)
	}
	jump := func(soft int) float64 {
		m := fit(t, Config{Local: krr.Config{Kernel: kernel.Gaussian{Gamma: 0.1}, NoBias: true}, Parts: 3, Soft: soft}, s.X, y, nil)
		p := m.Predict(nil, line)
		var most float64
		for i := 1; i < len(p); i++ {
			most = max(most, math.Abs(p[i]-p[i-1]))
		}
		return most
	}
	if hard := jump(1); !(hard > 0.05) {
		t.Errorf("the largest step of hard routing is %g", hard)
	}
	for _, soft := range []int{2, 3, 7} {
		if j := jump(soft); !(j < 0.01) {
			t.Errorf("the largest step of routing to %d parts is %g", soft, j)
		}
	}
}

func TestMix(t *testing.T) {
	for _, c := range []struct {
		near   []share
		beyond float64
		want   []share
	}{
		{[]share{{3, 2}}, 5, []share{{3, 1}}},
		{[]share{{3, 0}, {1, 2}}, 5, []share{{3, 1}}},
		{[]share{{3, 2}, {1, 2}}, 2, []share{{3, 1}}},
		{[]share{{3, 2}, {1, 2}}, math.Inf(1), []share{{1, .5}, {3, .5}}},
		{[]share{{3, 1}, {1, 2}}, 2, []share{{3, 1}}},
		{[]share{{3, 1e-320}, {1, 2}}, math.Inf(1), []share{{3, 1}}},
		{[]share{{3, 1}, {1, 2}}, math.Inf(1), []share{{1, 1.0 / 17}, {3, 16.0 / 17}}},
	} {
		got := mix(c.near, c.beyond)
		ok := len(got) == len(c.want)
		for i := range got {
			ok = ok && got[i].part == c.want[i].part && math.Abs(got[i].weight-c.want[i].weight) < 1e-12
		}
		if !ok {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
}

// The limit on memory counts the part that turns out to be the largest, and
// fewer parts at a time before it gives up.
func TestMemoryOfParts(t *testing.T) {
	x := mat.NewDense(3000, 2, nil)
	y := make([]float64, 3000)
	blobs := gen.Normal(3000, 2, 1)
	for i := range 3000 {
		x.SetRow(i, blobs.RawRowView(i))
		if i < 6 { // outliers, each a part of its own
			x.Set(i, 0, 1e3*float64(i+1))
		}
		y[i] = blobs.At(i, 0)
	}
	c := Config{Local: krr.Config{Kernel: gauss, NoBias: true}, Parts: 6}
	p := must.Have(c.Plan(gram.Shape{N: 3000, D: 2, Outputs: 1}))(t)
	c.MemoryLimit = p.PeakBytes + 1
	var me *gram.MemoryError
	if _, err := c.Fit(ctx, x, y, nil); !errors.As(err, &me) || me.Need < 8*2900*2900 {
		t.Errorf("one part with almost all rows: %v", err)
	}
	c.MemoryLimit = me.Need
	if _, err := c.Fit(ctx, x, y, nil); err != nil {
		t.Errorf("with the memory it asked for: %v", err)
	}
}

// A router that has no part for a row is refused.
func TestRouterWithoutParts(t *testing.T) {
	x := mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6})
	for what, center := range map[string]float64{"NaN": math.NaN(), "infinite": math.Inf(1)} {
		router := kmeans.NewModel(mat.NewDense(2, 1, []float64{center, center}))
		_, err := Config{Local: krr.Config{Kernel: gauss, NoBias: true}, Given: kmeans.Partition{Router: router}}.Fit(t.Context(), x, make([]float64, 6), nil)
		var refused *gram.ConfigError
		if !errors.As(err, &refused) || refused.Field != "Given.Router" {
			t.Errorf("%s centers: %v", what, err)
		}
	}
}

func TestErrors(t *testing.T) {
	x, y, _ := data(30)
	for _, c := range []struct {
		field string
		c     Config
	}{
		{"Kernel", Config{}},
		{"Local.Lambda", Config{Local: krr.Config{Kernel: gauss, Lambda: gram.Set(-1.0), NoBias: true}}},
		{"Parts", Config{Local: krr.Config{Kernel: gauss, NoBias: true}, Parts: 31}},
		{"Parts", Config{Local: krr.Config{Kernel: gauss, NoBias: true}, Parts: -1}},
		{"Partition", Config{Local: krr.Config{Kernel: gauss, NoBias: true}, Partition: 9}},
		{"Radius", Config{Local: krr.Config{Kernel: gauss, NoBias: true}, Partition: Voronoi, Radius: 2}},
		{"Soft", Config{Local: krr.Config{Kernel: gauss, NoBias: true}, Soft: -1}},
		{"Starts", Config{Local: krr.Config{Kernel: gauss, NoBias: true}, Starts: -1}},
	} {
		_, err := c.c.FitAll(ctx, x, y, nil)
		var ce *gram.ConfigError
		if !errors.As(err, &ce) || ce.Field != c.field {
			t.Errorf("%s: %v", c.field, err)
		}
		if _, err := c.c.Plan(gram.Shape{N: 30, D: 3}); !errors.As(err, &ce) || ce.Field != c.field {
			t.Errorf("%s: %v of the plan", c.field, err)
		}
	}
}

// The toy problems of the thesis: local functions are better than one for the
// steps and the sine.
func TestToyProblems(t *testing.T) {
	for _, c := range []struct {
		toy    dataset.Toy
		k      kernel.Kernel
		factor float64 // DC's error against the whole's
	}{
		{dataset.Steps, kernel.Gaussian{Gamma: 0.1}, 0.8},
		{dataset.Sine, kernel.Polynomial{Degree: 2, Offset: 1}, 0.6},
	} {
		train, _ := c.toy.Draw(600, 1)
		test, clean := c.toy.Draw(400, 2)
		local := krr.Config{Kernel: c.k, Penalty: solve.PerRow, NoBias: true}
		one := must.Have(local.Fit(ctx, train.X, train.Value, nil))(t)
		random := must.Have(Random{Local: local, Parts: 3}.Fit(ctx, train.X, train.Value, nil))(t)
		dc := must.Have(Config{Local: local, Parts: 3}.Fit(ctx, train.X, train.Value, nil))(t)
		e := func(m gram.Regressor) float64 { return metric.RMSE(m.Predict(nil, test.X), clean) }
		if !(e(dc) < c.factor*e(one)) || !(math.Abs(e(random)/e(one)-1) < 0.1) {
			t.Errorf("%s: RMSE whole %.3f, random %.3f, DC %.3f", train.Name, e(one), e(random), e(dc))
		}
	}
}
