package gbdt

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// The slopes of losses of values are those of their differences, and no constant has a smaller weighted loss than theirs, but
// for Huber, which takes the median. Its slopes are those of delta times its value.
func TestLossesOfValues(t *testing.T) {
	numbers, w := []float64{3, -1, 4, 1, -5, 9, 2, 6}, []float64{1, 2, .5, 3, 1, 0, 2, .25}
	counts := []float64{3, 0, 4, 1, 0, 9, 2, 6}
	rows := all(len(numbers))
	for _, c := range []Config{{}, {Loss: Absolute}, {Loss: Quantile, Level: .1}, {Loss: Quantile, Level: .8}, {Loss: Huber, Delta: 2.6}, {Loss: Poisson}} {
		y, unit := numbers, 1.
		switch c.Loss {
		case Poisson:
			y = counts
		case Huber:
			unit = c.Delta
		}
		l := c.ofValues(y)
		at := func(f float64) (sum float64, g []gradient) {
			g, value := derivatives(l, slices.Repeat([]float64{f}, len(y)), w, len(y))
			return mean(value, w), g
		}
		first := []float64{0}
		l.constant(first, rows, w)
		best, _ := at(first[0])
		for f := -6.25; f < 10; f += .5 {
			const h = 1e-4
			loss, g := at(f)
			more, _ := at(f + h)
			less, _ := at(f - h)
			var slope, total float64
			for i, v := range g {
				slope, total = slope+v.g, total+w[i]
			}
			if want := (more - less) / (2 * h) * total * unit; !(math.Abs(slope-want) < 1e-6*max(1, math.Exp(f))) {
				t.Errorf("%v %g at %g: slope %g, want %g", c.Loss, c.Level, f, slope, want)
			}
			if !(best <= loss+1e-12) && c.Loss != Huber {
				t.Errorf("%v %g: the constant %g has the loss %g, %g has %g", c.Loss, c.Level, first[0], best, f, loss)
			}
		}
	}
}

// Every tree of a quantile sets its leaves to the quantiles of the residuals, times the shrinkage, whatever
// the weights are and also where rounds see some of the rows.
func TestLeavesOfQuantiles(t *testing.T) {
	d := algotest.Problem(1, 300, 4, 2)
	x, w := d.X.(*mat.Dense), make([]float64, 300)
	for i := range w {
		w[i] = float64(i % 4)
	}
	for _, c := range []Config{{Loss: Absolute}, {Loss: Quantile, Level: .9}} {
		c.Rounds, c.MaxLeaves = 4, 6
		m := must.Have(c.FitValues(t.Context(), x, d.Value, w))(t)
		level := c.Level
		if c.Loss == Absolute {
			level = .5
		}
		leaves := m.Leaves(x)
		for round := range 4 {
			f, residuals, total := m.First(round).Predict(nil, x), map[int][][2]float64{}, map[int]float64{}
			for i, v := range f {
				leaf := leaves[i][round]
				residuals[leaf] = append(residuals[leaf], [2]float64{d.Value[i] - v, w[i]})
				total[leaf] += w[i]
			}
			for leaf, list := range residuals {
				v := m.Tree(round)[leaf].Value / .1
				var below, at float64 // weights of residuals less than v, and up to v
				for _, r := range list {
					if r[0] < v-1e-9 {
						below += r[1]
					}
					if r[0] < v+1e-9 {
						at += r[1]
					}
				}
				if !(below < level*total[leaf] && at >= level*total[leaf]) {
					t.Errorf("%v, round %d, leaf %d is %g: %g of %g are below, %g are not above", c.Loss, round, leaf, v, below, total[leaf], at)
				}
			}
		}
	}
}

// Without weights the quantile is that with equal weights, for any level and number of rows, equal numbers among them.
func TestQuantileWithoutWeights(t *testing.T) {
	number := func(i int32) float64 { return float64(i * 7 % 11) }
	for n := range 40 {
		rows, ones := all(n), slices.Repeat([]float64{1}, n)
		for _, level := range []float64{1e-9, .05, 1. / 3, .5, .7, .95, 1 - 1e-9} {
			q := quantileLoss{level: level}
			if got, want := q.minimizer(rows, nil, number), q.minimizer(rows, ones, number); got != want {
				t.Errorf("%d rows, level %g: %g, with weights %g", n, level, got, want)
			}
		}
	}
}

// A band of two quantiles has the share of new values between its sides that it should have.
func TestBand(t *testing.T) {
	d, fresh := algotest.Problem(1, 2000, 3, 2), algotest.Problem(2, 2000, 3, 2)
	var sides [2][]float64
	for s, level := range []float64{.1, .9} {
		m := must.Have(Config{Loss: Quantile, Level: level, Rounds: 40, MinRows: 40, MaxLeaves: 8}.FitValues(t.Context(), d.X, d.Value, nil))(t)
		sides[s] = m.Predict(nil, fresh.X)
	}
	within := 0
	for i, y := range fresh.Value {
		if sides[0][i] <= y && y <= sides[1][i] {
			within++
		}
	}
	if share := float64(within) / 2000; !(share > .7 && share < .86) {
		t.Errorf("%g of the values are in a band of 0.8", share)
	}
}

// Classes have losses of their own, and a level belongs to quantiles.
func TestLossIsRefused(t *testing.T) {
	d := algotest.Problem(1, 40, 2, 2)
	if _, err := (Config{Loss: Absolute}).Fit(t.Context(), d.X, d.Labels, nil); err == nil {
		t.Error("a classifier takes the absolute loss")
	}
	for _, c := range []Config{{Level: .5}, {Loss: Quantile, Level: 1}, {Loss: Quantile, Level: -1}, {Loss: 7},
		{Delta: 1}, {Loss: Huber, Delta: -1}, {Loss: Huber, Delta: 1, Level: .5}, {Loss: Huber, Level: 1}, {Loss: Poisson, Level: .5}} {
		if _, err := c.FitValues(t.Context(), d.X, d.Value, nil); err == nil {
			t.Errorf("loss %d of level %g is taken", c.Loss, c.Level)
		}
	}
	for _, l := range []Loss{Quantile, Huber} {
		if _, err := (Config{Loss: l}).NewDisk(t.Context(), d.X, nil, nil); err == nil {
			t.Errorf("rows on disk take the loss %v", l)
		}
	}
	y := make([]float64, 40)
	y[7] = -2
	var wrong *gram.DataError
	if _, err := (Config{Loss: Poisson}).FitValues(t.Context(), d.X, y, nil); !errors.As(err, &wrong) || wrong.Row != 7 || wrong.Value != -2 {
		t.Errorf("a count below 0: %v", err)
	}
	disk := must.Have(Config{Loss: Poisson, Rounds: 1}.NewDisk(t.Context(), d.X, nil, nil))(t)
	if err := disk.Add(d.X, y, nil); !errors.As(err, &wrong) || wrong.Row != 7 {
		t.Errorf("a count below 0 on disk: %v", err)
	}
}

// counts returns rows and counts whose mean depends on the columns, from hardly any to a hundred.
func counts(seed uint64, n int) (*mat.Dense, []float64) {
	r := rand.New(rand.NewPCG(seed, 1))
	x, y := mat.NewDense(n, 3, nil), make([]float64, n)
	for i := range n {
		for j := range 3 {
			x.Set(i, j, float64(float32(r.NormFloat64())))
		}
		mean := math.Exp(1.5*x.At(i, 0) + math.Sin(2*x.At(i, 1)))
		for left := r.ExpFloat64(); left < mean; left += r.ExpFloat64() {
			y[i]++
		}
	}
	return x, y
}

// The mean of a model of counts is learned: with few rounds of large counts no step overshoots, predictions are above 0 and near the means, also
// without a penalty, and the predictions of leaves sum to the counts.
func TestPoisson(t *testing.T) {
	x, y := counts(1, 1000)
	for _, lambda := range []float64{0, 1} {
		m := must.Have(Config{Loss: Poisson, Lambda: gram.Set(lambda), Rounds: 20, Shrinkage: .5, MaxLeaves: 8}.FitValues(t.Context(), x, y, nil))(t)
		if trace := m.Stats().Objective; !slices.IsSortedFunc(trace, func(a, b float64) int { return cmp.Compare(b, a) }) {
			t.Errorf("λ %g: the objective grows: %v", lambda, trace)
		}
		var off, size float64
		for i, p := range m.Predict(nil, x) {
			want := math.Exp(1.5*x.At(i, 0) + math.Sin(2*x.At(i, 1)))
			if !(p > 0) {
				t.Fatalf("λ %g: row %d has the mean %g", lambda, i, p)
			}
			off, size = off+math.Abs(p-want), size+want
		}
		if !(off/size < .2) {
			t.Errorf("λ %g: means are off by %g of their size", lambda, off/size)
		}
	}
	whole := must.Have(Config{Loss: Poisson, Lambda: gram.Set(0.), Rounds: 1, Shrinkage: 1, MaxLeaves: 6}.FitValues(t.Context(), x, y, nil))(t)
	sums := map[int]float64{}
	p := whole.Predict(nil, x)
	for i, leaf := range whole.Leaves(x) {
		sums[leaf[0]] += p[i] - y[i]
	}
	for leaf, off := range sums {
		if !(math.Abs(off) < 1e-3) {
			t.Errorf("the means of leaf %d are off by %g in sum", leaf, off)
		}
	}
}

// A model of counts goes on, is stored, compiled and written for XGBoost with its logarithms, and is the one of rows on disk.
func TestPoissonEverywhere(t *testing.T) {
	x, y := counts(2, 500)
	c := Config{Loss: Poisson, Rounds: 12, MaxLeaves: 6}
	m := must.Have(c.FitValues(t.Context(), x, y, nil))(t)
	want := m.Predict(nil, x)
	near := func(what string, got []float64, tol float64) {
		t.Helper()
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= tol*b }) {
			t.Errorf("%s: %v, want %v", what, got[:3], want[:3])
		}
	}
	half := must.Have(c.FitValues(t.Context(), x, y, nil))(t)
	half = half.First(5)
	c.Rounds = 7
	more := must.Have(c.MoreValues(t.Context(), half, x, y, nil))(t)
	near("a fit that goes on", more.Predict(nil, x), 1e-9)
	if _, err := (Config{Rounds: 2}).MoreValues(t.Context(), half, x, y, nil); err == nil || !strings.Contains(err.Error(), "Loss") {
		t.Errorf("squared trees on those of poisson: %v", err)
	}
	var file bytes.Buffer
	must.Do(t, modelfile.Write(&file, m))
	f := must.Have(modelfile.Read(bytes.NewReader(file.Bytes())))(t)
	read := must.Have(DecodeRegressor(f))(t)
	near("a stored model", read.Predict(nil, x), 0)
	program := must.Have(m.Program32())(t)
	single, row := make([]float64, len(y)), make([]float32, 3)
	var out [1]float32
	for i := range single {
		for j := range row {
			row[j] = float32(x.At(i, j))
		}
		program.Row(out[:], row)
		single[i] = float64(out[0])
	}
	near("a program", single, 1e-5)
	imported, written := scoresOf(t, text(t, m), x)
	near("a model written for XGBoost", written.RawMatrix().Data, 1e-5)
	if imported.(*Regressor).Config().Loss != Poisson {
		t.Error("a model of counts is read as one of values")
	}
	disk := must.Have(onDisk(t, m.Config(), &dataset.Set{X: x, Value: y}, x, leastBlock))(t)
	near("a fit on disk", disk.(*Regressor).Predict(nil, x), 0)
	lightgbm, _ := scoresOf(t, strings.Replace(lightgbmText("regression", 1, 2), "objective=regression", "objective=poisson", 1), x.Slice(0, 1, 0, 2))
	if p := lightgbm.(*Regressor); math.Abs(math.Log(p.Predict(nil, x.Slice(0, 1, 0, 2))[0])-p.sums(x.Slice(0, 1, 0, 2))[0]) > 1e-12 || p.cfg.Loss != Poisson {
		t.Error("a model of LightGBM does not predict means")
	}
}
