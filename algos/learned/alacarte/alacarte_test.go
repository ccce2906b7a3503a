package alacarte

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// small has n rows, three columns and weights.
func small(n int) (x *mat.Dense, y, w []float64) {
	r := rng.New(5, 5)
	x = mat.NewDense(n, 3, nil)
	for i := range n {
		x.SetRow(i, []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()})
		y = append(y, math.Sin(2*x.At(i, 0))+.3*x.At(i, 1)+.1*r.NormFloat64())
		w = append(w, .5+r.Float64())
	}
	return x, y, w
}

// The likelihood is that of its definition, with the full matrix K.
func TestLikelihood(t *testing.T) {
	x, y, w := small(12)
	c := Config{Kernel: kernel.Gaussian{Gamma: .4}, M: 7, Noise: .2, Factors: FSGBARD}
	l := newLikelihood(c, gram.Of(x), y, w)
	for i := range l.start {
		l.start[i] += .1 * math.Sin(float64(i))
	}
	got, _ := l.value(l.start)
	omega, noise, amplitude := l.at(l.start)
	var mean, total float64
	for i, v := range y {
		mean += w[i] * v
		total += w[i]
	}
	mean /= total
	k := mat.NewSymDense(12, nil)
	target := mat.NewVecDense(12, nil)
	for i := range 12 {
		target.SetVec(i, y[i]-mean)
		for j := range i + 1 {
			var sum float64
			for f := range 7 {
				var angle float64
				for q := range 3 {
					angle += omega.At(q, f) * (x.At(i, q) - x.At(j, q))
				}
				sum += math.Cos(angle) / 7
			}
			if i == j {
				sum += noise / w[i] / amplitude
			}
			k.SetSym(i, j, amplitude*sum)
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(k) {
		t.Fatal("K is not positive definite")
	}
	var solved mat.VecDense
	must.Do(t, chol.SolveVecTo(&solved, target))
	if want := -.5 * (mat.Dot(target, &solved) + chol.LogDet() + 12*math.Log(2*math.Pi)); !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The gradient is that of differences, in every parameter.
func TestGradient(t *testing.T) {
	x, y, w := small(15)
	for _, factors := range []Factors{FSARD, FSGBARD} {
		for _, m := range []int{3, 4, 10} { // part of a block, a block, some of them
			c := Config{Kernel: kernel.Gaussian{Gamma: .4}, M: m, Noise: .2, Factors: factors}
			l := newLikelihood(c, gram.Of(x), y, w)
			_, g := l.value(l.start)
			g = append([]float64(nil), g...)
			for i := range l.start {
				const h = 1e-5
				p := append([]float64(nil), l.start...)
				p[i] += h
				up, _ := l.value(p)
				p[i] -= 2 * h
				down, _ := l.value(p)
				if want := (up - down) / (2 * h); !(math.Abs(g[i]-want) <= 1e-6*(1+math.Abs(want))) {
					t.Fatalf("%v, M %d, parameter %d: %v, by differences %v", factors, m, i, g[i], want)
				}
			}
		}
	}
}

// At the start the features are those of Fastfood in distribution: their products estimate
// the kernel.
func TestStart(t *testing.T) {
	x, y, _ := small(20)
	c := Config{Kernel: kernel.Gaussian{Gamma: .4}, M: 4000, Noise: .1}
	l := newLikelihood(c, gram.Of(x), y, nil)
	omega, _, _ := l.at(l.start)
	phi := basis.NewFourier(omega, 1).Map(nil, x)
	for i := range 20 {
		for j := range 20 {
			got, want := mat.Dot(phi.RowView(i), phi.RowView(j)), c.Kernel.Eval(x.RawRowView(i), x.RawRowView(j))
			if !(math.Abs(got-want) <= .08) {
				t.Errorf("rows %d, %d: %v, kernel %v", i, j, got, want)
			}
		}
	}
}

// Columns without influence get long scales, the likelihood never decreases, and the model
// beats the same features without learning.
func TestLearns(t *testing.T) {
	r := rng.New(7, 7)
	draw := func(n int) (*mat.Dense, []float64) {
		x, y := mat.NewDense(n, 6, nil), make([]float64, n)
		for i := range n {
			row := x.RawRowView(i)
			for j := range row {
				row[j] = r.NormFloat64()
			}
			y[i] = math.Sin(2*row[0]) + .5*row[1] + .1*r.NormFloat64()
		}
		return x, y
	}
	x, y := draw(250)
	fresh, truth := draw(300)
	for _, factors := range []Factors{FSARD, FSGBARD} {
		c := Config{Kernel: kernel.Gaussian{Gamma: .2}, Factors: factors, M: 16, MaxIter: gram.Set(60)}
		m, err := c.Fit(t.Context(), x, y, nil)
		var rough *gram.ConvergenceError
		if err != nil && !errors.As(err, &rough) {
			t.Fatal(err)
		}
		c.MaxIter = gram.Set(0)
		plain := must.Have(c.Fit(t.Context(), x, y, nil))(t)
		s := m.Stats()
		for i := range s.LogLikelihood[1:] {
			if !(s.LogLikelihood[i+1] >= s.LogLikelihood[i]) {
				t.Fatalf("%v: the likelihood falls from %v to %v", factors, s.LogLikelihood[i], s.LogLikelihood[i+1])
			}
		}
		got, drawn := metric.RMSE(m.Predict(nil, fresh), truth), metric.RMSE(plain.Predict(nil, fresh), truth)
		if !(got < .25) || !(got < .7*drawn) {
			t.Errorf("%v: error %v, of features as drawn %v", factors, got, drawn)
		}
		if least := min(s.Scales[2], s.Scales[3], s.Scales[4], s.Scales[5]); !(least > 1.5*s.Scales[0]) {
			t.Errorf("%v: scales %v", factors, s.Scales)
		}
	}
}

// A fit that is stopped gives the model of the steps before, and one with too few steps says
// so.
func TestEnds(t *testing.T) {
	x, y, _ := small(60)
	ctx, stop := context.WithCancel(t.Context())
	c := Config{Kernel: kernel.Gaussian{Gamma: .4}, M: 8, Run: gram.Run{Progress: func(e gram.Event) {
		if e.Done >= 0 {
			stop()
		}
	}}}
	m, err := c.Fit(ctx, x, y, nil)
	if m == nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", m, err)
	}
	var rough *gram.ConvergenceError
	c.Run, c.MaxIter = gram.Run{}, gram.Set(3)
	m, err = c.Fit(t.Context(), x, y, nil)
	if m == nil || !errors.As(err, &rough) || rough.Iter != 3 {
		t.Fatalf("%v, %v", m, err)
	}
	l := newLikelihood(m.Config(), gram.Of(x), y, nil)
	start, _ := l.value(l.start)
	if s := m.Stats().LogLikelihood; len(s) != 4 || s[0] != start || rough.Residual != (s[3]-start)/(math.Abs(s[3])+60) {
		t.Errorf("log likelihoods %v from %v, residual %v", s, start, rough.Residual)
	}
}
