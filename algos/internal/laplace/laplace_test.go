package laplace

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// The mixture is the logistic function to 3e-9, and its average over a normal variable is the integral.
func TestAverage(t *testing.T) {
	for x := -40.0; x <= 40; x += 1. / 64 {
		if v := Average(x, 0); !(math.Abs(v-Sigmoid(x)) <= 3e-9) {
			t.Fatalf("%v at %v, want %v", v, x, Sigmoid(x))
		}
	}
	for _, mean := range []float64{0, .3, -2, 5} {
		for _, variance := range []float64{1e-3, .5, 4, 100} {
			var sum, total float64
			for z := -9.0; z <= 9; z += 1. / 256 {
				density := math.Exp(-z * z / 2)
				total += density
				sum += density * Sigmoid(mean+z*math.Sqrt(variance))
			}
			if v := Average(mean, variance); !(math.Abs(v-sum/total) <= 4e-9) {
				t.Errorf("mean %v, variance %v: %v, want %v", mean, variance, v, sum/total)
			}
		}
	}
}

// example returns a kernel matrix of one column and targets.
func example(n int) (*mat.Dense, []float64) {
	r := rng.New(5, 0)
	x, y, k := make([]float64, n), make([]float64, n), mat.NewDense(n, n, nil)
	for i := range n {
		x[i] = 3 * r.NormFloat64()
		y[i] = math.Copysign(1, math.Sin(x[i])+.5*r.NormFloat64())
	}
	for i := range n {
		for j := range n {
			k.Set(i, j, math.Exp(-(x[i]-x[j])*(x[i]-x[j])/2))
		}
	}
	return k, y
}

// The mode is where f = Kg/λ, to the bound that it comes with; a bound holds before the end, too, and a start does not change the
// mode. Processes of huge deviation and rows of huge weight converge.
func TestFind(t *testing.T) {
	const n = 60
	k, y := example(n)
	w := make([]float64, n)
	for i := range w {
		w[i] = .5 + float64(i%3)
	}
	for _, lambda := range []float64{1e-6, .1, 10} {
		for _, weights := range [][]float64{nil, w} {
			m, err := Find(t.Context(), k, lambda, y, weights, nil, 1e-7, 100)
			if err != nil {
				t.Fatalf("lambda %v: %v", lambda, err)
			}
			for i := range n {
				var f, g float64
				for j := range n {
					g = weightOf(weights, j) * y[j] * Sigmoid(-y[j]*m.F[j])
					f += k.At(i, j) * g / lambda
				}
				if !(math.Abs(f-m.F[i]) <= 1e-7*math.Sqrt(1/lambda)) {
					t.Errorf("lambda %v: f %d is %v, want %v", lambda, i, m.F[i], f)
				}
			}
			if want := evidence(k, lambda, y, weights, m.F); !(math.Abs(m.Likelihood-want) <= 1e-6*math.Abs(want)) {
				t.Errorf("lambda %v: likelihood %v, want %v", lambda, m.Likelihood, want)
			}
			for most := range m.Steps {
				early, err := Find(t.Context(), k, lambda, y, weights, nil, 1e-7, most)
				var open *gram.ConvergenceError
				if !errors.As(err, &open) || open.Iter != most || open.Residual != early.Bound {
					t.Fatalf("after %d steps: %v", most, err)
				}
				for i, f := range early.F {
					if !(math.Abs(f-m.F[i]) <= (early.Bound+1e-7)*math.Sqrt(1/lambda)) {
						t.Errorf("lambda %v, %d steps: f %d is %v, %v at the end, and the bound %v", lambda, most, i, f, m.F[i], early.Bound)
					}
				}
			}
			again, err := Find(t.Context(), k, lambda, y, weights, m.Alpha, 1e-7, 0)
			if err != nil || again.Steps != 0 || !(math.Abs(again.Likelihood-m.Likelihood) <= 1e-9*math.Abs(m.Likelihood)) {
				t.Errorf("lambda %v: from the mode to %v, %v, want %v", lambda, again, err, m.Likelihood)
			}
		}
	}
	looktest.Every(t, func(ctx context.Context) (any, error) {
		m, err := Find(ctx, k, 1, y, nil, nil, 1e-6, 100)
		if err != nil {
			return nil, err
		}
		return m.Alpha, nil
	})
}

// A row of weight 2 is two equal rows.
func TestWeight(t *testing.T) {
	k, y := example(12)
	w, index := make([]float64, 12), []int(nil)
	for i := range w {
		w[i] = 1 + float64(i%2)
		for range 1 + i%2 {
			index = append(index, i)
		}
	}
	twice, targets := mat.NewDense(len(index), len(index), nil), make([]float64, len(index))
	for i, a := range index {
		targets[i] = y[a]
		for j, b := range index {
			twice.Set(i, j, k.At(a, b))
		}
	}
	m, err := Find(t.Context(), k, .3, y, w, nil, 1e-7, 100)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Find(t.Context(), twice, .3, targets, nil, nil, 1e-7, 100)
	if err != nil || !(math.Abs(m.Likelihood-other.Likelihood) <= 1e-8) {
		t.Errorf("likelihood %v, want %v: %v", m.Likelihood, other.Likelihood, err)
	}
}

// evidence returns Σ w·log σ(yf) − fᵀg/2 − log det(I + W^{1/2}·K·W^{1/2}/λ)/2 at the mode f with the gradient g.
func evidence(k *mat.Dense, lambda float64, y, w, f []float64) float64 {
	n := len(y)
	value, root := 0., make([]float64, n)
	for i, v := range f {
		p := Sigmoid(-y[i] * v)
		root[i] = math.Sqrt(weightOf(w, i) * p * (1 - p))
		value -= weightOf(w, i) * (math.Log1p(math.Exp(-y[i]*v)) + y[i]*p*v/2)
	}
	b := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			b.Set(i, j, root[i]*k.At(i, j)*root[j]/lambda)
		}
		b.Set(i, i, 1+b.At(i, i))
	}
	det, _ := mat.LogDet(b)
	return value - det/2
}
