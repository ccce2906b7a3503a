package falkon

import (
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

var gauss = kernel.Gaussian{Gamma: 0.4}

// two returns two targets of d.
func two(d algotest.Data) *mat.Dense {
	y := mat.NewDense(len(d.Value), 2, nil)
	y.SetCol(0, d.Value)
	for i, c := range d.Labels.Class {
		y.Set(i, 1, 1e3+float64(c))
	}
	return y
}

// oracle returns the predictions for z of the minimizer over the functions of landmarks u,
// from the normal equations of α and b.
func oracle(x, u, y *mat.Dense, w []float64, lambda float64, bias bool, z *mat.Dense) *mat.Dense {
	n, t := y.Dims()
	m, _ := u.Dims()
	columns := m
	if bias {
		columns++
	}
	values := func(x *mat.Dense) *mat.Dense {
		r, _ := x.Dims()
		c := mat.NewDense(r, columns, nil)
		for i := range r {
			for j := range columns {
				c.Set(i, j, 1)
				if j < m {
					c.Set(i, j, gauss.Eval(x.RawRowView(i), u.RawRowView(j)))
				}
			}
		}
		return c
	}
	c, scaled := values(x), mat.NewDense(n, columns, nil)
	for i := range n {
		for j := range columns {
			scaled.Set(i, j, c.At(i, j))
			if w != nil {
				scaled.Set(i, j, w[i]*c.At(i, j))
			}
		}
	}
	a, b := mat.NewDense(columns, columns, nil), mat.NewDense(columns, t, nil)
	a.Mul(scaled.T(), c)
	b.Mul(scaled.T(), y)
	for i := range m {
		for j := range m {
			a.Set(i, j, a.At(i, j)+lambda*gauss.Eval(u.RawRowView(i), u.RawRowView(j)))
		}
	}
	var alpha, out mat.Dense
	if err := alpha.Solve(a, b); err != nil {
		panic(err)
	}
	out.Mul(values(z), &alpha)
	return &out
}

// Functions are those of the normal equations, for all kinds of problems, and the residual
// is what it says.
func TestOptimum(t *testing.T) {
	d := algotest.Problem(3, 2_500, 3, 3)
	x, y := mat.DenseCopyOf(d.X), two(d)
	z := mat.DenseCopyOf(algotest.Problem(4, 40, 3, 3).X)
	index := []int{3, 70, 200, 444, 900, 901, 1500, 1800, 2000, 2499}
	for name, c := range map[string]Config{
		"plain":      {NoBias: true},
		"bias":       {},
		"one worker": {Run: gram.Run{Workers: 1}},
		"tiny λ":     {Lambda: gram.Set(1e-7)},
		"large λ":    {Lambda: gram.Set(1e5)},
		"per row":    {Lambda: gram.Set(1e-3), Penalty: solve.PerRow, NoBias: true},
	} {
		for _, w := range [][]float64{nil, d.Weights} {
			c.Kernel, c.Landmarks, c.Tol = gauss, landmark.Fixed{Index: index}, 1e-12
			m, err := c.FitAll(t.Context(), x, y, w)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if st := m.Stats(); !(st.Residual <= 1e-12) || st.Iterations < 1 || st.Jitter != 0 || st.Rows != 2500 {
				t.Errorf("%s: %+v", name, st)
			}
			u := mat.NewDense(len(index), 3, nil)
			for j, i := range index {
				u.SetRow(j, x.RawRowView(i))
			}
			want := oracle(x, u, y, w, m.Stats().Shift, bool(!c.NoBias), z)
			got := m.PredictAll(nil, z)
			got.Sub(got, want)
			if e := mat.Norm(got, math.Inf(1)) / mat.Norm(want, math.Inf(1)); !(e <= 1e-9) {
				t.Errorf("%s: predictions differ by %g", name, e)
			}
		}
	}
}

// The function is that of ridge regression on the Nyström features of the same landmarks,
// also for sparse rows, and with all rows as landmarks that of kernel ridge regression.
func TestSameFunction(t *testing.T) {
	d := algotest.Problem(5, 300, 4, 3)
	x := mat.DenseCopyOf(d.X)
	index := []int{1, 20, 33, 50, 99, 120, 200, 222, 280, 299}
	c := Config{Kernel: gauss, Lambda: gram.Set(0.01), Landmarks: landmark.Fixed{Index: index}, Tol: 1e-12}
	m := must.Have(c.Fit(t.Context(), x, d.Value, d.Weights))(t)
	features := must.Have(nystrom.Config{Kernel: gauss, Landmarks: c.Landmarks}.Fit(t.Context(), x))(t)
	ridge := must.Have(linear.Ridge{Lambda: c.Lambda}.Fit(t.Context(), features, x, d.Value, d.Weights))(t)
	near(t, "ridge regression", m.Predict(nil, x), ridge.Predict(nil, x), 1e-8)
	s := must.Have(c.Fit(t.Context(), sparse.FromDense(x), d.Value, d.Weights))(t)
	near(t, "sparse rows", s.Predict(nil, x), m.Predict(nil, x), 1e-9)
	c.Landmarks, c.M, c.Lambda = nil, 300, gram.Set(1.0)
	whole := must.Have(c.Fit(t.Context(), x, d.Value, d.Weights))(t)
	exact := must.Have(krr.Config{Kernel: gauss, Lambda: c.Lambda}.Fit(t.Context(), x, d.Value, d.Weights))(t)
	near(t, "all rows", whole.Predict(nil, x), exact.Predict(nil, x), 1e-8)
}

func near(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= tol*(1+math.Abs(v))) {
			t.Errorf("%s: row %d is %g, want %g", what, i, got[i], v)
			return
		}
	}
}

// FitEach gives the functions of separate fits, in the order of its λ, in fewer passes.
func TestEach(t *testing.T) {
	d := algotest.Problem(6, 1_200, 3, 3)
	y := two(d)
	c := Config{Kernel: gauss, M: 60, Tol: 1e-11}
	lambda := []float64{1e-2, 10, 1e-4, 0.3}
	models := must.Have(c.FitEach(t.Context(), d.X, y, nil, lambda))(t)
	for i, l := range lambda {
		c.Lambda = gram.Set(l)
		m := must.Have(c.FitAll(t.Context(), d.X, y, nil))(t)
		if got := models[i].Config().Lambda.Value(); got != l {
			t.Errorf("model %d has λ %g", i, got)
		}
		a, b := models[i].PredictAll(nil, d.X), m.PredictAll(nil, d.X)
		near(t, "function", a.RawMatrix().Data, b.RawMatrix().Data, 1e-6)
	}
	var ce *gram.ConfigError
	if _, err := c.FitEach(t.Context(), d.X, y, nil, []float64{1, 0}); !errors.As(err, &ce) || ce.Field != "Lambda" {
		t.Errorf("λ = 0: %v", err)
	}
	if m, err := c.FitEach(t.Context(), d.X, y, nil, nil); m != nil || err != nil {
		t.Errorf("no λ: %v, %v", m, err)
	}
}

// Landmarks without new information make W singular. The fit goes on with a jitter of
// rounding size.
func TestJitter(t *testing.T) {
	d := algotest.Problem(7, 500, 2, 3)
	x := mat.DenseCopyOf(d.X)
	x.Scale(0.1, x)
	c := Config{Kernel: gauss, Lambda: gram.Set(1e-3), M: 200, NoBias: true}
	m := must.Have(c.Fit(t.Context(), x, d.Value, nil))(t)
	if st := m.Stats(); !(st.Jitter > 0) || !(st.Jitter < 1e-10) || !(st.Residual <= 1e-6) {
		t.Errorf("%+v", st)
	}
	exact := must.Have(krr.Config{Kernel: gauss, Lambda: c.Lambda, NoBias: true}.Fit(t.Context(), x, d.Value, nil))(t)
	near(t, "the exact solution", m.Predict(nil, x), exact.Predict(nil, x), 1e-2)
	same, err := c.Fit(t.Context(), mat.NewDense(500, 2, nil), d.Value, nil)
	if err != nil || same.Stats().Jitter == 0 {
		t.Errorf("equal rows: %v", err)
	}
}

// RMSBound holds, and not by orders of magnitude, for fits that end after any number of passes.
func TestRMSBound(t *testing.T) {
	d := algotest.Problem(12, 900, 4, 3)
	y := two(d)
	for _, c := range []Config{{NoBias: true}, {}, {Penalty: solve.PerRow, Lambda: gram.Set(1e-3)}, {Lambda: gram.Set(30.), NoBias: true}} {
		if !c.Lambda.Given() {
			c.Lambda = gram.Set(0.1)
		}
		c.Kernel, c.M, c.Tol = gauss, 60, 1e-13
		for _, w := range [][]float64{nil, d.Weights} {
			total := float64(len(d.Value))
			if w != nil {
				total = 0
				for _, v := range w {
					total += v
				}
			}
			exact, err := c.FitAll(t.Context(), d.X, y, w)
			if exact == nil {
				t.Fatal(err)
			}
			want, tightest := exact.PredictAll(nil, d.X), math.Inf(1)
			for passes := 1; passes <= 6; passes++ {
				early := c
				early.MaxIter = passes
				m, err := early.FitAll(t.Context(), d.X, y, w)
				if m == nil {
					t.Fatal(err)
				}
				got, worst := m.PredictAll(nil, d.X), 0.
				for j := range 2 {
					sum := 0.
					for i := range d.Value {
						e := got.At(i, j) - want.At(i, j)
						if w != nil {
							e *= math.Sqrt(w[i])
						}
						sum += e * e
					}
					worst = max(worst, math.Sqrt(sum/total))
				}
				bound := m.Stats().RMSBound
				if tightest = min(tightest, bound/worst); !(worst <= bound*(1+1e-9)+1e-11) {
					t.Errorf("bias %t, λ %g, %d passes: error %g, bound %g", !c.NoBias, c.Lambda.Value(), passes, worst, bound)
				}
			}
			if !(tightest < 50) {
				t.Errorf("bias %t, λ %g: the bound is at least %.3g times the error", !c.NoBias, c.Lambda.Value(), tightest)
			}
		}
	}
}

// A fit that may not take enough passes returns what it has, and says so.
func TestEndsEarly(t *testing.T) {
	d := algotest.Problem(8, 800, 4, 3)
	c := Config{Kernel: gauss, Lambda: gram.Set(1e-6), M: 100, MaxIter: 2, Tol: 1e-12, NoBias: true}
	m, err := c.Fit(t.Context(), d.X, d.Value, nil)
	var ce *gram.ConvergenceError
	if !errors.As(err, &ce) || m == nil || m.Stats().Residual != ce.Residual || m.Stats().Iterations != 2 {
		t.Errorf("%v", err)
	}
}

// Some tens of passes are enough, also for a λ so small that each landmark has an effect.
func TestPasses(t *testing.T) {
	d := algotest.Problem(9, 3_000, 3, 3)
	for _, lambda := range []float64{1, 1e-3, 1e-6} {
		m, err := Config{Kernel: gauss, Lambda: gram.Set(lambda), M: 400, NoBias: true}.Fit(t.Context(), d.X, d.Value, nil)
		if err != nil || m.Stats().Iterations > 90 {
			t.Errorf("λ = %g: %d passes, %v", lambda, m.Stats().Iterations, err)
		}
	}
}
