package gbdt

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"gonum.org/v1/gonum/mat"
)

// The slopes of losses of values are those of their differences, and no constant has a smaller weighted loss than theirs.
func TestLossesOfValues(t *testing.T) {
	y, w := []float64{3, -1, 4, 1, -5, 9, 2, 6}, []float64{1, 2, .5, 3, 1, 0, 2, .25}
	rows := all(len(y))
	for _, c := range []Config{{}, {Loss: Absolute}, {Loss: Quantile, Level: .1}, {Loss: Quantile, Level: .8}} {
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
			if want := (more - less) / (2 * h) * total; !(math.Abs(slope-want) < 1e-6) {
				t.Errorf("%v %g at %g: slope %g, want %g", c.Loss, c.Level, f, slope, want)
			}
			if !(best <= loss+1e-12) {
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
		m, err := c.FitValues(t.Context(), x, d.Value, w)
		if err != nil {
			t.Fatal(err)
		}
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

// A band of two quantiles has the share of new values between its sides that it should have.
func TestBand(t *testing.T) {
	d, fresh := algotest.Problem(1, 2000, 3, 2), algotest.Problem(2, 2000, 3, 2)
	var sides [2][]float64
	for s, level := range []float64{.1, .9} {
		m, err := Config{Loss: Quantile, Level: level, Rounds: 40, MinRows: 40, MaxLeaves: 8}.FitValues(t.Context(), d.X, d.Value, nil)
		if err != nil {
			t.Fatal(err)
		}
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
	for _, c := range []Config{{Level: .5}, {Loss: Quantile, Level: 1}, {Loss: Quantile, Level: -1}, {Loss: 7}} {
		if _, err := c.FitValues(t.Context(), d.X, d.Value, nil); err == nil {
			t.Errorf("loss %d of level %g is taken", c.Loss, c.Level)
		}
	}
	if _, err := (Config{Loss: Quantile}).NewDisk(t.Context(), d.X, nil, nil); err == nil {
		t.Error("rows on disk take a quantile")
	}
}
