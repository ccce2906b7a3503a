package dcpred

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/lowrank/pseudo"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// Standardized log-normal columns, some rows tens of standard deviations away: leaves of
// few rows that are far apart once predicted 10¹⁰⁶ for targets from 0 to 99. No prediction
// lies further than a tenth of the range of its leaf's targets beyond them, in either
// precision, and all together are better than the mean.
func TestHeavyTails(t *testing.T) {
	const n, train = 2200, 1700
	for _, c := range []Config{
		{Kernel: kernel.Gaussian{Gamma: 1}, Leaf: 400},
		{Kernel: kernel.Gaussian{Gamma: 0.1}, Leaf: 400, Kind: pseudo.Mid},
		{Kernel: kernel.Gaussian{Gamma: 0.1}, Leaf: 400, Structured: true},
	} {
		x, y := gen.HeavyTailed(n, 12, 2)
		fit, held := x.Slice(0, train, 0, 12), x.Slice(train, n, 0, 12)
		m, err := c.FitValues(context.Background(), fit, y[:train], nil)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		low, high := make([]float64, m.Machine().Leaves()), make([]float64, m.Machine().Leaves())
		given := m.Machine().Given()
		for i, l := range given.Labels {
			low[l], high[l] = min(low[l], y[i]-99), max(high[l], y[i]) // low less 99, so that zero is above
		}
		single := must.Have(m.Program32())(t)
		narrow, out := make([]float32, 12), make([]float32, 1)
		var squares, spread float64
		for i, v := range m.Predict(nil, held) {
			mat.Row(nil, i, held)
			for j := range narrow {
				narrow[j] = float32(held.At(i, j))
			}
			single.Row(out, narrow)
			l := given.Router.Assign(nil, x.Slice(train+i, train+i+1, 0, 12))[0]
			more := 0.1001*(high[l]-low[l]-99) + 1e-4
			for _, v := range []float64{v, float64(out[0])} {
				if !(v >= low[l]+99-more && v <= high[l]+more) {
					t.Fatalf("%v, %v: %g for targets from %g to %g", c.Kernel, c.Kind, v, low[l]+99, high[l])
				}
			}
			squares += (v - y[train+i]) * (v - y[train+i])
			spread += (y[train+i] - 50) * (y[train+i] - 50)
		}
		if !(squares < 0.9*spread) {
			t.Errorf("%v, %v: error %g, that of a constant is %g", c.Kernel, c.Kind, math.Sqrt(squares/(n-train)), math.Sqrt(spread/(n-train)))
		}
		if s := m.Stats(); !(s.LeaveOneOut < s.Spread && s.Spread < 50) {
			t.Errorf("left out %g, spread %g", s.LeaveOneOut, s.Spread)
		}
	}
}

// A model that predicts worse than the mean is an error that comes with the model.
func TestWorseThanTheMean(t *testing.T) {
	const n = 200
	x, y, r := gen.Normal(n, 2, 3), make([]float64, n), rng.New(4, 0)
	for i := range y {
		y[i] = r.NormFloat64()
	}
	m, err := Config{Kernel: kernel.Gaussian{Gamma: 1}, Lambda: gram.Set(1e-9), M: 60, Leaf: 100}.FitValues(context.Background(), x, y, nil)
	var ce *gram.ConvergenceError
	if !errors.As(err, &ce) || m == nil {
		t.Fatalf("error %v, model %v", err, m)
	}
	s := m.Stats()
	if !(ce.Residual > 1.1 && math.Abs(ce.Residual-s.LeaveOneOut/s.Spread) < 1e-12) {
		t.Errorf("residual %g, %+v", ce.Residual, s)
	}
	// The same rows with a target that they determine are no error.
	for i := range y {
		y[i] = math.Sin(x.At(i, 0))
	}
	if _, err := (Config{Kernel: kernel.Gaussian{Gamma: 1}, Lambda: gram.Set(1e-9), M: 60, Leaf: 100}).FitValues(context.Background(), x, y, nil); err != nil {
		t.Error(err)
	}
}

// What a machine shows is what it computes, and a partition that is given makes the leaves.
func TestGivenPartition(t *testing.T) {
	const n = 120
	x, y := gen.Smooth(n, 3, 0.1, 5)
	c := Config{Kernel: rbf, Lambda: gram.Set(0.1), M: 5, Leaf: 40}
	first := must.Have(c.FitValues(context.Background(), x, y, nil))(t)
	c.Given = first.Machine().Given()
	again := must.Have(c.FitValues(context.Background(), x, y, nil))(t)
	if a, b := first.Predict(nil, x), again.Predict(nil, x); !slices.Equal(a, b) {
		t.Error("other predictions with the same partition")
	}
	for l := range again.Machine().Leaves() {
		f := again.Machine().Leaf(l)
		for i, at := range c.Given.Router.Assign(nil, x) {
			if at != l {
				continue
			}
			phi := f.Columns.Map(nil, x.Slice(i, i+1, 0, 3))
			want := min(f.Bounds[1], max(f.Bounds[0], f.Bias[0]+mat.Dot(phi.RowView(0), f.Coef.ColView(0))))
			if got := again.Predict(nil, x.Slice(i, i+1, 0, 3))[0]; !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) {
				t.Fatalf("row %d: %g, by what leaf %d shows %g", i, got, l, want)
			}
		}
	}
	c.Given.Labels = c.Given.Labels[1:]
	var ce *gram.ConfigError
	if _, err := c.FitValues(context.Background(), x, y, nil); !errors.As(err, &ce) || ce.Field != "Given.Labels" {
		t.Errorf("labels of another length: %v", err)
	}
}
