package krr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// TestASkotch compares the coefficients with those of a dense solution, with and without
// weights, a constant and an approximation of the blocks, for blocks of some and of all rows.
func TestASkotch(t *testing.T) {
	const n = 60
	d := algotest.Problem(5, n, 3, 2)
	y, w := mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range n {
		y.SetRow(i, []float64{d.Value[i], math.Sin(float64(i))})
		w[i] = float64(i%4) / 2
	}
	for _, k := range []kernel.Kernel{kernel.Gaussian{Gamma: 0.3}, kernel.Linear{}} {
		for _, weights := range [][]float64{nil, w} {
			for _, c := range []Config{{NoBias: true}, {Block: 1, NoBias: true}, {Block: 20, NoBias: true}, {Block: 20}, {Block: 30, Rank: 10, NoBias: true}, {Block: 30, Rank: 30}} {
				t.Run(fmt.Sprintf("%s/weights=%v/block=%d/rank=%d", k.Spec().Name, weights != nil, c.Block, c.Rank), func(t *testing.T) {
					if c.Block == 1 && k == (kernel.Linear{}) {
						t.Skip("takes thousands of passes")
					}
					c.Kernel, c.Lambda, c.Tol = k, gram.Set(0.1), 1e-11
					c.Solver = Cholesky
					want := must.Have(c.FitAll(t.Context(), d.X, y, weights))(t)
					c.Solver = ASkotch
					m := must.Have(c.FitAll(t.Context(), d.X, y, weights))(t)
					if st := m.Stats(); !(st.Residual <= c.Tol) || st.Iterations < 1 {
						t.Errorf("%+v", st)
					}
					var diff mat.Dense
					diff.Sub(m.alpha, want.alpha)
					if e := mat.Norm(&diff, 2) / mat.Norm(want.alpha, 2); !(e <= 1e-8) {
						t.Errorf("the coefficients are off by %g", e)
					}
					for j, b := range want.bias {
						if !(math.Abs(m.bias[j]-b) <= 1e-8*(1+math.Abs(b))) {
							t.Errorf("a constant of %g, want %g", m.bias[j], b)
						}
					}
				})
			}
		}
	}
}

// The residual that ASkotch states is that of the coefficients it returns, also if it ends
// before its tolerance; the coefficients are the same for any number of threads.
func TestASkotchResidual(t *testing.T) {
	const n = 300
	d := algotest.Problem(6, n, 4, 2)
	c := Config{Kernel: kernel.Gaussian{Gamma: 0.05}, Lambda: gram.Set(1e-3), Solver: ASkotch, Block: 60, Tol: 1e-7, MaxIter: 5, NoBias: true}
	for _, tol := range []float64{1e-2, 1e-7} {
		c.Tol = tol
		var first *Model
		for _, workers := range []int{1, 3} {
			c.Workers = workers
			m, err := c.Fit(t.Context(), d.X, d.Value, nil)
			var ce *gram.ConvergenceError
			if err != nil && !errors.As(err, &ce) {
				t.Fatal(err)
			}
			if (err == nil) != (m.Stats().Residual <= tol) {
				t.Errorf("error %v with %+v", err, m.Stats())
			}
			g := mat.NewDense(n, n, nil)
			kernel.Against[float64](c.Kernel, d.X.(*mat.Dense)).Fill(gram.View(g), gram.Of(d.X))
			var r mat.Dense
			r.Mul(g, m.alpha)
			for i := range n {
				r.Set(i, 0, d.Value[i]-r.At(i, 0)-1e-3*m.alpha.At(i, 0))
			}
			want := mat.Norm(&r, 2) / mat.Norm(mat.NewVecDense(n, d.Value), 2)
			if got := m.Stats().Residual; !(math.Abs(got-want) <= 1e-6*want+1e-12) {
				t.Errorf("residual %g, stated %g", want, got)
			}
			if first == nil {
				first = m
			} else if !mat.Equal(first.alpha, m.alpha) {
				t.Error("the coefficients depend on the number of threads")
			}
		}
	}
}

// TestASkotchDegenerate solves problems without a stable answer.
func TestASkotchDegenerate(t *testing.T) {
	const n = 60
	ones, same, line := mat.NewDense(n, 2, nil), make([]float64, n), mat.NewDense(n, 1, nil)
	y := make([]float64, n)
	for i := range n {
		ones.SetRow(i, []float64{float64(i % 3), 1})
		same[i], y[i] = 4, float64(i%3)+math.Sin(float64(i))
		line.Set(i, 0, float64(i)/10)
	}
	for name, p := range map[string]struct {
		x      mat.Matrix
		y      []float64
		lambda float64
		c      Config
	}{
		"duplicates":            {ones, y, 1e-6, Config{Block: 20, NoBias: true}},
		"duplicates, tiny":      {ones, y, 1e-13, Config{Block: 20, NoBias: true}},
		"duplicates, sketched":  {ones, y, 1e-13, Config{Block: 20, Rank: 10, NoBias: true}},
		"one column":            {line, y, 1e-2, Config{Block: 7, NoBias: true}},
		"all rows":              {line, y, 1e-8, Config{NoBias: true}},
		"constant":              {line, same, 1e-2, Config{Block: 7, NoBias: true}},
		"constant, with a bias": {line, same, 1e-2, Config{Block: 7}},
		"one row":               {mat.NewDense(1, 2, []float64{1, 2}), y[:1], 1, Config{NoBias: true}},
		"zeros":                 {mat.NewDense(4, 2, nil), y[:4], 1, Config{Kernel: kernel.Linear{}, NoBias: true}},
	} {
		t.Run(name, func(t *testing.T) {
			c := p.c
			if c.Kernel == nil {
				c.Kernel = kernel.Gaussian{Gamma: 1}
			}
			c.Lambda, c.Solver, c.Tol, c.MaxIter = gram.Set(p.lambda), ASkotch, 1e-6, 400
			m, err := c.Fit(t.Context(), p.x, p.y, nil)
			var ce *gram.ConvergenceError
			if err != nil && !errors.As(err, &ce) {
				t.Fatal(err)
			}
			if err != nil && p.lambda > 1e-12 {
				t.Fatal(err)
			}
			if v := mat.Norm(m.alpha, 2); math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("coefficients of norm %v", v)
			}
		})
	}
}

// A fit that ctx ends returns the coefficients so far.
func TestASkotchCanceled(t *testing.T) {
	const n = 400
	d := algotest.Problem(7, n, 4, 2)
	ctx, cancel := context.WithCancel(t.Context())
	c := Config{Kernel: kernel.Gaussian{Gamma: 0.05}, Lambda: gram.Set(1e-6), Solver: ASkotch, Block: 40, Tol: 1e-12, Penalty: solve.Total, NoBias: true}
	c.Progress = func(e gram.Event) {
		if e.Phase != "sketch and project" || e.Gap <= 0 {
			t.Errorf("event %+v", e)
		}
		cancel()
	}
	m, err := c.Fit(ctx, d.X, d.Value, nil)
	if !errors.Is(err, context.Canceled) || m == nil || m.Stats().Bound != 0 || mat.Norm(m.alpha, 2) == 0 {
		t.Errorf("error %v", err)
	}
	if _, err := c.Fit(ctx, d.X, d.Value, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a context that had ended", err)
	}
}
