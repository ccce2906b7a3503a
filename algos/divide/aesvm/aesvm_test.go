package aesvm

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// The nearest convex combination of three points of the plane is known.
func TestNearest(t *testing.T) {
	points := mat.NewDense(6, 2, []float64{0, 0, 4, 0, 0, 4, 1, 1, 3, 3, -3, -4})
	k := mat.NewDense(6, 6, nil)
	k.Mul(points, points.T())
	q := newQuadratic(k)
	for row, want := range map[int]struct {
		distance float64
		mu       []float64
	}{
		3: {0, []float64{.5, .25, .25}}, // inside
		4: {2, []float64{0, .5, .5}},    // beyond an edge
		5: {25, []float64{1, 0, 0}},     // beyond a corner
	} {
		// The tolerance is so large that the search goes on, and the hundredth so small.
		got := q.nearest([]int{0, 1, 2}, row, 30)
		q.nearest([]int{0, 1, 2}, row, 1e-9)
		if !(math.Abs(got-want.distance) <= .3) {
			t.Errorf("row %d: squared distance %v, want %v", row, got, want.distance)
		}
		if want.distance > 0 {
			continue // the search ended when the row was known to be far away
		}
		for i, v := range want.mu {
			if !(math.Abs(q.mu[i]-v) <= 1e-4) {
				t.Errorf("row %d: %v, want %v", row, q.mu[:3], want.mu)
			}
		}
	}
}

// The weights of the representatives add up to those of the rows of their class, every row
// is as near to their hull as Epsilon says, and no function has less loss on the
// representatives than on all rows but for what the package promises.
func TestBound(t *testing.T) {
	d := dataset.Rings(600, 2, .15, 3)
	w := make([]float64, 600)
	for i := range w {
		w[i] = float64(i % 4)
	}
	k := kernel.Gaussian{Gamma: 2}
	for _, epsilon := range []float64{.3, .01, 1e-4} {
		c := Config{Machine: svm.Config{Kernel: k, C: 5}, Part: 60, Epsilon: gram.Set(epsilon)}
		m, s := must.Have2(c.Fit(t.Context(), d.X, d.Labels, w))(t)
		var sum, beta [2]float64
		for i, y := range d.Labels.Class {
			sum[y] += w[i]
			beta[y] += s.Beta[i]
			if w[i] == 0 && s.Beta[i] != 0 {
				t.Fatalf("row %d without weight has weight %v", i, s.Beta[i])
			}
		}
		for y := range sum {
			if !(math.Abs(beta[y]-sum[y]) <= 1e-9*sum[y]) {
				t.Errorf("ε %v: weights %v, of the rows %v", epsilon, beta, sum)
			}
		}
		if !(s.Error <= epsilon) {
			t.Errorf("ε %v: a row at %v", epsilon, s.Error)
		}
		for _, i := range m.Support() {
			if s.Beta[i] == 0 {
				t.Fatalf("ε %v: row %d supports and represents nothing", epsilon, i)
			}
		}
		loss := func(f, weight []float64) float64 {
			var sum float64
			for i, y := range d.Labels.Class {
				sum += weight[i] * max(0, 1-multiclass.Sign(y, 0, 1)*f[i])
			}
			return sum
		}
		// The model itself, and random functions in the span of a few rows.
		check := func(f []float64, norm float64) {
			t.Helper()
			if reps, all := loss(f, s.Beta), loss(f, w); !(reps >= all-norm*math.Sqrt(s.Error)*(sum[0]+sum[1])-1e-6*all) {
				t.Errorf("ε %v: loss %v on the representatives, %v on all rows", epsilon, reps, all)
			}
		}
		check(mat.Col(nil, 0, m.Scores(nil, d.X)), norm(m))
		r := rng.New(4, 4)
		for range 20 {
			u, a := mat.NewDense(3, 2, nil), make([]float64, 3)
			for i := range a {
				a[i] = 3 * r.NormFloat64()
				u.SetRow(i, []float64{r.NormFloat64(), r.NormFloat64()})
			}
			f := make([]float64, 600)
			for i := range f {
				for j, v := range a {
					f[i] += v * k.Eval(mat.Row(nil, i, d.X), u.RawRowView(j))
				}
			}
			var square float64
			for i := range a {
				for j := range a {
					square += a[i] * a[j] * k.Eval(u.RawRowView(i), u.RawRowView(j))
				}
			}
			check(f, math.Sqrt(square))
		}
	}
}

// norm returns the norm of a model of one function.
func norm(m *svm.Model) float64 {
	points, coef, _ := m.Expand()
	var sum float64
	for i := range points.N {
		for j := range points.N {
			sum += coef.Row(i)[0] * coef.Row(j)[0] * m.Config().Kernel.Eval(points.Row(i), points.Row(j))
		}
	}
	return math.Sqrt(sum)
}

// A small Epsilon makes the machine on all rows, and a larger one a machine of fewer rows
// that is nearly as good.
func TestRepresents(t *testing.T) {
	train, test := dataset.Rings(1200, 3, .1, 1), dataset.Rings(600, 3, .1, 2)
	machine := svm.Config{Kernel: kernel.Gaussian{Gamma: 1}, C: 5, Tol: 1e-6}
	exact := must.Have(machine.Fit(t.Context(), train.X, train.Labels, nil))(t)
	all, s := must.Have2(Config{Machine: machine, Epsilon: gram.Set(1e-14)}.Fit(t.Context(), train.X, train.Labels, nil))(t)
	if s.Representatives != 1200 {
		t.Fatalf("%d representatives", s.Representatives)
	}
	want, got := exact.Scores(nil, test.X), all.Scores(nil, test.X)
	if !mat.EqualApprox(got, want, 1e-3) {
		t.Error("all rows make another machine")
	}
	some, s := must.Have2(Config{Machine: machine, Epsilon: gram.Set(.02)}.Fit(t.Context(), train.X, train.Labels, nil))(t)
	a, b := metric.Accuracy(some.Predict(nil, test.X), test.Labels.Class), metric.Accuracy(exact.Predict(nil, test.X), test.Labels.Class)
	if s.Representatives > 600 || !(a > b-.02) {
		t.Errorf("%d representatives, accuracy %v, of all rows %v", s.Representatives, a, b)
	}
}

// The choice in a part, which may be large, ends with its context.
func TestHullEnds(t *testing.T) {
	d := algotest.Problem(5, 60, 3, 3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c, beta := Config{Machine: svm.Config{Kernel: kernel.Gaussian{Gamma: 1}}}, make([]float64, 60)
	if _, err := c.hull(ctx, gram.Of(d.X), []int{3, 5, 7}, nil, 1e-3, beta); !errors.Is(err, context.Canceled) || slices.Max(beta) > 0 {
		t.Errorf("%v, weights %v", err, beta)
	}
}

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 60, 3, 3)
	good := Config{Machine: svm.Config{Kernel: kernel.Gaussian{Gamma: 1}}}
	algotest.Refused(t, good, map[string][]any{"Part": {1, 1<<14 + 1}, "Epsilon": {math.Inf(1)}}, func(c Config) error {
		_, _, err := c.Fit(t.Context(), d.X, d.Labels, nil)
		if _, planned := c.Plan(gram.Shape{N: 60, D: 3, Outputs: 3}); (planned == nil) != (err == nil) {
			t.Errorf("the plan of %+v says %v, the fit %v", c, planned, err)
		}
		return err
	})
	good.SetRun(gram.Run{Seed: 3, Workers: 2})
	if good.GetRun().Seed != 3 || good.Machine.Workers != 2 {
		t.Errorf("settings %+v of a run", good.Machine.Run)
	}
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}) }

// A plan is that of the machine on all rows, in what a limit on memory leaves it, with the kernel matrices of the parts that
// are worked on at a time.
func TestPlan(t *testing.T) {
	s := gram.Shape{N: 4000, D: 10, Outputs: 2}
	machine := svm.Config{Kernel: kernel.Gaussian{Gamma: 1}, Run: gram.Run{Workers: 2}}
	const own = 8*4*4000 + 2*8*50*(50+10+8)
	const flops = 2*4000*10*50 + 10*4000*50*50
	divided := 2 * 4000 * 10 * 2 * math.Log2(80)
	for _, limit := range []int64{0, 64 << 20} {
		machine.Start = 0
		c := Config{Machine: machine, Part: 50}
		c.Machine.MemoryLimit = limit
		got := must.Have(c.Plan(s))(t)
		alone := machine
		alone.Start = svm.ZeroStart
		if alone.MemoryLimit = 0; limit > 0 {
			alone.MemoryLimit = limit - own
		}
		of := must.Have(alone.Plan(s))(t)
		if want := of.Flops + flops + divided; !(math.Abs(got.Flops-want) <= 1e-9*want) || got.PeakBytes != of.PeakBytes+own || got.ModelBytes != of.ModelBytes {
			t.Errorf("limit %d: %+v, the machine %+v", limit, got, of)
		}
		s.NNZ = 4000 * 10
		if thin := must.Have(c.Plan(s))(t); thin.PeakBytes-own > got.PeakBytes || !(thin.Flops <= got.Flops) {
			t.Errorf("limit %d: sparse rows without zeros cost %+v, dense ones %+v", limit, thin, got)
		}
		s.NNZ = 0
	}
}

// Representatives need kernel values of other points, which a matrix does not have.
func TestKernelMatrix(t *testing.T) {
	var wrong *gram.ConfigError
	_, _, err := Config{Machine: svm.Config{Kernel: kernel.Matrix{}}}.Fit(t.Context(), mat.NewDense(2, 2, []float64{1, 0, 0, 1}), gram.Labels{Class: []int{0, 1}, Names: []string{"a", "b"}}, nil)
	if !errors.As(err, &wrong) || wrong.Field != "Machine.Kernel" {
		t.Errorf("%v", err)
	}
}
